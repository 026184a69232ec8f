// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import IOLoop
package import SystemPackage

/// Two counts that a device writes and its clients read: input reports sent, and those of them that
/// the device has dropped.
///
/// They lie in memory that both processes share. So a client can read them even if its socket was
/// full, or if the device's process was killed.
package enum ReportCounts {
  private static let byteCount = 2 * MemoryLayout<UInt64>.size

  /// The device's side of the counts, which writes them.
  package final class Writer: Sendable {
    private let memory: OwnedDescriptor
    // Mapped until `deinit`. Only the device's loop writes it, 64 bits at a time.
    nonisolated(unsafe) private let counters: UnsafeMutablePointer<UInt64>

    /// Makes two counts of 0, in memory that other processes can only read.
    ///
    /// - Throws: The `Errno` of `memfd_create`, `mmap` or `F_ADD_SEALS`: `EINVAL` before Linux 5.1.
    package init() throws(Errno) {
      memory = try OwnedDescriptor(
        opened: clinux_make_shared_memory("hidsim-counts", ReportCounts.byteCount))
      let result = memory.descriptor.rawValue
      let mapped = mmap(nil, ReportCounts.byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, result, 0)
      guard let mapped, mapped != MAP_FAILED else { throw Errno(rawValue: errno) }
      // Sealed after it was mapped, so that only this mapping can be written.
      guard clinux_seal_shared_memory(result) == 0 else {
        let error = Errno(rawValue: errno)
        munmap(mapped, ReportCounts.byteCount)
        throw error
      }
      counters = mapped.bindMemory(to: UInt64.self, capacity: 2)
    }

    deinit {
      munmap(counters, ReportCounts.byteCount)
    }

    /// Stores both counts.
    @inline(__always)
    package func store(sent: UInt64, dropped: UInt64) {
      clinux_store(counters, sent)
      clinux_store(counters + 1, dropped)
    }

    /// Sends a datagram together with a descriptor through which the receiver reads the counts.
    ///
    /// - Throws: The `Errno` of `sendmsg`: `EAGAIN` if the socket has no room.
    package func send(
      with bytes: Span<UInt8>, through socket: borrowing SocketDescriptor
    ) throws(Errno) {
      let raw = socket.descriptor.rawValue
      _ = try retryingOnInterrupt {
        bytes.withUnsafeBytes {
          clinux_send_descriptor(raw, $0.baseAddress, $0.count, memory.descriptor.rawValue)
        }
      }
    }
  }

  /// A client's side of the counts, which reads them.
  package final class Reader: Sendable {
    // Mapped until `deinit`. Its length is sealed, so that no read of it can raise SIGBUS.
    nonisolated(unsafe) private let counters: UnsafeMutablePointer<UInt64>

    /// Maps the counts of a device.
    ///
    /// - Parameter descriptor: The descriptor received with a datagram; any kind of descriptor is
    ///   allowed. The call closes it.
    /// - Returns: `nil` unless the descriptor is sealed memory that holds two counts and can be
    ///   mapped.
    package init?(takingOwnershipOf descriptor: FileDescriptor) {
      // The memory stays mapped after the descriptor is closed.
      let memory = OwnedDescriptor(takingOwnershipOf: descriptor)
      guard clinux_is_sealed(memory.descriptor.rawValue, ReportCounts.byteCount) != 0 else {
        return nil
      }
      let mapped = mmap(
        nil, ReportCounts.byteCount, PROT_READ, MAP_SHARED, memory.descriptor.rawValue, 0)
      guard let mapped, mapped != MAP_FAILED else { return nil }
      counters = mapped.bindMemory(to: UInt64.self, capacity: 2)
    }

    deinit { munmap(counters, ReportCounts.byteCount) }

    /// The number of input reports that the device has sent, including dropped ones: to this client
    /// on the loopback bus, in all on the kernel bus.
    package var sent: UInt64 { clinux_load(counters) }
    /// The number of input reports that the device has dropped, because this client was too slow;
    /// always 0 on the kernel bus.
    package var dropped: UInt64 { clinux_load(counters + 1) }
  }
}

extension SocketDescriptor {
  /// Receives a datagram, and a device's counts if they come with it.
  ///
  /// - Returns: The length of the datagram in bytes, 0 if the other end has closed; and the counts,
  ///   `nil` if the datagram has none that are valid.
  /// - Throws: The `Errno` of `recvmsg`; `EMSGSIZE` for a datagram longer than the buffer.
  package borrowing func receiveCounts(
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> (count: Int, counts: ReportCounts.Reader?) {
    var counts: ReportCounts.Reader?
    let count = try receiving(atMost: buffer.count) {
      var received: Int32 = -1
      let count = clinux_receive_descriptor(
        descriptor.rawValue, buffer.baseAddress, buffer.count, &received)
      counts =
        received >= 0
        ? ReportCounts.Reader(takingOwnershipOf: FileDescriptor(rawValue: received)) : nil
      return count
    }
    return (count, counts)
  }
}
