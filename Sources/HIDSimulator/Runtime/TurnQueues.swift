// SPDX-License-Identifier: Apache-2.0

import DequeModule
import Synchronization

/// Those of this process that wait for the same turn, in the order in which they came: the first of them alone asks other
/// processes for it.
final class TurnQueues: Sendable {
  /// What is waited for.
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
    /// Who waits, for each turn that somebody has.
    var waiting: [Key: Deque<Waiter>] = [:]
    var last = 0
  }

  static let shared = TurnQueues()

  private let state = Mutex(State())

  /// Waits until nobody of this process who came before has a turn.
  ///
  /// - Throws: `CancellationError`, and then it is not had.
  func enter(_ key: Key) async throws {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result: Result<Void, any Error>? = state.withLock { state in
          // Whoever is cancelled from here on is looked for below, once the lock is free.
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

  /// Lets the next one have it.
  func leave(_ key: Key) {
    let next = state.withLock { state in
      let next = state.waiting[key]?.popFirst()
      if next == nil { state.waiting[key] = nil }
      return next
    }
    next?.continuation.resume()
  }
}
