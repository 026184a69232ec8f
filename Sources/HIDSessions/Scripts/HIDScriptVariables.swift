// SPDX-License-Identifier: Apache-2.0

/// The variables of a script while it is read: their values, and the names that it has set or used.
struct HIDScriptVariables: Sendable {
  /// The maximum length of a value that `let` sets, in bytes.
  static let longestValue = 65_536

  /// The values that were given from outside; `let` does not change them.
  private let given: [String: String]
  private var values: [String: String]
  private var known: Set<String> = []
  /// The number of bytes that variables may still add to the script.
  ///
  /// Without this limit a few lines could make the script endless.
  private var budget = HIDScript.maximumByteCount

  init(given: [String: String]) {
    self.given = given
    values = given
  }

  /// The given names that the script neither sets nor uses.
  var unknown: [String] { given.keys.filter { !known.contains($0) }.sorted() }

  /// The names that can be used.
  var names: [String] { values.keys.sorted() }

  /// The names that the script sets or uses, also without a value.
  var ownNames: [String] { known.sorted() }

  mutating func set(_ name: String, to value: String) {
    known.insert(name)
    if given[name] == nil { values[name] = value }
  }

  /// Returns the value of a variable; nil if there is no variable with that name.
  ///
  /// - Throws: `Exhausted` if the values that were used are too long together.
  mutating func use(_ name: String) throws(Exhausted) -> String? {
    known.insert(name)
    guard let value = values[name] else { return nil }
    budget -= value.utf8.count
    guard budget >= 0 else { throw Exhausted() }
    return value
  }

  struct Exhausted: Error {
    let message =
      "the variables make the script longer than \(HIDScript.maximumByteCount) bytes"
  }

  /// Returns whether a text can name a variable: 1 to 64 ASCII letters, digits and `_`, a letter
  /// first.
  static func isName(_ text: some StringProtocol) -> Bool {
    guard let first = text.utf8.first, isLetter(first), text.utf8.count <= 64 else { return false }
    return text.utf8.allSatisfy(isPart)
  }

  /// Returns whether a byte can be part of a name.
  static func isPart(_ byte: UInt8) -> Bool {
    isLetter(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "_")
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
}
