// SPDX-License-Identifier: Apache-2.0

/// The symbol of a key in one state: a character, a dead key, or nothing.
public enum KeySymbol: Hashable, Sendable {
  /// The key types nothing.
  case none
  /// The key types a character.
  case character(Unicode.Scalar)
  /// The key is dead, such as an accent: it changes the character of the next key.
  ///
  /// The name is that of X11 without `dead_`: `acute`.
  case dead(String)

  /// Reads a symbol of a table: a single character, `U+00A0`, `dead_acute` or `none`; nil for other
  /// text.
  init?(table word: some StringProtocol) {
    let scalars = word.unicodeScalars
    if let scalar = scalars.first, scalars.count == 1 {
      self = .character(scalar)
    } else if word == "none" {
      self = .none
    } else if word.hasPrefix("dead_") {
      self = .dead(String(word.dropFirst(5)))
    } else if word.hasPrefix("U+"),
      let scalar = UInt32(word.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
    {
      self = .character(scalar)
    } else {
      return nil
    }
  }
}
