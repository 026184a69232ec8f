// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// The CRC-32 of bytes, as zlib computes it.
extension NSData {
  private static let polynomial: UInt32 = 0xEDB8_8320
  private static let seed: UInt32 = 0xFFFF_FFFF

  /// Returns the CRC-32 of all bytes.
  public func crc32() -> UInt32 { crc32(withSeed: Self.seed) }

  /// Returns the CRC-32 of a range of bytes; a range beyond the end is cut.
  public func crc32(withOffset offset: UInt, length: UInt) -> UInt32 {
    let bytes = Data(referencing: self).dropFirst(Int(clamping: offset)).prefix(
      Int(clamping: length))
    return NSData(data: Data(bytes)).crc32()
  }

  /// Returns the CRC-32 of all bytes with another initial value.
  public func crc32(withSeed seed: UInt32) -> UInt32 {
    crc32(withSeed: seed, usingPolynomial: Self.polynomial)
  }

  /// Returns the CRC-32 of all bytes with another polynomial, in reversed bit order.
  public func crc32(usingPolynomial poly: UInt32) -> UInt32 {
    crc32(withSeed: Self.seed, usingPolynomial: poly)
  }

  /// Returns the CRC of all bytes with an initial value and a polynomial in reversed bit order.
  ///
  /// The lowest bit of the polynomial stands for the highest power. The result is inverted, as in
  /// CRC-32.
  public func crc32(withSeed seed: UInt32, usingPolynomial poly: UInt32) -> UInt32 {
    var value = seed
    for byte in Data(referencing: self) {
      value ^= UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? poly ^ value >> 1 : value >> 1 }
    }
    return ~value
  }
}
