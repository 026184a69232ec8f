// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation
import InputStick

/// Bit 5 of the header of a packet to the stick: an authentication code follows the payload.
///
/// In the header of a packet from the stick, bit 5 is a part of the length.
public let InputStickPacketFlagHMAC: UInt8 = 0x20
/// Bit 6 of a packet's header: the payload is encrypted.
public let InputStickPacketFlagEncrypted: UInt8 = 0x40
/// Bit 7 of a packet's header: the sender waits for an answer, or the packet is an answer.
public let InputStickPacketFlagResponse: UInt8 = 0x80
/// The longest payload of a packet to the stick, in bytes.
public let InputStickPacketMaxLength: UInt = 272
/// The length of the CRC, in bytes.
public let InputStickPacketCRC32Length: UInt = 4
/// The offset of the data in the payload of an answer, in bytes.
public let InputStickPacketDataOffset: UInt = 6
/// The offset of the data in the payload of a notification, in bytes.
public let InputStickPacketNotificationDataOffset: UInt = 5

/// The number of a command to a stick, or of a notification from it.
///
/// A stick is a simulated InputStick: a USB device that a client drives by packets on a link.
///
/// As with an enumeration of Objective-C, a value can have any number, not only a named one.
public struct InputStickCmd: RawRepresentable, Hashable, Sendable {
  /// The number.
  public let rawValue: UInt8

  /// Makes a command with any number; never nil.
  public init?(rawValue: UInt8) { self.rawValue = rawValue }

  /// Makes a command with any number.
  init(_ rawValue: UInt8) { self.rawValue = rawValue }

