// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDText
import HIDUsages
import KeyboardLayouts

/// The output of `hidsim layouts`.
enum LayoutText {
  // MARK: The drawing

  /// Draws the keys in their rows, in 80 columns.
  static func drawing(of layout: KeyboardLayout) -> [String] {
    let keyboard = layout.shape.rawValue.uppercased()
    var lines = ["\(layout.code): \(layout.name), xkb \(layout.xkbName), \(keyboard) keyboard", ""]
    for (indentation, keys) in rows(of: layout.shape) {
      let margin = String(repeating: " ", count: indentation)
      let border = keys.map { _ in "────" }
      let states: [[KeyState]] = [[.shift, [.shift, .altGr]], [[], .altGr]]
      lines.append(margin + "┌" + border.joined(separator: "┬") + "┐")
      for pair in states {
        let cells = keys.map { key in
          pair.map {
            " "
              + shown(
                layout.symbol(of: key, in: $0), hidden: !layout.hasAltGr && $0.contains(.altGr))
          }
          .joined()
        }
        lines.append(margin + "│" + cells.joined(separator: "│") + "│")
      }
      lines.append(margin + "└" + border.joined(separator: "┴") + "┘")
    }
    return lines
  }

  /// Returns the keys of the four rows, by usage ID, and the indentation of each row.
  private static func rows(
    of shape: KeyboardLayout.Shape
  ) -> [(indentation: Int, keys: [UInt8])] {
    let backslash: [UInt8] = shape == .ansi ? [0x31] : []
    let hash: [UInt8] = shape == .ansi ? [] : [0x31]
    let yen: [UInt8] = shape == .jis ? [0x89] : []
    let leftOfZ: [UInt8] = shape == .iso || shape == .abnt ? [0x64] : []
    let rightOfSlash: [UInt8] = shape == .jis || shape == .abnt ? [0x87] : []
    return [
      (0, [0x35] + (0x1E...0x27) + [0x2D, 0x2E] + yen),
      (2, [0x14, 0x1A, 0x08, 0x15, 0x17, 0x1C, 0x18, 0x0C, 0x12, 0x13, 0x2F, 0x30] + backslash),
      (4, [0x04, 0x16, 0x07, 0x09, 0x0A, 0x0B, 0x0D, 0x0E, 0x0F, 0x33, 0x34] + hash),
      (
        leftOfZ.isEmpty ? 6 : 1,
        leftOfZ + [0x1D, 0x1B, 0x06, 0x19, 0x05, 0x11, 0x10, 0x36, 0x37, 0x38] + rightOfSlash
      ),
    ]
  }

  /// Returns a symbol in one column.
  ///
  /// A dead key or a combining mark is an accent on a dotted circle.
  static func shown(_ symbol: KeySymbol, hidden: Bool = false) -> String {
    guard !hidden else { return " " }
    switch symbol {
    case .none: return " "
    case .dead(let name): return "◌" + (accents[name].map(String.init) ?? "")
    case .character(let scalar):
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark, .spacingMark: return "◌\(scalar)"
      case .spaceSeparator: return "␣"
      case .control, .format: return "·"
      default: return String(scalar)
      }
    }
  }

  /// The combining characters of the dead keys of X11.
  private static let accents: [String: Unicode.Scalar] = [
    "grave": "\u{300}", "acute": "\u{301}", "circumflex": "\u{302}", "tilde": "\u{303}",
    "macron": "\u{304}", "breve": "\u{306}", "abovedot": "\u{307}", "diaeresis": "\u{308}",
    "hook": "\u{309}", "abovering": "\u{30A}", "doubleacute": "\u{30B}", "caron": "\u{30C}",
    "doublegrave": "\u{30F}", "invertedbreve": "\u{311}", "horn": "\u{31B}", "belowdot": "\u{323}",
    "belowdiaeresis": "\u{324}", "belowring": "\u{325}", "belowcomma": "\u{326}",
    "cedilla": "\u{327}", "ogonek": "\u{328}", "belowmacron": "\u{331}", "stroke": "\u{335}",
    "iota": "\u{345}", "belowtilde": "\u{330}", "belowbreve": "\u{32E}",
    "belowcircumflex": "\u{32D}", "abovecomma": "\u{313}", "abovereversedcomma": "\u{314}",
  ]

  // MARK: Strokes

  /// Returns a stroke as the command `tap` of a script writes it: `rightAlt+q`.
  static func words(_ stroke: KeyStroke) -> String {
    (stroke.modifiers.usages + [stroke.usage]).map { $0.keyAlias ?? "\($0)" }.joined(separator: "+")
  }

  // MARK: JSON

  /// Makes the JSON object of a layout in the list.
  static func line(of layout: KeyboardLayout) -> JSONLine {
    var line = JSONLine()
    line.add("event", "layout")
    line.add("layout", .string(layout.code))
    line.add("name", .string(layout.name))
    line.add("xkb", .string(layout.xkbName))
    line.add("shape", .string(layout.shape.rawValue))
    line.add("host", .string(layout.host.rawValue))
    return line
  }

  /// Makes the JSON object of a key, with its symbols in the eight states.
  static func line(of usageID: UInt8, _ layout: KeyboardLayout) -> JSONLine {
    let usage = KeyStroke([], usageID).usage
    var line = JSONLine()
    line.add("event", "key")
    line.add("key", .string(usage.keyAlias ?? "\(usage)"))
    line.add("usageID", .integer(Int(usageID)))
    line.add(
      "symbols",
      .array(
        KeyState.all.map { state in
          switch layout.symbol(of: usageID, in: state) {
          case .none: .null
          case .dead(let name): .string("dead_\(name)")
          case .character(let scalar): .string(String(scalar))
          }
        }))
    return line
  }

  /// Makes the JSON object of a character, with the strokes that type it.
  static func line(of character: Character, _ strokes: [KeyStroke]) -> JSONLine {
    var line = JSONLine()
    line.add("event", "character")
    line.add("character", .string(String(character)))
    line.add("strokes", .array(strokes.map { .string(words($0)) }))
    return line
  }
}
