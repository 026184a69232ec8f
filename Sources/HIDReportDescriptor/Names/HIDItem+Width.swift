// SPDX-License-Identifier: Apache-2.0

extension HIDItem {
  /// Creates a short item with data of a given width, and with offset 0.
  ///
  /// - Parameter tag: The tag of the item.
  /// - Parameter value: The value; signed items accept both readings of the bits: -1 and 255 in one
  ///   byte.
  /// - Parameter dataByteCount: 0, 1, 2 or 4 bytes.
  /// - Returns: The item, or `nil` if the bytes do not hold the value, or the width does not exist.
  public init?(_ tag: HIDItemTag, value: Int64, dataByteCount: Int) {
    guard [0, 1, 2, 4].contains(dataByteCount) else { return nil }
    let bits = Int64(8 * dataByteCount)
    let lowest: Int64 = tag.isSigned && bits > 0 ? -1 << (bits - 1) : 0
    guard value >= lowest, value < 1 << bits else { return nil }
    self.init(tag, data: UInt32(truncatingIfNeeded: value), dataByteCount: dataByteCount)
  }
}
