// SPDX-License-Identifier: Apache-2.0

/// The keyboards that are connected, and whether an on-screen keyboard should be shown.
public struct KeyboardState: Hashable, Sendable {
  /// The names of the keyboards that are connected, without pedals, in the order of connection.
  public let keyboards: [String]
  /// Whether text input has begun: see ``PedalMonitor/beginTextInput()``.
  public let takesText: Bool

  /// Whether a keyboard is connected that is no pedals.
  public var hasKeyboard: Bool { !keyboards.isEmpty }

  /// Whether an on-screen keyboard should be shown: text input has begun, and no keyboard is
  /// connected.
  ///
  /// Pedals do not count, even if their descriptor is that of a whole keyboard.
  public var shouldShowOnScreenKeyboard: Bool { takesText && !hasKeyboard }
}
