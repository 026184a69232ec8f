// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Synchronization
public import SystemPackage

/// A thread that waits on file descriptors and deadlines, and is the executor of the actors that own them.
///
/// An actor whose `unownedExecutor` is a loop handles what its descriptor brings with no hop: the
/// handler given to ``watch(_:for:_:)`` runs on the loop's thread, where `assumeIsolated` holds.
/// Handlers and jobs must not block: whatever waits on the same loop waits with them.
///
/// A loop lives as long as the process. There are a handful of them, never one a device.
public final class IOLoop: SerialExecutor {
  /// What a watched descriptor is ready for.
  public struct Readiness: OptionSet, Sendable {
    /// The `EPOLL…` bits.
    public let rawValue: UInt32

    /// Makes a set from `EPOLL…` bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// There is something to read, or the end to be found (`EPOLLIN`).
    public static let read = Readiness(rawValue: EPOLLIN.rawValue)
    /// There is room to write (`EPOLLOUT`).
    public static let write = Readiness(rawValue: EPOLLOUT.rawValue)
    /// The other end is gone (`EPOLLHUP`, `EPOLLERR`), reported whether asked for or not.
    public static let hangUp = Readiness(rawValue: EPOLLHUP.rawValue | EPOLLERR.rawValue)
  }

  /// A descriptor under watch.
  public struct WatchID: Sendable {
    fileprivate let watch: Watch
  }

