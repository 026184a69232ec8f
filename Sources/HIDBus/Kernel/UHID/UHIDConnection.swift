// SPDX-License-Identifier: Apache-2.0

import CLinux
import SystemPackage

/// An open uhid channel with its buffers, closed when the last reference is released.
final class UHIDConnection: Sendable {
  /// The greatest number of bytes of messages in one `writev`.
  static let outgoingByteCount = 64 * 1024

  let channel: UHIDChannel
  // Used on the loop of all ports only, which decodes all messages of one device before it reads
  // those of the next.
  nonisolated(unsafe) static let received = UnsafeMutableRawBufferPointer.allocate(
    byteCount: UHIDChannel.eventsPerRead * UHIDEvent.byteCount, alignment: 16)
  // Used by the port only, on its loop, while it holds the connection.
  nonisolated(unsafe) let outgoing: UnsafeMutableRawBufferPointer
  nonisolated(unsafe) let vectors: UnsafeMutableBufferPointer<iovec>
  /// The report length for which ``outgoing`` and ``vectors`` are prepared; 0 for none.
  nonisolated(unsafe) let preparedByteCount: UnsafeMutablePointer<Int>
  nonisolated(unsafe) private var events: [HIDHostEventRecord] = []

  init(_ channel: consuming UHIDChannel) {
    self.channel = channel
    outgoing = .allocate(byteCount: Self.outgoingByteCount, alignment: 16)
    vectors = .allocate(capacity: UHIDOutlet.vectorCount)
    vectors.initialize(repeating: iovec())
    preparedByteCount = .allocate(capacity: 1)
    preparedByteCount.initialize(to: 0)
  }

  deinit {
    outgoing.deallocate()
    vectors.deallocate()
    preparedByteCount.deallocate()
  }

  /// Returns the received message at an index.
  static func message(_ index: Int) -> UnsafeRawBufferPointer {
    let size = UHIDEvent.byteCount
    return UnsafeRawBufferPointer(rebasing: received[index * size..<(index + 1) * size])
  }

  /// Returns an empty array for events.
  ///
  /// It has the memory of the array given to ``putBack(_:)``, so a burst of events allocates
  /// nothing.
  func takeEvents() -> [HIDHostEventRecord] {
    var taken: [HIDHostEventRecord] = []
    swap(&taken, &events)
    return taken
  }

  /// Keeps an array for the next call of ``takeEvents()``.
  func putBack(_ events: consuming [HIDHostEventRecord]) {
    events.removeAll(keepingCapacity: true)
    self.events = events
  }

  /// Writes the answer to a request, from any thread: the kernel takes each message in one piece.
  ///
  /// The call blocks only while another thread unplugs this device. It ignores errors.
  func answer(_ message: UnsafeRawBufferPointer) {
    do throws(Errno) {
      try UHIDChannel.write(message, to: channel.pollDescriptor)
    } catch {
      // The kernel refuses an answer only when the device is gone, and then no client waits for it.
    }
  }
}
