// SPDX-License-Identifier: Apache-2.0

/// A reader of JSON values one after the other, with the location of each.
///
/// It accepts comments (`//`, `#`, `/* */`), trailing commas, hexadecimal integers (`0x05`), and
/// any number of root values in sequence. It refuses a key that appears twice, a number out of
/// range, and text that is not UTF-8, because these could hide a mistake.
///
/// The text can be hostile: it is at most ``maximumByteCount`` bytes long, unless the caller sets
/// another limit, and ``maximumDepth`` levels deep.
package struct JSONReader: Sendable {
  /// The maximum length of a text, in bytes, if the caller sets no other.
  package static let maximumByteCount = 16 << 20
  /// The maximum depth of nested arrays and objects.
  package static let maximumDepth = 128

  private let bytes: [UInt8]
  private let file: String
  private let limit: Int
  private var position = 0
  private var line = 1
  private var lineStart = 0  // the byte offset at which the current line begins
  private var continuations = 0  // bytes of the current line that begin no scalar
  private var depth = 0

  /// Creates a reader of a whole text.
  ///
  /// - Parameters:
  ///   - bytes: The text, in UTF-8. A byte order mark at the beginning is skipped.
  ///   - file: The name of the text in messages.
  ///   - line: The number of the text's first line, for messages.
  ///   - column: The column of that line in which the text begins, for messages. It has no effect
  ///     on a text with a byte order mark.
  ///   - maximumByteCount: The maximum length of the text, in bytes.
  package init(
    _ bytes: [UInt8], file: String, line: Int = 1, column: Int = 1,
    maximumByteCount: Int = JSONReader.maximumByteCount
  ) {
    self.bytes = bytes
    self.file = file
    limit = maximumByteCount
    self.line = line
    lineStart = 1 - column
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      position = 3
      lineStart = 3
    }
  }

  /// The offset of the first byte that has not been read.
  package var byteOffset: Int { position }

  /// Reads the next root value.
  ///
  /// - Returns: The value; `nil` if only space and comments are left.
  /// - Throws: The mistake. The reader then stands at the mistake or behind it.
  package mutating func next() throws(JSONError) -> JSONNode? {
    guard bytes.count <= limit else {
      throw error(
        "the text is \(bytes.count) bytes long, and the limit is \(limit)",
        at: .start)
    }
    depth = 0
    try skipSpace()
    guard position < bytes.count else { return nil }
    return try value(expected: "a value")
  }

  /// Reads a text that holds exactly one value.
  ///
  /// - Throws: The mistake. A text without a value, or with anything but space and comments after
  ///   the value, is a mistake, too.
  package mutating func only() throws(JSONError) -> JSONNode {
    guard let node = try next() else {
      throw error("expected an object, found the end of the file", isTruncated: true)
    }
    try skipSpace()
    guard position == bytes.count else {
      throw error(
        "expected the end of the file after the value, found \(describe(byte: bytes[position]))",
        help: "remove the rest, or the extra bracket before it")
    }
    return node
  }
}

// MARK: - Values

extension JSONReader {
  private mutating func value(
    expected: @autoclosure () -> String
  ) throws(JSONError) -> JSONNode {
    let start = location
    guard position < bytes.count else { throw truncated(expected: expected()) }
    switch bytes[position] {
    case 0x7B: return JSONNode(.object(try object(from: start)), at: start)
    case 0x5B: return JSONNode(.array(try array(from: start)), at: start)
    case 0x22: return JSONNode(.string(try string()), at: start)
    case 0x2D, 0x30...0x39: return JSONNode(try number(), at: start)
    case 0x27:
      throw error("expected \(expected()), found \"'\"", help: "write strings in double quotes")
    default:
      let word = self.word()
      switch word {
      case "null": return JSONNode(.null, at: start)
      case "true": return JSONNode(.bool(true), at: start)
      case "false": return JSONNode(.bool(false), at: start)
      case "":
        throw error("expected \(expected()), found \(describe(byte: bytes[position]))")
      default:
        throw error(
          "expected \(expected()), found the word \(quoted(word))", at: start,
          help: "write text in double quotes", isTruncated: position == bytes.count)
      }
    }
  }

