// SPDX-License-Identifier: Apache-2.0

public import HIDUsages

/// The content of one Input, Output or Feature item: adjacent elements of one size.
///
/// An added field is one element that no item declares: see ``HIDAddedField``.
///
/// Source: HID 1.11, section 6.2.2.5.
public struct HIDReportField: Sendable {
  /// The index among the fields of its report.
  public let index: Int
  private let storage: HIDDescriptorStorage
  private let record: HIDFieldRecord

  /// - Parameter place: The index among all fields of the descriptor.
  init(_ storage: HIDDescriptorStorage, at place: Int, index: Int) {
    self.storage = storage
    self.index = index
    record = storage.fields[place]
  }

  /// The position of its main item, in bytes from the start of the descriptor.
  ///
  /// For an added field, the length of the descriptor plus the index in
  /// ``HIDReportDescriptor/addedFields``.
  public var offset: Int { Int(record.offset) }
  /// The first bit of the first element, counted from the start of the payload, without the report
  /// ID.
  public var bitOffset: Int { Int(record.bitOffset) }
  /// Report Size: the number of bits of one element, 0 to 256.
  public var bitSize: Int { Int(record.bitSize) }
  /// Report Count: the number of elements, 0 to 12,288.
  public var count: Int { Int(record.count) }
  /// The lowest valid value.
  public var logicalMinimum: Int64 { Int64(record.logicalMinimum) }
  /// The highest valid value; see ``HIDReading`` for its sign.
  public var logicalMaximum: Int64 {
    maximum(record.logicalMaximum, minimum: record.logicalMinimum)
  }
  /// The physical value, in ``unit`` × 10^``unitExponent``, of the logical minimum.
  ///
  /// Both ends are 0 if the descriptor gives no range.
  public var physicalMinimum: Int64 { Int64(record.physicalMinimum) }
  /// The physical value, in ``unit`` × 10^``unitExponent``, of the logical maximum.
  ///
  /// Both ends are 0 if the descriptor gives no range; ``physicalRange`` is then the logical range.
  public var physicalMaximum: Int64 {
    maximum(record.physicalMaximum, minimum: record.physicalMinimum)
  }
  /// The unit: one nibble for the system, and one for the exponent of each base unit.
  ///
  /// 0 means that there is no unit.
  public var unit: UInt32 { record.unit }
  /// The exponent of the power of ten that multiplies the unit.
  public var unitExponent: Int { Int(record.unitExponent) }
  /// The data bits of the main item.
  ///
  /// An added field has none of a main item: it is variable, and has no preferred state.
  public var flags: HIDFieldFlags { HIDFieldFlags(rawValue: record.flags) }
  /// The usages as the descriptor lists them; ``usage(at:)`` returns the usage of an element.
  ///
  /// ``HIDReading`` says which usages of delimited sets are among them.
  public var usages: HIDUsageList { storage.usages(record.usages) }
  /// The index of the innermost collection around the field; `nil` outside all collections.
  public var collection: Int? { record.collection < 0 ? nil : Int(record.collection) }
  /// The indices of the field's designators, as the descriptor lists them.
  ///
  /// A designator names the body part that uses a control.
  public var designators: [HIDIndexRange] {
    storage.rarities(ofItemAt: offset)?.designators ?? []
  }
  /// The indices of the field's strings, as the descriptor lists them.
  public var strings: [HIDIndexRange] { storage.rarities(ofItemAt: offset)?.strings ?? [] }
  /// The delimited sets of usages; a host takes the first usage of a set that the host supports.
  ///
  /// Sets without usages, and a set that is still open at the main item, are left out. With
  /// ``HIDReading/linux``, usage ranges of more than 12,288 usages and reversed ranges after the
  /// start of the second set are left out, too.
  public var alternatives: [HIDUsageAlternatives] {
    storage.rarities(ofItemAt: offset)?.alternatives ?? []
  }

  private func maximum(_ maximum: Int32, minimum: Int32) -> Int64 {
    minimum >= 0 && (storage.reading == .linux || isAdded)
      ? Int64(UInt32(bitPattern: maximum)) : Int64(maximum)
  }

