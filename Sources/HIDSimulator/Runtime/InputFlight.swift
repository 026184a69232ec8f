// SPDX-License-Identifier: Apache-2.0

import IOLoop
import Synchronization

/// What is between a device and a host of the same process: a virtual time stands still while something is on its way.
///
/// The device's end counts the reports it sends, the host's those it has acted upon. A request is on its way until the
/// device puts it off; then time goes on for the host that waits for the answer.
final class InputFlight: Sendable {
  private enum Request: Sendable {
    case none
    case onItsWay
    case putOff
  }

  private struct State: Sendable {
    var reports = 0
    var request = Request.none
    /// Which request it is: what was put off may be answered after its host has given up.
    var requestNumber = 0
    var isOver = false
  }

  private let timeline: Timeline
  private let state = Mutex(State())

  init(_ timeline: Timeline) { self.timeline = timeline }

  // MARK: Reports

  /// Notes reports that are about to be sent.
  func sends(_ count: Int) {
    state.withLock { state in
      guard !state.isOver else { return }
      state.reports += count
      for _ in 0..<count { timeline.beginWork() }
    }
  }

  /// Notes that a report has been acted upon.
  func took() {
    state.withLock { state in
      // One that was sent before anybody counted.
      guard state.reports > 0 else { return }
      state.reports -= 1
      timeline.endWork()
    }
  }

  /// Notes that nothing arrives any more.
  func end() {
    state.withLock { state in
      for _ in 0..<state.reports { timeline.endWork() }
      state.reports = 0
      state.isOver = true
    }
  }

  // MARK: Requests

  /// Notes that the host asks: what it was at goes on in the request.
  func asks() {
    state.withLock { state in
      state.request = .onItsWay
      state.requestNumber += 1
    }
  }

  /// Notes that the host has its answer, and is at work again.
  func isAnswered() {
    state.withLock { state in
      if case .putOff = state.request { timeline.beginWork() }
      state.request = .none
    }
  }

  /// Notes that the device does not answer yet.
  ///
  /// - Returns: Notes that it does so now; nil if nothing was asked here.
  func putOff() -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard case .onItsWay = state.request else { return nil }
      state.request = .putOff
      timeline.endWork()
      let number = state.requestNumber
      return { self.goesOn(number) }
    }
  }

  private func goesOn(_ number: Int) {
    state.withLock { state in
      guard state.requestNumber == number, case .putOff = state.request else { return }
      state.request = .onItsWay
      timeline.beginWork()
    }
  }
}
