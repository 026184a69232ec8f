// SPDX-License-Identifier: Apache-2.0

/// A queue between tasks that add elements and a task that takes them.
///
/// Tasks that call ``room()`` wait while the queue is full.
package final class BoundedQueue<Element: Sendable>: Sendable {
  private struct State: Sendable {
    var elements: [Element] = []
    /// The total weight of the elements.
    var weight = 0
    var hasEnded = false
  }

  private let capacity: Int
  private let state = ConditionMutex(State())

  /// Makes a queue.
  ///
  /// - Parameter capacity: The total weight of elements from which on the queue is full.
  package init(capacity: Int) { self.capacity = capacity }

  /// The number of tasks that wait for elements or for room.
  package var waiterCount: Int { state.waiterCount }

  /// Adds elements, even to a full queue; does nothing after the end of the queue.
  package func put(_ elements: [Element], weight: Int) {
    state.withLock { state in
      guard !state.hasEnded else { return }
      state.elements += elements
      state.weight += weight
    }
  }

  /// Waits until the queue is not full, or has ended.
  ///
  /// A cancelled task waits, too.
  ///
  /// - Returns: True if elements can be added; false after the end of the queue.
  package func room() async -> Bool {
    await state.wait { [capacity] state in
      state.hasEnded ? false : state.weight < capacity ? true : nil
    }
  }

  /// Waits for elements, and takes all of them; `nil` if there are none after the end of the queue.
  ///
  /// Only one task may call this method at a time. A cancelled task waits, too.
  package func take() async -> [Element]? {
    await state.wait { !$0.elements.isEmpty || $0.hasEnded }
    // Elements that were added since the wait ended are taken with the others.
    return state.withLock { state in
      defer { (state.elements, state.weight) = ([], 0) }
      return state.elements.isEmpty ? nil : state.elements
    }
  }

  /// Ends the queue; elements in it can still be taken.
  package func end() { state.withLock { $0.hasEnded = true } }
}
