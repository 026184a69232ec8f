// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// What a usage says about what was typed.
enum HIDKeyUsages: Hashable, Sendable {
  /// It says nothing: modifiers, function keys, arrows, whatever is no key.
  case harmless
  /// It is a key that carries text.
  case key
  /// Its value is text, or a part of one.
  case text

  /// What a usage in its 32-bit form says.
  init(_ usage: UInt32) {
    let number = usage & 0xffff
    switch usage >> 16 {
    case 0x07: self = Self.isHarmlessKey(number) ? .harmless : .key
    // Unicode; the keys of a braille keyboard.
    case 0x10, 0x41: self = number == 0 ? .harmless : .key
    // What a scanner of bar codes or a reader of magnetic stripes has read.
    case 0x8c, 0x8e: self = .text
    default: self = .harmless
    }
  }

  /// What the first usage of a range says that says anything.
  init(_ range: HIDUsageRange) {
    // A range has 65,536 usages at most, and can go on on the next page; above the modifiers all are alike.
    let pages = Set([range.first >> 16, range.last >> 16])
    for page in pages.sorted() {
      let first = max(range.first, page << 16)
      let last = min(range.last, page << 16 | 0xffff)
      for usage in first...max(first, min(last, page << 16 | 0xff)) {
        self.init(usage)
        if self != .harmless { return }
      }
      self.init(last)
      if self != .harmless { return }
    }
    self = .harmless
  }

  /// Whether a usage of the Keyboard page carries no text: named one by one, since the rest, what is reserved too, may.
  ///
  /// Source: HID Usage Tables 1.4, page 0x07.
  private static func isHarmlessKey(_ number: UInt32) -> Bool {
    switch number {
    case 0x00...0x03: true  // none, and the keyboard's errors
    case 0x29, 0x2a: true  // Escape, Backspace
    case 0x39...0x53: true  // Caps Lock, F1 to F12, Print Screen to the arrows, Num Lock
    case 0x65, 0x66: true  // Application, Power
    case 0x68...0x84: true  // F13 to F24, Execute to Volume Down, the locking locks
    case 0x99...0x9d: true  // Alternate Erase to Prior
    case 0xa0...0xa4: true  // Out to ExSel
    case 0xe0...0xe7: true  // the modifiers
    default: false
    }
  }
}
