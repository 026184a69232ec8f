// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// An object that starts the firmware of a stick, and follows its packets.
///
/// A manager of one's own has to make the entry of the stick in the database.
public protocol InputStickFirmwareManagerProtocol: NSObjectProtocol {
  /// Starts: the link is there.
  func startInitialization()
  /// Ends: the link has gone.
  func reset()
  /// Takes a packet of the stick.
  func processPacket(_ rxPacket: InputStickRxPacket!)
  /// Takes a password of the user; nil to go on without one.
  func updateDevicePassword(_ password: String!, savePlainText: Bool)
}
