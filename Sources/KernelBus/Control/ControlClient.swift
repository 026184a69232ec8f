// SPDX-License-Identifier: Apache-2.0

import HIDBusDirectory
import HIDWire
import IOLoop
import Synchronization
import SystemPackage

/// A client's end of the control socket of a device that hidsim has plugged.
///
/// Without it (the device is another user's, or not hidsim's) a node is read all the same, and what the
/// kernel drops is not known.
final class ControlClient: Sendable {
  private let socket: SocketDescriptor
  private let receivedCounts = Mutex<ReportCounts.Reader?>(nil)

  /// Connects to a device of the kernel's bus, if it can be found in the folder.
  init?(to device: HIDDeviceID, in directory: BusDirectory) {
    do throws(Errno) {
      socket = try SocketDescriptor.connected(
        to: DeviceEntry.socketName(of: device, on: .kernel), in: directory)
    } catch {
      return nil
    }
  }

  var pollDescriptor: FileDescriptor { socket.descriptor }

  /// The device's counts; `nil` until its first question has brought them.
  var counts: ReportCounts.Reader? { receivedCounts.withLock { $0 } }

  /// The device's question how far the client is.
  struct Question: Hashable, Sendable {
    /// How many reports it has sent.
    let sent: UInt64
    /// Whether counting begins here.
    let isFirst: Bool
  }

  /// Takes the device's question.
  ///
  /// - Returns: The question; `nil` when there is none.
  /// - Throws: The `Errno` of the call, `EPIPE` at the end and for what is no question.
  func question() throws(Errno) -> Question? {
    do throws(Errno) {
      let bytes = try receive()
      switch ControlMessage(decoding: bytes[...]) {
      case .begin(let sent): return Question(sent: sent, isFirst: true)
      case .sent(let sent): return Question(sent: sent, isFirst: false)
      case .taken, nil: throw Errno.brokenPipe
      }
    } catch {
      if error == .wouldBlock { return nil }
      throw error
    }
  }

  private func receive() throws(Errno) -> [UInt8] {
    guard counts == nil else { return try socket.receive(atMost: ControlMessage.longest) }
    let result = withUnsafeTemporaryAllocation(byteCount: ControlMessage.longest, alignment: 8) {
      buffer in
      Result { () throws(Errno) in
        let (count, counts) = try socket.receiveCounts(into: buffer)
        if let counts { receivedCounts.withLock { $0 = counts } }
        return Array(buffer[..<count])
      }
    }
    return try result.get()
  }

  /// Answers the device's question.
  func answer(_ sent: UInt64, room: Int, lost: UInt64) {
    do throws(Errno) {
      let message = ControlMessage.taken(sent, room: UInt32(clamping: room), lost: lost)
      try socket.send(message.encoded.span)
    } catch {
      // The device is gone: the node says so too.
    }
  }
}
