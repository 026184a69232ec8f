// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What one task reads and another works on: when much waits, the reader waits too.
final class BoundedQueue<Element: Sendable>: Sendable {
  private struct State: Sendable {
    var waiting: [Element] = []
    /// What those that wait weigh together.
    var weight = 0
    var hasEnded = false
    var worker: CheckedContinuation<Void, Never>?
    var reader: CheckedContinuation<Void, Never>?
  }

  private let capacity: Int
  private let state = Mutex(State())

  /// Makes a queue.
  ///
  /// - Parameter capacity: What all that waits may weigh before the reader waits.
  init(capacity: Int) { self.capacity = capacity }

  /// Adds elements: more than there is room for, if they are given at once.
  func put(_ elements: [Element], weight: Int) {
    let worker = state.withLock { state in
      guard !elements.isEmpty, !state.hasEnded else {
        return nil as CheckedContinuation<Void, Never>?
      }
      state.waiting += elements
      state.weight += weight
      defer { state.worker = nil }
      return state.worker
    }
    worker?.resume()
  }

  /// Waits until there is room.
  ///
  /// - Returns: Whether more is to be read: not after the end.
  func room() async -> Bool {
    await withCheckedContinuation { continuation in
      let hasRoom = state.withLock { state in
        guard !state.hasEnded, state.weight >= capacity else { return true }
        state.reader = continuation
        return false
      }
      if hasRoom { continuation.resume() }
    }
    return !state.withLock { $0.hasEnded }
  }

  /// Takes all that waits, once there is any; `nil` after the end.
  func take() async -> [Element]? {
    while true {
      let taken = state.withLock { state -> ([Element], CheckedContinuation<Void, Never>?)? in
        guard !state.waiting.isEmpty else { return nil }
        defer {
          state.waiting = []
          state.weight = 0
          state.reader = nil
        }
        return (state.waiting, state.reader)
      }
      if let (elements, reader) = taken {
        reader?.resume()
        return elements
      }
      if state.withLock({ $0.hasEnded }) { return nil }
      await withCheckedContinuation { continuation in
        let isNews = state.withLock { state in
          guard state.waiting.isEmpty, !state.hasEnded else { return true }
          state.worker = continuation
          return false
        }
        if isNews { continuation.resume() }
      }
    }
  }

  /// Ends the queue: what waits can still be taken.
  func end() {
    let (worker, reader) = state.withLock { state in
      state.hasEnded = true
      defer {
        state.worker = nil
        state.reader = nil
      }
      return (state.worker, state.reader)
    }
    worker?.resume()
    reader?.resume()
  }
}
