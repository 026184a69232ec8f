// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Synchronization
public import SystemPackage

/// Threads for code that blocks, which may run neither on a loop nor on the cooperative pool.
///
/// A thread whose code has ended waits a second for other code before it ends, unless four threads
/// wait already or it was started for one piece of code. It costs about fifteen system calls to
/// start a thread.
public enum Thread {
  /// The threads that wait for code.
  private static let idle = Mutex<[ReusableThread]>([])
  /// The largest number of threads that wait for code.
  private static let idleLimit = 4

  /// Runs `body` on a thread of its own.
  ///
  /// - Parameters:
  ///   - name: The thread's name while `body` runs, cut at 15 bytes.
  ///   - isReused: False for a new thread, which ends with `body`. True, the default, for a thread
  ///     that may have run other code before, and may run other code later.
  ///   - body: The code to run. Code that ends must not block signals on a reused thread, or change
  ///     its priority.
  /// - Throws: `EAGAIN` if no more threads can be started.
  public static func start(
    name: String, isReused: Bool = true, _ body: @escaping @Sendable () -> Void
  ) throws(Errno) {
    if isReused, let thread = idle.withLock({ $0.popLast() }) { return thread.give(name, body) }
    let thread = ReusableThread(waits: isReused)
    thread.give(name, body)
    let context = Unmanaged.passRetained(thread)
    var id = pthread_t()
    let result = pthread_create(
      &id, nil,
      { context in
        // The context is the one passed below, never nil.
        if let context {
          Thread.serve(Unmanaged<ReusableThread>.fromOpaque(context).takeRetainedValue())
        }
        return nil
      }, context.toOpaque())
    guard result == 0 else {
      context.release()
      throw Errno(rawValue: result)
    }
    pthread_detach(id)
  }

  /// The time that a thread waits for other code before it ends.
  private static let idleSeconds = 1

  /// Runs the code that the current thread is given.
  ///
  /// The method returns after a piece of code if the thread is not reused or enough threads wait,
  /// and otherwise when no code has come for a second.
  private static func serve(_ thread: ReusableThread) {
    thread.waitForCode()
    repeat {
      thread.runCode()
      guard thread.waits, beginWaiting(thread) else { return }
    } while thread.waitForCode(seconds: idleSeconds) || !stopWaiting(thread)
  }

  /// Adds a thread to those that wait for code; returns false if enough threads wait.
  private static func beginWaiting(_ thread: ReusableThread) -> Bool {
    idle.withLock { idle in
      guard idle.count < idleLimit else { return false }
      idle.append(thread)
      return true
    }
  }

  /// Removes a thread from those that wait for code; returns whether the thread was among them.
  ///
  /// If it was not, another thread is giving it code, and the method waits until it has the code.
  private static func stopWaiting(_ thread: ReusableThread) -> Bool {
    let isRemoved = idle.withLock { idle in
      guard let index = idle.firstIndex(where: { $0 === thread }) else { return false }
      idle.remove(at: index)
      return true
    }
    if !isRemoved { thread.waitForCode() }
    return isRemoved
  }

  /// Runs `body` on a thread of its own, or on the caller's if no more threads can be started.
  ///
  /// - Parameters:
  ///   - name: The thread's name, cut at 15 bytes.
  ///   - body: The code to run. It must end soon by itself, since the caller may have to wait for
  ///     it.
  public static func run(name: String, _ body: @escaping @Sendable () -> Void) {
    do throws(Errno) { try start(name: name, body) } catch { body() }
  }

  /// The pause before another attempt to start a thread.
  private static let retryInterval = Duration.milliseconds(20)
  /// The time in which attempts to start a thread are made.
  private static let retryTime = Duration.seconds(5)

  /// Runs `body` on a thread of its own, and tries for five seconds to start one.
  ///
  /// It tries only once if `Timeline.real` does not run.
  ///
  /// - Parameters:
  ///   - name: The thread's name, cut at 15 bytes.
  ///   - body: The code to run: with `nil` on its thread, where it may block. If no thread can
  ///     be started, it gets `EAGAIN`, on the thread of `Timeline.real` or the caller's, and must
  ///     not block.
  public static func startWhenPossible(
    name: String, _ body: @escaping @Sendable (Errno?) -> Void
  ) {
    startWhenPossible(name: name, by: .now.advanced(by: retryTime), body)
  }

  /// Calls a body that may block on a thread of its own, and returns its result.
  ///
  /// - Parameters:
  ///   - name: The thread's name, cut at 15 bytes.
  ///   - body: The body, which is not called if this method throws.
  /// - Throws: `EAGAIN` if no thread can be started; see ``startWhenPossible(name:_:)``.
  package static func call<Value: Sendable>(
    name: String = "hidsim-blocking", _ body: @escaping @Sendable () -> Value
  ) async throws(Errno) -> Value {
    let result = Promise<Result<Value, Errno>>()
    startWhenPossible(name: name) { error in
      result.fulfill(error.map { .failure($0) } ?? .success(body()))
    }
    return try await result.get().get()
  }

  private static func startWhenPossible(
    name: String, by end: MonotonicTime, _ body: @escaping @Sendable (Errno?) -> Void
  ) {
    do throws(Errno) {
      try start(name: name) { body(nil) }
    } catch {
      let next = MonotonicTime.now.advanced(by: retryInterval)
      guard next < end, Timeline.real.failure == nil else { return body(error) }
      Timeline.real.schedule(at: next) { startWhenPossible(name: name, by: end, body) }
    }
  }
}

/// A thread that runs code which it is given, one piece after the other.
private final class ReusableThread: Sendable {
  private struct Code: Sendable {
    let name: String
    let run: @Sendable () -> Void
  }

  private let code = Mutex<Code?>(nil)
  /// Posted once for each piece of code.
  ///
  /// Safe to share: the functions of a semaphore may be called on any thread, and the memory lives
  /// as long as the object.
  private nonisolated(unsafe) let given = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  /// True if the thread waits for other code after the first.
  let waits: Bool

  init(waits: Bool) {
    self.waits = waits
    sem_init(given, 0, 0)
  }

  deinit {
    sem_destroy(given)
    given.deallocate()
  }

  /// Gives the thread code, while it has none.
  func give(_ name: String, _ run: @escaping @Sendable () -> Void) {
    code.withLock { $0 = Code(name: name, run: run) }
    sem_post(given)
  }

  /// Waits until the thread has code.
  func waitForCode() {
    while sem_wait(given) != 0 {}
  }

  /// Waits until the thread has code; returns false if the time is over first.
  func waitForCode(seconds: Int) -> Bool {
    var end = timespec()
    clock_gettime(CLOCK_REALTIME, &end)
    end.tv_sec += seconds
    return (try? retryingOnInterrupt { sem_timedwait(given, &end) }) != nil
  }

  /// Runs the code of the thread, and releases it.
  func runCode() {
    guard let code = code.withLock({ $0.take() }) else { return }
    Self.setName(code.name)
    code.run()
    // Debuggers and ps show which threads are at work.
    Self.setName("hidsim-idle")
  }

  private static func setName(_ name: String) {
    clinux_set_thread_name(pthread_self(), String(decoding: name.utf8.prefix(15), as: UTF8.self))
  }
}
