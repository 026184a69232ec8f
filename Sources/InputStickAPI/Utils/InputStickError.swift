// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// The domain of the errors of this library.
public let InputStickErrorDomain: String! = "InputStickErrorDomain"

/// The codes of errors.
///
/// A stick is a simulated InputStick: a USB device that a client drives by packets on a link.
public enum InputStickErrorCode: UInt, Sendable, CaseIterable {
  /// There is no error.
  case INPUTSTICK_ERROR_NONE = 0x0000
  /// An error of an unknown kind.
  case INPUTSTICK_ERROR_GENERAL = 0x0001
  /// An error of the link.
  case INPUTSTICK_ERROR_BT_GENERAL = 0x0100
  /// The link was lost.
  case INPUTSTICK_ERROR_BT_CONNECTION_LOST = 0x0101
  /// The connection attempt took longer than 5 s, or the link could not be made.
  case INPUTSTICK_ERROR_BT_CONNECTION_TIMEDOUT = 0x0102
  /// No stick with this identifier, or no stored stick, was found within 5 s.
  case INPUTSTICK_ERROR_BT_OUT_OF_RANGE = 0x0103
  /// The machine has no Bluetooth LE.
  case INPUTSTICK_ERROR_BT_NOT_SUPPORTED = 0x0104
  /// Bluetooth is off.
  case INPUTSTICK_ERROR_BT_TURNED_OFF = 0x0105
  /// The identifier is not valid.
  case INPUTSTICK_ERROR_BT_INVALID_ADDRESS = 0x0106
  /// The Bluetooth service could not be read.
  case INPUTSTICK_ERROR_BT_SERVICE = 0x0107
  /// The Bluetooth characteristic could not be read.
  case INPUTSTICK_ERROR_BT_CHARACTERISTIC = 0x0108
  /// The value of the Bluetooth characteristic could not be read.
  case INPUTSTICK_ERROR_BT_CHARACTERISTIC_VALUE = 0x0109
  /// The Bluetooth descriptor could not be read.
  case INPUTSTICK_ERROR_BT_DESCRIPTOR = 0x010A
  /// An error of the hardware.
  case INPUTSTICK_ERROR_HW_GENERAL = 0x0200
  /// The watchdog of the stick has restarted it.
  case INPUTSTICK_ERROR_HW_WATCHDOG_RESET = 0x0201
  /// An error of the firmware.
  case INPUTSTICK_ERROR_FW_GENERAL = 0x0300
  /// The stick did not start in two attempts of 3 s each.
  case INPUTSTICK_ERROR_FW_INIT_TIMEDOUT = 0x0301
  /// The host has not configured the stick in time.
  case INPUTSTICK_ERROR_FW_USB_NOT_READY = 0x0302
  /// The host has suspended the stick for 30 s.
  case INPUTSTICK_ERROR_FW_USB_SUSPENDED = 0x0303
  /// The firmware has a version that is not supported.
  case INPUTSTICK_ERROR_FW_UNSUPPORTED_VERSION = 0x0304
  /// The firmware does not know a command.
  case INPUTSTICK_ERROR_FW_UNSUPPORTED_CMD = 0x0305
  /// The firmware has sent an unexpected value.
  case INPUTSTICK_ERROR_FW_UNEXPECTED_VALUE = 0x0306
  /// An error of a packet.
  case INPUTSTICK_ERROR_PACKET_GENERAL = 0x0400
  /// A packet that was received is not valid.
  case INPUTSTICK_ERROR_PACKET_RX_GENERAL = 0x0410
  /// A packet that was received has a wrong CRC.
  case INPUTSTICK_ERROR_PACKET_RX_CRC = 0x0411
  /// A packet that was received does not begin with the start tag.
  case INPUTSTICK_ERROR_PACKET_RX_TAG = 0x0412
  /// A packet that was received has a header that is not valid.
  case INPUTSTICK_ERROR_PACKET_RX_HEADER = 0x0413
  /// A packet that was received has a length that is not valid.
  case INPUTSTICK_ERROR_PACKET_RX_LENGTH = 0x0414
  /// The rest of a packet that was being received did not come within the time limit.
  case INPUTSTICK_ERROR_PACKET_RX_TIMEDOUT = 0x0415
  /// A packet that was received is encrypted, but encryption is not set up.
  case INPUTSTICK_ERROR_PACKET_RX_ENCR_NOT_ENABLED = 0x0416
  /// A packet that was received is not encrypted, but must be.
  case INPUTSTICK_ERROR_PACKET_RX_ENCR_MISSING = 0x0417
  /// A packet that was received has a wrong authentication code.
  case INPUTSTICK_ERROR_PACKET_RX_HMAC = 0x0418
  /// A packet that was received has a wrong counter in its authentication code.
  case INPUTSTICK_ERROR_PACKET_RX_HMAC_COUNTER = 0x0419
  /// A packet that was received has no authentication code.
  case INPUTSTICK_ERROR_PACKET_RX_HMAC_MISSING = 0x041A
  /// A packet that was sent is not valid: the stick has sent an error notification.
  case INPUTSTICK_ERROR_PACKET_TX_GENERAL = 0x0420
  /// A packet that was sent has a wrong CRC.
  case INPUTSTICK_ERROR_PACKET_TX_CRC = 0x0421
  /// A packet that was sent does not begin with the start tag.
  case INPUTSTICK_ERROR_PACKET_TX_TAG = 0x0422
  /// A packet that was sent has a header that is not valid.
  case INPUTSTICK_ERROR_PACKET_TX_HEADER = 0x0423
  /// A packet that was sent has a length that is not valid.
  case INPUTSTICK_ERROR_PACKET_TX_LENGTH = 0x0424
  /// The rest of a packet that was sent did not come within the time limit.
  case INPUTSTICK_ERROR_PACKET_TX_TIMEDOUT = 0x0425
  /// A packet that was sent is encrypted, but encryption is not set up.
  case INPUTSTICK_ERROR_PACKET_TX_ENCR_NOT_ENABLED = 0x0426
  /// A packet that was sent is not encrypted, but must be.
  case INPUTSTICK_ERROR_PACKET_TX_ENCR_MISSING = 0x0427
  /// A packet that was sent has a wrong authentication code.
  case INPUTSTICK_ERROR_PACKET_TX_HMAC = 0x0428
  /// A packet that was sent has a wrong counter in its authentication code.
  case INPUTSTICK_ERROR_PACKET_TX_HMAC_COUNTER = 0x0429
  /// A packet that was sent has no authentication code.
  case INPUTSTICK_ERROR_PACKET_TX_HMAC_MISSING = 0x042A
  /// An error of the encryption.
  case INPUTSTICK_ERROR_ENCRYPTION_GENERAL = 0x0500
  /// The program cannot encrypt.
  case INPUTSTICK_ERROR_ENCRYPTION_NOT_SUPPORTED_APP = 0x0501
  /// The stick cannot encrypt.
  case INPUTSTICK_ERROR_ENCRYPTION_NOT_SUPPORTED_DEVICE = 0x0502
  /// The stick has a password, but no key was given.
  case INPUTSTICK_ERROR_ENCRYPTION_NO_KEY = 0x0503
  /// The key is wrong.
  case INPUTSTICK_ERROR_ENCRYPTION_INVALID_KEY = 0x0504
  /// A key is stored, or a password was given, but the stick has no password.
  case INPUTSTICK_ERROR_ENCRYPTION_KEY_REMOVED = 0x0505
  /// The stick has not proved that it has the key: its fifth or a later answer was wrong.
  case INPUTSTICK_ERROR_ENCRYPTION_VERIFICATION_FAILED = 0x0506
  /// Encrypted data was received while encryption is off.
  case INPUTSTICK_ERROR_ENCRYPTION_NOT_ENABLED = 0x0507
  /// An error of the program.
  case INPUTSTICK_ERROR_APP_GENERAL = 0x0700
  /// No stick is stored.
  case INPUTSTICK_ERROR_APP_NO_DEVICES_STORED = 0x0701
  /// The last used stick is not stored any more, or no stick was used yet.
  case INPUTSTICK_ERROR_APP_MOST_RECENT_DEVICE_REMOVED = 0x0702
  /// An error of the system.
  case INPUTSTICK_ERROR_IOS_GENERAL = 0x0800

