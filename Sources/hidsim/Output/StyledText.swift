// SPDX-License-Identifier: Apache-2.0

/// The style of a part of a line on a terminal.
///
/// The raw value is the parameter of the control sequence SGR (ECMA-48, section 8.3.117).
enum TextStyle: String {
  case good = "32"
  case bad = "1;31"
  case warning = "33"
  case accent = "36"
  case faint = "2"
}

/// A line of output, parts of which have a style on a terminal.
///
///     Output.shared.print("\("ok", .good)      \(script)")
struct StyledText: ExpressibleByStringInterpolation {
  private var parts: [(text: String, style: TextStyle?)] = []

  init(stringLiteral text: String) { parts = [(text, nil)] }
  init(stringInterpolation interpolation: StringInterpolation) { parts = interpolation.parts }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var parts: [(text: String, style: TextStyle?)] = []

    init(literalCapacity: Int, interpolationCount: Int) {
      parts.reserveCapacity(2 * interpolationCount + 1)
    }

    mutating func appendLiteral(_ text: String) { parts.append((text, nil)) }
    mutating func appendInterpolation(_ text: some CustomStringConvertible) {
      parts.append((text.description, nil))
    }
    mutating func appendInterpolation(_ text: String, _ style: TextStyle?) {
      parts.append((text, style))
    }
  }

  /// Returns the texts as they are printed; no line break is added at the end.
  ///
  /// All control characters of the texts, except line breaks, are made visible.
  ///
  /// - Parameter hasColours: True to include the styles, as control sequences.
  func rendered(hasColours: Bool) -> String {
    guard hasColours else { return parts.map(\.text).joined().printable }
    return parts.map { text, style in
      guard let style, !text.isEmpty else { return text.printable }
      return "\u{1b}[\(style.rawValue)m\(text.printable)\u{1b}[0m"
    }.joined()
  }
}
