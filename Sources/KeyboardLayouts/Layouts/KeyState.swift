// SPDX-License-Identifier: Apache-2.0

/// The state of Shift, AltGr and Caps Lock, which selects the symbol of a key.
public struct KeyState: OptionSet, Hashable, Sendable {
  /// Bit 0 is Shift, bit 1 AltGr, bit 2 Caps Lock.
  public let rawValue: UInt8

  /// Makes a state; bit 0 is Shift, bit 1 AltGr, bit 2 Caps Lock, and other bits are dropped.
  public init(rawValue: UInt8) { self.rawValue = rawValue & 7 }

  /// The state in which a Shift key is pressed.
  public static let shift = KeyState(rawValue: 1)
  /// The state in which the right Alt key is pressed.
  ///
  /// In a layout without AltGr, this state changes nothing for keys with symbols of all states.
  public static let altGr = KeyState(rawValue: 2)
  /// The state in which Caps Lock is on.
  public static let capsLock = KeyState(rawValue: 4)

  /// The eight states, in the order of their raw values, from 0 to 7.
  public static let all = (0..<8 as Range<UInt8>).map(KeyState.init)

  /// Makes the state of pressed modifier keys and Caps Lock.
  init(_ modifiers: KeyModifiers, capsLock: Bool) {
    self = capsLock ? .capsLock : []
    if !modifiers.isDisjoint(with: .shift) { insert(.shift) }
    if modifiers.contains(.rightAlt) { insert(.altGr) }
  }

  /// The modifier keys to press for this state, without Caps Lock.
  var modifiers: KeyModifiers {
    var modifiers: KeyModifiers = []
    if contains(.shift) { modifiers.insert(.leftShift) }
    if contains(.altGr) { modifiers.insert(.rightAlt) }
    return modifiers
  }

  /// The additional cost of a stroke in this state: AltGr is harder to reach than Shift.
  var cost: Int { (contains(.shift) ? 1 : 0) + (contains(.altGr) ? 2 : 0) }
}
