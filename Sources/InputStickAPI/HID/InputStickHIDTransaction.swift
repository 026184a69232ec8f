// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// Reports of one command that travel together: in one packet, if it has room for them.
open class InputStickHIDTransaction: NSObject {
  /// The command that queues the reports.
  public let packetCmd: InputStickCmd
  /// The reports, in their order: ``InputStickHIDReport``.
  open private(set) var reports: NSMutableArray! = NSMutableArray()
  /// Whether there is a report.
  open var hasNext: Bool { reports.count > 0 }
  /// How many reports there are.
  open var reportsCount: UInt { UInt(reports.count) }

  /// Makes a transaction without reports.
  public init!(cmd: InputStickCmd) { packetCmd = cmd }

  /// Makes one for keyboard reports of 2 bytes.
  open class func shortKeyboard() -> InputStickHIDTransaction! {
    InputStickHIDTransaction(cmd: .CmdHIDDataKeyboardShort)
  }
  /// Makes one for keyboard reports of 8 bytes.
  open class func keyboard() -> InputStickHIDTransaction! {
    InputStickHIDTransaction(cmd: .CmdHIDDataKeyboard)
  }
  /// Makes one for mouse reports.
  open class func mouse() -> InputStickHIDTransaction! {
    InputStickHIDTransaction(cmd: .CmdHIDDataMouse)
  }
  /// Makes one for consumer and system reports.
  open class func consumer() -> InputStickHIDTransaction! {
    InputStickHIDTransaction(cmd: .CmdHIDDataConsumer)
  }
  /// Makes one for gamepad reports.
  open class func gamepad() -> InputStickHIDTransaction! {
    InputStickHIDTransaction(cmd: .CmdHIDDataGamepad)
  }
  /// Makes one for touch reports.
  open class func touchScreen() -> InputStickHIDTransaction! {
    InputStickHIDTransaction(cmd: .CmdHIDDataTouchScreen)
  }

  /// Adds a report.
  open func add(_ report: InputStickHIDReport!) { if let report { reports.add(report) } }

  /// Removes the first report, and returns it; nil without one.
  open func pollReport() -> InputStickHIDReport! {
    guard hasNext else { return nil }
    defer { reports.removeObject(at: 0) }
    return reports.object(at: 0) as? InputStickHIDReport
  }

  /// Removes the first reports, and returns them as a transaction; at most all.
  open func split(by count: UInt) -> InputStickHIDTransaction! {
    let piece = InputStickHIDTransaction(cmd: packetCmd)
    for _ in 0..<min(count, reportsCount) { piece?.add(pollReport()) }
    return piece
  }
}
