// SPDX-License-Identifier: Apache-2.0

internal import HIDText
import HIDUsageNaming

extension HIDScript {
  /// The longest script that is read, with all it includes, in bytes.
  public static let maximumByteCount = 4 << 20

  /// Reads a file that a script includes, by its path: that of the including file's folder, and what the script says.
  public typealias Loader = (String) throws -> [UInt8]

  /// The line of a script that types a text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - layout: The host's layout: a code, or `xkb:` and a name of xkb-data.
  ///   - skipsMissing: Whether characters that the layout cannot type are left out.
  public static func typing(
    _ text: String, layout: String, skippingMissing skipsMissing: Bool
  ) -> String {
    "type \(quoted(text)) layout \(quoted(layout))\(skipsMissing ? " skip-missing" : "")"
  }

  /// A text as a script has it that means just that: in double quotes, with escapes and doubled dollars.
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

  /// Whether a text can be the name of a variable: letters, digits and `_`, a letter first.
  public static func isVariableName(_ text: String) -> Bool { HIDScriptVariables.isName(text) }

  /// Refuses a script that names a program, for a player that starts none.
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
  ///   - name: What messages call the script: its path, where it includes other files.
  ///   - variables: What `$NAME` stands for, whatever the script says by `let`.
  ///   - load: Reads the files that the script includes; it may not without.
  /// - Returns: The script, its controls not yet resolved.
  /// - Throws: Everything that is wrong in the text, up to twenty problems.
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
