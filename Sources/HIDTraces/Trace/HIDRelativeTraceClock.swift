// SPDX-License-Identifier: Apache-2.0

/// A clock that gives the times of events since the first event of a trace.
///
/// The times of one device never decrease.
package struct HIDRelativeTraceClock: Sendable {
  /// The largest distance from the first event, in microseconds: some 36,000 years, so that sums of
  /// a few times do not overflow.
  package static let furthest: Int64 = 1 << 60

  private var clock = HIDTraceClock()
  private var base: Int64?

  package init() {}

  /// Returns the time of an event, in microseconds.
  ///
  /// It is negative only for a device other than that of the first event, if the timestamps of the
  /// device so far are before that of the first event. It is limited to ``furthest`` in both
  /// directions.
  package mutating func time(of event: HIDTraceEvent) -> Int64 {
    let stamp = clock.time(of: event)
    let start = base ?? stamp
    base = start
    let (difference, hasOverflown) = stamp.subtractingReportingOverflow(start)
    let time = hasOverflown ? (stamp < start ? .min : .max) : difference
    return min(Self.furthest, max(-Self.furthest, time))
  }
}
