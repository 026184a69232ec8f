// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// An object that starts the firmware of a stick, and processes its packets.
///
/// Another implementation has to store the entry of the stick in the database.
public protocol InputStickFirmwareManagerProtocol: NSObjectProtocol {
  /// Starts the firmware, after the link is made.
  func startInitialization()
  /// Resets the object, after the link has ended.
  func reset()
  /// Processes a packet from the stick.
  func processPacket(_ rxPacket: InputStickRxPacket!)
  /// Authenticates with a password of the user; nil to go on without one.
  func updateDevicePassword(_ password: String!, savePlainText: Bool)
}
