// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// An object that starts the firmware of a stick (a simulated InputStick), and processes its
/// packets.
///
/// ``InputStickHIDFirmwareManager`` is the implementation of this library. Any other implementation
/// must call ``InputStickManager/addConectedDeviceToDatabase()``, which stores the entry of the
/// stick.
public protocol InputStickFirmwareManagerProtocol: NSObjectProtocol {
  /// Starts the firmware, after the link is made.
  func startInitialization()
  /// Resets the object, when an attempt to connect begins and when the link has ended.
  func reset()
  /// Processes a packet from the stick.
  func processPacket(_ rxPacket: InputStickRxPacket!)
  /// Authenticates with a password of the user; nil removes the stored key, and continues without a
  /// password.
  func updateDevicePassword(_ password: String!, savePlainText: Bool)
}
