// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDBus
import IOLoop
import Synchronization

/// The handler of a test's device: it records the host's events in order, and answers requests.
final class RecordingHandler: HIDDeviceHandler {
  enum Answer: Sendable {
    /// A report, or the acceptance of a report.
    case yes([UInt8] = [])
    /// An error.
    case no
    /// No answer by the handler.
    ///
    /// The test may answer later.
    case silence
  }

  struct NothingCame: Error, CustomStringConvertible {
    let expected: String
    let instead: [HIDHostEvent]
    var description: String { "no \(expected); instead: \(instead)" }
  }

  private struct Waiter: Sendable {
    let matches: @Sendable (HIDHostEvent) -> Bool
    let continuation: CheckedContinuation<HIDHostEvent?, Never>
  }

  private struct State: Sendable {
    var events: [HIDHostEvent] = []
    var consumed = 0
    var waiters: [UInt64: Waiter] = [:]
    var lastWaiter: UInt64 = 0
    var onGet: @Sendable (HIDReportType, HIDReportID?) -> Answer
    var onSet: @Sendable (HIDReportType, HIDReportID?, [UInt8]) -> Answer
  }

  /// The loop that ends waits that take too long.
  static let clock = IOLoop(name: "test-clock")
  private let state: Mutex<State>

  init(
    onGet: @escaping @Sendable (HIDReportType, HIDReportID?) -> Answer = { _, _ in .no },
    onSet: @escaping @Sendable (HIDReportType, HIDReportID?, [UInt8]) -> Answer = { _, _, _ in
      .yes()
    }
  ) {
    state = Mutex(State(onGet: onGet, onSet: onSet))
  }

  /// Changes the answers to get-report requests.
  func answerGets(_ answer: @escaping @Sendable (HIDReportType, HIDReportID?) -> Answer) {
    state.withLock { $0.onGet = answer }
  }

  /// All events since the last call of ``forget()``, or since the start.
  var events: [HIDHostEvent] { state.withLock { $0.events } }

  /// Drops the recorded events.
  func forget() {
    state.withLock { state in
      state.events = []
      state.consumed = 0
    }
  }

  func receive(_ records: [HIDHostEventRecord], from port: any HIDDevicePort) {
    for record in records {
      let (onGet, onSet) = state.withLock { ($0.onGet, $0.onSet) }
      note(record.event)  // before the answer: its receiver may look at the events
      switch record.event {
      case .getReport(let request, let type, let id):
        switch onGet(type, id) {
        case .yes(let report): port.answerGet(request, report)
        case .no: port.answerGet(request, nil)
        case .silence: break
        }
      case .setReport(let request, let type, let id, let bytes):
        switch onSet(type, id, Array(bytes)) {
        case .yes: port.answerSet(request, accepted: true)
        case .no: port.answerSet(request, accepted: false)
        case .silence: break
        }
      default: break
      }
    }
  }

  private func note(_ event: HIDHostEvent) {
    let woken = state.withLock { state -> [Waiter] in
      state.events.append(event)
      let woken = state.waiters.filter { $0.value.matches(event) }
      for key in woken.keys { state.waiters[key] = nil }
      if !woken.isEmpty { state.consumed = state.events.count }
      return Array(woken.values)
    }
    for waiter in woken { waiter.continuation.resume(returning: event) }
  }

  /// Waits for the next event of a kind, after the event of the previous wait.
  ///
  /// - Throws: `NothingCame` after `bound`, which is the limit of a failure and not a way to pass
  ///   time.
  @discardableResult
  func next(
    _ expected: String, within bound: Duration = .seconds(10),
    where matches: @escaping @Sendable (HIDHostEvent) -> Bool
  ) async throws -> HIDHostEvent {
    let event = await withCheckedContinuation {
      (continuation: CheckedContinuation<HIDHostEvent?, Never>) in
      let key = state.withLock { state -> UInt64? in
        if let index = state.events[state.consumed...].firstIndex(where: matches) {
          state.consumed = index + 1
          continuation.resume(returning: state.events[index])
          return nil
        }
        state.lastWaiter += 1
        state.waiters[state.lastWaiter] = Waiter(matches: matches, continuation: continuation)
        return state.lastWaiter
      }
      guard let key else { return }
      Self.clock.schedule(at: .now.advanced(by: bound)) { [weak self] in
        let late = self?.state.withLock { $0.waiters.removeValue(forKey: key) }
        late?.continuation.resume(returning: nil)
      }
    }
    guard let event else { throw NothingCame(expected: expected, instead: events) }
    return event
  }

  /// Waits for the next output report, and returns its bytes as they came.
  ///
  /// A USB device without an endpoint for output reports gets them as requests.
  func nextOutput() async throws -> HIDReportBytes {
    let event = try await next("output report") { event in
      switch event {
      case .output, .setReport(_, .output, _, _): true
      default: false
      }
    }
    switch event {
    case .output(let bytes), .setReport(_, .output, _, let bytes): return bytes
    default: return HIDReportBytes()
    }
  }

  /// Waits for the next get-report request.
  func nextGet() async throws -> (request: HIDRequestID, type: HIDReportType, id: HIDReportID?) {
    let event = try await next("get-report request") {
      if case .getReport = $0 { true } else { false }
    }
    guard case .getReport(let request, let type, let id) = event else {
      throw NothingCame(expected: "get-report request", instead: [event])
    }
    return (request, type, id)
  }

  /// Waits for the next set-report request.
  func nextSet() async throws -> (type: HIDReportType, id: HIDReportID?, bytes: [UInt8]) {
    let event = try await next("set-report request") {
      if case .setReport = $0 { true } else { false }
    }
    guard case .setReport(_, let type, let id, let bytes) = event else {
      throw NothingCame(expected: "set-report request", instead: [event])
    }
    return (type, id, Array(bytes))
  }
}
