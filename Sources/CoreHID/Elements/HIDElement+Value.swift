// SPDX-License-Identifier: Apache-2.0

extension HIDElement {
  /// What an element of a report holds, at a time.
  public struct Value: Sendable {
    /// The element whose value it is.
    public var element: HIDElement
    /// The element's bits, least significant first, in as few bytes as hold them.
    public var bytes: Data
    /// When the value was reported, or made.
    public var timestamp: SuspendingClock.Instant

    /// Makes a value from bytes.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - bytes: Its bits, least significant first. What is missing is 0; what the element has no bits for is dropped.
    ///   - timestamp: When the value was made.
    public init(element: HIDElement, fromBytes bytes: Data, timestamp: SuspendingClock.Instant) {
      self.element = element
      self.timestamp = timestamp
      let count = element.byteCount
      if bytes.count == count, element.reportSize % 8 == 0 {
        self.bytes = Data(bytes)  // whose indices begin at 0
      } else {
        var fitting = Data(bytes.prefix(count))
        if fitting.count < count { fitting.append(Data(count: count - fitting.count)) }
        if element.reportSize % 8 != 0, count > 0 {
          fitting[count - 1] &= 0xff >> UInt8(8 - element.reportSize % 8)
        }
        self.bytes = fitting
      }
    }

    /// Makes a value from an integer, whether it is logically valid or not.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - value: The integer, of which the low bits are taken.
    ///   - timestamp: When the value was made.
    public init<IntegerType>(
      element: HIDElement, fromIntegerTruncatingIfNeeded value: IntegerType,
      timestamp: SuspendingClock.Instant
    ) where IntegerType: FixedWidthInteger {
      var bytes = Data(count: element.byteCount)
      for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
      self.init(element: element, fromBytes: bytes, timestamp: timestamp)
    }

    /// Makes a value from a logical one; `nil` if that is outside the element's logical range, or does not fit its bits.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - value: The logical value.
    ///   - timestamp: When the value was made.
    public init?<IntegerType>(
      element: HIDElement, fromLogicalValueTruncatingIfNeeded value: IntegerType,
      timestamp: SuspendingClock.Instant
    ) where IntegerType: FixedWidthInteger {
      guard let logical = Int64(exactly: value), element.isLogical(logical) else { return nil }
      self.init(element: element, fromIntegerTruncatingIfNeeded: logical, timestamp: timestamp)
      guard logicalValue == logical else { return nil }
    }

    /// Makes a value from a physical one: the nearest logical value; `nil` if that is outside the element's range.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - value: The physical value, in the element's unit.
    ///   - timestamp: When the value was made.
    ///
    /// Source: HID 1.11, section 6.2.2.7.
    public init?<FloatingPointType>(
      element: HIDElement, fromPhysicalValue value: FloatingPointType,
      timestamp: SuspendingClock.Instant
    ) where FloatingPointType: BinaryFloatingPoint {
      guard let logical = element.scale.logicalValue(ofPhysical: Double(value)) else { return nil }
      self.init(element: element, fromLogicalValueTruncatingIfNeeded: logical, timestamp: timestamp)
    }

    /// The bits as an integer: cut, or filled up with their sign where the logical minimum is negative, else with zeros.
    ///
    /// - Parameter type: The type of the integer.
    public func integerValue<IntegerType>(
      asTypeTruncatingIfNeeded type: IntegerType.Type
    ) -> IntegerType where IntegerType: FixedWidthInteger {
      var result: IntegerType = 0
      for byte in bytes.prefix((IntegerType.bitWidth + 7) / 8).reversed() {
        result = result << 8 | IntegerType(truncatingIfNeeded: byte)
      }
      let bitCount = Int(element.reportSize)
      if element.isSigned, bitCount > 0, bitCount < IntegerType.bitWidth,
        (result >> (bitCount - 1)) & 1 != 0
      {
        result |= ~0 << bitCount
      }
      return result
    }

    /// The logical value; `nil` if the bits hold none, being outside the element's logical range.
    ///
    /// - Parameter type: The type of the integer. A value that does not fit is cut.
    public func logicalValue<IntegerType>(
      asTypeTruncatingIfNeeded type: IntegerType.Type
    ) -> IntegerType? where IntegerType: FixedWidthInteger {
      guard let value = logicalValue, element.isLogical(value) else { return nil }
      return IntegerType(truncatingIfNeeded: value)
    }

    /// The physical value, in the element's unit; `nil` where there is no logical value.
    ///
    /// - Parameters:
    ///   - type: The type of integer that the logical value is cut to.
    ///   - floatingType: The type of the result.
    ///
    /// Source: HID 1.11, section 6.2.2.7.
    public func physicalValue<IntegerType, FloatingType>(
      fromTypeTruncatingIfNeeded type: IntegerType.Type, as floatingType: FloatingType.Type
    ) -> FloatingType? where IntegerType: FixedWidthInteger, FloatingType: BinaryFloatingPoint {
      guard let value = logicalValue(asTypeTruncatingIfNeeded: type) else { return nil }
      return FloatingType(element.scale.physicalValue(of: Double(value)))
    }

    /// The bits as a number with its sign; `nil` if they say more than 64 bits hold.
    private var logicalValue: Int64? {
      let value = integerValue(asTypeTruncatingIfNeeded: Int64.self)
      guard bytes.count > 8 else {
        // The highest of 64 unsigned bits is no sign.
        return bytes.count == 8 && !element.isSigned && value < 0 ? nil : value
      }
      let isNegative = element.isSigned && value < 0
      // The bits above the last whole byte of a negative value are not there.
      let unused = UInt8(truncatingIfNeeded: bytes.count * 8 - Int(element.reportSize))
      let rest = bytes.dropFirst(8).enumerated().allSatisfy { index, byte in
        let isLast = index == bytes.count - 9
        return byte == (isNegative ? (isLast ? 0xff >> unused : 0xff) : 0)
      }
      return rest && (isNegative || value >= 0) ? value : nil
    }
  }
}

extension HIDElement.Value: Equatable, Hashable {}

extension HIDElement.Value: CustomStringConvertible {
  /// The element and its value.
  public var description: String {
    let number =
      bytes.count <= 8
      ? "\(integerValue(asTypeTruncatingIfNeeded: Int64.self))" : "\(bytes.count) bytes"
    return "HIDElement.Value(\(element.usage), \(number))"
  }
}

extension HIDElement {
  /// Whether a value is in the logical range, as far as there is one.
  fileprivate func isLogical(_ value: Int64) -> Bool {
    if let logicalMinimum, value < logicalMinimum { return false }
    if let logicalMaximum, value > logicalMaximum { return false }
    return true
  }

  fileprivate var scale: PhysicalScale {
    PhysicalScale(
      logical: (logicalMinimum ?? 0, logicalMaximum ?? 0),
      physical: (physicalMinimum ?? 0, physicalMaximum ?? 0), exponent: Int(unitExponent ?? 0))
  }
}
