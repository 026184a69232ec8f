// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// The local items as hid-parser keeps them, with facts about their origin.
struct HIDParserLocals {
  /// The usages, each as page × 65,536 + usage; of one range at most the first 12,289.
  private(set) var usages: [Int64] = []
  /// The number of all usages.
  private(set) var usageCount = 0
  private(set) var minimum: Int64?
  /// True if a main item did not remove all local items.
  ///
  /// A reserved main item removes none. The begin or end of a collection keeps the minimum of half
  /// a range.
  var survives = false
  /// The pages in force at the usages.
  private(set) var pages: Set<Int64> = []
  private var hasWideUsages = false
  private var isReversed = false

  var isEmpty: Bool { usages.isEmpty && minimum == nil }

  /// Removes the usages at a collection's begin or end, but keeps the minimum of half a range.
  mutating func leaveCollection() {
    let minimum = minimum
    self = HIDParserLocals()
    self.minimum = minimum
    survives = minimum != nil
  }

  /// Applies a local item.
  ///
  /// - Returns: The rule by which hid-parser raises an error; `nil` if it does not.
  mutating func apply(_ item: HIDItem, page: Int64?) -> OracleRule? {
    let value = item.dataByteCount == 0 ? nil : Int64(item.data)
    switch item.tag {
    case .usage:
      guard let page, let value else { return .parserRaisesMissing }
      append(value, item, page: page)
    case .usageMinimum: minimum = value
    case .usageMaximum:
      guard let minimum, let value else { return .parserRaisesHalfRange }
      self.minimum = nil
      if minimum > value {
        isReversed = true
        return nil
      }
      guard let page else { return .parserRaisesMissing }
      let last = min(value, minimum + Int64(HIDReportDescriptor.maximumUsageCount))
      for usage in minimum...last { append(usage, item, page: page) }
      usageCount += Int(value - last)
    case .stringIndex, .stringMinimum, .stringMaximum: break
    default: return .parserRaisesUnsupported
    }
    return nil
  }

  private mutating func append(_ usage: Int64, _ item: HIDItem, page: Int64) {
    usages.append(page << 16 | usage)
    usageCount += 1
    pages.insert(page)
    if item.dataByteCount > 2 { hasWideUsages = true }
  }

  /// Returns the rule by which the usages may differ from hidsim's; `nil` if there is none.
  func rule(page: Int64?, ourCount: Int) -> OracleRule? {
    if survives { return .parserLocalsSurvive }
    if pages.contains(where: { $0 > 0xffff }) { return .parserPageWide }
    if isReversed { return .parserRangeReversed }
    if hasWideUsages { return .parserUsageWide }
    if ourCount == HIDReportDescriptor.maximumUsageCount { return .parserRangeUncut }
    if !pages.subtracting([page ?? 0]).isEmpty { return .parserPageEarly }
    return nil
  }
}
