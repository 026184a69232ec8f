// SPDX-License-Identifier: Apache-2.0

public import HIDUsages

/// A report descriptor: its bytes, and the collections, reports and fields that they declare.
///
/// It is parsed by the rules of the Linux kernel, or by those of HID 1.11 to the letter.
/// ``HIDReading`` lists the differences. All values that come from one descriptor share its parsed
/// content.
public struct HIDReportDescriptor: Sendable {
  var storage: HIDDescriptorStorage
  /// True if input reports may be longer than declared, as some devices send them.
  ///
  /// Input reports of up to ``uhidMaximumReportByteCount`` bytes are then valid. Parsing sets
  /// false, because the bytes do not give the value. The record of a device on a bus has it; code
  /// that parses the descriptor of a record must copy it.
  public var allowsLongInput = false

  /// Parses a descriptor; by default, refuses what the kernel refuses.
  ///
  /// Reserved main and local items, a missing application collection, and a report that is not a
  /// whole number of bytes are accepted.
  ///
  /// - Parameter bytes: The descriptor, 1 to 4,096 bytes; up to 65,535 for
  ///   ``HIDReading/specification``.
  /// - Parameter reading: The rules to use where Linux and HID 1.11 differ.
  /// - Parameter maximumReportByteCount: The longest report that the transport takes, in bytes; one
  ///   is for the report ID, even if the report is unnumbered. A number above the kernel's own
  ///   limit counts as that limit. Over uhid the limit is ``uhidMaximumReportByteCount``.
  /// - Throws: The first fault.
  public init(
    parsing bytes: [UInt8], reading: HIDReading = .linux,
    maximumReportByteCount: Int = HIDReportDescriptor.maximumReportByteCount
  ) throws(HIDReportDescriptorError) {
    storage = try HIDReportDescriptorParser.parse(
      bytes, reading: reading, maximumReportByteCount: maximumReportByteCount)
  }

  /// The bytes that were parsed.
  public var bytes: [UInt8] { storage.bytes }
  /// The rules by which the descriptor was parsed.
  public var reading: HIDReading { storage.reading }
  /// The collections in order of opening.
  public var collections: HIDCollections { HIDCollections(storage: storage) }
  /// The reports, sorted by type and ID.
  ///
  /// An unnumbered report comes first in its type.
  public var reports: HIDReports { HIDReports(storage: storage) }

  /// The items of the descriptor, decoded at each call.
  ///
  /// Each first byte from `f0` up begins a long item, as in the kernel. The array is empty if an
  /// item is then truncated, which is possible only with ``HIDReading/specification``.
  public var items: [HIDItem] { (try? HIDItem.decodeAll(bytes)) ?? [] }

  /// Returns the layout of a report, or `nil` if the descriptor does not declare it; O(1).
  ///
  /// - Parameter type: The type of the report.
  /// - Parameter id: Its report ID; `nil` for an unnumbered report.
  public func report(_ type: HIDReportType, id: HIDReportID?) -> HIDReportLayout? {
    storage.reportIndex(type, id).map { HIDReportLayout(storage, at: $0) }
  }

  /// Returns the layout of the report in these bytes, or `nil` if none is declared; O(1).
  ///
  /// If reports of the type are numbered, it is also `nil` for no bytes and for a first byte of 0.
  ///
  /// - Parameter type: The type of the report.
  /// - Parameter bytes: The report on the wire; it starts with the report ID if reports of the type
  ///   are numbered.
  public func report(_ type: HIDReportType, of bytes: Span<UInt8>) -> HIDReportLayout? {
    guard numbersReports(type) else { return report(type, id: nil) }
    guard !bytes.isEmpty, let id = HIDReportID(rawValue: bytes[0]) else { return nil }
    return report(type, id: id)
  }

  /// Returns the layout of the report in these bytes; see ``report(_:of:)`` of a span.
  public func report(_ type: HIDReportType, of bytes: [UInt8]) -> HIDReportLayout? {
    report(type, of: bytes.span)
  }

  /// Returns whether reports of a type start with their ID: the flags of `UHID_START`.
  ///
  /// - Parameter type: The type of the reports.
  public func numbersReports(_ type: HIDReportType) -> Bool { storage.numbersReports(type) }

  /// True if any report is numbered.
  public var usesReportIDs: Bool { HIDReportType.allCases.contains { numbersReports($0) } }

  /// Returns the reports of one type, sorted by ID.
  ///
  /// - Parameter type: The type of the reports.
  public func reports(of type: HIDReportType) -> [HIDReportLayout] {
    reports.filter { $0.type == type }
  }

  /// Returns the collections directly inside another, or the top-level ones.
  ///
  /// - Parameter index: The index of a collection in ``collections``; `nil` for the top level.
  public func children(of index: Int?) -> [HIDCollection] {
    collections.filter { $0.parent == index }
  }

  /// The usage of each application collection at the top level that has one, in order.
  public var topLevelUsages: [HIDUsage] {
    collections.filter { $0.parent == nil && $0.kind == .application }.compactMap(\.usage)
  }

  /// The kind of device: the usage of its first top-level application collection that has one.
  ///
  /// If no such collection has a usage, this is the usage of the first application collection at
  /// any level. It is `nil` if that one has no usage, or there is no application collection.
  public var primaryUsage: HIDUsage? {
    topLevelUsages.first ?? collections.first { $0.kind == .application }?.usage
  }
}

extension HIDReportDescriptor {
  /// The longest descriptor that the kernel takes, in bytes: `HID_MAX_DESCRIPTOR_SIZE`.
  public static let maximumByteCount = 4096
  /// The longest possible descriptor, in bytes: its length is a 16-bit number.
  ///
  /// Source: HID 1.11, section 6.2.1, wDescriptorLength.
  public static let longestByteCount = 65_535
  /// The longest report that the kernel takes, in bytes: `HID_MAX_BUFFER_SIZE`.
  ///
  /// One byte is for the report ID, even if the report is unnumbered.
  public static let maximumReportByteCount = 16_384
  /// The longest report that uhid takes, in bytes: `UHID_DATA_MAX`.
  ///
  /// In a descriptor, one byte is for the report ID, even if the report is unnumbered.
  public static let uhidMaximumReportByteCount = 4096
  /// The limit for the usages of one main item, and for the elements of one field:
  /// `HID_MAX_USAGES`.
  public static let maximumUsageCount = 12_288
  /// The limit for the bits of one element.
  public static let maximumFieldBitSize = 256
  /// The limit for nested Push items without a Pop: `HID_GLOBAL_STACK_SIZE`.
  public static let maximumPushDepth = 4
  /// The limit for the fields with usages that the kernel keeps of one report: `HID_MAX_FIELDS`.
  public static let maximumFieldCount = 256
  /// The limit for the elements of a device that hidsim offers to programs.
  public static let maximumElementCount = 65_536
}

extension HIDReportDescriptor: Hashable {
  /// Returns whether the bytes are equal, were read by the same rules, and have the same added
  /// fields.
  ///
  /// ``allowsLongInput`` is not compared.
  public static func == (left: Self, right: Self) -> Bool { left.storage == right.storage }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(storage) }
}
