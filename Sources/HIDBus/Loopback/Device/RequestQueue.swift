// SPDX-License-Identifier: Apache-2.0

import DequeModule
import HIDReportDescriptor

/// The get- and set-report requests of all clients of a device: one in flight, the others waiting.
///
/// As in the kernel (`report_lock` of uhid, 6.12), the device gets the requests one by one. One
/// without an answer fails 5 s after the device got it. The type takes events and returns
/// decisions, and does no I/O.
struct RequestQueue: Sendable {
  /// The time in which the device must answer.
  static let bound = Duration.seconds(5)
  /// The maximum number of waiting requests of one client.
  ///
  /// A client that exceeds it is disconnected.
  static let capacity = 256

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
  /// The request in flight, and the ID under which the device has it; `nil` if none is in flight.
  private(set) var current: (request: Request, id: HIDRequestID)?

  /// Adds a request, or returns false if its client has too many waiting requests.
  ///
  /// The requests of other clients do not count.
  mutating func add(_ request: Request) -> Bool {
    let count = waiting.reduce(0) { $1.client == request.client ? $0 + 1 : $0 }
    guard count < Self.capacity else { return false }
    waiting.append(request)
    return true
  }

  /// Takes out the next request for the device; `nil` while another is in flight, or if none waits.
  mutating func start() -> (request: Request, id: HIDRequestID)? {
    guard current == nil, let request = waiting.popFirst() else { return nil }
    lastID &+= 1
    current = (request, HIDRequestID(rawValue: lastID))
    return current
  }

  /// Ends the request in flight, after an answer or a timeout.
  ///
  /// - Returns: The request; `nil` if no request with this ID is in flight.
  mutating func finish(_ id: HIDRequestID) -> Request? {
    guard let current, current.id == id else { return nil }
    self.current = nil
    return current.request
  }

  /// Removes a request that its client no longer waits for, also if it is in flight.
  mutating func cancel(client: Int, token: UInt32) {
    waiting.removeAll { $0.client == client && $0.token == token }
    if let request = current?.request, request.client == client, request.token == token {
      current = nil
    }
  }

  /// Removes all requests of a client that has disconnected.
  mutating func removeAll(of client: Int) {
    waiting.removeAll { $0.client == client }
    if current?.request.client == client { current = nil }
  }
}
