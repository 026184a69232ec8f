// SPDX-License-Identifier: Apache-2.0
import Synchronization
import SystemPackage

/// A client's end of the control socket of a device that hidsim has plugged.
///
/// Over the socket, the device sends count requests: it gives the number of reports that it has
/// sent, and asks how many reports the client has read. The client answers each.
///
/// Without the socket (the device is another user's, or not hidsim's) the client can still read the
/// node, but it cannot count the reports that the kernel drops.
final class ControlClient: Sendable {
  private let socket: SocketDescriptor
  private let receivedCounts = Mutex<ReportCounts.Reader?>(nil)

  /// Connects to a device of the kernel bus; `nil` if that fails, for example because the folder
  /// has no socket of the device.
  init?(to device: HIDDeviceID, in directory: BusDirectory) {
    do throws(Errno) {
      socket = try SocketDescriptor.connected(
        to: DeviceEntry.socketName(of: device, on: .kernel), in: directory)
    } catch {
      return nil
    }
  }

  var pollDescriptor: FileDescriptor { socket.descriptor }

  /// The device's counts; `nil` until a count request has delivered them.
  var counts: ReportCounts.Reader? { receivedCounts.withLock { $0 } }

  /// A count request of the device.
  struct Question: Hashable, Sendable {
    /// The number of reports that the device has sent.
    let sent: UInt64
    /// True if counting begins with this request.
    let isFirst: Bool
  }

  /// Receives a count request of the device.
  ///
  /// - Returns: The count request; `nil` if none has arrived.
  /// - Throws: The `Errno` of the call; `EPIPE` at the end and for any other message.
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

  /// Answers a count request of the device; ignores errors.
  ///
  /// - Parameters:
  ///   - sent: The number of reports in the request.
  ///   - room: The number of further reports that the client can take.
  ///   - lost: The number of reports that the client has lost since it connected.
  func answer(_ sent: UInt64, room: Int, lost: UInt64) {
    do throws(Errno) {
      let message = ControlMessage.taken(sent, room: UInt32(clamping: room), lost: lost)
      try socket.send(message.encoded.span)
    } catch {
      // The device is gone. The node reports that too.
    }
  }
}
