// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// Which keys a keyboard has.
public enum InputStickKeyboardType: UInt, Sendable {
  /// One more key, left of the Z.
  case KEYBOARD_ISO = 0
  /// As in the United States.
  case KEYBOARD_ANSI = 1
  /// As in Japan.
  case KEYBOARD_JIS = 2
}

/// The keys that type a character.
open class InputStickKeyboardKeyModel: NSObject {
  /// The character: a unit of UTF-16.
  public let unicodeCode: UInt16
  /// The key.
  public let key: UInt8
  /// The modifiers that are held with it.
  public let modifiers: UInt8
  /// The dead key that is typed before; 0 for none.
  public let deadkey: UInt8
  /// The modifiers that are held with the dead key.
  public let deadkeyModifiers: UInt8

  /// Makes a model.
  public init!(
    unicodeCharacter: UInt16, key: UInt8, modifiers: UInt8, deadkey: UInt8, deadkeyModifiers: UInt8
  ) {
    unicodeCode = unicodeCharacter
    self.key = key
    self.modifiers = modifiers
    self.deadkey = deadkey
    self.deadkeyModifiers = deadkeyModifiers
  }
}

/// A keyboard layout: which keys type which characters.
public protocol InputStickKeyboardLayoutProtocol: NSObjectProtocol {
  /// The code, such as `de-DE`.
  func layoutCode() -> String!
  /// The code in lower case.
  func layoutCodeLowercase() -> String!
  /// The language, in that language.
  func layoutLanguageNativeName() -> String!
  /// The language, in English.
  func layoutLanguageEnglishName() -> String!
  /// The country, in its language.
  func layoutCountryNativeName() -> String!
  /// The country, in English.
  func layoutCountryEnglishName() -> String!
  /// The variant, such as `US`.
  func layoutVariant() -> String!
  /// The name to show, such as `English, US`.
  func layoutDisplayName() -> String!
  /// Which keys the keyboard has.
  func keyboardType() -> InputStickKeyboardType
  /// The keys that type a character, a unit of UTF-16; nil if the layout does not have it.
  func keyModel(forCharacter character: Int32) -> InputStickKeyboardKeyModel!
  /// The characters that the layout has.
  func availableCharactersString() -> String!
  /// The same as numbers.
  func availableCharactersLUT() -> [NSNumber]!
  /// The labels of the keys.
  func keyLabels() -> InputStickKeyLabels!
}

/// The strokes of a text on a layout.
enum LayoutStrokes {
  /// A key with modifiers.
  struct Stroke: Hashable {
    var modifiers: UInt8
    var key: UInt8
  }

  /// The strokes of each character, dead keys before the last; none of a character that the layout
  /// does not have.
  static func of(_ text: String, _ layout: any InputStickKeyboardLayoutProtocol) -> [[Stroke]] {
    if let layout = layout as? InputStickLinuxLayout { return layout.strokes(of: text) }
    return text.utf16.compactMap { unit in
      guard let model = layout.keyModel(forCharacter: Int32(unit)) else { return nil }
      let last = Stroke(modifiers: model.modifiers, key: model.key)
      guard model.deadkey != 0 else { return [last] }
      return [Stroke(modifiers: model.deadkeyModifiers, key: model.deadkey), last]
    }
  }
}
