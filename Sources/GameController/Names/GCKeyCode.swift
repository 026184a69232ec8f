// SPDX-License-Identifier: Apache-2.0

/// A key of a keyboard, identified by its position and not by the character that it types.
///
/// The raw value is the usage ID on HID's page 7.
public struct GCKeyCode: RawRepresentable, Equatable, Hashable, Sendable, BitwiseCopyable {
  /// The usage ID.
  public var rawValue: CFIndex

  /// Makes a code from a usage ID.
  public init(rawValue: CFIndex) { self.rawValue = rawValue }
}
