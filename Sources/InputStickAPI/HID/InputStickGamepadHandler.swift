// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// The buttons of the gamepad.
public enum InputStickGamepadButton: UInt, Sendable {
  /// No button.
  case GamepadButtonNone = 0
  /// Button 1.
  case GamepadButton1 = 0x0001
  /// Button 2.
  case GamepadButton2 = 0x0002
  /// Button 3.
  case GamepadButton3 = 0x0004
  /// Button 4.
  case GamepadButton4 = 0x0008
  /// Button 5.
  case GamepadButton5 = 0x0010
  /// Button 6.
  case GamepadButton6 = 0x0020
  /// Button 7.
  case GamepadButton7 = 0x0040
  /// Button 8.
  case GamepadButton8 = 0x0080
  /// Button 9.
  case GamepadButton9 = 0x0100
  /// Button 10.
  case GamepadButton10 = 0x0200
  /// Button 11.
  case GamepadButton11 = 0x0400
  /// Button 12.
  case GamepadButton12 = 0x0800
  /// Button 13.
  case GamepadButton13 = 0x1000
  /// Button 14.
  case GamepadButton14 = 0x2000
  /// Button 15.
  case GamepadButton15 = 0x4000
  /// Button 16.
  case GamepadButton16 = 0x8000
}

/// The handler that sends the state of a gamepad at once, without the buffers of the manager.
///
/// It sends through a stick, which is a simulated InputStick.
open class InputStickGamepadHandler: NSObject, InputStickHIDHandler {
  /// The number of the endpoint that the gamepad shares with consumer and system reports and the
  /// touch screen.
  private static let endpoint: UInt8 = 3

  /// The manager.
  open private(set) weak var inputStickManager: InputStickManager!

  /// Makes a handler.
  public init!(inputStickManager: InputStickManager!) {
    super.init()
    self.inputStickManager = inputStickManager
  }

  /// Makes a report, without sending it.
  ///
  /// - Parameters:
  ///   - buttons: The pressed buttons, as a sum of ``InputStickGamepadButton`` values.
  ///   - x: The axis X, −127 to 127.
  ///   - y: The axis Y, −127 to 127.
  ///   - z: The axis Z, −127 to 127.
  ///   - rx: The axis Rx, −127 to 127.
  open func customReport(
    withButtons buttons: UInt, axisX x: Int8, axisY y: Int8, axisZ z: Int8, axisRX rx: Int8
  ) -> InputStickHIDReport! {
    InputStickHIDReport(
      [
        InputStickReportID.gamepadReportID.rawValue, UInt8(truncatingIfNeeded: buttons),
        UInt8(truncatingIfNeeded: buttons >> 8),
      ] + [x, y, z, rx].map { UInt8(bitPattern: $0) }, .CmdHIDDataGamepad)
  }

  /// Sends a report at once.
  ///
  /// The stick drops the report while its consumer buffer holds reports, and while the host has not
  /// configured the stick, or has suspended it.
  open func sendCustomReport(
    withButtons buttons: UInt, axisX x: Int8, axisY y: Int8, axisZ z: Int8, axisRX rx: Int8
  ) {
    let report = customReport(withButtons: buttons, axisX: x, axisY: y, axisZ: z, axisRX: rx)
    let packet = InputStickTxPacket(cmd: .CmdHIDDataEndpoint, withParam: Self.endpoint)
    let bytes = report?.content ?? []
    packet?.add([UInt8(bytes.count)] + bytes)
    inputStickManager?.send(packet)
  }
}
