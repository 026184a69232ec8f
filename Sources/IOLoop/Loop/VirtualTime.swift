// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemPackage

/// A time that stands still during work, and then moves at once to the next deadline.
///
/// It stands still, too, before `start()` and after `stop()`. Calls that are due by then still run.
///
/// Due calls run one after the other: each call runs when all work that the previous call caused
/// has ended. So the same participants do the same things in the same order at any speed.
final class VirtualTime: Sendable {
  private struct State: Sendable {
    var now: MonotonicTime
    /// The number of pieces of work that have begun and not ended.
    var work = 0
    /// True if the time may move beyond the present.
    var isRunning = false
    /// True while the loop runs due calls, or is about to.
    var isCalling = false
    var deadlines = DeadlineQueue()

    /// True if a call can run now.
    var isDue: Bool {
      guard work == 0, let next = deadlines.earliest else { return false }
      return isRunning || next <= now
    }

    /// Returns whether `callDue()` must be called on the loop, and notes that it will be.
    mutating func beginCalling() -> Bool {
      guard !isCalling, isDue else { return false }
      isCalling = true
      return true
    }
  }

  /// The loop of every virtual time of this process.
  private static let loop = IOLoop(name: "hidsim-virtual")
  /// The error that keeps every virtual time of this process from moving; `nil` if there is none.
  static var failure: Errno? { loop.failure }

  private let state: Mutex<State>

  init(from start: MonotonicTime) { state = Mutex(State(now: start)) }

  var now: MonotonicTime { state.withLock { $0.now } }

  /// True if no work goes on except the caller's, and no call is due.
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
      return (value, state.beginCalling())
    }
    if begins { Self.loop.perform { self.callDue() } }
    return value
  }

  /// Runs the due calls, and moves the time to them, while no work goes on.
  ///
  /// Called on the loop.
  private func callDue() {
    while true {
      let (call, isOver) = state.withLock { state -> ((@Sendable () -> Void)?, Bool) in
        guard state.isDue, let next = state.deadlines.earliest else {
          state.isCalling = false
          return (nil, true)
        }
        let time = max(state.now, next)
        // `nil` if the first call was cancelled: then the time does not move to it.
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
