// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDTraces
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
      state.delegation = delegation
      state.delegationOwner = owner
    }
  }

  /// Ends the delegation of an owner that has gone, unless another owner has replaced it.
  func endDelegation(of owner: Int) {
    state.withLock { if $0.delegationOwner == owner { $0.delegation = nil } }
  }

  /// Delegates a request if the delegation includes it, and returns the event to log; otherwise
  /// nil.
  func delegate(
    _ event: HIDHostEventRecord, _ port: any HIDDevicePort, _ state: inout State
  ) -> HIDInterfaceModel.Reaction? {
    if case .usb(.withdrawal(let request)) = event.event,
      let (number, delegated) = state.delegated.first(where: {
        $0.value.record.event.requestID == request
      })
    {
      state.delegated[number] = nil
      let silent = state.model.receive(
        delegated.record, answeredBy: .nothing, at: timeline.now)
      let rest = state.model.receive(event)
      return (silent.effects + rest.effects, silent.happenings + rest.happenings)
    }
    guard let delegation = state.delegation else { return nil }
    switch event.event {
    case .getReport where delegation.getsReports: break
    case .setReport where delegation.setsReports: break
    default: return nil
    }
    let number = Self.requestCount.add(1, ordering: .relaxed).newValue
    guard let request = state.model.request(event.event, number: number) else { return nil }
    state.delegated[number] = Delegated(record: event, port: port, owner: state.delegationOwner)
    timeline.schedule(at: timeline.now.advanced(by: delegation.deadline)) { [weak self] in
      _ = self?.answer(number, with: .usual)
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
  /// - Parameter owner: The owner that answers; `nil` to answer a request of any owner.
  func answer(
    _ number: UInt64, with answer: HIDDelegatedAnswer, by owner: Int? = nil
  ) -> Outcome {
    typealias Taken = (port: any HIDDevicePort, reaction: HIDInterfaceModel.Reaction)
    let (taken, outcome) = state.withLock { state -> (Taken?, Outcome) in
      guard let delegated = state.delegated[number], state.isPlugged,
        state.isCurrent(delegated.port)
      else { return (nil, .notWaiting) }
      guard owner ?? delegated.owner == delegated.owner else { return (nil, .notOwned) }
      guard answer.fits(delegated.record.event) else { return (nil, .unfit) }
      state.delegated[number] = nil
      // A trace answers first, as it does without delegation.
      let recorded = answer == .usual ? state.answers.answer(delegated.record.event) : nil
      let reaction = state.model.receive(
        delegated.record, answeredBy: recorded ?? answer, at: timeline.now)
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

extension HIDDelegatedAnswer {
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
