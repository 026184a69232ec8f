// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
package import HIDTraces
import HIDWire
package import IOLoop
import Synchronization

/// Holds what hosts do to devices during a replay against what the trace says they did.
package final class ReplayWatch: Sendable {
  fileprivate struct State: Sendable {
    /// When the replay began, once that is known.
    var start: MonotonicTime?
    var mismatches: [HIDTraceAssertion.Mismatch] = []
    var count = 0
    var assertion: HIDTraceAssertion
    /// What hosts did, with its time, until it is known when the replay began.
    var seen: [(time: MonotonicTime, event: HIDTraceEvent)] = []
    var missed = 0
    var index = 0
  }

  /// What came of it.
  package struct Verdict: Sendable {
    /// What is not as in the trace: the first hundred.
    package let mismatches: [HIDTraceAssertion.Mismatch]
    /// How much there is of that.
    package let count: Int
    /// How many reports of the host there are in the trace, and how many of them came.
    package let expected: Int
    package let matched: Int
    /// How many events came too fast to be looked at.
    package let missed: Int

    /// Whether everything is as in the trace.
    package var isAsRecorded: Bool { count == 0 && missed == 0 }
  }

  fileprivate static let mismatchCapacity = 100

  private let log: HIDEventLog
  /// The places of the trace's devices by the names that the log has for them.
  private let places: [String: Int]
  private let state: Mutex<State>

  /// Begins to watch devices, which need not be plugged.
  package init(_ assertion: HIDTraceAssertion, of devices: [SimulatedDevice], log: HIDEventLog) {
    self.log = log
    let labels = devices.flatMap { $0.interfaces.map(\.label) }
    places = Dictionary(
      labels.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
    state = Mutex(State(assertion: assertion))
  }

  /// Takes what hosts do, until the task is cancelled.
  package func watch() async {
    while await log.wait(for: state.withLock { $0.index }), !Task.isCancelled { take() }
  }

  private func take() {
    state.withLock { state in
      let (events, missed) = log.read(from: &state.index)
      state.missed += missed
      for event in events {
        guard let place = places[event.device], let kind = HIDTraceEvent.Kind(event.kind) else {
          continue
        }
        let seen = HIDTraceEvent(microseconds: 0, device: place, kind: kind)
        guard state.assertion.isAsserted(seen) else { continue }
        if state.seen.count < HIDTraceAssertion.capacity {
          state.seen.append((event.time, seen))
        } else {
          state.missed += 1
        }
      }
    }
  }

  /// Waits for what is still to come of what the trace has.
  ///
  /// What hosts did before the replay, such as drivers when the device was plugged, may be of the trace, and need not be.
  ///
  /// - Parameters:
  ///   - start: When the replay began.
  ///   - patience: How long to wait where no times are asserted.
  /// - Returns: Whether everything has come, and nothing else.
  package func settle(start: MonotonicTime, patience: Duration) async -> Bool {
    let end = MonotonicTime.now.advanced(by: patience)
    state.withLock { $0.start = start }
    while true {
      take()
      let (index, deadline) = state.withLock { state in
        state.compare()
        let due = state.assertion.deadline.map { start.advanced(by: .microseconds($0)) }
        return (state.index, state.assertion.isComplete ? nil : due ?? end)
      }
      guard let deadline, await log.wait(for: index, until: deadline) else { break }
    }
    return state.withLock { $0.count == 0 && $0.missed == 0 && $0.assertion.isComplete }
  }

  /// What came of it until now, after it has settled.
  package func verdict() -> Verdict {
    take()
    return state.withLock { state in
      state.compare()
      state.note(state.assertion.end())
      return Verdict(
        mismatches: state.mismatches, count: state.count, expected: state.assertion.expectedCount,
        matched: state.assertion.matchedCount, missed: state.missed)
    }
  }
}

extension ReplayWatch.State {
  /// Holds what was seen against what is expected.
  fileprivate mutating func compare() {
    guard let start else { return }
    for (time, event) in seen {
      var event = event
      event.microseconds = time.duration(since: start).wholeMicroseconds
      if event.microseconds < 0 {
        assertion.sawEarly(event)
      } else {
        note(assertion.saw(event))
      }
    }
    seen = []
  }

  fileprivate mutating func note(_ found: [HIDTraceAssertion.Mismatch]) {
    count += found.count
    mismatches += found.prefix(max(0, ReplayWatch.mismatchCapacity - mismatches.count))
  }
}
