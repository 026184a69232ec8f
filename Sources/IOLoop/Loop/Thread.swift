// SPDX-License-Identifier: Apache-2.0

import CLinux
public import SystemPackage

/// Threads of our own: for what blocks, and so may run neither on a loop nor on the cooperative pool.
public enum Thread {
  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Runs `body` on a new thread, which ends with it.
  ///
  /// - Parameters:
  ///   - name: The thread's name, cut at 15 bytes.
  ///   - body: What to run.
  /// - Throws: `EAGAIN` where there can be no more threads.
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

  /// Runs `body` on a new thread, or at once where there can be none: for what must be done, whoever waits.
  ///
  /// - Parameters:
  ///   - name: The thread's name, cut at 15 bytes.
  ///   - body: What to run.
  public static func run(name: String, _ body: @escaping @Sendable () -> Void) {
    do throws(Errno) { try start(name: name, body) } catch { body() }
  }
}
