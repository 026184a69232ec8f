// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation
package import KeyboardLayouts

/// Functions that find keyboard layouts.
///
/// All layouts are those of Linux hosts. ``keyboardLayout(withCode:)`` reads the codes
/// `de-DE-linux` and `de-DE-mac` as `de-DE`.
open class InputStickKeyboardLayoutUtils: NSObject {
  /// The names of the languages, in English and in the language itself.
  static let languages: [String: (english: String, native: String)] = [
    "hr": ("Croatian", "Hrvatski"),
    "cs": ("Czech", "Čeština"),
    "da": ("Danish", "Dansk"),
    "nl": ("Dutch", "Nederlands"),
    "en": ("English", "English"),
    "fi": ("Finnish", "Suomi"),
    "fr": ("French", "Français"),
    "de": ("German", "Deutsch"),
    "el": ("Greek", "Ελληνικά"),
    "he": ("Hebrew", "עברית"),
    "hu": ("Hungarian", "Magyar"),
    "it": ("Italian", "Italiano"),
    "jp": ("Japanese", "日本語"),
    "ja": ("Japanese", "日本語"),
    "nb": ("Norwegian", "Norsk"),
    "pl": ("Polish", "Polski"),
    "pt": ("Portuguese", "Português"),
    "ru": ("Russian", "Русский"),
    "sk": ("Slovak", "Slovenčina"),
    "es": ("Spanish", "Español"),
    "sv": ("Swedish", "Svenska"),
    "vn": ("Vietnamese", "Tiếng Việt"),
    "vi": ("Vietnamese", "Tiếng Việt"),
  ]

  /// Returns all layouts, each a new object.
  open class func keyboardLayouts() -> [any InputStickKeyboardLayoutProtocol]! {
    KeyboardLayout.all.map { InputStickLinuxLayout($0) }
  }

  /// Returns the layouts whose codes begin with a prefix, regardless of case; all layouts for nil.
  open class func keyboardLayouts(
    withCodePrefix codePrefix: String!
  ) -> [any InputStickKeyboardLayoutProtocol]! {
    let prefix = (codePrefix ?? "").lowercased()
    return KeyboardLayout.all.filter { $0.code.lowercased().hasPrefix(prefix) }
      .map { InputStickLinuxLayout($0) }
  }

  /// Returns the layout of a code, regardless of case.
  ///
  /// nil and an unknown code return the layout of the United States.
  open class func keyboardLayout(
    withCode code: String!
  ) -> (any InputStickKeyboardLayoutProtocol)! {
    var code = (code ?? "").lowercased()
    for host in ["-linux", "-mac"] where code.hasSuffix(host) { code.removeLast(host.count) }
    let found = KeyboardLayout(code: code) ?? KeyboardLayout(code: "en-US")
    return found.map { InputStickLinuxLayout($0) }
  }

  /// Returns the object for a layout, which need not be one of ``keyboardLayouts()``.
  package class func keyboardLayout(
    _ layout: KeyboardLayout
  ) -> any InputStickKeyboardLayoutProtocol {
    InputStickLinuxLayout(layout)
  }

  /// Returns the display names of all layouts.
  open class func keyboardLayoutDisplayNames() -> [String]! {
    keyboardLayoutDisplayNames(withCodePrefix: "")
  }

  /// Returns the display names of the layouts whose codes begin with a prefix, as in
  /// ``keyboardLayouts(withCodePrefix:)``.
  open class func keyboardLayoutDisplayNames(withCodePrefix codePrefix: String!) -> [String]! {
    keyboardLayouts(withCodePrefix: codePrefix).map { $0.layoutDisplayName() }
  }

  /// Returns the codes of all layouts.
  open class func keyboardLayoutCodes() -> [String]! { keyboardLayoutCodes(withCodePrefix: "") }

  /// Returns the codes of the layouts whose codes begin with a prefix, as in
  /// ``keyboardLayouts(withCodePrefix:)``.
  open class func keyboardLayoutCodes(withCodePrefix codePrefix: String!) -> [String]! {
    keyboardLayouts(withCodePrefix: codePrefix).map { $0.layoutCode() }
  }

  /// Returns the codes of the languages that have a layout.
  open class func keyboardLayoutLanguageCodes() -> [String]! {
    var codes: [String] = []
    for code in KeyboardLayout.codes.map({ String($0.prefix { $0 != "-" }) })
    where !codes.contains(code) {
      codes.append(code)
    }
    return codes
  }

  /// Returns the names of the languages that have a layout, in the order of their codes in
  /// ``keyboardLayoutLanguageCodes()``.
  open class func keyboardLayoutLanguageNames() -> [String]! {
    keyboardLayoutLanguageCodes().map { keyboardLayoutLanguageName(forLanguageCode: $0) }
  }

  /// Returns the name of a language, such as `German (Deutsch)`; `Invalid value` for an unknown
  /// code.
  open class func keyboardLayoutLanguageName(forLanguageCode languageCode: String!) -> String! {
    guard let names = languages[(languageCode ?? "").lowercased()] else { return "Invalid value" }
    return names.english == names.native ? names.english : "\(names.english) (\(names.native))"
  }

  /// Returns the group codes of a language, such as `de-DE`; nil if no layout has its code.
  ///
  /// The codes of languages are those of ``keyboardLayoutLanguageCodes()``, regardless of case:
  /// Japanese is `jp` and Vietnamese is `vn`, so `ja` and `vi` return nil.
  open class func groupCodes(withLanguageCode languageCode: String!) -> [String]! {
    guard let languageCode else { return nil }
    var groups: [String] = []
    for code in KeyboardLayout.codes
    where code.lowercased().hasPrefix(languageCode.lowercased() + "-") {
      let group = code.split(separator: "-").prefix(2).joined(separator: "-")
      if !groups.contains(group) { groups.append(group) }
    }
    return groups.isEmpty ? nil : groups
  }

  /// Returns the name of the layout with a group code, such as `German (Switzerland)`; empty for an
  /// unknown code.
  open class func groupName(withGroupCode groupCode: String!) -> String! {
    KeyboardLayout(code: groupCode ?? "")?.name ?? ""
  }

  /// Returns a note about the hosts that have the layout; empty for an unknown code.
  open class func groupInfo(withGroupCode groupCode: String!) -> String! {
    KeyboardLayout(code: groupCode ?? "") == nil ? "" : "This layout is that of a Linux host."
  }
}

/// The name of this class in the documentation of the InputStickAPI library for iOS.
public typealias InputStickKeyboardUtils = InputStickKeyboardLayoutUtils
