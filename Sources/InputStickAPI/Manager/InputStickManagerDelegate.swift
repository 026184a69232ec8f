// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// A delegate that asks and informs the user for a manager of a stick, a simulated InputStick.
public protocol InputStickManagerDelegate: NSObjectProtocol {
  /// Shows an error to the user: for example, a connection has failed or ended.
  func inputStickManager(
    _ inputStickManager: InputStickManager!, presentErrorDialog error: (any Error)!)
  /// Asks the user for the password of a stick, or whether to go on without one.
  ///
  /// The delegate passes the answer to
  /// ``InputStickManager/updateDevicePassword(_:savePlainText:)``.
  ///
  /// - Returns: True if the user is asked; the manager disconnects on false.
  func inputStickManager(
    _ inputStickManager: InputStickManager!,
    presentEncryptionKeyDialog deviceData: InputStickDeviceData!, request: InputStickKeyRequest
  ) -> Bool
  /// Shows the user that there is newer firmware.
  func inputStickManager(
    _ inputStickManager: InputStickManager!,
    presentFirmwareUpdateDialog deviceData: InputStickDeviceData!)
  /// Asks the user whether to wake up the USB host.
  func inputStickManager(
    _ inputStickManager: InputStickManager!,
    presentUSBResumeDialog deviceData: InputStickDeviceData!
  )
}
