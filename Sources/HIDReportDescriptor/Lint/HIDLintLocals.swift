// SPDX-License-Identifier: Apache-2.0

/// The local items before a main item, as Linux collects them.
struct HIDLintLocals {
  /// A Usage, or the range that Linux reads from a Usage Maximum; ranges are never expanded.
  struct Usages {
    /// The first usage: an ID, or page and ID if ``isExtended``.
    var first: UInt32
    var count: Int
    var isRange: Bool
    /// True if the item has four bytes, and so its own page.
    var isExtended: Bool
    /// The page in force at the item.
    var page: UInt32
    var offset: Int

    /// Returns the 32-bit form of the first usage, with the page in force at the main item.
    func extended(page: UInt32) -> UInt32 { isExtended ? first : page << 16 | first & 0xffff }

    /// Returns whether a 32-bit usage is among these usages.
    ///
    /// - Parameter page: The page in force at the main item.
    func contains(_ usage: UInt32, page: UInt32) -> Bool {
      guard !isExtended else { return usage &- first < count }
      return page & 0xffff == usage >> 16 && (usage &- first) & 0xffff < count
    }
  }

  /// The usages before the start of a second delimited set; Linux ignores all others.
  private(set) var usages: [Usages] = []
  /// The total number of usages.
  private(set) var count = 0
  /// The offset of the first usage item, used by Linux or not; `nil` if there is none.
  private(set) var firstOffset: Int?
  /// True if a fault was found that makes the number of usages meaningless.
  var isFaulty = false
  /// True if a usage did not fit.
  var isFull = false
  var openDelimiter: Int?
  var delimiterOffset: Int?
  /// A Usage Minimum that has no maximum yet.
  var halfMinimum: HIDItem?
  /// A Usage Maximum that has no minimum yet.
  var halfMaximum: HIDItem?
  private var delimiterSetCount = 0
  private var usageMinimum: UInt32 = 0

  mutating func openSet(at offset: Int) {
    openDelimiter = offset
    delimiterSetCount += 1
    if delimiterOffset == nil { delimiterOffset = offset }
  }

  private var isIgnored: Bool { delimiterSetCount > 1 }

  /// The result of a Usage Maximum on Linux.
  enum Outcome {
    case taken
    case cut(wanted: Int)
    case reversed
    case tooMany
  }

  mutating func noteUsage(_ item: HIDItem) {
    if firstOffset == nil { firstOffset = item.offset }
  }

  mutating func setMinimum(_ item: HIDItem) {
    if !isIgnored { usageMinimum = item.data }
  }

  /// Adds one usage; returns false if it does not fit.
  ///
  /// After the start of a second delimited set, the usage is ignored, and the result is true.
  mutating func append(_ item: HIDItem, page: UInt32) -> Bool {
    guard !isIgnored else { return true }
    guard count < HIDReportDescriptor.maximumUsageCount else { return false }
    append(first: item.data, count: 1, isRange: false, item, page: page)
    return true
  }

  /// Adds a range like Linux, whose 32-bit arithmetic wraps.
  mutating func appendRange(to maximum: HIDItem, page: UInt32) -> Outcome {
    guard !isIgnored else { return .taken }
    let limit = UInt32(HIDReportDescriptor.maximumUsageCount)
    let present = UInt32(count)
    let minimum = usageMinimum
    var last = maximum.data
    if (last &- minimum) &+ present >= limit {
      last = limit &- present &+ minimum &- 1
      guard last != 0 else { return .tooMany }
    }
    let isReversed = maximum.data < minimum
    // To Linux, a reversed range, and any range after 12,288 usages, can be empty.
    if minimum <= last {
      guard last != .max, last - minimum < limit - present else { return .tooMany }
      append(
        first: minimum, count: Int(last - minimum) + 1, isRange: true, maximum, page: page)
    }
    if isReversed { return .reversed }
    return last == maximum.data ? .taken : .cut(wanted: Int(maximum.data - minimum) + 1)
  }

  private mutating func append(
    first: UInt32, count: Int, isRange: Bool, _ item: HIDItem, page: UInt32
  ) {
    usages.append(
      Usages(
        first: first, count: count, isRange: isRange, isExtended: item.dataByteCount > 2,
        page: page, offset: item.offset))
    self.count += count
  }
}
