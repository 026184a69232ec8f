// SPDX-License-Identifier: Apache-2.0

internal import HIDText

/// One token of a script: a word, a string in quotes, or a semicolon.
struct HIDScriptToken: Hashable, Sendable {
  enum Kind: Hashable, Sendable { case word, string, semicolon }

  var kind: Kind
  var text: String  // unescaped, without quotes
  var location: HIDTextLocation
  var end: HIDTextLocation  // after the last character
  /// The text as it was written, if it contains variables.
  var written: String?

  /// The description of the token for the "found" part of a message.
  var found: String {
    if kind == .semicolon { return "\";\"" }
    return quoted(text) + (written.map { " (\($0))" } ?? "")
  }
}

/// A lexer that splits one line of a script into tokens.
struct HIDScriptLexer {
  private let scalars: [Unicode.Scalar]
  private let file: String
  private let line: Int
  private var position = 0
  /// True if the token that is being read contains variables.
  private var hasVariables = false

  init(_ text: String, line: Int, file: String) {
    scalars = Array(text.unicodeScalars)
    self.line = line
    self.file = file
  }

  /// Reads the next token; nil at the end of the line or at a comment.
  ///
  /// - Parameter variables: The values of `$NAME`.
  mutating func next(
    _ variables: inout HIDScriptVariables
  ) throws(HIDTextProblem) -> HIDScriptToken? {
    while position < scalars.count, isBlank(scalars[position]) { position += 1 }
    guard position < scalars.count, scalars[position] != "#" else { return nil }
    let start = location
    hasVariables = false
    switch scalars[position] {
    case ";":
      position += 1
      return HIDScriptToken(kind: .semicolon, text: ";", location: start, end: location)
    case "\"":
      return token(.string, try string(&variables), from: start)
    default:
      var text = String.UnicodeScalarView()
      while position < scalars.count {
        let scalar = scalars[position]
        if isBlank(scalar) || scalar == ";" || scalar == "\"" { break }
        if scalar == "$" {
          text.append(contentsOf: try variable(&variables).unicodeScalars)
          continue
        }
        try refuseControl(scalar)
        text.append(scalar)
        position += 1
      }
      return token(.word, String(text), from: start)
    }
  }

  private func token(
    _ kind: HIDScriptToken.Kind, _ text: String, from start: HIDTextLocation
  ) -> HIDScriptToken {
    HIDScriptToken(
      kind: kind, text: text, location: start, end: location,
      written: hasVariables ? self.text(from: start, to: location) : nil)
  }

  /// Returns the text between two locations of the line.
  func text(from start: HIDTextLocation, to end: HIDTextLocation) -> String {
    let range = min(start.column - 1, scalars.count)..<min(end.column - 1, scalars.count)
    return String(String.UnicodeScalarView(scalars[range]))
  }

  private mutating func string(
    _ variables: inout HIDScriptVariables
  ) throws(HIDTextProblem) -> String {
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
      case "$":
        text.append(contentsOf: try variable(&variables).unicodeScalars)
      default:
        try refuseControl(scalar)
        text.append(scalar)
        position += 1
      }
    }
    throw problem(
      "expected the closing double quote, found the end of the line", at: start,
      help: "write \\\" for a double quote inside, and \\n for a line break")
  }

  /// Reads `$NAME`, `${NAME}` or `$$`, and returns its value.
  private mutating func variable(
    _ variables: inout HIDScriptVariables
  ) throws(HIDTextProblem) -> String {
    let help = "such as $speed or ${speed}; write $$ for a dollar"
    let start = location
    position += 1
    if position < scalars.count, scalars[position] == "$" {
      position += 1
      return "$"
    }
    let isBraced = position < scalars.count && scalars[position] == "{"
    if isBraced { position += 1 }
    var name = ""
    while position < scalars.count, let byte = UInt8(exactly: scalars[position].value),
      HIDScriptVariables.isPart(byte)
    {
      name.unicodeScalars.append(scalars[position])
      position += 1
    }
    guard HIDScriptVariables.isName(name) else {
      throw problem("expected the name of a variable after \"$\"", at: start, help: help)
    }
    if isBraced {
      guard position < scalars.count, scalars[position] == "}" else {
        throw problem("expected \"}\" after \"${\(name)\"", at: start, help: help)
      }
      position += 1
    }
    hasVariables = true
    do throws(HIDScriptVariables.Exhausted) {
      if let value = try variables.use(name) { return value }
    } catch {
      throw problem(error.message, at: start, help: "give them shorter values")
    }
    let near = NameSuggestion.nearest(to: name, in: variables.names)
    throw problem(
      "there is no variable \(quoted(name))", at: start,
      help: near.map { "did you mean $\($0)?" }
        ?? "write let \(name) VALUE in an earlier line, or give --set \(name)=VALUE; "
        + "write $$ for a dollar")
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
        "a control character, U+\(String(scalar.value, radix: 16, uppercase: true)), "
          + "is not allowed here", at: location,
        help: "remove it; in a string write \\n for a line break and \\t for a tab")
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
