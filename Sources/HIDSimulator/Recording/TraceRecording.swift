// SPDX-License-Identifier: Apache-2.0

package import HIDTraces
import IOLoop
import Synchronization

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
    var writer: CheckedContinuation<Void, Never>?
    var waiting: [CheckedContinuation<Void, Never>] = []

    mutating func takeWriter() -> CheckedContinuation<Void, Never>? {
      guard !bytes.isEmpty || hasEnded else { return nil }
      defer { writer = nil }
      return writer
    }
  }

  private let state: Mutex<State>

  /// Begins a recording.
  package init(_ recorder: HIDTraceRecorder) {
    var state = State(recorder: recorder)
    state.recorder.begin(into: &state.bytes)
    self.state = Mutex(state)
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
    await withCheckedContinuation { continuation in
      let hasRoom = state.withLock { state in
        guard state.bytes.count > Self.mark, !state.waitsNoMore, !state.hasEnded else {
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if hasRoom { continuation.resume() }
    }
  }

  /// Resumes all tasks that wait in ``room()``, and makes later calls of ``room()`` return at once.
  ///
  /// Call this method when the recording is about to end.
  package func stopWaiting() {
    let waiting = state.withLock { state in
      state.waitsNoMore = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for waiter in waiting { waiter.resume() }
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
    while true {
      let taken = state.withLock {
        state -> (bytes: [UInt8], waiting: [CheckedContinuation<Void, Never>])? in
        guard !state.bytes.isEmpty else { return nil }
        defer {
          state.bytes = []
          state.waiting = []
        }
        return (state.bytes, state.waiting)
      }
      if let taken {
        for waiter in taken.waiting { waiter.resume() }
        return taken.bytes
      }
      if state.withLock({ $0.hasEnded && $0.bytes.isEmpty }) { return nil }
      await withCheckedContinuation { continuation in
        let isNews = state.withLock { state in
          guard state.bytes.isEmpty, !state.hasEnded else { return true }
          state.writer = continuation
          return false
        }
        if isNews { continuation.resume() }
      }
    }
  }

  /// Changes the state, and writes the events that are due unless the recording has ended.
  @discardableResult
  private func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
    let (value, writer, due) = state.withLock {
      state -> (Value, CheckedContinuation<Void, Never>?, MonotonicTime?) in
      let value = body(&state)
      guard !state.hasEnded else { return (value, state.takeWriter(), nil) }
      let due = state.recorder.write(at: .now, into: &state.bytes)
      let needsTimer = due != nil && !state.hasTimer
      if needsTimer { state.hasTimer = true }
      return (value, state.takeWriter(), needsTimer ? due : nil)
    }
    writer?.resume()
    if let due {
      Timeline.real.schedule(at: due) { [weak self] in self?.change { $0.hasTimer = false } }
    }
    return value
  }
}
