// SPDX-License-Identifier: Apache-2.0

import DequeModule
import Synchronization

/// A lock for tasks, which admits one at a time in the order of arrival.
final class AsyncLock: Sendable {
  private struct State: Sendable {
    var isTaken = false
    var waiting: Deque<CheckedContinuation<Void, Never>> = []
  }

  private let state = Mutex(State())

  /// Waits for the lock, and holds it while a closure runs.
  ///
  /// A cancelled task waits, too.
  func withLock<Value, Failure: Error>(
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    if !enter() {
      await withCheckedContinuation { continuation in
        if enter(orWait: continuation) { continuation.resume() }
      }
    }
    defer { leave() }
    return try await body()
  }

  /// Runs a closure under the lock if the lock is free; otherwise returns nil without a wait.
  func withLockIfFree<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value? {
    guard enter() else { return nil }
    defer { leave() }
    return try body()
  }

  /// Takes the lock if it is free; otherwise adds the waiter, if one is given, and returns false.
  private func enter(orWait waiter: CheckedContinuation<Void, Never>? = nil) -> Bool {
    state.withLock { state in
      guard state.isTaken else {
        state.isTaken = true
        return true
      }
      if let waiter { state.waiting.append(waiter) }
      return false
    }
  }

  private func leave() {
    let next = state.withLock { state in
      let next = state.waiting.popFirst()
      state.isTaken = next != nil
      return next
    }
    next?.resume()
  }
}
