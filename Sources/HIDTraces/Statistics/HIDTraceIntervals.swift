// SPDX-License-Identifier: Apache-2.0

import Histogram

/// How long it was from each report of a device to the next, in microseconds.
///
/// A pause, which is longer than a second, is none of the intervals: the device had nothing to say.
public struct HIDTraceIntervals: Sendable {
  /// What is longer is a pause, in microseconds.
  public static let longest: Int64 = 1_000_000

  /// How many intervals are so far from the median.
  public struct Bucket: Hashable, Sendable {
    /// The least distance from the median that is counted here, in microseconds.
    public let from: Int64
    /// The first distance that is too far, in microseconds.
    public let to: Int64
    /// How many intervals there are.
    public let count: Int
  }

  /// How many intervals there are.
  public private(set) var count = 0
  /// The shortest; nil where there is none.
  public private(set) var minimum: Int64?
  /// The longest; nil where there is none.
  public private(set) var maximum: Int64?
  /// All of them together.
  public private(set) var total: Int64 = 0
  /// How many pauses there are.
  public private(set) var pauseCount = 0
  /// The longest pause; 0 where there is none.
  public private(set) var longestPause: Int64 = 0
  /// All pauses together; the most a number holds where they are longer.
  public private(set) var pauses: Int64 = 0

  private var histogram: Histogram<UInt32>?

  init() {}

  mutating func add(_ interval: Int64) {
    guard interval <= Self.longest else {
      pauseCount += 1
      longestPause = max(longestPause, interval)
      let (sum, hasOverflown) = pauses.addingReportingOverflow(interval)
      pauses = hasOverflown ? .max : sum
      return
    }
    count += 1
    total += interval
    minimum = min(minimum ?? interval, interval)
    maximum = max(maximum ?? interval, interval)
    if histogram == nil {
      histogram = Histogram(
        highestTrackableValue: UInt64(Self.longest), numberOfSignificantValueDigits: .four)
    }
    histogram?.record(UInt64(interval))
  }

  /// The mean; nil where there is no interval.
  public var mean: Double? { count > 0 ? Double(total) / Double(count) : nil }

  /// How many reports a second there are while there are any; nil where no time passed.
  public var rate: Double? { total > 0 ? 1_000_000 * Double(count) / Double(total) : nil }

  /// What a share of the intervals is not longer than, in microseconds, to four digits; nil where there is no interval.
  ///
  /// - Parameter percent: The share: 50 for the median.
  public func percentile(_ percent: Double) -> Int64? {
    guard let histogram, let minimum, let maximum else { return nil }
    let value = histogram.lowestEquivalentForValue(histogram.valueAtPercentile(percent))
    return min(maximum, max(minimum, Int64(clamping: value)))
  }

  /// How far the intervals are from their median, in steps of 1, 2 and 5, from the nearest to the furthest there is.
  public var jitter: [Bucket] {
    guard let histogram, let median = percentile(50) else { return [] }
    var limits: [Int64] = [0, 10]
    while let last = limits.last, last <= Self.longest {
      limits.append(limits.count % 3 == 0 ? last / 2 * 5 : last * 2)
    }
    var counts = [Int](repeating: 0, count: limits.count - 1)
    for step in histogram.recordedValues() {
      let interval = Int64(clamping: histogram.lowestEquivalentForValue(step.value))
      let distance = abs(interval - median)
      let place = limits.lastIndex { $0 <= distance } ?? 0
      counts[min(place, counts.count - 1)] += Int(step.count)
    }
    guard let first = counts.firstIndex(where: { $0 > 0 }),
      let last = counts.lastIndex(where: { $0 > 0 })
    else { return [] }
    return (first...last).map { Bucket(from: limits[$0], to: limits[$0 + 1], count: counts[$0]) }
  }
}
