// SPDX-License-Identifier: Apache-2.0

import Dispatch
public import Synchronization

/// A value that is set once, and the tasks that wait for it.
///
/// This is the only type of this module that suspends tasks: the other types of `Waiting/` give
/// each waiting task a promise.
///
/// The type is public because the compiler specializes only public functions in other modules.
public final class Promise<Value: Sendable>: Sendable {
  @usableFromInline
  struct State: Sendable {
    @usableFromInline var value: Value?
    @usableFromInline var task: UnsafeContinuation<Value, Never>?
    /// The calls for the other waiting tasks, and of ``Promise/whenFulfilled(_:)``, in order.
    @usableFromInline var calls: [@Sendable (Value) -> Void] = []

    @inlinable
    init() {}
  }

  @usableFromInline let state = Mutex(State())
  @usableFromInline let timeline: Timeline?

  /// Makes a promise without a value.
  @inlinable
  public init() { timeline = nil }

  /// Makes a promise for whose value the work of one task waits.
  ///
  /// - Parameter timeline: The timeline on which the work ends when the task calls ``get()``, and
  ///   begins again when the promise is fulfilled. Each must happen once.
  @inlinable
  public init(worksOn timeline: Timeline) { self.timeline = timeline }

  /// The value; `nil` until the promise is fulfilled.
  @inlinable
  public var value: Value? { state.withLock { $0.value } }

  /// Sets the value and resumes the waiting tasks, unless the promise has a value already.
  ///
  /// The caller must hold no lock that a cancellation handler takes: the runtime locks a task both
  /// while it resumes the task and while it calls the task's cancellation handlers.
  ///
  /// - Returns: True if the value was set.
  @inlinable
  @discardableResult
  public func fulfill(_ value: Value) -> Bool {
    let waiting = state.withLock { state -> State? in
      guard state.value == nil else { return nil }
      defer {
        state = State()
        state.value = value
      }
      // Work begins before the task can see the value, so that a virtual time stands still.
      timeline?.beginWork()
      return state
    }
    guard let waiting else { return false }
    waiting.task?.resume(returning: value)
    for call in waiting.calls { call(value) }
    return true
  }

  /// Waits for the value.
  ///
  /// A cancelled task waits, too.
  @inlinable
  public func get() async -> Value {
    timeline?.endWork()
    return await withUnsafeContinuation { continuation in
      let value = state.withLock { state -> Value? in
        guard state.value == nil else { return state.value }
        if state.task == nil {
          state.task = continuation
        } else {
          state.calls.append { continuation.resume(returning: $0) }
        }
        return nil
      }
      if let value { continuation.resume(returning: value) }
    }
  }

  /// Waits for the value, and calls a closure if the task is cancelled first.
  ///
  /// - Parameter onCancel: The closure, which fulfills the promise now or later. It runs on the
  ///   thread of the cancellation.
  @inlinable
  public func get(onCancel: @Sendable () -> Void) async -> Value {
    await withTaskCancellationHandler {
      await get()
    } onCancel: {
      onCancel()
    }
  }

  /// Blocks the calling thread until there is a value or the time is over, and returns the value.
  ///
  /// Only for synchronous functions: a thread of the cooperative pool is missed by other tasks.
  package func getBlocking(atMost time: Duration) -> Value? {
    let isDone = DispatchSemaphore(value: 0)
    whenFulfilled { _ in isDone.signal() }
    // Dispatch has the same clock as MonotonicTime.
    let end = MonotonicTime.now.advanced(by: time)
    _ = isDone.wait(timeout: DispatchTime(uptimeNanoseconds: end.nanoseconds))
    return value
  }

  /// Calls a closure with the value: now if there is one, and else from ``fulfill(_:)``.
  @inlinable
  public func whenFulfilled(_ body: @escaping @Sendable (Value) -> Void) {
    let value = state.withLock { state -> Value? in
      if state.value == nil { state.calls.append(body) }
      return state.value
    }
    if let value { body(value) }
  }
}

extension Promise<Void> {
  /// Resumes the waiting tasks, unless the promise is fulfilled already.
  ///
  /// - Returns: True if the promise was not fulfilled before.
  @inlinable
  @discardableResult
  public func fulfill() -> Bool { fulfill(()) }
}
