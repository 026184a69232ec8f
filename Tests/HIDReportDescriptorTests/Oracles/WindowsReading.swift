// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// The reading of one top-level collection by Windows: hidsim's reading in the form of Windows'
/// caps.
///
/// Windows reads as hidsim does, except for the rules in `rules`.
struct WindowsReading {
  private(set) var caps: [PreparsedData.Cap] = []
  private(set) var collections: [[PreparsedData.Collection]] = []
  private(set) var byteCounts: [HIDReportType: Int] = [.input: 0, .output: 0, .feature: 0]
  /// The number of payload bytes of each report, by type and ID.
  private(set) var payloads: [String: Int] = [:]
  private(set) var rules: Set<OracleRule> = []

  private let descriptor: HIDReportDescriptor

  init(_ descriptor: HIDReportDescriptor, of top: HIDCollection) {
    self.descriptor = descriptor
    if descriptor.items.contains(where: { $0.tag == .delimiter }) { rules.insert(.windowsAlias) }
    for collection in descriptor.collections {
      let around = chain(from: collection.index)
      if around.last?.index == top.index { collections.append(around.map(\.node)) }
    }
    for report in descriptor.reports {
      for field in report.fields {
        let around = chain(from: field.collection)
        guard around.last?.index == top.index else { continue }
        payloads["\(report.type) \(report.id?.rawValue ?? 0)"] = report.payloadByteCount
        // There is a byte for the ID even if the report is unnumbered.
        byteCounts[report.type] = max(
          byteCounts[report.type] ?? 0, report.payloadByteCount + 1)
        if !field.isPadding { addCaps(field, of: report, around.map(\.node)) }
      }
    }
  }

  /// Returns a collection and the collections around it, the innermost first.
  private func chain(from index: Int?) -> [HIDCollection] {
    var chain: [HIDCollection] = []
    var next = index
    while let index = next {
      chain.append(descriptor.collections[index])
      next = descriptor.collections[index].parent
    }
    return chain
  }

  /// Adds one cap for each Usage and each range of usages, except usage 0 of a constant field and
  /// usages without an element.
  private mutating func addCaps(
    _ field: HIDReportField, of report: HIDReportLayout, _ around: [PreparsedData.Collection]
  ) {
    let ranges = field.usages.ranges
    var element = 0
    for (place, range) in ranges.enumerated() {
      let isLast = place == ranges.count - 1
      // In a variable field the last usage is that of all elements that are left.
      let left = field.count - element
      let count = field.isArray || isLast ? left : min(range.count, left)
      guard count > 0 else { return }
      // Variables of one bit are on or off, and arrays list the usages that are on.
      let isButton = field.isArray || field.bitSize == 1
      var cap = PreparsedData.Cap(
        type: report.type, reportID: Int(report.id?.rawValue ?? 0),
        bitOffset: field.bitOffset + element * field.bitSize, bitSize: field.bitSize,
        count: count, bitCount: count * field.bitSize, flags: Int(field.flags.rawValue),
        page: Int(range.first >> 16), firstUsage: Int(range.first & 0xffff),
        lastUsage: Int(range.last & 0xffff), isButton: isButton, isAbsolute: !field.isRelative,
        isPadding: field.isConstant, isContinued: field.isArray && place > 0,
        logicalMinimum: Int(field.logicalMinimum), logicalMaximum: Int(field.logicalMaximum),
        unit: Int(field.unit), unitExponent: field.unitExponent, collection: around)
      if isButton {
        if field.isVariable { (cap.logicalMinimum, cap.logicalMaximum) = (0, 0) }
      } else {
        cap.physicalMinimum = Int(field.physicalMinimum)
        cap.physicalMaximum = Int(field.physicalMaximum)
        cap.hasNullState = field.hasNullState
      }
      if field.isVariable { element += count }
      if cap.isPadding && range.first & 0xffff == 0 {
        rules.insert(.windowsConstantLeftOut)
        continue
      }
      if !isButton, cap.logicalMinimum == 0, cap.logicalMaximum == 0 {
        rules.insert(.windowsLogicalUnset)
        cap.logicalMaximum = 1
      }
      caps.append(cap)
    }
  }
}

extension HIDCollection {
  fileprivate var node: PreparsedData.Collection {
    PreparsedData.Collection(
      kind: Int(kind.rawValue), usage: Int(usages.extendedUsage(at: 0) ?? 0))
  }
}
