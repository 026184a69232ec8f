// SPDX-License-Identifier: Apache-2.0

/// The usages of the next main item: ranges, pages and alternatives.
extension HIDReportDescriptorParser {
  /// True if usage items are ignored now.
  ///
  /// The kernel takes all usages of the first delimited set, and no usage after the start of the
  /// second.
  var areUsagesIgnored: Bool { reading == .linux && uncommon.delimitedSetCount > 1 }

  /// Appends the usages from the usage minimum to this maximum.
  mutating func appendRange(
    _ maximum: HIDShortItem, _ ranges: inout Ranges
  ) throws(HIDReportDescriptorError) {
    if reading == .specification {
      try appendSpecifiedRange(maximum, &ranges)
      return
    }
    // The kernel cuts a range at its limit of usages, with 32-bit arithmetic that wraps. This code
    // does the same.
    let limit = UInt32(HIDReportDescriptor.maximumUsageCount)
    let present = UInt32(truncatingIfNeeded: usageCount)
    let minimum = usageMinimum
    var last = maximum.data
    if (last &- minimum) &+ present >= limit {
      last = limit &- present &+ minimum &- 1
      guard last != 0 else { throw .tooManyUsages(offset: maximum.offset) }
    }
    guard minimum <= last else { return }
    // A count up to the largest 32-bit number does not end before the kernel's table is full.
    guard last != .max, last - minimum < limit else {
      throw .tooManyUsages(offset: maximum.offset)
    }
    try appendUsages(
      first: minimum, count: Int(last - minimum) + 1, isExtended: maximum.dataByteCount > 2,
      maximum,
      &ranges)
  }

  /// Records the usages from the usage minimum to this maximum in the open delimited set, without
  /// adding them to the field.
  ///
  /// Between sets, the usages only count for the index of the next set. The kernel does not read
  /// the range, so no range is refused. A reversed range, and one of more than 12,288 usages, is
  /// left out.
  mutating func noteIgnoredRange(_ maximum: HIDShortItem) {
    let limit = UInt32(HIDReportDescriptor.maximumUsageCount)
    guard usageMinimum <= maximum.data, maximum.data - usageMinimum < limit else { return }
    uncommon.noteUsages(
      HIDUsageRange(
        first: usageMinimum, count: Int(maximum.data - usageMinimum) + 1, startIndex: 0,
        isExtended: maximum.dataByteCount > 2))
  }

  /// Appends the usages from the usage minimum to this maximum, by the rules of HID 1.11.
  ///
  /// An end in 32 bits gives its page to a shorter other end. A reversed range, or a maximum
  /// without a minimum, adds no usages.
  ///
  /// - Throws: `tooManyUsages` if the range, or all usages of the main item together, would have
  ///   more than 12,288 usages.
  private mutating func appendSpecifiedRange(
    _ maximum: HIDShortItem, _ ranges: inout Ranges
  ) throws(HIDReportDescriptorError) {
    guard usageMinimumByteCount >= 0 else { return }
    var first = usageMinimum
    var last = maximum.data
    let isExtended = usageMinimumByteCount > 2 || maximum.dataByteCount > 2
    if isExtended, usageMinimumByteCount <= 2 { first |= last & 0xffff_0000 }
    if isExtended, maximum.dataByteCount <= 2 { last |= first & 0xffff_0000 }
    guard first <= last else { return }
    guard last - first < UInt32(HIDReportDescriptor.maximumUsageCount) else {
      throw .tooManyUsages(offset: maximum.offset)
    }
    try appendUsages(
      first: first, count: Int(last - first) + 1, isExtended: isExtended, maximum, &ranges)
  }

  @inline(__always)
  mutating func appendUsages(
    first: UInt32, count: Int, isExtended: Bool, _ item: HIDShortItem,
    _ ranges: inout Ranges
  ) throws(HIDReportDescriptorError) {
    var count = count
    if hasUncommonItems {
      count = controlCount(first: first, count: count, isExtended: isExtended)
      if count == 0 { return }
    }
    guard usageCount &+ count <= HIDReportDescriptor.maximumUsageCount else {
      throw .tooManyUsages(offset: item.offset)
    }
    guard !isExtended else {
      append(first, count, isExtended: true, &ranges)
      return
    }
    // IDs have 16 bits: a range that passes the last ID continues at 0 of the same page.
    let page = globals.usagePage << 16
    let firstID = first & 0xffff
    let beforeWrap = min(count, 0x1_0000 - Int(firstID))
    append(page | firstID, beforeWrap, isExtended: false, &ranges)
    if beforeWrap < count { append(page, count - beforeWrap, isExtended: false, &ranges) }
  }

  @inline(__always)
  private mutating func append(
    _ first: UInt32, _ count: Int, isExtended: Bool, _ ranges: inout Ranges
  ) {
    guard !ranges.isFull else {
      end = 0
      return
    }
    ranges.append(
      HIDUsageRange(first: first, count: count, startIndex: usageCount, isExtended: isExtended))
    usageCount &+= count
  }

  /// Returns the number of these usages that belong to ``HIDReportField/usages``, and records the
  /// usages in the open delimited set, if there is one.
  ///
  /// The usages that belong to the field are the first ones.
  private mutating func controlCount(first: UInt32, count: Int, isExtended: Bool) -> Int {
    guard uncommon.delimitedSetCount > 0 else { return count }
    let isFirstOfSet = uncommon.isSetEmpty
    uncommon.noteUsages(
      HIDUsageRange(first: first, count: count, startIndex: 0, isExtended: isExtended))
    if reading == .linux { return uncommon.delimitedSetCount == 1 ? count : 0 }
    // To HID 1.11 a set is one control. Its first usage, or the first usage of its first range,
    // represents it.
    if uncommon.isSetOpen { return isFirstOfSet ? 1 : 0 }
    return count
  }

  /// Returns whether Linux keeps the pages of all usages, because the last usage was written
  /// without a page and has the page in force, as in most descriptors.
  ///
  /// False for the rules of HID 1.11.
  @inline(__always)
  func isPageInForce(_ last: HIDUsageRange) -> Bool {
    reading == .linux && !last.isExtended && last.first >> 16 == globals.usagePage
  }

  /// Gives the usages the page that is in force at the main item.
  ///
  /// By HID 1.11, all usages that were written without a page get this page. The kernel goes back
  /// only to the last usage that already had it.
  func applyPageToUsages(_ ranges: inout Ranges) {
    for index in (rangeStart..<ranges.count).reversed() {
      let range = ranges[index]
      if range.isExtended { continue }
      if range.first >> 16 == globals.usagePage {
        if reading == .linux { break }
      } else {
        ranges[index].first = globals.usagePage << 16 | range.first & 0xffff
      }
    }
  }
}
