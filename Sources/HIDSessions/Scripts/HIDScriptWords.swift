// SPDX-License-Identifier: Apache-2.0

internal import HIDReportDescriptor
import HIDSimulator
internal import HIDText

/// The tokens of one command, with functions that read them.
struct HIDScriptWords {
  private var tokens: ArraySlice<HIDScriptToken>
  /// All tokens of the command, including those that were consumed.
  private let all: ArraySlice<HIDScriptToken>
  private let file: String
  private let end: HIDTextLocation

  init(_ tokens: ArraySlice<HIDScriptToken>, file: String, end: HIDTextLocation) {
    self.tokens = tokens
    all = tokens
    self.file = file
    self.end = end
  }

  /// The next token, which is not consumed.
  var peek: HIDScriptToken? { tokens.first }

  func problem(
    _ message: String, at location: HIDTextLocation, help: String? = nil
  ) -> HIDTextProblem {
    HIDTextProblem(file: file, location: location, message: message, help: help)
  }

  /// Returns the problem "expected X, found Y" at the next token, or at the end of the command.
  func unexpected(_ expected: String, help: String? = nil) -> HIDTextProblem {
    problem(
      "expected \(expected), found \(peek?.found ?? "the end of the command")",
      at: peek?.location ?? end, help: help)
  }

  mutating func next(_ expected: String, help: String? = nil) throws(HIDTextProblem)
    -> HIDScriptToken
  {
    guard let token = tokens.popFirst() else { throw unexpected(expected, help: help) }
    return token
  }

  /// Returns whether the next tokens are the type of a report, perhaps an ID, and `bytes`.
  func beginsReport(_ types: [String]) -> Bool {
    let words = tokens.prefix(3).map { $0.kind == .word ? $0.text : "" }
    guard let first = words.first, types.contains(first) else { return false }
    return words.dropFirst().first == "bytes"
      || words.count > 2 && words[2] == "bytes" && NumberText.integer(words[1], as: Int.self) != nil
  }

  /// Consumes the word if it is the next token, and returns whether it was.
  mutating func take(_ word: String) -> Bool {
    guard let token = peek, token.kind == .word, token.text == word else { return false }
    tokens.removeFirst()
    return true
  }

  /// Consumes one of some words, and returns its meaning.
  mutating func keyword<Meaning>(
    _ expected: String, _ meanings: [(String, Meaning)]
  ) throws(HIDTextProblem) -> Meaning {
    if let token = peek, token.kind == .word,
      let meaning = meanings.first(where: { $0.0 == token.text })
    {
      tokens.removeFirst()
      return meaning.1
    }
    let near = peek.flatMap { NameSuggestion.nearest(to: $0.text, in: meanings.map(\.0)) }
    let list = meanings.map(\.0).joined(separator: ", ")
    throw unexpected(
      expected, help: near.map { "did you mean \"\($0)\"?" } ?? "it is one of \(list)")
  }

  func finish() throws(HIDTextProblem) {
    guard let token = peek else { return }
    var help = "a \";\" separates commands on a line"
    if token.kind == .word, NameSuggestion.nearest(to: token.text, in: ["within"]) != nil {
      help = "did you mean \"within\"?"
    }
    if token.text == "+" { help = "write leftCtrl+c, without spaces" }
    let next = tokens.startIndex
    if let joined = joinedName(endingAt: next) ?? joinedName(endingAt: next - 1) { help = joined }
    throw problem(
      "expected the end of the command, found \(token.found)", at: token.location, help: help)
  }

