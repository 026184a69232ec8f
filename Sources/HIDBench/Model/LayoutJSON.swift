// SPDX-License-Identifier: Apache-2.0

import HIDText
import KeyboardLayouts
import XKBLayouts

/// The keyboard layouts, and the labels of the keys in one of them.
enum LayoutJSON {
  /// The codes and names of all layouts.
  static var all: JSONLine {
    JSONLine { line in
      line.add(
        "layouts",
        .array(
          KeyboardLayout.all.map { layout in
            .object { object in
              object.add("code", .string(layout.code))
              object.add("name", .string(layout.name))
            }
          }))
    }
  }

  /// Returns the labels of each key of a layout, by its usage ID: without a modifier, with Shift,
  /// with AltGr.
  ///
  /// - Parameter code: The code of a layout, or `xkb:` and a layout of this machine's xkb-data.
  /// - Throws: The refusal of nil, of a code that no layout has, and of a layout of xkb-data that
  ///   cannot be read.
  static func line(code: String?) throws(HTTPRefusal) -> JSONLine {
    guard let code else {
      throw HTTPRefusal(404, "the request has no layout; add ?code=en-US")
    }
    let layout: KeyboardLayout
    do throws(XKBLayoutError) {
      layout = try KeyboardLayout(named: code)
    } catch {
      throw HTTPRefusal(404, "\(error.description); \(error.help)")
    }
    return JSONLine { line in
      line.add("code", .string(layout.code))
      line.add("name", .string(layout.name))
      line.add(
        "keys",
        .object { keys in
          for key in layout.usageIDs {
            let labels = [[], .shift, .altGr].map { label(layout.symbol(of: key, in: $0)) }
            keys.add("\(key)", .array(labels.map { .string($0) }))
          }
        })
    }
  }

  /// Returns the label of a symbol: its character, or the accent of a dead key, or else the dead
  /// key's name; empty for a symbol that cannot be seen.
  private static func label(_ symbol: KeySymbol) -> String {
    switch symbol {
    case .none: ""
    case .character(let scalar):
      [.control, .format].contains(scalar.properties.generalCategory)
        || scalar.properties.isWhitespace ? "" : String(scalar)
    case .dead(let name): accents[name] ?? name
    }
  }

  /// The accents of dead keys, by the names of X11.
  private static let accents = [
    "grave": "`", "acute": "´", "circumflex": "^", "tilde": "~", "diaeresis": "¨", "cedilla": "¸",
    "caron": "ˇ", "abovering": "°", "breve": "˘", "ogonek": "˛", "doubleacute": "˝",
    "abovedot": "˙", "macron": "¯", "stroke": "/",
  ]
}
