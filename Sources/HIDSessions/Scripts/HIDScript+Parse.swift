// SPDX-License-Identifier: Apache-2.0

internal import HIDText

extension HIDScript {
  /// The maximum size of a script with all files that it includes, in bytes.
  public static let maximumByteCount = 4 << 20

  /// A function that reads a file that a script includes.
  ///
  /// Its argument is the path: the folder of the including file, followed by the path in the
  /// script.
  public typealias Loader = (String) throws -> [UInt8]

  /// Returns the line of a script that types a text.
  ///
  /// CR LF in the text becomes LF, because a keyboard has one Enter key for both. Other control
  /// characters than CR LF, LF and tab are left out if `skipsMissing` is true; otherwise a script
  /// refuses the line.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - layout: The host's layout: a code, or `xkb:` and a name of xkb-data.
  ///   - skipsMissing: True to leave out characters that the layout cannot type.
  public static func typing(
    _ text: String, layout: String, skippingMissing skipsMissing: Bool
  ) -> String {
    var text = text.replacing("\r\n", with: "\n")
    if skipsMissing {
      text.unicodeScalars.removeAll { $0.isControl && $0 != "\n" && $0 != "\t" }
    }
    return "type \(quoted(text)) layout \(quoted(layout))\(skipsMissing ? " skip-missing" : "")"
  }

  /// Returns a text as a string of a script: in double quotes, with escapes and doubled dollars.
  ///
  /// Control characters other than LF and tab get no escape, and a script refuses them.
  public static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "$": result += "$$"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// Returns whether a text can name a variable: 1 to 64 ASCII letters, digits and `_`, a letter
  /// first.
  public static func isVariableName(_ text: String) -> Bool { HIDScriptVariables.isName(text) }

  /// Throws an error if the script names a program.
  ///
  /// Callers that start no program call this method.
  ///
  /// - Returns: The script.
  public func withoutProgram() throws(HIDScriptError) -> HIDScript {
    guard let program else { return self }
    throw HIDScriptError(problems: [
      HIDTextProblem(
        file: program.file, location: program.location,
        message: "the script has a line \"program …\", and this command starts no program",
        help: "play it with hidsim run --script or hidsim test")
    ])
  }

  /// Reads the text of a script.
  ///
  /// - Parameters:
  ///   - bytes: The text, in UTF-8. It can be hostile.
  ///   - name: The name of the script in messages: its path, if it includes other files.
  ///   - variables: The values of `$NAME`, which `let` does not change.
  ///   - load: Reads the files that the script includes; without it a script cannot include files.
  /// - Returns: The script, whose controls are not resolved yet.
  /// - Throws: The problems of the text, at most twenty; if there are none, one for each of the
  ///   `variables` that the script neither sets nor uses.
  public static func parse(
    _ bytes: [UInt8], name: String, variables: [String: String] = [:], load: Loader? = nil
  ) throws(HIDScriptError) -> HIDScript {
    var parser = HIDScriptParser(variables: HIDScriptVariables(given: variables), load: load)
    do throws(HIDTextProblem) {
      try parser.read(bytes, name: name)
    } catch {
      throw HIDScriptError(problems: [error])
    }
    var problems = Array(parser.problems.prefix(HIDScriptParser.maximumProblemCount))
    if problems.isEmpty {
      problems = parser.variables.unknown.map { unknown in
        let near = NameSuggestion.nearest(to: unknown, in: parser.variables.ownNames)
        return HIDTextProblem(
          file: name, location: .start, message: "the script has no variable \(quoted(unknown))",
          help: near.map { "did you mean \(quoted($0))?" })
      }
    }
    guard problems.isEmpty else { throw HIDScriptError(problems: problems) }
    return HIDScript(
      name: name, statements: parser.statements, holdsAtEnd: parser.holdsAtEnd,
      deviceFiles: parser.deviceFiles, program: parser.program)
  }
}
