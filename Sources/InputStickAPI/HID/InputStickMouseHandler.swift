// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// The buttons of a mouse.
public enum InputStickMouseButtons: UInt8, Sendable {
  /// No button.
  case MouseButtonNone = 0x00
  /// The left button.
  case MouseButtonLeft = 0x01
  /// The right button.
  case MouseButtonRight = 0x02
  /// The middle button.
  case MouseButtonMiddle = 0x04
  /// The fourth button.
  case MouseButton4 = 0x08
  /// The fifth button.
  case MouseButton5 = 0x10
  /// The sixth button.
  case MouseButton6 = 0x20
  /// The seventh button.
  case MouseButton7 = 0x40
  /// The eighth button.
  case MouseButton8 = 0x80
}

/// The handler that sends buttons and movements of a mouse.
///
/// The reports are lost unless the manager is ready.
open class InputStickMouseHandler: NSObject, InputStickHIDHandler {
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
  ///   - buttons: The pressed buttons, as a sum of ``InputStickMouseButtons`` values.
  ///   - x: The movement to the right, −127 to 127.
  ///   - y: The movement down, −127 to 127.
  ///   - scroll: The steps of the wheel, away from the user, −127 to 127.
  open func customReport(
    withButtons buttons: UInt8, x: Int8, y: Int8, scroll: Int8
  ) -> InputStickHIDReport! {
    InputStickHIDReport(
      [buttons, UInt8(bitPattern: x), UInt8(bitPattern: y), UInt8(bitPattern: scroll)],
      .CmdHIDDataMouse)
  }

  /// Queues a report; the buttons stay pressed until the host gets a report without them.
  ///
  /// If `flush` is false, it is not sent before the next status of the stick or the next flush.
  open func sendCustomReport(
    withButtons buttons: UInt8, x: Int8, y: Int8, scroll: Int8, flush: Bool
  ) {
    inputStickManager?.buffersManager.addMouseHIDReport(
      customReport(withButtons: buttons, x: x, y: y, scroll: scroll), flush: flush)
  }

  /// Moves the pointer, to the right and down for positive values, and releases all buttons.
  open func moveCursorBy(x: Int8, y: Int8) {
    sendCustomReport(withButtons: 0, x: x, y: y, scroll: 0, flush: true)
  }

  /// Turns the wheel, away from the user for a positive value, and releases all buttons.
  open func scroll(_ scroll: Int8) {
    sendCustomReport(withButtons: 0, x: 0, y: 0, scroll: scroll, flush: true)
  }

  /// Clicks buttons `numberOfPresses` times, at most 1,000.
  open func click(withButtons buttons: UInt8, numberOfPress numberOfPresses: UInt) {
    click(withButtons: buttons, numberOfPress: numberOfPresses, multiplier: 1)
  }

  /// Clicks buttons `numberOfPresses` times, at most 1,000, and sends each report `multiplier`
  /// times, 1 to 1,000.
  open func click(withButtons buttons: UInt8, numberOfPress numberOfPresses: UInt, multiplier: UInt)
  {
    let transaction = InputStickHIDTransaction.mouse()
    for _ in 0..<min(numberOfPresses, 1000) {
      for state in [0, buttons, 0] {
        for _ in 0..<min(max(1, multiplier), 1000) {
          transaction?.add(customReport(withButtons: state, x: 0, y: 0, scroll: 0))
        }
      }
    }
    inputStickManager?.buffersManager.addMouseHIDTransaction(transaction, flush: true)
  }
}
