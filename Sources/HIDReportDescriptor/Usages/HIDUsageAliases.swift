// SPDX-License-Identifier: Apache-2.0

public import HIDUsages

/// Short names of keys, axes and mouse buttons.
///
/// A table may have several names for a usage; hidsim prints the first name.
extension HIDUsage {
  /// The short names of keys, on the keyboard page (0x07).
  ///
  /// They name positions on a US keyboard, as the usage tables do: `q` is the key left of `w` in
  /// every keyboard layout of the host.
  public static var keyAliases: [(name: String, usage: HIDUsage)] {
    keys.map { ($0.0, .keyboardOrKeypad($0.1)) }
  }

  /// The short names of axes and similar usages, on the generic desktop page (0x01).
  public static var axisAliases: [(name: String, usage: HIDUsage)] {
    axes.map { ($0.0, .genericDesktop($0.1)) }
  }

  /// The short names of the buttons of a mouse, on the button page (0x09).
  public static var mouseButtonAliases: [(name: String, usage: HIDUsage)] {
    mouseButtons.map { ($0.0, .button($0.1)) }
  }

  /// Returns the key with this alias (`a`, `leftShift`) or name (`keyboardA`, or with its page).
  ///
  /// - Parameter name: The name, in upper or lower case; or the ID in hex: `0x04`.
  /// - Returns: A usage of the keyboard page, or `nil`.
  public static func key(named name: some StringProtocol) -> HIDUsage? {
    if let usage = keysByName[name.lowercased()] { return .keyboardOrKeypad(usage) }
    if let id = usageID(named: name, onPage: KeyboardOrKeypadUsage.page) {
      return HIDUsage(page: KeyboardOrKeypadUsage.page, usage: id)
    }
    guard let usage = HIDUsage(name: name), usage.page == KeyboardOrKeypadUsage.page,
      usage.usage != nil
    else { return nil }
    return usage
  }

  /// Returns the axis with this alias (`x`, `hat`) or name (`hatSwitch`), or another usage of the
  /// page by its name.
  ///
  /// - Parameter name: The name without its page, in upper or lower case; or the ID in hex: `0x30`.
  /// - Returns: A usage of the generic desktop page, or `nil`.
  public static func axis(named name: some StringProtocol) -> HIDUsage? {
    if let usage = axesByName[name.lowercased()] { return .genericDesktop(usage) }
    return usageID(named: name, onPage: GenericDesktopUsage.page).map {
      HIDUsage(page: GenericDesktopUsage.page, usage: $0)
    }
  }

  /// Returns the mouse button with this name: `left`, `right`, `middle`, `back`, `forward`.
  ///
  /// - Parameter name: The name, in upper or lower case.
  /// - Returns: A usage of the button page, or `nil`.
  public static func mouseButton(named name: some StringProtocol) -> HIDUsage? {
    let name = name.lowercased()
    return mouseButtons.first { $0.0 == name }.map { .button($0.1) }
  }

  /// The alias of a key; `nil` for a usage that has none.
  public var keyAlias: String? {
    guard page == KeyboardOrKeypadUsage.page, let usage else { return nil }
    return KeyboardOrKeypadUsage(rawValue: usage).flatMap { Self.namesByKey[$0] }
  }

  /// The alias of a key or an axis; `nil` for a key or axis without one, and for other usages.
  public var alias: String? {
    guard page == GenericDesktopUsage.page else { return keyAlias }
    return Self.axes.first { $0.1.rawValue == usage }?.0
  }

  private static let keysByName = Dictionary(
    keys.map { ($0.0.lowercased(), $0.1) }, uniquingKeysWith: { first, _ in first })

  private static let namesByKey = Dictionary(
    keys.map { ($0.1, $0.0) }, uniquingKeysWith: { first, _ in first })

  private static let axesByName = Dictionary(
    axes.map { ($0.0.lowercased(), $0.1) }, uniquingKeysWith: { first, _ in first })

  private static let mouseButtons: [(String, UInt16)] = [
    ("left", 1), ("right", 2), ("middle", 3), ("back", 4), ("forward", 5),
  ]

  private static let axes: [(String, GenericDesktopUsage)] = [
    ("x", .x), ("y", .y), ("z", .z), ("rx", .rx), ("ry", .ry), ("rz", .rz),
    ("slider", .slider), ("dial", .dial), ("wheel", .wheel), ("hat", .hatSwitch),
  ]

