// SPDX-License-Identifier: Apache-2.0

internal import HIDReportDescriptor
internal import HIDText
import HIDUsageNaming

extension HIDScript {
  /// The longest script that is read, in bytes.
  public static let maximumByteCount = 4 << 20

  /// Reads the text of a script.
  ///
  /// - Parameters:
  ///   - bytes: The text, in UTF-8. It can be hostile.
  ///   - name: What messages call the script.
  /// - Returns: The script, its controls not yet resolved.
  /// - Throws: Everything that is wrong in the text, up to twenty problems.
  public static func parse(_ bytes: [UInt8], name: String) throws(HIDScriptError) -> HIDScript {
    var parser = HIDScriptParser(file: name)
    guard bytes.count <= maximumByteCount else {
      throw HIDScriptError(problems: [
        HIDTextProblem(
          file: name, location: .start,
          message: "the script is \(bytes.count) bytes long, and the limit is \(maximumByteCount)")
      ])
    }
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    for line in text.split(separator: 0x0A, omittingEmptySubsequences: false) {
      parser.read(line.last == 0x0D ? line.dropLast() : line)
      if parser.problems.count >= 20 { break }
    }
    guard parser.problems.isEmpty else { throw HIDScriptError(problems: parser.problems) }
    return HIDScript(name: name, statements: parser.statements, holdsAtEnd: parser.hold != nil)
  }
}

/// The state of reading one script, line by line.
private struct HIDScriptParser {
  let file: String
  var problems: [HIDTextProblem] = []
  var statements: [HIDScript.Statement] = []
  var hold: HIDTextLocation?

  private var target: HIDScript.Name?  // what the last `device NAME` picked
  private var line = 0

  init(file: String) { self.file = file }

  mutating func read(_ bytes: ArraySlice<UInt8>) {
    line += 1
    guard let text = String(validating: bytes, as: UTF8.self) else {
      let repaired = String(decoding: bytes, as: UTF8.self).unicodeScalars
      let column = (repaired.firstIndex(of: "\u{FFFD}")).map {
        repaired.distance(from: repaired.startIndex, to: $0) + 1
      }
      problems.append(
        HIDTextProblem(
          file: file, location: HIDTextLocation(line: line, column: column ?? 1),
          message: "the text is not UTF-8", help: "save the file as UTF-8"))
      return
    }
    var lexer = HIDScriptLexer(text, line: line, file: file)
    var tokens: [HIDScriptToken] = []
    do throws(HIDTextProblem) {
      while let token = try lexer.next() { tokens.append(token) }
    } catch {
      problems.append(error)
      return
    }
    for part in tokens.split(whereSeparator: { $0.kind == .semicolon }) {
      do throws(HIDTextProblem) {
        try readStatement(part, lexer)
      } catch {
        problems.append(error)
      }
    }
  }

  private mutating func readStatement(
    _ tokens: ArraySlice<HIDScriptToken>, _ lexer: HIDScriptLexer
  ) throws(HIDTextProblem) {
    guard let first = tokens.first, let last = tokens.last else { return }
    var words = HIDScriptWords(tokens, file: file, end: last.end)
    var target = target
    if let hold {
      throw words.problem(
        "a command follows the \"hold\" of line \(hold.line)", at: first.location,
        help: "\"hold\" is the last command of a script")
    }
    if first.kind == .word, first.text.hasPrefix("@") {
      _ = try words.next("a device")
      target = HIDScript.Name(text: String(first.text.dropFirst()), location: first.location)
      if first.text == "@" {
        throw words.problem(
          "expected a name after \"@\", found nothing", at: first.location,
          help: "such as @mouse move 10 -5")
      }
    }
    let word = try words.next("a command")
    guard word.kind == .word else {
      throw words.problem("expected a command, found the string \(word.found)", at: word.location)
    }
    if word.text == "device" {
      self.target = try words.name("the name of a device or interface")
      return try words.finish()
    }
    if word.text == "hold" {
      try words.finish()
      hold = word.location
      return
    }
    let command = try HIDScriptCommandParser.parse(word, &words)
    try words.finish()
    statements.append(
      HIDScript.Statement(
        command: command, location: word.location,
        text: lexer.text(from: first.location, to: last.end), target: target))
  }
}
