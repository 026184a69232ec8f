// SPDX-License-Identifier: Apache-2.0

import HIDWire

/// One packet on the link of an InputStick: a header of two bytes, blocks of 16 bytes, and an
/// optional trailer.
///
/// A packet with an authentication code has a trailer. The layout is that of the manufacturer's
/// documents (section 3, packet), with bit 5 of the header as both client libraries set it.
package struct StickFrame: Hashable, Sendable {
  /// The first byte of the header.
  package static let start: UInt8 = 0x55
  /// The length of a block, that of AES.
  package static let blockByteCount = 16
  /// The largest number of blocks in a payload.
  package static let maximumBlockCount = 17
  /// The length of the trailer: a counter of 4 bytes, and 16 bytes of the HMAC.
  package static let trailerByteCount = 20

  /// True if a client waits for an answer, or if a packet of the stick is an answer: bit 7 of the
  /// header.
  package var wantsAnswer = false
  /// True if the payload is encrypted: bit 6 of the header.
  package var isEncrypted = false
  /// The blocks: CRC, command, parameter and data, encrypted or not; 1 to 17 times 16 bytes.
  package var payload: [UInt8]
  /// The trailer: 20 bytes if bit 5 of the header is set, else none.
  package var trailer: [UInt8] = []

  /// Makes a frame.
  ///
  /// - Parameter payload: The blocks.
  package init(payload: [UInt8]) { self.payload = payload }

  /// The bytes on the link.
  package var bytes: [UInt8] {
    var info = UInt8(truncatingIfNeeded: payload.count / Self.blockByteCount)
    if wantsAnswer { info |= 0x80 }
    if isEncrypted { info |= 0x40 }
    if !trailer.isEmpty { info |= 0x20 }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(2 + payload.count + trailer.count)
    bytes.append(Self.start)
    bytes.append(info)
    bytes += payload
    bytes += trailer
    return bytes
  }
}

/// The content of a packet: a command, a parameter or answer code, and data.
package struct StickPacket: Hashable, Sendable {
  /// The largest number of data bytes in a packet: 17 blocks without the CRC, the command and the
  /// parameter.
  package static let maximumDataByteCount =
    StickFrame.maximumBlockCount * StickFrame.blockByteCount - 6

  /// The command's number.
  package var command: UInt8
  /// The parameter of a command, or the code of an answer; the first data byte of a notification.
  package var parameter: UInt8
  /// The bytes after the parameter.
  ///
  /// In a received packet, they include the zeros that fill the last block.
  package var data: [UInt8]

  /// Makes a packet.
  package init(_ command: UInt8, _ parameter: UInt8 = 0, _ data: [UInt8] = []) {
    self.command = command
    self.parameter = parameter
    self.data = data
  }

  /// The blocks in the clear.
  ///
  /// The CRC-32 of the content comes first, most significant byte first. The content follows,
  /// filled up with zeros.
  ///
  /// - Returns: nil if the data is longer than ``maximumDataByteCount``.
  package var payload: [UInt8]? {
    guard data.count <= Self.maximumDataByteCount else { return nil }
    let length = data.count + 6
    let blockCount = (length + StickFrame.blockByteCount - 1) / StickFrame.blockByteCount
    var payload: [UInt8] = []
    payload.reserveCapacity(blockCount * StickFrame.blockByteCount)
    payload += [0, 0, 0, 0, command, parameter]
    payload += data
    while payload.count < blockCount * StickFrame.blockByteCount { payload.append(0) }
    let checksum = Self.checksum(of: payload[4...])
    for index in 0..<4 { payload[index] = checksum[index] }
    return payload
  }

  /// Reads a packet from blocks in the clear.
  ///
  /// - Parameter payload: The blocks, at least one.
  /// - Throws: `checksum` if the CRC is wrong; four zeros mean that there is no CRC. `length` if
  ///   there is less than one block.
  package init(payload: [UInt8]) throws(StickDamage) {
    guard payload.count >= StickFrame.blockByteCount else { throw .length }
    let found = payload[..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard found == 0 || found == Self.checksumValue(of: payload[4...]) else { throw .checksum }
    command = payload[4]
    parameter = payload[5]
    data = Array(payload[6...])
  }

  /// The CRC-32 of bytes, most significant byte first.
  static func checksum(of bytes: ArraySlice<UInt8>) -> [UInt8] {
    let value = checksumValue(of: bytes)
    return (0..<4).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private static func checksumValue(of bytes: ArraySlice<UInt8>) -> UInt32 {
    var checksum = CRC32()
    checksum.add(bytes.span)
    return checksum.value
  }
}

/// The reason why a packet cannot be read.
package enum StickDamage: Error, Hashable, Sendable {
  /// The payload has no block, or its length is not valid: a client sends at most 17 blocks.
  case length
  /// The CRC is wrong.
  case checksum
  /// The payload is encrypted, and there is no encrypted session.
  case encryptionNotSetUp
  /// The authentication code, or its counter, is wrong.
  case authentication
  /// The authentication code is missing.
  case authenticationMissing

  /// The reason as a clause: "its CRC is wrong".
  package var words: String {
    switch self {
    case .length: "its length is not that of a packet"
    case .checksum: "its CRC is wrong"
    case .encryptionNotSetUp: "it is encrypted, and no client has authenticated"
    case .authentication: "its authentication code is wrong"
    case .authenticationMissing: "it has no authentication code"
    }
  }
}
