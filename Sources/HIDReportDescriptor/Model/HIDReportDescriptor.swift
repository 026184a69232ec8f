// SPDX-License-Identifier: Apache-2.0

public import HIDUsages

/// The bytes that describe a device's reports, and what they say.
///
/// A descriptor is read as the Linux kernel reads it, because that is what a host will see; where HID 1.11
/// reads otherwise, the comment at that place says so.
public struct HIDReportDescriptor: Sendable {
  /// The descriptor as it was given.
  public let bytes: [UInt8]
  /// The collections in order of opening.
  public let collections: [HIDCollection]
  /// The reports, sorted by type and ID.
  ///
  /// An unnumbered report comes first in its type.
  public let reports: [HIDReportLayout]
  /// Whether the device sends input reports longer than it declares, as some do.
  ///
  /// The bytes do not say so: it is known from elsewhere, such as a recording.
  public var allowsLongInput = false

  /// The place in ``reports`` of a type (times 256) and ID (0 if none), -1 where there is no report.
  private let reportIndices: [Int16]
  private let numberedTypes: [Bool]

  /// Reads a descriptor as the kernel does, and refuses what the kernel refuses.
  ///
  /// Reserved main and local items, a missing application collection and bits left over are accepted.
  ///
  /// - Parameter bytes: The descriptor, 1 to 4,096 bytes.
  /// - Parameter maximumReportByteCount: The longest report the transport takes, with its report ID.
  ///   At most the kernel's own limit; over uhid it is ``uhidMaximumReportByteCount``.
  /// - Throws: The first fault, with its place.
  public init(
    parsing bytes: [UInt8],
    maximumReportByteCount: Int = HIDReportDescriptor.maximumReportByteCount
  ) throws(HIDReportDescriptorError) {
    var parser = HIDReportDescriptorParser(maximumReportByteCount: maximumReportByteCount)
    try parser.parse(bytes)
    self.bytes = bytes
    collections = parser.collections
    reports = parser.reports.sorted { left, right in
      if left.type != right.type { return left.type < right.type }
      return (left.id?.rawValue ?? 0) < (right.id?.rawValue ?? 0)
    }
    var indices = [Int16](repeating: -1, count: 3 * 256)
    var numbered = [false, false, false]
    for (index, report) in reports.enumerated() {
      indices[Self.slot(report.type, report.id)] = Int16(truncatingIfNeeded: index)
      if report.id != nil { numbered[report.type.order] = true }
    }
    reportIndices = indices
    numberedTypes = numbered
  }

  /// The items of the descriptor, decoded at each call.
  public var items: [HIDItem] { (try? HIDItem.decodeAll(bytes)) ?? [] }

  /// The layout of a report, O(1).
  ///
  /// - Parameter type: Which way the report goes.
  /// - Parameter id: Its number; `nil` for an unnumbered report.
  public func report(_ type: HIDReportType, id: HIDReportID?) -> HIDReportLayout? {
    let index = Int(reportIndices[Self.slot(type, id)])
    return index >= 0 ? reports[index] : nil
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
  public func numbersReports(_ type: HIDReportType) -> Bool { numberedTypes[type.order] }

  /// Whether any report is numbered.
  public var usesReportIDs: Bool { numberedTypes.contains(true) }

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

  private static func slot(_ type: HIDReportType, _ id: HIDReportID?) -> Int {
    type.order << 8 | Int(id?.rawValue ?? 0)
  }
}

extension HIDReportDescriptor {
  /// The most bytes of a descriptor that the kernel takes: `HID_MAX_DESCRIPTOR_SIZE`.
  public static let maximumByteCount = 4096
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
  /// Whether the bytes are equal.
  public static func == (left: Self, right: Self) -> Bool { left.bytes == right.bytes }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}
