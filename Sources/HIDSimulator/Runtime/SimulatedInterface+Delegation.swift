// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDBus
import IOLoop
import Synchronization

/// The delegation of the host's requests to the program that drives the device.
extension SimulatedInterface {
  static let requestCount = Atomic<UInt64>(0)

  /// Delegates requests to the program that drives the device, from now on; `nil` for none.
  ///
  /// Requests that wait already are answered by the device if they get no answer in time.
  ///
  /// - Parameter owner: The owner of the delegation. `endDelegation(of:)` with another owner has no
  ///   effect. Another owner cannot answer the requests.
  func setDelegation(_ delegation: HIDDelegation?, owner: Int = 0) {
    state.withLock { state in
      state.model.policy.delegation = delegation
      state.model.policy.delegationOwner = owner
    }
  }

  /// Ends the delegation of an owner that has gone, unless another owner has replaced it.
  func endDelegation(of owner: Int) {
    state.withLock { state in
      if state.model.policy.delegationOwner == owner { state.model.policy.delegation = nil }
    }
  }

  /// Returns the reaction to an event of the host; a request is answered by its first source.
  func react(
    to event: HIDHostEventRecord, _ port: any HIDDevicePort, _ state: inout State
  ) -> HIDInterfaceModel.Reaction {
    if case .usb(.withdrawal(let request)) = event.event,
      let (number, delegated) = state.delegated.first(where: {
        $0.value.record.event.requestID == request
      })
    {
      state.delegated[number] = nil
      let silent = state.model.receive(
        delegated.record, answeredBy: .init(answer: .unanswered), at: timeline.now)
      let rest = state.model.receive(event)
      return (silent.effects + rest.effects, silent.happenings + rest.happenings)
    }
    switch state.model.answerSource(for: event.event, isDelegable: true) {
    case .program(let delegation, let owner):
      return delegate(event, to: owner, within: delegation.deadline, port, &state)
    case let source?: return state.model.answer(event, from: source)
    case nil: return state.model.receive(event)
    }
  }

  /// Delegates a request, and returns the event to log.
  private func delegate(
    _ event: HIDHostEventRecord, to owner: Int, within bound: Duration,
    _ port: any HIDDevicePort, _ state: inout State
  ) -> HIDInterfaceModel.Reaction {
    let number = Self.requestCount.add(1, ordering: .relaxed).newValue
    guard let request = state.model.request(event.event, number: number) else { return ([], []) }
    state.delegated[number] = Delegated(record: event, port: port, owner: owner)
    timeline.schedule(at: timeline.now.advanced(by: bound)) { [weak self] in
      _ = self?.answer(number, with: nil)
    }
    let happening = HIDInterfaceModel.Happening(
      time: event.time, kind: .request(request), client: event.client, route: event.route)
    return ([], [happening])
  }

  /// The outcome of an answer to a delegated request.
  enum Outcome: Sendable {
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

  /// Answers a delegated request.
  ///
  /// - Parameters:
  ///   - answer: The answer; nil for that of the next source.
  ///   - owner: The owner that answers; `nil` to answer a request of any owner.
  func answer(
    _ number: UInt64, with answer: HIDRequestAnswer?, by owner: Int? = nil
  ) -> Outcome {
    typealias Taken = (port: any HIDDevicePort, reaction: HIDInterfaceModel.Reaction)
    let (taken, outcome) = state.withLock { state -> (Taken?, Outcome) in
      guard let delegated = state.delegated[number], state.isPlugged,
        state.isCurrent(delegated.port)
      else { return (nil, .notWaiting) }
      guard owner ?? delegated.owner == delegated.owner else { return (nil, .notOwned) }
      guard answer?.fits(delegated.record.event) ?? true else { return (nil, .unfit) }
      state.delegated[number] = nil
      let reaction =
        answer.map { answer in
          state.model.receive(
            delegated.record, answeredBy: .init(answer: answer), at: timeline.now)
        } ?? state.model.receive(delegated.record)
      return ((delegated.port, reaction), .answered)
    }
    guard let taken else { return outcome }
    for happening in taken.reaction.happenings {
      tell(happening)
    }
    for effect in taken.reaction.effects { perform(effect, taken.port, for: .reply) }
    return .answered
  }
}

extension HIDRequestAnswer {
  /// Returns whether the answer is valid for a request of the host.
  fileprivate func fits(_ event: HIDHostEvent) -> Bool {
    switch (self, event) {
    case (.report(let bytes), .getReport):
      bytes.count <= HIDReportDescriptor.uhidMaximumReportByteCount
    case (.report, _), (.accepted, .getReport): false
    default: true
    }
  }
}
