// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A time that moves only while nothing goes on, and then at once to the next deadline.
///
/// What is due is called one after the other: the next when all that came of the one before is over. So the same
/// parties do the same things in the same order, however fast they are.
final class VirtualTime: Sendable {
  private struct State: Sendable {
    var now: MonotonicTime
    /// How many things go on.
    var work = 0
    /// Whether the time may move beyond what is due now.
    var isRunning = false
    /// Whether the loop calls what is due, or is about to.
    var isCalling = false
    var deadlines = DeadlineQueue()

    /// Whether there is something to call.
    var isDue: Bool {
      guard work == 0, let next = deadlines.earliest else { return false }
      return isRunning || next <= now
    }

    /// Notes that the loop has something to call, if it does not know yet.
    mutating func beginsCalling() -> Bool {
      guard !isCalling, isDue else { return false }
      isCalling = true
      return true
    }
  }

  /// The loop of every virtual time of this process.
  private static let loop = IOLoop(name: "hidsim-virtual")
  private let state: Mutex<State>

  init(from start: MonotonicTime) { state = Mutex(State(now: start)) }

  var now: MonotonicTime { state.withLock { $0.now } }

  /// Whether nothing goes on but what the caller does, and nothing is due.
  var isSettled: Bool {
    state.withLock { state in
      state.work <= 1 && !state.isCalling && state.deadlines.earliest.map { $0 > state.now } ?? true
    }
  }

  func beginWork() { state.withLock { $0.work += 1 } }

  func endWork() {
    change { state in
      precondition(state.work > 0, "work has ended that had not begun")
      state.work -= 1
    }
  }

  func start() { change { $0.isRunning = true } }

  func stop() { state.withLock { $0.isRunning = false } }

  func schedule(
    at deadline: MonotonicTime, _ body: @escaping @Sendable () -> Void
  ) -> DeadlineID {
    change { $0.deadlines.insert(deadline, body).0 }
  }

  func cancel(_ id: DeadlineID) { state.withLock { $0.deadlines.cancel(id) } }

  private func change<Value: Sendable>(_ body: (inout sending State) -> Value) -> Value {
    let (value, begins) = state.withLock { state in
      let value = body(&state)
      return (value, state.beginsCalling())
    }
    if begins { Self.loop.perform { self.callDue() } }
    return value
  }

  /// Calls what is due, and moves the time to it, while nothing goes on.
  ///
  /// On the loop.
  private func callDue() {
    while true {
      let (call, isOver) = state.withLock { state -> ((@Sendable () -> Void)?, Bool) in
        guard state.isDue, let next = state.deadlines.earliest else {
          state.isCalling = false
          return (nil, true)
        }
        let time = max(state.now, next)
        // None where the first was cancelled: then the time does not move to it.
        guard let call = state.deadlines.removeFirst(dueBy: time) else { return (nil, false) }
        state.now = time
        state.work += 1
        return (call, false)
      }
      if isOver { return }
      guard let call else { continue }
      call()
      state.withLock { $0.work -= 1 }
    }
  }
}
