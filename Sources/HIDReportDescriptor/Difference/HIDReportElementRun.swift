// SPDX-License-Identifier: Apache-2.0

/// Controls with consecutive usages and bits, whose fields have the same properties.
///
/// In an array, the values that select the usages are consecutive instead of the bits, because its
/// controls share their bits.
struct HIDReportElementRun: Hashable {
  /// The first usage in its 32-bit form; `last` is the last usage.
  private(set) var first: UInt32
  private(set) var last: UInt32
  private(set) var bitOffset: Int
  let bitSize: Int
  /// The number of elements of an array; `nil` for a variable field.
  let slotCount: Int?
  /// The value that selects the first usage in an array; `nil` for a variable field.
  private(set) var firstValue: Int64?
  /// The number of further elements to which the last usage applies.
  private(set) var repeatCount = 0
  private let said: Said

  /// The properties that all controls of a field share.
  fileprivate struct Said: Hashable {
    var logical: String
    var physical: String
    var flags: String
    var collection: String
  }

  /// Returns the runs of a report in the order of its fields; padding has none.
  static func runs(
    _ report: HIDReportLayout, _ descriptor: HIDReportDescriptor
  ) -> [HIDReportElementRun] {
    var runs: [HIDReportElementRun] = []
    for field in report.fields where !field.isPadding && (field.isArray || field.count > 0) {
      let said = Said(field, descriptor)
      let ranges = field.usages.ranges
      for (index, range) in zip(ranges.indices, ranges) {
        let count =
          field.isArray ? range.count : min(range.count, max(0, field.count - range.startIndex))
        guard count > 0 else { break }
        var run = HIDReportElementRun(field, range, count: count, said)
        if field.isVariable, index == ranges.endIndex - 1, field.count > field.usages.count {
          run.repeatCount = field.count - field.usages.count
        }
        if let last = runs.last, last.isContinued(by: run) {
          runs[runs.count - 1].last = run.last
          runs[runs.count - 1].repeatCount = run.repeatCount
        } else {
          runs.append(run)
        }
      }
    }
    return runs
  }

  private init(_ field: HIDReportField, _ range: HIDUsageRange, count: Int, _ said: Said) {
    first = range.first
    last = range.first + UInt32(count - 1)
    bitSize = field.bitSize
    bitOffset = field.bitOffset + (field.isArray ? 0 : range.startIndex * field.bitSize)
    slotCount = field.isArray ? field.count : nil
    firstValue = field.isArray ? field.logicalMinimum + Int64(range.startIndex) : nil
    self.said = said
  }

  /// Returns whether the next run has the same properties, and the usages and bits that follow this
  /// run.
  private func isContinued(by next: HIDReportElementRun) -> Bool {
    guard next.first == last &+ 1, next.first >> 16 == last >> 16, repeatCount == 0,
      slotCount == next.slotCount, bitSize == next.bitSize, said == next.said
    else { return false }
    let count = Int(last - first) + 1
    if let firstValue, let nextValue = next.firstValue {
      return bitOffset == next.bitOffset && nextValue == firstValue + Int64(count)
    }
    return next.bitOffset == bitOffset + count * bitSize
  }

  /// The titles of the collections around the controls.
  var collection: String { said.collection }

  /// Returns whether this run and `other` have a usage in common.
  func overlaps(_ other: HIDReportElementRun) -> Bool {
    max(first, other.first) <= min(last, other.last)
  }

  /// Returns the part of the run with the usages `low` to `high`, which must be in the run.
  func cut(_ low: UInt32, _ high: UInt32) -> HIDReportElementRun {
    var part = self
    let skipped = Int(low - first)
    part.first = low
    part.last = high
    if slotCount == nil { part.bitOffset += skipped * bitSize }
    part.firstValue = firstValue.map { $0 + Int64(skipped) }
    if high < last { part.repeatCount = 0 }
    return part
  }

  func subject(_ report: HIDReportLayout) -> HIDDescriptorDifference.Subject {
    .controls(
      report.type, id: report.id, first: HIDUsage(extended: first), last: HIDUsage(extended: last))
  }

  /// Returns the aspects that differ between this run and another.
  ///
  /// - Parameter other: The run in the second descriptor; `nil` to return all aspects that this run
  ///   has, except its collection.
  /// - Parameter isBefore: Without `other`, true if this run is in the first descriptor.
  func aspects(
    _ other: HIDReportElementRun?, isBefore: Bool = false
  ) -> [HIDDescriptorDifference.Aspect] {
    let own = texts
    let others = other?.texts
    return own.indices.compactMap { index in
      let (name, text) = own[index]
      guard let others else {
        if text.isEmpty || name == "in" { return nil }
        return .init(
          name: name, before: isBefore ? text : nil, after: isBefore ? nil : text)
      }
      if text == others[index].text { return nil }
      return .init(name: name, before: text, after: others[index].text)
    }
  }

  private var texts: [(name: String, text: String)] {
    [
      ("bit", String(bitOffset)), ("size", "\(bitSize) bit\(bitSize == 1 ? "" : "s")"),
      ("slots", slotCount.map(String.init) ?? ""), ("value", firstValue.map(String.init) ?? ""),
      ("logical range", said.logical), ("physical range", said.physical),
      ("flags", said.flags), ("more elements", repeatCount == 0 ? "" : String(repeatCount)),
      ("in", said.collection),
    ]
  }
}

extension HIDReportElementRun.Said {
  fileprivate init(_ field: HIDReportField, _ descriptor: HIDReportDescriptor) {
    logical = "\(field.logicalMinimum)...\(field.logicalMaximum)"
    var physical = ""
    // Both 0 mean that the physical range equals the logical range: HID 1.11, section 6.2.2.7.
    if field.physicalMinimum != 0 || field.physicalMaximum != 0 || field.unit != 0 {
      physical = "\(field.physicalMinimum)...\(field.physicalMaximum)"
      if field.unitExponent != 0 { physical += " x 10^\(field.unitExponent)" }
      if field.unit != 0 {
        physical += " \(field.physicalUnit.name ?? "\(field.physicalUnit)")"
      }
    }
    self.physical = physical
    flags = field.flags.words.joined(separator: " ")
    var title: [String] = []
    var next = field.collection
    while let index = next, title.count < 32 {
      title.append(HIDCollectionTitle(descriptor.collections[index]).description)
      next = descriptor.collections[index].parent
    }
    collection = title.reversed().joined(separator: " / ")
  }
}
