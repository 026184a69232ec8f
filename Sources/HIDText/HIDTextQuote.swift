// SPDX-License-Identifier: Apache-2.0

/// Quotes foreign text for an error message: short, on one line, without terminal controls.
///
/// Of a text with more than `limit` Unicode scalars, the first ones and an ellipsis remain.
package func quoted(_ text: some StringProtocol, limit: Int = 40) -> String {
  var result = "\""
  var count = 0
  for scalar in text.unicodeScalars {
    guard count < limit else {
      result += "…"
      break
    }
    count += 1
    switch scalar {
    case "\"", "\\":
      result += "\\"
      result.unicodeScalars.append(scalar)
    case "\n": result += "\\n"
    case "\t": result += "\\t"
    case "\r": result += "\\r"
    default:
      if scalar.isControl {
        result += scalar.escaped
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
  }
  return result + "\""
}

/// Returns a description of one byte of foreign text, for an error message.
package func describe(byte: UInt8) -> String {
  switch byte {
  case 0x0A: "the end of the line"
  case 0x21...0x7E: "\"\(Character(Unicode.Scalar(byte)))\""
  default: "the byte 0x\(hexText([byte]))"
  }
}

extension String {
  /// The text with a blank instead of each control character, for formats that consist of lines.
  package var inOneLine: String {
    String(String.UnicodeScalarView(unicodeScalars.map { $0.isControl ? " " : $0 }))
  }

  /// True if the text is empty or has only white space.
  package var isBlank: Bool { allSatisfy(\.isWhitespace) }
}

extension Unicode.Scalar {
  /// An escape with the number of the scalar in hex, `\u{1b}`, for texts that must not contain the
  /// scalar.
  package var escaped: String { "\\u{\(String(value, radix: 16))}" }

  /// True if a terminal or a kernel log would act on the scalar instead of showing it.
  package var isControl: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0: true
    // These scalars end lines, or override the direction of text.
    case 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
