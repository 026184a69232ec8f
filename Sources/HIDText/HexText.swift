// SPDX-License-Identifier: Apache-2.0

/// Bytes as people write them: pairs of hexadecimal digits.
package enum HexText {
  /// Returns the bytes of one word: `04`, `0x04` or a run of pairs such as `000004`.
  ///
  /// - Returns: `nil` if the word is not bytes.
  package static func bytes(word: some StringProtocol) -> [UInt8]? {
    var digits = Array(word.utf8)[...]
    if digits.starts(with: Array("0x".utf8)) || digits.starts(with: Array("0X".utf8)) {
      digits = digits.dropFirst(2)
      guard digits.count == 2 else { return nil }  // 0x0102 does not say which end comes first
    }
    guard !digits.isEmpty, digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    while let high = digits.popFirst(), let low = digits.popFirst() {
      guard let high = hexDigit(high), let low = hexDigit(low) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// Reads words with white space or commas between them; a text without words gives no bytes.
  ///
  /// - Returns: The bytes, or the first word that is not bytes.
  package static func bytes(_ text: String) -> Result<[UInt8], WordError> {
    if let bytes = pairs(text) { return .success(bytes) }
    var bytes: [UInt8] = []
    for word in text.split(whereSeparator: { $0.isWhitespace || $0 == "," }) {
      guard let more = Self.bytes(word: word) else {
        return .failure(WordError(word: String(word)))
      }
      bytes += more
    }
    return .success(bytes)
  }

  /// Reads pairs of digits with one blank between two pairs, as a program writes them.
  ///
  /// - Returns: `nil` if the text has another form.
  private static func pairs(_ text: String) -> [UInt8]? {
    let utf8 = text.utf8.span
    guard utf8.count % 3 == 2 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(utf8.count / 3 + 1)
    for start in stride(from: 0, to: utf8.count, by: 3) {
      guard let high = hexDigit(utf8[start]), let low = hexDigit(utf8[start + 1]),
        start + 2 == utf8.count || utf8[start + 2] == 0x20
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// A word that is not bytes.
  package struct WordError: Error, Hashable, Sendable {
    /// The word.
    package var word: String
  }
}