  private mutating func object(from start: HIDTextLocation) throws(JSONError) -> [JSONMember] {
    try enter(from: start)
    var members: [JSONMember] = []
    var places: [String: HIDTextLocation] = [:]  // used for objects with more than 16 keys
    while true {
      try skipSpace()
      guard position < bytes.count else { throw unclosed("}", from: start) }
      if bytes[position] == 0x7D { break }
      guard bytes[position] == 0x22 else {
        throw error(
          "expected a key in double quotes or \"}\", found \(describe(byte: bytes[position]))")
      }
      let keyLocation = location
      let key = try string()
      let first: HIDTextLocation?
      if members.count < 16 {
        first = members.first { $0.key == key }?.location
      } else {
        if places.isEmpty { for member in members { places[member.key] = member.location } }
        first = places.updateValue(keyLocation, forKey: key)
      }
      if let first {
        throw error(
          "the key \(quoted(key)) appears twice, first in line \(first.line)", at: keyLocation,
          help: "remove one of them")
      }
      try skipSpace()
      guard position < bytes.count else { throw unclosed("}", from: start) }
      guard bytes[position] == 0x3A else {
        throw error("expected \":\" after the key, found \(describe(byte: bytes[position]))")
      }
      advance()
      try skipSpace()
      guard position < bytes.count else { throw unclosed("}", from: start) }
      let value = try value(expected: "a value for \(quoted(key))")
      members.append(JSONMember(key: key, location: keyLocation, value: value))
      guard try separator(closedBy: 0x7D, from: start) else { break }
    }
    advance()
    depth -= 1
    return members
  }

  private mutating func array(from start: HIDTextLocation) throws(JSONError) -> [JSONNode] {
    try enter(from: start)
    var elements: [JSONNode] = []
    while true {
      try skipSpace()
      guard position < bytes.count else { throw unclosed("]", from: start) }
      if bytes[position] == 0x5D { break }
      elements.append(try value(expected: "a value or \"]\""))
      guard try separator(closedBy: 0x5D, from: start) else { break }
    }
    advance()
    depth -= 1
    return elements
  }

  private mutating func enter(from start: HIDTextLocation) throws(JSONError) {
    guard depth < Self.maximumDepth else {
      throw error("brackets are nested more than \(Self.maximumDepth) deep", at: start)
    }
    depth += 1
    advance()
  }

  /// Skips space, and moves past a comma; returns false at the closing bracket, which is not read.
  private mutating func separator(
    closedBy close: UInt8, from start: HIDTextLocation
  ) throws(JSONError) -> Bool {
    try skipSpace()
    var name: String { String(Character(Unicode.Scalar(close))) }
    guard position < bytes.count else { throw unclosed(name, from: start) }
    switch bytes[position] {
    case 0x2C:
      advance()
      return true
    case close: return false
    default:
      throw error("expected \",\" or \"\(name)\", found \(describe(byte: bytes[position]))")
    }
  }

  private mutating func number() throws(JSONError) -> JSONNode.Value {
    let start = location
    if let integer = shortInteger() { return .integer(integer) }
    let text = self.word()
    let isNegative = text.hasPrefix("-")
    let digits = isNegative ? text.dropFirst() : text[...]
    if digits.hasPrefix("0x") || digits.hasPrefix("0X") {
      let hex = digits.dropFirst(2)
      guard !hex.isEmpty, hex.utf8.allSatisfy({ hexDigit($0) != nil }) else {
        throw error(
          "\(quoted(text)) is not a number", at: start, help: "write hexadecimal like 0x1f",
          isTruncated: position == bytes.count)
      }
      guard let value = NumberText.integer(text, as: Int.self) else {
        throw error("the number \(quoted(text)) does not fit in 64 bits", at: start)
      }
      return .integer(value)
    }
    guard isDecimalNumber(digits) else {
      let isOctal = digits.hasPrefix("0") && digits.dropFirst().first?.isNumber == true
      throw error(
        "\(quoted(text)) is not a number", at: start,
        help: isOctal
          ? "a decimal number does not begin with 0; write hexadecimal like 0x1f" : nil,
        isTruncated: position == bytes.count)
    }
    if digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      guard let value = Int(text) else {
        throw error("the number \(quoted(text)) does not fit in 64 bits", at: start)
      }
      return .integer(value)
    }
    guard let value = Double(text), value.isFinite else {
      throw error("the number \(quoted(text)) is out of range", at: start)
    }
    return .number(value)
  }

  /// Reads a decimal integer of up to eighteen digits without a sign; `nil` for another text.
  private mutating func shortInteger() -> Int? {
    var value = 0
    var end = position
    while end < bytes.count, (0x30...0x39).contains(bytes[end]), end - position < 18 {
      value = value * 10 + Int(bytes[end] - 0x30)
      end += 1
    }
    let count = end - position
    guard count > 0, count == 1 || bytes[position] != 0x30,
      end == bytes.count || !isWordByte(bytes[end])
    else { return nil }
    position = end
    return value
  }

  private func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E, 0x5F: true
    default: false
    }
  }

  /// Returns whether text is a number as JSON defines it, without its sign.
  private func isDecimalNumber(_ text: Substring) -> Bool {
    var rest = Array(text.utf8)[...]
    func digits(_ rest: inout ArraySlice<UInt8>) -> Int {
      let count = rest.prefix { (0x30...0x39).contains($0) }.count
      rest = rest.dropFirst(count)
      return count
    }
    let startsWithZero = rest.first == 0x30
    let whole = digits(&rest)
    guard whole > 0, !(startsWithZero && whole > 1) else { return false }
    if rest.first == 0x2E {
      rest = rest.dropFirst()
      guard digits(&rest) > 0 else { return false }
    }
    if let exponent = rest.first, exponent == 0x65 || exponent == 0x45 {
      rest = rest.dropFirst()
      if let sign = rest.first, sign == 0x2B || sign == 0x2D { rest = rest.dropFirst() }
      guard digits(&rest) > 0 else { return false }
    }
    return rest.isEmpty
  }

  /// Reads a run of the characters that words and numbers consist of.
  private mutating func word() -> String {
    let start = position
    while position < bytes.count, isWordByte(bytes[position]) { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }
}

