// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// The set of keys that a keyboard has.
public enum InputStickKeyboardType: UInt, Sendable {
  /// The ISO keyboard, with one more key left of Z, and the ABNT2 keyboard.
  case KEYBOARD_ISO = 0
  /// The ANSI keyboard, as in the United States.
  case KEYBOARD_ANSI = 1
  /// The JIS keyboard, as in Japan.
  case KEYBOARD_JIS = 2
}

/// The keys that type a character.
open class InputStickKeyboardKeyModel: NSObject {
  /// The character: a UTF-16 code unit.
  public let unicodeCode: UInt16
  /// The usage of the key.
  public let key: UInt8
  /// The modifiers that are held with the key.
  public let modifiers: UInt8
  /// The usage of the dead key that is typed before the key; 0 for none.
  ///
  /// If ``key`` types a combining mark, it is the usage of the letter's key.
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

/// A keyboard layout: the keys that type each character.
public protocol InputStickKeyboardLayoutProtocol: NSObjectProtocol {
  /// Returns the code, such as `de-DE`.
  func layoutCode() -> String!
  /// Returns the code in lower case.
  func layoutCodeLowercase() -> String!
  /// Returns the name of the language, in that language.
  func layoutLanguageNativeName() -> String!
  /// Returns the name of the language, in English.
  func layoutLanguageEnglishName() -> String!
  /// Returns the name of the country, in its language; in English for the layouts of this library.
  func layoutCountryNativeName() -> String!
  /// Returns the name of the country, in English.
  func layoutCountryEnglishName() -> String!
  /// Returns the variant: the parts of the code after the language, such as `US` or `CZ qwerty`.
  func layoutVariant() -> String!
  /// Returns the display name, such as `English, US`.
  func layoutDisplayName() -> String!
  /// Returns the set of keys that the keyboard has.
  func keyboardType() -> InputStickKeyboardType
  /// Returns the keys that type a character; nil if the layout does not have it, or if it needs
  /// more than two key strokes.
  ///
  /// - Parameter character: A UTF-16 code unit.
  func keyModel(forCharacter character: Int32) -> InputStickKeyboardKeyModel!
  /// Returns the characters that the layout has.
  func availableCharactersString() -> String!
  /// Returns the characters that the layout has and that are one UTF-16 code unit, as numbers.
  func availableCharactersLUT() -> [NSNumber]!
  /// Returns the labels of the keys.
  func keyLabels() -> InputStickKeyLabels!
}

/// The key strokes of a text on a layout.
enum LayoutStrokes {
  /// A key with modifiers.
  struct Stroke: Hashable {
    var modifiers: UInt8
    var key: UInt8
  }

  /// Returns the strokes of each character: dead keys before a letter, combining marks after it.
  ///
  /// Characters that the layout does not have are left out.
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