  private static let keys: [(String, KeyboardOrKeypadUsage)] = [
    ("a", .keyboardA), ("b", .keyboardB), ("c", .keyboardC), ("d", .keyboardD),
    ("e", .keyboardE), ("f", .keyboardF), ("g", .keyboardG), ("h", .keyboardH),
    ("i", .keyboardI), ("j", .keyboardJ), ("k", .keyboardK), ("l", .keyboardL),
    ("m", .keyboardM), ("n", .keyboardN), ("o", .keyboardO), ("p", .keyboardP),
    ("q", .keyboardQ), ("r", .keyboardR), ("s", .keyboardS), ("t", .keyboardT),
    ("u", .keyboardU), ("v", .keyboardV), ("w", .keyboardW), ("x", .keyboardX),
    ("y", .keyboardY), ("z", .keyboardZ),
    ("1", .keyboard1AndBang), ("2", .keyboard2AndAt), ("3", .keyboard3AndHash),
    ("4", .keyboard4AndDollar), ("5", .keyboard5AndPercent), ("6", .keyboard6AndCaret),
    ("7", .keyboard7AndAmpersand), ("8", .keyboard8AndStar), ("9", .keyboard9AndLeftBracket),
    ("0", .keyboard0AndRightBracket),

    ("enter", .keyboardReturnEnter), ("return", .keyboardReturnEnter),
    ("escape", .keyboardEscape), ("esc", .keyboardEscape),
    ("backspace", .keyboardDelete), ("tab", .keyboardTab),
    ("space", .keyboardSpacebar), ("spacebar", .keyboardSpacebar),
    ("minus", .keyboardDashAndUnderscore), ("dash", .keyboardDashAndUnderscore),
    ("equals", .keyboardEqualsAndPlus), ("equal", .keyboardEqualsAndPlus),
    ("leftBracket", .keyboardLeftBrace), ("rightBracket", .keyboardRightBrace),
    ("backslash", .keyboardBackslashAndPipe), ("semicolon", .keyboardSemiColonAndColon),
    ("quote", .keyboardLeftAposAndDouble), ("apostrophe", .keyboardLeftAposAndDouble),
    ("grave", .keyboardGraveAccentAndTilde), ("backquote", .keyboardGraveAccentAndTilde),
    ("comma", .keyboardCommaAndLessThan), ("period", .keyboardPeriodAndGreaterThan),
    ("dot", .keyboardPeriodAndGreaterThan), ("slash", .keyboardForwardSlashAndQuestionMark),
    ("nonUSHash", .keyboardNonUSHashAndTilde),
    ("nonUSBackslash", .keyboardNonUSBackslashAndPipe),
    ("capsLock", .keyboardCapsLock),

    ("f1", .keyboardF1), ("f2", .keyboardF2), ("f3", .keyboardF3), ("f4", .keyboardF4),
    ("f5", .keyboardF5), ("f6", .keyboardF6), ("f7", .keyboardF7), ("f8", .keyboardF8),
    ("f9", .keyboardF9), ("f10", .keyboardF10), ("f11", .keyboardF11), ("f12", .keyboardF12),
    ("f13", .keyboardF13), ("f14", .keyboardF14), ("f15", .keyboardF15), ("f16", .keyboardF16),
    ("f17", .keyboardF17), ("f18", .keyboardF18), ("f19", .keyboardF19), ("f20", .keyboardF20),
    ("f21", .keyboardF21), ("f22", .keyboardF22), ("f23", .keyboardF23), ("f24", .keyboardF24),

    ("printScreen", .keyboardPrintScreen), ("scrollLock", .keyboardScrollLock),
    ("pause", .keyboardPause), ("insert", .keyboardInsert), ("home", .keyboardHome),
    ("pageUp", .keyboardPageUp), ("delete", .keyboardDeleteForward), ("end", .keyboardEnd),
    ("pageDown", .keyboardPageDown),
    ("right", .keyboardRightArrow), ("rightArrow", .keyboardRightArrow),
    ("left", .keyboardLeftArrow), ("leftArrow", .keyboardLeftArrow),
    ("down", .keyboardDownArrow), ("downArrow", .keyboardDownArrow),
    ("up", .keyboardUpArrow), ("upArrow", .keyboardUpArrow),

    ("numLock", .keypadNumLockAndClear), ("keypadNumLock", .keypadNumLockAndClear),
    ("keypadDivide", .keypadForwardSlash), ("keypadSlash", .keypadForwardSlash),
    ("keypadMultiply", .keypadStar), ("keypadAsterisk", .keypadStar),
    ("keypadMinus", .keypadDash), ("keypadPlus", .keypadPlus), ("keypadEnter", .keypadENTER),
    ("keypad1", .keypad1AndEnd), ("keypad2", .keypad2AndDownArrow),
    ("keypad3", .keypad3AndPageDn), ("keypad4", .keypad4AndLeftArrow), ("keypad5", .keypad5),
    ("keypad6", .keypad6AndRightArrow), ("keypad7", .keypad7AndHome),
    ("keypad8", .keypad8AndUpArrow), ("keypad9", .keypad9AndPageUp),
    ("keypad0", .keypad0AndInsert), ("keypadPeriod", .keypadPeriodAndDelete),
    ("keypadDot", .keypadPeriodAndDelete), ("keypadEquals", .keypadEquals),
    ("keypadComma", .keypadComma),

    ("application", .keyboardApplication), ("contextMenu", .keyboardApplication),
    ("menu", .keyboardMenu), ("power", .keyboardPower), ("help", .keyboardHelp),
    ("mute", .keyboardMute), ("volumeUp", .keyboardVolumeUp),
    ("volumeDown", .keyboardVolumeDown),

    ("leftCtrl", .keyboardLeftControl), ("ctrl", .keyboardLeftControl),
    ("control", .keyboardLeftControl), ("leftControl", .keyboardLeftControl),
    ("leftShift", .keyboardLeftShift), ("shift", .keyboardLeftShift),
    ("leftAlt", .keyboardLeftAlt), ("alt", .keyboardLeftAlt), ("option", .keyboardLeftAlt),
    ("leftGUI", .keyboardLeftGUI), ("gui", .keyboardLeftGUI), ("meta", .keyboardLeftGUI),
    ("cmd", .keyboardLeftGUI), ("command", .keyboardLeftGUI), ("super", .keyboardLeftGUI),
    ("rightCtrl", .keyboardRightControl), ("rightControl", .keyboardRightControl),
    ("rightShift", .keyboardRightShift),
    ("rightAlt", .keyboardRightAlt), ("altGr", .keyboardRightAlt),
    ("rightGUI", .keyboardRightGUI), ("rightMeta", .keyboardRightGUI),
  ]
}
