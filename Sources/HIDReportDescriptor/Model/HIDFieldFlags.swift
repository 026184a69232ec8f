// SPDX-License-Identifier: Apache-2.0

/// The data bits of an Input, Output or Feature item.
///
/// Source: HID 1.11, section 6.2.2.5.
public struct HIDFieldFlags: OptionSet, Hashable, Sendable {
  /// All bits of the item's data.
  public let rawValue: UInt32

  /// Creates flags from an item's data.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The value never changes, or is padding; else it is data.
  public static let constant = Self(rawValue: 1 << 0)
  /// Each element is the value of one usage; else an array, whose elements select the usages that
  /// are on.
  public static let variable = Self(rawValue: 1 << 1)
  /// The value is a change since the last report; else it is absolute.
  public static let relative = Self(rawValue: 1 << 2)
  /// The value wraps around at its ends.
  public static let wrap = Self(rawValue: 1 << 3)
  /// The value is not proportional to what is measured.
  public static let nonLinear = Self(rawValue: 1 << 4)
  /// The control does not return to a position by itself.
  public static let noPreferredState = Self(rawValue: 1 << 5)
  /// A value outside the logical range means that there is no value.
  public static let nullState = Self(rawValue: 1 << 6)
  /// The device may change the value by itself (output and feature reports).
  public static let volatile = Self(rawValue: 1 << 7)
  /// The elements are a stream of bytes; else a bit field.
  public static let bufferedBytes = Self(rawValue: 1 << 8)
}

extension HIDFieldFlags: CustomStringConvertible {
  /// The words for the bits.
  ///
  /// First data or constant, array or variable, absolute or relative; then the flags that are not
  /// the default. Reserved bits have no word.
  public var description: String { words.joined(separator: " ") }

  /// The words of ``description``.
  public var words: [String] {
    var words = [
      contains(.constant) ? "constant" : "data",
      contains(.variable) ? "variable" : "array",
      contains(.relative) ? "relative" : "absolute",
    ]
    for (flag, _, word) in Self.pairs.dropFirst(3) where contains(flag) { words.append(word) }
    return words
  }

  /// Each flag with the word for a clear bit and the word for a set bit.
  static let pairs: [(Self, String, String)] = [
    (.constant, "data", "constant"),
    (.variable, "array", "variable"),
    (.relative, "absolute", "relative"),
    (.wrap, "noWrap", "wrap"),
    (.nonLinear, "linear", "nonLinear"),
    (.noPreferredState, "preferredState", "noPreferredState"),
    (.nullState, "noNullPosition", "nullState"),
    (.volatile, "nonVolatile", "volatile"),
    (.bufferedBytes, "bitField", "bufferedBytes"),
  ]
}
