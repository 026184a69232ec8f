// SPDX-License-Identifier: Apache-2.0

/// The keys that Linux makes of the usages of the keyboard page (hid_keyboard in hid-input.c).
enum LinuxKey {
  /// What xkb adds to a key code of linux/input-event-codes.h.
  static let xkbOffset: UInt32 = 8
  static let leftShift: UInt32 = 42
  static let rightAlt: UInt32 = 100
  static let capsLock: UInt32 = 58

  /// The keys that type, without the numeric keypad.
  static let typing: [(usageID: UInt8, code: UInt32)] =
    letters + digits + [
      (0x28, 28), (0x2B, 15), (0x2C, 57), (0x2D, 12), (0x2E, 13), (0x2F, 26), (0x30, 27),
      (0x31, 43), (0x33, 39), (0x34, 40), (0x35, 41), (0x36, 51), (0x37, 52), (0x38, 53),
      (0x64, 86), (0x85, 121), (0x87, 89), (0x88, 93), (0x89, 124), (0x8A, 92), (0x8B, 94),
      (0x8C, 95),
    ]

  private static let letters: [(usageID: UInt8, code: UInt32)] = zip(
    0x04...,
    [
      30, 48, 46, 32, 18, 33, 34, 35, 23, 36, 37, 38, 50, 49, 24, 25, 16, 19, 31, 20, 22, 47, 17,
      45, 21, 44,
    ]
  ).map { ($0, $1) }
  private static let digits: [(usageID: UInt8, code: UInt32)] = zip(0x1E..., 2...11).map {
    ($0, $1)
  }
}
