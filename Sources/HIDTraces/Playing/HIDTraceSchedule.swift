// SPDX-License-Identifier: Apache-2.0

/// The due times of the events of a trace in one round: a pace, applied to one event after the
/// other.
///
/// Due times count from the start of the round. They are exact to the nanosecond, because errors do
/// not add up; if the speed is not 1, this holds for a hundred days. The due times of played events
/// never decrease, because the order is kept. The timestamp of an event can go back, for its own
/// device or compared with another device. Without a fixed interval, such an event is due with the
/// played event before it. The first event of the part is due at once.
///
/// Input reports, plug events and unplug events are played. Other events have due times too, but
/// they do not change those of later events, except if they are the first event of the part.
public struct HIDTraceSchedule: Sendable {
  /// The result for one event.
  public enum Place: Hashable, Sendable {
    /// The event is due at this time after the start of the round.
    case due(Duration)
    /// The event is outside of the part that is played.
    case skipped
  }

  private let pace: HIDTracePace
  /// The part that is played, in microseconds of the trace time.
  private let part: ClosedRange<Int64>
  private let pauseLimit: Int64
  /// The nanoseconds between reports; nil if due times follow the timestamps.
  private let interval: Int64?
  /// True if every event is due at once, so that events need no further calculation.
  private let isTrivial: Bool
  private var clock = HIDTraceClock()
  private var origin: Int64?
  /// The trace time that is due at 0, plus the time that was cut from pauses; nil before the first
  /// event of the part, and with a fixed interval.
  private var base: Int64?
  /// The trace time of the latest event that is played, or of the first event of the part.
  private var latest: Int64 = 0
  private var latestDue: Int64 = 0
  private var reportCount: Int64 = 0
  private var playedCount: Int64 = 0
  /// The devices that have an event after the part.
  ///
  /// The times of a device never go back, so its further events are after the part, too.
  private var devicesBeyond: Set<Int> = []

  /// Starts a round; the speed must be more than 0 and finite, else the program stops.
  public init(_ pace: HIDTracePace) {
    precondition(pace.speed > 0 && pace.speed.isFinite, "a speed of \(pace.speed)")
    self.pace = pace
    // Timestamps are whole microseconds. A start between two of them is rounded up.
    let first = max(0, pace.from.nanoseconds.roundedUp(to: 1000) / 1000)
    let last = pace.to.map { $0.nanoseconds < 0 ? -1 : $0.nanoseconds / 1000 } ?? .max
    // A part that ends before it begins is empty. `.max` is a time that no event has.
    part = first <= last ? first...last : .max ... .max
    pauseLimit = pace.pauseLimit.map { max(0, $0.nanoseconds / 1000) } ?? .max
    interval = pace.isInstant ? 0 : pace.interval.map { max(0, $0.nanoseconds) }
    isTrivial = pace.isInstant && pace.from <= .zero && pace.to == nil
  }

  /// Returns the due time of an event.
  ///
  /// The caller must pass every event of the trace, in order.
  public mutating func place(_ event: HIDTraceEvent) -> Place {
    dueTime(of: event).map { .due(.nanoseconds($0)) } ?? .skipped
  }

  /// Returns the due time of an event in nanoseconds; nil for an event that is skipped.
  mutating func dueTime(of event: HIDTraceEvent) -> Int64? {
    dueTime(
      ofStamp: event.microseconds, device: event.device, isInput: event.kind.isInput,
      isPlayed: event.kind.isPlayed)
  }

  /// Returns the due time of an input report in nanoseconds; nil for a report that is skipped.
  @inline(__always)
  package mutating func dueTime(ofInput microseconds: Int64, device: Int) -> Int64? {
    if isTrivial {
      playedCount += 1
      return 0
    }
    return dueTime(ofStamp: microseconds, device: device, isInput: true, isPlayed: true)
  }

  private mutating func dueTime(
    ofStamp microseconds: Int64, device: Int, isInput: Bool, isPlayed: Bool
  ) -> Int64? {
    if isTrivial {
      if isPlayed { playedCount += 1 }
      return 0
    }
    let stamp = clock.time(ofStamp: microseconds, device: device)
    let origin = origin ?? stamp
    self.origin = origin
    let (difference, overflow) = stamp.subtractingReportingOverflow(origin)
    // The clock of another device can be before that of the first event.
    let time = overflow ? (stamp < origin ? 0 : .max) : max(0, difference)
    guard part.contains(time) else {
      if time > part.upperBound { devicesBeyond.insert(device) }
      return nil
    }
    if isPlayed { playedCount += 1 }
    if let interval {
      let due = interval.multiplied(by: reportCount)
      if isInput {
        reportCount += 1
        latestDue = due
      }
      return due
    }
    // The first event is due at once, even if it is an event of the host before the first report.
    guard var base else {
      base = time
      latest = time
      return 0
    }
    guard time > latest else { return latestDue }
    let pause = time - latest
    if pause > pauseLimit { base += pause - pauseLimit }
    let due = nanoseconds(time - base)
    if isPlayed {
      self.base = base
      latest = time
      latestDue = due
    }
    return due
  }

  private func nanoseconds(_ elapsed: Int64) -> Int64 {
    if pace.speed == 1 { return elapsed.multiplied(by: 1000) }
    // The result is exact to the nanosecond up to a hundred days.
    let due = (Double(elapsed) * 1000 / pace.speed).rounded()
    return due < 9.2e18 ? Int64(due) : .max
  }

  /// Returns whether each device has had an event after the part that is played.
  ///
  /// Then all further events are after the part, too.
  package func isOver(deviceCount: Int) -> Bool {
    !devicesBeyond.isEmpty && devicesBeyond.count >= deviceCount
  }

  /// Returns whether a device has had an event after the part that is played.
  ///
  /// Until then, its skipped events are before the part.
  package func isBeyond(device: Int) -> Bool { devicesBeyond.contains(device) }

  /// True if the part has had an event to play so far.
  var hasPlayed: Bool { playedCount > 0 }

  /// The time from the start of this round to the start of the next.
  ///
  /// It is final when all events of the trace have been passed to ``place(_:)``.
  ///
  /// This is the due time of the last played event plus the mean interval between played events. A
  /// millisecond takes the place of the mean if at most one event is played, or all are due at
  /// once. With a fixed interval, the period is that interval times the number of reports. It is
  /// zero if the trace is played as fast as possible.
  public var period: Duration { .nanoseconds(periodTime) }

  var periodTime: Int64 {
    if isTrivial || pace.isInstant { return 0 }
    if let interval { return interval.multiplied(by: reportCount) }
    let mean = playedCount > 1 ? latestDue / (playedCount - 1) : 0
    return latestDue.added(mean > 0 ? mean : 1_000_000)
  }
}

extension HIDTraceEvent.Kind {
  /// True if the event is an input report.
  @inline(__always)
  var isInput: Bool { if case .input = self { true } else { false } }

  /// True if the event is repeated when the trace is played.
  @inline(__always)
  var isPlayed: Bool {
    switch self {
    case .input, .plugged, .unplugged: true
    case .original, .output, .getReport, .setReport, .opened, .closed, .lost, .packet: false
    }
  }
}

extension Duration {
  /// The whole nanoseconds, limited to the range of a 64-bit number.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds.multiplied(by: 1_000_000_000).added(attoseconds / 1_000_000_000)
  }
}

/// Arithmetic that stops at the largest and the smallest number instead of overflowing.
extension Int64 {
  func multiplied(by other: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
  }

  package func added(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  fileprivate func roundedUp(to step: Int64) -> Int64 {
    let rest = self % step
    return rest > 0 ? added(step - rest) : self
  }
}
