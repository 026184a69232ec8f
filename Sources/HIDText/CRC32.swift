// SPDX-License-Identifier: Apache-2.0

/// The CRC-32 checksum of IEEE 802.3, as computed by zlib.
///
/// It is implemented here because it is twenty lines; a dependency for it would be the package's
/// largest.
package struct CRC32: Sendable {
  private var register: UInt32 = 0xFFFF_FFFF

  /// Starts a checksum.
  package init() {}

  /// The checksum of what was added.
  package var value: UInt32 { ~register }

  /// Adds bytes.
  package mutating func add(_ bytes: Span<UInt8>) {
    var register = register
    let table = Self.table.span
    for index in bytes.indices {
      register = table[Int(UInt8(truncatingIfNeeded: register) ^ bytes[index])] ^ register >> 8
    }
    self.register = register
  }

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in
      value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1
    }
  }
}
