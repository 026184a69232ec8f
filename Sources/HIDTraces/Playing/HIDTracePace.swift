// SPDX-License-Identifier: Apache-2.0

/// The speed of playing a trace, the part that is played, and the number of rounds.
///
/// The limits of the part and of pauses are times of the trace, whose first event is at zero.
public struct HIDTracePace: Hashable, Sendable {
  /// The speed as a multiple of the recorded speed: 2 is twice as fast.
  ///
  /// It must be more than 0 and finite.
  public var speed: Double = 1
  /// The fixed interval between input reports; nil to use their recorded times.
  ///
  /// The reports of all devices count together. With an interval, ``speed`` and ``pauseLimit`` have
  /// no effect. The interval has no effect if ``isInstant`` is true. A negative one counts as 0.
  public var interval: Duration?
  /// True to send reports as fast as the bus takes them, whatever their times.
  public var isInstant = false
  /// The start of the part that is played; the first event at or after it is due at once.
  public var from = Duration.zero
  /// The end of the part that is played, which includes it; nil for the end of the trace.
  public var to: Duration?
  /// The longest pause, in the time of the trace; nil to keep pauses as recorded.
  ///
  /// A longer pause is cut to this.
  public var pauseLimit: Duration?
  /// The number of times that the trace is played, 1 or more; nil to repeat it without end.
  public var loops: Int? = 1

  /// Creates the pace of the recording, for one round.
  public init() {}
}
