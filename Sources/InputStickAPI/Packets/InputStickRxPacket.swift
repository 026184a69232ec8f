// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation
import InputStick

/// A packet from the stick: the simulated InputStick that the client is connected to.
open class InputStickRxPacket: NSObject {
  /// True if the CRC is correct, or if it is four zeros, which mean that there is no CRC.
  ///
  /// False for a payload of less than 16 bytes.
  open private(set) var crc32Check = false
  /// True if ``InputStickPacket/isNotification(_:)`` is true for the command.
  open private(set) var isNotification = false
  /// The second byte of the packet.
  open private(set) var header: UInt8 = 0
  /// The number of the command.
  open private(set) var command: UInt8 = 0
  /// The answer code; 1 (success) in a notification, which has no code.
  ///
  /// In a raw report (0x27) and the progress of restoring (0x16), it is the byte after the command.
  open private(set) var respCode: UInt8 = 0
  /// The data after the answer code, or after the command of a notification.
  ///
  /// It includes the zeros that fill the last block.
  open private(set) var data: Data! = Data()

  /// Reads a payload in the clear.
  ///
  /// A payload of less than 6 bytes, or nil, makes an empty packet, whose ``crc32Check`` is false.
  public init!(data: Data!, header: UInt8) {
    super.init()
    self.header = header
    guard let data, data.count >= 6 else { return }
    let bytes = [UInt8](data)
    crc32Check = (try? StickPacket(payload: bytes.span)) != nil
    take(StickPacket(bytes[4], bytes[5], Array(bytes[6...])))
  }

  init(_ packet: StickPacket, header: UInt8) {
    super.init()
    self.header = header
    crc32Check = true
    take(packet)
  }

  private func take(_ packet: StickPacket) {
    command = packet.command
    isNotification = InputStickPacket.isNotification(InputStickCmd(command))
    respCode = isNotification ? 1 : packet.parameter
    data = Data((isNotification ? [packet.parameter] : []) + packet.data)
  }

  /// Returns a byte of the data; 0 beyond its end.
  func byte(_ index: Int) -> UInt8 { index < data.count ? data[data.startIndex + index] : 0 }

  /// The content as the stick has sent it.
  var packet: StickPacket {
    isNotification
      ? StickPacket(command, byte(0), Array(data.dropFirst()))
      : StickPacket(command, respCode, Array(data))
  }
}

/// The answer to ``InputStickCmd/CmdGetFirmwareInfo``.
extension InputStickRxPacket {
  /// The version of the firmware: 100 is 1.00.
  public var firmwareVersion: UInt { UInt(byte(1)) * 100 + UInt(byte(2)) }
  /// True if the stick has a password.
  public var passwordProtectionEnabled: Bool { byte(18) == 1 }
  /// True if a client may set a password while the stick has none.
  public var unlocked: Bool { byte(17) & 0x08 != 0 }
  /// True if the client has authenticated, or if the stick has no password.
  public var authenticated: Bool { byte(17) & 0x10 != 0 }
  /// True if the packet is long enough for this information.
  public var isValid: Bool { data.count > 18 }
}

/// The notification ``InputStickCmd/CmdHIDStatusNotification``.
extension InputStickRxPacket {
  /// The state of USB; ``InputStickUSBState/USBDisconnected`` for an unknown number.
  public var usbState: InputStickUSBState {
    InputStickUSBState(rawValue: UInt(byte(0))) ?? .USBDisconnected
  }
}
