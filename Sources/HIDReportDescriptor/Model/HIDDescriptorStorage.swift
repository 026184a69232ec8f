// SPDX-License-Identifier: Apache-2.0

/// The content of a descriptor, in flat arrays that its collections, reports and fields refer to.
///
/// No item and no usage has an object or array of its own, except for the main items with
/// ``rarities``. So reading a descriptor without rarities allocates only a few arrays.
final class HIDDescriptorStorage: Sendable {
  let bytes: [UInt8]
  let reading: HIDReading
  let collections: [HIDCollectionRecord]
  /// The fields, grouped by report.
  let fields: [HIDFieldRecord]
  /// The reports, sorted by type and ID.
  let reports: [HIDReportRecord]
  let usageRanges: [HIDUsageRange]
  /// Designators, strings and alternative usages, sorted by the offset of the main item; few
  /// descriptors have any.
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

  /// Returns the index of a report; `nil` if the descriptor does not declare it; O(1).
  func reportIndex(_ type: HIDReportType, _ id: HIDReportID?) -> Int? {
    reportIndices.index(of: HIDReportRecord.slot(type, id?.rawValue ?? 0), in: reports)
  }

  func usages(_ place: HIDUsagePlace) -> HIDUsageList {
    HIDUsageList(ranges: usageRanges[Int(place.start)..<Int(place.end)])
  }

  /// Returns the designators, strings and alternatives of a main item; `nil` if it has none; O(log
  /// their number).
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
  /// Returns whether the same bytes were read by the same rules, and the same fields were added.
  static func == (left: HIDDescriptorStorage, right: HIDDescriptorStorage) -> Bool {
    left === right
      || left.bytes == right.bytes && left.reading == right.reading
        && left.added == right.added
  }

  func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

/// The range of a main item's usages in ``HIDDescriptorStorage/usageRanges``.
struct HIDUsagePlace: BitwiseCopyable {
  var start: Int32 = 0
  var end: Int32 = 0
}

/// A collection without its usages.
struct HIDCollectionRecord: BitwiseCopyable {
  var offset: Int32
  // The index of the collection around it; -1 at the top level.
  var parent: Int32
  var depth: Int32
  var usages: HIDUsagePlace
  var kind: UInt8
}

/// A report without its fields.
struct HIDReportRecord: BitwiseCopyable {
  /// The type times 256, plus the ID (0 for an unnumbered report); reports are sorted by the sum.
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

/// A lookup from type and ID to the index of a report.
///
/// A table is built once there are so many reports that a linear search costs more.
struct HIDReportIndices {
  /// The number of reports up to which a linear search is used.
  static let fewCount = 16

  // The index of a report by its slot; -1 if there is no report.
  private var table: [Int16] = []

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

  /// Adds the last report, which was just appended; call it only for more than ``fewCount``
  /// reports.
  mutating func noteLast(of reports: [HIDReportRecord]) {
    if table.isEmpty { note(reports) }
    if let last = reports.last {
      table[Int(last.slot)] = Int16(truncatingIfNeeded: reports.count - 1)
    }
  }

  /// Rebuilds the table for all reports in their current order, if there are more than
  /// ``fewCount``.
  mutating func note(_ reports: [HIDReportRecord]) {
    guard reports.count > Self.fewCount else { return }
    table = [Int16](repeating: -1, count: 3 * 256)
    for (index, report) in reports.enumerated() {
      table[Int(report.slot)] = Int16(truncatingIfNeeded: index)
    }
  }
}

/// A field without its usages, with the numbers of the descriptor.
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
  // The index of the innermost collection; -1 outside all collections.
  var collection: Int32
  // The index of the report; valid only while the descriptor is parsed.
  var report: Int16
}

/// The designators, strings and alternative usages of a main item.
struct HIDMainItemRarities: Sendable {
  let offset: Int
  var designators: [HIDIndexRange] = []
  var strings: [HIDIndexRange] = []
  var alternatives: [HIDUsageAlternatives] = []
}
