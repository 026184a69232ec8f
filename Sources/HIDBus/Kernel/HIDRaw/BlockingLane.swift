// SPDX-License-Identifier: Apache-2.0

import CLinux
import DequeModule
import Glibc
import IOLoop
import Synchronization
import SystemPackage

/// A thread on which one client's blocking calls run, one at a time and in order.
///
/// If the time of a call is up, a signal to the thread interrupts the call, so that the next one
/// can start at once. The signal's handler does nothing.
final class BlockingLane: Sendable {
  /// The reason why the lane did not start a call.
  enum Interruption: Error {
    /// The deadline passed before the call started.
    case timedOut
    /// The lane was stopped before the call started.
    case stopped
    /// No thread could be started.
    case noThread
  }

  private struct Job: Sendable {
    let id: UInt64
    let run: @Sendable (Interruption?) -> Void
  }

  private struct State: Sendable {
    var jobs: Deque<Job> = []
    var running: UInt64?
    var lastID: UInt64 = 0
    var isStopped = false
    var thread: pthread_t?
    var hasThread = false
  }

  /// A real-time signal that no other code of hidsim uses; with its handler, the signal makes a
  /// blocking call return `EINTR`.
  private static let signal: Int32 = {
    let number = clinux_SIGRTMIN() + 6
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in }
    // Without SA_RESTART a blocking call returns EINTR.
    action.sa_flags = 0
    _ = sigaction(number, &action, nil)
    return number
  }()

  private let name: String
  private let state = Mutex(State())
  private let wakeEvent: OwnedDescriptor

  init(name: String) throws(Errno) {
    self.name = name
    let result = eventfd(0, Int32(EFD_CLOEXEC | EFD_SEMAPHORE))
    guard result >= 0 else { throw Errno(rawValue: errno) }
    wakeEvent = OwnedDescriptor(takingOwnershipOf: .init(rawValue: result))
    _ = Self.signal
  }

  /// Runs a blocking call on the lane, after those before it.
  ///
  /// - Parameters:
  ///   - deadline: The time at which the call is interrupted, or given up if it has not started;
  ///     `nil` for none.
  ///   - body: The call. It must return soon after `EINTR`.
  /// - Returns: The result of the call, even if it was interrupted.
  /// - Throws: `timedOut`, `stopped` or `noThread` if the call was not started.
  func run<Value: Sendable>(
    until deadline: MonotonicTime?, _ body: @escaping @Sendable () -> Value
  ) async throws(Interruption) -> Value {
    var timer: DeadlineID?
    // With a promise, of which this function would use the generic form, a request takes 12,000
    // instructions more.
    let result: Result<Value, Interruption> = await withCheckedContinuation { continuation in
      let job = add { interruption in
        continuation.resume(returning: interruption.map { .failure($0) } ?? .success(body()))
      }
      timer = deadline.flatMap { deadline in job.map { interrupt($0, at: deadline) } }
    }
    if let timer { IOLoop.housekeeping.cancel(timer) }
    return try result.get()
  }

  private func add(_ run: @escaping @Sendable (Interruption?) -> Void) -> UInt64? {
    enum Outcome {
      case stopped
      case queued(UInt64, startThread: Bool)
    }
    let outcome = state.withLock { state -> Outcome in
      guard !state.isStopped else { return .stopped }
      state.lastID += 1
      state.jobs.append(Job(id: state.lastID, run: run))
      defer { state.hasThread = true }
      return .queued(state.lastID, startThread: !state.hasThread)
    }
    switch outcome {
    case .stopped:
      run(.stopped)
      return nil
    case .queued(let id, let startThread):
      do throws(Errno) {
        if startThread { try Thread.start(name: name) { self.work() } }
      } catch {
        for job in refuseAll() { job.run(.noThread) }
        return nil
      }
      ring()
      return id
    }
  }

  /// Removes and returns the waiting calls when no thread can be started; the next call tries
  /// again.
  private func refuseAll() -> Deque<Job> {
    state.withLock { state in
      defer { state.jobs = [] }
      state.hasThread = false
      return state.jobs
    }
  }

  private func ring() {
    var one: UInt64 = 1
    _ = Glibc.write(wakeEvent.descriptor.rawValue, &one, 8)
  }

  @discardableResult
  private func interrupt(_ id: UInt64, at deadline: MonotonicTime) -> DeadlineID {
    IOLoop.housekeeping.schedule(at: deadline) { [weak self] in
      guard let self else { return }
      let waiting = state.withLock { state -> Job? in
        if state.running == id, let thread = state.thread {
          pthread_kill(thread, Self.signal)
        }
        guard let index = state.jobs.firstIndex(where: { $0.id == id }) else { return nil }
        return state.jobs.remove(at: index)
      }
      waiting?.run(.timedOut)
      // The signal may have come just before the call blocked: it is sent again until the call is
      // over.
      let isRunning = state.withLock { $0.running == id }
      if isRunning { interrupt(id, at: .now.advanced(by: .milliseconds(5))) }
    }
  }

  /// True if no call is running.
  var isIdle: Bool { state.withLock { $0.running == nil } }

  /// The number of calls that wait for their turn.
  var waiting: Int { state.withLock { $0.jobs.count } }

  /// Ends the lane: the running call is interrupted, and waiting and later calls are not started.
  ///
  /// The running call may end after the return.
  func stop() {
    let (dropped, running) = state.withLock { state in
      defer { state.jobs = [] }
      state.isStopped = true
      return (state.jobs, state.running)
    }
    for job in dropped { job.run(.stopped) }
    ring()
    if let running { interrupt(running, at: .now) }
  }

  private func work() {
    // A thread inherits the signal mask of its creator, and threads of the cooperative pool block
    // every signal.
    var unblocked = sigset_t()
    sigemptyset(&unblocked)
    sigaddset(&unblocked, Self.signal)
    pthread_sigmask(SIG_UNBLOCK, &unblocked, nil)
    state.withLock { $0.thread = pthread_self() }
    while true {
      var count: UInt64 = 0
      _ = Glibc.read(wakeEvent.descriptor.rawValue, &count, 8)
      let next = state.withLock { state -> (job: Job?, isOver: Bool) in
        let job = state.jobs.popFirst()
        state.running = job?.id
        // From here the thread must receive no signal: a thread that has ended has no valid ID.
        let isOver = job == nil && state.isStopped
        if isOver { state.thread = nil }
        return (job, isOver)
      }
      if next.isOver { return }
      guard let job = next.job else { continue }
      job.run(nil)
      state.withLock { $0.running = nil }
    }
  }
}
