// SPDX-License-Identifier: Apache-2.0
import HIDReportDescriptor
import HIDUsages
import KeyboardLayouts

/// The numbers of keys in xkb.
enum XKBKey {
  /// The difference between xkb's number of a key and its code in linux/input-event-codes.h.
  private static let offset: UInt32 = 8
  static let leftShift = number(0xE1)
  static let rightAlt = number(0xE6)
  static let capsLock = number(0x39)

  /// The keys that type, by usage ID, without the numeric keypad except its comma (0x85).
  ///
  /// Linux maps 0x31 and 0x32 to one key, and layouts use 0x31.
  static let typing: [UInt8] =
    Array(0x04...0x28) + Array(0x2B...0x31) + Array(0x33...0x38) + [0x64, 0x85]
    + Array(0x87...0x8C)

  /// Returns the number of a key of the keyboard page; 0 if Linux has no code for the usage.
  static func number(_ usageID: UInt8) -> UInt32 {
    KeyStroke([], usageID).usage.linuxKeyCode.map { UInt32($0) + offset } ?? 0
  }
}
