// SPDX-License-Identifier: Apache-2.0

import HeapModule

/// The ID of a scheduled call: a number that its loop or virtual time uses only once.
public struct DeadlineID: Hashable, Sendable {
  fileprivate let rawValue: UInt64
}

/// The scheduled calls of a loop or a virtual time, earliest first.
///
/// Calls with one deadline keep the order in which they were scheduled.
struct DeadlineQueue: Sendable {
  private struct Entry: Comparable, Sendable {
    let deadline: MonotonicTime
    let id: UInt64

    static func < (first: Entry, second: Entry) -> Bool {
      (first.deadline, first.id) < (second.deadline, second.id)
    }
  }

  private var heap = Heap<Entry>()
  private var handlers: [UInt64: @Sendable () -> Void] = [:]
  private var lastID: UInt64 = 0

  /// The time of the next call; `nil` if there is none.
  ///
  /// It may be the time of a call that was cancelled: then the loop wakes once without a call.
  var earliest: MonotonicTime? { heap.min?.deadline }

  /// Adds a call; returns its ID, and whether ``earliest`` has changed to its deadline.
  mutating func insert(
    _ deadline: MonotonicTime, _ handler: @escaping @Sendable () -> Void
  ) -> (DeadlineID, isEarliest: Bool) {
    lastID += 1
    let isEarliest = heap.min.map { deadline < $0.deadline } ?? true
    heap.insert(Entry(deadline: deadline, id: lastID))
    handlers[lastID] = handler
    return (DeadlineID(rawValue: lastID), isEarliest)
  }

  mutating func cancel(_ id: DeadlineID) {
    handlers[id.rawValue] = nil
    // Cancelled entries at the front are removed at once, so that they do not pile up before a late
    // deadline.
    while let first = heap.min, handlers[first.id] == nil { heap.removeMin() }
    if heap.count > 64, heap.count > 2 * handlers.count {
      heap = Heap(heap.unordered.filter { handlers[$0.id] != nil })
    }
  }

  /// Takes out the first call that is due by `now`; `nil` if none is due.
  mutating func removeFirst(dueBy now: MonotonicTime) -> (@Sendable () -> Void)? {
    while let first = heap.min, first.deadline <= now {
      heap.removeMin()
      if let handler = handlers.removeValue(forKey: first.id) { return handler }
    }
    return nil
  }
}
