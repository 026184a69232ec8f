// SPDX-License-Identifier: Apache-2.0

/// The delimiters, designators and strings before a main item; few descriptors have any.
///
/// Source: HID 1.11, section 6.2.2.8.
struct HIDUncommonItems {
  private var openDelimiter: Int?  // its offset
  private(set) var delimitedSetCount = 0
  /// The usages of the open set.
  private var openSet: [HIDUsageRange] = []
  /// The number of controls so far, each closed set with usages counting as one; 0 until the first
  /// set opens.
  private var controlCount = 0
  private var alternatives: [HIDUsageAlternatives] = []

  private var designatorMinimum: UInt32 = 0
  private var designators: [HIDIndexRange] = []
  private var stringMinimum: UInt32 = 0
  private var strings: [HIDIndexRange] = []

  var isSetOpen: Bool { openDelimiter != nil }
  /// True if the open set has no usages yet, or no set is open.
  var isSetEmpty: Bool { openSet.isEmpty }
  var unclosedDelimiter: Int? { openDelimiter }

  /// Applies a local item that is not a usage item; ignores a reserved one.
  mutating func apply(
    _ item: HIDShortItem, usageCount: Int
  ) throws(HIDReportDescriptorError) {
    switch item.code {
    case HIDItemTag.delimiter.rawValue: try applyDelimiter(item, usageCount: usageCount)
    case HIDItemTag.designatorIndex.rawValue:
      designators.append(HIDIndexRange(first: item.data, last: item.data))
    case HIDItemTag.designatorMinimum.rawValue: designatorMinimum = item.data
    case HIDItemTag.designatorMaximum.rawValue:
      designators.append(HIDIndexRange(first: designatorMinimum, last: item.data))
    case HIDItemTag.stringIndex.rawValue:
      strings.append(HIDIndexRange(first: item.data, last: item.data))
    case HIDItemTag.stringMinimum.rawValue: stringMinimum = item.data
    case HIDItemTag.stringMaximum.rawValue:
      strings.append(HIDIndexRange(first: stringMinimum, last: item.data))
    default: break
    }
  }

  private mutating func applyDelimiter(
    _ item: HIDShortItem, usageCount: Int
  ) throws(HIDReportDescriptorError) {
    if item.data != 0 {
      guard openDelimiter == nil else { throw .nestedDelimiter(offset: item.offset) }
      if delimitedSetCount == 0 { controlCount = usageCount }
      openDelimiter = item.offset
      delimitedSetCount += 1
    } else {
      guard openDelimiter != nil else {
        throw .closeDelimiterWithoutOpen(offset: item.offset)
      }
      openDelimiter = nil
      if !openSet.isEmpty {
        alternatives.append(
          HIDUsageAlternatives(index: controlCount, usages: HIDUsageList(ranges: openSet[...])))
        controlCount += 1
        openSet = []
      }
    }
  }

  /// Records usages after the first delimiter, in a set or between sets.
  mutating func noteUsages(_ range: HIDUsageRange) {
    guard openDelimiter != nil else {
      controlCount += range.count
      return
    }
    // IDs have 16 bits: a range that passes the last ID continues at 0 of the same page.
    let beforeWrap =
      range.isExtended ? range.count : min(range.count, 0x1_0000 - Int(range.first & 0xffff))
    addToSet(range.first, beforeWrap, isExtended: range.isExtended)
    if beforeWrap < range.count { addToSet(0, range.count - beforeWrap, isExtended: false) }
  }

  private mutating func addToSet(_ first: UInt32, _ count: Int, isExtended: Bool) {
    let startIndex = openSet.last.map { $0.startIndex + $0.count } ?? 0
    openSet.append(
      HIDUsageRange(first: first, count: count, startIndex: startIndex, isExtended: isExtended))
  }

  /// Returns the designators, strings and alternatives of this main item, or `nil` if it has none.
  ///
  /// - Parameter usagePage: The page in force, which applies to usages without a page of their own.
  func rarities(ofItemAt offset: Int, usagePage: UInt32) -> HIDMainItemRarities? {
    guard !designators.isEmpty || !strings.isEmpty || !alternatives.isEmpty else { return nil }
    let alternatives = alternatives.map { alternatives in
      let ranges = alternatives.usages.ranges.map { range in
        var range = range
        if !range.isExtended { range.first = usagePage << 16 | range.first & 0xffff }
        return range
      }
      return HIDUsageAlternatives(
        index: alternatives.index, usages: HIDUsageList(ranges: ranges[...]))
    }
    return HIDMainItemRarities(
      offset: offset, designators: designators, strings: strings, alternatives: alternatives)
  }
}
