// SPDX-License-Identifier: Apache-2.0

import IOLoop
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

  private struct Queue: Sendable {
    let lock = AsyncLock()
    /// The number of tasks that have the turn or wait for it.
    var taskCount = 0
  }

  static let shared = TurnQueues()

  private let queues = Mutex<[Key: Queue]>([:])

  /// Waits until the earlier tasks of this process have left the queue of a turn.
  ///
  /// - Throws: `CancellationError`; in that case the task is not in the queue.
  func enter(_ key: Key) async throws {
    let lock = queues.withLock { queues in
      var queue = queues[key] ?? Queue()
      queue.taskCount += 1
      queues[key] = queue
      return queue.lock
    }
    guard !Task.isCancelled, await lock.enter() else {
      _ = remove(from: key)
      throw CancellationError()
    }
  }

  /// Leaves the queue of a turn, and resumes the next task.
  func leave(_ key: Key) { remove(from: key)?.leave() }

  /// Removes a task from the queue of a turn; returns the lock of the turn.
  private func remove(from key: Key) -> AsyncLock? {
    queues.withLock { queues in
      guard var queue = queues[key] else { return nil }
      queue.taskCount -= 1
      queues[key] = queue.taskCount > 0 ? queue : nil
      return queue.lock
    }
  }
}
