// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import SystemPackage

/// The time by which scripts, players and devices run, with its deadlines.
///
/// The kernel's timer serves the deadlines of the real time, on a loop of their own or on a given
/// one. They are late by tens of microseconds on an idle machine, never early.
///
/// A virtual time stands still before ``start()``, after ``stop()``, and during work
/// (``beginWork()``). Otherwise it moves to the next deadline at once. Code that works in virtual
/// time marks its work. Code that waits for a time ends its work until then.
public struct Timeline: Sendable {
  private enum Kind: Sendable {
    case real(IOLoop)
    case virtual(VirtualTime)
  }

  /// The real time of this machine.
  public static let real = Timeline(kind: .real(IOLoop(name: "hidsim-time")))

  /// Returns the real time, with deadlines on `loop`, so that code on the loop needs no switch of
  /// threads.
  public static func real(on loop: IOLoop) -> Timeline { Timeline(kind: .real(loop)) }

  /// Returns a new virtual time, which stands at the present real time until it is started.
  public static func virtual() -> Timeline { Timeline(kind: .virtual(VirtualTime(from: .now))) }

  private let kind: Kind

  /// The error that keeps deadlines from being met, for lack of descriptors, epoll watches, memory
  /// or threads; `nil` if there is none.
  public var failure: Errno? {
    switch kind {
    case .real(let loop): loop.failure
    case .virtual: VirtualTime.failure
    }
  }

  /// True if the time is virtual.
  public var isVirtual: Bool { if case .virtual = kind { true } else { false } }

  /// The time now.
  public var now: MonotonicTime {
    switch kind {
    case .real: .now
    case .virtual(let time): time.now
    }
  }

  /// Calls `body` at a time, or soon after, on the timeline's loop.
  ///
  /// `body` must not block.
  ///
  /// - Returns: The ID with which to cancel the call.
  @discardableResult
  public func schedule(
    at deadline: MonotonicTime, _ body: @escaping @Sendable () -> Void
  ) -> DeadlineID {
    switch kind {
    case .real(let loop): loop.schedule(at: deadline, body)
    case .virtual(let time): time.schedule(at: deadline, body)
    }
  }

  /// Cancels a scheduled call that has not begun.
  ///
  /// After a call from another thread than the loop's, a scheduled call that is due may still run.
  public func cancel(_ id: DeadlineID) {
    switch kind {
    case .real(let loop): loop.cancel(id)
    case .virtual(let time): time.cancel(id)
    }
  }

  /// Waits until a time; the caller's work counts as ended meanwhile.
  ///
  /// In a virtual time, the caller must have begun work. If no work has begun, the program stops.
  ///
  /// - Throws: `CancellationError` if the task is cancelled first.
  public func sleep(until deadline: MonotonicTime) async throws {
    await wait(until: deadline)
    try Task.checkCancellation()
  }

  private func wait(until deadline: MonotonicTime) async {
    let wake = Promise<Void>(worksOn: self)
    let id = schedule(at: deadline) { wake.fulfill() }
    await wake.get(onCancel: {
      cancel(id)
      wake.fulfill()
    })
  }

  /// Lets the work that waits on the loop of a real time run first; does nothing for a virtual
  /// time.
  package func giveWay() async {
    if case .real(let loop) = kind { await loop.call {} }
  }

  /// Waits for a while; the caller's work counts as ended meanwhile.
  ///
  /// In a virtual time, the caller must have begun work. If no work has begun, the program stops.
  ///
  /// - Throws: `CancellationError` if the task is cancelled first.
  public func sleep(for duration: Duration) async throws {
    try await sleep(until: now.advanced(by: duration))
  }
}

/// The control of a virtual time; for the real time, these calls do nothing, except
/// ``scheduleEnd(at:)``.
extension Timeline {
  /// Notes that work has begun: a virtual time stands still until the work ends.
  public func beginWork() { if case .virtual(let time) = kind { time.beginWork() } }

  /// Notes that work has ended, or waits.
  ///
  /// In a virtual time, the work must have begun. If no work has begun, the program stops.
  public func endWork() { if case .virtual(let time) = kind { time.endWork() } }

  /// Starts a virtual time, which moves from now on.
  public func start() { if case .virtual(let time) = kind { time.start() } }

  /// Stops a virtual time; calls that are due by then still run.
  public func stop() { if case .virtual(let time) = kind { time.stop() } }

  /// Waits until all work except the caller's has ended or waits for a later time, or until the
  /// task is cancelled.
  ///
  /// In a virtual time, the caller must have begun work.
  public func settle() async {
    guard case .virtual(let time) = kind else { return }
    while !time.isSettled, !Task.isCancelled { await wait(until: time.now) }
  }

  /// Schedules an end, at which a virtual time stops.
  ///
  /// - Returns: A function that waits for that end, or for the cancellation of its task, which also
  ///   cancels the end.
  public func scheduleEnd(at deadline: MonotonicTime) -> @Sendable () async -> Void {
    let end = Promise<Void>()
    let id = schedule(at: deadline) {
      stop()
      end.fulfill()
    }
    return {
      await end.get(onCancel: {
        cancel(id)
        end.fulfill()
      })
    }
  }
}
