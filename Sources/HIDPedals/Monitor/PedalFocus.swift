// SPDX-License-Identifier: Apache-2.0

/// The focus of one part of a program, which gets the pedal events while it is the newest focus.
///
/// The focus ends when ``release()`` is called or the object is released.
public final class PedalFocus: Sendable {
  /// The events of the pedals while this focus is the newest one, outside text input and pauses.
  ///
  /// The stream ends with ``release()``, or when this object is released.
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

  /// Ends the focus; if it is the newest, the focus that was taken before it gets the events again.
  public func release() async { await monitor.release(number) }
}
