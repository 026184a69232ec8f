// SPDX-License-Identifier: Apache-2.0

import HIDText

/// A reader of bytes in hex, as people and tools write them.
///
/// - Bytes are `05 01`, `0501`, `0x05, 0x01` or `\x05\x01`, also in quotes and in round, square or
///   curly brackets.
/// - Comments, the names of items after the bytes, and the offsets of hex dumps are skipped.
/// - Numbers without `0x` are decimal if none has a letter, and at least one has one or three
///   digits.
/// - In a tree, the bytes come after the line `report descriptor, …`, up to an empty line. In the
///   kernel's file, the bytes come before the first empty line.
struct HexDescriptorReader {
  private var scanner: TextScanner
  private let format: HIDDescriptorFormat
  private var tokens: [Token] = []
  private var isCommented = false
  private var endsAtEmptyLine: Bool { format == .debugfs || format == .tree }
  /// True if the line began with an offset and a colon, as in the output of `xxd`.
  private var isDumpLine = false
  /// The number of bytes so far, if all are in hex.
  private var byteCount = 0

  /// The digits of one or more bytes, and their location.
  private struct Token {
    var digits: String
    var hasPrefix: Bool
    var location: HIDTextLocation
  }

  init(_ bytes: [UInt8], file: String, format: HIDDescriptorFormat) {
    scanner = TextScanner(bytes, file: file)
    self.format = format
    if format == .hex || format == .text { isCommented = Self.isCommented(scanner) }
  }

  consuming func read() throws(HIDTextProblem) -> [HIDDescriptorText] {
    let start = scanner.location
    var rest = scanner
    while rest.byte == 0x20 || rest.byte == 0x09 || rest.isAtLineEnd, rest.byte != nil {
      rest.advance()
    }
    let hasText = rest.byte != nil
    if format == .tree { try skipToTrailer() }
    try readTokens()
    var descriptor = DescriptorBytes()
    let isDecimal = try isDecimal()
    for token in tokens {
      try descriptor.append(bytes(of: token, isDecimal), at: token.location, of: scanner)
    }
    // A blank text is an empty descriptor. Other text without a byte is an error.
    if tokens.isEmpty, hasText, format != .tree {
      throw scanner.problem("expected \(format.explanation), found no byte", at: start)
    }
    return [
      HIDDescriptorText(bytes: descriptor.bytes, format: format, places: descriptor.places)
    ]
  }

  /// Returns whether every line that is not blank is a comment with `#`, and one of them has bytes.
  ///
  /// hid-recorder prints items in this form.
  private static func isCommented(_ scanner: TextScanner) -> Bool {
    var scanner = scanner
    var hasBytes = false
    while scanner.byte != nil {
      scanner.skipBlanks()
      if !scanner.isAtLineEnd {
        guard scanner.byte == 0x23 else { return false }
        scanner.advance()
        scanner.skipBlanks()
        if scanner.byte == 0x30, scanner.peek(1) == 0x78 { hasBytes = true }
        scanner.skipLine()
      }
      scanner.advance()
    }
    return hasBytes
  }

  private mutating func skipToTrailer() throws(HIDTextProblem) {
    while scanner.byte != nil {
      scanner.skipBlanks()
      let isTrailer = scanner.starts(with: "report descriptor, ")
      scanner.skipLine()
      scanner.advance()
      if isTrailer { return }
    }
    throw scanner.problem(
      "expected the line \"report descriptor, … bytes:\" and the bytes after it, found the end of "
        + "the file")
  }

  // MARK: Tokens

  private mutating func readTokens() throws(HIDTextProblem) {
    var tokensBeforeLine = 0
    var lineNumber = 0
    while let byte = scanner.byte {
      if scanner.location.line != lineNumber {
        lineNumber = scanner.location.line
        tokensBeforeLine = tokens.count
        isDumpLine = false
        if try startLine() { return }
        continue
      }
      switch byte {
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x5f:
        try readWord(isFirst: tokens.count == tokensBeforeLine)
      // The column of characters in the output of `xxd`.
      case 0x20 where isDumpLine && scanner.peek(1) == 0x20: scanner.skipLine()
      case 0x20, 0x09, 0x0a, 0x0c, 0x0d, 0x2c, 0x22, 0x27, 0x28, 0x29, 0x5b, 0x5d, 0x7b, 0x7d:
        scanner.advance()
      case 0x5c where scanner.peek(1) == 0x78 || scanner.peek(1) == 0x0a || scanner.peek(1) == 0x0d:
        scanner.advance()
      // The column of characters in the output of `hexdump -C`.
      case 0x7c where tokens.count > tokensBeforeLine: scanner.skipLine()
      default:
        guard try scanner.skipComment() else {
          throw scanner.problem(
            "expected a byte in hex, found \(scanner.found)", help: "such as 05 01 or 0x05, 0x01")
        }
      }
    }
  }

