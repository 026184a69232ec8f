// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// A stick that a scan has found.
open class InputStickPeripheralInfo: NSObject {
  /// The identifier, by which it is connected.
  open var identifier: String!
  /// The Bluetooth name; nil if it has none.
  open var name: String!
  /// When it was found last, in seconds since 1970.
  open var lastSeenTime: UInt = 0
  /// The strength of its signal, in dBm.
  open var rssi = 0
}
