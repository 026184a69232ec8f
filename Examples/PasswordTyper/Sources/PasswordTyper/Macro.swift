// SPDX-License-Identifier: Apache-2.0

import InputStickAPI

/// An entry of a password manager.
public struct Entry: Sendable {
  /// The user name.
  public var user: String
  /// The password.
  public var password: String
  /// The address of the website; empty if there is none.
  public var url: String

  /// Makes an entry.
  public init(user: String, password: String, url: String = "") {
    (self.user, self.password, self.url) = (user, password, url)
  }
}

/// Actions that type an entry, such as `user%key=tab%pass%key=enter`.
///
/// A `%` separates the actions:
///
/// - `user`, `pass`, `url`: a field of the entry
/// - `type=TEXT`: a text without `%`
/// - `key=NAME`: a letter key, `tab`, `enter`, `esc`, `space`, `up` or `down`, after its modifiers
///   `ctrl`, `shift`, `alt` and `gui`: `key=ctrl+a`
/// - `delay=MILLISECONDS`: a pause of at most a minute
public struct Macro: Sendable {
  /// One action.
  public enum Action: Equatable, Sendable {
    case text(String)
    case key(UInt8, modifiers: UInt8)
    case pause(milliseconds: Int)
  }

  /// The error for an action that is not valid in a macro.
  public struct Problem: Error, Equatable, CustomStringConvertible {
    /// The number of the action, from 1.
    public let position: Int
    /// The action in the macro, with its name in lower case.
    public let text: String
    /// The position, the action and the reason.
    public var description: String { "action \(position), \"\(text)\": \(reason)" }
    let reason: String
  }

  private let items: [(name: String, value: String)]

  /// Reads a macro.
  ///
  /// - Throws: The problem of the first action that is not valid.
  public init(_ text: String) throws(Problem) {
    items = text.split(separator: "%", omittingEmptySubsequences: false).map { item in
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (parts[0].lowercased(), parts.count > 1 ? String(parts[1]) : "")
    }
    _ = try actions(for: Entry(user: "", password: ""))
  }

  /// Returns the actions, with the fields of an entry as their texts.
  public func actions(for entry: Entry) throws(Problem) -> [Action] {
    var actions: [Action] = []
    for (index, item) in items.enumerated() {
      func problem(_ reason: String) -> Problem {
        let text = item.value.isEmpty ? item.name : "\(item.name)=\(item.value)"
        return Problem(position: index + 1, text: text, reason: reason)
      }
      switch item.name {
      case "user": actions.append(.text(entry.user))
      case "pass": actions.append(.text(entry.password))
      case "url": actions.append(.text(entry.url))
      case "type": actions.append(.text(item.value))
      case "key":
        guard let key = Self.key(item.value.lowercased()) else {
          throw problem("expected a key, such as tab, enter or ctrl+a")
        }
        actions.append(key)
      case "delay":
        guard let milliseconds = Int(item.value), (0...60_000).contains(milliseconds) else {
          throw problem("expected milliseconds from 0 to 60000")
        }
        actions.append(.pause(milliseconds: milliseconds))
      default: throw problem("expected user, pass, url, type=, key= or delay=")
      }
    }
    return actions
  }

  private static func key(_ text: String) -> Action? {
    var words = text.split(separator: "+").map(String.init)
    let modifiers: [String: InputStickKeyboardModifiers] = [
      "ctrl": .CTRL_LEFT, "shift": .SHIFT_LEFT, "alt": .ALT_LEFT, "gui": .GUI_LEFT,
    ]
    let keys: [String: InputStickKeyboardKeys] = [
      "tab": .KEY_TAB, "enter": .KEY_ENTER, "esc": .KEY_ESCAPE, "space": .KEY_SPACEBAR,
      "down": .KEY_ARROW_DOWN, "up": .KEY_ARROW_UP,
    ]
    guard let name = words.popLast(), let first = name.utf8.first else { return nil }
    var bits: UInt8 = 0
    for word in words {
      guard let modifier = modifiers[word] else { return nil }
      bits |= modifier.rawValue
    }
    if let key = keys[name] { return .key(key.rawValue, modifiers: bits) }
    // The codes of the letter keys are in the order of the alphabet.
    guard name.utf8.count == 1, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else {
      return nil
    }
    return .key(InputStickKeyboardKeys.KEY_A.rawValue + first - UInt8(ascii: "a"), modifiers: bits)
  }
}
