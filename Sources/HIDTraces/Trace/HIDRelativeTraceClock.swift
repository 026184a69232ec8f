// SPDX-License-Identifier: Apache-2.0

/// The times of a trace's events since the first of them, none before the one of its device before it.
package struct HIDRelativeTraceClock: Sendable {
  /// The furthest time that is told apart, in microseconds: some 36,000 years, so that sums of a few hold.
  package static let furthest: Int64 = 1 << 60

  private var clock = HIDTraceClock()
  private var base: Int64?

  package init() {}

  /// The time of an event, in microseconds.
  package mutating func time(of event: HIDTraceEvent) -> Int64 {
    let stamp = clock.time(of: event)
    let start = base ?? stamp
    base = start
    let (difference, hasOverflown) = stamp.subtractingReportingOverflow(start)
    let time = hasOverflown ? (stamp < start ? .min : .max) : difference
    return min(Self.furthest, max(-Self.furthest, time))
  }
}
