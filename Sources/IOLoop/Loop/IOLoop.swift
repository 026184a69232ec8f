// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Synchronization
public import SystemPackage

/// A thread that waits on file descriptors and deadlines, and is the executor of the actors that
/// own them.
///
/// An actor whose `unownedExecutor` is a loop handles the events of its descriptor without a switch
/// of threads. The handler given to ``watch(_:for:_:)`` runs on the loop's thread, where
/// `assumeIsolated` holds. Handlers and jobs must not block, because they delay all others on the
/// same loop.
///
/// A loop lives as long as the process. A process has a few of them, not one for each device.
public final class IOLoop: SerialExecutor {
  /// The operations for which a watched descriptor is ready, and its hang-up.
  public struct Readiness: OptionSet, Sendable {
    /// The `EPOLL…` bits.
    public let rawValue: UInt32

    /// Makes a set from `EPOLL…` bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// There is something to read, or the end of the data (`EPOLLIN`).
    public static let read = Readiness(rawValue: EPOLLIN.rawValue)
    /// There is room to write (`EPOLLOUT`).
    public static let write = Readiness(rawValue: EPOLLOUT.rawValue)
    /// The other end is gone (`EPOLLHUP`), or the descriptor has an error (`EPOLLERR`).
    ///
    /// Both are always reported. An event can have only one of the two bits, so test the readiness
    /// with `isDisjoint(with:)`, not with `contains(_:)`.
    public static let hangUp = Readiness(rawValue: EPOLLHUP.rawValue | EPOLLERR.rawValue)
  }

  /// The ID of a watch on a descriptor.
  public struct WatchID: Sendable {
    fileprivate let watch: Watch
  }

