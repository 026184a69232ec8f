// SPDX-License-Identifier: Apache-2.0

public import HIDUsages

/// What one Input, Output or Feature item describes: elements of one size, next to each other.
///
/// Source: HID 1.11, section 6.2.2.5.
public struct HIDReportField: Hashable, Sendable {
  /// The place among the fields of its report.
  public let index: Int
  /// The place of its main item, in bytes from the start of the descriptor.
  public let offset: Int
  /// The place of the first element, in bits from the start of the payload: without the report ID.
  public let bitOffset: Int
  /// Report Size: the bits of one element, 0 to 256.
  public let bitSize: Int
  /// Report Count: the number of elements, 0 to 12,288.
  public let count: Int
  /// The lowest value that means something.
  public let logicalMinimum: Int64
  /// The highest value that means something; unsigned unless the minimum is negative.
  public let logicalMaximum: Int64
  /// What the lowest value is in ``unit``; both 0 when the descriptor does not say.
  public let physicalMinimum: Int64
  /// What the highest value is in ``unit``.
  public let physicalMaximum: Int64
  /// The unit: a nibble for the system, and one each for the exponents of its base units.
  ///
  /// 0 stands for none.
  public let unit: UInt32
  /// The power of ten of the unit.
  public let unitExponent: Int
  /// The bits of the main item.
  public let flags: HIDFieldFlags
  /// The usages as the descriptor lists them; see ``usage(at:)`` for those of the elements.
  public let usages: HIDUsageList
  /// The innermost collection around the field, as an index; `nil` outside all.
  public let collection: Int?

  /// Whether the value never changes, or the field is padding.
  public var isConstant: Bool { flags.contains(.constant) }
  /// Whether each element is the value of one usage.
  public var isVariable: Bool { flags.contains(.variable) }
  /// Whether the elements say which usages are on.
  public var isArray: Bool { !flags.contains(.variable) }
  /// Whether values are changes since the last report.
  public var isRelative: Bool { flags.contains(.relative) }
  /// Whether values outside the logical range say that there is none.
  public var hasNullState: Bool { flags.contains(.nullState) }
  /// Whether the field has no usage, so that it only takes room.
  public var isPadding: Bool { usages.ranges.isEmpty }
  /// Whether values are two's complement.
  public var isSigned: Bool { logicalMinimum < 0 }
  /// The bits of all elements.
  public var bitCount: Int { bitSize * count }

  /// The usage of an element, or of an array's member; O(log ranges).
  ///
  /// Where there are fewer usages than elements, the last one serves all the rest.
  ///
  /// - Parameter index: The place of the element, or in an array the value less the logical minimum.
  /// - Returns: The usage, or `nil` when the field has none or the index is outside.
  ///
  /// Source: HID 1.11, section 6.2.2.8.
  public func usage(at index: Int) -> HIDUsage? {
    extendedUsage(at: index).map(HIDUsage.init(extended:))
  }

  /// The same as ``usage(at:)``, in 32 bits.
  public func extendedUsage(at index: Int) -> UInt32? {
    let listed = usages.count
    guard listed > 0, index >= 0, index < max(listed, count) else { return nil }
    return usages.extendedUsage(at: min(index, listed - 1))
  }

  /// The values that may be written: the logical range, as far as the bits hold it.
  ///
  /// A descriptor that gives no range (both ends 0) means all that the bits hold, and so does one whose
  /// range the bits do not hold at all. Fields over 64 bits have no values, and 0…0 here.
  public var valueRange: ClosedRange<Int64> {
    let bits = representableRange
    guard logicalMinimum != 0 || logicalMaximum != 0 else { return bits }
    let lower = max(bits.lowerBound, logicalMinimum)
    let upper = min(bits.upperBound, logicalMaximum)
    return lower <= upper ? lower...upper : bits
  }

  /// The values that the bits hold.
  public var representableRange: ClosedRange<Int64> {
    guard (1...64).contains(bitSize) else { return 0...0 }
    if isSigned { return (Int64.min >> Int64(64 - bitSize))...(Int64.max >> Int64(64 - bitSize)) }
    return 0...(bitSize >= 63 ? .max : 1 << Int64(bitSize) - 1)
  }
}
