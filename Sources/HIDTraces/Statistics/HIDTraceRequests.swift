// SPDX-License-Identifier: Apache-2.0

import Histogram

/// What came of the requests of one kind to a device.
public struct HIDTraceRequests: Sendable {
  /// The longest latency that is told apart, in microseconds.
  private static let longest: Int64 = 60_000_000

  /// How many there were.
  public private(set) var count = 0
  /// How many were refused.
  public private(set) var refused = 0
  /// How many were not answered.
  public private(set) var unanswered = 0
  /// The longest that a host waited, in microseconds; nil where there was no answer.
  public private(set) var longestLatency: Int64?

  private var histogram: Histogram<UInt32>?

  init() {}

  mutating func add(latency: Int64, isRefused: Bool, isAnswered: Bool) {
    count += 1
    if isRefused { refused += 1 }
    guard isAnswered else {
      unanswered += 1
      return
    }
    longestLatency = max(longestLatency ?? 0, latency)
    if histogram == nil {
      histogram = Histogram(
        highestTrackableValue: UInt64(Self.longest), numberOfSignificantValueDigits: .three)
    }
    histogram?.record(UInt64(min(Self.longest, max(0, latency))))
  }

  /// What half of the hosts waited at most, in microseconds, to three digits; nil where there was no answer.
  public var medianLatency: Int64? {
    guard let histogram, let longestLatency else { return nil }
    let median = histogram.lowestEquivalentForValue(histogram.median)
    return min(longestLatency, Int64(clamping: median))
  }
}
