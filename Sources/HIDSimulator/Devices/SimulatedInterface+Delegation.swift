// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDReportDescriptor
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
  package func setDelegation(_ delegation: HIDDelegation?, owner: Int = 0) {
    state.withLock { state in
      state.model.policy.program = delegation.map { .init(delegation: $0, owner: owner) }
    }
  }

  /// Ends the delegation of an owner that has gone, unless another owner has replaced it.
  package func endDelegation(of owner: Int) {
    state.withLock { state in
      if state.model.policy.program?.owner == owner { state.model.policy.program = nil }
    }
  }

  /// Returns the reaction to an event of the host; a request is answered by its first source.
  func react(
    to event: HIDHostEventRecord, _ port: any HIDDevicePort, _ state: inout State
  ) -> HIDInterfaceModel.Reaction {
    if case .usb(.withdrawal(let request)) = event.event,
      let delegated = state.delegated.remove(request),
      let asked = state.model.request(delegated.record)
    {
      let end = state.model.answer(asked, with: .init(answer: .none), at: timeline.now)
      let rest = state.model.receive(event)
      return (end.effects + rest.effects, end.happenings + rest.happenings)
    }
    switch state.model.answer(event, isDelegable: true) {
    case .delegated(let request, let program):
      return delegate(request, to: program, port, &state)
    case .reaction(let reaction): return reaction
    case nil: return state.model.receive(event)
    }
  }

  /// Delegates a request, and returns the event to log.
  private func delegate(
    _ request: HIDInterfaceModel.Request, to program: HIDAnswerPolicy.Program,
    _ port: any HIDDevicePort, _ state: inout State
  ) -> HIDInterfaceModel.Reaction {
    let number = Self.requestCount.add(1, ordering: .relaxed).newValue
    state.delegated.add(
      .init(record: request.record, port: port, owner: program.owner), as: number)
    let deadline = timeline.now.advanced(by: program.delegation.deadline)
    timeline.schedule(at: deadline) { [weak self] in _ = self?.answer(number, with: nil) }
    let happening = HIDInterfaceModel.Happening(
      time: request.record.time, kind: .request(HIDDelegatedRequest(request, as: number)),
      client: request.record.client, route: request.record.route)
    return ([], [happening])
  }

  package typealias Outcome = DelegatedRequests.Outcome

  /// Answers a delegated request.
  ///
  /// - Parameters:
  ///   - answer: The answer; nil for that of the next source.
  ///   - owner: The owner that answers; `nil` to answer a request of any owner.
  func answer(
    _ number: UInt64, with answer: HIDRequestAnswer?, by owner: Int? = nil
  ) -> Outcome {
    typealias Result = (DelegatedRequests.Taken, HIDInterfaceModel.Reaction)
    let (taken, reaction) = state.withLock { state -> Result in
      let taken = state.delegated.take(number, for: answer, by: owner, from: state.attachment)
      guard case .request(let delegated) = taken,
        let request = state.model.request(delegated.record)
      else { return (taken, ([], [])) }
      let reaction =
        answer.map { state.model.answer(request, with: .init(answer: $0), at: timeline.now) }
        ?? state.model.receive(delegated.record)
      return (taken, reaction)
    }
    switch taken {
    case .none(let outcome): return outcome
    case .request(let request):
      for happening in reaction.happenings { tell(happening) }
      for effect in reaction.effects { perform(effect, request.port, for: .reply) }
      return .answered
    }
  }
}