  /// True if the bytes do not declare the field, so that no rules of reading apply to its range.
  private var isAdded: Bool { offset >= storage.bytes.count }

  /// True if the main item says that the value never changes, as for most padding.
  public var isConstant: Bool { flags.contains(.constant) }
  /// True if each element is the value of one usage.
  public var isVariable: Bool { flags.contains(.variable) }
  /// True if the elements select the usages that are on.
  public var isArray: Bool { !flags.contains(.variable) }
  /// True if values are changes since the last report.
  public var isRelative: Bool { flags.contains(.relative) }
  /// True if a value outside the logical range means that there is no value.
  public var hasNullState: Bool { flags.contains(.nullState) }
  /// True if the field has no usage, and so only fills bits.
  public var isPadding: Bool { record.usages.start == record.usages.end }
  /// True if values are two's complement.
  public var isSigned: Bool { logicalMinimum < 0 }
  /// The number of bits of all elements.
  public var bitCount: Int { bitSize * count }

  /// Returns the usage of an element, or of a member of an array; O(log ranges).
  ///
  /// If there are fewer usages than elements, the last usage applies to all remaining indices, also
  /// in an array, as in Linux.
  ///
  /// - Parameter index: The index of the element; in an array, the value minus the logical minimum.
  /// - Returns: The usage, or `nil` if the field has none or the index is out of range.
  ///
  /// Source: HID 1.11, section 6.2.2.8.
  public func usage(at index: Int) -> HIDUsage? {
    extendedUsage(at: index).map(HIDUsage.init(extended:))
  }

  /// Returns the same as ``usage(at:)``, in 32 bits; `nil` if that is `nil`.
  public func extendedUsage(at index: Int) -> UInt32? {
    let listed = usages.count
    guard listed > 0, index >= 0, index < max(listed, count) else { return nil }
    return usages.extendedUsage(at: min(index, listed - 1))
  }

  /// The valid values of an element: the part of the logical range that the bits hold.
  ///
  /// If the descriptor gives no range (both ends 0), or the bits hold no part of it, this is the
  /// whole range of the bits. Elements of no bits or more than 64 have no values, and the range is
  /// 0…0.
  public var valueRange: ClosedRange<Int64> {
    let bits = representableRange
    guard logicalMinimum != 0 || logicalMaximum != 0 else { return bits }
    let lower = max(bits.lowerBound, logicalMinimum)
    let upper = min(bits.upperBound, logicalMaximum)
    return lower <= upper ? lower...upper : bits
  }

  /// The values that the bits of an element can hold; 0…0 for no bits or more than 64.
  ///
  /// For 64 unsigned bits, this ends at 2⁶³-1.
  public var representableRange: ClosedRange<Int64> {
    Self.range(ofBits: bitSize, isSigned: isSigned)
  }

  /// Returns the values that some bits can hold, as ``representableRange``.
  static func range(ofBits bitSize: Int, isSigned: Bool) -> ClosedRange<Int64> {
    guard (1...64).contains(bitSize) else { return 0...0 }
    if isSigned { return (Int64.min >> Int64(64 - bitSize))...(Int64.max >> Int64(64 - bitSize)) }
    return 0...(bitSize >= 63 ? .max : 1 << Int64(bitSize) - 1)
  }
}

extension HIDReportField: Hashable {
  /// Returns whether both values are the same field of equal descriptors.
  public static func == (left: Self, right: Self) -> Bool {
    left.record.offset == right.record.offset && left.storage == right.storage
  }

  /// Hashes the offset of the field, and the descriptor's bytes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(record.offset)
    hasher.combine(storage)
  }
}

/// The fields of a report in the order of the descriptor, padding included; then the added fields.
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

  /// Returns the field at an index.
  public subscript(position: Int) -> HIDReportField {
    precondition(position >= 0 && position < last - first, "no such field")
    return HIDReportField(storage, at: first + position, index: position)
  }
}
