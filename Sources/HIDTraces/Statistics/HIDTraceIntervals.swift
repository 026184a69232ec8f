// SPDX-License-Identifier: Apache-2.0

import Histogram

/// The intervals between consecutive input reports of a device, in microseconds.
///
/// A pause is longer than a second and does not count as an interval: the device had nothing to
/// send.
public struct HIDTraceIntervals: Sendable {
  /// The longest interval, in microseconds; anything longer is a pause.
  public static let longest: Int64 = 1_000_000

  /// The number of intervals in a range of distances from the median.
  public struct Bucket: Hashable, Sendable {
    /// The smallest distance from the median in the range, in microseconds.
    public let from: Int64
    /// The smallest distance above the range, in microseconds.
    public let to: Int64
    /// The number of intervals in the range.
    public let count: Int
  }

  /// The number of intervals.
  public private(set) var count = 0
  /// The shortest interval; nil if there is none.
  public private(set) var minimum: Int64?
  /// The longest interval; nil if there is none.
  public private(set) var maximum: Int64?
  /// The sum of all intervals.
  public private(set) var total: Int64 = 0
  /// The number of pauses.
  public private(set) var pauseCount = 0
  /// The longest pause; 0 if there is none.
  public private(set) var longestPause: Int64 = 0
  /// The sum of all pauses, limited to `Int64.max`.
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

  /// The mean interval; nil if there is none.
  public var mean: Double? { count > 0 ? Double(total) / Double(count) : nil }

  /// The number of reports per second without pauses; nil if the sum of all intervals is 0.
  public var rate: Double? { total > 0 ? 1_000_000 * Double(count) / Double(total) : nil }

  /// Returns a percentile of the intervals, in microseconds with four significant digits.
  ///
  /// It is nil if there is no interval.
  ///
  /// - Parameter percent: The percentage of intervals that are not longer: 50 for the median.
  public func percentile(_ percent: Double) -> Int64? {
    guard let histogram, let minimum, let maximum else { return nil }
    let value = histogram.lowestEquivalentForValue(histogram.valueAtPercentile(percent))
    return min(maximum, max(minimum, Int64(clamping: value)))
  }

  /// The number of intervals in ranges of their distance from the median.
  ///
  /// The ranges begin at 0, 10, 20, 50, 100 µs and so on. The first and the last range
  /// contain at least one interval. The result is empty if there is no interval.
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
