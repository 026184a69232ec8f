// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import IOLoop
import Synchronization
import SystemPackage

/// The grab of evdev nodes: no other program receives their input until ``release(_:)`` or until
/// the last reference is released.
final class EventGrab: HIDSeizure {
  private let descriptors: Mutex<[Int32]>

  private init(_ descriptors: [Int32]) { self.descriptors = Mutex(descriptors) }

  deinit { release {} }

  func release(_ done: @escaping @Sendable () -> Void) {
    let descriptors = descriptors.withLock { descriptors in
      defer { descriptors = [] }
      return descriptors
    }
    if descriptors.isEmpty { return done() }
    // Closing a node may wait for its device, so it must not block a loop.
    Thread.run(name: "hidsim-ungrab") {
      for file in descriptors { _ = close(file) }
      done()
    }
  }

  /// Grabs every node, or none.
  ///
  /// - Throws: The error of the first node that cannot be grabbed; `EAGAIN` if no thread can be
  ///   started within 5 s.
  static func take(_ nodes: [String]) async throws(Errno) -> EventGrab {
    // The grab waits for the device, so it must not block a loop.
    try await Thread.call(name: "hidsim-grab") {
      Result { () throws(Errno) in try takeNow(nodes) }
    }.get()
  }

  /// Grabs every node, or none, on the caller's thread, which waits for the device.
  static func takeNow(_ nodes: [String]) throws(Errno) -> EventGrab {
    var descriptors: [Int32] = []
    for node in nodes {
      let file = clinux_open(node, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
      if file >= 0 { descriptors.append(file) }
      guard file >= 0, clinux_ioctl_int(file, chid_EVIOCGRAB(), 1) == 0 else {
        let error = Errno(rawValue: errno)
        for file in descriptors { _ = close(file) }
        throw error
      }
    }
    return EventGrab(descriptors)
  }
}
