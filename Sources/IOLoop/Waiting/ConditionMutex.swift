// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// A mutex around a state, whose callers can wait until the state meets a condition.
///
/// Conditions are evaluated with the state locked, in order of arrival: when a wait begins, and
/// whenever the state may have changed. So a condition can change the state where it is met, as one
/// that takes an element from a queue does: its task, and no other, gets that element.
///
/// The type is public because the compiler specializes only public functions in other modules.
public final class ConditionMutex<State: Sendable>: Sendable {
  @usableFromInline
  struct Waiter: Sendable {
    @usableFromInline let id: UInt64
    @usableFromInline let attempt: Attempt

    @inlinable
    init(id: UInt64, attempt: @escaping Attempt) {
      self.id = id
      self.attempt = attempt
    }
  }

  /// Evaluates a condition; returns the call that resumes its task if it is met.
  @usableFromInline
  typealias Attempt = @Sendable (inout State) -> (@Sendable () -> Void)?

  @usableFromInline
  struct Content: Sendable {
    @usableFromInline var state: State
    @usableFromInline var waiters: [Waiter] = []
    @usableFromInline var lastID: UInt64 = 0

    fileprivate init(state: State) { self.state = state }

    /// Removes the waiters whose condition is met, and adds the calls that resume their tasks.
    ///
    /// A condition that is met can change the state, so that an earlier one is met then.
    @inlinable
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

  @usableFromInline let content: Mutex<Content>

  package init(_ state: State) { content = Mutex(Content(state: state)) }

  /// The number of tasks that wait.
  package var waiterCount: Int { content.withLock { $0.waiters.count } }

  /// Calls a body with the state locked, and then resumes the tasks whose condition is met.
  ///
  /// - Parameter body: The body, which must not use the mutex.
  @inlinable
  public func withLock<Result: Sendable, Failure: Error>(
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
  @inlinable
  public func wait<Value: Sendable>(
    for condition: @escaping @Sendable (inout State) -> Value?
  ) async -> Value {
    switch begin(condition, { $0 }) {
    case .met(let value): return value
    case .waiting(_, let promise): return await promise.get()
    }
  }

  /// Waits until a condition has a value, and returns the value; `nil` if the task is cancelled or
  /// the time is over first.
  ///
  /// - Parameters:
  ///   - deadline: The end of the wait; `nil` for none.
  ///   - isCancellable: False to wait on in a cancelled task.
  ///   - condition: The condition, called with the state locked. Its value is `nil` while the task
  ///     has to wait. It must not use the mutex.
  @inlinable
  public func wait<Value: Sendable>(
    until deadline: MonotonicTime?, isCancellable: Bool = true,
    for condition: @escaping @Sendable (inout State) -> Value?
  ) async -> Value? {
    let (id, promise): (UInt64, Promise<Value?>)
    switch begin(condition, { Optional($0) }) {
    case .met(let value): return value
    case .waiting(let number, let result): (id, promise) = (number, result)
    }
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
  @inlinable
  public func wait(until isMet: @escaping @Sendable (State) -> Bool) async {
    await wait { state -> Void? in isMet(state) ? () : nil }
  }

  /// Waits until the state meets a condition, or the task is cancelled.
  @inlinable
  public func waitUnlessCancelled(until isMet: @escaping @Sendable (State) -> Bool) async {
    _ = await wait(until: nil) { state -> Void? in isMet(state) ? () : nil }
  }

  @usableFromInline
  enum Begun<Value: Sendable, Promised: Sendable> {
    case met(Value)
    case waiting(UInt64, Promise<Promised>)
  }

  /// Returns the value of a condition, or adds a waiter if the condition has none.
  ///
  /// Nothing is allocated if the condition has a value.
  ///
  /// - Parameter wrap: Makes the value of the promise from the condition's.
  @inlinable
  func begin<Value: Sendable, Promised: Sendable>(
    _ condition: @escaping @Sendable (inout State) -> Value?,
    _ wrap: @escaping @Sendable (Value) -> Promised
  ) -> Begun<Value, Promised> {
    var calls: [@Sendable () -> Void] = []
    let begun = content.withLock { content -> Begun<Value, Promised> in
      if let value = condition(&content.state) {
        if !content.waiters.isEmpty { content.takeWaiters(into: &calls) }
        return .met(value)
      }
      let promise = Promise<Promised>()
      content.lastID += 1
      let waiter = Waiter(id: content.lastID) { state in
        guard let value = condition(&state) else { return nil }
        return { promise.fulfill(wrap(value)) }
      }
      content.waiters.append(waiter)
      return .waiting(content.lastID, promise)
    }
    for call in calls { call() }
    return begun
  }

  /// Ends a wait without a value, unless its condition was met before.
  @inlinable
  func giveUp<Value: Sendable>(_ id: UInt64, _ promise: Promise<Value?>) {
    let isWaiting = content.withLock { content in
      guard let index = content.waiters.firstIndex(where: { $0.id == id }) else { return false }
      content.waiters.remove(at: index)
      return true
    }
    if isWaiting { promise.fulfill(nil) }
  }
}
