// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The time that scripts, players and devices go by, and its deadlines.
///
/// Deadlines are met by the kernel's timer on a loop of their own: late by tens of microseconds on an
/// idle machine, never early.
public struct Timeline: Sendable {
  /// The real time of this machine.
  public static let real = Timeline(loop: IOLoop(name: "hidsim-time"))

  private let loop: IOLoop

  /// The time now.
  public var now: MonotonicTime { .now }

  /// Calls `body` at a time, on the timeline's loop: it must not block.
  ///
  /// - Returns: A name to cancel the call with.
  @discardableResult
  public func schedule(
    at deadline: MonotonicTime, _ body: @escaping @Sendable () -> Void
  ) -> DeadlineID {
    loop.schedule(at: deadline, body)
  }

  /// Forgets a scheduled call, if it has not begun.
  public func cancel(_ id: DeadlineID) { loop.cancel(id) }

  /// Waits until a time.
  ///
  /// - Throws: `CancellationError` if the task is cancelled first.
  public func sleep(until deadline: MonotonicTime) async throws {
    let sleeper = Sleeper()
    let id = loop.schedule(at: deadline) { sleeper.wake() }
    await withTaskCancellationHandler {
      await sleeper.sleep()
    } onCancel: {
      loop.cancel(id)
      sleeper.wake()
    }
    try Task.checkCancellation()
  }

  /// Waits for a while.
  ///
  /// - Throws: `CancellationError` if the task is cancelled first.
  public func sleep(for duration: Duration) async throws {
    try await sleep(until: now.advanced(by: duration))
  }

  /// One who sleeps until woken, whichever comes first.
  private final class Sleeper: Sendable {
    private enum State: Sendable {
      case awake
      case asleep(CheckedContinuation<Void, Never>)
      case woken
    }
    private let state = Mutex(State.awake)

    func sleep() async {
      await withCheckedContinuation { continuation in
        let isWoken = state.withLock { state in
          if case .woken = state { return true }
          state = .asleep(continuation)
          return false
        }
        if isWoken { continuation.resume() }
      }
    }

    func wake() {
      let old = state.withLock { state in
        defer { state = .woken }
        return state
      }
      if case .asleep(let continuation) = old { continuation.resume() }
    }
  }
}
