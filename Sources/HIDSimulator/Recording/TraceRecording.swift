// SPDX-License-Identifier: Apache-2.0

package import HIDTraces
import IOLoop
import Synchronization

/// A recording under way: sources on any thread bring events, and one writer takes the bytes.
///
/// Nobody is held up by who writes, unless that one is 4 MiB behind: then sources that ask for room wait, and lose what they
/// cannot keep themselves.
package final class TraceRecording: Sendable {
  /// How many bytes are kept before there is no room.
  private static let mark = 4 << 20

  private struct State: Sendable {
    var recorder: HIDTraceRecorder
    var bytes: [UInt8] = []
    var hasTimer = false
    var hasEnded = false
    /// Whether nobody waits for room any more.
    var isHurried = false
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
  /// What was recorded of each device so far.
  package var totals: [HIDTraceRecorder.Totals] { state.withLock { $0.recorder.totals } }

  /// Adds a device; nil where the trace can hold no more.
  package func add(_ device: HIDTraceDevice) -> Int? {
    change { $0.recorder.add(device, into: &$0.bytes) }
  }

  /// Takes what a source brings.
  package func add(_ body: (inout HIDTraceRecorder) -> Void) { change { body(&$0.recorder) } }

  /// Waits until there is room for more.
  package func room() async {
    await withCheckedContinuation { continuation in
      let hasRoom = state.withLock { state in
        guard state.bytes.count > Self.mark, !state.isHurried, !state.hasEnded else { return true }
        state.waiting.append(continuation)
        return false
      }
      if hasRoom { continuation.resume() }
    }
  }

  /// Has nobody wait for room any more: the recording is to end.
  package func hurry() {
    let waiting = state.withLock { state in
      state.isHurried = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for waiter in waiting { waiter.resume() }
  }

  /// Ends the recording: what there is can still be taken.
  package func finish() {
    change { state in
      state.recorder.finish(into: &state.bytes)
      state.hasEnded = true
    }
    hurry()
  }

  /// The bytes that are there, whole lines, once there are any; nil after the last.
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

  /// Changes the state, and writes what can be written.
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
