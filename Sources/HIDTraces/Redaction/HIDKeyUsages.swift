// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// The classes of usages by what they reveal about typed text.
enum HIDKeyUsages: Hashable, Sendable {
  /// The usage reveals no typed text: modifiers, function keys, arrows and other control keys, and
  /// all usages that are neither keys nor text.
  case harmless
  /// The usage is a key that carries text.
  case key
  /// The value of the usage is text, or part of a text.
  case text

  /// Classifies a usage in its 32-bit form.
  init(_ usage: UInt32) {
    let number = usage & 0xffff
    switch usage >> 16 {
    case 0x07: self = Self.isHarmlessKey(number) ? .harmless : .key
    // Phone Key 0 to 9, Star, Pound, and A to D.
    case 0x0b: self = (0xb0...0xbf).contains(number) ? .key : .harmless
    // Unicode, and the keys of a braille keyboard.
    case 0x10, 0x41: self = number == 0 ? .harmless : .key
    // The data of a bar code scanner or a magnetic stripe reader.
    case 0x8c, 0x8e: self = .text
    default: self = .harmless
    }
  }

  /// Classifies a range by its first usage that can carry typed text; ``harmless`` if it has none.
  init(_ range: HIDUsageRange) {
    // A range has at most 65,536 usages and can continue on the next page. Above the modifiers, all
    // usages of a page are alike.
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

  /// Returns whether a usage of the Keyboard page carries no text.
  ///
  /// The harmless keys are listed one by one: all others, also the reserved ones, can carry text.
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
