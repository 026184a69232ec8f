// SPDX-License-Identifier: Apache-2.0

package import IOLoop
import Synchronization

/// The reports and requests in transit between a device and a host in this process.
///
/// Virtual time stands still while a report or request is in transit. The device counts the reports
/// that it sends. The host counts the reports that it has handled. A request is in transit until it
/// is answered. While the device postpones the answer, the time goes on.
package final class InputFlight: Sendable {
  private enum Request: Sendable {
    case none
    case inTransit
    case postponed
  }

  private struct State: Sendable {
    var reports = 0
    var request = Request.none
    /// The number of the most recent request: a postponed answer can come after its host has given
    /// up.
    var requestNumber = 0
    var isOver = false
  }

  private let timeline: Timeline
  private let state = Mutex(State())

  package init(_ timeline: Timeline) { self.timeline = timeline }

  // MARK: Reports

  /// Notes reports that are about to be sent.
  func willSend(_ count: Int) {
    state.withLock { state in
      guard !state.isOver else { return }
      state.reports += count
      for _ in 0..<count { timeline.beginWork() }
    }
  }

  /// Notes that the host has handled a report.
  package func didHandleReport() {
    state.withLock { state in
      // A report that was sent before the counting began is ignored.
      guard state.reports > 0 else { return }
      state.reports -= 1
      timeline.endWork()
    }
  }

  /// Notes that no more reports arrive.
  package func end() {
    state.withLock { state in
      for _ in 0..<state.reports { timeline.endWork() }
      state.reports = 0
      state.isOver = true
    }
  }

  // MARK: Requests

  /// Notes that the host sends a request.
  ///
  /// Virtual time keeps standing still until the answer, or until the device postpones the answer.
  package func didAsk() {
    state.withLock { state in
      state.request = .inTransit
      state.requestNumber += 1
    }
  }

  /// Notes that the request of the host is over, with or without an answer.
  ///
  /// If the device has postponed the answer and not given it, the host's work begins again.
  package func didAnswer() {
    state.withLock { state in
      if case .postponed = state.request { timeline.beginWork() }
      state.request = .none
    }
  }

  /// Notes that the device postpones the answer.
  ///
  /// - Returns: A closure that notes that the device answers now; nil if no request of this host is
  ///   in transit.
  func postponeAnswer() -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard case .inTransit = state.request else { return nil }
      state.request = .postponed
      timeline.endWork()
      let number = state.requestNumber
      return { self.resumeRequest(number) }
    }
  }

  private func resumeRequest(_ number: Int) {
    state.withLock { state in
      guard state.requestNumber == number, case .postponed = state.request else { return }
      state.request = .inTransit
      timeline.beginWork()
    }
  }
}