  /// Blink the LED of the stick.
  public static let CmdIdentify = InputStickCmd(0x01)
  /// Start the boot loader.
  public static let CmdRunBootloader = InputStickCmd(0x03)
  /// Start the firmware: the first packet of a session.
  public static let CmdRunFirmware = InputStickCmd(0x04)
  /// Ask for information about the boot loader.
  public static let CmdGetBootloaderInfo = InputStickCmd(0x05)
  /// Ask for information about the firmware.
  public static let CmdGetFirmwareInfo = InputStickCmd(0x10)
  /// Empty all buffers of the stick; from hardware, the packet means a reset by the watchdog.
  public static let CmdWdgReset = InputStickCmd(0x11)
  /// Authenticate, before firmware 1.00.
  public static let CmdAuthenticate = InputStickCmd(0x12)
  /// Set a value: parameter 1 is the key of the password.
  public static let CmdSetValue = InputStickCmd(0x14)
  /// Restore the defaults.
  public static let CmdRestoreDefaults = InputStickCmd(0x15)
  /// Ask for a value: parameter 2 is the USB configuration.
  public static let CmdGetValue = InputStickCmd(0x17)
  /// Set the PIN.
  public static let CmdSetPIN = InputStickCmd(0x18)
  /// Wake up the host.
  public static let CmdUSBResume = InputStickCmd(0x19)
  /// Disconnect the stick from USB (parameter 0), connect it (1), or disconnect and reconnect it
  /// (2).
  public static let CmdUSBPower = InputStickCmd(0x1A)
  /// Set the Bluetooth name.
  public static let CmdSetName = InputStickCmd(0x1C)
  /// A notification: an error.
  public static let CmdErrorNotification = InputStickCmd(0x1E)
  /// A notification of the stick: error codes.
  ///
  /// Hardware sends it before firmware 1.00, and a simulated stick with any firmware.
  public static let CmdSystemNotification = InputStickCmd(0x1F)
  /// Ask for the status.
  public static let CmdHIDRequestStatusReport = InputStickCmd(0x20)
  /// Queue keyboard reports of 8 bytes.
  public static let CmdHIDDataKeyboard = InputStickCmd(0x21)
  /// Queue consumer and system reports.
  public static let CmdHIDDataConsumer = InputStickCmd(0x22)
  /// Queue mouse reports.
  public static let CmdHIDDataMouse = InputStickCmd(0x23)
  /// Queue gamepad reports.
  public static let CmdHIDDataGamepad = InputStickCmd(0x24)
  /// Queue reports of several kinds.
  public static let CmdHIDDataMixed = InputStickCmd(0x25)
  /// Queue touch reports.
  public static let CmdHIDDataTouchScreen = InputStickCmd(0x26)
  /// A raw report, in both directions.
  public static let CmdHIDDataRaw = InputStickCmd(0x27)
  /// Ask for a raw report.
  public static let CmdHIDDataRawPoll = InputStickCmd(0x28)
  /// Empty the buffers of the interfaces whose bits are set in the parameter.
  public static let CmdHIDClear = InputStickCmd(0x2A)
  /// Send a report at once.
  ///
  /// The stick refuses it while the buffer of the interface holds reports, and while the host has
  /// not configured the stick, or has suspended it.
  public static let CmdHIDDataEndpoint = InputStickCmd(0x2B)
  /// Queue keyboard reports of 2 bytes: modifiers, key.
  public static let CmdHIDDataKeyboardShort = InputStickCmd(0x2C)
  /// Queue key strokes: each key is pressed and released.
  public static let CmdHIDDataKeyboardPressAndRelease = InputStickCmd(0x2D)
  /// Queue reports; its content is not published.
  public static let CmdHIDDataQueue = InputStickCmd(0x2E)
  /// A notification: the status of USB, LEDs and buffers.
  public static let CmdHIDStatusNotification = InputStickCmd(0x2F)
  /// Authenticate, from firmware 1.00 on.
  public static let CmdAuthenticateHMAC = InputStickCmd(0x30)
  /// Set the time between two status notifications, in units of 100 ms.
  public static let CmdSetUpdateInterval = InputStickCmd(0x31)
  /// Ask for the status.
  public static let CmdGetStatus = InputStickCmd(0x32)
  /// Generate a key.
  public static let CmdKeygenGenerate = InputStickCmd(0x33)
  /// Test a generated key.
  public static let CmdKeygenTest = InputStickCmd(0x34)
  /// Verify a generated key.
  public static let CmdKeygenVerify = InputStickCmd(0x35)
  /// A notification: the progress of generating a key.
  public static let CmdKeygenNotification = InputStickCmd(0x36)
  /// The command 0x20 without an authentication code.
  public static let CmdHIDStatusReporNoHMAC = InputStickCmd(0x40)
  /// The command 0x21 without an authentication code.
  public static let CmdHIDDataKeyboardNoHMAC = InputStickCmd(0x41)
  /// The command 0x22 without an authentication code.
  public static let CmdHIDDataConsumerNoHMAC = InputStickCmd(0x42)
  /// The command 0x23 without an authentication code.
  public static let CmdHIDDataMouseNoHMAC = InputStickCmd(0x43)
  /// The command 0x24 without an authentication code.
  public static let CmdHIDDataGamepadNoHMAC = InputStickCmd(0x44)
  /// The command 0x25 without an authentication code.
  public static let CmdHIDDataMixedNoHMAC = InputStickCmd(0x45)
  /// The command 0x26 without an authentication code.
  public static let CmdHIDDataTouchScreenNoHMAC = InputStickCmd(0x46)
  /// The command 0x27 without an authentication code.
  public static let CmdHIDDataRawNoHMAC = InputStickCmd(0x47)
  /// The command 0x28 without an authentication code.
  public static let CmdHIDDataRawPollNoHMAC = InputStickCmd(0x48)
  /// The command 0x2A without an authentication code.
  public static let CmdHIDClearNoHMAC = InputStickCmd(0x4A)
  /// The command 0x2B without an authentication code.
  public static let CmdHIDDataEndpointNoHMAC = InputStickCmd(0x4B)
  /// The command 0x2C without an authentication code.
  public static let CmdHIDDataKeyboardShortNoHMAC = InputStickCmd(0x4C)
  /// The command 0x2D without an authentication code.
  public static let CmdHIDDataKeyboardPressAndReleaseNoHMAC = InputStickCmd(0x4D)
  /// The command 0x2E without an authentication code.
  public static let CmdHIDDataQueueNoHMAC = InputStickCmd(0x4E)
}

/// Functions that tell properties of commands.
open class InputStickPacket: NSObject {
  /// Returns whether an encrypted packet with this command carries an authentication code in a
  /// session with such codes.
  open class func requiresHMAC(_ cmd: InputStickCmd) -> Bool {
    StickClientLink.hasTrailer(cmd.rawValue)
  }

  /// Returns whether a packet with this command is encrypted in an encrypted session.
  open class func canEncrypt(_ cmd: InputStickCmd) -> Bool {
    StickCommand(rawValue: cmd.rawValue)?.isNeverEncrypted != true
  }

  /// Returns whether a packet with this command is a notification, which has no answer code.
  ///
  /// The result is false for the progress of restoring (0x16) and for raw reports (0x27), which the
  /// stick also sends without a request.
  open class func isNotification(_ cmd: InputStickCmd) -> Bool {
    [
      .CmdErrorNotification, .CmdSystemNotification, .CmdHIDStatusNotification,
      .CmdKeygenNotification,
    ]
    .contains(cmd)
  }
}
