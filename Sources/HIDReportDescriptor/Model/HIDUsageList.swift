// SPDX-License-Identifier: Apache-2.0

public import HIDUsages

/// Consecutive usages in their 32-bit form: page in bits 31…16, ID in bits 15…0.
///
/// They are of one page, unless a range in 32 bits ends on another page.
public struct HIDUsageRange: Hashable, Sendable, BitwiseCopyable {
  /// The first usage, in its 32-bit form.
  public internal(set) var first: UInt32
  private var storedCount: UInt32
  private var storedStartIndex: UInt32
  /// True if the item gave the page with the usage, in 32 bits; Usage Page items do not change it.
  var isExtended: Bool

  /// Creates a range; `count` and `startIndex` must fit into 32 bits without sign.
  @inline(__always)
  init(first: UInt32, count: Int, startIndex: Int, isExtended: Bool) {
    self.first = first
    storedCount = UInt32(truncatingIfNeeded: count)
    storedStartIndex = UInt32(truncatingIfNeeded: startIndex)
    self.isExtended = isExtended
  }

  /// The number of usages, at least 1.
  public var count: Int { Int(storedCount) }

  /// The index of the first usage of the range among all usages of its list.
  public var startIndex: Int { Int(storedStartIndex) }

  /// The last usage, in its 32-bit form.
  public var last: UInt32 { first &+ (storedCount &- 1) }

  /// Returns whether the usage is in the range.
  ///
  /// - Parameter usage: The 32-bit form of the usage.
  public func contains(_ usage: UInt32) -> Bool { usage >= first && usage - first < storedCount }

  func usage(at index: Int) -> UInt32 { first &+ UInt32(truncatingIfNeeded: index - startIndex) }
}

/// The usages of a field, a collection or a delimited set in the order of the descriptor, stored as
/// ranges.
public struct HIDUsageList: Hashable, Sendable {
  /// The usages as the descriptor lists them: usually one range for each Usage and Usage Maximum.
  ///
  /// Usages whose IDs continue at 0 after 0xffff make two ranges. An item that adds no usage makes
  /// no range.
  public let ranges: ArraySlice<HIDUsageRange>

  /// The number of usages.
  public var count: Int { ranges.last.map { $0.startIndex + $0.count } ?? 0 }

  /// Returns the usage at an index, in its 32-bit form; O(log ranges).
  ///
  /// - Parameter index: The index, from 0.
  /// - Returns: The usage, or `nil` outside `0..<count`.
  public func extendedUsage(at index: Int) -> UInt32? {
    guard index >= 0, index < count else { return nil }
    var low = ranges.startIndex
    var high = ranges.endIndex - 1
    while low < high {
      let middle = (low + high + 1) / 2
      if ranges[middle].startIndex <= index { low = middle } else { high = middle - 1 }
    }
    return ranges[low].usage(at: index)
  }

  /// Returns the first index of a usage, or `nil` if the list does not have it; O(ranges).
  ///
  /// - Parameter usage: The usage to look for; a page without a usage counts as ID 0.
  public func firstIndex(of usage: HIDUsage) -> Int? {
    firstIndex(ofExtended: usage.extended)
  }

  func firstIndex(ofExtended usage: UInt32) -> Int? {
    for range in ranges where range.contains(usage) {
      return range.startIndex + Int(usage - range.first)
    }
    return nil
  }
}

extension HIDUsageList: RandomAccessCollection {
  /// 0.
  public var startIndex: Int { 0 }
  /// The number of usages.
  public var endIndex: Int { count }

  /// Returns the usage at an index; outside the list, page 0, usage 0.
  public subscript(position: Int) -> HIDUsage {
    HIDUsage(extended: extendedUsage(at: position) ?? 0)
  }
}

/// The usages of one control; a host uses the first one that it supports.
///
/// Source: HID 1.11, section 6.2.2.8, Delimiter.
public struct HIDUsageAlternatives: Hashable, Sendable {
  /// The index of the control among the usages of its field; each delimited set with usages counts
  /// as one usage.
  ///
  /// With ``HIDReading/specification``, this is also its index in ``HIDReportField/usages``.
  public internal(set) var index: Int
  /// The usages in the order of the descriptor: the preferred one first.
  public internal(set) var usages: HIDUsageList
}

/// Consecutive indices of designators or strings.
///
/// Source: HID 1.11, section 6.2.2.8.
public struct HIDIndexRange: Hashable, Sendable, BitwiseCopyable {
  /// The first index.
  public let first: UInt32
  /// The last index; less than the first if the descriptor says so.
  public let last: UInt32

  /// Creates a range of indices.
  public init(first: UInt32, last: UInt32) {
    self.first = first
    self.last = last
  }
}