  /// The object whose address the kernel keeps for a watched descriptor.
  ///
  /// Events with this address may have left the kernel before the watch ended. So the loop releases
  /// the object between two waits: no event of the next wait has its address.
  fileprivate final class Watch: Sendable {
    /// `nil` once the watch has ended.
    let handler: Mutex<Handler?>

    init(_ handler: Handler) { self.handler = Mutex(handler) }

    /// The token of the watch's events.
    ///
    /// It differs from the loop's own tokens, 0 and 1, since the address is a multiple of 16.
    var token: UInt64 { UInt64(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())) }
  }

  /// A closure as an object, which can be passed on without allocating a new wrapper.
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
  private let deadlines = Mutex(Deadlines())

  private struct Deadlines: Sendable {
    var queue = DeadlineQueue()
    /// The time for which the timer is armed; `nil` if it must be armed for the next deadline.
    var armed: MonotonicTime?
  }

  /// The loop as the executor of tasks that prefer it: they run on the loop's thread.
  ///
  /// The task executor is another object than the loop. The jobs of such tasks must run with the
  /// task executor. The jobs of actors must not: otherwise a task without a preference would leave
  /// the loop at every `await`.
  public var taskExecutor: any TaskExecutor { tasks }
  /// ``taskExecutor``; `nil` if the loop does not run, and would never run a task.
  package var runningTaskExecutor: (any TaskExecutor)? { failure == nil ? tasks : nil }
  private let tasks: LoopTaskExecutor

  /// The number of times that the loop has asked the kernel for events, so far.
  ///
  /// Two calls that read the same number belong to one round. Read the property on the loop.
  package var round: UInt { rounds.load(ordering: .relaxed) }
  private let rounds = Atomic<UInt>(0)

  /// The longest wait after which ``hasRested`` is still false, in nanoseconds.
  private static let rest: UInt64 = 100_000
  private let notesRests: Bool
  private let hasWaitedLong = Atomic<Bool>(false)

  /// The threads of all loops.
  private static let threads = Mutex<Set<UInt>>([])

  // The errno that kept the loop from starting; 0 if it runs.
  private let failureNumber = Atomic<Int32>(0)

  /// The error that keeps the loop from running, for lack of descriptors, epoll watches, memory or
  /// threads; `nil` if it runs.
  ///
  /// A loop that does not run calls no handler, so that its callers would wait forever. Code that
  /// plugs or opens a device checks this first.
  public var failure: Errno? {
    let number = failureNumber.load(ordering: .relaxed)
    return number == 0 ? nil : Errno(rawValue: number)
  }

  /// Starts a loop on a thread of its own; ``failure`` has the error if it could not start.
  ///
  /// - Parameters:
  ///   - name: The thread's name, cut at 15 bytes.
  ///   - notesRests: True to maintain ``hasRested``, which reads the clock before and after a wait.
  public init(name: String, notesRests: Bool = false) {
    self.notesRests = notesRests
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    let wakeEvent = epoll >= 0 ? eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC)) : -1
    timer =
      wakeEvent >= 0 ? timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC)) : -1
    let failure = timer < 0 ? errno : 0
    work = LoopWork(wakeEvent: wakeEvent)
    tasks = LoopTaskExecutor(work)
    guard failure == 0 else {
      failureNumber.store(failure, ordering: .relaxed)
      return
    }
    // With EPOLLET each write to the eventfd and each expiration of the timer is one event, so that
    // the loop need not read them.
    let once = Readiness(rawValue: EPOLLIN.rawValue | EPOLLET.rawValue)
    guard add(wakeEvent, Self.wakeToken, once) == 0, add(timer, Self.timerToken, once) == 0
    else {
      failureNumber.store(errno, ordering: .relaxed)
      return
    }
    do throws(Errno) {
      try Thread.start(name: name) { self.run() }
    } catch {
      failureNumber.store(error.rawValue, ordering: .relaxed)
    }
  }

  /// The loop of all simulated devices of this process, and of their command links.
  ///
  /// A command link is the connection on which clients drive a device such as an InputStick. A
  /// packet on it and the report that the packet causes need no switch of threads.
  package static let devices = IOLoop(name: "hidsim-device")

  /// The loop of rare calls, none of which handles a report or blocks: deadlines of waits, changes
  /// of locks and files, and new connections of command links.
  @usableFromInline package static let housekeeping = IOLoop(name: "hidsim-chores")

  // MARK: Descriptors

  /// Calls `handler` on the loop whenever `descriptor` is ready.
  ///
  /// The loop does not own the descriptor: its owner calls ``stopWatching(_:_:)`` before closing
  /// it. Readiness is level-triggered: unread data is reported again.
  ///
  /// - Parameters:
  ///   - descriptor: An open descriptor that supports polling.
  ///   - readiness: The readiness to wait for; `.hangUp` is always reported.
  ///   - handler: Runs on the loop's thread. It must not block.
  /// - Returns: The ID of the watch.
  /// - Throws: The `Errno` of `epoll_ctl`, such as `EPERM` for a regular file, `ENOSPC` at the
  ///   user's limit; or ``failure``.
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

  /// Changes the readiness for which a descriptor is watched.
  ///
  /// Does nothing if the watch has ended.
  public func changeWatch(
    _ id: WatchID, _ descriptor: FileDescriptor, for readiness: Readiness
  ) {
    // The watch has ended before: its descriptor may belong to another file by now.
    guard id.watch.handler.withLock({ $0 != nil }) else { return }
    var event = clinux_epoll_event(readiness.rawValue, id.watch.token)
    // This fails only for a descriptor that is not watched, and then there is nothing to change.
    _ = epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor.rawValue, &event)
  }

  /// Ends a watch: after a call on the loop, its handler is not called again.
  ///
  /// After a call from another thread, the handler may still run for one event. A second call for
  /// the same watch does nothing.
  public func stopWatching(_ id: WatchID, _ descriptor: FileDescriptor) {
    let handler = id.watch.handler.withLock { handler in handler.take() }
    // The watch has ended before: its descriptor may belong to another file by now.
    guard handler != nil else { return }
    _ = epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor.rawValue, nil)
    work.append(.call { Unmanaged.passUnretained(id.watch).release() })
  }

  private func add(_ descriptor: Int32, _ token: UInt64, _ readiness: Readiness) -> Int32 {
    var event = clinux_epoll_event(readiness.rawValue, token)
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)
  }

  // MARK: Deadlines

  /// Calls `handler` on the loop at `deadline`, or soon after.
  ///
  /// - Returns: The ID with which to cancel the call.
  @discardableResult
  public func schedule(
    at deadline: MonotonicTime, _ handler: @escaping @Sendable () -> Void
  ) -> DeadlineID {
    deadlines.withLock { deadlines in
      let (id, isEarliest) = deadlines.queue.insert(deadline, handler)
      if isEarliest { arm(&deadlines, at: deadline) }
      return id
    }
  }

  /// Cancels a scheduled call that has not begun.
  ///
  /// After a call from another thread, a scheduled call that is due may still run.
  public func cancel(_ id: DeadlineID) {
    deadlines.withLock { $0.queue.cancel(id) }
  }

  /// Arms the timer, unless it is armed for the time.
  ///
  /// The deadlines are locked, because a thread with a later deadline must not arm the timer last.
  private func arm(_ deadlines: inout Deadlines, at deadline: MonotonicTime) {
    guard deadline != deadlines.armed else { return }
    deadlines.armed = deadline
    var setting = itimerspec()
    // A zero time would disarm the timer instead of firing it.
    setting.it_value = timespec(max(deadline, MonotonicTime(nanoseconds: 1)))
    _ = timerfd_settime(timer, Int32(TFD_TIMER_ABSTIME), &setting, nil)
  }

  private func runDeadlines() {
    // The clock is read once, so that descriptors have their turn even if each call schedules the
    // next at once.
    let now = MonotonicTime.now
    deadlines.withLock { $0.armed = nil }
    while let due = deadlines.withLock({ $0.queue.removeFirst(dueBy: now) }) { due() }
    deadlines.withLock { deadlines in
      if let next = deadlines.queue.earliest { arm(&deadlines, at: next) }
    }
  }

  // MARK: Executor

  /// True if the caller runs on the loop's thread.
  public var isCurrent: Bool {
    thread.load(ordering: .relaxed) == UInt(pthread_self())
  }

  /// True if the caller runs on the thread of any loop, where it must not wait.
  public static var isAnyCurrent: Bool { threads.withLock { $0.contains(UInt(pthread_self())) } }

  /// True if the loop had nothing to do for more than 0.1 ms before this turn.
  ///
  /// An event that follows such a wait has most likely come alone. Read the property on the loop.
  /// It is always false for a loop that was made without `notesRests`.
  public var hasRested: Bool { hasWaitedLong.load(ordering: .relaxed) }

  /// Runs a job of an actor on the loop, in order.
  public func enqueue(_ job: UnownedJob) { work.append(.actorJob(job)) }

  /// Calls `body` once on the loop, soon: after the running handler and the items enqueued before.
  public func perform(_ body: @escaping @Sendable () -> Void) { work.append(.call(body)) }

  /// Calls `body` on the loop as ``perform(_:)`` does, and waits for its result.
  package func call<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    let result = Promise<Value>()
    perform { result.fulfill(body()) }
    return await result.get()
  }

  /// The loop as the executor of an actor.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  /// Returns whether the caller is on the loop; called by `assumeIsolated`.
  public func isIsolatingCurrentContext() -> Bool? { isCurrent }

  /// Stops the program if the caller is not on the loop.
  public func checkIsolated() {
    precondition(isCurrent, "not on the loop's thread")
  }

  /// The priority that ``setRealtime(_:)`` gives a loop: above threads without real-time priority,
  /// and below the kernel's interrupt threads, which have 50.
  package static let realtimePriority: Int32 = 10

  /// Gives the loop's thread real-time priority over all threads without it, or removes that
  /// priority.
  ///
  /// - Returns: The error: `EPERM` if the process has no right to it; `nil` on success.
  package func setRealtime(_ isRealtime: Bool) async -> Errno? {
    await call {
      var setting = sched_param(sched_priority: isRealtime ? Self.realtimePriority : 0)
      let error = pthread_setschedparam(
        pthread_self(), isRealtime ? SCHED_FIFO : SCHED_OTHER, &setting)
      return error == 0 ? nil : Errno(rawValue: error)
    }
  }

  /// Returns the processor time that the loop's thread has used so far.
  package func processorTime() async -> Duration {
    await call {
      var time = timespec()
      _ = clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
  }

  /// The maximum number of rounds of work before descriptors and deadlines have their turn.
  ///
  /// A round consists of the items that wait; the items that they enqueue form the next round. An
  /// actor's answer to one report takes about three rounds.
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
      // The clock is a system call on some machines.
      let begun = notesRests && maySleep ? MonotonicTime.now.nanoseconds : nil
      let count = epoll_wait(epoll, events, Int32(capacity), maySleep ? -1 : 0)
      work.endSleeping()
      rounds.store(round &+ 1, ordering: .relaxed)
      if notesRests {
        let waited = begun.map { MonotonicTime.now.nanoseconds - $0 } ?? 0
        hasWaitedLong.store(waited > Self.rest, ordering: .relaxed)
      }
      for index in 0..<Int(max(count, 0)) {
        let readiness = Readiness(rawValue: events[index].events)
        switch clinux_epoll_token(events + index) {
        case Self.wakeToken:
          break
        case Self.timerToken:
          runDeadlines()
        case let token:
          handle(token, readiness)
        }
      }
    }
  }

  /// Calls a watch's handler, unless an earlier handler or another thread has ended the watch
  /// meanwhile.
  private func handle(_ token: UInt64, _ readiness: Readiness) {
    guard let address = UnsafeRawPointer(bitPattern: UInt(token)) else { return }
    // Only the loop releases watches, and not while it handles the events of a wait.
    let watch = Unmanaged<Watch>.fromOpaque(address)
    let handler = watch._withUnsafeGuaranteedRef { $0.handler.withLock { $0 } }
    handler?.call(readiness)
  }
}
