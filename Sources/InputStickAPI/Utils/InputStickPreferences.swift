// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// A preference of the user.
public enum InputStickSettingsItem: UInt, Sendable, CaseIterable {
  /// No preference.
  case none = 0
  /// The preference whether the client connects without an action of the user.
  case autoConnect = 1
  /// The keyboard layout of the host.
  case keyboardLayout = 2
  /// The speed of typing.
  case typingSpeed = 3
  /// The mode of the mouse pad: mouse or touch screen.
  case mouseMode = 4
  /// The preference whether a tap on the mouse pad is a click.
  case tapToClick = 5
  /// The longest duration of a tap.
  case tapInterval = 6
  /// The sensitivity of the mouse.
  case mouseSensitivity = 7
  /// The shape of the mouse pad.
  case mousepadRatio = 8
  /// The sensitivity of the wheel.
  case scrollSensitivity = 9
}

/// The preferences of the user, stored as texts in the user defaults.
open class InputStickPreferences: NSObject {
  private static let initKey = "InputStickSettings_InitV1"
  private static let slowest: UInt = 32

  /// True to connect without an action of the user.
  open var autoConnect = false
  /// The keyboard layout of the host; nil before the preferences are loaded or set.
  open var keyboardLayout: (any InputStickKeyboardLayoutProtocol)!
  /// The speed of typing, as in ``InputStickTypingSpeed``.
  open var typingSpeed: UInt = 0
  /// True if the mouse pad is a touch screen.
  open var touchScreenMode = false
  /// True if a tap on the mouse pad is a click.
  open var tapToClick = false
  /// The longest duration of a tap, in milliseconds.
  open var tapInterval: UInt = 0
  /// The sensitivity of the mouse, in per cent.
  open var mouseSensitivity: UInt = 0
  /// The sensitivity of the wheel, in per cent.
  open var scrollSensitivity: UInt = 0
  /// The ratio of the mouse pad's width to its height; 0 to fill the window.
  ///
  /// It is 0 unless ``touchScreenMode`` is true.
  open var mousepadRatio: Float {
    get { touchScreenMode ? ratio : 0 }
    set { ratio = newValue }
  }
  /// The distance within which a stylus must be; this library neither stores nor uses it.
  ///
  /// ``loadFromUserDefaults()`` and ``setDefaultValues()`` set it to 0.
  open var touchProximity: UInt = 0
  /// The suite of the user defaults; nil for the standard ones.
  open private(set) var suiteName: String!
  /// The user defaults in which the preferences are stored.
  open private(set) var userDefaults: UserDefaults!
  private var ratio: Float = 0

  /// Makes preferences in the standard user defaults, without loading values.
  public convenience override init() { self.init(suiteName: nil) }

  /// Makes preferences in a suite of user defaults, without loading values.
  public init!(suiteName: String!) {
    super.init()
    self.suiteName = suiteName
    userDefaults = UserDefaults(suiteName: suiteName) ?? .standard
  }

  /// Sets all preferences to the values of a new user, without storing them.
  open func setDefaultValues() {
    autoConnect = false
    keyboardLayout = InputStickKeyboardLayoutUtils.keyboardLayout(withCode: nil)
    typingSpeed = 1
    touchScreenMode = false
    tapToClick = true
    tapInterval = 500
    mouseSensitivity = 50
    scrollSensitivity = 50
    ratio = 0
    touchProximity = 0
  }

  /// Loads all preferences.
  ///
  /// The first call ever for these user defaults stores the preferences of a new user, over any
  /// values that are stored. Later calls only load.
  open func loadFromUserDefaults() {
    if !userDefaults.bool(forKey: Self.initKey) {
      userDefaults.set(true, forKey: Self.initKey)
      setDefaultValues()
      saveToUserDefaults()
    }
    for item in InputStickSettingsItem.allCases { loadValue(for: item) }
    touchProximity = 0
  }

  /// Stores all preferences.
  open func saveToUserDefaults() {
    for item in InputStickSettingsItem.allCases { saveValue(for: item, synchronize: false) }
  }

  /// Loads a preference.
  ///
  /// Three preferences without a stored value differ from ``setDefaultValues()``: the mouse
  /// pad is a touch screen, a tap is no click, and the typing speed is 0.
  ///
  /// Stored numbers out of range are replaced: a typing speed above 32 by 32, a ratio outside 0 to
  /// 5 by 0, a tap interval of 0 by 500, and a sensitivity of 0 by 50.
  open func loadValue(for item: InputStickSettingsItem) {
    guard let key = InputStickPreferencesHelper.key(for: item) else { return }
    let text = userDefaults.string(forKey: key) ?? ""
    let number = UInt(text) ?? 0
    switch item {
    case .none: break
    case .autoConnect: autoConnect = text == "enabled"
    case .keyboardLayout:
      keyboardLayout = InputStickKeyboardLayoutUtils.keyboardLayout(withCode: text)
    case .typingSpeed: typingSpeed = min(number, Self.slowest)
    case .mouseMode: touchScreenMode = text != "mouse"
    case .tapToClick: tapToClick = text == "enabled"
    case .tapInterval: tapInterval = number == 0 ? 500 : number
    case .mouseSensitivity: mouseSensitivity = number == 0 ? 50 : number
    case .scrollSensitivity: scrollSensitivity = number == 0 ? 50 : number
    case .mousepadRatio:
      let value = Float(text) ?? 0
      ratio = (0...5).contains(value) ? value : 0
    }
  }

