// SPDX-License-Identifier: Apache-2.0

/// The CRC-32 checksum of IEEE 802.3, as computed by zlib.
///
/// It is implemented here because twenty lines are too few for a dependency.
package struct CRC32: Sendable {
  private var register: UInt32 = 0xFFFF_FFFF

  /// Starts a checksum.
  package init() {}

  /// The checksum of the bytes that were added so far.
  package var value: UInt32 { ~register }

  /// Adds bytes.
  package mutating func add(_ bytes: Span<UInt8>) {
    let table = Self.table.span
    var register = register
    var index = 0
    // Four parts of the table read four bytes at once. The first part reads short inputs, for which
    // this is faster, and the last bytes.
    while bytes.count >= 32, bytes.count - index >= 4 {
      register ^= UInt32(bytes[index]) | UInt32(bytes[index + 1]) << 8
      register ^= UInt32(bytes[index + 2]) << 16 | UInt32(bytes[index + 3]) << 24
      register =
        table[768 + Int(register & 0xFF)] ^ table[512 + Int(register >> 8 & 0xFF)]
        ^ table[256 + Int(register >> 16 & 0xFF)] ^ table[Int(register >> 24)]
      index += 4
    }
    while index < bytes.count {
      register = table[Int(UInt8(truncatingIfNeeded: register) ^ bytes[index])] ^ register >> 8
      index += 1
    }
    self.register = register
  }

  /// The effect of each byte on the register if 0, 1, 2 or 3 further bytes follow: 256 numbers for
  /// each of these cases.
  private static let table: [UInt32] = {
    var table: [UInt32] = []
    for byte: UInt32 in 0..<256 {
      var value = byte
      for _ in 0..<8 { value = value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
      table.append(value)
    }
    for index in 0..<768 {
      let value = table[index]
      table.append(table[Int(value & 0xFF)] ^ value >> 8)
    }
    return table
  }()
}
