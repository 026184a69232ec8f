// SPDX-License-Identifier: Apache-2.0

/// The reason why a report descriptor is refused.
///
/// The cases are what the kernel refuses (6.12, `drivers/hid/hid-core.c`, `drivers/hid/uhid.c`). By
/// ``HIDReading/specification``, `longItem`, `reservedGlobalItem`, `pushTooDeep` and
/// `logicalRangeReversed` are no faults. An offset is the position of the first byte of the item at
/// fault, in bytes from the start of the descriptor.
public enum HIDReportDescriptorError: Error, Hashable, Sendable {
  /// The descriptor has no bytes.
  case empty
  /// The descriptor is longer than the kernel, or HID 1.11 for ``HIDReading/specification``,
  /// allows.
  case descriptorTooLong(byteCount: Int)
  /// The descriptor ends inside this item.
  case truncatedItem(offset: Int)
  /// A long item; HID 1.11 defines no use of long items.
  case longItem(offset: Int)
  /// A global item with a reserved tag.
  case reservedGlobalItem(offset: Int, code: UInt8)
  /// A report ID of 0 or above 255.
  case invalidReportID(offset: Int, value: UInt32)
  /// A report size above 256 bits.
  case reportSizeTooLarge(offset: Int, bitCount: UInt32)
  /// A report count above 12,288.
  case reportCountTooLarge(offset: Int, count: UInt32)
  /// More than 12,288 usages for one main item, unless Linux cuts a range at that number.
  case tooManyUsages(offset: Int)
  /// A fifth Push without a Pop.
  case pushTooDeep(offset: Int)
  /// A Pop without a Push.
  case popWithoutPush(offset: Int)
  /// An End Collection without a Collection.
  case endCollectionWithoutCollection(offset: Int)
  /// A Collection without an End Collection.
  case unclosedCollection(offset: Int)
  /// A delimiter that opens a set inside a set.
  case nestedDelimiter(offset: Int)
  /// A delimiter that closes a set where none is open.
  case closeDelimiterWithoutOpen(offset: Int)
  /// A delimiter after the last main item that is still open at the end of the descriptor.
  case unclosedDelimiter(offset: Int)
  /// A field whose logical minimum is above its logical maximum.
  case logicalRangeReversed(offset: Int, minimum: Int64, maximum: Int64)
  /// A report with more bytes than the transport takes, counted with one for the report ID.
  case reportTooLong(
    offset: Int, type: HIDReportType, id: HIDReportID?, bitCount: Int, maximumByteCount: Int)

  /// The offset of the fault; `nil` if the fault is in the descriptor as a whole.
  public var offset: Int? {
    switch self {
    case .empty, .descriptorTooLong: nil
    case .truncatedItem(let offset), .longItem(let offset), .reservedGlobalItem(let offset, _),
      .invalidReportID(let offset, _), .reportSizeTooLarge(let offset, _),
      .reportCountTooLarge(let offset, _), .tooManyUsages(let offset), .pushTooDeep(let offset),
      .popWithoutPush(let offset), .endCollectionWithoutCollection(let offset),
      .unclosedCollection(let offset), .nestedDelimiter(let offset),
      .closeDelimiterWithoutOpen(let offset), .unclosedDelimiter(let offset),
      .logicalRangeReversed(let offset, _, _), .reportTooLong(let offset, _, _, _, _):
      offset
    }
  }

  /// The fault and the expected content, without the offset.
  public var explanation: String {
    switch self {
    case .empty: "the report descriptor is empty; expected at least one item"
    case .descriptorTooLong(let byteCount):
      // A descriptor that exceeds both limits can be refused by either reading.
      "the report descriptor has \(byteCount) bytes; the kernel takes at most "
        + "\(HIDReportDescriptor.maximumByteCount)"
        + (byteCount > HIDReportDescriptor.longestByteCount
          ? ", and HID 1.11 allows at most \(HIDReportDescriptor.longestByteCount)" : "")
    case .truncatedItem: "the descriptor ends inside this item"
    case .longItem: "a long item; HID 1.11 defines none, and the kernel refuses them"
    case .reservedGlobalItem(_, let code):
      "reserved global item, tag \(code >> 4); expected one of Usage Page to Pop, tags 0 to 11"
    case .invalidReportID(_, let value): "report ID \(value); expected 1 to 255"
    case .reportSizeTooLarge(_, let bitCount):
      "report size \(bitCount) bits; expected at most \(HIDReportDescriptor.maximumFieldBitSize)"
    case .reportCountTooLarge(_, let count):
      "report count \(count); expected at most \(HIDReportDescriptor.maximumUsageCount)"
    case .tooManyUsages:
      "too many usages for one main item; expected at most "
        + "\(HIDReportDescriptor.maximumUsageCount)"
    case .pushTooDeep:
      "a Push after \(HIDReportDescriptor.maximumPushDepth) others without a Pop; the kernel saves no "
        + "more"
    case .popWithoutPush: "a Pop without a Push before it"
    case .endCollectionWithoutCollection: "an End Collection without a Collection before it"
    case .unclosedCollection: "this Collection has no End Collection"
    case .nestedDelimiter: "this delimiter opens a set of usages inside another set"
    case .closeDelimiterWithoutOpen: "this delimiter closes a set of usages, but none is open"
    case .unclosedDelimiter:
      "this delimiter opens a set of usages that is still open at the end of the descriptor"
    case .logicalRangeReversed(_, let minimum, let maximum):
      "logical minimum \(minimum) is above logical maximum \(maximum)"
    case .reportTooLong(_, let type, let id, let bitCount, let maximumByteCount):
      "\(type) report\(id.map { " \($0)" } ?? "") has \(bitCount) bits with this field; expected at "
        + "most \((maximumByteCount - 1) * 8): \(maximumByteCount) bytes, less one for the report ID"
    }
  }
}

extension HIDReportDescriptorError: CustomStringConvertible {
  /// The offset of the fault, the fault, and the expected content.
  public var description: String {
    offset.map { "byte \($0): \(explanation)" } ?? explanation
  }
}