// MARK: - Strings

extension JSONReader {
  private mutating func string() throws(JSONError) -> String {
    let start = location
    var text: [UInt8] = []
    advance()
    while position < bytes.count {
      // Most strings consist of such bytes only.
      let plain = position
      while position < bytes.count, isPlain(bytes[position]) { position += 1 }
      if position < bytes.count, bytes[position] == 0x22, text.isEmpty {
        position += 1
        return String(decoding: bytes[plain..<position - 1], as: UTF8.self)
      }
      text += bytes[plain..<position]
      guard position < bytes.count else { break }
      switch bytes[position] {
      case 0x22:
        advance()
        return String(decoding: text, as: UTF8.self)
      case 0x5C: try escape(into: &text)
      case 0x0A, 0x0D:
        throw error(
          "the string has no closing double quote in its line", at: start,
          help: "add the double quote; write a line break in a string as \\n")
      case 0x00..<0x20:
        throw error(
          "the string contains a control character, \(describe(byte: bytes[position]))",
          help: "write it as an escape, such as \\t")
      default:
        let end = try scalarEnd()
        text += bytes[position..<end]
        continuations += end - position - 1
        position = end
      }
    }
    throw error(
      "expected the closing double quote of the string, found the end of the file", at: start,
      help: "the file may have been cut short", isTruncated: true)
  }

