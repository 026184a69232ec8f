// SPDX-License-Identifier: Apache-2.0

/// A writer of JSON texts that people read, in which an object or array takes one line or several.
///
/// The methods compose texts of values. ``JSONText`` writes the values themselves.
package protocol JSONTextWriter {}

extension JSONTextWriter {
  /// Returns the JSON of a string.
  package func quoted(_ text: String) -> String { JSONText.string(text).text }

  /// Returns a member of an object: a key and its value.
  package func member(_ key: String, _ value: String) -> String {
    "\(quoted(key)): \(value)"
  }

  /// Returns an object on one line.
  package func line(_ members: [String]) -> String {
    "{\(members.joined(separator: ", "))}"
  }

  /// Returns an object with each element of `members` on a line of its own.
  ///
  /// - Parameters:
  ///   - members: One member an element, or several with commas between them.
  ///   - indent: The number of blanks before the line on which the object begins.
  package func object(_ members: [String], indent: Int) -> String {
    block(members, "{", "}", indent)
  }

  /// Returns an array with each element on a line of its own.
  ///
  /// - Parameters:
  ///   - elements: The elements.
  ///   - indent: The number of blanks before the line on which the array begins.
  package func list(_ elements: [String], indent: Int) -> String {
    block(elements, "[", "]", indent)
  }

  private func block(
    _ parts: [String], _ open: String, _ close: String, _ indent: Int
  ) -> String {
    guard !parts.isEmpty else { return open + close }
    let margin = String(repeating: " ", count: indent)
    let lines = parts.map { margin + "  " + $0 }.joined(separator: ",\n")
    return open + "\n" + lines + "\n" + margin + close
  }
}