  /// The description of the error, as a clause.
  var text: String {
    switch self {
    case .INPUTSTICK_ERROR_NONE: "no error"
    case .INPUTSTICK_ERROR_GENERAL: "undefined error"
    case .INPUTSTICK_ERROR_BT_GENERAL: "the link failed"
    case .INPUTSTICK_ERROR_BT_CONNECTION_LOST: "the link to the InputStick was lost"
    case .INPUTSTICK_ERROR_BT_CONNECTION_TIMEDOUT:
      "the InputStick could not be connected within 5 s"
    case .INPUTSTICK_ERROR_BT_OUT_OF_RANGE:
      "no such InputStick was found within 5 s: it is not there, or another client is connected to it"
    case .INPUTSTICK_ERROR_BT_NOT_SUPPORTED: "this machine has no Bluetooth LE"
    case .INPUTSTICK_ERROR_BT_TURNED_OFF: "Bluetooth is off or unavailable"
    case .INPUTSTICK_ERROR_BT_INVALID_ADDRESS: "the identifier of the InputStick is not valid"
    case .INPUTSTICK_ERROR_BT_SERVICE: "the Bluetooth service could not be read"
    case .INPUTSTICK_ERROR_BT_CHARACTERISTIC: "the Bluetooth characteristic could not be read"
    case .INPUTSTICK_ERROR_BT_CHARACTERISTIC_VALUE:
      "the value of the Bluetooth characteristic could not be read"
    case .INPUTSTICK_ERROR_BT_DESCRIPTOR: "the Bluetooth descriptor could not be read"
    case .INPUTSTICK_ERROR_HW_GENERAL: "the hardware of the InputStick failed"
    case .INPUTSTICK_ERROR_HW_WATCHDOG_RESET:
      "the watchdog of the InputStick has restarted it: its hardware or firmware is damaged"
    case .INPUTSTICK_ERROR_FW_GENERAL: "the firmware of the InputStick failed"
    case .INPUTSTICK_ERROR_FW_INIT_TIMEDOUT:
      "the InputStick did not start within 6 s, or the device is no InputStick"
    case .INPUTSTICK_ERROR_FW_USB_NOT_READY:
      "the USB host has not configured the InputStick in time"
    case .INPUTSTICK_ERROR_FW_USB_SUSPENDED: "the USB host has suspended the InputStick for 30 s"
    case .INPUTSTICK_ERROR_FW_UNSUPPORTED_VERSION: "this version of the firmware is not supported"
    case .INPUTSTICK_ERROR_FW_UNSUPPORTED_CMD: "the firmware does not know the command"
    case .INPUTSTICK_ERROR_FW_UNEXPECTED_VALUE: "the firmware has sent an unexpected value"
    case .INPUTSTICK_ERROR_PACKET_GENERAL: "a packet is not valid"
    case .INPUTSTICK_ERROR_PACKET_RX_GENERAL: "a packet that was received is not valid"
    case .INPUTSTICK_ERROR_PACKET_RX_CRC: "a packet that was received has a wrong CRC"
    case .INPUTSTICK_ERROR_PACKET_RX_TAG:
      "a packet that was received does not begin with the start tag"
    case .INPUTSTICK_ERROR_PACKET_RX_HEADER:
      "a packet that was received has a header that is not valid"
    case .INPUTSTICK_ERROR_PACKET_RX_LENGTH:
      "a packet that was received has a length that is not valid"
    case .INPUTSTICK_ERROR_PACKET_RX_TIMEDOUT:
      "a packet that was received did not come within the time limit"
    case .INPUTSTICK_ERROR_PACKET_RX_ENCR_NOT_ENABLED:
      "a packet that was received is encrypted, and encryption is not set up"
    case .INPUTSTICK_ERROR_PACKET_RX_ENCR_MISSING:
      "a packet that was received is not encrypted, and has to be"
    case .INPUTSTICK_ERROR_PACKET_RX_HMAC:
      "a packet that was received has a wrong authentication code"
    case .INPUTSTICK_ERROR_PACKET_RX_HMAC_COUNTER:
      "a packet that was received has a counter that is out of step"
    case .INPUTSTICK_ERROR_PACKET_RX_HMAC_MISSING:
      "a packet that was received has no authentication code"
    case .INPUTSTICK_ERROR_PACKET_TX_GENERAL: "a packet that was sent is not valid"
    case .INPUTSTICK_ERROR_PACKET_TX_CRC: "a packet that was sent has a wrong CRC"
    case .INPUTSTICK_ERROR_PACKET_TX_TAG: "a packet that was sent does not begin with the start tag"
    case .INPUTSTICK_ERROR_PACKET_TX_HEADER: "a packet that was sent has a header that is not valid"
    case .INPUTSTICK_ERROR_PACKET_TX_LENGTH: "a packet that was sent has a length that is not valid"
    case .INPUTSTICK_ERROR_PACKET_TX_TIMEDOUT:
      "a packet that was sent did not come within the time limit"
    case .INPUTSTICK_ERROR_PACKET_TX_ENCR_NOT_ENABLED:
      "a packet that was sent is encrypted, and encryption is not set up"
    case .INPUTSTICK_ERROR_PACKET_TX_ENCR_MISSING:
      "a packet that was sent is not encrypted, and has to be"
    case .INPUTSTICK_ERROR_PACKET_TX_HMAC: "a packet that was sent has a wrong authentication code"
    case .INPUTSTICK_ERROR_PACKET_TX_HMAC_COUNTER:
      "a packet that was sent has a counter that is out of step"
    case .INPUTSTICK_ERROR_PACKET_TX_HMAC_MISSING:
      "a packet that was sent has no authentication code"
    case .INPUTSTICK_ERROR_ENCRYPTION_GENERAL: "the encryption failed"
    case .INPUTSTICK_ERROR_ENCRYPTION_NOT_SUPPORTED_APP:
      "this program cannot encrypt; install OpenSSL 3 (Debian and Ubuntu: openssl), or remove the "
        + "password of the InputStick"
    case .INPUTSTICK_ERROR_ENCRYPTION_NOT_SUPPORTED_DEVICE:
      "the InputStick cannot encrypt; update its firmware"
    case .INPUTSTICK_ERROR_ENCRYPTION_NO_KEY: "the InputStick has a password, and none was given"
    case .INPUTSTICK_ERROR_ENCRYPTION_INVALID_KEY: "the password is wrong; it may have been changed"
    case .INPUTSTICK_ERROR_ENCRYPTION_KEY_REMOVED:
      "the InputStick has no password any more, and a key is stored for it"
    case .INPUTSTICK_ERROR_ENCRYPTION_VERIFICATION_FAILED:
      "the InputStick has not proved that it knows the password"
    case .INPUTSTICK_ERROR_ENCRYPTION_NOT_ENABLED: "encrypted data came while encryption is off"
    case .INPUTSTICK_ERROR_APP_GENERAL: "the program failed"
    case .INPUTSTICK_ERROR_APP_NO_DEVICES_STORED: "no InputStick is stored"
    case .INPUTSTICK_ERROR_APP_MOST_RECENT_DEVICE_REMOVED:
      "the InputStick that was used last is not stored any more"
    case .INPUTSTICK_ERROR_IOS_GENERAL: "the system failed"
    }
  }
}

/// A function that makes `NSError` objects from error codes.
open class InputStickError: NSObject {
  /// Returns the error of a code.
  ///
  /// - Returns: An `NSError` of the domain ``InputStickErrorDomain``; nil for
  ///   ``InputStickErrorCode/INPUTSTICK_ERROR_NONE``.
  open class func getNSError(with code: InputStickErrorCode) -> (any Error)! {
    guard code != .INPUTSTICK_ERROR_NONE else { return nil }
    return NSError(
      domain: InputStickErrorDomain, code: Int(code.rawValue),
      userInfo: [NSLocalizedDescriptionKey: code.text])
  }
}
