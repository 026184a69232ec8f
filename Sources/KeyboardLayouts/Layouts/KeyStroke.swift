// SPDX-License-Identifier: Apache-2.0

public import HIDUsages

/// A key that is pressed and released while modifier keys are pressed.
public struct KeyStroke: Hashable, Sendable {
  /// The pressed modifier keys.
  public var modifiers: KeyModifiers
  /// The key: a usage ID of the keyboard page (0x07).
  public var usageID: UInt8

  /// Makes a stroke.
  ///
  /// - Parameters:
  ///   - modifiers: The pressed modifier keys.
  ///   - usageID: The key: a usage ID of the keyboard page.
  public init(_ modifiers: KeyModifiers = [], _ usageID: UInt8) {
    self.modifiers = modifiers
    self.usageID = usageID
  }

  /// The key as a usage of the keyboard page.
  public var usage: HIDUsage {
    HIDUsage(page: HIDUsage.KeyboardOrKeypadUsage.page, usage: UInt16(usageID))
  }
}
