// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// Reports of one command that are sent together: in one packet, if it has room for them.
open class InputStickHIDTransaction: NSObject {
  /// The command that queues the reports.
  public let packetCmd: InputStickCmd
  /// The reports, as ``InputStickHIDReport``, in their order.
  open private(set) var reports: NSMutableArray! = NSMutableArray()
  /// True if the transaction has a report.
  open var hasNext: Bool { reports.count > 0 }
  /// The number of reports.
  open var reportsCount: UInt { UInt(reports.count) }

  /// Makes a transaction without reports.
  public init!(cmd: InputStickCmd) { packetCmd = cmd }

  /// Makes a transaction for keyboard reports of 2 bytes.
  open class func shortKeyboard() -> InputStickHIDTransaction! {
    InputStickHIDTransaction(cmd: .CmdHIDDataKeyboardShort)
  }
  /// Makes a transaction for keyboard reports of 8 bytes.
  open class func keyboard() -> InputStickHIDTransaction! {
    InputStickHIDTransaction(cmd: .CmdHIDDataKeyboard)
  }
  /// Makes a transaction for mouse reports.
  open class func mouse() -> InputStickHIDTransaction! {
    InputStickHIDTransaction(cmd: .CmdHIDDataMouse)
  }
  /// Makes a transaction for consumer and system reports.
  open class func consumer() -> InputStickHIDTransaction! {
    InputStickHIDTransaction(cmd: .CmdHIDDataConsumer)
  }
  /// Makes a transaction for gamepad reports.
  open class func gamepad() -> InputStickHIDTransaction! {
    InputStickHIDTransaction(cmd: .CmdHIDDataGamepad)
  }
  /// Makes a transaction for touch reports.
  open class func touchScreen() -> InputStickHIDTransaction! {
    InputStickHIDTransaction(cmd: .CmdHIDDataTouchScreen)
  }

  /// Adds a report.
  open func add(_ report: InputStickHIDReport!) { if let report { reports.add(report) } }

  /// Removes and returns the first report; nil without one.
  open func pollReport() -> InputStickHIDReport! {
    guard hasNext else { return nil }
    defer { reports.removeObject(at: 0) }
    return reports.object(at: 0) as? InputStickHIDReport
  }

  /// Removes the first `count` reports, or all if there are fewer, and returns them as a
  /// transaction.
  open func split(by count: UInt) -> InputStickHIDTransaction! {
    let piece = InputStickHIDTransaction(cmd: packetCmd)
    for _ in 0..<min(count, reportsCount) { piece?.add(pollReport()) }
    return piece
  }
}
