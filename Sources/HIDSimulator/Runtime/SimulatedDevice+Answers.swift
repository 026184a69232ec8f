// SPDX-License-Identifier: Apache-2.0

package import HIDTraces
import HIDWire
import IOLoop
import Synchronization

extension SimulatedDevice {
  /// Has an interface of the device answer hosts as a trace of it has it.
  ///
  /// What the trace has nothing of is answered as ever.
  package func answer(as answers: HIDTraceAnswers, interface: Int = 0) {
    interfaces[interface].state.withLock { $0.answers = answers }
  }

  /// Begins with the first answers of the trace, before it is played.
  func beginAnswers() {
    for interface in interfaces { interface.state.withLock { $0.answers.begin() } }
  }

  /// Begins with the first answers of the trace: it is played from here on.
  func startAnswers() {
    for interface in interfaces { interface.state.withLock { $0.answers.start() } }
  }
}

extension HIDTraceAnswers {
  /// What a host is answered; nil where the trace has nothing of it.
  mutating func answer(_ event: HIDHostEvent) -> HIDDelegatedAnswer? {
    guard !isEmpty else { return nil }
    switch event {
    case .getReport(_, let type, let id):
      return switch answer(get: type, id) {
      case .report(let report): .report([UInt8](report))
      case .refused: .error
      case .unanswered, nil: nil
      }
    case .setReport(_, let type, let id, _):
      return switch answer(set: type, id) {
      case .accepted: .accepted
      case .refused: .error
      case .unanswered, nil: nil
      }
    default: return nil
    }
  }
}
