// SPDX-License-Identifier: Apache-2.0

import DequeModule
import Synchronization

/// Lets one task through at a time, in the order in which they come.
final class Turnstile: Sendable {
  private struct State: Sendable {
    var isTaken = false
    var waiting: Deque<CheckedContinuation<Void, Never>> = []
  }

  private let state = Mutex(State())

  /// Runs something that nothing else that comes through here runs beside.
  func pass<Value, Failure: Error>(
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

  /// Runs something if nobody is inside, and nothing otherwise: then it is nil.
  func passAtOnce<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value? {
    guard enter() else { return nil }
    defer { leave() }
    return try body()
  }

  /// Enters if nobody is inside.
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
