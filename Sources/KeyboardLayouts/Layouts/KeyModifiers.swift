// SPDX-License-Identifier: Apache-2.0

public import HIDUsages

/// The pressed modifier keys, as bits of a keyboard's boot report (HID 1.11, appendix B.1).
public struct KeyModifiers: OptionSet, Hashable, Sendable {
  /// The byte of the boot report: bit 0 is the left control key, bit 7 the right GUI key.
  public let rawValue: UInt8

  /// Makes a set of modifier keys from the byte of a boot report.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The left Control key.
  public static let leftControl = KeyModifiers(rawValue: 0x01)
  /// The left Shift key.
  public static let leftShift = KeyModifiers(rawValue: 0x02)
  /// The left Alt key.
  public static let leftAlt = KeyModifiers(rawValue: 0x04)
  /// The left GUI key: Windows, Command or Super.
  public static let leftGUI = KeyModifiers(rawValue: 0x08)
  /// The right Control key.
  public static let rightControl = KeyModifiers(rawValue: 0x10)
  /// The right Shift key.
  public static let rightShift = KeyModifiers(rawValue: 0x20)
  /// The right Alt key: AltGr in the layouts that have it.
  public static let rightAlt = KeyModifiers(rawValue: 0x40)
  /// The right GUI key.
  public static let rightGUI = KeyModifiers(rawValue: 0x80)

  /// The keys as usages of the keyboard page, from bit 0 on.
  public var usages: [HIDUsage] {
    (0..<8 as Range<UInt16>).filter { rawValue & 1 << $0 != 0 }.map {
      HIDUsage(page: HIDUsage.KeyboardOrKeypadUsage.page, usage: 0xE0 + $0)
    }
  }

  /// Both shift keys.
  static let shift: KeyModifiers = [.leftShift, .rightShift]
  /// The modifier keys with which a key types no text: Control, left Alt and GUI.
  static let command: KeyModifiers = [
    .leftControl, .rightControl, .leftAlt, .leftGUI, .rightGUI,
  ]
}
