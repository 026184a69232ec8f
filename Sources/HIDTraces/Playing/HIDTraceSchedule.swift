// SPDX-License-Identifier: Apache-2.0

/// When the events of a trace are due while it is played once: a pace, applied to one event after the other.
///
/// Due times are absolute, from the start of that round, and exact to the nanosecond: nothing adds up, however long the
/// trace. They never go back, since order is kept: an event whose stamp does, and one that is earlier than one of another
/// device before it, is due with the one before. The first event that is played is due at once.
///
/// Played are input reports, and that a device came or went. What a host did has its time too, and changes nothing.
public struct HIDTraceSchedule: Sendable {
  /// What becomes of an event.
  public enum Place: Hashable, Sendable {
    /// It is due so long after the start.
    case due(Duration)
    /// It is outside of the part that is played.
    case skipped
  }

  private let pace: HIDTracePace
  /// The part that is played, in microseconds of the trace's time.
  private let part: ClosedRange<Int64>
  private let pauseLimit: Int64
  /// The nanoseconds between reports, where they have nothing to do with the stamps.
  private let interval: Int64?
  /// Whether nothing has to be known of an event to place it.
  private let isTrivial: Bool
  private var clock = HIDTraceClock()
  private var origin: Int64?
  /// The trace's time that is due at once: later by what was cut from pauses.
  private var base: Int64?
  /// The time of the latest event that is played.
  private var latest: Int64 = 0
  private var latestDue: Int64 = 0
  private var reportCount: Int64 = 0
  private var playedCount: Int64 = 0
  /// The devices that have come to the end of the part: their times never go back.
  private var devicesBeyond: Set<Int> = []

  /// Begins a round.
  public init(_ pace: HIDTracePace) {
    precondition(pace.speed > 0 && pace.speed.isFinite, "a speed of \(pace.speed)")
    self.pace = pace
    // Stamps are whole microseconds: a part that begins within one begins with the next.
    let first = max(0, pace.from.nanoseconds.roundedUp(to: 1000) / 1000)
    let last = pace.to.map { $0.nanoseconds < 0 ? -1 : $0.nanoseconds / 1000 } ?? .max
    // A part that ends before it begins is none: no time is beyond the last.
    part = first <= last ? first...last : .max ... .max
    pauseLimit = pace.pauseLimit.map { max(0, $0.nanoseconds / 1000) } ?? .max
    interval = pace.isInstant ? 0 : pace.interval.map { max(0, $0.nanoseconds) }
    isTrivial = pace.isInstant && pace.from <= .zero && pace.to == nil
  }

  /// Finds out when an event is due.
  ///
  /// Every event of the trace is asked about, in its order.
  public mutating func place(_ event: HIDTraceEvent) -> Place {
    dueTime(of: event).map { .due(.nanoseconds($0)) } ?? .skipped
  }

  /// The same in nanoseconds; nil for an event that is skipped.
  mutating func dueTime(of event: HIDTraceEvent) -> Int64? {
    dueTime(
      ofStamp: event.microseconds, device: event.device, isInput: event.kind.isInput,
      isPlayed: event.kind.isPlayed)
  }

  /// The same of an input report.
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
    // Another device's clock can be before that of the first event.
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
    // The first event is due at once, whatever it is: what a host did before the first report has its time too.
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
    // Exact to the nanosecond up to a hundred days.
    let due = (Double(elapsed) * 1000 / pace.speed).rounded()
    return due < 9.2e18 ? Int64(due) : .max
  }

  /// Whether everything that is still to come is after the part that is played.
  package func isOver(deviceCount: Int) -> Bool {
    !devicesBeyond.isEmpty && devicesBeyond.count >= deviceCount
  }

  /// Whether a device has come to the end of the part that is played: what is skipped of one that has not is before it.
  package func isBeyond(device: Int) -> Bool { devicesBeyond.contains(device) }

  /// Whether anything has been played so far.
  var hasPlayed: Bool { playedCount > 0 }

  /// How long after this round's start the next one begins: a mean gap after the last event.
  ///
  /// That is the time of the last event and the mean interval between all; a millisecond where all are due at once. With
  /// a fixed interval it is one interval after the last report, and nothing where the trace is played as fast as it can be.
  public var period: Duration { .nanoseconds(periodTime) }

  var periodTime: Int64 {
    if isTrivial || pace.isInstant { return 0 }
    if let interval { return interval.multiplied(by: reportCount) }
    let mean = playedCount > 1 ? latestDue / (playedCount - 1) : 0
    return latestDue.added(mean > 0 ? mean : 1_000_000)
  }
}

extension HIDTraceEvent.Kind {
  /// Whether it is an input report.
  @inline(__always)
  var isInput: Bool { if case .input = self { true } else { false } }

  /// Whether playing a trace does it again.
  @inline(__always)
  var isPlayed: Bool {
    switch self {
    case .input, .plugged, .unplugged: true
    case .original, .output, .getReport, .setReport, .opened, .closed, .lost, .packet: false
    }
  }
}

extension Duration {
  /// The whole nanoseconds, as far as a number of 64 bits goes.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds.multiplied(by: 1_000_000_000).added(attoseconds / 1_000_000_000)
  }
}

/// Arithmetic that ends at the largest number, and at the smallest: nobody lives to see times like these.
extension Int64 {
  func multiplied(by other: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
  }

  func added(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  fileprivate func roundedUp(to step: Int64) -> Int64 {
    let rest = self % step
    return rest > 0 ? added(step - rest) : self
  }
}
