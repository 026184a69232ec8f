// SPDX-License-Identifier: Apache-2.0

public import Histogram

/// How the playing of a trace went, as far as it came.
public struct HIDTracePlayback: Sendable {
  /// How many input reports were sent.
  public internal(set) var sent = 0
  /// How many input reports were to be sent, of what was read of the trace: all of them, unless it was ended early.
  public internal(set) var total = 0
  /// How often the trace was begun.
  public internal(set) var rounds = 0
  /// How long it took, from the start to the last event.
  public internal(set) var duration = Duration.zero
  /// How late each report was, in nanoseconds up to an hour: the time just before it was written less its due time.
  ///
  /// Empty where nothing is due at a time of its own.
  public internal(set) var lateness = Histogram<UInt64>(
    lowestDiscernibleValue: 1, highestTrackableValue: 3_600_000_000_000,
    numberOfSignificantValueDigits: .three)
  /// How many reports were sent before they were due: none, or a clock is wrong.
  public internal(set) var early = 0
  /// Whether it was ended early, by its task.
  public internal(set) var isCancelled = false
  /// What was asked for and could not be had, though it was played: a sentence.
  public package(set) var limitation: String?
  /// Why it stopped, if something was wrong: with the trace, or with a device.
  public internal(set) var failure: (any Error)?

  /// Nothing has been played.
  public init() {}

  /// Whether every report was sent.
  public var isComplete: Bool { failure == nil && !isCancelled && sent == total }

  mutating func note(lateness nanoseconds: Int64) {
    if nanoseconds < 0 { early += 1 }
    let value = UInt64(clamping: nanoseconds)
    lateness.record(min(value, lateness.highestTrackableValue))
  }
}
