// SPDX-License-Identifier: Apache-2.0

import DequeModule
import Synchronization

/// The queues of this process's tasks that wait for turns, one for each turn, in order of arrival.
///
/// A turn is the right to use a vendor and product ID or the kernel's nodes; see ``KernelTurn``.
/// Only the first task of a queue takes the file lock that other processes take too.
final class TurnQueues: Sendable {
  /// The identity of a turn.
  struct Key: Hashable, Sendable {
    /// The file with the locks.
    let path: String
    /// A vendor and product ID; nil for the kernel's nodes.
    let identity: Int?
  }

  private struct Waiter: Sendable {
    let number: Int
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State: Sendable {
    /// The waiting tasks for each turn that a task of this process has.
    var waiting: [Key: Deque<Waiter>] = [:]
    var last = 0
  }

  static let shared = TurnQueues()

  private let state = Mutex(State())

  /// Waits until the earlier tasks of this process have left the queue of a turn.
  ///
  /// - Throws: `CancellationError`; in that case the task is not in the queue.
  func enter(_ key: Key) async throws {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result: Result<Void, any Error>? = state.withLock { state in
          // A task that is cancelled from here on is removed below, once the lock is free.
          if Task.isCancelled { return .failure(CancellationError()) }
          guard state.waiting[key] != nil else {
            state.waiting[key] = []
            return .success(())
          }
          state.waiting[key]?.append(Waiter(number: number, continuation: continuation))
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      let waiter = state.withLock { state -> Waiter? in
        guard let index = state.waiting[key]?.firstIndex(where: { $0.number == number }) else {
          return nil
        }
        return state.waiting[key]?.remove(at: index)
      }
      waiter?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Leaves the queue of a turn, and resumes the next task.
  func leave(_ key: Key) {
    let next = state.withLock { state in
      let next = state.waiting[key]?.popFirst()
      if next == nil { state.waiting[key] = nil }
      return next
    }
    next?.continuation.resume()
  }
}
