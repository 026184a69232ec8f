// SPDX-License-Identifier: Apache-2.0
import HIDBus
import HIDReportDescriptor
package import HIDTraces
import Synchronization

extension SimulatedDevice {
  /// Makes an interface of the device answer hosts as a trace does.
  ///
  /// Requests without an answer in the trace are answered as usual.
  package func answer(as answers: HIDTraceAnswers, interface: Int = 0) {
    interfaces[interface].state.withLock { $0.model.policy.trace = answers }
  }

  /// Begins with the first answers of the trace, before the trace is played.
  ///
  /// The next call of ``startAnswers()`` then continues after the answers given meanwhile. A second
  /// call of this method before that continues after them, too.
  package func beginAnswers() {
    for interface in interfaces { interface.state.withLock { $0.model.policy.trace.begin() } }
  }

  /// Begins with the first answers of the trace when a round of playing begins, unless
  /// ``beginAnswers()`` was called for this round.
  package func startAnswers() {
    for interface in interfaces { interface.state.withLock { $0.model.policy.trace.start() } }
  }
}
