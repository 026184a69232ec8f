// SPDX-License-Identifier: Apache-2.0

import HIDText

/// A scanner for the words of one line, each with its column.
struct WordScanner {
  struct Word {
    var text: ArraySlice<UInt8>
    var column: Int

    var quoted: String { HIDText.quoted(String(decoding: text.prefix(160), as: UTF8.self)) }

    func `is`(_ word: StaticString) -> Bool { text.elementsEqual("\(word)".utf8) }
  }

  private(set) var text: ArraySlice<UInt8>
  // The column counts Unicode scalars.
  private(set) var column = 1

  init(_ text: ArraySlice<UInt8>) { self.text = text }

  mutating func skip(_ count: Int) {
    column += text.prefix(count).count { $0 & 0xC0 != 0x80 }
    text = text.dropFirst(count)
  }

  mutating func skipBlanks() { skip(text.prefix { $0 == 0x20 || $0 == 0x09 }.count) }

  mutating func next() -> Word? {
    skipBlanks()
    let word = text.prefix { $0 != 0x20 && $0 != 0x09 }
    guard !word.isEmpty else { return nil }
    let start = column
    skip(word.count)
    return Word(text: word, column: start)
  }

  /// Returns the rest of the line, without blanks around it.
  mutating func remainder() -> String {
    skipBlanks()
    var rest = text
    while let last = rest.last, last == 0x20 || last == 0x09 { rest = rest.dropLast() }
    return String(decoding: rest, as: UTF8.self)
  }
}

extension ArraySlice<UInt8> {
  /// The number that one to eighteen decimal digits represent; nil for other text.
  var decimal: Int64? {
    guard (1...18).contains(count), allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }

  /// The number up to ffff that hexadecimal digits represent; nil for other text.
  var hexadecimal: UInt16? {
    guard !isEmpty else { return nil }
    var value: UInt16 = 0
    for byte in self {
      guard let digit = hexDigit(byte), value <= 0x0FFF else { return nil }
      value = value << 4 | UInt16(digit)
    }
    return value
  }
}
