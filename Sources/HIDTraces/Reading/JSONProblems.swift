// SPDX-License-Identifier: Apache-2.0

package import HIDText

/// The problems of one file or stream of JSON, with the checks that find most of them.
///
/// Readers continue after a problem, so that a user sees up to twenty problems at once.
package struct JSONProblems {
  /// The strings that are accepted as numbers.
  package enum TextNumbers: Sendable {
    /// Only `0x…`, because 1209 could be decimal or hexadecimal.
    case hexadecimal
    /// The strings that Java's `Integer.decode` accepts.
    case asInJava
  }

  package let file: String
  package private(set) var all: [HIDTextProblem] = []
  private let textNumbers: TextNumbers

  package init(file: String, textNumbers: TextNumbers = .hexadecimal) {
    self.file = file
    self.textNumbers = textNumbers
  }

  package mutating func add(_ message: String, at location: HIDTextLocation, help: String? = nil) {
    guard all.count < 20 else { return }
    all.append(HIDTextProblem(file: file, location: location, message: message, help: help))
  }

  package mutating func add(_ problem: HIDTextProblem) {
    if all.count < 20 { all.append(problem) }
  }

  /// Adds the problem "expected X, found Y".
  package mutating func unexpected(_ expected: String, _ node: JSONNode, help: String? = nil) {
    add("expected \(expected), found \(node.found)", at: node.location, help: help)
  }

  /// Returns the members of an object, and adds a problem for each unknown key.
  ///
  /// For other values, adds a problem and returns nil.
  package mutating func object(
    _ node: JSONNode, _ what: String, keys: [String]
  ) -> [JSONMember]? {
    guard case .object(let members) = node.value else {
      unexpected("\(what) as an object", node)
      return nil
    }
    for member in members where !keys.contains(member.key) {
      let near = NameSuggestion.nearest(to: member.key, in: keys)
      add(
        "unknown key \(quoted(member.key)) in \(what)", at: member.location,
        help: near.map { "did you mean \"\($0)\"?" }
          ?? "the keys are \(keys.joined(separator: ", "))")
    }
    return members
  }

  /// Returns the value of a required key, or adds a problem and returns nil.
  package mutating func required(_ key: String, of node: JSONNode, _ what: String) -> JSONNode? {
    if let value = node[key] { return value }
    add("\(what) has no \(quoted(key))", at: node.location, help: "add \"\(key)\": …")
    return nil
  }

  package mutating func elements(_ node: JSONNode, _ what: String) -> [JSONNode]? {
    guard case .array(let elements) = node.value else {
      unexpected("\(what) as an array", node)
      return nil
    }
    return elements
  }

  /// Returns the text of a string.
  ///
  /// For other values, adds a problem and returns nil. This also applies to a string with a control
  /// character or more than `maximumByteCount` bytes, and to an empty one unless `canBeEmpty` is
  /// true.
  package mutating func text(
    _ node: JSONNode, _ what: String, maximumByteCount: Int, canBeEmpty: Bool = false
  ) -> String? {
    guard case .string(let text) = node.value else {
      unexpected("\(what) as a string", node)
      return nil
    }
    if let scalar = text.unicodeScalars.first(where: \.isControl) {
      let code = String(scalar.value, radix: 16, uppercase: true)
      let padded = String(repeating: "0", count: max(0, 4 - code.count)) + code
      add(
        "\(what) contains the control character U+\(padded)", at: node.location,
        help: "remove it")
      return nil
    }
    guard text.utf8.count <= maximumByteCount else {
      add(
        "\(what) is \(text.utf8.count) bytes long, and the limit is \(maximumByteCount)",
        at: node.location, help: "shorten it")
      return nil
    }
    guard canBeEmpty || !text.isEmpty else {
      unexpected(what, node)
      return nil
    }
    return text
  }

  /// Returns a number in a range, which can also be in a string.
  ///
  /// For other values and numbers, adds a problem and returns nil.
  package mutating func integer(
    _ node: JSONNode, _ what: String, in range: ClosedRange<Int>
  ) -> Int? {
    let help = "write a number such as 18, 0x12 or \"0x12\""
    let value: Int
    switch node.value {
    case .integer(let integer): value = integer
    case .string(let text):
      guard
        let integer = textNumbers == .asInJava
          ? Self.javaInteger(text) : NumberText.hexadecimal(text)
      else {
        unexpected("\(what) as a number", node, help: help)
        return nil
      }
      value = integer
    default:
      unexpected("\(what) as a number", node, help: help)
      return nil
    }
    guard range.contains(value) else {
      add(
        "\(what) is \(value); expected \(range.lowerBound) to \(range.upperBound)",
        at: node.location)
      return nil
    }
    return value
  }

  /// Returns the meaning of a word from a list; for other values, adds a problem and returns nil.
  package mutating func word<Meaning>(
    _ node: JSONNode, _ what: String, _ meanings: [(String, Meaning)]
  ) -> Meaning? {
    guard case .string(let text) = node.value else {
      unexpected("\(what) as a string", node)
      return nil
    }
    if let meaning = meanings.first(where: { $0.0 == text }) { return meaning.1 }
    let names = meanings.map(\.0)
    let near = NameSuggestion.nearest(to: text, in: names)
    add(
      "unknown \(what) \(quoted(text))", at: node.location,
      help: near.map { "did you mean \"\($0)\"?" }
        ?? "use one of \(names.joined(separator: ", "))"
    )
    return nil
  }

  /// Returns bytes from a string of hexadecimal pairs, or from an array of numbers.
  ///
  /// For other values, adds a problem and returns nil.
  package mutating func bytes(_ node: JSONNode, _ what: String) -> [UInt8]? {
    switch node.value {
    case .string(let text):
      switch HexText.bytes(text) {
      case .success(let bytes): return bytes
      case .failure where text.contains("${"):
        add(
          "\(what) is a template; only bytes that behaviours send or answer can be templates",
          at: node.location, help: "write the bytes in hexadecimal, such as \"00 04\"")
        return nil
      case .failure(let error):
        add(
          "expected \(what) as bytes in hexadecimal, found \(quoted(error.word))",
          at: node.location, help: "two digits a byte, such as \"00 04\"")
        return nil
      }
    case .array(let elements):
      var bytes: [UInt8] = []
      for element in elements {
        guard let byte = integer(element, "a byte of \(what)", in: 0...255) else { return nil }
        bytes.append(UInt8(truncatingIfNeeded: byte))
      }
      return bytes
    default:
      unexpected("\(what) as bytes", node, help: "write bytes such as \"00 04\" or [0, 4]")
      return nil
    }
  }

  /// Returns a number that is written as for Java's `Integer.decode`.
  ///
  /// It is decimal, hexadecimal after `0x` or `#`, or octal after a 0, with an optional sign. It is
  /// nil for other text, and for more than twelve bytes.
  private static func javaInteger(_ text: String) -> Int? {
    guard text.utf8.count <= 12 else { return nil }
    let sign = text.first == "-" ? -1 : 1
    let digits = text.first == "-" || text.first == "+" ? text.dropFirst() : text[...]
    guard digits.first?.isHexDigit == true || digits.first == "#" else { return nil }
    let (rest, radix) =
      switch digits.lowercased() {
      case let text where text.hasPrefix("0x"): (digits.dropFirst(2), 16)
      case let text where text.hasPrefix("#"): (digits.dropFirst(), 16)
      case let text where text.hasPrefix("0") && text.count > 1: (digits.dropFirst(), 8)
      default: (digits, 10)
      }
    guard rest.utf8.allSatisfy({ hexDigit($0) != nil }) else { return nil }
    return Int(rest, radix: radix).map { sign * $0 }
  }
}
