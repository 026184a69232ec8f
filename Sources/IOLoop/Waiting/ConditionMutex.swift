// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A mutex around a state, whose callers can wait until the state meets a condition.
///
/// Conditions are evaluated with the state locked, in order of arrival: when a wait begins, and
/// whenever the state may have changed. So a condition can change the state where it is met, as one
/// that takes an element from a queue does: its task, and no other, gets that element.
package final class ConditionMutex<State: Sendable>: Sendable {
  private struct Waiter: Sendable {
    let id: UInt64
    let attempt: Attempt
  }

  /// Evaluates a condition; returns the call that resumes its task if it is met.
  private typealias Attempt = @Sendable (inout State) -> (@Sendable () -> Void)?

  private struct Content: Sendable {
    var state: State
    var waiters: [Waiter] = []
    var lastID: UInt64 = 0

    /// Removes the waiters whose condition is met, and adds the calls that resume their tasks.
    ///
    /// A condition that is met can change the state, so that an earlier one is met then.
    mutating func takeWaiters(into calls: inout [@Sendable () -> Void]) {
      var index = 0
      while index < waiters.count {
        if let call = waiters[index].attempt(&state) {
          calls.append(call)
          waiters.remove(at: index)
          index = 0
        } else {
          index += 1
        }
      }
    }
  }

  private let content: Mutex<Content>

  package init(_ state: State) { content = Mutex(Content(state: state)) }

  /// The number of tasks that wait.
  package var waiterCount: Int { content.withLock { $0.waiters.count } }

  /// Calls a body with the state locked, and then resumes the tasks whose condition is met.
  ///
  /// - Parameter body: The body, which must not use the mutex.
  package func withLock<Result: Sendable, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var calls: [@Sendable () -> Void] = []
    let result = try content.withLock { content throws(Failure) -> Result in
      let result = try body(&content.state)
      if !content.waiters.isEmpty { content.takeWaiters(into: &calls) }
      return result
    }
    for call in calls { call() }
    return result
  }

  /// Waits until a condition has a value, and returns the value.
  ///
  /// A cancelled task waits, too.
  ///
  /// - Parameter condition: The condition, called with the state locked. Its value is `nil` while
  ///   the task has to wait. It must not use the mutex.
  package func wait<Value: Sendable>(
    for condition: @escaping @Sendable (inout State) -> Value?
  ) async -> Value {
    let promise = Promise<Value>()
    begin { state in
      guard let value = condition(&state) else { return nil }
      return { promise.fulfill(value) }
    }
    return await promise.get()
  }

  /// Waits until a condition has a value, and returns the value; `nil` if the task is cancelled or
  /// the time is over first.
  ///
  /// - Parameters:
  ///   - deadline: The end of the wait; `nil` for none.
  ///   - isCancellable: False to wait on in a cancelled task.
  ///   - condition: The condition, called with the state locked. Its value is `nil` while the task
  ///     has to wait. It must not use the mutex.
  package func wait<Value: Sendable>(
    until deadline: MonotonicTime?, isCancellable: Bool = true,
    for condition: @escaping @Sendable (inout State) -> Value?
  ) async -> Value? {
    let promise = Promise<Value?>()
    let id = begin { state in
      guard let value = condition(&state) else { return nil }
      return { promise.fulfill(value) }
    }
    guard let id else { return await promise.get() }
    let timer = deadline.map { deadline in
      IOLoop.housekeeping.schedule(at: deadline) { self.giveUp(id, promise) }
    }
    defer { if let timer { IOLoop.housekeeping.cancel(timer) } }
    guard isCancellable else { return await promise.get() }
    return await promise.get(onCancel: { giveUp(id, promise) })
  }

  /// Waits until the state meets a condition.
  ///
  /// A cancelled task waits, too.
  package func wait(until isMet: @escaping @Sendable (State) -> Bool) async {
    await wait { state -> Void? in isMet(state) ? () : nil }
  }

  /// Waits until the state meets a condition, or the task is cancelled.
  package func waitUnlessCancelled(until isMet: @escaping @Sendable (State) -> Bool) async {
    _ = await wait(until: nil) { state -> Void? in isMet(state) ? () : nil }
  }

  /// Calls an attempt, and adds it to the waiters if its condition is not met.
  ///
  /// - Returns: The ID of the waiter; `nil` if the condition was met.
  @discardableResult
  private func begin(_ attempt: @escaping Attempt) -> UInt64? {
    var calls: [@Sendable () -> Void] = []
    let id = content.withLock { content -> UInt64? in
      guard let call = attempt(&content.state) else {
        content.lastID += 1
        content.waiters.append(Waiter(id: content.lastID, attempt: attempt))
        return content.lastID
      }
      calls.append(call)
      if !content.waiters.isEmpty { content.takeWaiters(into: &calls) }
      return nil
    }
    for call in calls { call() }
    return id
  }

  /// Ends a wait without a value, unless its condition was met before.
  private func giveUp<Value: Sendable>(_ id: UInt64, _ promise: Promise<Value?>) {
    let isWaiting = content.withLock { content in
      guard let index = content.waiters.firstIndex(where: { $0.id == id }) else { return false }
      content.waiters.remove(at: index)
      return true
    }
    if isWaiting { promise.fulfill(nil) }
  }
}
