// SPDX-License-Identifier: Apache-2.0

import CLinux
import HIDWire
import SystemPackage

/// An open uhid channel with its buffers, closed when the last reference goes.
final class UHIDConnection: Sendable {
  /// How many bytes of messages one `writev` carries at most.
  static let outgoingByteCount = 64 * 1024

  let channel: UHIDChannel
  // Used by the port alone, on its loop, while it holds the connection.
  nonisolated(unsafe) let received: UnsafeMutableRawBufferPointer
  nonisolated(unsafe) let outgoing: UnsafeMutableRawBufferPointer
  nonisolated(unsafe) let vectors: UnsafeMutableBufferPointer<iovec>
  /// Of what length the reports are that ``outgoing`` and ``vectors`` are laid out for; 0 for none.
  nonisolated(unsafe) let preparedByteCount: UnsafeMutablePointer<Int>
  nonisolated(unsafe) private var events: [HIDHostEventRecord] = []

  init(_ channel: consuming UHIDChannel) {
    self.channel = channel
    received = .allocate(
      byteCount: UHIDChannel.eventsPerRead * UHIDEvent.byteCount, alignment: 16)
    outgoing = .allocate(byteCount: Self.outgoingByteCount, alignment: 16)
    vectors = .allocate(capacity: UHIDOutlet.vectorCount)
    vectors.initialize(repeating: iovec())
    preparedByteCount = .allocate(capacity: 1)
    preparedByteCount.initialize(to: 0)
  }

  deinit {
    received.deallocate()
    outgoing.deallocate()
    vectors.deallocate()
    preparedByteCount.deallocate()
  }

  /// A message that was received, by its place.
  func message(_ index: Int) -> UnsafeRawBufferPointer {
    let size = UHIDEvent.byteCount
    return UnsafeRawBufferPointer(rebasing: received[index * size..<(index + 1) * size])
  }

  /// An empty array to put events into; the one that was put back, so that a burst of them allocates nothing.
  func takeEvents() -> [HIDHostEventRecord] {
    var taken: [HIDHostEventRecord] = []
    swap(&taken, &events)
    return taken
  }

  /// Keeps an array for the next time.
  func putBack(_ events: consuming [HIDHostEventRecord]) {
    events.removeAll(keepingCapacity: true)
    self.events = events
  }

  /// Writes the answer to a request, from any thread: the kernel takes it whole.
  ///
  /// It does not wait, but for the unplugging of this device that another thread has begun just now.
  func answer(_ message: UnsafeRawBufferPointer) {
    do throws(Errno) {
      try UHIDChannel.write(message, to: channel.pollDescriptor)
    } catch {
      // The kernel refuses an answer only when the device is gone, and then nobody waits for it.
    }
  }
}
