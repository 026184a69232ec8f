// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import HIDWire
import IOLoop
import SystemPackage

/// An open `/dev/uhid`, which closes its descriptor exactly once.
///
/// Any descriptor that keeps message boundaries will do: a test hands over one end of a
/// `SOCK_SEQPACKET` pair, and plays the kernel on the other.
struct UHIDChannel: ~Copyable, Sendable {
  /// How many messages one system call takes at most; the kernel's own queue holds 31.
  static let eventsPerRead = 4

  private let descriptor: FileDescriptor

  /// Takes ownership of an open descriptor, which must not block.
  init(takingOwnershipOf descriptor: FileDescriptor) { self.descriptor = descriptor }

  /// Opens the kernel's door.
  ///
  /// - Throws: `ENOENT`, `ENODEV` without the module, `EACCES` without the right.
  init(path: String = "/dev/uhid") throws(Errno) {
    let result = clinux_open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK, 0)
    guard result >= 0 else { throw Errno(rawValue: errno) }
    descriptor = FileDescriptor(rawValue: result)
  }

  deinit { _ = Glibc.close(descriptor.rawValue) }

  /// The descriptor, to wait on while this channel lives.
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
    while true {
      let written = Glibc.write(descriptor.rawValue, event.baseAddress, event.count)
      if written >= 0 { return }
      let error = Errno(rawValue: errno)
      guard error == .interrupted else { throw error }
    }
  }

  /// Writes messages that lie one after the other, one a vector, and says how many the kernel took.
  ///
  /// uhid has no vectored write of its own: the kernel writes each vector as a message.
  ///
  /// - Parameters:
  ///   - vectors: A vector for each message.
  ///   - byteCount: How many bytes they have together.
  ///   - descriptor: A channel's.
  static func write(
    _ vectors: UnsafeBufferPointer<iovec>, byteCount: Int, to descriptor: FileDescriptor
  ) throws(Errno) -> Int {
    while true {
      let written = writev(descriptor.rawValue, vectors.baseAddress, Int32(vectors.count))
      if written == byteCount { return vectors.count }
      if written >= 0 {
        var rest = written
        for index in vectors.indices {
          rest -= vectors[index].iov_len
          if rest < 0 { return index }
        }
        return vectors.count
      }
      let error = Errno(rawValue: errno)
      guard error == .interrupted else { throw error }
    }
  }

  /// Reads what the kernel has to say.
  ///
  /// - Parameters:
  ///   - buffer: Room for ``eventsPerRead`` messages, which the kernel's are put into one after the other.
  ///   - limit: How many messages to read at most, from 1 to ``eventsPerRead``.
  /// - Returns: How many messages there are now; fewer than asked for when there are no more.
  /// - Throws: `EAGAIN` when there is none, and whatever else the kernel says.
  borrowing func receive(
    into buffer: UnsafeMutableRawBufferPointer, atMost limit: Int = eventsPerRead
  ) throws(Errno) -> Int {
    while true {
      let size = UHIDEvent.byteCount
      let received =
        limit == 1
        ? Glibc.read(descriptor.rawValue, buffer.baseAddress, size)
        : receiveSome(into: buffer, atMost: min(limit, Self.eventsPerRead))
      if received > 0 {
        // uhid.h: a message may be shorter than the structure, and is then extended by zeros.
        let whole = (received + size - 1) / size
        let tail = UnsafeMutableRawBufferPointer(rebasing: buffer[received..<whole * size])
        tail.initializeMemory(as: UInt8.self, repeating: 0)
        return whole
      }
      if received == 0 { throw .noSuchAddressOrDevice }
      let error = Errno(rawValue: errno)
      guard error == .interrupted else { throw error }
    }
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
