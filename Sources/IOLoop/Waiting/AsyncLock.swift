// SPDX-License-Identifier: Apache-2.0

/// A lock for tasks, which admits one at a time, in order of arrival.
///
/// The type is public because the compiler specializes only public functions in other modules.
public final class AsyncLock: Sendable {
  @usableFromInline let isTaken = ConditionMutex(false)

  package init() {}

  /// The number of tasks that wait for the lock.
  package var waiterCount: Int { isTaken.waiterCount }

  /// Waits for the lock, and holds it while a closure runs.
  ///
  /// A cancelled task waits, too.
  @inlinable
  public func withLock<Value, Failure: Error>(
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    if !takeIfFree() { await isTaken.wait(for: Self.take) }
    defer { leave() }
    return try await body()
  }

  /// Runs a closure under the lock if the lock is free; otherwise returns nil without a wait.
  @inlinable
  public func withLockIfFree<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value? {
    guard takeIfFree() else { return nil }
    defer { leave() }
    return try body()
  }

  /// Waits for the lock, and takes it; the caller gives it back with ``leave()``.
  ///
  /// - Parameters:
  ///   - deadline: The end of the wait; `nil` for none.
  ///   - isCancellable: False to wait on in a cancelled task.
  /// - Returns: True if the caller has the lock; false if its task was cancelled or the time was
  ///   over while another task had the lock.
  package func enter(
    until deadline: MonotonicTime? = nil, isCancellable: Bool = true
  ) async -> Bool {
    if takeIfFree() { return true }
    return await isTaken.wait(until: deadline, isCancellable: isCancellable, for: Self.take) != nil
  }

  /// Gives the lock to the task that has waited longest.
  @inlinable
  public func leave() { isTaken.withLock { $0 = false } }

  @inlinable
  func takeIfFree() -> Bool { isTaken.withLock { Self.take(&$0) != nil } }

  @usableFromInline static let take: @Sendable (inout Bool) -> Void? = { isTaken in
    guard !isTaken else { return nil }
    isTaken = true
    return ()
  }
}
