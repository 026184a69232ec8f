// SPDX-License-Identifier: Apache-2.0

/// Walks through foreign text and knows the line and column at which it stands.
///
/// Lines end with LF, CRLF or CR. Columns count Unicode scalars; bytes that are no UTF-8 are passed over.
package struct TextScanner: Sendable {
  /// The message about a comment `/* … */` without an end.
  static let unclosedComment = "expected the end of the comment, */, found the end of the file"

  private let bytes: [UInt8]
  /// What messages call the text.
  package let file: String
  /// The offset of the byte at which the scanner stands.
  package private(set) var position = 0
  /// Whether nothing but blanks stands before the scanner in its line.
  package private(set) var isAtLineStart = true
  /// The place at which the scanner stands.
  package private(set) var location = HIDTextLocation.start

  /// Creates a scanner of a whole text; a byte order mark at its beginning is skipped.
  package init(_ bytes: [UInt8], file: String) {
    self.bytes = bytes
    self.file = file
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  /// The byte at which the scanner stands, nil at the end.
  package var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// The byte some places further on, nil beyond the end.
  package func peek(_ distance: Int) -> UInt8? {
    position + distance < bytes.count ? bytes[position + distance] : nil
  }

  /// Whether the scanner stands at the end of a line or of the text.
  package var isAtLineEnd: Bool {
    guard position < bytes.count else { return true }
    return bytes[position] == 0x0A || bytes[position] == 0x0D
  }

  /// Moves past one byte, or past a CR with its LF; at the end it stays.
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

  /// Moves past some bytes.
  package mutating func advance(by count: Int) { for _ in 0..<count { advance() } }

  /// Moves past blanks and tabs.
  package mutating func skipBlanks() { while byte == 0x20 || byte == 0x09 { advance() } }

  /// Moves to the end of the line.
  package mutating func skipLine() { while !isAtLineEnd { advance() } }

  /// Whether a text of ASCII stands here.
  package func starts(with text: StaticString) -> Bool {
    text.description.utf8.enumerated().allSatisfy { peek($0.offset) == $0.element }
  }

  /// Moves past a comment `/* … */`, if one begins here.
  ///
  /// - Throws: A problem at its beginning where it has no end.
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

  /// Reads letters, digits and underscores, maybe none.
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

  /// The text from an offset to where the scanner stands.
  package func text(from start: Int) -> String {
    String(decoding: bytes[min(start, position)..<position], as: UTF8.self)
  }

  /// Whether a byte is a letter, a digit or an underscore.
  package static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: true
    default: false
    }
  }

  /// What stands here, for the "found" part of a message.
  package var found: String {
    guard let byte else { return "the end of the file" }
    if byte == 0x0D { return describe(byte: 0x0A) }
    guard Self.isWord(byte) else { return describe(byte: byte) }
    var copy = self
    return quoted(copy.word())
  }

  /// A problem at a place, or where the scanner stands.
  package func problem(
    _ message: String, at place: HIDTextLocation? = nil, help: String? = nil
  ) -> HIDTextProblem {
    HIDTextProblem(file: file, location: place ?? location, message: message, help: help)
  }
}
