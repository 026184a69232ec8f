// SPDX-License-Identifier: Apache-2.0

/// The container of a capture of packets, found by its first bytes.
///
/// Source: draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng.
package enum CaptureContainer: Hashable, Sendable {
  case pcap(isBigEndian: Bool, isNanoseconds: Bool)
  case pcapng

  /// Detects the container of a file; nil if the file is not a capture.
  ///
  /// - Parameter start: The first bytes of the file. The first twelve decide; if there are fewer,
  ///   the first four.
  package init?(_ start: [UInt8]) {
    switch start.prefix(4) {
    case [0xA1, 0xB2, 0xC3, 0xD4]: self = .pcap(isBigEndian: true, isNanoseconds: false)
    case [0xD4, 0xC3, 0xB2, 0xA1]: self = .pcap(isBigEndian: false, isNanoseconds: false)
    case [0xA1, 0xB2, 0x3C, 0x4D]: self = .pcap(isBigEndian: true, isNanoseconds: true)
    case [0x4D, 0x3C, 0xB2, 0xA1]: self = .pcap(isBigEndian: false, isNanoseconds: true)
    case [0x0A, 0x0D, 0x0D, 0x0A]:
      // The block type reads the same in both byte orders; the byte-order magic is at byte 8.
      let magic = start.dropFirst(8).prefix(4)
      guard
        magic.count < 4 || magic == [0x1A, 0x2B, 0x3C, 0x4D] || magic == [0x4D, 0x3C, 0x2B, 0x1A]
      else { return nil }
      self = .pcapng
    default: return nil
    }
  }
}
