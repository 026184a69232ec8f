// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// The usages of a field in hid-tools.
enum HIDToolsUsages: Equatable {
  case list([Int64])
  /// The usages from the first to the last, both included; none if the ends are reversed.
  case range(Int64, Int64)

  var count: Int {
    switch self {
    case .list(let usages): usages.count
    case .range(let first, let last): Int(max(last - first + 1, 0))
    }
  }

  /// True if the list is empty; false for a range with reversed ends.
  var isEmpty: Bool { self == .list([]) }

  /// The usage of an element; the last usage is also that of all further elements.
  subscript(index: Int) -> Int64 {
    switch self {
    case .list(let usages): usages[min(index, usages.count - 1)]
    case .range(let first, let last): min(first + Int64(index), max(first, last))
    }
  }

  /// Returns whether hidsim's usages are the same, all of them.
  func equals(_ ours: HIDUsageList) -> Bool { ours.count == count && equals(ours, upTo: count) }

  /// Returns whether hidsim's first `limit` usages are the same.
  ///
  /// In both lists the last usage stands for all further usages.
  func equals(_ ours: HIDUsageList, upTo limit: Int) -> Bool {
    if ours.isEmpty != isEmpty { return false }
    if ours.isEmpty { return true }
    let compared = min(limit, max(ours.count, count, 1))
    return (0..<compared).allSatisfy {
      ours.extendedUsage(at: min($0, ours.count - 1)).map(Int64.init) == self[$0]
    }
  }
}

/// The global items as hid-tools keeps them, with the rules by which they may differ from hidsim's.
///
/// Items that are not here are the same in both readings.
struct HIDToolsGlobals {
  struct Collection {
    var usage: Int64
    /// The index among hidsim's collections.
    var index: Int
    /// The rule by which the usage may differ from hidsim's.
    var rule: OracleRule?
  }

  /// A maximum, which is never signed.
  struct Maximum {
    var value: Int64 = 0
    /// The 32 bits that the kernel keeps.
    ///
    /// The item's width gives them a sign if the minimum was negative at that time.
    private var bits: Int32 = 0

    init() {}

    init(_ item: HIDItem, minimum: Int32) {
      value = Int64(item.data)
      bits = minimum < 0 ? item.signedData : Int32(bitPattern: item.data)
    }

    /// Returns the kernel's value for a field, which is signed if the minimum is negative now.
    func signed(by minimum: Int64) -> Int64 {
      minimum < 0 ? Int64(bits) : Int64(UInt32(bitPattern: bits))
    }
  }

  var usagePage: Int64 = 0
  var logicalMinimum: Int32 = 0
  var logicalMaximum = Maximum()
  var physicalMinimum: Int32 = 0
  var physicalMaximum = Maximum()
  var unit: Int64 = 0
  var unitRule: OracleRule?
  var unitExponent: Int64 = 0
  var exponentRule: OracleRule?
  // hid-tools never leaves a collection: these are the collections that were opened last, and Push
  // saves them.
  var application: Collection?
  var physical: Collection?
  var logical: Collection?

  mutating func apply(_ item: HIDItem) {
    switch item.tag {
    case .usagePage: usagePage = Int64(item.data) << 16
    case .logicalMinimum: logicalMinimum = item.signedData
    case .physicalMinimum: physicalMinimum = item.signedData
    case .logicalMaximum: logicalMaximum = Maximum(item, minimum: logicalMinimum)
    case .physicalMaximum: physicalMaximum = Maximum(item, minimum: physicalMinimum)
    case .unit:
      unit = Int64(item.data)
      unitRule = nil
    case .unitExponent:
      unitExponent = item.data > 7 ? Int64(item.data) - 16 : Int64(item.data)
      exponentRule = item.data > 15 ? .toolsExponentByte : nil
    default: break
    }
  }
}

/// The local items as hid-tools keeps them, with facts about their origin.
struct HIDToolsLocals {
  var usages: [(value: Int64, isWide: Bool)] = []
  var minimum: Int64 = 0
  var maximum: Int64 = 0
  var delimiterSetCount = 0
  /// True if there were local items at an End Collection, which does not use them up.
  var survivesEnd = false
  private var minimumCount = 0
  private var maximumCount = 0
  private var maximumIsFirst = false
  private var maximumIsWide = false
  // The pages in force at the ends of the range; `nil` for ends of 32 bits.
  private var minimumPage: Int64?
  private var maximumPage: Int64?

  var isEmpty: Bool { usages.isEmpty && minimumCount == 0 && maximumCount == 0 }

  /// The last range if neither end is 0; otherwise the single usages.
  var effectiveUsages: HIDToolsUsages {
    minimum != 0 && maximum != 0
      ? .range(minimum, maximum) : .list(usages.map(\.value))
  }

  mutating func apply(_ item: HIDItem, page: Int64) {
    let isWide = item.dataByteCount > 2
    let value = isWide ? Int64(item.data) : Int64(item.data) | page
    switch item.tag {
    case .usage: usages.append((value, isWide))
    case .usageMinimum:
      minimum = value
      minimumPage = isWide ? nil : page
      minimumCount += 1
    case .usageMaximum:
      maximumIsFirst = minimumCount == 0
      maximum = value
      maximumIsWide = isWide
      maximumPage = isWide ? nil : page
      maximumCount += 1
    default: break
    }
  }

  /// Adds the page in force at the main item to the usages.
  mutating func applyPage(_ page: Int64) {
    if maximum != 0, !maximumIsWide, maximum & 0xffff_0000 != page {
      maximum = maximum & 0xffff | page
      minimum = minimum & 0xffff | page
    }
    for index in usages.indices.reversed() where !usages[index].isWide {
      if usages[index].value & 0xffff_0000 == page { break }
      usages[index].value = usages[index].value & 0xffff | page
    }
  }

  /// Returns the rule by which the usages of a collection may differ from hidsim's.
  func collectionRule(page: Int64, ourCount: Int) -> OracleRule? {
    if page > 0xffff_0000 { return .toolsPageWide }
    if delimiterSetCount > 1 { return .toolsDelimiter }
    if survivesEnd { return .toolsLocalsSurvive }
    return ourCount > 1 ? .toolsCollectionUsage : nil
  }

  /// Returns the rule by which the usages may differ from hidsim's.
  func rule(page: Int64, ourCount: Int) -> OracleRule? {
    if delimiterSetCount > 1 { return .toolsDelimiter }
    if survivesEnd { return .toolsLocalsSurvive }
    if page > 0xffff_0000 { return .toolsPageWide }
    if maximumCount > 1 || maximumCount == 1 && !usages.isEmpty { return .toolsRangeAlone }
    if maximumIsFirst || (maximumCount == 0) != (minimumCount == 0) { return .toolsHalfRange }
    if minimumCount > 1 { return .toolsHalfRange }
    if maximumCount == 1, minimumPage != maximumPage { return .toolsRangeEnds }
    if maximumCount == 1, minimum == 0 || maximum == 0 { return .toolsRangeFromZero }
    if maximumCount == 1, minimum > maximum { return .toolsRangeReversed }
    if maximumCount == 1, ourCount == HIDReportDescriptor.maximumUsageCount {
      return .toolsRangeUncut
    }
    return nil
  }
}
