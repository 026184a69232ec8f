// SPDX-License-Identifier: Apache-2.0

import Histogram
public import IOLoop

/// How the playing of a trace went, as far as it came.
public struct HIDTracePlayback: Sendable {
  /// How many input reports were sent.
  public internal(set) var sent = 0
  /// How many input reports were to be sent, of what was read of the trace: all of them, unless it was ended early.
  public internal(set) var total = 0
  /// How many of those that were sent were shorter than declared, and were filled up with zeros.
  public internal(set) var padded = 0
  /// How many of those that were sent were longer than declared.
  public internal(set) var long = 0
  /// How often the trace was begun.
  public internal(set) var rounds = 0
  /// When it began, by the player's timeline; nil before the first of the trace was read.
  public internal(set) var start: MonotonicTime?
  /// How long it took, from the start to the last event.
  public internal(set) var duration = Duration.zero
  /// How many reports were sent before they were due: none, or a clock is wrong.
  public internal(set) var early = 0
  /// Whether it was ended early, by its task.
  public internal(set) var isCancelled = false
  /// What was asked for and could not be had, though it was played: a sentence.
  public package(set) var limitation: String?
  /// Why it stopped, if something was wrong: with the trace, or with a device.
  public internal(set) var failure: (any Error)?

  /// How late each report was, in nanoseconds up to an hour, to three digits.
  private var histogram = Histogram<UInt64>(
    lowestDiscernibleValue: 1, highestTrackableValue: 3_600_000_000_000,
    numberOfSignificantValueDigits: .three)

  /// Nothing has been played.
  public init() {}

  /// Whether every report was sent.
  public var isComplete: Bool { failure == nil && !isCancelled && sent == total }

  /// Of how many reports it is known how late they were: none where they have no times of their own.
  public var timedCount: Int { Int(clamping: histogram.totalCount) }

  /// How late reports were: the time just before each was written less its due time.
  ///
  /// - Parameter percentile: How many of a hundred were no later: 50 for the median, 100 for the latest.
  /// - Returns: The lateness to three digits, an hour at most; nil where ``timedCount`` is 0.
  public func lateness(percentile: Double) -> Duration? {
    guard timedCount > 0 else { return nil }
    return .nanoseconds(histogram.valueAtPercentile(percentile))
  }

  mutating func note(lateness nanoseconds: Int64) {
    if nanoseconds < 0 { early += 1 }
    histogram.record(min(UInt64(clamping: nanoseconds), histogram.highestTrackableValue))
  }
}
