// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import IOLoop
import SystemPackage

/// An open `/dev/uhid`, which closes its descriptor exactly once.
///
/// Any descriptor that keeps message boundaries works. A test uses one end of a `SOCK_SEQPACKET`
/// pair, and plays the kernel on the other end.
struct UHIDChannel: ~Copyable, Sendable {
  /// The greatest number of messages that one system call reads; the kernel's own queue holds 31.
  static let eventsPerRead = 4

  private let owned: OwnedDescriptor
  private var descriptor: FileDescriptor { owned.descriptor }

  /// Takes ownership of an open descriptor, which must not block.
  init(takingOwnershipOf descriptor: FileDescriptor) {
    owned = OwnedDescriptor(takingOwnershipOf: descriptor)
  }

  /// Opens `/dev/uhid` non-blocking.
  ///
  /// - Throws: `ENOENT` or `ENODEV` without the kernel module, `EACCES` without the permission.
  init(path: String = "/dev/uhid") throws(Errno) {
    owned = try OwnedDescriptor(opened: clinux_open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK, 0))
  }

  /// The descriptor, valid for waiting while this channel exists.
  var pollDescriptor: FileDescriptor { descriptor }

  /// Writes one message.
  borrowing func write(_ event: [UInt8]) throws(Errno) {
    let result = event.withUnsafeBytes { bytes in
      Result { () throws(Errno) in try Self.write(bytes, to: descriptor) }
    }
    try result.get()
  }

  /// Writes one message.
  static func write(
    _ event: UnsafeRawBufferPointer, to descriptor: FileDescriptor
  ) throws(Errno) {
    _ = try retryingOnInterrupt {
      Glibc.write(descriptor.rawValue, event.baseAddress, event.count)
    }
  }

  /// Writes messages that lie one after the other, one per vector, and returns how many the kernel
  /// took.
  ///
  /// uhid has no vectored write of its own: the kernel writes each vector as a message.
  ///
  /// - Parameters:
  ///   - vectors: A vector for each message.
  ///   - byteCount: The number of bytes of all messages.
  ///   - descriptor: The descriptor of a channel.
  static func write(
    _ vectors: UnsafeBufferPointer<iovec>, byteCount: Int, to descriptor: FileDescriptor
  ) throws(Errno) -> Int {
    let written = try retryingOnInterrupt {
      writev(descriptor.rawValue, vectors.baseAddress, Int32(vectors.count))
    }
    if written == byteCount { return vectors.count }
    var rest = written
    for index in vectors.indices {
      rest -= vectors[index].iov_len
      if rest < 0 { return index }
    }
    return vectors.count
  }

  /// Reads messages of the kernel.
  ///
  /// - Parameters:
  ///   - buffer: Room for ``eventsPerRead`` messages, which are stored one after the other.
  ///   - limit: The greatest number of messages to read, from 1 to ``eventsPerRead``.
  /// - Returns: The number of messages read; fewer than `limit` if the kernel has no more.
  /// - Throws: `EAGAIN` if there is no message, `ENXIO` at the end, and any other error of the
  ///   kernel.
  borrowing func receive(
    into buffer: UnsafeMutableRawBufferPointer, atMost limit: Int = eventsPerRead
  ) throws(Errno) -> Int {
    let size = UHIDEvent.byteCount
    let received = try retryingOnInterrupt {
      limit == 1
        ? Glibc.read(descriptor.rawValue, buffer.baseAddress, size)
        : receiveSome(into: buffer, atMost: min(limit, Self.eventsPerRead))
    }
    guard received > 0 else { throw .noSuchAddressOrDevice }
    // uhid.h: a message may be shorter than the structure, and is then extended by zeros.
    let whole = (received + size - 1) / size
    let tail = UnsafeMutableRawBufferPointer(rebasing: buffer[received..<whole * size])
    tail.initializeMemory(as: UInt8.self, repeating: 0)
    return whole
  }

  private borrowing func receiveSome(
    into buffer: UnsafeMutableRawBufferPointer, atMost limit: Int
  ) -> Int {
    withUnsafeTemporaryAllocation(of: iovec.self, capacity: Self.eventsPerRead) { vectors in
      let size = UHIDEvent.byteCount
      for index in 0..<limit {
        vectors.initializeElement(
          at: index,
          to: iovec(iov_base: buffer.baseAddress.map { $0 + index * size }, iov_len: size))
      }
      return readv(descriptor.rawValue, vectors.baseAddress, Int32(limit))
    }
  }
}
