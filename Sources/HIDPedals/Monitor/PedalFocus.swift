// SPDX-License-Identifier: Apache-2.0

/// The focus of a part of a program: while it is the newest one, its stream gets the events of the
/// pedals.
///
/// ``release()`` gives it up; so does the end of the object.
public final class PedalFocus: Sendable {
  /// The events of the pedals while this focus is the newest one.
  ///
  /// The stream ends with ``release()``.
  public let events: AsyncStream<PedalEvent>
  private let number: Int
  private let monitor: PedalMonitor

  init(_ events: AsyncStream<PedalEvent>, _ number: Int, of monitor: PedalMonitor) {
    self.events = events
    self.number = number
    self.monitor = monitor
  }

  deinit {
    let (monitor, number) = (monitor, number)
    Task { await monitor.release(number) }
  }

  /// Gives the focus up: the one that was taken before gets the events again.
  public func release() async { await monitor.release(number) }
}
