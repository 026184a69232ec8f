// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// A report, and the command of the packet that queues it in a stick, a simulated InputStick.
open class InputStickHIDReport: NSObject {
  private let storage: UnsafeMutablePointer<UInt8>
  /// The bytes, valid as long as the report exists.
  open var bytes: UnsafeMutablePointer<UInt8>! { storage }
  /// The number of bytes.
  public let length: UInt
  /// The command that queues the report.
  public let packetCmd: InputStickCmd

  /// The bytes as an array.
  var content: [UInt8] { Array(UnsafeBufferPointer(start: storage, count: Int(length))) }

  /// Makes a report from bytes, which are copied; nil makes a report of zeros.
  public init!(
    bytes: UnsafeMutablePointer<UInt8>!, withLength length: UInt, with cmd: InputStickCmd
  ) {
    self.length = length
    packetCmd = cmd
    storage = .allocate(capacity: max(1, Int(length)))
    if let bytes {
      storage.initialize(from: bytes, count: Int(length))
    } else {
      storage.initialize(repeating: 0, count: Int(length))
    }
  }

  convenience init(_ bytes: [UInt8], _ cmd: InputStickCmd) {
    var copy = bytes
    self.init(bytes: &copy, withLength: UInt(bytes.count), with: cmd)
  }

  deinit { storage.deallocate() }

  private class func make(
    _ bytes: UnsafeMutablePointer<UInt8>?, _ length: UInt, _ cmd: InputStickCmd
  ) -> InputStickHIDReport {
    InputStickHIDReport(bytes: bytes, withLength: length, with: cmd)
  }

  /// Makes a keyboard report of 8 bytes.
  open class func keyboardReport(withBytes bytes: UnsafeMutablePointer<UInt8>!)
    -> InputStickHIDReport!
  {
    make(bytes, 8, .CmdHIDDataKeyboard)
  }

  /// Makes a keyboard report of 2 bytes: modifiers, key.
  open class func shortKeyboardReport(
    withBytes bytes: UnsafeMutablePointer<UInt8>!
  ) -> InputStickHIDReport! {
    make(bytes, 2, .CmdHIDDataKeyboardShort)
  }

  /// Makes a mouse report of 4 bytes: buttons, x, y, wheel.
  open class func mouseReport(withBytes bytes: UnsafeMutablePointer<UInt8>!) -> InputStickHIDReport!
  {
    make(bytes, 4, .CmdHIDDataMouse)
  }

  /// Makes a consumer or system report of 3 bytes: ID, usage.
  open class func consumerReport(withBytes bytes: UnsafeMutablePointer<UInt8>!)
    -> InputStickHIDReport!
  {
    make(bytes, 3, .CmdHIDDataConsumer)
  }

  /// Makes a gamepad report of 7 bytes: ID, buttons, axes.
  open class func gamepadReport(withBytes bytes: UnsafeMutablePointer<UInt8>!)
    -> InputStickHIDReport!
  {
    make(bytes, 7, .CmdHIDDataGamepad)
  }

  /// Makes a touch report of 6 bytes: ID, switches, x, y.
  open class func touchScreenReport(
    withBytes bytes: UnsafeMutablePointer<UInt8>!
  ) -> InputStickHIDReport! {
    make(bytes, 6, .CmdHIDDataTouchScreen)
  }
}
