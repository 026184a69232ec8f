// SPDX-License-Identifier: Apache-2.0

import HIDWire

/// The life of one plugged interface, as its uhid channel sees it: events in, no I/O.
struct UHIDSession: Hashable, Sendable {
  enum State: Hashable, Sendable {
    /// Created; no driver is bound. Lasts for ever when the kernel does not like the descriptor.
    case created
    case started
    case open
    case destroyed
  }

  private(set) var state: State = .created
  /// How often the driver was bound.
  ///
  /// The kernel stops and starts a device to change its driver.
  private(set) var starts = 0
  /// How often it was unbound.
  private(set) var stops = 0
  /// The request nobody has answered yet.
  ///
  /// The kernel makes one at a time: a new one means that the one before it is over (6.12).
  private(set) var unanswered: Request?

  /// A request of the host, and how it wants to be answered.
  struct Request: Hashable, Sendable {
    let id: HIDRequestID
    let isGet: Bool
    /// Whether a report number was given.
    let isNumbered: Bool
  }

  /// What somebody who waits for the device may expect.
  enum Progress: Hashable, Sendable {
    /// Nothing has gone wrong yet.
    case hopeful
    /// A driver was bound and gave up, and none has been bound since.
    case gaveUp
    /// The device was unplugged.
    case destroyed
  }

  /// What somebody who waits for the device may expect.
  var progress: Progress {
    switch state {
    case .destroyed: .destroyed
    case .created where stops > 0: .gaveUp
    default: .hopeful
    }
  }

  /// Applies an event, and says whether the device's owner should hear of it.
  mutating func receive(_ event: HIDHostEvent) -> Bool {
    guard state != .destroyed else { return false }
    switch event {
    case .start:
      starts += 1
      if state == .created { state = .started }
    case .stop:
      stops += 1
      state = .created
    case .open: state = .open
    case .close: if state == .open { state = .started }
    case .output: break
    case .getReport(let request, _, let id):
      unanswered = Request(id: request, isGet: true, isNumbered: id != nil)
    case .setReport(let request, _, let id, _):
      unanswered = Request(id: request, isGet: false, isNumbered: id != nil)
    }
    return true
  }

  /// Notes an answer, and returns the request if anybody waits for it.
  mutating func answer(_ request: HIDRequestID, isGet: Bool) -> Request? {
    guard state != .destroyed, let unanswered, unanswered.id == request, unanswered.isGet == isGet
    else { return nil }
    self.unanswered = nil
    return unanswered
  }

  /// Ends the session, and says whether it had not ended before.
  mutating func destroy() -> Bool {
    defer { state = .destroyed }
    return state != .destroyed
  }
}
