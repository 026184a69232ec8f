// SPDX-License-Identifier: Apache-2.0

/// The state of one plugged interface, derived from its uhid events without I/O.
struct UHIDSession: Hashable, Sendable {
  enum State: Hashable, Sendable {
    /// The device is created, and no driver is bound: none has been, or the last one was unbound.
    ///
    /// The state stays so if the kernel does not accept the descriptor.
    case created
    case started
    case open
    case destroyed
  }

  private(set) var state: State = .created
  /// The number of times that a driver was bound.
  ///
  /// The kernel stops and starts a device to change its driver.
  private(set) var starts = 0
  /// The number of times that a driver was unbound.
  private(set) var stops = 0
  /// The latest request, if it has no answer yet; it may have timed out in the kernel.
  ///
  /// The kernel makes one request at a time: a new one means that the one before it is over (6.12).
  private(set) var unanswered: Request?

  /// A request of the host, with the properties that its answer needs.
  struct Request: Hashable, Sendable {
    let id: HIDRequestID
    let isGet: Bool
    /// True if the request has a report ID.
    let isNumbered: Bool
  }

  /// The progress of the device towards being ready.
  var progress: KernelDiscovery.Progress {
    switch state {
    case .destroyed: .destroyed
    case .created where stops > 0: .gaveUp
    default: .hopeful
    }
  }

  /// Applies an event, and returns whether to pass it to the device's owner.
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
    case .output, .usb: break
    case .getReport(let request, _, let id):
      unanswered = Request(id: request, isGet: true, isNumbered: id != nil)
    case .setReport(let request, _, let id, _):
      unanswered = Request(id: request, isGet: false, isNumbered: id != nil)
    }
    return true
  }

  /// Marks a request as answered, and returns it; `nil` if it does not wait for this answer.
  mutating func answer(_ request: HIDRequestID, isGet: Bool) -> Request? {
    guard state != .destroyed, let unanswered, unanswered.id == request, unanswered.isGet == isGet
    else { return nil }
    self.unanswered = nil
    return unanswered
  }

  /// Ends the session, and returns whether it had not ended before.
  mutating func destroy() -> Bool {
    defer { state = .destroyed }
    return state != .destroyed
  }
}
