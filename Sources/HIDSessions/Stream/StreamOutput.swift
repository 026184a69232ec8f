// SPDX-License-Identifier: Apache-2.0

package import HIDSimulator
package import HIDText
package import IOLoop

/// The lines of a stream: results and errors of commands, and events, in the order in which they
/// occurred.
///
/// Commands and devices do not wait for the reader: lines are kept until they are taken. If the
/// reader does not read, lines are dropped and counted, events first.
package final class StreamOutput: Sendable {
  /// The limits on the number of kept bytes.
  ///
  /// Above `rest`, ``follow()`` leaves events in the log. At `events`, events are dropped. At
  /// `all`, results are dropped, too.
  private static let marks = (rest: 1 << 20, events: 32 << 20, all: 64 << 20)

  private struct State: Sendable {
    var bytes: [UInt8] = []
    var events: StreamEvents
    /// The index in the log of the next event to send.
    var next: Int
    /// The numbers of events and results that were dropped since the previous line that reported
    /// drops.
    var droppedEvents = 0
    var droppedResults = 0
    var hasEnded = false
  }

  private let log: HIDEventLog
  private let base: MonotonicTime
  private let state: ConditionMutex<State>

  /// Makes an output.
  ///
  /// - Parameters:
  ///   - events: The events that are sent.
  ///   - isFromNow: True to leave out events that are in the log already.
  package init(
    _ log: HIDEventLog, base: MonotonicTime, events: StreamEvents, isFromNow: Bool = false
  ) {
    self.log = log
    self.base = base
    state = ConditionMutex(State(events: events, next: isFromNow ? log.endIndex : 0))
  }

  /// True if events are sent.
  var tellsEvents: Bool { state.withLock { $0.events.isOn } }

  /// Selects the events that are sent from now on.
  func tell(_ events: StreamEvents) {
    state.withLock { state in
      fill(&state)
      state.events = events
    }
  }

  /// Adds a line, after the events that have occurred by now.
  package func put(_ line: JSONLine) {
    state.withLock { state in
      fill(&state)
      append(line, isEvent: false, to: &state)
    }
  }

  /// Adds events as they occur, until the log or the output ends or the task is cancelled.
  package func follow() async {
    while true {
      let next = state.withLock { $0.hasEnded ? nil : $0.next }
      guard let next, await log.wait(for: next) else { return }
      state.withLock { fill(&$0) }
      // While the reader is behind, events stay in the log, until another method adds them.
      await state.wait { $0.bytes.count <= Self.marks.rest || $0.hasEnded }
    }
  }

  /// Waits for lines, and returns all kept lines; `nil` if there are none after the end of the
  /// output.
  package func take() async -> [UInt8]? {
    await state.wait { !$0.bytes.isEmpty || $0.hasEnded }
    // Bytes that were added since the wait ended are taken with the others.
    return state.withLock { state in
      defer { state.bytes = [] }
      return state.bytes.isEmpty ? nil : state.bytes
    }
  }

  /// Ends the output; lines that are kept can still be taken.
  package func end() {
    state.withLock { state in
      fill(&state)
      state.hasEnded = true
    }
  }

  // MARK: Under the lock

  /// Adds the selected events that have occurred since the previous call.
  private func fill(_ state: inout State) {
    guard !state.hasEnded else { return }
    let (events, missed) = log.read(from: &state.next)
    guard state.events.isOn else { return }
    state.droppedEvents += missed
    for (position, event) in events.enumerated() {
      if event.kind.isInput, !state.events.showsInput { continue }
      var line = EventJSON.line(event, base: base)
      line.add("number", .integer(state.next - events.count + position))
      append(line, isEvent: true, to: &state)
    }
  }

  private func append(_ line: JSONLine, isEvent: Bool, to state: inout State) {
    guard state.bytes.count < (isEvent ? Self.marks.events : Self.marks.all) else {
      if isEvent { state.droppedEvents += 1 } else { state.droppedResults += 1 }
      return
    }
    if state.droppedEvents > 0 || state.droppedResults > 0 {
      var missed = JSONLine()
      missed.add("event", "missed")
      missed.add("device", nil)
      missed.add("time", .integer(MonotonicTime.now.microseconds(since: base)))
      missed.add("count", .integer(state.droppedEvents))
      if state.droppedResults > 0 { missed.add("results", .integer(state.droppedResults)) }
      state.bytes += missed.utf8 + [0x0A]
      state.droppedEvents = 0
      state.droppedResults = 0
    }
    state.bytes += line.utf8
    state.bytes.append(0x0A)
  }
}