  /// Returns whether a byte of a string is an ASCII character that needs no escape.
  private func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x80 && byte != 0x22 && byte != 0x5C
  }

  private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
    let start = location
    advance()
    guard position < bytes.count else { throw truncated(expected: "an escape") }
    let code = bytes[position]
    let plain: UInt8
    switch code {
    case 0x22, 0x5C, 0x2F: plain = code
    case 0x62: plain = 0x08
    case 0x66: plain = 0x0C
    case 0x6E: plain = 0x0A
    case 0x72: plain = 0x0D
    case 0x74: plain = 0x09
    case 0x75:
      advance()
      try unicodeEscape(from: start, into: &text)
      return
    default:
      throw error(
        "expected an escape, found \"\\\" and \(describe(byte: code))", at: start,
        help: "write a backslash itself as \\\\")
    }
    advance()
    text.append(plain)
  }

  private mutating func unicodeEscape(
    from start: HIDTextLocation, into text: inout [UInt8]
  ) throws(JSONError) {
    let first = try hexQuad(from: start)
    var value = UInt32(first)
    if UTF16.isLeadSurrogate(first) {
      let next = bytes[position...].prefix(2)
      if next.count < 2, next.allSatisfy({ $0 == 0x5C }) {
        throw truncated(expected: "the other half of the surrogate pair")
      }
      guard next.elementsEqual([0x5C, 0x75]) else { throw loneSurrogate(at: start) }
      advance()
      advance()
      let second = try hexQuad(from: start)
      guard UTF16.isTrailSurrogate(second) else { throw loneSurrogate(at: start) }
      value = 0x10000 + (UInt32(first & 0x3FF) << 10 | UInt32(second & 0x3FF))
    }
    guard let scalar = Unicode.Scalar(value) else { throw loneSurrogate(at: start) }
    text += Array(String(Character(scalar)).utf8)
  }

  private func loneSurrogate(at start: HIDTextLocation) -> JSONError {
    error(
      "the escape is half of a surrogate pair", at: start,
      help: "write both halves, or the character itself")
  }

  private mutating func hexQuad(from start: HIDTextLocation) throws(JSONError) -> UInt16 {
    var value: UInt16 = 0
    for _ in 0..<4 {
      guard position < bytes.count else { throw truncated(expected: "four hexadecimal digits") }
      guard let digit = hexDigit(bytes[position]) else {
        throw error(
          "expected four hexadecimal digits after \\u, found \(describe(byte: bytes[position]))",
          at: start)
      }
      value = value << 4 | UInt16(digit)
      advance()
    }
    return value
  }

  /// Returns the offset after the scalar at the current position.
  private func scalarEnd() throws(JSONError) -> Int {
    let lead = bytes[position]
    let count: Int
    switch lead {
    case 0x00..<0x80: return position + 1
    case 0xC2..<0xE0: count = 2
    case 0xE0..<0xF0: count = 3
    case 0xF0..<0xF5: count = 4
    default: throw invalidUTF8()
    }
    guard position + count <= bytes.count else { throw invalidUTF8(isTruncated: true) }
    for offset in 1..<count {
      let byte = bytes[position + offset]
      var allowed: ClosedRange<UInt8> = 0x80...0xBF
      if offset == 1 {
        // Overlong forms, surrogates and values past U+10FFFF are not allowed.
        switch lead {
        case 0xE0: allowed = 0xA0...0xBF
        case 0xED: allowed = 0x80...0x9F
        case 0xF0: allowed = 0x90...0xBF
        case 0xF4: allowed = 0x80...0x8F
        default: break
        }
      }
      guard allowed.contains(byte) else { throw invalidUTF8() }
    }
    return position + count
  }

  private func invalidUTF8(isTruncated: Bool = false) -> JSONError {
    error(
      "the byte 0x\(hexText([bytes[position]])) is not UTF-8", help: "save the file as UTF-8",
      isTruncated: isTruncated)
  }
}

// MARK: - Space and locations

extension JSONReader {
  private mutating func skipSpace() throws(JSONError) {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: advance()
      case 0x23: try skipLine()
      case 0x2F:
        guard position + 1 < bytes.count else {
          throw error("expected a value or a comment, found \"/\"", isTruncated: true)
        }
        switch bytes[position + 1] {
        case 0x2F: try skipLine()
        case 0x2A: try skipBlock()
        default: throw error("expected a value or a comment, found \"/\"")
        }
      default: return
      }
    }
  }

  private mutating func skipLine() throws(JSONError) {
    while position < bytes.count, bytes[position] != 0x0A { try skipScalar() }
  }

  private mutating func skipBlock() throws(JSONError) {
    let start = location
    advance()
    advance()
    while position < bytes.count {
      if bytes[position] == 0x2A, position + 1 < bytes.count, bytes[position + 1] == 0x2F {
        advance()
        advance()
        return
      }
      try skipScalar()
    }
    throw error(TextScanner.unclosedComment, at: start, isTruncated: true)
  }

  private mutating func skipScalar() throws(JSONError) {
    guard bytes[position] >= 0x80 else { return advance() }
    let end = try scalarEnd()
    continuations += end - position - 1
    position = end
  }

  /// Moves past one byte, and updates the line and the column.
  private mutating func advance() {
    let byte = bytes[position]
    position += 1
    if byte == 0x0A {
      line += 1
      lineStart = position
      continuations = 0
    } else if byte & 0xC0 == 0x80 {
      continuations += 1
    }
  }

  private var location: HIDTextLocation {
    HIDTextLocation(line: line, column: position - lineStart - continuations + 1)
  }

  private func error(
    _ message: String, at place: HIDTextLocation? = nil, help: String? = nil,
    isTruncated: Bool = false
  ) -> JSONError {
    JSONError(
      problem: HIDTextProblem(
        file: file, location: place ?? location, message: message, help: help),
      isTruncated: isTruncated)
  }

  private func truncated(expected: String) -> JSONError {
    error(
      "expected \(expected), found the end of the file", help: "the file may have been cut short",
      isTruncated: true)
  }

  private func unclosed(_ bracket: String, from start: HIDTextLocation) -> JSONError {
    let opened = bracket == "}" ? "{" : "["
    return error(
      "expected \"\(bracket)\" for the \"\(opened)\" of line \(start.line), column \(start.column), "
        + "found the end of the file",
      help: "the file may have been cut short", isTruncated: true)
  }
}
