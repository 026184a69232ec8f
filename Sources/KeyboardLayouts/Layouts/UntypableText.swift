// SPDX-License-Identifier: Apache-2.0

/// The error for the characters of a text that a layout cannot type.
public struct UntypableText: Error, Hashable, Sendable {
  /// A character and its index.
  public struct Part: Hashable, Sendable {
    /// The character.
    public let character: Character
    /// Its index among the characters of the text, from 0.
    public let index: Int

    /// Makes a part.
    public init(character: Character, index: Int) {
      self.character = character
      self.index = index
    }
  }

  /// The code of the layout.
  public let layout: String
  /// The characters, in the order of the text; at least one in an error that a layout throws.
  public let parts: [Part]

  /// Makes an error.
  public init(layout: String, parts: [Part]) {
    self.layout = layout
    self.parts = parts
  }
}

extension UntypableText: CustomStringConvertible {
  /// The largest number of characters in a message.
  private static let shownCount = 5

  /// The message: the first five characters with their positions from 1, in one line.
  public var description: String {
    let shown = parts.prefix(Self.shownCount).map { part in
      "\(Self.name(part.character)) (character \(part.index + 1))"
    }
    let rest = parts.count - shown.count
    let more = rest > 0 ? " and \(rest) more" : ""
    return "the layout \(layout) cannot type \(shown.joined(separator: ", "))\(more)"
  }

  /// Returns a character as text for a message: in quotes if it is visible, else its code points.
  private static func name(_ character: Character) -> String {
    let codes = character.unicodeScalars.map { "U+" + hexadecimal($0.value) }
    let isVisible = character.unicodeScalars.allSatisfy {
      switch $0.properties.generalCategory {
      case .control, .format, .surrogate, .unassigned, .privateUse, .lineSeparator,
        .paragraphSeparator, .spaceSeparator:
        false
      default: true
      }
    }
    return isVisible ? "\"\(character)\"" : codes.joined(separator: " ")
  }

  private static func hexadecimal(_ value: UInt32) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
