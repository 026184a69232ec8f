// SPDX-License-Identifier: Apache-2.0

import Dispatch
import IOLoop
import SystemPackage

/// Whether the process can have the threads that it needs: without them tasks and signals would wait for ever.
enum Threads {
  /// How many a command needs that only reads and writes files.
  static let forTasks = 4
  /// How many a command needs that plugs or opens devices.
  static let forDevices = 12

  /// Starts as many threads, and ends them.
  ///
  /// - Throws: Where there can be fewer (status 71).
  static func check(_ count: Int) throws(Failure) {
    let end = DispatchSemaphore(value: 0)
    var started = 0
    defer { for _ in 0..<started { end.signal() } }
    do throws(Errno) {
      while started < count {
        try Thread.start(name: "hidsim-check") { end.wait() }
        started += 1
      }
    } catch {
      throw Failure(
        .init(error, otherwise: .unavailable),
        """
        \(error); this command needs \(count) more threads, and \(started) could be started: \
        raise the limit (ulimit -u, or pids.max of the container)
        """)
    }
  }
}
