// SPDX-License-Identifier: Apache-2.0

/// The keyboards that are connected, and whether an on-screen keyboard should be shown.
public struct KeyboardState: Hashable, Sendable {
  /// The names of the keyboards that are connected, without pedals, in the order of their device
  /// IDs in CoreHID.
  ///
  /// A keyboard without a product name is `keyboard` and its device ID.
  public let keyboards: [String]
  /// True during text input: after ``PedalMonitor/beginTextInput()``, until the last nested call of
  /// ``PedalMonitor/endTextInput()``.
  public let takesText: Bool

  /// True if a keyboard other than pedals is connected.
  public var hasKeyboard: Bool { !keyboards.isEmpty }

  /// True if an on-screen keyboard should be shown: during text input, while no keyboard is
  /// connected.
  ///
  /// Pedals do not count, even if their report descriptor is that of a complete keyboard.
  public var shouldShowOnScreenKeyboard: Bool { takesText && !hasKeyboard }
}
