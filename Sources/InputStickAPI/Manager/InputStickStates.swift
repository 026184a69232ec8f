// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

/// How far the connection to a stick has come.
public enum InputStickConnectionState: UInt, Sendable {
  /// There is no connection.
  case disconnected = 0
  /// The stick is looked for, or is being connected.
  case connecting = 1
  /// The firmware starts.
  case initializing = 2
  /// The USB host has not configured the stick: reports cannot be sent.
  case usbNotReady = 3
  /// The USB host has suspended the stick: reports cannot be sent.
  case usbSuspended = 4
  /// Reports can be sent.
  case ready = 5
}

/// The state of the stick on USB.
public enum InputStickUSBState: UInt, Sendable {
  /// The stick is not connected, or has power only.
  case USBDisconnected = 0
  /// The stick is attached.
  case USBAttached = 1
  /// The stick has power.
  case USBPowered = 2
  /// The host has suspended the stick.
  case USBSuspended = 3
  /// The stick has an address.
  case USBAddressed = 4
  /// The host has configured the stick.
  case USBConfigured = 5
}

/// The buffers of a stick.
public enum InputStickHIDInterface: UInt, Sendable {
  /// The keyboard.
  case keyboard = 1
  /// The mouse.
  case mouse = 2
  /// Consumer control, system control, gamepad and touch screen.
  case consumer = 4
}

/// The IDs of the reports that share the consumer interface.
public enum InputStickReportID: UInt8, Sendable {
  /// Consumer control.
  case consumerReportID = 1
  /// System control.
  case systemReportID = 2
  /// The gamepad.
  case gamepadReportID = 3
  /// The touch screen.
  case touchScreenReportID = 4
}

/// Whether a stick has a password, and whether its key is stored.
public enum InputStickPasswordProtectionStatus: UInt, Sendable {
  /// It has none, and no key is stored.
  case PasswordProtectionDisabledOK = 0
  /// It has one, and its key is stored.
  case PasswordProtectionEnabledOK = 1
  /// It has none, and a key is stored.
  case PasswordProtectionDisabledHasKey = 2
  /// It has one, and no key is stored.
  case PasswordProtectionEnabledNoKey = 3
  /// It has one, and the stored key is wrong.
  case PasswordProtectionEnabledInvalidKey = 4
}

/// Why a key is asked for.
public enum InputStickKeyRequest: UInt, Sendable {
  /// The stick has no password any more.
  case keyRemoved = 0
  /// No key is stored.
  case keyMissing = 1
  /// The stored key is wrong.
  case keyChanged = 2
  /// The password of the user is wrong.
  case keyInvalid = 3
}

/// How a connection was begun.
public enum InputStickConnectionMode: UInt, Sendable {
  /// None was.
  case none = 0
  /// By an identifier.
  case customDevice = 1
  /// To the stick that was used last.
  case lastDevice = 2
  /// To the stick that was used last, without the user.
  case autoConnectLastDevice = 3
  /// To the nearest stick that is stored.
  case nearestDevice = 4
}

/// What a button for the connection does.
public enum InputStickConnectionButtonAction: UInt, Sendable {
  /// Nothing.
  case none = 0
  /// Connects to the stick that was used last.
  case connectLastDevice = 1
  /// Shows the sticks that are found.
  case connectDiscoverDevices = 2
  /// Ends the attempt to connect.
  case cancel = 3
  /// Disconnects.
  case disconnect = 4
  /// Wakes up the USB host.
  case usbResume = 5
}
