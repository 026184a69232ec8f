// SPDX-License-Identifier: Apache-2.0

/// The sequences of symbols that type one text, such as a dead key and a letter.
///
/// The sequences are from libX11 for the locale en_US.UTF-8. GTK, Qt and terminals use them.
/// Programs that read evdev or hidraw do not compose.
struct ComposeTable: Sendable {
  /// The table with the generated sequences, ``rules``.
  static let standard = ComposeTable(rules)

  /// A sequence and the text that it types.
  struct Rule: Sendable {
    var symbols: [KeySymbol]
    var text: String
  }

  /// The meaning of some symbols in the table.
  enum Step: Hashable {
    /// The symbols are the beginning of at least one sequence.
    case composing
    /// The symbols are a whole sequence, which types a text.
    case composed(String)
    /// The symbols are neither a sequence nor the beginning of one.
    case unknown
  }

  /// The sequences that are not the beginning of a longer one, in the order of the table.
  let sequences: [Rule]
  private let texts: [[KeySymbol]: String]
  private let beginnings: Set<[KeySymbol]>

  /// Reads a table with one line for each sequence: its symbols, "=" and code points in
  /// hexadecimal.
  init(_ table: String) {
    let rules = table.split(separator: "\n").compactMap(Self.rule)
    var beginnings: Set<[KeySymbol]> = []
    for rule in rules {
      for count in 1..<max(1, rule.symbols.count) {
        beginnings.insert(Array(rule.symbols.prefix(count)))
      }
    }
    // As in libxkbcommon, a sequence that is the beginning of a longer sequence is not valid.
    sequences = rules.filter { [beginnings] in !beginnings.contains($0.symbols) }
    texts = Dictionary(
      sequences.map { ($0.symbols, $0.text) }, uniquingKeysWith: { first, _ in first })
    self.beginnings = beginnings
  }

  private static func rule(_ line: Substring) -> Rule? {
    let words = line.split(separator: " ")
    // A symbol can be "=" itself, so the last "=" of the line is the separator.
    guard let sign = words.lastIndex(of: "="), sign > 0 else { return nil }
    let symbols = words[..<sign].compactMap { KeySymbol(table: $0) }
    let scalars = words[(sign + 1)...].compactMap { word in
      UInt32(word, radix: 16).flatMap(Unicode.Scalar.init)
    }
    guard symbols.count == sign, scalars.count == words.count - sign - 1 else { return nil }
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars)
    return Rule(symbols: symbols, text: text)
  }

  /// Returns the meaning of the symbols since the last sequence.
  func step(_ symbols: [KeySymbol]) -> Step {
    if let text = texts[symbols] { return .composed(text) }
    return beginnings.contains(symbols) ? .composing : .unknown
  }
}
