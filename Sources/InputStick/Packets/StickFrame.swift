// SPDX-License-Identifier: Apache-2.0
import HIDText

/// One packet on the link of an InputStick: a header of two bytes, blocks of 16 bytes, and an
/// optional trailer.
///
/// A packet with an authentication code has a trailer. The layout is that of the manufacturer's
/// documents (section 3, packet), with bit 5 of the header as both published clients set it.
package struct StickFrame: Hashable, Sendable {
  /// The first byte of the header.
  package static let start: UInt8 = 0x55
  /// The length of a block, that of AES.
  package static let blockByteCount = 16
  /// The largest number of blocks in a packet that is sent; a client accepts up to 63 from a stick.
  package static let maximumBlockCount = 17
  /// The length of the trailer: a counter of 4 bytes, and 16 bytes of the HMAC.
  package static let trailerByteCount = 20

  /// The length of the header.
  static let headerByteCount = 2

  /// The bytes on the link: header, payload and trailer.
  package private(set) var bytes: [UInt8]
  private var trailerByteCount = 0

  /// Makes a frame in the clear.
  ///
  /// - Parameter payload: The blocks, of 16 bytes each.
  package init(payload: some Collection<UInt8>) {
    bytes = Self.header(of: payload.count)
    bytes += payload
  }

  /// Makes a frame in the clear with the blocks of a packet.
  ///
  /// - Returns: nil if the data is longer than ``StickPacket/maximumDataByteCount``.
  init?(_ packet: StickPacket) {
    guard let count = packet.payloadByteCount else { return nil }
    bytes = Self.header(of: count)
    packet.append(to: &bytes, payloadByteCount: count)
  }

  /// Makes a frame from its bytes on the link.
  ///
  /// - Parameters:
  ///   - bytes: The header, the payload and the trailer.
  ///   - trailerByteCount: The length of the trailer; 0 without one.
  init(bytes: [UInt8], trailerByteCount: Int) {
    self.bytes = bytes
    self.trailerByteCount = trailerByteCount
  }

  /// Returns the header of a frame in the clear, in an array with capacity for the whole frame.
  private static func header(of payloadByteCount: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(headerByteCount + payloadByteCount + trailerByteCount)
    bytes.append(start)
    bytes.append(UInt8(truncatingIfNeeded: payloadByteCount / blockByteCount))
    return bytes
  }

  /// True if a client waits for an answer, or if a packet of the stick is an answer: bit 7 of the
  /// header.
  package var wantsAnswer: Bool {
    get { bytes[1] & 0x80 != 0 }
    set { bytes[1] = bytes[1] & 0x7F | (newValue ? 0x80 : 0) }
  }

  /// True if the payload is encrypted: bit 6 of the header.
  package var isEncrypted: Bool {
    get { bytes[1] & 0x40 != 0 }
    set { bytes[1] = bytes[1] & 0xBF | (newValue ? 0x40 : 0) }
  }

  /// The blocks of 16 bytes: CRC, command, parameter and data, encrypted or not.
  ///
  /// A packet that could not be encrypted has no blocks.
  package var payload: ArraySlice<UInt8> {
    bytes[Self.headerByteCount..<(bytes.count - trailerByteCount)]
  }

  /// The trailer: 20 bytes in a client's frame that has bit 5 of the header set, else none.
  package var trailer: ArraySlice<UInt8> { bytes.suffix(trailerByteCount) }

  /// Encrypts the payload in place, and sets bit 6 of the header.
  ///
  /// - Parameter encrypt: Encrypts the given range of the bytes in place; returns false if it
  ///   cannot.
  /// - Returns: False if the payload is still in the clear; the header is then unchanged.
  mutating func encryptPayload(
    with encrypt: (inout [UInt8], Range<Int>) -> Bool
  ) -> Bool {
    let range = payload.indices
    guard encrypt(&bytes, range) else { return false }
    isEncrypted = true
    return true
  }

  /// Adds a trailer of 20 bytes, and sets bit 5 of the header.
  ///
  /// Nothing changes if the given trailer is empty, or if the frame already has a trailer.
  mutating func add(trailer: [UInt8]) {
    guard trailerByteCount == 0, !trailer.isEmpty else { return }
    bytes += trailer
    bytes[1] |= 0x20
    trailerByteCount = trailer.count
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

  /// The length of the blocks; nil if the data is longer than ``maximumDataByteCount``.
  var payloadByteCount: Int? {
    guard data.count <= Self.maximumDataByteCount else { return nil }
    let blockCount = (data.count + 6 + StickFrame.blockByteCount - 1) / StickFrame.blockByteCount
    return blockCount * StickFrame.blockByteCount
  }

  /// The blocks in the clear.
  ///
  /// The CRC-32 of the content comes first, most significant byte first. The content follows,
  /// filled up with zeros.
  ///
  /// - Returns: nil if the data is longer than ``maximumDataByteCount``.
  package var payload: [UInt8]? {
    guard let count = payloadByteCount else { return nil }
    var payload: [UInt8] = []
    payload.reserveCapacity(count)
    append(to: &payload, payloadByteCount: count)
    return payload
  }

  /// The content of the blocks: the command, the parameter and the data, filled up with zeros; nil
  /// if the data is longer than ``maximumDataByteCount``.
  var content: [UInt8]? {
    guard let count = payloadByteCount else { return nil }
    var content: [UInt8] = []
    content.reserveCapacity(count - 4)
    appendContent(to: &content, byteCount: count - 4)
    return content
  }

  /// Appends the blocks in the clear.
  func append(to bytes: inout [UInt8], payloadByteCount: Int) {
    let start = bytes.count
    for _ in 0..<4 { bytes.append(0) }
    appendContent(to: &bytes, byteCount: payloadByteCount - 4)
    let checksum = Self.checksumValue(of: bytes.span.extracting((start + 4)...))
    for index in 0..<4 {
      bytes[start + index] = UInt8(truncatingIfNeeded: checksum >> (24 - 8 * index))
    }
  }

  private func appendContent(to bytes: inout [UInt8], byteCount: Int) {
    bytes.append(command)
    bytes.append(parameter)
    bytes += data
    for _ in (2 + data.count)..<byteCount { bytes.append(0) }
  }

  /// Reads a packet from blocks in the clear.
  ///
  /// - Parameter payload: The blocks, at least one.
  /// - Throws: `checksum` if the CRC is wrong; four zeros mean that there is no CRC. `length` if
  ///   there is less than one block.
  package init(payload: Span<UInt8>) throws(StickDamage) {
    guard payload.count >= StickFrame.blockByteCount else { throw .length }
    var found: UInt32 = 0
    for index in 0..<4 { found = found << 8 | UInt32(payload[index]) }
    guard found == 0 || found == Self.checksumValue(of: payload.extracting(4...)) else {
      throw .checksum
    }
    command = payload[4]
    parameter = payload[5]
    data = payload.extracting(6...).withUnsafeBufferPointer { Array($0) }
  }

  /// Returns the CRC-32 of bytes, most significant byte first.
  static func checksum(of bytes: ArraySlice<UInt8>) -> [UInt8] {
    let value = checksumValue(of: bytes.span)
    return (0..<4).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private static func checksumValue(of bytes: Span<UInt8>) -> UInt32 {
    var checksum = CRC32()
    checksum.add(bytes)
    return checksum.value
  }
}

/// The reason why a packet cannot be read.
package enum StickDamage: Error, Hashable, Sendable {
  /// The length is not valid: no block, or more than 17 blocks from a client; or libcrypto has no
  /// memory to decrypt the packet.
  case length
  /// The CRC is wrong.
  case checksum
  /// The payload is encrypted, and there is no encrypted session.
  case encryptionNotSetUp
  /// The authentication code, or its counter, is wrong; or libcrypto has no memory to check it.
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
