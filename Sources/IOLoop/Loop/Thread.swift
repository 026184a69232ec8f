// SPDX-License-Identifier: Apache-2.0

import CLinux

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
  public static func start(name: String, _ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(Body(body))
    let result = pthread_create(
      &thread, nil,
      { context in
        // The context is the one passed below, never nil.
        if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, context.toOpaque())
    precondition(result == 0, "pthread_create: errno \(result)")
    clinux_set_thread_name(thread, String(decoding: name.utf8.prefix(15), as: UTF8.self))
    pthread_detach(thread)
  }
}