  /// Skips the text before the bytes of a line.
  ///
  /// - Returns: True if the descriptor ends here.
  private mutating func startLine() throws(HIDTextProblem) -> Bool {
    scanner.skipBlanks()
    if scanner.isAtLineEnd, scanner.byte != nil, endsAtEmptyLine, !tokens.isEmpty { return true }
    if isCommented, scanner.byte == 0x23 { scanner.advance() }
    return false
  }

  private mutating func readWord(isFirst: Bool) throws(HIDTextProblem) {
    let location = scanner.location
    var word = scanner.word()
    if isFirst, isOffset(word) { return }
    // The prefix of bytes in Python: b"…".
    if word == "b", scanner.byte == 0x22 || scanner.byte == 0x27 { return }
    // `\x05`: the backslash is already skipped.
    if word.hasPrefix("x"), word.utf8.count > 1 { word = "0" + word }
    var digits = word[...]
    let hasPrefix = word.hasPrefix("0x") || word.hasPrefix("0X")
    if hasPrefix { digits = digits.dropFirst(2) }
    // Remove the suffix of a number in Rust, u8, or in C, U.
    if hasPrefix, digits.count > 2 {
      for suffix in ["u8", "U", "u"] where digits.hasSuffix(suffix) {
        digits = digits.dropLast(suffix.count)
        break
      }
    }
    guard !digits.isEmpty, digits.utf8.allSatisfy({ hexDigit($0) != nil }) else {
      if !isFirst, HIDItemTitles.isFirstWord(word) || ["Reserved", "Long", "Cut"].contains(word) {
        // The name of the item follows the bytes.
        return scanner.skipLine()
      }
      throw notBytes(word, at: location)
    }
    byteCount += (digits.utf8.count + 1) / 2
    guard byteCount <= HIDDescriptorText.maximumDescriptorByteCount else {
      throw scanner.problem(HIDDescriptorText.tooLongMessage, at: location)
    }
    tokens.append(Token(digits: String(digits), hasPrefix: hasPrefix, location: location))
  }

  /// Returns whether a word is the offset of a line in a hex dump of `xxd` or `hexdump -C`, and
  /// skips the colon after it.
  private mutating func isOffset(_ word: String) -> Bool {
    guard let offset = Int(word, radix: 16), word.utf8.count >= 4 else { return false }
    if scanner.byte == 0x3a {
      scanner.advance()
      scanner.skipBlanks()
      isDumpLine = true
      return true
    }
    return word.utf8.count == 8 && offset == byteCount && (scanner.byte == 0x20 || offset > 0)
      && (scanner.isAtLineEnd || scanner.peek(1) == 0x20)
  }

  private func notBytes(_ word: String, at location: HIDTextLocation) -> HIDTextProblem {
    let help =
      HIDItemTitles.isFirstWord(word)
      ? "to read items in words without bytes, choose the format \"lines\""
      : scanner.byte == 0x28
        ? "macros are not expanded; write the bytes" : "such as 05 01 or 0x05, 0x01"
    return scanner.problem(
      "expected a byte in hex, found \(quoted(word))", at: location, help: help)
  }

  // MARK: Bytes

  /// Returns whether numbers without `0x` are decimal.
  private func isDecimal() throws(HIDTextProblem) -> Bool {
    var isDecimal = false
    for token in tokens where !token.hasPrefix {
      guard token.digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
      if token.digits.utf8.count == 1 || token.digits.utf8.count == 3 { isDecimal = true }
    }
    return isDecimal
  }

  private func bytes(of token: Token, _ isDecimal: Bool) throws(HIDTextProblem) -> [UInt8] {
    let count = token.digits.utf8.count
    if isDecimal, !token.hasPrefix {
      guard let byte = UInt8(token.digits) else {
        throw scanner.problem(
          "expected a byte from 0 to 255, found \(quoted(token.digits))", at: token.location,
          help: "these numbers are decimal, because some have one or three digits")
      }
      return [byte]
    }
    if token.hasPrefix || count == 1 {
      guard let byte = UInt8(token.digits, radix: 16) else {
        throw scanner.problem(
          "expected a byte from 0x00 to 0xff, found \(quoted("0x" + token.digits))",
          at: token.location,
          help: "write single bytes: a longer number does not say which byte comes first")
      }
      return [byte]
    }
    guard let bytes = HexText.bytes(word: token.digits) else {
      throw scanner.problem(
        "expected bytes of two hexadecimal digits, found \(quoted(token.digits))",
        at: token.location)
    }
    return bytes
  }
}
