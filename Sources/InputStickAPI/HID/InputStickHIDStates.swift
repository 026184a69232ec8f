// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// The buffers of the stick, as a status has them.
open class InputStickHIDBuffersState: NSObject {
  /// How many keyboard reports the host has taken since the last status.
  open var keyboardReportsSentToHost: UInt = 0
  /// How many mouse reports the host has taken since the last status.
  open var mouseReportsSentToHost: UInt = 0
  /// How many reports of the consumer interface the host has taken since the last status.
  open var consumerReportsSentToHost: UInt = 0
  /// Whether the stick has no keyboard reports.
  open var keyboardBufferEmpty = false
  /// Whether the stick has no mouse reports.
  open var mouseBufferEmpty = false
  /// Whether the stick has no reports of the consumer interface.
  open var consumerBufferEmpty = false

  /// Reads a status.
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

/// The lamps of the Lock keys.
open class InputStickKeyboardLEDsState: NSObject {
  /// The byte that the host has sent.
  public let rawValue: UInt8
  /// Whether Num Lock is lit.
  open var numLockOn: Bool { rawValue & InputStickKeyboardLEDs.NumLockLED.rawValue != 0 }
  /// Whether Caps Lock is lit.
  open var capsLockOn: Bool { rawValue & InputStickKeyboardLEDs.CapsLockLED.rawValue != 0 }
  /// Whether Scroll Lock is lit.
  open var scrollLockOn: Bool { rawValue & InputStickKeyboardLEDs.ScrollLockLED.rawValue != 0 }

  /// Makes a state in which no lamp is lit.
  public override init() { rawValue = 0 }

  /// Reads a status.
  public init!(inputStickRxPacket rxPacket: InputStickRxPacket!) {
    rawValue = rxPacket?.byte(1) ?? 0
  }
}

/// Sends reports of one kind.
public protocol InputStickHIDHandler: NSObjectProtocol {
  /// The manager.
  var inputStickManager: InputStickManager! { get }
}
