// SPDX-License-Identifier: Apache-2.0

import Histogram
public import IOLoop

/// The result of playing a trace, or a part of it.
public struct HIDTracePlayback: Sendable {
  /// The number of input reports that were sent.
  public internal(set) var sent = 0
  /// The number of input reports to send, as far as the trace was read.
  ///
  /// If playing did not end early, this is the number for all rounds.
  public internal(set) var total = 0
  /// The number of sent reports that were shorter than declared and were filled up with zeros.
  public internal(set) var padded = 0
  /// The number of sent reports that were longer than declared.
  public internal(set) var long = 0
  /// The number of rounds that have begun.
  public internal(set) var rounds = 0
  /// The start of playing on the player's timeline; nil if the player ended before that.
  public internal(set) var start: MonotonicTime?
  /// The time from the start to the end of playing.
  public internal(set) var duration = Duration.zero
  /// The number of reports that were sent before they were due: 0 unless a clock is wrong.
  public internal(set) var early = 0
  /// True if the task that played the trace was cancelled.
  public internal(set) var isCancelled = false
  /// A sentence about a setting that was requested but not possible; nil if there is none.
  public package(set) var limitation: String?
  /// The error of the trace or of a device that stopped playing; nil if there was none, or if the
  /// task was cancelled.
  public internal(set) var failure: (any Error)?

  /// The lateness of each report, in nanoseconds up to an hour, with three significant digits.
  private var histogram = Histogram<UInt64>(
    lowestDiscernibleValue: 1, highestTrackableValue: 3_600_000_000_000,
    numberOfSignificantValueDigits: .three)

  /// Creates the result of a trace that has not been played.
  public init() {}

  /// True if all ``total`` reports were sent, without an error, and the task was not cancelled.
  public var isComplete: Bool { failure == nil && !isCancelled && sent == total }

  /// The number of reports whose lateness is known; 0 if the pace is instant.
  public var timedCount: Int { Int(clamping: histogram.totalCount) }

  /// Returns the lateness of reports: the time just before each was written minus its due time.
  ///
  /// A report that was sent early counts as 0.
  ///
  /// - Parameter percentile: The percentage of reports that were no later: 50 for the median, 100
  ///   for the latest.
  /// - Returns: The lateness with three significant digits, an hour at most; nil if ``timedCount``
  ///   is 0.
  public func lateness(percentile: Double) -> Duration? {
    guard timedCount > 0 else { return nil }
    return .nanoseconds(histogram.valueAtPercentile(percentile))
  }

  mutating func note(lateness nanoseconds: Int64) {
    if nanoseconds < 0 { early += 1 }
    histogram.record(min(UInt64(clamping: nanoseconds), histogram.highestTrackableValue))
  }
}
