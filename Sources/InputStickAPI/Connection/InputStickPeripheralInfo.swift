// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// A stick, which is a simulated InputStick, that a scan has found.
open class InputStickPeripheralInfo: NSObject {
  /// The identifier, which ``InputStickManager/connectToInputStick(withIdentifier:)`` takes.
  open var identifier: String!
  /// The Bluetooth name; the identifier if the stick has no name.
  open var name: String!
  /// The time when the stick was last found, in seconds since 1970.
  open var lastSeenTime: UInt = 0
  /// The strength of the stick's signal, in dBm; a scan of this machine gives −50 for each stick.
  open var rssi = 0
}
