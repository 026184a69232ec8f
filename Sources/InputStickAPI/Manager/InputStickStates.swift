// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

/// The state of the connection to a stick, which is a simulated InputStick.
public enum InputStickConnectionState: UInt, Sendable {
  /// There is no connection.
  case disconnected = 0
  /// The manager scans for the stick, or connects to it.
  case connecting = 1
  /// The manager starts the firmware.
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
  /// The stick is not connected to a host, or its state is not known.
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

/// The interfaces of a stick for which this library has buffers: all except the raw interface.
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

/// The state of a stick's password and of its stored key.
public enum InputStickPasswordProtectionStatus: UInt, Sendable {
  /// The stick has no password, and no key is stored.
  case PasswordProtectionDisabledOK = 0
  /// The stick has a password, and its key is stored.
  case PasswordProtectionEnabledOK = 1
  /// The stick has no password, but a key is stored.
  case PasswordProtectionDisabledHasKey = 2
  /// The stick has a password, but no key is stored.
  case PasswordProtectionEnabledNoKey = 3
  /// The stick has a password, but the stored key, or the password that was just entered, is wrong,
  /// or the stick has not proved that it has the key.
  case PasswordProtectionEnabledInvalidKey = 4
}

/// The reason for asking the user for a key.
public enum InputStickKeyRequest: UInt, Sendable {
  /// A key is stored, but the stick has no password any more.
  case keyRemoved = 0
  /// No key is stored.
  case keyMissing = 1
  /// The stored key is wrong.
  case keyChanged = 2
  /// The password that the user gave is wrong.
  case keyInvalid = 3
}

/// The mode in which a connection was started.
public enum InputStickConnectionMode: UInt, Sendable {
  /// No connection was started.
  case none = 0
  /// A connection by an identifier.
  case customDevice = 1
  /// A connection to the last used stick.
  case lastDevice = 2
  /// A connection to the last used stick, without an action of the user.
  case autoConnectLastDevice = 3
  /// A connection to the nearest stored stick.
  case nearestDevice = 4
}

/// The action of a button for the connection.
public enum InputStickConnectionButtonAction: UInt, Sendable {
  /// Nothing.
  case none = 0
  /// Connects to the last used stick.
  case connectLastDevice = 1
  /// Shows the sticks that a scan finds.
  case connectDiscoverDevices = 2
  /// Ends the attempt to connect.
  case cancel = 3
  /// Disconnects.
  case disconnect = 4
  /// Wakes up the USB host.
  case usbResume = 5
}
