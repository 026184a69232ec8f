// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import IOLoop
package import SystemPackage

/// Calls `body` with the address of a socket at a path.
///
/// - Parameter body: A system call, which returns 0, or another number and sets `errno`.
/// - Throws: `ENAMETOOLONG` if the path does not fit into an address: `body` is then not called.
///   The `errno` of `body` if `body` does not return 0.
func withSocketAddress(
  _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
) throws(Errno) {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
    throw .fileNameTooLong
  }
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
  let result = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
  guard result == 0 else { throw Errno(rawValue: errno) }
}

extension FileDescriptor {
  /// Binds a socket to a path, where clients connect.
  package func bind(toSocketPath path: String) throws(Errno) {
    try withSocketAddress(path) { Glibc.bind(rawValue, $0, $1) }
  }

  /// Connects to the socket at a path.
  package func connect(toSocketPath path: String) throws(Errno) {
    try withSocketAddress(path) { Glibc.connect(rawValue, $0, $1) }
  }
}

/// The process at the other end of a socket.
package struct SocketPeer: Sendable {
  package let processID: Int32
  package let userID: UInt32

  /// Asks the kernel for the process; `nil` if that fails.
  package init?(of socket: FileDescriptor) {
    var credentials = clinux_credentials()
    var length = socklen_t(MemoryLayout<clinux_credentials>.size)
    let result = getsockopt(
      socket.rawValue, SOL_SOCKET, clinux_SO_PEERCRED(), &credentials, &length)
    guard result == 0 else { return nil }
    processID = credentials.pid
    userID = credentials.uid
  }

  /// True if the process belongs to this process' user, or to root.
  package var isTrusted: Bool { userID == geteuid() || userID == 0 }
}

