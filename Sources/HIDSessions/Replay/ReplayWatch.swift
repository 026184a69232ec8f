// SPDX-License-Identifier: Apache-2.0
package import HIDSimulator
import HIDText
package import HIDTraces
package import IOLoop
import Synchronization

/// A comparison of the host events during a replay with the host events in the trace.
package final class ReplayWatch: Sendable {
  fileprivate struct State: Sendable {
    /// The time when the replay began, and the time from which the host events are those of the
    /// program under test; nil until they are known.
    var starts: (replay: MonotonicTime, host: MonotonicTime)?
    var mismatches: [HIDTraceAssertion.Mismatch] = []
    var count = 0
    var assertion: HIDTraceAssertion
    /// The host events and their times that are not compared yet.
    var seen: [(time: MonotonicTime, event: HIDTraceEvent)] = []
    var missed = 0
    var index = 0
  }

  /// The result of the comparison.
  package struct Verdict: Sendable {
    /// The first 100 differences from the trace.
    package let mismatches: [HIDTraceAssertion.Mismatch]
    /// The number of all differences.
    package let count: Int
    /// The number of asserted host events in the trace, and the number of these events that came.
    package let expected: Int
    package let matched: Int
    /// The number of events that could not be compared: the log had dropped them, or the watch had
    /// too many that waited to be compared.
    package let missed: Int

    /// True if all events are as in the trace.
    package var isAsRecorded: Bool { count == 0 && missed == 0 }
  }

  fileprivate static let mismatchCapacity = 100

  private let log: HIDEventLog
  /// The indices of the trace's devices by their labels in the log.
  private let places: [String: Int]
  private let state: Mutex<State>

  /// Creates a comparison for devices, which need not be plugged.
  ///
  /// The comparison reads the log from its first event on.
  package convenience init(
    _ assertion: HIDTraceAssertion, of devices: [SimulatedDevice], log: HIDEventLog
  ) {
    self.init(assertion, of: devices.flatMap { $0.interfaces.map(\.label) }, log: log)
  }

  /// Creates a comparison for interfaces, which need not be plugged.
  ///
  /// - Parameters:
  ///   - assertion: The expected events.
  ///   - labels: The labels of the interfaces in the log, in the order of the trace's devices.
  ///   - log: The log, which is read from its first event on.
  package init(_ assertion: HIDTraceAssertion, of labels: [String], log: HIDEventLog) {
    self.log = log
    places = Dictionary(
      labels.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
    state = Mutex(State(assertion: assertion))
  }

  /// Collects host events until the task is cancelled or the log has ended.
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

  /// Waits for the remaining host events of the trace.
  ///
  /// Events before `hostStart`, such as requests of drivers when the device was plugged, may match
  /// the trace, but need not.
  ///
  /// - Parameters:
  ///   - start: The time when the replay began.
  ///   - hostStart: The time from which the host events are those of the program under test. A
  ///     program can send reports before the replay begins, if the replay waits for the program.
  ///   - patience: The time limit if the assertion has no times.
  /// - Returns: True if all asserted events of the trace have come, without a difference from the
  ///   trace, and no event was lost.
  package func settle(
    start: MonotonicTime, hostStart: MonotonicTime, patience: Duration
  ) async -> Bool {
    let end = MonotonicTime.now.advanced(by: patience)
    state.withLock { $0.starts = (start, hostStart) }
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

  /// Ends the comparison after ``settle(start:hostStart:patience:)``, and returns the result.
  ///
  /// Expected events that have not come by now count as differences.
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
  /// Compares the collected events with the expected events.
  fileprivate mutating func compare() {
    guard let starts else { return }
    for (time, event) in seen {
      var event = event
      event.microseconds = time.duration(since: starts.replay).wholeMicroseconds
      if time < starts.host {
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
