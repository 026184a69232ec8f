// SPDX-License-Identifier: Apache-2.0

/// A place in a text that a person wrote.
public struct HIDTextLocation: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The line, the first being 1.
  public var line: Int
  /// The column, the first being 1, counted in Unicode scalars.
  public var column: Int

  /// Creates a location from a line and a column, both counted from 1.
  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// The first character of a text.
  public static let start = HIDTextLocation(line: 1, column: 1)

  /// Whether a place comes before another in the text.
  public static func < (left: Self, right: Self) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }

  /// The line and the column as compilers write them: `12:7`.
  public var description: String { "\(line):\(column)" }
}

/// What is wrong in a text, where, and what to do about it.
public struct HIDTextProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the text, as the caller gave it.
  public var file: String
  /// Where the text that is wrong begins.
  public var location: HIDTextLocation
  /// What is wrong: what was found and what was expected, in one line.
  public var message: String
  /// What to do about it, in one line, where there is something to say.
  public var help: String?

  /// Creates a problem from its parts.
  public init(file: String, location: HIDTextLocation, message: String, help: String? = nil) {
    self.file = file
    self.location = location
    self.message = message
    self.help = help
  }

  /// The problem in one line, as compilers write it: `keyboard.json:12:7: message; help`.
  public var description: String {
    "\(file):\(location): \(message)" + (help.map { "; \($0)" } ?? "")
  }
}
