// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import KeyboardLayouts

/// A layout of a Linux host.
final class InputStickLinuxLayout: NSObject, InputStickKeyboardLayoutProtocol {
  private let layout: KeyboardLayout
  private lazy var labels = makeLabels()

  init(_ layout: KeyboardLayout) { self.layout = layout }

  private func makeLabels() -> InputStickKeyLabels {
    let labels = InputStickKeyLabels()
    for usageID in layout.usageIDs {
      let codes: [Any] =
        [NSNumber(value: 0)]
        + KeyState.all.map { state in
          NSNumber(value: Self.unit(of: layout.symbol(of: usageID, in: state)))
        }
      labels.setupKey(usageID, withCharCodesArray: codes)
    }
    return labels
  }

  /// Returns the UTF-16 code unit of a symbol; 0 for none, for a dead key, and above U+FFFF.
  private static func unit(of symbol: KeySymbol) -> UInt16 {
    if case .character(let scalar) = symbol { UInt16(exactly: scalar.value) ?? 0 } else { 0 }
  }

  func strokes(of text: String) -> [[LayoutStrokes.Stroke]] {
    text.compactMap { character in
      layout.strokes(for: character)?.map {
        LayoutStrokes.Stroke(modifiers: $0.modifiers.rawValue, key: $0.usageID)
      }
    }
  }

  func layoutCode() -> String! { layout.code }
  func layoutCodeLowercase() -> String! { layout.code.lowercased() }

  private var language: (english: String, native: String) {
    InputStickKeyboardLayoutUtils.languages[String(layout.code.prefix { $0 != "-" })]
      ?? (layout.name, layout.name)
  }
  private var country: String {
    let code = layout.code.split(separator: "-").dropFirst().first.map(String.init) ?? ""
    return Locale(identifier: "en_US").localizedString(forRegionCode: code) ?? code
  }

  func layoutLanguageNativeName() -> String! { language.native }
  func layoutLanguageEnglishName() -> String! { language.english }
  func layoutCountryNativeName() -> String! { country }
  func layoutCountryEnglishName() -> String! { country }

  func layoutVariant() -> String! {
    layout.code.split(separator: "-").dropFirst().joined(separator: " ")
  }

  func layoutDisplayName() -> String! { "\(language.english), \(layoutVariant() ?? "")" }

  func keyboardType() -> InputStickKeyboardType {
    switch layout.shape {
    case .ansi: .KEYBOARD_ANSI
    case .iso, .abnt: .KEYBOARD_ISO
    case .jis: .KEYBOARD_JIS
    }
  }

  /// Returns the keys that type a character.
  ///
  /// A character with more than two strokes has no model, but ``strokes(of:)`` has its strokes.
  func keyModel(forCharacter character: Int32) -> InputStickKeyboardKeyModel! {
    guard let unit = UInt16(exactly: character), let scalar = Unicode.Scalar(unit),
      let strokes = layout.strokes(for: Character(scalar)), let last = strokes.last,
      strokes.count <= 2
    else { return nil }
    let dead = strokes.count == 2 ? strokes[0] : nil
    return InputStickKeyboardKeyModel(
      unicodeCharacter: unit, key: last.usageID, modifiers: last.modifiers.rawValue,
      deadkey: dead?.usageID ?? 0, deadkeyModifiers: dead?.modifiers.rawValue ?? 0)
  }

  func availableCharactersString() -> String! { String(layout.characters) }

  func availableCharactersLUT() -> [NSNumber]! {
    layout.characters.compactMap { character in
      let units = Array(String(character).utf16)
      return units.count == 1 ? NSNumber(value: units[0]) : nil
    }
  }

  func keyLabels() -> InputStickKeyLabels! { labels }
}
