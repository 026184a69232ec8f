// SPDX-License-Identifier: Apache-2.0

/// A JSON object on one line, its keys in the order in which they were added.
///
/// Events, results of commands and other lines of JSON output are such objects:
///
/// ```swift
/// var line = JSONLine()
/// line.add("event", "output")
/// line.add("time", 1_250_000)
/// line.add("report", nil)
/// line.add("bytes", .bytes([0x02]))
/// line.add("changes", .object { $0.add("led.capsLock", true) })
/// print(line.text)  // {"event":"output","time":1250000,"report":null,"bytes":"02","changes":{…}}
/// ```
package struct JSONLine: Hashable, Sendable {
  private var content: [UInt8] = []

  /// Creates an object without keys.
  package init() {}

  /// Creates an object that `body` fills.
  package init(_ body: (inout JSONLine) -> Void) { body(&self) }

  /// Adds a key with its value.
  ///
  /// The caller must add a key only once; this is not checked.
  package mutating func add(_ key: String, _ value: JSONText) {
    if !content.isEmpty { content.append(0x2C) }
    content += JSONText.string(key).utf8
    content.append(0x3A)
    content += value.utf8
  }

  /// Adds the keys of another object, with their values.
  package mutating func add(contentsOf other: JSONLine) {
    guard !other.content.isEmpty else { return }
    if !content.isEmpty { content.append(0x2C) }
    content += other.content
  }

  /// The object's text, without a line break.
  package var text: String { String(decoding: utf8, as: UTF8.self) }

  /// The object's text in UTF-8, without a line end.
  package var utf8: [UInt8] { [0x7B] + content + [0x7D] }
}

/// The text of one JSON value.
package struct JSONText: Hashable, Sendable {
  /// The text of the value in UTF-8.
  package fileprivate(set) var utf8: [UInt8]

  /// The text of the value.
  package var text: String { String(decoding: utf8, as: UTF8.self) }

  /// `null`.
  package static let null = JSONText(utf8: Array("null".utf8))

  /// Writes a string; control characters and other terminal controls become escapes.
  package static func string(_ string: some StringProtocol) -> JSONText {
    var utf8: [UInt8] = [0x22]
    // Most strings consist of such characters only.
    if string.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }) {
      utf8 += string.utf8
      utf8.append(0x22)
      return JSONText(utf8: utf8)
    }
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": utf8 += [0x5C, 0x22]
      case "\\": utf8 += [0x5C, 0x5C]
      case "\n": utf8 += [0x5C, 0x6E]
      case "\r": utf8 += [0x5C, 0x72]
      case "\t": utf8 += [0x5C, 0x74]
      default:
        if scalar.isControl {  // no control character is outside the 16-bit range
          utf8 += ("\\u" + scalar.value.hexDigits(4)).utf8
        } else {
          utf8 += Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
      }
    }
    utf8.append(0x22)
    return JSONText(utf8: utf8)
  }

  /// Writes an integer.
  package static func integer(_ integer: some BinaryInteger) -> JSONText {
    JSONText(utf8: Array(String(integer).utf8))
  }

  /// Writes a number; an infinite number or NaN, which JSON does not have, becomes `null`.
  package static func number(_ number: Double) -> JSONText {
    number.isFinite ? JSONText(utf8: Array("\(number)".utf8)) : .null
  }

  /// Writes `true` or `false`.
  package static func bool(_ bool: Bool) -> JSONText { JSONText(utf8: Array("\(bool)".utf8)) }

  /// Writes bytes as a string of hex: lower case, two digits a byte, one space between bytes.
  package static func bytes(_ bytes: some Sequence<UInt8>) -> JSONText { .string(hexText(bytes)) }

  /// Writes an array.
  package static func array(_ elements: some Sequence<JSONText>) -> JSONText {
    var utf8: [UInt8] = [0x5B]
    for element in elements {
      if utf8.count > 1 { utf8.append(0x2C) }
      utf8 += element.utf8
    }
    return JSONText(utf8: utf8 + [0x5D])
  }

  /// Writes an object that `body` fills.
  package static func object(_ body: (inout JSONLine) -> Void) -> JSONText {
    JSONText(utf8: JSONLine(body).utf8)
  }

  /// Writes an object.
  package static func object(_ object: JSONLine) -> JSONText { JSONText(utf8: object.utf8) }

  /// Writes a value that was read, without the comments and trailing commas of its text.
  package static func value(_ node: JSONNode) -> JSONText {
    switch node.value {
    case .null: .null
    case .bool(let bool): .bool(bool)
    case .integer(let integer): .integer(integer)
    case .number(let number): .number(number)
    case .string(let string): .string(string)
    case .array(let elements): .array(elements.map { value($0) })
    case .object(let members):
      .object { line in
        for member in members { line.add(member.key, value(member.value)) }
      }
    }
  }

  /// Writes a value that may be absent: `null` if it is.
  package static func optional<Wrapped>(
    _ value: Wrapped?, _ write: (Wrapped) -> JSONText
  ) -> JSONText {
    value.map(write) ?? .null
  }
}

extension JSONText: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
  /// Writes a string.
  package init(stringLiteral value: String) { self = .string(value) }
  /// Writes an integer.
  package init(integerLiteral value: Int) { self = .integer(value) }
  /// Writes `true` or `false`.
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Writes `null`.
  package init(nilLiteral: ()) { self = .null }
}
