// SPDX-License-Identifier: Apache-2.0

internal import HIDText

/// One word of a script.
struct HIDScriptToken: Hashable, Sendable {
  enum Kind: Hashable, Sendable { case word, string, semicolon }

  var kind: Kind
  var text: String  // unescaped, without quotes
  var location: HIDTextLocation
  var end: HIDTextLocation  // after the last character

  /// What the token is, for the "found" part of a message.
  var found: String { kind == .semicolon ? "\";\"" : quoted(text) }
}

/// Splits one line of a script into tokens.
struct HIDScriptLexer {
  private let scalars: [Unicode.Scalar]
  private let file: String
  private let line: Int
  private var position = 0

  init(_ text: String, line: Int, file: String) {
    scalars = Array(text.unicodeScalars)
    self.line = line
    self.file = file
  }

  /// The next token, or nil at the end of the line or at a comment.
  mutating func next() throws(HIDTextProblem) -> HIDScriptToken? {
    while position < scalars.count, isBlank(scalars[position]) { position += 1 }
    guard position < scalars.count, scalars[position] != "#" else { return nil }
    let start = location
    switch scalars[position] {
    case ";":
      position += 1
      return HIDScriptToken(kind: .semicolon, text: ";", location: start, end: location)
    case "\"":
      let text = try string()
      return HIDScriptToken(kind: .string, text: text, location: start, end: location)
    default:
      var text = String.UnicodeScalarView()
      while position < scalars.count {
        let scalar = scalars[position]
        if isBlank(scalar) || scalar == ";" || scalar == "\"" { break }
        try refuseControl(scalar)
        text.append(scalar)
        position += 1
      }
      return HIDScriptToken(kind: .word, text: String(text), location: start, end: location)
    }
  }

  /// The text between two places of the line.
  func text(from start: HIDTextLocation, to end: HIDTextLocation) -> String {
    let range = min(start.column - 1, scalars.count)..<min(end.column - 1, scalars.count)
    return String(String.UnicodeScalarView(scalars[range]))
  }

  private mutating func string() throws(HIDTextProblem) -> String {
    let start = location
    var text = String.UnicodeScalarView()
    position += 1
    while position < scalars.count {
      let scalar = scalars[position]
      switch scalar {
      case "\"":
        position += 1
        return String(text)
      case "\\":
        text.append(try escape())
      default:
        try refuseControl(scalar)
        text.append(scalar)
        position += 1
      }
    }
    throw problem(
      "expected the closing double quote, found the end of the line", at: start,
      help: "a double quote inside is \\\", a line break \\n")
  }

  private mutating func escape() throws(HIDTextProblem) -> Unicode.Scalar {
    let start = location
    position += 1
    let code = position < scalars.count ? scalars[position] : " "
    position += 1
    switch code {
    case "n": return "\n"
    case "t": return "\t"
    case "\\", "\"": return code
    default:
      throw problem(
        "expected an escape, found \(quoted("\\\(code)"))", at: start,
        help: "the escapes are \\n, \\t, \\\" and \\\\")
    }
  }

  private func refuseControl(_ scalar: Unicode.Scalar) throws(HIDTextProblem) {
    if scalar.isControl {
      throw problem(
        "a control character, U+\(String(scalar.value, radix: 16, uppercase: true)), stands here",
        at: location, help: "remove it; in a string \\n and \\t are line break and tab")
    }
  }

  private func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }

  private var location: HIDTextLocation { HIDTextLocation(line: line, column: position + 1) }

  private func problem(
    _ message: String, at location: HIDTextLocation, help: String
  ) -> HIDTextProblem {
    HIDTextProblem(file: file, location: location, message: message, help: help)
  }
}
