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
  func setDelegation(_ delegation: HIDDelegation?) {
    state.withLock { $0.delegation = delegation }
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

  /// Answers a request that was left to others.
  ///
  /// - Returns: Whether the request still waited for its answer.
  func answer(_ number: UInt64, with answer: HIDDelegatedAnswer) -> Bool {
    typealias Outcome = (port: any HIDPeripheralPort, reaction: HIDInterfaceModel.Reaction)
    let outcome = state.withLock { state -> Outcome? in
      guard let delegated = state.delegated.removeValue(forKey: number), state.isPlugged,
        state.isCurrent(delegated.port)
      else { return nil }
      let reaction = state.model.receive(delegated.record, answeredBy: answer, at: timeline.now)
      return (delegated.port, reaction)
    }
    guard let outcome else { return false }
    for happening in outcome.reaction.happenings {
      tell(happening.kind, at: happening.time, by: happening.client)
    }
    for effect in outcome.reaction.effects { perform(effect, outcome.port, for: .reply) }
    return true
  }
}
