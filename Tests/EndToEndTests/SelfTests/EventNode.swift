// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import SystemPackage

/// An evdev node that a test reads.
final class EventNode: Sendable {
  /// The size of `struct input_event`: 16 bytes of time, then type, code and value.
  ///
  /// Source: linux/input.h.
  private static let eventByteCount = 24
  /// The longest time to wait for an event, in milliseconds.
  private static let bound: Int32 = 10_000

  private let descriptor: FileDescriptor

  /// Opens a node.
  ///
  /// From now on, the kernel keeps the events for this reader.
  init(_ path: String) throws {
    descriptor = try .open(path, .readOnly, options: [.nonBlocking, .closeOnExec])
  }

  deinit { try? descriptor.close() }

  /// Turns autorepeat off if the node has it.
  func stopRepeating() {
    var times: [CUnsignedInt] = [0, 0]
    // EVIOCSREP, which Swift cannot import: _IOW('E', 3, unsigned int[2]).
    _ = ioctl(descriptor.rawValue, 0x4008_4503, &times)
  }

  /// Takes the pending events: type, code and value of each.
  func take() throws -> [[Int]] {
    var events: [[Int]] = []
    var buffer = [UInt8](repeating: 0, count: 64 * Self.eventByteCount)
    while true {
      let count: Int
      do {
        count = try buffer.withUnsafeMutableBytes { try descriptor.read(into: $0) }
      } catch Errno.wouldBlock {
        return events
      }
      buffer.withUnsafeBytes { bytes in
        for start in stride(from: 0, to: count, by: Self.eventByteCount) {
          events.append([
            Int(bytes.load(fromByteOffset: start + 16, as: UInt16.self)),
            Int(bytes.load(fromByteOffset: start + 18, as: UInt16.self)),
            Int(bytes.load(fromByteOffset: start + 20, as: Int32.self)),
          ])
        }
      }
    }
  }

  /// Waits until `count` events have come, and takes all pending ones.
  ///
  /// - Returns: More events if more have come; fewer if none came for 10 seconds.
  func take(_ count: Int) async throws -> [[Int]] {
    var events = try take()
    while events.count < count, await hasMore() { events += try take() }
    return events
  }

  /// Waits up to 10 s for events; returns false if none come.
  private func hasMore() async -> Bool {
    let file = descriptor.rawValue
    return await withCheckedContinuation { continuation in
      // `poll` blocks its thread. A thread of tasks must not block: there may be only one.
      Thread.detachNewThread {
        var source = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
        continuation.resume(returning: poll(&source, 1, Self.bound) == 1)
      }
    }
  }
}
