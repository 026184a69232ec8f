// SPDX-License-Identifier: Apache-2.0

extension HIDElement {
  /// The value of an element at one point in time.
  public struct Value: Sendable {
    /// The element that has the value.
    public var element: HIDElement
    /// The element's bits, least significant first, in as few bytes as hold them.
    public var bytes: Data
    /// The time at which the report with the value arrived, or at which the value was made.
    ///
    /// In the result of a ``HIDDeviceClient/RequestElementUpdate`` it is the time of the result.
    public var timestamp: SuspendingClock.Instant

    /// Makes a value from bytes.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - bytes: The element's bits, least significant first. Missing bits are 0. Bits beyond the
    ///     element's size are dropped.
    ///   - timestamp: The time at which the value was made.
    public init(element: HIDElement, fromBytes bytes: Data, timestamp: SuspendingClock.Instant) {
      self.element = element
      self.timestamp = timestamp
      let count = element.byteCount
      if bytes.count == count, element.reportSize % 8 == 0 {
        // The indices of the copy begin at 0.
        self.bytes = Data(bytes)
      } else {
        var fitting = Data(bytes.prefix(count))
        if fitting.count < count { fitting.append(Data(count: count - fitting.count)) }
        if element.reportSize % 8 != 0, count > 0 {
          fitting[count - 1] &= 0xff >> UInt8(8 - element.reportSize % 8)
        }
        self.bytes = fitting
      }
    }

    /// Makes a value from an integer, even one outside the element's logical range.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - value: The integer. Only its low bits are used, as many as the element has. An integer
    ///     with fewer bits is filled up with its sign.
    ///   - timestamp: The time at which the value was made.
    public init<IntegerType>(
      element: HIDElement, fromIntegerTruncatingIfNeeded value: IntegerType,
      timestamp: SuspendingClock.Instant
    ) where IntegerType: FixedWidthInteger {
      var bytes = Data(count: element.byteCount)
      for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
      self.init(element: element, fromBytes: bytes, timestamp: timestamp)
    }

    /// Makes a value from a logical value.
    ///
    /// The result is `nil` if the logical value is outside the element's logical range, or does not
    /// fit in the element's bits or in an `Int64`.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - value: The logical value.
    ///   - timestamp: The time at which the value was made.
    public init?<IntegerType>(
      element: HIDElement, fromLogicalValueTruncatingIfNeeded value: IntegerType,
      timestamp: SuspendingClock.Instant
    ) where IntegerType: FixedWidthInteger {
      guard let logical = Int64(exactly: value), element.isLogical(logical) else { return nil }
      self.init(element: element, fromIntegerTruncatingIfNeeded: logical, timestamp: timestamp)
      guard logicalValue == logical else { return nil }
    }

    /// Makes a value from the logical value that is nearest to a physical value.
    ///
    /// The result is `nil` if that logical value is outside the element's logical range, or does
    /// not fit in its bits. It is also `nil` if the logical or physical range has only one value.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - value: The physical value, in the element's unit.
    ///   - timestamp: The time at which the value was made.
    ///
    /// Source: HID 1.11, section 6.2.2.7.
    public init?<FloatingPointType>(
      element: HIDElement, fromPhysicalValue value: FloatingPointType,
      timestamp: SuspendingClock.Instant
    ) where FloatingPointType: BinaryFloatingPoint {
      guard let logical = element.scale.logicalValue(ofPhysical: Double(value)) else { return nil }
      self.init(element: element, fromLogicalValueTruncatingIfNeeded: logical, timestamp: timestamp)
    }

    /// Returns the bits as an integer.
    ///
    /// An integer with fewer bits gets the low bits. One with more bits is filled up with the sign
    /// if the logical minimum is negative, else with zeros.
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

    /// Returns the logical value; `nil` if it is outside the element's logical range, or does not
    /// fit in an `Int64`.
    ///
    /// - Parameter type: The type of the integer. A value that does not fit is cut.
    public func logicalValue<IntegerType>(
      asTypeTruncatingIfNeeded type: IntegerType.Type
    ) -> IntegerType? where IntegerType: FixedWidthInteger {
      guard let value = logicalValue, element.isLogical(value) else { return nil }
      return IntegerType(truncatingIfNeeded: value)
    }

    /// Returns the physical value, in the element's unit; `nil` if there is no logical value.
    ///
    /// - Parameters:
    ///   - type: The type of integer to which the logical value is cut.
    ///   - floatingType: The type of the result.
    ///
    /// Source: HID 1.11, section 6.2.2.7.
    public func physicalValue<IntegerType, FloatingType>(
      fromTypeTruncatingIfNeeded type: IntegerType.Type, as floatingType: FloatingType.Type
    ) -> FloatingType? where IntegerType: FixedWidthInteger, FloatingType: BinaryFloatingPoint {
      guard let value = logicalValue(asTypeTruncatingIfNeeded: type) else { return nil }
      return FloatingType(element.scale.physicalValue(of: Double(value)))
    }

    /// The bits as a number with its sign; `nil` if the number does not fit in an `Int64`.
    private var logicalValue: Int64? {
      let value = integerValue(asTypeTruncatingIfNeeded: Int64.self)
      guard bytes.count > 8 else {
        // The highest bit of a 64-bit unsigned number is not a sign.
        return bytes.count == 8 && !element.isSigned && value < 0 ? nil : value
      }
      let isNegative = element.isSigned && value < 0
      // The bits of the last byte beyond the element's size are 0, even in a negative value.
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
  /// The element's usage and its integer value; for more than 8 bytes, their number.
  public var description: String {
    let number =
      bytes.count <= 8
      ? "\(integerValue(asTypeTruncatingIfNeeded: Int64.self))" : "\(bytes.count) bytes"
    return "HIDElement.Value(\(element.usage), \(number))"
  }
}

extension HIDElement {
  /// Returns whether a value is in the logical range; a bound that is `nil` is no limit.
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