  /// Stores a preference; a layout that is nil removes the stored layout.
  ///
  /// - Parameters:
  ///   - item: The preference.
  ///   - synchronize: True to write it to the disk at once.
  open func saveValue(for item: InputStickSettingsItem, synchronize: Bool) {
    guard let key = InputStickPreferencesHelper.key(for: item) else { return }
    let text: String? =
      switch item {
      case .none: nil
      case .autoConnect: autoConnect ? "enabled" : "disabled"
      case .keyboardLayout: keyboardLayout?.layoutCode()
      case .typingSpeed: "\(typingSpeed)"
      case .mouseMode: touchScreenMode ? "touch" : "mouse"
      case .tapToClick: tapToClick ? "enabled" : "disabled"
      case .tapInterval: "\(tapInterval)"
      case .mouseSensitivity: "\(mouseSensitivity)"
      case .scrollSensitivity: "\(scrollSensitivity)"
      case .mousepadRatio: "\(ratio)"
      }
    if let text {
      userDefaults.set(text, forKey: key)
    } else {
      userDefaults.removeObject(forKey: key)
    }
    if synchronize { userDefaults.synchronize() }
  }
}

/// The keys, names and values of preferences.
open class InputStickPreferencesHelper: NSObject {
  /// Returns the key of a preference in the user defaults; nil for ``InputStickSettingsItem/none``.
  open class func key(for item: InputStickSettingsItem) -> String! {
    let name: String? =
      switch item {
      case .none: nil
      case .autoConnect: "AutoConnect"
      case .keyboardLayout: "KeyboardLayout"
      case .typingSpeed: "TypingSpeed"
      case .mouseMode: "MouseMode"
      case .tapToClick: "TapToClick"
      case .tapInterval: "TapInterval"
      case .mouseSensitivity: "MouseSensitivity"
      case .mousepadRatio: "MousepadRatio"
      case .scrollSensitivity: "ScrollSensitivity"
      }
    return name.map { "InputStickSettings_\($0)" }
  }

  /// Returns the display name of a preference; nil for ``InputStickSettingsItem/none``.
  open class func name(for item: InputStickSettingsItem) -> String! {
    switch item {
    case .none: nil
    case .autoConnect: "Connect automatically"
    case .keyboardLayout: "Keyboard layout"
    case .typingSpeed: "Typing speed"
    case .mouseMode: "Mouse pad mode"
    case .tapToClick: "Tap to click"
    case .tapInterval: "Tap interval"
    case .mouseSensitivity: "Mouse sensitivity"
    case .mousepadRatio: "Mouse pad ratio"
    case .scrollSensitivity: "Scroll sensitivity"
    }
  }

  /// Returns the values of a preference that a user can choose, in their stored form.
  open class func storeValues(for item: InputStickSettingsItem) -> [String]! {
    switch item {
    case .none: []
    case .autoConnect, .tapToClick: ["enabled", "disabled"]
    case .keyboardLayout: InputStickKeyboardLayoutUtils.keyboardLayoutCodes()
    case .typingSpeed: ["0", "1", "2", "5", "10"]
    case .mouseMode: ["mouse", "touch"]
    case .tapInterval: ["1000", "500", "250", "150"]
    case .mouseSensitivity, .scrollSensitivity:
      stride(from: 100, to: 0, by: -10).map { "\($0)" }
    case .mousepadRatio: ["0", "1", "1.25", "1.33", "1.6", "1.78"]
    }
  }

  /// Returns the values of a preference that a user can choose, in their displayed form.
  open class func displayValues(for item: InputStickSettingsItem) -> [String]! {
    switch item {
    case .keyboardLayout: InputStickKeyboardLayoutUtils.keyboardLayoutDisplayNames()
    case .tapInterval: storeValues(for: item).map { "\($0) ms" }
    case .mouseSensitivity, .scrollSensitivity: storeValues(for: item).map { "\($0) %" }
    case .typingSpeed: ["Fastest", "100 %", "50 %", "20 %", "10 %"]
    default: storeValues(for: item)
    }
  }

  /// Returns the stored value of a preference; nil if none is stored.
  open class func value(for item: InputStickSettingsItem, userDefaults: UserDefaults!) -> String! {
    key(for: item).flatMap { userDefaults?.string(forKey: $0) }
  }

  /// Returns the stored value in its displayed form; nil if none is stored.
  ///
  /// A value that a user cannot choose is returned unchanged.
  open class func displayValue(
    for item: InputStickSettingsItem, userDefaults: UserDefaults!
  ) -> String! {
    guard let value = value(for: item, userDefaults: userDefaults) else { return nil }
    let index = (storeValues(for: item) ?? []).firstIndex(of: value)
    return index.map { displayValues(for: item)[$0] } ?? value
  }
}
