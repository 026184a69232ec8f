// SPDX-License-Identifier: Apache-2.0

import HIDUsageNaming
public import HIDUsages

/// What one Input, Output or Feature item describes: elements of one size, next to each other.
///
/// Source: HID 1.11, section 6.2.2.5.
public struct HIDReportField: Sendable {
  /// The place among the fields of its report.
  public let index: Int
  private let storage: HIDDescriptorStorage
  private let record: HIDFieldRecord

  /// - Parameter place: The place among all fields of the descriptor.
  init(_ storage: HIDDescriptorStorage, at place: Int, index: Int) {
    self.storage = storage
    self.index = index
    record = storage.fields[place]
  }

  /// The place of its main item, in bytes from the start of the descriptor.
  public var offset: Int { Int(record.offset) }
  /// The place of the first element, in bits from the start of the payload: without the report ID.
  public var bitOffset: Int { Int(record.bitOffset) }
  /// Report Size: the bits of one element, 0 to 256.
  public var bitSize: Int { Int(record.bitSize) }
  /// Report Count: the number of elements, 0 to 12,288.
  public var count: Int { Int(record.count) }
  /// The lowest value that means something.
  public var logicalMinimum: Int64 { Int64(record.logicalMinimum) }
  /// The highest value that means something; see ``HIDReading`` for its sign.
  public var logicalMaximum: Int64 {
    maximum(record.logicalMaximum, minimum: record.logicalMinimum)
  }
  /// What the lowest value is in ``unit``; both 0 when the descriptor does not say.
  public var physicalMinimum: Int64 { Int64(record.physicalMinimum) }
  /// What the highest value is in ``unit``.
  public var physicalMaximum: Int64 {
    maximum(record.physicalMaximum, minimum: record.physicalMinimum)
  }
  /// The unit: a nibble for the system, and one each for the exponents of its base units.
  ///
  /// 0 stands for none.
  public var unit: UInt32 { record.unit }
  /// The power of ten of the unit.
  public var unitExponent: Int { Int(record.unitExponent) }
  /// The bits of the main item.
  public var flags: HIDFieldFlags { HIDFieldFlags(rawValue: record.flags) }
  /// The usages as the descriptor lists them; see ``usage(at:)`` for those of the elements.
  public var usages: HIDUsageList { storage.usages(record.usages) }
  /// The innermost collection around the field, as an index; `nil` outside all.
  public var collection: Int? { record.collection < 0 ? nil : Int(record.collection) }
  /// The designators of the field, as the descriptor lists them: parts of the body that use the controls.
  public var designators: [HIDIndexRange] {
    storage.rarities(ofItemAt: offset)?.designators ?? []
  }
  /// The indices of the field's strings, as the descriptor lists them.
  public var strings: [HIDIndexRange] { storage.rarities(ofItemAt: offset)?.strings ?? [] }
  /// The delimited sets of usages, of which a host takes the first usage that it knows.
  public var alternatives: [HIDUsageAlternatives] {
    storage.rarities(ofItemAt: offset)?.alternatives ?? []
  }

  private func maximum(_ maximum: Int32, minimum: Int32) -> Int64 {
    minimum >= 0 && storage.reading == .linux
      ? Int64(UInt32(bitPattern: maximum)) : Int64(maximum)
  }

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
  public var isPadding: Bool { record.usages.start == record.usages.end }
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

extension HIDReportField: Hashable {
  /// Whether both are the same field of equal descriptors.
  public static func == (left: Self, right: Self) -> Bool {
    left.record.offset == right.record.offset && left.storage == right.storage
  }

  /// Hashes the place in the descriptor, and its bytes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(record.offset)
    hasher.combine(storage)
  }
}

/// The fields of a report in the order of the descriptor, padding included.
public struct HIDReportFields: RandomAccessCollection, Sendable {
  private let storage: HIDDescriptorStorage
  private let first: Int
  private let last: Int

  init(_ storage: HIDDescriptorStorage, of report: HIDReportRecord) {
    self.storage = storage
    first = Int(report.firstField)
    last = first + Int(report.fieldCount)
  }

  /// 0.
  public var startIndex: Int { 0 }
  /// The number of fields.
  public var endIndex: Int { last - first }

  /// The field at a place.
  public subscript(position: Int) -> HIDReportField {
    precondition(position >= 0 && position < last - first, "no such field")
    return HIDReportField(storage, at: first + position, index: position)
  }
}
