// SPDX-License-Identifier: Apache-2.0

import CLinux
import Synchronization

/// The jobs and calls that wait to run on a loop, and the eventfd that wakes the loop for them.
final class LoopWork: Sendable {
  enum Item: Sendable {
    /// A job of an actor on the loop.
    case actorJob(UnownedJob)
    /// A job of a task that prefers the loop.
    case taskJob(UnownedJob)
    case call(@Sendable () -> Void)
  }

  private let wakeEvent: Int32
  private let items = Mutex<[Item]>([])
  private let isWaiting = Atomic<Bool>(false)
  private let isAsleep = Atomic<Bool>(false)

  /// Makes an empty queue.
  ///
  /// - Parameter wakeEvent: A non-blocking eventfd, for which the loop waits.
  init(wakeEvent: Int32) { self.wakeEvent = wakeEvent }

  /// Adds an item, and wakes the loop if it sleeps.
  ///
  /// Items run in order.
  func append(_ item: Item) {
    items.withLock { $0.append(item) }
    isWaiting.store(true, ordering: .sequentiallyConsistent)
    guard isAsleep.exchange(false, ordering: .sequentiallyConsistent) else { return }
    var one: UInt64 = 1
    _ = CLinux.write(wakeEvent, &one, 8)
  }

  // MARK: The loop's side

  /// Takes all items in exchange for an empty array; returns false if no item waits.
  ///
  /// The array can be empty after true: the previous call has then taken the item of an `append`
  /// call that had not ended yet.
  func take(_ batch: inout [Item]) -> Bool {
    guard isWaiting.exchange(false, ordering: .sequentiallyConsistent) else { return false }
    items.withLock { items in swap(&batch, &items) }
    return true
  }

  /// Makes the next added item write to the eventfd, and returns whether the loop may sleep.
  ///
  /// The loop may sleep if no item waits.
  func beginSleeping() -> Bool {
    isAsleep.store(true, ordering: .sequentiallyConsistent)
    // Items that were appended before did not write to the eventfd.
    return !isWaiting.load(ordering: .sequentiallyConsistent)
  }

  func endSleeping() { isAsleep.store(false, ordering: .sequentiallyConsistent) }
}

/// A loop as the executor of tasks that prefer it.
final class LoopTaskExecutor: TaskExecutor {
  private let work: LoopWork

  init(_ work: LoopWork) { self.work = work }

  func enqueue(_ job: UnownedJob) { work.append(.taskJob(job)) }

  func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }
}
