// SPDX-License-Identifier: Apache-2.0

/// The tasks that wait for a state to change, in order of arrival.
///
/// The list is a part of that state: the owner uses it under the lock of the state, or on its loop.
/// A task adds itself where it finds that it must wait, releases the lock, and awaits the promise
/// that it got. The owner takes promises out of the list and fulfills them without the lock.
///
/// The type is public because the compiler specializes only public functions in other modules.
public struct WaiterList<Tag: Sendable>: Sendable {
  @usableFromInline
  struct Waiter: Sendable {
    @usableFromInline let promise: Promise<Void>
    @usableFromInline let tag: Tag

    @inlinable
    init(promise: Promise<Void>, tag: Tag) {
      self.promise = promise
      self.tag = tag
    }
  }

  @usableFromInline var waiters: [Waiter] = []

  /// Makes a list without tasks.
  @inlinable
  public init() {}

  /// True if no task waits.
  @inlinable
  public var isEmpty: Bool { waiters.isEmpty }

  /// Adds a task that waits, and returns the promise that it awaits.
  ///
  /// - Parameters:
  ///   - tag: The owner's description of what the task waits for.
  ///   - timeline: The timeline on which the task's work ends while it waits; `nil` if it works on
  ///     none.
  @inlinable
  public mutating func append(_ tag: Tag, worksOn timeline: Timeline? = nil) -> Promise<Void> {
    let promise = timeline.map { Promise<Void>(worksOn: $0) } ?? Promise()
    waiters.append(Waiter(promise: promise, tag: tag))
    return promise
  }

  /// Removes and returns the promises of all tasks.
  @inlinable
  public mutating func takeAll() -> [Promise<Void>] {
    guard !waiters.isEmpty else { return [] }
    defer { waiters = [] }
    return waiters.map(\.promise)
  }

  /// Removes and returns the promises of the tasks whose tag meets a condition.
  @inlinable
  public mutating func takeAll(where isMeant: (Tag) -> Bool) -> [Promise<Void>] {
    guard waiters.contains(where: { isMeant($0.tag) }) else { return [] }
    var taken: [Promise<Void>] = []
    waiters.removeAll { waiter in
      let isTaken = isMeant(waiter.tag)
      if isTaken { taken.append(waiter.promise) }
      return isTaken
    }
    return taken
  }

  /// Removes the promise of a task; returns false if it was taken already.
  @inlinable
  @discardableResult
  public mutating func remove(_ promise: Promise<Void>) -> Bool {
    guard let index = waiters.firstIndex(where: { $0.promise === promise }) else { return false }
    waiters.remove(at: index)
    return true
  }
}

extension WaiterList<Void> {
  /// Adds a task that waits, and returns the promise that it awaits.
  package mutating func append() -> Promise<Void> { append(()) }
}

extension [Promise<Void>] {
  /// Resumes the tasks of all promises, in order.
  package func fulfill() { for promise in self { promise.fulfill() } }
}
