// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// The kind of a key's label.
public enum InputStickKeyLabelType: UInt, Sendable {
  /// The key has no label.
  case KEY_LABEL_NOT_DEFINED = 0
  /// The label depends on the layout.
  case KEY_LABEL_LAYOUT_DEPENDENT = 1
  /// The label is always the same.
  case KEY_LABEL_LAYOUT_INDEPENDENT = 2
  /// The label depends on Num Lock.
  case KEY_LABEL_NUMPAD = 3
}

/// The labels of the keys of a layout.
open class InputStickKeyLabels: NSObject {
  private enum Label {
    case fixed(String)
    case keypad(off: String, on: String)
    /// The labels without modifiers, with Shift, with AltGr, with both, and the same four with Caps
    /// Lock.
    case states([String])
  }

  private var labels: [UInt8: Label] = [:]

  /// Makes the labels that do not depend on a layout: Enter, Escape, Backspace, Tab, Space, Caps
  /// Lock, function keys, Print Screen to Page Down, arrows, and keypad.
  public override init() {
    super.init()
    let fixed: [(UInt8, [String])] = [
      (0x28, ["↵", "Esc", "⌫", "Tab", "␣"]),
      (0x39, ["CapsLk"] + (1...12).map { "F\($0)" } + ["PrtSc", "ScrLk", "Pause"]),
      (0x49, ["Ins", "Home", "PgUp", "Del", "End", "PgDn", "→", "←", "↓", "↑"]),
      (0x53, ["NumLk", "/", "*", "-", "+", "Enter"]),
    ]
    for (first, texts) in fixed {
      for (index, text) in texts.enumerated() { setupKey(first + UInt8(index), withLabel: text) }
    }
    let off = ["End", "↓", "Pg Dn", "←", "", "→", "Home", "↑", "Pg Up", "Ins", "Del"]
    let on = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "."]
    for (index, texts) in zip(off, on).enumerated() {
      setupKey(0x59 + UInt8(index), withNumLockOffLabel: texts.0, numLockOnLabel: texts.1)
    }
  }

  /// Sets the labels of a key.
  ///
  /// - Parameters:
  ///   - key: The usage of the key.
  ///   - charCodeArray: Nine UTF-16 code units as `NSNumber`, 0 for no label. The first is not
  ///     used. The others are for no modifiers, Shift, AltGr, both, and the same four with Caps
  ///     Lock.
  open func setupKey(_ key: UInt8, withCharCodesArray charCodeArray: [Any]!) {
    let texts = (charCodeArray ?? []).dropFirst().prefix(8).map { code -> String in
      guard let unit = (code as? NSNumber)?.uint16Value, unit != 0 else { return "" }
      return String(decoding: [unit], as: UTF16.self)
    }
    labels[key] = .states(texts + Array(repeating: "", count: 8 - texts.count))
  }

  /// Sets a label that is the same in all states of the keyboard.
  open func setupKey(_ key: UInt8, withLabel label: String!) { labels[key] = .fixed(label ?? "") }

  /// Sets the labels of a keypad key, without and with Num Lock.
  open func setupKey(
    _ key: UInt8, withNumLockOffLabel numLockOffLabel: String!, numLockOnLabel: String!
  ) {
    labels[key] = .keypad(off: numLockOffLabel ?? "", on: numLockOnLabel ?? "")
  }

  /// Returns the label of a key without modifiers, with Caps Lock and Num Lock off.
  ///
  /// - Returns: nil if no labels were set for the key.
  open func label(forKey keyCode: UInt8) -> String! { label(forKey: keyCode, withModifiers: 0) }

  /// Returns the label of a key with modifiers, with Caps Lock and Num Lock off.
  ///
  /// If there is no label for the modifiers, the result is the label without modifiers.
  ///
  /// - Returns: nil if no labels were set for the key.
  open func label(forKey keyCode: UInt8, withModifiers modifiers: UInt8) -> String! {
    label(
      forKey: keyCode, withModifiers: modifiers, capsLock: false, numLock: false,
      defaultIfNotFound: true)
  }

  /// Returns the label of a key in a state of the keyboard; nil if no labels were set for the key.
  ///
  /// - Parameters:
  ///   - keyCode: The usage of the key.
  ///   - modifiers: The modifiers, as in ``InputStickKeyboardModifiers``.
  ///   - capsLock: True if Caps Lock is on.
  ///   - numLock: True if Num Lock is on.
  ///   - defaultIfNotFound: True to return the label without modifiers if the state has none; else
  ///     the result is empty.
  open func label(
    forKey keyCode: UInt8, withModifiers modifiers: UInt8, capsLock: Bool, numLock: Bool,
    defaultIfNotFound: Bool
  ) -> String! {
    switch labels[keyCode] {
    case nil: return nil
    case .fixed(let text): return text
    case .keypad(let off, let on): return numLock ? on : off
    case .states(let texts):
      let plain = texts[0]
      let states: [UInt8: Int] = [0x00: 0, 0x02: 1, 0x20: 1, 0x40: 2, 0x42: 3, 0x60: 3]
      guard let state = states[modifiers] else { return defaultIfNotFound ? plain : "" }
      let text = texts[state + (capsLock ? 4 : 0)]
      return text.isEmpty && defaultIfNotFound ? plain : text
    }
  }
}
