// SPDX-License-Identifier: Apache-2.0

import IOLoop
import SystemPackage

extension USBDevice {
  /// The device's end of the connection, closed with the last reference.
  final class Connection: Sendable {
    let socket: SocketDescriptor
    let watch: IOLoop.WatchID
    /// Calls ``USBDevice/advance()``; one closure for all deadlines.
    let whenDue: @Sendable () -> Void
    var descriptor: FileDescriptor { socket.descriptor }

    init(
      _ socket: consuming SocketDescriptor, _ watch: IOLoop.WatchID,
      whenDue: @escaping @Sendable () -> Void
    ) {
      self.socket = socket
      self.watch = watch
      self.whenDue = whenDue
    }
  }

  /// The transfers between the device and its host, with the bytes of their messages.
  ///
  /// They are one property, so that the exclusive access to them is checked once a chunk.
  struct Transfers: ~Copyable {
    var engine: USBTransferEngine
    var reader = USBIPRequestReader()
    /// The replies that the host has not taken.
    var outgoing: [UInt8] = []
    /// The tap that passes the transfers to a recording; nil if nothing records them.
    var tap: USBTransferTap?

    /// The number of bytes of one read: many short messages, or a part of a long one.
    static let chunkByteCount = 16 * 1024

    /// The result of ``receive(from:)``.
    struct Received {
      /// The length of the chunk, 0 at the end of the connection or after a message that is not
      /// valid, or -1 if there is none now.
      let count: Int
      let time: MonotonicTime
      var fault: USBIPError?
    }

    init(_ engine: consuming USBTransferEngine) { self.engine = engine }

    /// Reads a chunk of messages, and passes them to the engine.
    mutating func receive(from connection: Connection) -> Received {
      let count: Int
      do throws(Errno) {
        count = try reader.append { bytes throws(Errno) in
          try connection.socket.readSome(atMost: Self.chunkByteCount, appendingTo: &bytes)
        }
      } catch {
        return Received(count: error == .wouldBlock ? -1 : 0, time: .now)
      }
      let now = MonotonicTime.now
      do throws(USBIPError) {
        while let request = try reader.next() {
          tap?.take(request)
          engine.receive(request, at: now)
        }
      } catch {
        return Received(count: 0, time: now, fault: error)
      }
      return Received(count: count, time: now)
    }

    /// Appends the replies of the engine to those that the host has not taken.
    mutating func writeReplies() {
      if tap != nil { engine.forEachReply { tap?.take($0) } }
      engine.moveReplies(to: &outgoing)
    }

    /// Sends replies, as far as the host has room.
    ///
    /// - Returns: The number of bytes that remain; and the time at which the engine has something
    ///   to do next, nil if nothing waits for a time.
    mutating func flush(to connection: Connection) -> (waiting: Int, due: MonotonicTime?) {
      writeReplies()
      if !outgoing.isEmpty {
        let sent = connection.socket.writeSome(outgoing)
        if sent == outgoing.count {
          outgoing.removeAll(keepingCapacity: true)
        } else {
          outgoing.removeFirst(sent)
        }
      }
      return (outgoing.count, engine.due)
    }

    /// Prepares for the next connection.
    mutating func endConnection() {
      tap?.endConnection()
      outgoing = []
      reader = USBIPRequestReader()
    }
  }
}
