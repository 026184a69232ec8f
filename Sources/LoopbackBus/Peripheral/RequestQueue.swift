// SPDX-License-Identifier: Apache-2.0

import DequeModule
import HIDReportDescriptor
import HIDWire
import IOLoop

/// The get- and set-report requests of all clients of a device: one in flight, the others wait their turn.
///
/// As the kernel does it (`report_lock` of uhid, 6.12): requests are put to the device one by one, and
/// each has 5 s from then on, after which it fails. Events in, decisions out, no I/O.
struct RequestQueue: Sendable {
  /// How long the device has for an answer.
  static let bound = Duration.seconds(5)
  /// How many requests wait at most; a client that asks for more is not sound.
  static let capacity = 4096

  struct Request: Hashable, Sendable {
    enum Action: Hashable, Sendable {
      case get(HIDReportType, number: UInt8)
      case set(HIDReportType, [UInt8])
    }
    let client: Int
    let token: UInt32
    let action: Action
  }

  private var waiting: Deque<Request> = []
  private var lastID: UInt32 = 0
  /// The request the device has been asked, and its number there.
  private(set) var current: (request: Request, id: HIDRequestID)?

  /// Adds a request, unless there are too many.
  mutating func add(_ request: Request) -> Bool {
    guard waiting.count < Self.capacity else { return false }
    waiting.append(request)
    return true
  }

  /// Takes out the request to put to the device now; `nil` while another is in flight.
  mutating func start() -> (request: Request, id: HIDRequestID)? {
    guard current == nil, let request = waiting.popFirst() else { return nil }
    lastID &+= 1
    current = (request, HIDRequestID(rawValue: lastID))
    return current
  }

  /// Ends the request in flight, if it is that one: with an answer, or because its time is up.
  mutating func finish(_ id: HIDRequestID) -> Request? {
    guard let current, current.id == id else { return nil }
    self.current = nil
    return current.request
  }

  /// Forgets a request its client no longer waits for.
  ///
  /// One in flight is over at once.
  mutating func cancel(client: Int, token: UInt32) {
    waiting.removeAll { $0.client == client && $0.token == token }
    if let request = current?.request, request.client == client, request.token == token {
      current = nil
    }
  }

  /// Forgets all requests of a client that is gone.
  mutating func removeAll(of client: Int) {
    waiting.removeAll { $0.client == client }
    if current?.request.client == client { current = nil }
  }
}
