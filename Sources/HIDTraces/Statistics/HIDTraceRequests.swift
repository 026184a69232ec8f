// SPDX-License-Identifier: Apache-2.0

import Histogram

/// The counts and latencies of the requests of one kind to a device.
public struct HIDTraceRequests: Sendable {
  /// The limit of latencies for the median, in microseconds; a longer latency counts as the limit.
  private static let longest: Int64 = 60_000_000

  /// The number of requests.
  public private(set) var count = 0
  /// The number of requests that were refused.
  public private(set) var refused = 0
  /// The number of requests without an answer.
  public private(set) var withoutAnswer = 0
  /// The longest time until an answer, in microseconds; nil if there was no answer.
  public private(set) var longestLatency: Int64?

  private var histogram: Histogram<UInt32>?

  init() {}

  mutating func add(latency: Int64, isRefused: Bool, isAnswered: Bool) {
    count += 1
    if isRefused { refused += 1 }
    guard isAnswered else {
      withoutAnswer += 1
      return
    }
    longestLatency = max(longestLatency ?? 0, latency)
    if histogram == nil {
      histogram = Histogram(
        highestTrackableValue: UInt64(Self.longest), numberOfSignificantValueDigits: .three)
    }
    histogram?.record(UInt64(min(Self.longest, max(0, latency))))
  }

  /// The median time until an answer, in microseconds; nil if there was no answer.
  ///
  /// It has three significant digits, and is a minute at most.
  public var medianLatency: Int64? {
    guard let histogram, let longestLatency else { return nil }
    let median = histogram.lowestEquivalentForValue(histogram.median)
    return min(longestLatency, Int64(clamping: median))
  }
}
