// SPDX-License-Identifier: Apache-2.0

/// The usages for which Linux has special rules, in their 32-bit form.
enum EvdevUsage {
  static let pointer: UInt32 = 0x0001_0001
  static let mouse: UInt32 = 0x0001_0002
  static let joystick: UInt32 = 0x0001_0004
  static let gamepad: UInt32 = 0x0001_0005
  static let keyboard: UInt32 = 0x0001_0006
  static let keypad: UInt32 = 0x0001_0007
  static let multiAxis: UInt32 = 0x0001_0008
  static let wirelessRadioControls: UInt32 = 0x0001_000c
  static let systemMultiAxis: UInt32 = 0x0001_000e
  static let x: UInt32 = 0x0001_0030
  static let y: UInt32 = 0x0001_0031
  static let systemControl: UInt32 = 0x0001_0080
  static let wirelessRadioButton: UInt32 = 0x0001_00c6
  static let batteryStrength: UInt32 = 0x0006_0020
  static let consumerControl: UInt32 = 0x000c_0001
  static let programmableButtons: UInt32 = 0x000c_0003
  static let digitizer: UInt32 = 0x000d_0001
  static let pen: UInt32 = 0x000d_0002
  static let touchscreen: UInt32 = 0x000d_0004
  static let touchpad: UInt32 = 0x000d_0005
  static let whiteboard: UInt32 = 0x000d_0006
  static let stylus: UInt32 = 0x000d_0020
  static let puck: UInt32 = 0x000d_0021
  static let finger: UInt32 = 0x000d_0022
  static let confidence: UInt32 = 0x000d_0047
  static let height: UInt32 = 0x000d_0049
  static let contactID: UInt32 = 0x000d_0051
  static let contactCountMaximum: UInt32 = 0x000d_0055
  static let buttonType: UInt32 = 0x000d_0059
  static let chargeState: UInt32 = 0x0085_0065
  static let charging: UInt32 = 0x0085_0044

  /// Returns whether a collection with the usage makes Linux map a device: `IS_INPUT_APPLICATION`.
  static func isInputApplication(_ usage: UInt32) -> Bool {
    (0x0001_0000...multiAxis).contains(usage) || (digitizer...whiteboard).contains(usage)
      || [systemControl, consumerControl, wirelessRadioControls].contains(usage)
  }

  /// Returns the suffix of the node's name for an application, on a device with several
  /// applications; `nil` for an application without one.
  ///
  /// Pen and Stylus are swapped, as in the kernel; clients rely on these names.
  static func suffix(of application: UInt32) -> String? {
    switch application {
    case keyboard: "Keyboard"
    case keypad: "Keypad"
    case mouse: "Mouse"
    case pen: "Stylus"
    case stylus: "Pen"
    case touchscreen: "Touchscreen"
    case touchpad: "Touchpad"
    case systemControl: "System Control"
    case consumerControl: "Consumer Control"
    case wirelessRadioControls: "Wireless Radio Control"
    case systemMultiAxis: "System Multi Axis"
    default: nil
    }
  }
}
