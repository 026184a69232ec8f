// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDWire
import IOLoop
import Synchronization

/// Requests that others answer.
extension SimulatedInterface {
  static let requestCount = Atomic<UInt64>(0)

  /// Leaves requests to whoever drives the device, from now on; `nil` for none.
  ///
  /// Those that wait already are answered by the device if nobody answers them in time.
  ///
  /// - Parameter owner: Whose delegation it is: the end of another changes nothing.
  func setDelegation(_ delegation: HIDDelegation?, owner: Int = 0) {
    state.withLock { state in
      state.delegation = delegation
      state.delegationOwner = owner
    }
  }

  /// Leaves no more requests to somebody who has gone, unless another took that over.
  func endDelegation(of owner: Int) {
    state.withLock { if $0.delegationOwner == owner { $0.delegation = nil } }
  }

  /// Leaves a request to others, if it is to be: says what is told of it.
  func delegate(
    _ event: HIDHostEventRecord, _ port: any HIDPeripheralPort, _ state: inout State
  ) -> HIDInterfaceModel.Reaction? {
    guard let delegation = state.delegation else { return nil }
    switch event.event {
    case .getReport where delegation.getsReports: break
    case .setReport where delegation.setsReports: break
    default: return nil
    }
    let number = Self.requestCount.add(1, ordering: .relaxed).newValue
    guard let request = state.model.request(event.event, number: number) else { return nil }
    state.delegated[number] = Delegated(record: event, port: port)
    timeline.schedule(at: timeline.now.advanced(by: delegation.deadline)) { [weak self] in
      _ = self?.answer(number, with: .usual)
    }
    let happening = HIDInterfaceModel.Happening(
      time: event.time, kind: .request(request), client: event.client)
    return ([], [happening])
  }

  /// What became of an answer.
  enum Outcome: Sendable {
    case answered
    /// No such request waits.
    case notWaiting
    /// The request waits on: a get request has bytes, up to what uhid takes, and a set request none.
    case unfit
  }

  /// Answers a request that was left to others.
  func answer(_ number: UInt64, with answer: HIDDelegatedAnswer) -> Outcome {
    typealias Taken = (port: any HIDPeripheralPort, reaction: HIDInterfaceModel.Reaction)
    let (taken, outcome) = state.withLock { state -> (Taken?, Outcome) in
      guard let delegated = state.delegated[number], state.isPlugged,
        state.isCurrent(delegated.port)
      else { return (nil, .notWaiting) }
      guard answer.fits(delegated.record.event) else { return (nil, .unfit) }
      state.delegated[number] = nil
      let reaction = state.model.receive(delegated.record, answeredBy: answer, at: timeline.now)
      return ((delegated.port, reaction), .answered)
    }
    guard let taken else { return outcome }
    for happening in taken.reaction.happenings {
      tell(happening.kind, at: happening.time, by: happening.client)
    }
    for effect in taken.reaction.effects { perform(effect, taken.port, for: .reply) }
    return .answered
  }
}

extension HIDDelegatedAnswer {
  /// Whether a request of the host can be answered so.
  fileprivate func fits(_ event: HIDHostEvent) -> Bool {
    switch (self, event) {
    case (.report(let bytes), .getReport):
      bytes.count <= HIDReportDescriptor.uhidMaximumReportByteCount
    case (.report, _), (.accepted, .getReport): false
    default: true
    }
  }
}
