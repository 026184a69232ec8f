// SPDX-License-Identifier: Apache-2.0

/// A key of a keyboard, by its place and not by what it types: the usage ID of HID's page 7.
public struct GCKeyCode: RawRepresentable, Equatable, Hashable, Sendable, BitwiseCopyable {
  /// The usage ID.
  public var rawValue: CFIndex

  /// Makes the code of a usage ID.
  public init(rawValue: CFIndex) { self.rawValue = rawValue }
}
