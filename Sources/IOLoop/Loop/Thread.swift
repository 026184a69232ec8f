// SPDX-License-Identifier: Apache-2.0

import CLinux
public import SystemPackage

/// Threads for code that blocks, which may run neither on a loop nor on the cooperative pool.
public enum Thread {
  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Runs `body` on a new thread, which ends with it.
  ///
  /// - Parameters:
  ///   - name: The thread's name, cut at 15 bytes.
  ///   - body: The code to run.
  /// - Throws: `EAGAIN` if no more threads can be started.
  public static func start(
    name: String, _ body: @escaping @Sendable () -> Void
  ) throws(Errno) {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(Body(body))
    let result = pthread_create(
      &thread, nil,
      { context in
        // The context is the one passed below, never nil.
        if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, context.toOpaque())
    guard result == 0 else {
      context.release()
      throw Errno(rawValue: result)
    }
    clinux_set_thread_name(thread, String(decoding: name.utf8.prefix(15), as: UTF8.self))
    pthread_detach(thread)
  }

  /// Runs `body` on a new thread, or on the caller's if no more threads can be started.
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

  /// Runs `body` on a new thread, and tries for five seconds to start one.
  ///
  /// It tries only once if `Timeline.real` does not run.
  ///
  /// - Parameters:
  ///   - name: The thread's name, cut at 15 bytes.
  ///   - body: The code to run: with `nil` on the new thread, where it may block. If no thread can
  ///     be started, it gets `EAGAIN`, on the thread of `Timeline.real` or the caller's, and must
  ///     not block.
  public static func startWhenPossible(
    name: String, _ body: @escaping @Sendable (Errno?) -> Void
  ) {
    startWhenPossible(name: name, by: .now.advanced(by: retryTime), body)
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
