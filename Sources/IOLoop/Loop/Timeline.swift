// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import SystemPackage

/// The time that scripts, players and devices go by, and its deadlines.
///
/// The deadlines of the real time are met by the kernel's timer on a loop of their own: late by tens of
/// microseconds on an idle machine, never early.
///
/// A virtual time stands still while something goes on (``beginWork()``), and moves to the next deadline at once
/// when nothing does. Whoever acts by it says so, and those who wait by it end their work meanwhile.
public struct Timeline: Sendable {
  private enum Kind: Sendable {
    case real(IOLoop)
    case virtual(VirtualTime)
  }

  /// The real time of this machine.
  public static let real = Timeline(kind: .real(IOLoop(name: "hidsim-time")))

  /// The real time, whose deadlines are met on a loop: no other thread is between its timer and what runs on it.
  public static func real(on loop: IOLoop) -> Timeline { Timeline(kind: .real(loop)) }

  /// A time of its own, which stands at the real time of this call until it is started.
  public static func virtual() -> Timeline { Timeline(kind: .virtual(VirtualTime(from: .now))) }

  private let kind: Kind

  /// Why deadlines are not met: the process is out of descriptors or threads; `nil` if they are
  /// met.
  public var failure: Errno? { if case .real(let loop) = kind { loop.failure } else { nil } }

  /// Whether the time is virtual.
  public var isVirtual: Bool { if case .virtual = kind { true } else { false } }

  /// The time now.
  public var now: MonotonicTime {
    switch kind {
    case .real: .now
    case .virtual(let time): time.now
    }
  }

  /// Calls `body` at a time, on the timeline's loop: it must not block.
  ///
  /// - Returns: A name to cancel the call with.
  @discardableResult
  public func schedule(
    at deadline: MonotonicTime, _ body: @escaping @Sendable () -> Void
  ) -> DeadlineID {
    switch kind {
    case .real(let loop): loop.schedule(at: deadline, body)
    case .virtual(let time): time.schedule(at: deadline, body)
    }
  }

  /// Forgets a scheduled call, if it has not begun.
  public func cancel(_ id: DeadlineID) {
    switch kind {
    case .real(let loop): loop.cancel(id)
    case .virtual(let time): time.cancel(id)
    }
  }

  /// Waits until a time; the caller's work has ended meanwhile.
  ///
  /// - Throws: `CancellationError` if the task is cancelled first.
  public func sleep(until deadline: MonotonicTime) async throws {
    await wait(until: deadline, isWork: true)
    try Task.checkCancellation()
  }

  private func wait(until deadline: MonotonicTime, isWork: Bool) async {
    let sleeper = Sleeper()
    let wake: @Sendable () -> Void = {
      guard sleeper.wakes() else { return }
      if isWork { beginWork() }
      sleeper.resume()
    }
    let id = schedule(at: deadline, wake)
    await withTaskCancellationHandler {
      if isWork { endWork() }
      await sleeper.sleep()
    } onCancel: {
      cancel(id)
      wake()
    }
  }

  /// Lets whatever waits on the timeline's loop have its turn; a virtual time has nobody to give way to.
  package func giveWay() async {
    guard case .real(let loop) = kind else { return }
    await withCheckedContinuation { continuation in loop.perform { continuation.resume() } }
  }

  /// Waits for a while.
  ///
  /// - Throws: `CancellationError` if the task is cancelled first.
  public func sleep(for duration: Duration) async throws {
    try await sleep(until: now.advanced(by: duration))
  }

  /// One who sleeps until woken, whichever comes first.
  private final class Sleeper: Sendable {
    private struct State: Sendable {
      var isWoken = false
      var isResumed = false
      var continuation: CheckedContinuation<Void, Never>?
    }
    private let state = Mutex(State())

    func sleep() async {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if !state.isResumed { state.continuation = continuation }
          return state.isResumed
        }
        if isOver { continuation.resume() }
      }
    }

    /// Whether the caller is the first who wakes, and is to resume.
    func wakes() -> Bool {
      state.withLock { state in
        defer { state.isWoken = true }
        return !state.isWoken
      }
    }

    func resume() {
      let continuation = state.withLock { state in
        state.isResumed = true
        return state.continuation
      }
      continuation?.resume()
    }
  }
}

/// What a virtual time goes by; of the real time, nothing of it does anything.
extension Timeline {
  /// Says that something goes on: a virtual time stands still until it has ended.
  public func beginWork() { if case .virtual(let time) = kind { time.beginWork() } }

  /// Says that something that had begun has ended, or waits.
  public func endWork() { if case .virtual(let time) = kind { time.endWork() } }

  /// Lets a virtual time move from here on.
  public func start() { if case .virtual(let time) = kind { time.start() } }

  /// Has a virtual time stand still; what is due by then is called all the same.
  public func stop() { if case .virtual(let time) = kind { time.stop() } }

  /// Waits until everything that goes on beside the caller's work is over or waits for a later time.
  public func settle() async {
    guard case .virtual(let time) = kind else { return }
    while !time.isSettled, !Task.isCancelled { await wait(until: time.now, isWork: true) }
  }

  /// Schedules the end of a virtual time, at which it stops.
  ///
  /// - Returns: Waits for that end; returns when the task is cancelled, too.
  public func scheduleEnd(at deadline: MonotonicTime) -> @Sendable () async -> Void {
    let end = Sleeper()
    let wake: @Sendable () -> Void = { if end.wakes() { end.resume() } }
    let id = schedule(at: deadline) {
      stop()
      wake()
    }
    return {
      await withTaskCancellationHandler {
        await end.sleep()
      } onCancel: {
        cancel(id)
        wake()
      }
    }
  }
}
