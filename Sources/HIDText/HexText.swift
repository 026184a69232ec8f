// SPDX-License-Identifier: Apache-2.0

/// The grammar of bytes in hexadecimal, in files, scripts and options.
package enum HexText {
  /// The words that are bytes.
  package enum Form: Sendable {
    /// Pairs of digits, such as `000004`, and one pair after `0x`.
    ///
    /// In a file a single digit may be a mistake, and `0x0102` does not say which byte comes first.
    case pairs
    /// Words as other programs print bytes: pairs of digits, or a single digit, with or without
    /// `0x` before them.
    ///
    /// The bytes are in the order of the digits.
    case printed
  }

  /// The error for a word that is not bytes in hexadecimal.
  package struct WordError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The word.
    package var word: String
    /// A message with the word and the expected form.
    package var description: String {
      "\(quoted(word)) is not a byte: expected hex, such as 01 ff"
    }
  }

  /// Returns the bytes of one word of the form ``Form/pairs``; `nil` for another word.
  package static func bytes(word: some StringProtocol) -> [UInt8]? {
    var bytes: [UInt8] = []
    return append(word: String(word), to: &bytes) ? bytes : nil
  }

  /// Appends the bytes of one word of the form ``Form/pairs`` to an array.
  ///
  /// - Returns: False for another word, of which some bytes may have been appended.
  package static func append(word: String, to bytes: inout [UInt8]) -> Bool {
    append(word: word.utf8.span, to: &bytes, as: .pairs)
  }

  /// Reads words with white space or commas between them; a text without words gives no bytes.
  ///
  /// - Returns: The bytes, or the first word that is not bytes.
  package static func bytes(
    _ text: String, as form: Form = .pairs
  ) -> Result<[UInt8], WordError> {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count / 3 + 1)
    return Result { () throws(WordError) in
      guard text.utf8.contains(where: { $0 >= 0x80 }) else {
        try append(text.utf8.span, to: &bytes, as: form)
        return bytes
      }
      // Text that was copied from a page can have blanks that are not ASCII.
      for word in text.split(whereSeparator: \.isWhitespace) {
        try append(String(word).utf8.span, to: &bytes, as: form)
      }
      return bytes
    }
  }

  /// Reads words with ASCII white space or commas between them, and appends their bytes.
  ///
  /// The function allocates nothing while the array has room.
  ///
  /// - Parameters:
  ///   - text: UTF-8 text.
  ///   - bytes: The array.
  ///   - form: The form of the words.
  ///   - hasComments: True to ignore the text from a `#` on.
  /// - Throws: The first word that is not bytes. The array then has the bytes before that word, and
  ///   can have wrong bytes after them.
  package static func append(
    _ text: Span<UInt8>, to bytes: inout [UInt8], as form: Form, hasComments: Bool = false
  ) throws(WordError) {
    var index = 0
    while index < text.count {
      if isSeparator(text[index]) {
        index += 1
        continue
      }
      if hasComments, text[index] == UInt8(ascii: "#") { return }
      let start = index
      while index < text.count, !isSeparator(text[index]),
        !hasComments || text[index] != UInt8(ascii: "#")
      {
        index += 1
      }
      let word = text.extracting(start..<index)
      guard append(word: word, to: &bytes, as: form) else {
        throw WordError(word: String(decoding: word.indices.map { word[$0] }, as: UTF8.self))
      }
    }
  }

  private static func append(word: Span<UInt8>, to bytes: inout [UInt8], as form: Form) -> Bool {
    let hasPrefix = word.count > 1 && word[0] == 0x30 && word[1] | 0x20 == 0x78
    var index = hasPrefix ? 2 : 0
    let count = word.count - index
    if count == 1, case .printed = form {
      guard let digit = hexDigit(word[index]) else { return false }
      bytes.append(digit)
      return true
    }
    guard count > 0, count.isMultiple(of: 2) else { return false }
    if hasPrefix, count > 2, case .pairs = form { return false }
    while index < word.count {
      guard let high = hexDigit(word[index]), let low = hexDigit(word[index + 1]) else {
        return false
      }
      bytes.append(high << 4 | low)
      index += 2
    }
    return true
  }

  @inline(__always)
  private static func isSeparator(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: ",") || (byte >= 0x09 && byte <= 0x0D)
  }
}

/// Returns bytes in lower-case hex, with two digits a byte and one space between bytes.
@inlinable  // so that callers in other modules have code for their type of sequence
package func hexText(_ bytes: some Sequence<UInt8>) -> String {
  let digits = Array("0123456789abcdef".utf8)
  var text: [UInt8] = []
  text.reserveCapacity(bytes.underestimatedCount * 3)
  for byte in bytes {
    if !text.isEmpty { text.append(0x20) }
    text.append(digits[Int(byte >> 4)])
    text.append(digits[Int(byte & 0xF)])
  }
  return String(decoding: text, as: UTF8.self)
}

/// Returns the value of a hexadecimal digit; `nil` for another byte.
package func hexDigit(_ byte: UInt8) -> UInt8? {
  switch byte {
  case 0x30...0x39: byte - 0x30
  case 0x41...0x46: byte - 0x41 + 10
  case 0x61...0x66: byte - 0x61 + 10
  default: nil
  }
}
