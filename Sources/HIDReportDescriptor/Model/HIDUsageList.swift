// SPDX-License-Identifier: Apache-2.0

public import HIDUsages

/// Usages that follow each other on one page.
public struct HIDUsageRange: Hashable, Sendable {
  /// The first usage, in its 32-bit form.
  public internal(set) var first: UInt32
  /// The number of usages, at least 1.
  public internal(set) var count: Int
  /// The place of the first one among all usages of its list.
  public internal(set) var startIndex: Int
  /// Whether the page was given with the usage, in 32 bits, so that Usage Page items leave it alone.
  var isExtended: Bool

  /// The last usage, in its 32-bit form.
  public var last: UInt32 { first &+ UInt32(truncatingIfNeeded: count - 1) }

  /// Whether the usage is in the range.
  ///
  /// - Parameter usage: The 32-bit form of the usage.
  public func contains(_ usage: UInt32) -> Bool {
    usage >= first && UInt64(usage - first) < UInt64(count)
  }

  func usage(at index: Int) -> UInt32 { first &+ UInt32(truncatingIfNeeded: index - startIndex) }
}

/// The usages of a field or collection in the order of the descriptor, stored as ranges.
public struct HIDUsageList: Hashable, Sendable {
  /// The usages as the descriptor has them: a range for each Usage and each Usage Maximum.
  public internal(set) var ranges: [HIDUsageRange] = []

  /// The number of usages.
  public var count: Int { ranges.last.map { $0.startIndex + $0.count } ?? 0 }

  /// The usage at a place in its 32-bit form; O(log ranges).
  ///
  /// - Parameter index: The place, from 0.
  /// - Returns: The usage, or `nil` outside `0..<count`.
  public func extendedUsage(at index: Int) -> UInt32? {
    guard index >= 0, index < count else { return nil }
    var low = 0
    var high = ranges.count - 1
    while low < high {
      let middle = (low + high + 1) / 2
      if ranges[middle].startIndex <= index { low = middle } else { high = middle - 1 }
    }
    return ranges[low].usage(at: index)
  }

  /// The first place of a usage; O(ranges).
  ///
  /// - Parameter usage: The usage to look for.
  public func firstIndex(of usage: HIDUsage) -> Int? {
    firstIndex(ofExtended: usage.extended)
  }

  func firstIndex(ofExtended usage: UInt32) -> Int? {
    for range in ranges where range.contains(usage) {
      return range.startIndex + Int(usage - range.first)
    }
    return nil
  }

  mutating func append(first: UInt32, count: Int, isExtended: Bool) {
    let startIndex = self.count
    ranges.append(
      HIDUsageRange(first: first, count: count, startIndex: startIndex, isExtended: isExtended))
  }
}

extension HIDUsageList: RandomAccessCollection {
  /// 0.
  public var startIndex: Int { 0 }
  /// The number of usages.
  public var endIndex: Int { count }

  /// The usage at a place; one outside the list is page 0, usage 0.
  public subscript(position: Int) -> HIDUsage {
    HIDUsage(extended: extendedUsage(at: position) ?? 0)
  }
}
