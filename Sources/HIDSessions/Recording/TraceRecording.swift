// SPDX-License-Identifier: Apache-2.0

package import HIDTraces
import IOLoop

/// A recording in progress: sources on any thread add events, and one writer takes the bytes.
///
/// Sources do not wait for the writer unless it is 4 MiB behind. Then sources that call `room()`
/// wait, and lose the events that they cannot keep themselves.
package final class TraceRecording: Sendable {
  /// The number of bytes above which there is no room.
  private static let mark = 4 << 20

  private struct State: Sendable {
    var recorder: HIDTraceRecorder
    var bytes: [UInt8] = []
    var missing = 0
    var hasTimer = false
    var hasEnded = false
    /// True if sources no longer wait for room.
    var waitsNoMore = false
  }

  private let state: ConditionMutex<State>

  /// Begins a recording.
  package init(_ recorder: HIDTraceRecorder) {
    var state = State(recorder: recorder)
    state.recorder.begin(into: &state.bytes)
    self.state = ConditionMutex(state)
  }

  /// The devices so far.
  package var devices: [HIDTraceDevice] { state.withLock { $0.recorder.devices } }
  /// The counts of the events of each device that were written so far.
  package var totals: [HIDTraceRecorder.Totals] { state.withLock { $0.recorder.totals } }
  /// The number of events that sources have dropped before they could be recorded.
  package var missing: Int { state.withLock { $0.missing } }

  /// Adds a device, and returns its position; nil if the trace can hold no more.
  package func add(_ device: HIDTraceDevice) -> Int? {
    change { $0.recorder.add(device, into: &$0.bytes) }
  }

  /// Adds the events of a source; events that are added after ``finish()`` are not written.
  package func add(_ body: (inout HIDTraceRecorder) -> Void) { change { body(&$0.recorder) } }

  /// Counts events that a source has dropped, and writes a comment about them into the trace.
  ///
  /// They can be events of any kind and of any device of the source. So they are not written as
  /// lost input reports of a device.
  ///
  /// - Parameter count: The number of events; the call does nothing if it is not positive, and
  ///   after ``finish()``.
  package func noteMissing(_ count: Int) {
    guard count > 0 else { return }
    change { state in
      guard !state.hasEnded else { return }
      state.missing = Int(clamping: Int64(state.missing).added(Int64(count)))
      let words = count == 1 ? "1 event is" : "\(count) events are"
      state.bytes += Array("# \(words) missing about here: hidsim was too slow\n".utf8)
    }
  }

  /// Waits until there is room for more events, or until the recording is about to end.
  package func room() async {
    await state.wait { $0.bytes.count <= Self.mark || $0.waitsNoMore || $0.hasEnded }
  }

  /// Resumes all tasks that wait in ``room()``, and makes later calls of ``room()`` return at once.
  ///
  /// Call this method when the recording is about to end.
  package func stopWaiting() {
    state.withLock { $0.waitsNoMore = true }
  }

  /// Ends the recording; the remaining bytes can still be taken.
  package func finish() {
    change { state in
      state.recorder.finish(into: &state.bytes)
      state.hasEnded = true
    }
    stopWaiting()
  }

  /// Waits for bytes, and returns them in whole lines; nil if there are none after the end of the
  /// recording.
  package func take() async -> [UInt8]? {
    await state.wait { !$0.bytes.isEmpty || $0.hasEnded }
    // Bytes that were added since the wait ended are taken with the others.
    return state.withLock { state in
      defer { state.bytes = [] }
      return state.bytes.isEmpty ? nil : state.bytes
    }
  }

  /// Changes the state, and writes the events that are due unless the recording has ended.
  @discardableResult
  private func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
    let (value, due) = state.withLock { state -> (Value, MonotonicTime?) in
      let value = body(&state)
      guard !state.hasEnded else { return (value, nil) }
      let due = state.recorder.write(at: .now, into: &state.bytes)
      let needsTimer = due != nil && !state.hasTimer
      if needsTimer { state.hasTimer = true }
      return (value, needsTimer ? due : nil)
    }
    if let due {
      Timeline.real.schedule(at: due) { [weak self] in self?.change { $0.hasTimer = false } }
    }
    return value
  }
}