  /// What the kernel keeps the address of.
  ///
  /// Events that name it may have left the kernel before its watch ended. So the loop lets go of it, between two waits:
  /// no event of the next one names it.
  fileprivate final class Watch: Sendable {
    /// `nil` once the watch has ended.
    let handler: Mutex<Handler?>

    init(_ handler: Handler) { self.handler = Mutex(handler) }

    /// An event's token: never one of the loop's own, since the address is a multiple of 16.
    var token: UInt64 { UInt64(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())) }
  }

  /// A closure as an object, which is handed from place to place without being wrapped anew.
  fileprivate final class Handler: Sendable {
    let call: @Sendable (Readiness) -> Void
    init(_ call: @escaping @Sendable (Readiness) -> Void) { self.call = call }
  }

  private static let wakeToken: UInt64 = 0
  private static let timerToken: UInt64 = 1

  private let epoll: Int32
  private let timer: Int32
  private let work: LoopWork
  // The loop's thread, by its address; 0 before it runs.
  private let thread = Atomic<UInt>(0)
  private let deadlines = Mutex(DeadlineQueue())

  /// The loop as the executor of tasks that prefer it: they wait for its descriptors without a thread of their own.
  ///
  /// It is not the loop itself, since it is by their executor that jobs are told apart: those of such tasks must know it,
  /// and an actor's must not, or a task that prefers none would leave the loop at every `await`.
  public var taskExecutor: any TaskExecutor { tasks }
  private let tasks: LoopTaskExecutor

  /// How long a loop has waited that has rested, in nanoseconds.
  private static let rest: UInt64 = 100_000
  private let notesRests: Bool
  private let hasWaitedLong = Atomic<Bool>(false)

  /// The threads of all loops.
  private static let threads = Mutex<Set<UInt>>([])

  // The errno that kept the loop from starting; 0 if it runs.
  private let failureNumber = Atomic<Int32>(0)

  /// Why the loop does not run: the process is out of descriptors or threads; `nil` if it runs.
  ///
  /// A loop that does not run calls no handler, so that its callers would wait for ever. Code that
  /// plugs or opens a device checks this first.
  public var failure: Errno? {
    let number = failureNumber.load(ordering: .relaxed)
    return number == 0 ? nil : Errno(rawValue: number)
  }

  /// Starts a loop on a thread of its own; ``failure`` says why it could not start.
  ///
  /// - Parameters:
  ///   - name: The thread's name, of at most 15 bytes.
  ///   - notesRests: Whether ``hasRested`` is kept, which takes two looks at the clock each turn.
  public init(name: String, notesRests: Bool = false) {
    self.notesRests = notesRests
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    let bell = epoll >= 0 ? eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC)) : -1
    timer =
      bell >= 0 ? timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC)) : -1
    let failure = timer < 0 ? errno : 0
    work = LoopWork(bell: bell)
    tasks = LoopTaskExecutor(work)
    guard failure == 0 else {
      failureNumber.store(failure, ordering: .relaxed)
      return
    }
    add(bell, Self.wakeToken, .read)
    add(timer, Self.timerToken, .read)
    do throws(Errno) {
      try Thread.start(name: name) { self.run() }
    } catch {
      failureNumber.store(error.rawValue, ordering: .relaxed)
    }
  }

  // MARK: Descriptors

  /// Calls `handler` on the loop whenever `descriptor` is ready.
  ///
  /// The loop does not own the descriptor: its owner calls ``stopWatching(_:_:)`` before closing it.
  /// Readiness is level-triggered: what was not read is reported again.
  ///
  /// - Parameters:
  ///   - descriptor: An open descriptor that supports polling.
  ///   - readiness: What to wait for; `.hangUp` is always reported.
  ///   - handler: Runs on the loop's thread. It must not block.
  /// - Returns: The watch.
  /// - Throws: The `Errno` of `epoll_ctl`: `EPERM` for a regular file, `ENOSPC` at the user's
  ///   limit; or ``failure``.
  @discardableResult
  public func watch(
    _ descriptor: FileDescriptor, for readiness: Readiness,
    _ handler: @escaping @Sendable (Readiness) -> Void
  ) throws(Errno) -> WatchID {
    if let failure { throw failure }
    let watch = Watch(Handler(handler))
    let kernels = Unmanaged.passRetained(watch)
    guard add(descriptor.rawValue, watch.token, readiness) == 0 else {
      let error = Errno(rawValue: errno)
      kernels.release()
      throw error
    }
    return WatchID(watch: watch)
  }

  /// Changes what a watched descriptor is waited for.
  public func changeWatch(
    _ id: WatchID, _ descriptor: FileDescriptor, for readiness: Readiness
  ) {
    var event = clinux_epoll_event(readiness.rawValue, id.watch.token)
    // Only a descriptor that is not under watch can fail here, and then there is nothing to change.
    _ = epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor.rawValue, &event)
  }

  /// Ends a watch: its handler is not called again once this has returned on the loop.
  ///
  /// Called from another thread, a handler that is running just then finishes.
  public func stopWatching(_ id: WatchID, _ descriptor: FileDescriptor) {
    let handler = id.watch.handler.withLock { handler in handler.take() }
    // Ended before: its descriptor may be another file's by now.
    guard handler != nil else { return }
    _ = epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor.rawValue, nil)
    work.append(.call { Unmanaged.passUnretained(id.watch).release() })
  }

  @discardableResult
  private func add(_ descriptor: Int32, _ token: UInt64, _ readiness: Readiness) -> Int32 {
    var event = clinux_epoll_event(readiness.rawValue, token)
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)
  }

  // MARK: Deadlines

  /// Calls `handler` on the loop at `deadline`, or soon after.
  ///
  /// - Returns: A name to cancel the call with.
  @discardableResult
  public func schedule(
    at deadline: MonotonicTime, _ handler: @escaping @Sendable () -> Void
  ) -> DeadlineID {
    deadlines.withLock { deadlines in
      let (id, isEarliest) = deadlines.insert(deadline, handler)
      // Armed under the lock: of two threads, the one with the later deadline must not have the last word.
      if isEarliest { armTimer(at: deadline) }
      return id
    }
  }

  /// Forgets a scheduled call, if it has not begun.
  public func cancel(_ id: DeadlineID) {
    deadlines.withLock { $0.cancel(id) }
  }

  private func armTimer(at deadline: MonotonicTime) {
    var setting = itimerspec()
    // A zero time would disarm the timer instead of firing it.
    setting.it_value = timespec(max(deadline, MonotonicTime(nanoseconds: 1)))
    _ = timerfd_settime(timer, Int32(TFD_TIMER_ABSTIME), &setting, nil)
  }

  private func runDeadlines() {
    var expirations: UInt64 = 0
    _ = CLinux.read(timer, &expirations, 8)
    // Read once: calls that schedule the next one at once take turns with descriptors.
    let now = MonotonicTime.now
    while let due = deadlines.withLock({ $0.removeFirst(dueBy: now) }) { due() }
    deadlines.withLock { deadlines in
      if let next = deadlines.earliest { armTimer(at: next) }
    }
  }

  // MARK: Executor

  /// Whether the caller runs on the loop's thread.
  public var isCurrent: Bool {
    thread.load(ordering: .relaxed) == UInt(pthread_self())
  }

  /// Whether the caller runs on the thread of any loop, where nothing may be waited for.
  public static var isAnyCurrent: Bool { threads.withLock { $0.contains(UInt(pthread_self())) } }

  /// Whether the loop had nothing to do for a while, a tenth of a millisecond, before this turn.
  ///
  /// What has become ready then has most likely come alone. On the loop.
  public var hasRested: Bool { hasWaitedLong.load(ordering: .relaxed) }

  /// Runs a job of an actor on the loop, in order.
  public func enqueue(_ job: UnownedJob) { work.append(.actorJob(job)) }

  /// Calls `body` on the loop, soon and once: after the handler that runs there now, and what was enqueued before.
  public func perform(_ body: @escaping @Sendable () -> Void) { work.append(.call(body)) }

  /// The loop as the executor of an actor.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  /// Whether the caller is on the loop, asked by `assumeIsolated`.
  public func isIsolatingCurrentContext() -> Bool? { isCurrent }

  /// Stops the program when the caller is not on the loop.
  public func checkIsolated() {
    precondition(isCurrent, "not on the loop's thread")
  }

  /// The priority of a loop that comes before others: above what has none, and below the kernel's own threads.
  package static let realtimePriority: Int32 = 10

  /// Has the loop's thread come before all threads that have no such right, on every processor, or no longer.
  ///
  /// - Returns: Why that was not done: `EPERM` where the process may not.
  package func setRealtime(_ isRealtime: Bool) async -> Errno? {
    await withCheckedContinuation { continuation in
      perform {
        var setting = sched_param(sched_priority: isRealtime ? Self.realtimePriority : 0)
        let error = pthread_setschedparam(
          pthread_self(), isRealtime ? SCHED_FIFO : SCHED_OTHER, &setting)
        continuation.resume(returning: error == 0 ? nil : Errno(rawValue: error))
      }
    }
  }

  /// How much time of a processor the loop's thread has taken so far.
  package func processorTime() async -> Duration {
    await withCheckedContinuation { continuation in
      perform {
        var time = timespec()
        _ = clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        continuation.resume(returning: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
      }
    }
  }

  /// How many rounds of work come before descriptors and deadlines have their turn.
  ///
  /// A round is what waits, and what it enqueues is the next one. An answer of an actor to one
  /// report takes about three.
  private static let workRounds = 4

  private func runWork(_ batch: inout [LoopWork.Item]) {
    for _ in 0..<Self.workRounds {
      guard work.take(&batch) else { return }
      for item in batch {
        switch item {
        case .actorJob(let job): job.runSynchronously(on: asUnownedSerialExecutor())
        case .taskJob(let job): job.runSynchronously(on: tasks.asUnownedTaskExecutor())
        case .call(let body): body()
        }
      }
      batch.removeAll(keepingCapacity: true)
    }
  }

  private func run() {
    thread.store(UInt(pthread_self()), ordering: .relaxed)
    _ = Self.threads.withLock { $0.insert(UInt(pthread_self())) }
    let capacity = 64
    let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: capacity)
    var batch: [LoopWork.Item] = []
    while true {
      runWork(&batch)
      let maySleep = work.beginSleeping()
      let begun = notesRests ? MonotonicTime.now.nanoseconds : 0
      let count = epoll_wait(epoll, events, Int32(capacity), maySleep ? -1 : 0)
      work.endSleeping()
      if notesRests {
        let waited = MonotonicTime.now.nanoseconds - begun
        hasWaitedLong.store(waited > Self.rest, ordering: .relaxed)
      }
      for index in 0..<Int(max(count, 0)) {
        let readiness = Readiness(rawValue: events[index].events)
        switch clinux_epoll_token(events + index) {
        case Self.wakeToken:
          work.silenceBell()
        case Self.timerToken:
          runDeadlines()
        case let token:
          handle(token, readiness)
        }
      }
    }
  }

  /// Calls a watch's handler, unless an earlier one, or another thread, has ended the watch meanwhile.
  private func handle(_ token: UInt64, _ readiness: Readiness) {
    guard let address = UnsafeRawPointer(bitPattern: UInt(token)) else { return }
    // The loop alone lets go of watches, and not while it handles what a wait has brought.
    let watch = Unmanaged<Watch>.fromOpaque(address)
    let handler = watch._withUnsafeGuaranteedRef { $0.handler.withLock { $0 } }
    handler?.call(readiness)
  }
}
