// SPDX-License-Identifier: Apache-2.0

import IOLoop

/// The times at which an interface may send reports on a bus that does not wait for clients.
struct ReportPacing: Sendable {
  /// The minimum average time between two reports to a reader.
  ///
  /// hidraw keeps 63 reports for a reader and drops further reports without an error. At 8,000
  /// reports a second no report was lost on any machine measured.
  static let interval = Duration.microseconds(125)
  /// The minimum average time between two reports of a script if the device has evdev nodes.
  ///
  /// This is the interval of a keyboard that is polled once a millisecond. evdev keeps eight
  /// packets for a reader, and at least 64 events, and drops all of them when one more comes. At
  /// 4,000 reports a second a reader that was 0 to 5 ms late lost some; at 1,000 it lost none
  /// (6.12.117 in User-Mode Linux).
  static let strokeInterval = Duration.milliseconds(1)
  /// The maximum number of reports that are sent together to a reader.
  ///
  /// On any bus it is also the maximum for replies, and for reports of a trace that are sent like
  /// other input.
  ///
  /// The number is less than the 63 reports that hidraw keeps.
  static let burst = 16
  /// The maximum number of reports that are sent together while no client has the device open.
  ///
  /// hidraw keeps this number of reports for a client that opens the device at that moment.
  static let unheardBurst = 63

  /// The minimum average time between two reports to a reader, in nanoseconds.
  private static let intervalTime = Int64(interval / .nanoseconds(1))

  /// The time when the next report may be sent without the risk that a reader loses a report.
  private(set) var next = MonotonicTime(nanoseconds: 0)

  /// Reserves time for some reports, and returns the time when they may be sent.
  mutating func reserve(_ count: Int, apart interval: Duration) -> MonotonicTime {
    let due = max(.now, next)
    next = due.advanced(by: interval * count)
    return due
  }

  /// Reserves the time that a reader needs for some reports which were just sent.
  ///
  /// Without a reader, time is reserved for a client that opens the device now and finds these
  /// reports in its queue.
  ///
  /// - Parameter isHeard: True if a client had the device open.
  mutating func sent(_ count: Int, at time: MonotonicTime, isHeard: Bool) {
    func after(_ time: MonotonicTime, _ count: Int) -> MonotonicTime {
      time.advanced(byNanoseconds: Int64(count) * Self.intervalTime)
    }
    next =
      isHeard
      ? after(max(time, next), count) : max(next, after(time, min(count, Self.unheardBurst)))
  }
}
