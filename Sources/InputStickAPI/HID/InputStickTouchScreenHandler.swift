// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// The handler that sends touches.
///
/// The reports are lost unless the manager is ready.
///
/// A position is in ten thousandths of the screen, from its upper left corner.
open class InputStickTouchScreenHandler: NSObject, InputStickHIDHandler {
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
  ///   - tipSwitch: True if the stylus touches the screen.
  ///   - inRange: True if the stylus is near the screen.
  ///   - x: The position from the left, 0 to 10,000.
  ///   - y: The position from the top, 0 to 10,000.
  open func customReport(
    withTipSwitch tipSwitch: Bool, inRange: Bool, x: UInt, y: UInt
  ) -> InputStickHIDReport! {
    func bytes(_ value: UInt) -> [UInt8] {
      [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
    }
    let switches: UInt8 = (tipSwitch ? 1 : 0) | (inRange ? 2 : 0)
    return InputStickHIDReport(
      [InputStickReportID.touchScreenReportID.rawValue, switches] + bytes(x) + bytes(y),
      .CmdHIDDataTouchScreen)
  }

  /// Queues a report.
  ///
  /// If `flush` is false, it is not sent before the next status of the stick or the next flush.
  open func sendCustomReport(
    withTipSwitch tipSwitch: Bool, inRange: Bool, x: UInt, y: UInt, flush: Bool
  ) {
    inputStickManager?.buffersManager.addConsumerHIDReport(
      customReport(withTipSwitch: tipSwitch, inRange: inRange, x: x, y: y), flush: flush)
  }

  /// Moves the pointer to a position, and touches the screen there if `button` is true.
  open func moveTouchPointerTo(x: UInt, y: UInt, withButtonPressed button: Bool) {
    sendCustomReport(withTipSwitch: button, inRange: true, x: x, y: y, flush: true)
  }

  /// Touches the screen at a position, and lifts the stylus, `n` times, at most 1,000.
  open func clickAt(x: UInt, y: UInt, numberOfTimes n: UInt) {
    let transaction = InputStickHIDTransaction.touchScreen()
    for _ in 0..<min(n, 1000) {
      for tip in [false, true, false] {
        transaction?.add(customReport(withTipSwitch: tip, inRange: true, x: x, y: y))
      }
    }
    inputStickManager?.buffersManager.addConsumerHIDTransaction(transaction, flush: true)
  }

  /// Reports at a position that the stylus is not near the screen any more.
  open func goOutOfRangeAt(x: UInt, y: UInt) {
    sendCustomReport(withTipSwitch: false, inRange: false, x: x, y: y, flush: true)
  }
}
