// SPDX-License-Identifier: Apache-2.0

public import HIDUsages

/// A field that a device's reports contain although its descriptor does not declare it.
public struct HIDAddedField: Hashable, Sendable {
  /// The type of its report.
  public var type: HIDReportType
  /// The ID of its report; `nil` for an unnumbered report.
  public var reportID: HIDReportID?
  /// The first bit, counted from the start of the payload, without the report ID.
  public var bitOffset: Int
  /// The number of bits, 1 to 32.
  public var bitSize: Int
  /// True if its values are two's complement.
  public var isSigned: Bool
  /// The usage of its only element.
  public var usage: HIDUsage
  /// The values that the device can have, such as those of a stick that its driver calibrates; nil
  /// for all values of the bits.
  ///
  /// Percentages of scripts are of this range. For signed values it must begin below 0, for others
  /// at 2³¹ - 1 at most.
  public var range: ClosedRange<Int64>?

  /// Creates a field, by default of one unsigned bit.
  public init(
    _ usage: HIDUsage, type: HIDReportType, reportID: HIDReportID?, bitOffset: Int,
    bitSize: Int = 1,
    isSigned: Bool = false
  ) {
    self.usage = usage
    self.type = type
    self.reportID = reportID
    self.bitOffset = bitOffset
    self.bitSize = bitSize
    self.isSigned = isSigned
  }
}

extension HIDReportDescriptor {
  /// Returns a descriptor with the same bytes and with fields that the bytes do not declare.
  ///
  /// Each added field comes after the declared fields of its report. An existing field, declared or
  /// added earlier, is left out if an added field overlaps it, because the added field replaces its
  /// meaning.
  ///
  /// An added field is variable and absolute, has no preferred state, and is outside all
  /// collections. Its logical range is ``HIDAddedField/range``, or the whole range of its bits.
  ///
  /// - Parameter added: The fields. Each must lie inside its report and have 1 to 32 bits, else the
  ///   program stops. A field of a report that the descriptor does not declare has no control.
  public func adding(_ added: [HIDAddedField]) -> HIDReportDescriptor {
    guard !added.isEmpty else { return self }
    var fields: [HIDFieldRecord] = []
    var usageRanges = storage.usageRanges
    var reports = storage.reports
    for index in reports.indices {
      let report = reports[index]
      let first = Int(report.firstField)
      reports[index].firstField = Int32(fields.count)
      let kept = storage.fields[first..<first + Int(report.fieldCount)].filter { record in
        !added.contains { field in
          field.type == report.type && field.reportID == report.id && field.overlaps(record)
        }
      }
      fields += kept
      reports[index].fieldCount = Int32(kept.count)
      for (number, field) in added.enumerated()
      where field.type == report.type && field.reportID == report.id {
        precondition(
          field.bitOffset >= 0 && (1...32).contains(field.bitSize)
            && field.bitOffset + field.bitSize <= Int(report.bitCount),
          "the field is not in its report")
        precondition(field.canHaveRange, "the bits of the field do not hold its range")
        fields.append(
          HIDFieldRecord(
            field, number: storage.added.count + number, after: bytes.count,
            usages: usageRanges.count))
        usageRanges.append(
          HIDUsageRange(
            first: field.usage.extended, count: 1, startIndex: 0, isExtended: true))
        reports[index].fieldCount += 1
      }
    }
    var copy = self
    copy.storage = HIDDescriptorStorage(
      bytes: bytes, reading: reading, collections: storage.collections, fields: fields,
      reports: reports, usageRanges: usageRanges, rarities: storage.rarities,
      reportIndices: storage.reportIndices, added: storage.added + added)
    return copy
  }
}

extension HIDReportDescriptor {
  /// The fields that the bytes do not declare, in the order in which they were added.
  public var addedFields: [HIDAddedField] { storage.added }

  /// The controls of the added fields, in the order in which the fields were added.
  ///
  /// A field has none if a later added field replaced it, or if its report is not declared.
  public var addedControls: [HIDReportElement] {
    storage.added.enumerated().compactMap { number, added in
      guard let layout = report(added.type, id: added.reportID),
        let field = layout.fields.last(where: { $0.offset == bytes.count + number })
      else { return nil }
      return layout.controls(of: field).first
    }
  }
}

extension HIDAddedField {
  /// All values that the bits can hold.
  public var bitRange: ClosedRange<Int64> {
    HIDReportField.range(ofBits: bitSize, isSigned: isSigned)
  }

  /// True if the bits can hold ``range``, and its sign is that of the values.
  public var canHaveRange: Bool {
    guard let range else { return true }
    let bits = bitRange
    return bits.lowerBound <= range.lowerBound && range.upperBound <= bits.upperBound
      && (range.lowerBound < 0) == isSigned && range.lowerBound <= Int32.max
  }

  /// Returns whether this field and an existing field of the same report have a bit in common.
  ///
  /// True also for an existing field without bits that lies inside this field.
  fileprivate func overlaps(_ record: HIDFieldRecord) -> Bool {
    let start = Int(record.bitOffset)
    let end = start + Int(record.bitSize) * Int(record.count)
    return bitOffset < end && start < bitOffset + bitSize
  }
}

extension HIDFieldRecord {
  /// - Parameters:
  ///   - number: The index among the added fields.
  ///   - byteCount: The length of the descriptor; offsets from there on belong to no item.
  ///   - usages: The index of its usage range.
  fileprivate init(_ field: HIDAddedField, number: Int, after byteCount: Int, usages: Int) {
    let range = field.range ?? field.bitRange
    self.init(
      offset: Int32(byteCount + number), bitOffset: Int32(field.bitOffset),
      bitSize: UInt16(field.bitSize), count: 1,
      logicalMinimum: Int32(truncatingIfNeeded: range.lowerBound),
      logicalMaximum: Int32(truncatingIfNeeded: range.upperBound), physicalMinimum: 0,
      physicalMaximum: 0,
      unit: 0, unitExponent: 0, flags: HIDFieldFlags([.variable, .noPreferredState]).rawValue,
      usages: HIDUsagePlace(start: Int32(usages), end: Int32(usages + 1)), collection: -1, report: 0
    )
  }
}
