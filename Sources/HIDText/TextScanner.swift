// SPDX-License-Identifier: Apache-2.0

/// A scanner that walks through foreign text and keeps its line and column.
///
/// Lines end with LF, CRLF or CR. Columns count Unicode scalars. The text is not checked to be
/// UTF-8: each byte outside 0x80…0xbf counts as one column.
package struct TextScanner: Sendable {
  /// The message about a comment `/* … */` without an end.
  static let unclosedComment = "expected the end of the comment, */, found the end of the file"

  private let bytes: [UInt8]
  /// The name of the text in messages.
  package let file: String
  /// The offset of the current byte.
  package private(set) var position = 0
  /// True if only blanks and tabs stand before the current byte in its line.
  package private(set) var isAtLineStart = true
  /// The line and column of the current byte.
  package private(set) var location = HIDTextLocation.start

  /// Creates a scanner of a whole text; a byte order mark at its beginning is skipped.
  package init(_ bytes: [UInt8], file: String) {
    self.bytes = bytes
    self.file = file
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  /// The current byte; `nil` at the end.
  package var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Returns the byte `distance` bytes further on; `nil` beyond the end.
  package func peek(_ distance: Int) -> UInt8? {
    position + distance < bytes.count ? bytes[position + distance] : nil
  }

  /// True at the end of a line or of the text.
  package var isAtLineEnd: Bool {
    guard position < bytes.count else { return true }
    return bytes[position] == 0x0A || bytes[position] == 0x0D
  }

  /// Moves past one byte, or past a CR with its LF; does nothing at the end.
  package mutating func advance() {
    guard position < bytes.count else { return }
    let byte = bytes[position]
    position += 1
    if byte == 0x0D, position < bytes.count, bytes[position] == 0x0A { position += 1 }
    if byte == 0x0A || byte == 0x0D {
      location = HIDTextLocation(line: location.line + 1, column: 1)
      isAtLineStart = true
      return
    }
    if byte != 0x20, byte != 0x09 { isAtLineStart = false }
    if position >= bytes.count || bytes[position] & 0xC0 != 0x80 { location.column += 1 }
  }

  /// Moves past `count` bytes, a CR with its LF counting as one; stops at the end.
  package mutating func advance(by count: Int) { for _ in 0..<count { advance() } }

  /// Moves past blanks and tabs.
  package mutating func skipBlanks() { while byte == 0x20 || byte == 0x09 { advance() } }

  /// Moves to the end of the line.
  package mutating func skipLine() { while !isAtLineEnd { advance() } }

  /// Returns whether the text continues with this ASCII text.
  package func starts(with text: StaticString) -> Bool {
    text.description.utf8.enumerated().allSatisfy { peek($0.offset) == $0.element }
  }

  /// Moves past a comment `/* … */`, and returns false if none begins at the current byte.
  ///
  /// - Throws: A problem at the beginning of a comment without an end.
  package mutating func skipBlockComment() throws(HIDTextProblem) -> Bool {
    guard byte == 0x2F, peek(1) == 0x2A else { return false }
    let start = location
    advance(by: 2)
    while byte != nil {
      if byte == 0x2A, peek(1) == 0x2F {
        advance(by: 2)
        return true
      }
      advance()
    }
    throw problem(Self.unclosedComment, at: start)
  }

  /// Reads ASCII letters, ASCII digits and underscores; the result may be empty.
  package mutating func word() -> String {
    let start = position
    while let byte, Self.isWord(byte) { advance() }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  /// Reads to the end of the line.
  package mutating func line() -> ArraySlice<UInt8> {
    let start = position
    skipLine()
    return bytes[start..<position]
  }

  /// Returns the text from an offset to the current byte.
  package func text(from start: Int) -> String {
    String(decoding: bytes[min(start, position)..<position], as: UTF8.self)
  }

  /// Returns whether a byte is an ASCII letter, an ASCII digit or an underscore.
  package static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: true
    default: false
    }
  }

  /// A description of the current byte or word, for the "found" part of a message.
  package var found: String {
    guard let byte else { return "the end of the file" }
    if byte == 0x0D { return describe(byte: 0x0A) }
    guard Self.isWord(byte) else { return describe(byte: byte) }
    var copy = self
    return quoted(copy.word())
  }

  /// Makes a problem at a location; without one, at the current byte.
  package func problem(
    _ message: String, at place: HIDTextLocation? = nil, help: String? = nil
  ) -> HIDTextProblem {
    HIDTextProblem(file: file, location: place ?? location, message: message, help: help)
  }
}
