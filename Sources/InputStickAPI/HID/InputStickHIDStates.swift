// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// The state of the buffers of a stick, a simulated InputStick, in a status.
///
/// A status is the notification ``InputStickCmd/CmdHIDStatusNotification``.
open class InputStickHIDBuffersState: NSObject {
  /// The number of keyboard reports that the host has taken since the previous status.
  open var keyboardReportsSentToHost: UInt = 0
  /// The number of mouse reports that the host has taken since the previous status.
  open var mouseReportsSentToHost: UInt = 0
  /// The number of reports of the consumer interface that the host has taken since the previous
  /// status.
  open var consumerReportsSentToHost: UInt = 0
  /// True if the stick holds no keyboard reports.
  open var keyboardBufferEmpty = false
  /// True if the stick holds no mouse reports.
  open var mouseBufferEmpty = false
  /// True if the stick holds no reports of the consumer interface.
  open var consumerBufferEmpty = false

  /// Reads the state from a status notification; nil gives counts of 0, and no empty buffer.
  public init!(inputStickRxPacket rxPacket: InputStickRxPacket!) {
    guard let rxPacket else { return }
    keyboardBufferEmpty = rxPacket.byte(3) != 0
    mouseBufferEmpty = rxPacket.byte(5) != 0
    consumerBufferEmpty = rxPacket.byte(6) != 0
    keyboardReportsSentToHost = UInt(rxPacket.byte(7))
    mouseReportsSentToHost = UInt(rxPacket.byte(8))
    consumerReportsSentToHost = UInt(rxPacket.byte(9))
  }
}

/// The state of the LEDs of the Lock keys.
open class InputStickKeyboardLEDsState: NSObject {
  /// The byte that the host has sent; 0 before the first one.
  public let rawValue: UInt8
  /// True if the Num Lock LED is on.
  open var numLockOn: Bool { rawValue & InputStickKeyboardLEDs.NumLockLED.rawValue != 0 }
  /// True if the Caps Lock LED is on.
  open var capsLockOn: Bool { rawValue & InputStickKeyboardLEDs.CapsLockLED.rawValue != 0 }
  /// True if the Scroll Lock LED is on.
  open var scrollLockOn: Bool { rawValue & InputStickKeyboardLEDs.ScrollLockLED.rawValue != 0 }

  /// Makes a state in which all LEDs are off.
  public override init() { rawValue = 0 }

  /// Reads the state from a status notification; nil gives a state in which all LEDs are off.
  public init!(inputStickRxPacket rxPacket: InputStickRxPacket!) {
    rawValue = rxPacket?.byte(1) ?? 0
  }
}

/// A handler that sends reports of one kind.
public protocol InputStickHIDHandler: NSObjectProtocol {
  /// The manager.
  var inputStickManager: InputStickManager! { get }
}
