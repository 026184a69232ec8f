// SPDX-License-Identifier: Apache-2.0

import HIDUsageNaming
public import HIDUsages

/// Which keys give which characters on a host with the layout en-US.
public enum USLayout {
  /// One key to tap for a character.
  public struct Stroke: Hashable, Sendable {
    /// The key, on the keyboard page.
    public var key: HIDUsage
    /// Whether shift is down while it is tapped.
    public var isShifted: Bool
  }

  /// The stroke that gives a character.
  ///
  /// - Returns: The stroke, or nil where no single key of the layout gives the character.
  public static func stroke(for character: Character) -> Stroke? {
    guard let scalar = character.unicodeScalars.first, character.unicodeScalars.count == 1,
      scalar != "\0"  // marks gaps in the tables
    else { return nil }
    let id: UInt16
    var isShifted = false
    switch scalar {
    case "a"..."z": id = 0x04 + UInt16(scalar.value - 0x61)
    case "A"..."Z":
      id = 0x04 + UInt16(scalar.value - 0x41)
      isShifted = true
    case "1"..."9": id = 0x1E + UInt16(scalar.value - 0x31)
    default:
      if let index = plain.firstIndex(of: scalar) {
        id = first + UInt16(index)
      } else if let index = shifted.firstIndex(of: scalar) {
        id = first + UInt16(index)
        isShifted = true
      } else if let index = shiftedDigits.firstIndex(of: scalar) {
        id = 0x1E + UInt16(index)
        isShifted = true
      } else {
        return nil
      }
    }
    return Stroke(key: HIDUsage(page: 0x07, usage: id), isShifted: isShifted)
  }

  private static let shiftedDigits = Array("!@#$%^&*(".unicodeScalars)  // from 0x1E, the key 1
  // From 0x27, the key 0, to 0x38. U+0000 stands for keys that give no character of their own here.
  private static let first: UInt16 = 0x27
  private static let plain = Array("0\n\0\0\t -=[]\\\0;'`,./".unicodeScalars)
  private static let shifted = Array(")\0\0\0\0\0_+{}|\0:\"~<>?".unicodeScalars)
}
