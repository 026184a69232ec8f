// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The streams of a value that changes; a slow reader gets only the newest value.
final class ChangeStreams<Value: Sendable>: Sendable {
  private typealias Continuation = AsyncStream<Value>.Continuation

  private struct State {
    var continuations: [Int: Continuation] = [:]
    var lastNumber = 0
  }

  private let state = Mutex(State())

  deinit { for continuation in state.withLock(\.continuations).values { continuation.finish() } }

  /// Makes a stream that begins with a value.
  func makeStream(from value: Value) -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream<Value>.makeStream(
      bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      state.lastNumber += 1
      state.continuations[state.lastNumber] = continuation
      return state.lastNumber
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.continuations.removeValue(forKey: number) }
    }
    continuation.yield(value)
    return stream
  }

  /// Sends a new value to all streams.
  func send(_ value: Value) {
    // Yield outside the lock, because the removal of a stream that has just ended takes the lock.
    for continuation in state.withLock(\.continuations).values { continuation.yield(value) }
  }
}
