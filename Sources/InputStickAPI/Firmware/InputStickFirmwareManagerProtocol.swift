// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// An object that starts the firmware of a stick (a simulated InputStick), and processes its
/// packets.
///
/// ``InputStickHIDFirmwareManager`` is the implementation of this library. Any other one must call
/// ``InputStickManager/addConectedDeviceToDatabase()``, which stores the entry of the stick.
public protocol InputStickFirmwareManagerProtocol: NSObjectProtocol {
  /// Starts the firmware, after the link is made.
  func startInitialization()
  /// Resets the object, after the link has ended.
  func reset()
  /// Processes a packet from the stick.
  func processPacket(_ rxPacket: InputStickRxPacket!)
  /// Authenticates with a password of the user; nil to remove the stored key and go on without one.
  func updateDevicePassword(_ password: String!, savePlainText: Bool)
}
