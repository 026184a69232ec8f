// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension KeyboardLayout {
  /// A layout in the form of the generated file.
  struct Table: Sendable {
    let code: String
    let name: String
    let xkbName: String
    let shape: Shape
    /// One line for each key: the usage ID in hexadecimal, and the symbols of the eight states.
    let keys: String
  }

  /// The layouts in the tables of this module, in the order of their codes.
  public static let all = tables.map { layout(of: $0) }

  /// The layouts that were already made, by their codes.
  ///
  /// They are kept because the search for the strokes of all characters takes milliseconds.
  private static let made = Mutex<[String: KeyboardLayout]>([:])

  private static func layout(of table: Table) -> KeyboardLayout {
    if let layout = made.withLock({ $0[table.code] }) { return layout }
    let layout = KeyboardLayout(table)
    made.withLock { $0[table.code] = layout }
    return layout
  }

  /// The codes of ``all``.
  public static var codes: [String] { tables.map(\.code) }

  /// Finds the layout with a code.
  ///
  /// - Parameters:
  ///   - code: A code of ``all``, or another spelling of it: `ja-JP` for `jp-JP`, `vi-VN` for
  ///     `vn-VN`, `en-US-dvorak` for `en-DV`, `en-US-intl` for `en-US-int`, and InputStick's
  ///     `pt-BT` and `sv-SV` for `pt-BR` and `sv-SE`. Case is ignored; `_` is read as `-`.
  ///   - host: The system of the host.
  /// - Returns: nil if no layout has the code.
  public init?(code: String, host: Host = .linux) {
    let wanted = code.lowercased().replacing("_", with: "-")
    let name = Self.aliases[wanted] ?? wanted
    guard let table = Self.tables.first(where: { $0.code.lowercased() == name }) else { return nil }
    self = Self.layout(of: table)
  }

  private init(_ table: Table) {
    var symbols: [UInt8: [KeySymbol]] = [:]
    for line in table.keys.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard let usageID = words.first.flatMap({ UInt8($0, radix: 16) }) else { continue }
      symbols[usageID] = words.dropFirst().compactMap { KeySymbol(table: $0) }
    }
    self.init(
      code: table.code, name: table.name, xkbName: table.xkbName, shape: table.shape,
      symbols: symbols)
  }

  /// The codes of other spellings, in lower case.
  private static let aliases = [
    "ja-jp": "jp-jp", "vi-vn": "vn-vn", "en-us-dvorak": "en-dv", "pt-bt": "pt-br",
    "sv-sv": "sv-se", "en-us-intl": "en-us-int",
  ]
}
