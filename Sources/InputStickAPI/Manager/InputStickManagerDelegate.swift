// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// Asks and informs the user for a manager.
public protocol InputStickManagerDelegate: NSObjectProtocol {
  /// Shows an error: a connection has failed, or has ended.
  func inputStickManager(
    _ inputStickManager: InputStickManager!, presentErrorDialog error: (any Error)!)
  /// Asks for the password of a stick, or whether to go on without one.
  ///
  /// The user's answer goes to ``InputStickManager/updateDevicePassword(_:savePlainText:)``.
  ///
  /// - Returns: Whether the user is asked; if not, the manager disconnects.
  func inputStickManager(
    _ inputStickManager: InputStickManager!,
    presentEncryptionKeyDialog deviceData: InputStickDeviceData!, request: InputStickKeyRequest
  ) -> Bool
  /// Says that there is newer firmware.
  func inputStickManager(
    _ inputStickManager: InputStickManager!,
    presentFirmwareUpdateDialog deviceData: InputStickDeviceData!)
  /// Asks whether to wake up the USB host.
  func inputStickManager(
    _ inputStickManager: InputStickManager!,
    presentUSBResumeDialog deviceData: InputStickDeviceData!
  )
}
