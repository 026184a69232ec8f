// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// The CRC-32 of bytes, as zlib has it.
extension NSData {
  private static let polynomial: UInt32 = 0xEDB8_8320
  private static let seed: UInt32 = 0xFFFF_FFFF

  /// The CRC-32 of all bytes.
  public func crc32() -> UInt32 { crc32(withSeed: Self.seed) }

  /// The CRC-32 of some bytes; those beyond the end are left out.
  public func crc32(withOffset offset: UInt, length: UInt) -> UInt32 {
    let bytes = Data(referencing: self).dropFirst(Int(clamping: offset)).prefix(
      Int(clamping: length))
    return NSData(data: Data(bytes)).crc32()
  }

  /// The CRC-32 with another start.
  public func crc32(withSeed seed: UInt32) -> UInt32 {
    crc32(withSeed: seed, usingPolynomial: Self.polynomial)
  }

  /// The CRC-32 with another polynomial.
  public func crc32(usingPolynomial poly: UInt32) -> UInt32 {
    crc32(withSeed: Self.seed, usingPolynomial: poly)
  }

  /// The CRC with a start and a polynomial, whose lowest bit is that of the highest power.
  public func crc32(withSeed seed: UInt32, usingPolynomial poly: UInt32) -> UInt32 {
    var value = seed
    for byte in Data(referencing: self) {
      value ^= UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? poly ^ value >> 1 : value >> 1 }
    }
    return ~value
  }
}