  /// Returns help for a name such as `button 3` that was written without quotes.
  ///
  /// Other hidsim commands print names in that form.
  private func joinedName(endingAt index: Int) -> String? {
    guard all.indices.contains(index - 1), all.indices.contains(index) else { return nil }
    let (first, second) = (all[index - 1], all[index])
    guard first.kind == .word, second.kind == .word, second.text.utf8.first.map(isDigit) == true,
      HIDUsage(name: "\(first.text) \(second.text.prefix { $0 != "#" })") != nil
    else { return nil }
    return
      "write \(quoted("\(first.text) \(second.text)")) in quotes, or \(first.text).\(second.text)"
  }

  private func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  mutating func name(
    _ expected: String, help: String? = nil
  ) throws(HIDTextProblem) -> HIDScript.Name {
    let token = try next(expected, help: help)
    guard !token.text.isEmpty else {
      throw problem("expected \(expected), found an empty string", at: token.location)
    }
    return HIDScript.Name(text: token.text, location: token.location)
  }

  mutating func control(_ expected: String) throws(HIDTextProblem) -> HIDScript.Control {
    HIDScript.Control(name: try name(expected), element: nil)
  }

  /// Reads names joined by `+`, each with its location; a string in quotes is one name.
  ///
  /// Names in a word with a variable have the location of the word.
  mutating func chord() throws(HIDTextProblem) -> [HIDScript.Control] {
    let token = try next("a key or button", help: "such as a, leftCtrl+c or enter")
    guard token.kind == .word else {
      guard !token.text.isEmpty else {
        throw problem("expected a key or button, found an empty string", at: token.location)
      }
      let name = HIDScript.Name(text: token.text, location: token.location)
      return [HIDScript.Control(name: name, element: nil)]
    }
    var controls: [HIDScript.Control] = []
    var column = token.location.column
    for part in token.text.split(separator: "+", omittingEmptySubsequences: false) {
      // The value of a variable has no location of its own.
      let isWritten = token.written == nil
      let location =
        isWritten ? HIDTextLocation(line: token.location.line, column: column) : token.location
      guard !part.isEmpty else {
        throw problem(
          "expected a key or button beside \"+\", found nothing", at: location,
          help: "the plus key is leftShift+equals, or keypadPlus")
      }
      let name = HIDScript.Name(text: String(part), location: location)
      controls.append(HIDScript.Control(name: name, element: nil))
      column += part.unicodeScalars.count + 1
    }
    guard controls.count <= 16 else {
      throw problem(
        "\(controls.count) keys are joined with \"+\", and the limit is 16", at: token.location)
    }
    return controls
  }

  mutating func integer(
    _ expected: String, help: String? = nil
  ) throws(HIDTextProblem) -> Int {
    let token = try next(expected, help: help)
    guard token.kind == .word, let value = NumberText.integer(token.text, as: Int.self) else {
      throw problem("expected \(expected), found \(token.found)", at: token.location, help: help)
    }
    let range = -0x8000_0000...0xFFFF_FFFF
    guard range.contains(value) else {
      throw problem(
        "\(token.found) is out of range; expected \(range.lowerBound) to \(range.upperBound)",
        at: token.location)
    }
    return value
  }

  mutating func value() throws(HIDTextProblem) -> HIDScript.Value {
    let help = "such as on, off, 12, 50%, 0.5n or 12.5p"
    let token = try next("a value", help: help)
    guard token.kind == .word else {
      throw problem(
        "expected a value, found the string \(token.found)", at: token.location, help: help)
    }
    do throws(HIDScript.Value.Misreading) {
      return try HIDScript.Value(reading: token.text)
    } catch .unknown {
      throw problem(
        "expected a value, found \(token.found)", at: token.location,
        help: joinedName(endingAt: tokens.startIndex - 1) ?? help)
    } catch {
      throw problem(error.message, at: token.location, help: error.help)
    }
  }

  mutating func duration(upTo longest: Duration = .seconds(86_400)) throws(HIDTextProblem)
    -> Duration
  {
    let help = "such as 500ms, 2s, 100us or 1m"
    let token = try next("a duration", help: help)
    // Longer durations are read too, for a message that names the limit.
    guard token.kind == .word,
      let duration = NumberText.duration(token.text, upTo: .seconds(1 << 32))
    else {
      throw problem("expected a duration, found \(token.found)", at: token.location, help: help)
    }
    guard duration <= longest else {
      throw problem(
        "\(token.found) is too long: the limit is \(longest.text)", at: token.location)
    }
    return duration
  }

  /// Reads the word `within` and a duration.
  mutating func bound() throws(HIDTextProblem) -> Duration {
    guard take("within") else {
      let near = peek.flatMap { NameSuggestion.nearest(to: $0.text, in: ["within"]) }
      throw unexpected(
        "\"within\" and a duration",
        help: near.map { "did you mean \"\($0)\"?" }
          ?? joinedName(endingAt: tokens.startIndex - 1) ?? "such as within 500ms")
    }
    return try duration()
  }

  /// Reads the word `for` and a duration.
  mutating func span() throws(HIDTextProblem) -> Duration {
    guard take("for") else {
      throw unexpected("\"for\" and a duration", help: "such as for 200ms")
    }
    return try duration()
  }

  /// Reads bytes in hexadecimal to the end of the command, or to a word that can follow them.
  mutating func bytes() throws(HIDTextProblem) -> [UInt8] {
    var bytes: [UInt8] = []
    while let token = peek, !endsBytes(token) {
      guard token.kind == .word, HexText.append(word: token.text, to: &bytes) else {
        throw problem(
          "expected bytes in hexadecimal, found \(token.found)", at: token.location,
          help: "two digits a byte, such as 00 00 04")
      }
      try check(byteCount: bytes.count, at: token.location)
      tokens.removeFirst()
    }
    guard !bytes.isEmpty else {
      throw unexpected("bytes in hexadecimal", help: "such as 00 00 04")
    }
    return bytes
  }

  /// Reads a pattern of bytes to the end of the command, or to a word that can follow it.
  ///
  /// - Parameter id: The report ID, which becomes the first byte of the pattern.
  mutating func pattern(after id: HIDReportID?) throws(HIDTextProblem) -> HIDBytePattern {
    let help = HIDBytePattern.help
    var pattern = HIDBytePattern([])
    while let token = peek, !endsBytes(token) {
      if pattern.isPrefix {
        throw problem(
          "expected nothing after \"...\", found \(token.found)", at: token.location, help: help)
      }
      if token.kind == .word, token.text == "..." {
        pattern.isPrefix = true
      } else if token.kind == .word, let more = HIDBytePattern.bytes(word: token.text) {
        pattern.bytes += more
      } else {
        throw problem(
          "expected bytes in hexadecimal, found \(token.found)", at: token.location, help: help)
      }
      try check(byteCount: pattern.bytes.count, at: token.location)
      tokens.removeFirst()
    }
    guard pattern.isPrefix || !pattern.bytes.isEmpty else {
      throw unexpected("bytes in hexadecimal", help: help)
    }
    if let id { pattern.bytes.insert(.init(id.rawValue), at: 0) }
    return pattern
  }

  /// Returns whether a token is a word that can follow bytes.
  private func endsBytes(_ token: HIDScriptToken) -> Bool {
    token.kind == .word && ["within", "for", "after", "error"].contains(token.text)
  }

  private func check(
    byteCount: Int, at location: HIDTextLocation
  ) throws(HIDTextProblem) {
    guard byteCount > HIDReportDescriptor.maximumReportByteCount else { return }
    throw problem(
      "the report is longer than \(HIDReportDescriptor.maximumReportByteCount) bytes", at: location)
  }

  /// Reads a report ID if the next token is a number.
  mutating func reportID() throws(HIDTextProblem) -> HIDReportID? {
    guard let token = peek, token.kind == .word,
      let value = NumberText.integer(token.text, as: Int.self)
    else {
      return nil
    }
    guard let byte = UInt8(exactly: value), let id = HIDReportID(rawValue: byte) else {
      throw problem(
        "expected a report ID from 1 to 255, found \(token.found)", at: token.location,
        help: value == 0 ? "an unnumbered report has no ID: leave it out" : nil)
    }
    tokens.removeFirst()
    return id
  }
}
