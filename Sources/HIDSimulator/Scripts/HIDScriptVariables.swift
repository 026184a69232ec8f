// SPDX-License-Identifier: Apache-2.0

import HIDText
import HIDUsageNaming

/// The variables of a script while it is read: what they stand for, and what was used of them.
struct HIDScriptVariables: Sendable {
  /// The longest value, in bytes.
  static let longestValue = 65_536

  /// Given from outside: `let` does not change these.
  private let given: [String: String]
  private var values: [String: String]
  private var known: Set<String> = []
  /// How many more bytes variables may put into the script: a few lines could else make it endless.
  private var budget = HIDScript.maximumByteCount

  init(given: [String: String]) {
    self.given = given
    values = given
  }

  /// The names that were given, and that the script neither sets nor uses.
  var unknown: [String] { given.keys.filter { !known.contains($0) }.sorted() }

  /// The names that can be used.
  var names: [String] { values.keys.sorted() }

  /// What the script calls something itself.
  var ownNames: [String] { known.sorted() }

  mutating func set(_ name: String, to value: String) {
    known.insert(name)
    if given[name] == nil { values[name] = value }
  }

  /// What a name stands for; nil if it stands for nothing.
  ///
  /// - Throws: `exhausted` when variables have stood for too much.
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

  /// Whether a text can be the name of a variable: letters, digits and `_`, a letter first.
  static func isName(_ text: some StringProtocol) -> Bool {
    guard let first = text.utf8.first, isLetter(first), text.utf8.count <= 64 else { return false }
    return text.utf8.allSatisfy(isPart)
  }

  /// Whether a byte can stand in a name.
  static func isPart(_ byte: UInt8) -> Bool {
    isLetter(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "_")
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
}