/// An open socket, which is closed exactly once.
package struct SocketDescriptor: ~Copyable, Sendable {
  private let owned: OwnedDescriptor
  package var descriptor: FileDescriptor { owned.descriptor }

  package init(takingOwnershipOf descriptor: FileDescriptor) {
    owned = OwnedDescriptor(takingOwnershipOf: descriptor)
  }

  /// Returns the descriptor, which the caller must close.
  consuming func release() -> FileDescriptor { owned.release() }

  private static func make() throws(Errno) -> SocketDescriptor {
    // `SOCK_SEQPACKET` keeps message boundaries and order, and reports when the other end closes.
    let flags = Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let result = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | flags, 0)
    guard result >= 0 else { throw Errno(rawValue: errno) }
    return SocketDescriptor(takingOwnershipOf: FileDescriptor(rawValue: result))
  }

  /// Makes two connected sockets that carry a stream of bytes, non-blocking and closed on exec.
  ///
  /// - Throws: The `Errno` of `socketpair`.
  static func streamPair() throws(Errno) -> SocketPair {
    var ends: (Int32, Int32) = (-1, -1)
    let flags = Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let result = withUnsafeMutableBytes(of: &ends) {
      socketpair(
        AF_UNIX, Int32(SOCK_STREAM.rawValue) | flags, 0,
        $0.assumingMemoryBound(to: Int32.self).baseAddress)
    }
    guard result == 0 else { throw Errno(rawValue: errno) }
    return SocketPair(
      first: SocketDescriptor(takingOwnershipOf: FileDescriptor(rawValue: ends.0)),
      second: SocketDescriptor(takingOwnershipOf: FileDescriptor(rawValue: ends.1)))
  }

  /// Makes a socket in a folder, to which clients can connect.
  package static func listening(
    at name: String, in directory: BusDirectory
  ) throws(Errno) -> SocketDescriptor {
    let socket = try make()
    let raw = socket.descriptor.rawValue
    try withSocketAddress(directory.procPath(name)) { bind(raw, $0, $1) }
    guard listen(raw, 4096) == 0 else { throw Errno(rawValue: errno) }
    return socket
  }

  /// Connects to a socket of the folder.
  package static func connected(
    to name: String, in directory: BusDirectory
  ) throws(Errno) -> SocketDescriptor {
    let socket = try make()
    let raw = socket.descriptor.rawValue
    try withSocketAddress(directory.procPath(name)) { connect(raw, $0, $1) }
    return socket
  }

  /// Accepts the next client that waits to connect; throws `EAGAIN` if none waits.
  package borrowing func accept() throws(Errno) -> SocketDescriptor {
    let result = try retryingOnInterrupt { clinux_accept(descriptor.rawValue) }
    return SocketDescriptor(takingOwnershipOf: FileDescriptor(rawValue: result))
  }

  /// Accepts every client of this user, or of root, that waits to connect.
  ///
  /// - Parameter body: Called with a client's socket and the ID of its process. An error ends the
  ///   call.
  /// - Returns: True if the call has accepted all waiting clients. False after an error of `body`
  ///   or of accepting, such as a lack of descriptors: the caller must then pause, because the loop
  ///   would report the waiting clients again and again.
  package borrowing func acceptClients(
    _ body: (consuming SocketDescriptor, Int32) throws(Errno) -> Void
  ) -> Bool {
    while true {
      let socket: SocketDescriptor
      do throws(Errno) {
        socket = try accept()
      } catch {
        switch error {
        case .connectionAbort: continue
        case .wouldBlock: return true
        default: return false
        }
      }
      // Other users cannot enter the folder. A process that got in through a descriptor of it is
      // refused.
      guard let peer = SocketPeer(of: socket.descriptor), peer.isTrusted else { continue }
      do throws(Errno) { try body(socket, peer.processID) } catch { return false }
    }
  }

  /// Sends a datagram.
  ///
  /// - Throws: The `Errno` of `send`: `EAGAIN` if the socket has no room.
  package borrowing func send(_ bytes: Span<UInt8>) throws(Errno) {
    _ = try retryingOnInterrupt {
      bytes.withUnsafeBytes {
        Glibc.send(
          descriptor.rawValue, $0.baseAddress, $0.count,
          Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
      }
    }
  }

  /// Receives a datagram.
  ///
  /// - Returns: The length of the datagram in bytes; 0 if the other end has closed. A datagram
  ///   longer than the buffer gives `EMSGSIZE`.
  package borrowing func receive(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    try receiving(atMost: buffer.count) {
      Glibc.recv(
        descriptor.rawValue, buffer.baseAddress, buffer.count,
        Int32(MSG_DONTWAIT) | Int32(MSG_TRUNC))
    }
  }

  /// Reads bytes of a stream, as many as are there.
  ///
  /// - Returns: The number of bytes; 0 at the end of the stream.
  /// - Throws: The `Errno` of `read`: `EAGAIN` if no bytes are there now.
  borrowing func readSome(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    try receiving(atMost: buffer.count) {
      Glibc.read(descriptor.rawValue, buffer.baseAddress, buffer.count)
    }
  }

  /// Reads bytes of a stream, as many as are there up to a limit, and appends them to an array.
  ///
  /// - Returns: The number of bytes; 0 at the end of the stream.
  /// - Throws: The `Errno` of `read`: `EAGAIN` if no bytes are there now.
  borrowing func readSome(
    atMost limit: Int, appendingTo bytes: inout [UInt8]
  ) throws(Errno) -> Int {
    let start = bytes.count
    try bytes.append(addingCapacity: limit) { output throws(Errno) in
      try output.withUnsafeMutableBufferPointer { buffer, count throws(Errno) in
        count = try readSome(
          into: UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: limit))
      }
    }
    return bytes.count - start
  }

  /// Writes bytes to a stream, as many as there is room for now.
  ///
  /// - Returns: The number of bytes. All count as written if the stream has failed: the next read
  ///   reports the end.
  borrowing func writeSome(_ bytes: [UInt8]) -> Int {
    guard !bytes.isEmpty else { return 0 }
    do throws(Errno) {
      return try retryingOnInterrupt {
        bytes.withUnsafeBytes {
          Glibc.send(
            descriptor.rawValue, $0.baseAddress, $0.count,
            Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
      }
    } catch {
      switch error {
      // Without memory nothing is written, and the stream has not failed.
      case .wouldBlock, .noMemory, .noBufferSpace: return 0
      default: return bytes.count
      }
    }
  }

  /// Calls `call`, a system call that receives, and repeats it after `EINTR` and `ECONNRESET`.
  ///
  /// - Returns: The length of the datagram in bytes; 0 if the other end has closed.
  /// - Throws: The `Errno` of the call; `EMSGSIZE` for a datagram longer than the limit.
  func receiving(atMost limit: Int, _ call: () -> Int) throws(Errno) -> Int {
    while true {
      do throws(Errno) {
        let count = try retryingOnInterrupt(call)
        guard count <= limit else { throw .messageTooLong }
        return count
      } catch {
        // If one end is closed with unread data, the other end gets ECONNRESET once. After that it
        // gets the data that was sent to it (`unix_release_sock` and `__skb_try_recv_datagram`,
        // Linux 6.12).
        guard error == .connectionReset else { throw error }
      }
    }
  }

  /// Receives a short datagram.
  ///
  /// - Parameter limit: The maximum length, in bytes.
  /// - Returns: The datagram; empty if the other end has closed. A datagram longer than the limit
  ///   gives `EMSGSIZE`.
  package borrowing func receive(atMost limit: Int) throws(Errno) -> [UInt8] {
    let result = withUnsafeTemporaryAllocation(byteCount: limit, alignment: 8) { buffer in
      Result { () throws(Errno) in
        let count = try receive(into: buffer)
        return Array(buffer[..<count])
      }
    }
    return try result.get()
  }
}

/// Two sockets that are connected to each other.
struct SocketPair: ~Copyable {
  let first: SocketDescriptor
  let second: SocketDescriptor
}

extension Errno {
  /// True if the process or the system lacked descriptors or memory.
  ///
  /// These errors do not depend on the file that the call names.
  var isLackOfResources: Bool {
    [.tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory].contains(self)
  }
}
