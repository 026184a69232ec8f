// SPDX-License-Identifier: Apache-2.0

/// A location in a text, or in another file that hidsim reads.
public struct HIDTextLocation: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The line, the first being 1; in a capture of packets, the number of the packet.
  public var line: Int
  /// The column, the first being 1, counted in Unicode scalars; in files of umockdev, in bytes.
  public var column: Int

  /// Creates a location from a line and a column, both counted from 1.
  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// The location of the first character of a text.
  public static let start = HIDTextLocation(line: 1, column: 1)

  /// Returns whether a location comes before another in the text.
  public static func < (left: Self, right: Self) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }

  /// The line and the column as compilers write them: `12:7`.
  public var description: String { "\(line):\(column)" }
}

/// A mistake in a text or another file, with its location, and a remedy if there is one.
public struct HIDTextProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the text, as the caller gave it.
  public var file: String
  /// The location at which the wrong text begins.
  public var location: HIDTextLocation
  /// A description of the mistake in one line: what was found and what was expected.
  public var message: String
  /// The remedy, in one line; `nil` if there is none to name.
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
