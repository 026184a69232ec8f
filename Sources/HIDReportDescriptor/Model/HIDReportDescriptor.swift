// SPDX-License-Identifier: Apache-2.0

import HIDUsageNaming
public import HIDUsages

/// The bytes that describe a device's reports, and what they say.
///
/// A descriptor is read as the Linux kernel reads it, because that is what a host will see, or by the letter of
/// HID 1.11: ``HIDReading`` lists the differences. What was read is shared by all values that come from it.
public struct HIDReportDescriptor: Sendable {
  var storage: HIDDescriptorStorage
  /// Whether the device sends input reports longer than it declares, as some do.
  ///
  /// The bytes do not say so: it is known from elsewhere, such as a recording.
  public var allowsLongInput = false

  /// Reads a descriptor, and refuses what the kernel refuses.
  ///
  /// Reserved main and local items, a missing application collection and bits left over are accepted.
  ///
  /// - Parameter bytes: The descriptor, 1 to 4,096 bytes; to ``HIDReading/specification`` 65,535.
  /// - Parameter reading: Whose reading, where Linux and HID 1.11 differ.
  /// - Parameter maximumReportByteCount: The longest report the transport takes, with its report ID.
  ///   At most the kernel's own limit; over uhid it is ``uhidMaximumReportByteCount``.
  /// - Throws: The first fault, with its place.
  public init(
    parsing bytes: [UInt8], reading: HIDReading = .linux,
    maximumReportByteCount: Int = HIDReportDescriptor.maximumReportByteCount
  ) throws(HIDReportDescriptorError) {
    storage = try HIDReportDescriptorParser.parse(
      bytes, reading: reading, maximumReportByteCount: maximumReportByteCount)
  }

  /// The descriptor as it was given.
  public var bytes: [UInt8] { storage.bytes }
  /// Whose reading this is.
  public var reading: HIDReading { storage.reading }
  /// The collections in order of opening.
  public var collections: HIDCollections { HIDCollections(storage: storage) }
  /// The reports, sorted by type and ID.
  ///
  /// An unnumbered report comes first in its type.
  public var reports: HIDReports { HIDReports(storage: storage) }

  /// The items of the descriptor, decoded at each call.
  public var items: [HIDItem] { (try? HIDItem.decodeAll(bytes)) ?? [] }

  /// The layout of a report, O(1).
  ///
  /// - Parameter type: Which way the report goes.
  /// - Parameter id: Its number; `nil` for an unnumbered report.
  public func report(_ type: HIDReportType, id: HIDReportID?) -> HIDReportLayout? {
    storage.reportIndex(type, id).map { HIDReportLayout(storage, at: $0) }
  }

  /// The layout of the report that these bytes are, O(1).
  ///
  /// - Parameter type: Which way the report goes.
  /// - Parameter bytes: The report on the wire: the report ID first, if reports of the type are numbered.
  public func report(_ type: HIDReportType, of bytes: Span<UInt8>) -> HIDReportLayout? {
    guard numbersReports(type) else { return report(type, id: nil) }
    guard !bytes.isEmpty, let id = HIDReportID(rawValue: bytes[0]) else { return nil }
    return report(type, id: id)
  }

  /// The layout of the report that these bytes are; see ``report(_:of:)`` of a span.
  public func report(_ type: HIDReportType, of bytes: [UInt8]) -> HIDReportLayout? {
    report(type, of: bytes.span)
  }

  /// Whether reports of a type carry their ID as first byte: the flags of `UHID_START`.
  ///
  /// - Parameter type: Which way the reports go.
  public func numbersReports(_ type: HIDReportType) -> Bool { storage.numbersReports(type) }

  /// Whether any report is numbered.
  public var usesReportIDs: Bool { HIDReportType.allCases.contains { numbersReports($0) } }

  /// The reports of one type, sorted by ID.
  ///
  /// - Parameter type: Which way the reports go.
  public func reports(of type: HIDReportType) -> [HIDReportLayout] {
    reports.filter { $0.type == type }
  }

  /// The collections directly inside another, or the top-level ones.
  ///
  /// - Parameter index: The place of a collection in ``collections``; `nil` for the top level.
  public func children(of index: Int?) -> [HIDCollection] {
    collections.filter { $0.parent == index }
  }

  /// The usages of the application collections at the top level, in order.
  public var topLevelUsages: [HIDUsage] {
    collections.filter { $0.parent == nil && $0.kind == .application }.compactMap(\.usage)
  }

  /// What the device is: the usage of its first application collection, at the top level or below.
  public var primaryUsage: HIDUsage? {
    topLevelUsages.first ?? collections.first { $0.kind == .application }?.usage
  }
}

extension HIDReportDescriptor {
  /// The most bytes of a descriptor that the kernel takes: `HID_MAX_DESCRIPTOR_SIZE`.
  public static let maximumByteCount = 4096
  /// The most bytes of a descriptor that there can be: its length is told in 16 bits.
  ///
  /// Source: HID 1.11, section 6.2.1, wDescriptorLength.
  public static let longestByteCount = 65_535
  /// The most bytes of a report, with its ID, that the kernel takes: `HID_MAX_BUFFER_SIZE`.
  public static let maximumReportByteCount = 16_384
  /// The most bytes of a report, with its ID, that uhid takes: `UHID_DATA_MAX`.
  public static let uhidMaximumReportByteCount = 4096
  /// The most usages, and elements, of one field: `HID_MAX_USAGES`.
  public static let maximumUsageCount = 12_288
  /// The most bits of one element.
  public static let maximumFieldBitSize = 256
  /// The most Push items without a Pop: `HID_GLOBAL_STACK_SIZE`.
  public static let maximumPushDepth = 4
  /// The most fields with usages of one report that the kernel keeps: `HID_MAX_FIELDS`.
  public static let maximumFieldCount = 256
  /// The most elements of a device that hidsim offers.
  public static let maximumElementCount = 65_536
}

extension HIDReportDescriptor: Hashable {
  /// Whether the bytes are equal, were read in the same way, and have the same fields added.
  public static func == (left: Self, right: Self) -> Bool { left.storage == right.storage }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(storage) }
}
