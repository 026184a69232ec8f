// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A queue between a task that reads elements and a task that works on them.
///
/// The reader waits while the queue is full.
final class BoundedQueue<Element: Sendable>: Sendable {
  private struct State: Sendable {
    var waiting: [Element] = []
    /// The total weight of the elements that wait.
    var weight = 0
    var hasEnded = false
    var worker: CheckedContinuation<Void, Never>?
    var reader: CheckedContinuation<Void, Never>?
  }

  private let capacity: Int
  private let state = Mutex(State())

  /// Makes a queue.
  ///
  /// - Parameter capacity: The total weight of waiting elements at which the reader waits.
  init(capacity: Int) { self.capacity = capacity }

  /// Adds elements, even beyond the capacity; does nothing after the end of the queue.
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

  /// Waits until there is room, or until the queue ends.
  ///
  /// - Returns: True if the reader can add elements; false after the end of the queue.
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

  /// Waits for elements, and takes all waiting elements; `nil` if there are none after the end of
  /// the queue.
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

  /// Ends the queue; elements that wait can still be taken.
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
