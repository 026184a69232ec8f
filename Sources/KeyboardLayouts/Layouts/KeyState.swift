// SPDX-License-Identifier: Apache-2.0

/// The state of Shift, AltGr and Caps Lock, by which a key gives a symbol.
public struct KeyState: OptionSet, Hashable, Sendable {
  /// Bit 0 is Shift, bit 1 AltGr, bit 2 Caps Lock.
  public let rawValue: UInt8

  /// Makes a state; bit 0 is Shift, bit 1 AltGr, bit 2 Caps Lock.
  public init(rawValue: UInt8) { self.rawValue = rawValue & 7 }

  /// A shift key is down.
  public static let shift = KeyState(rawValue: 1)
  /// The right Alt key is down.
  ///
  /// In a layout without AltGr it changes nothing.
  public static let altGr = KeyState(rawValue: 2)
  /// Caps Lock is on.
  public static let capsLock = KeyState(rawValue: 4)

  /// The eight states, in the order of the tables.
  public static let all = (0..<8 as Range<UInt8>).map(KeyState.init)

  /// The state that modifier keys make.
  init(_ modifiers: KeyModifiers, capsLock: Bool) {
    self = capsLock ? .capsLock : []
    if !modifiers.isDisjoint(with: .shift) { insert(.shift) }
    if modifiers.contains(.rightAlt) { insert(.altGr) }
  }

  /// The modifier keys that make the state, without Caps Lock.
  var modifiers: KeyModifiers {
    var modifiers: KeyModifiers = []
    if contains(.shift) { modifiers.insert(.leftShift) }
    if contains(.altGr) { modifiers.insert(.rightAlt) }
    return modifiers
  }

  /// How much more a stroke costs in this state: AltGr is harder to reach than Shift.
  var cost: Int { (contains(.shift) ? 1 : 0) + (contains(.altGr) ? 2 : 0) }
}
