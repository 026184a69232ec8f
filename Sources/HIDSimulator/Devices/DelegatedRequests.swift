// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDReportDescriptor

/// The requests of hosts that are delegated to a program and wait for its answer, by number.
package struct DelegatedRequests: Sendable {
  /// A delegated request.
  struct Request: Sendable {
    let record: HIDHostEventRecord
    let port: any HIDDevicePort
    /// The owner of the delegation when the request came.
    let owner: Int
  }

  /// The outcome of an answer to a delegated request.
  package enum Outcome: Sendable {
    case answered
    /// No request with this number waits.
    case notWaiting
    /// The request is delegated to another owner, for whose answer it still waits.
    case notOwned
    /// The answer is not valid for the request, which still waits.
    ///
    /// A report is valid only for a get request, up to uhid's maximum length. An acknowledgement is
    /// valid only for a set request.
    case unfit
  }

  /// A request that gets its answer now, or the reason why none does.
  enum Taken: Sendable {
    case request(Request)
    case none(Outcome)
  }

  private var requests: [UInt64: Request] = [:]

  mutating func add(_ request: Request, as number: UInt64) { requests[number] = request }

  /// Removes and returns the request with an ID of the bus; nil if no such request waits.
  mutating func remove(_ id: HIDRequestID) -> Request? {
    guard let index = requests.firstIndex(where: { $0.value.record.event.requestID == id }) else {
      return nil
    }
    return requests.remove(at: index).value
  }

  /// Removes and returns the request that an answer is for.
  ///
  /// - Parameters:
  ///   - answer: The answer; nil for that of the next source.
  ///   - owner: The owner that answers; `nil` to answer a request of any owner.
  ///   - attachment: The attachment to which the port of the request must belong.
  mutating func take(
    _ number: UInt64, for answer: HIDRequestAnswer?, by owner: Int?,
    from attachment: InterfaceAttachment
  ) -> Taken {
    guard let request = requests[number], attachment.isCurrent(request.port) else {
      return .none(.notWaiting)
    }
    guard owner ?? request.owner == request.owner else { return .none(.notOwned) }
    guard answer?.fits(request.record.event) ?? true else { return .none(.unfit) }
    requests[number] = nil
    return .request(request)
  }

  mutating func removeAll() { requests = [:] }
}

extension HIDRequestAnswer {
  /// Returns whether the answer is valid for a request of the host.
  fileprivate func fits(_ event: HIDHostEvent) -> Bool {
    switch (self, event) {
    case (.report(let bytes), .getReport):
      bytes.count <= HIDReportDescriptor.uhidMaximumReportByteCount
    case (.report, _), (.acknowledged, .getReport): false
    default: true
    }
  }
}
