// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import IOLoop
package import SystemPackage

/// A socket that carries a stream of bytes between two programs of one user, in the bus directory.
///
/// Its calls block. A call that waits ends when the socket is shut down. The socket is closed with
/// the last reference.
package final class StreamSocket: Sendable {
  private let owned: OwnedDescriptor
  private var descriptor: FileDescriptor { owned.descriptor }

  private init(takingOwnershipOf descriptor: FileDescriptor) {
    owned = OwnedDescriptor(takingOwnershipOf: descriptor)
  }

  private static func make() throws(Errno) -> StreamSocket {
    let result = socket(
      AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard result >= 0 else { throw Errno(rawValue: errno) }
    return StreamSocket(takingOwnershipOf: FileDescriptor(rawValue: result))
  }

  /// Makes a socket that programs of the same user can connect to.
  package static func listening(
    at name: String, in directory: BusDirectory
  ) throws(Errno) -> StreamSocket {
    let socket = try make()
    let raw = socket.descriptor.rawValue
    try withSocketAddress(directory.procPath(name)) { bind(raw, $0, $1) }
    guard listen(raw, 64) == 0 else { throw Errno(rawValue: errno) }
    return socket
  }

  /// Connects to a socket of the folder.
  ///
  /// - Parameter patience: The time in milliseconds after which a waiting call fails; 0 for no
  ///   limit.
  package static func connected(
    to name: String, in directory: BusDirectory, patience: Int
  ) throws(Errno) -> StreamSocket {
    let socket = try make()
    socket.setPatience(patience)
    let raw = socket.descriptor.rawValue
    try withSocketAddress(directory.procPath(name)) { connect(raw, $0, $1) }
    return socket
  }

  /// Waits for a program of the same user, or of root, that connects.
  ///
  /// - Returns: The connection; `nil` when the socket was shut down, and after an error other than
  ///   an interruption, an aborted connection or a lack of descriptors.
  package func accept() -> StreamSocket? {
    while true {
      let result: Int32
      do throws(Errno) {
        result = try retryingOnInterrupt { clinux_accept_blocking(descriptor.rawValue) }
      } catch {
        switch error {
        case .connectionAbort: continue
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem:
          // Without a pause, `accept` would fail again and again while a program waits.
          usleep(100_000)
          continue
        default: return nil
        }
      }
      let socket = StreamSocket(takingOwnershipOf: FileDescriptor(rawValue: result))
      if let peer = SocketPeer(of: socket.descriptor), peer.isTrusted { return socket }
    }
  }

  /// Sets the time in milliseconds after which a waiting call fails; 0 for no limit.
  package func setPatience(_ milliseconds: Int) {
    var time = timeval(
      tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
    let length = socklen_t(MemoryLayout<timeval>.size)
    _ = setsockopt(descriptor.rawValue, SOL_SOCKET, SO_RCVTIMEO, &time, length)
    _ = setsockopt(descriptor.rawValue, SOL_SOCKET, SO_SNDTIMEO, &time, length)
  }

  /// Waits for bytes, and returns up to `count`; `nil` at the end of the stream, after an error or
  /// a timeout.
  package func read(atMost count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    let result = try? retryingOnInterrupt { Glibc.read(descriptor.rawValue, &bytes, count) }
    guard let result, result > 0 else { return nil }
    return Array(bytes[..<result])
  }

  /// Writes all bytes; returns false if that fails, as when the other end has closed or reads
  /// nothing for the time of ``setPatience(_:)``.
  package func write(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let result = try? retryingOnInterrupt {
        bytes.withUnsafeBytes {
          Glibc.send(
            descriptor.rawValue, $0.baseAddress?.advanced(by: sent), $0.count - sent,
            Int32(MSG_NOSIGNAL))
        }
      }
      guard let result else { return false }
      sent += result
    }
    return true
  }

  /// Waits until the other end has closed its socket, or one end is shut down.
  ///
  /// The time of ``setPatience(_:)`` does not limit this wait.
  package func waitForHangUp() {
    var watched = pollfd(fd: descriptor.rawValue, events: 0, revents: 0)
    _ = try? retryingOnInterrupt { poll(&watched, 1, -1) }
  }

  /// Ends the calls that wait for bytes here; bytes that were written still reach the other end.
  package func endReading() { _ = shutdown(descriptor.rawValue, Int32(SHUT_RD)) }

  /// Ends the waiting calls at both ends.
  package func shutDown() { _ = shutdown(descriptor.rawValue, Int32(SHUT_RDWR)) }
}
