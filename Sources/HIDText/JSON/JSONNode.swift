// SPDX-License-Identifier: Apache-2.0

/// One JSON value, and the location at which it begins in its text.
package struct JSONNode: Hashable, Sendable {
  /// The kinds of values.
  package enum Value: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSONNode])
    case object([JSONMember])
  }

  /// The value.
  package var value: Value
  /// The location at which the value begins.
  package var location: HIDTextLocation

  /// Creates a node from a value and its location.
  package init(_ value: Value, at location: HIDTextLocation) {
    self.value = value
    self.location = location
  }

  /// Returns the value of a key; `nil` unless the node is an object that has it.
  package subscript(key: String) -> JSONNode? {
    guard case .object(let members) = value else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// A description of the value, for the "found" part of a message: `the string "x"`, `an array`.
  package var found: String {
    switch value {
    case .null: "null"
    case .bool(let bool): "\(bool)"
    case .integer(let integer): "the number \(integer)"
    case .number(let number): "the number \(number)"
    case .string(let string): "the string \(quoted(string))"
    case .array(let elements): elements.isEmpty ? "an empty array" : "an array"
    case .object(let members): members.isEmpty ? "an empty object" : "an object"
    }
  }
}

/// A key of an object with its value; an object keeps the order of its keys.
package struct JSONMember: Hashable, Sendable {
  /// The key, unescaped.
  package var key: String
  /// The location at which the key begins.
  package var location: HIDTextLocation
  /// The value.
  package var value: JSONNode
}

/// The reason why a text is not valid JSON.
package struct JSONError: Error, Hashable, Sendable {
  /// The mistake and its location.
  package var problem: HIDTextProblem
  /// True if the text ended inside a value or comment, or without a value.
  ///
  /// It is also true for an unknown word or a malformed number at the end of the text, which may be
  /// incomplete.
  package var isTruncated: Bool
}
