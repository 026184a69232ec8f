// SPDX-License-Identifier: Apache-2.0

import HIDBusDirectory
import HIDWire
import IOLoop
import SystemPackage

/// A client's end of the control socket of a device that hidsim has plugged.
///
/// Without it (the device is another user's, or not hidsim's) a node is read all the same, and what the
/// kernel drops is not known.
final class ControlClient: Sendable {
  private let socket: SocketDescriptor

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

  /// Takes the device's question.
  ///
  /// - Returns: How many reports it has sent; `nil` when there is none.
  /// - Throws: The `Errno` of the call, `EPIPE` at the end and for what is no question.
  func question() throws(Errno) -> UInt64? {
    do throws(Errno) {
      let bytes = try socket.receive(atMost: ControlMessage.longest)
      guard case .sent(let sent) = ControlMessage(decoding: bytes[...]) else {
        throw Errno.brokenPipe
      }
      return sent
    } catch {
      if error == .wouldBlock { return nil }
      throw error
    }
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
