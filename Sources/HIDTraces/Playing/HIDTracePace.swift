// SPDX-License-Identifier: Apache-2.0

/// How fast a trace is played, which part of it, and how often.
///
/// Times are the trace's own, from its first event, whatever that is: it is at zero.
public struct HIDTracePace: Hashable, Sendable {
  /// How many times as fast as recorded: 2 is twice as fast.
  ///
  /// More than 0, and finite.
  public var speed: Double = 1
  /// How far apart input reports are, instead of their recorded times; not negative.
  public var interval: Duration?
  /// Whether reports go out as fast as the bus takes them, whatever their times.
  public var isInstant = false
  /// What is before this time is not played: what comes then is played at once.
  public var from = Duration.zero
  /// What is after this time is not played; nil for the trace's end.
  public var to: Duration?
  /// How long a pause is at most: a longer one is cut to this, on the trace's time; nil for pauses as recorded.
  public var pauseLimit: Duration?
  /// How often the trace is played, 1 or more; nil for again and again.
  public var loops: Int? = 1

  /// Creates the pace of the recording itself, once.
  public init() {}
}
