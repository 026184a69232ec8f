// SPDX-License-Identifier: Apache-2.0

/// What a descriptor says, in flat arrays that its collections, reports and fields look into.
///
/// Nothing is stored for each item or usage, so that reading a descriptor allocates a handful of arrays whatever
/// it says.
final class HIDDescriptorStorage: Sendable {
  let bytes: [UInt8]
  let reading: HIDReading
  let collections: [HIDCollectionRecord]
  /// The fields of each report behind each other.
  let fields: [HIDFieldRecord]
  /// The reports by type and ID.
  let reports: [HIDReportRecord]
  let usageRanges: [HIDUsageRange]
  /// What hardly any descriptor has, by the offset of the main item.
  let rarities: [HIDMainItemRarities]
  let reportIndices: HIDReportIndices
  /// Fields that the bytes do not declare.
  let added: [HIDAddedField]
  private let numberedTypes: UInt8

  init(
    bytes: [UInt8], reading: HIDReading, collections: [HIDCollectionRecord],
    fields: [HIDFieldRecord], reports: [HIDReportRecord], usageRanges: [HIDUsageRange],
    rarities: [HIDMainItemRarities], reportIndices: HIDReportIndices, added: [HIDAddedField] = []
  ) {
    self.bytes = bytes
    self.reading = reading
    self.collections = collections
    self.fields = fields
    self.reports = reports
    self.usageRanges = usageRanges
    self.rarities = rarities
    self.reportIndices = reportIndices
    self.added = added
    var numberedTypes: UInt8 = 0
    for report in reports where report.id != nil { numberedTypes |= 1 << (report.slot >> 8) }
    self.numberedTypes = numberedTypes
  }

  func numbersReports(_ type: HIDReportType) -> Bool {
    numberedTypes & 1 << UInt8(type.order) != 0
  }

  /// The place of a report; O(1).
  func reportIndex(_ type: HIDReportType, _ id: HIDReportID?) -> Int? {
    reportIndices.index(of: HIDReportRecord.slot(type, id?.rawValue ?? 0), in: reports)
  }

  func usages(_ place: HIDUsagePlace) -> HIDUsageList {
    HIDUsageList(ranges: usageRanges[Int(place.start)..<Int(place.end)])
  }

  /// The designators, strings and alternatives of a main item; O(log their number).
  func rarities(ofItemAt offset: Int) -> HIDMainItemRarities? {
    var low = 0
    var high = rarities.count
    while low < high {
      let middle = (low + high) / 2
      if rarities[middle].offset < offset { low = middle + 1 } else { high = middle }
    }
    return low < rarities.count && rarities[low].offset == offset ? rarities[low] : nil
  }
}

extension HIDDescriptorStorage: Hashable {
  /// Whether the same bytes were read in the same way, and the same fields were added.
  static func == (left: HIDDescriptorStorage, right: HIDDescriptorStorage) -> Bool {
    left === right
      || left.bytes == right.bytes && left.reading == right.reading
        && left.added == right.added
  }

  func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

/// Where the usages of a main item are in ``HIDDescriptorStorage/usageRanges``.
struct HIDUsagePlace: BitwiseCopyable {
  var start: Int32 = 0
  var end: Int32 = 0
}

/// A collection without its usages.
struct HIDCollectionRecord: BitwiseCopyable {
  var offset: Int32
  var parent: Int32  // -1 at the top level
  var depth: Int32
  var usages: HIDUsagePlace
  var kind: UInt8
}

/// A report without its fields.
struct HIDReportRecord: BitwiseCopyable {
  /// The type (times 256) and the ID, 0 if there is none: the order of the reports.
  var slot: UInt16
  var bitCount: Int32 = 0
  var firstField: Int32 = 0
  var fieldCount: Int32 = 0

  var type: HIDReportType {
    switch slot >> 8 {
    case 0: .input
    case 1: .output
    default: .feature
    }
  }

  var id: HIDReportID? { HIDReportID(rawValue: UInt8(truncatingIfNeeded: slot)) }

  @inline(__always)
  static func slot(_ type: HIDReportType, _ id: UInt8) -> UInt16 {
    UInt16(truncatingIfNeeded: type.order) << 8 | UInt16(id)
  }
}

/// The way from type and ID to a report.
///
/// A table, once there are more reports than a look through them costs.
struct HIDReportIndices {
  /// How many reports are looked through.
  static let fewCount = 16

  private var table: [Int16] = []  // by slot; -1 where there is no report

  func index(of slot: UInt16, in reports: [HIDReportRecord]) -> Int? {
    if !table.isEmpty {
      let index = Int(table[Int(slot)])
      return index < 0 ? nil : index
    }
    var index = 0
    while index < reports.count {
      if reports[index].slot == slot { return index }
      index &+= 1
    }
    return nil
  }

  /// Takes note of a report that was appended, when there are more than a few.
  mutating func noteLast(of reports: [HIDReportRecord]) {
    if table.isEmpty { note(reports) }
    if let last = reports.last {
      table[Int(last.slot)] = Int16(truncatingIfNeeded: reports.count - 1)
    }
  }

  /// Takes note of all reports, as they are in order now.
  mutating func note(_ reports: [HIDReportRecord]) {
    guard reports.count > Self.fewCount else { return }
    table = [Int16](repeating: -1, count: 3 * 256)
    for (index, report) in reports.enumerated() {
      table[Int(report.slot)] = Int16(truncatingIfNeeded: index)
    }
  }
}

/// A field without its usages, in the numbers of the descriptor.
struct HIDFieldRecord: BitwiseCopyable {
  var offset: Int32
  var bitOffset: Int32
  var bitSize: UInt16
  var count: UInt16
  var logicalMinimum: Int32
  var logicalMaximum: Int32
  var physicalMinimum: Int32
  var physicalMaximum: Int32
  var unit: UInt32
  var unitExponent: Int32
  var flags: UInt32
  var usages: HIDUsagePlace
  var collection: Int32  // -1 outside all
  var report: Int16  // while the descriptor is read
}

/// Designators, strings and alternative usages of a main item.
struct HIDMainItemRarities: Sendable {
  let offset: Int
  var designators: [HIDIndexRange] = []
  var strings: [HIDIndexRange] = []
  var alternatives: [HIDUsageAlternatives] = []
}
