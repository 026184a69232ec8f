// SPDX-License-Identifier: Apache-2.0

/// The client's end of the link to an InputStick (a *stick*).
///
/// It encrypts the packets to the stick, and decrypts the packets from the stick.
package struct StickClientLink: Sendable {
  /// True if the stick has proved that it has the key.
  ///
  /// Packets are encrypted from then on, except commands with ``StickCommand/isNeverEncrypted``.
  package private(set) var isEncrypted = false
  /// True if the session has authentication codes; ``hasTrailer(_:)`` says which encrypted packets
  /// carry one.
  package var hasAuthenticator: Bool { authenticator != nil }
  private var outgoing: StickCipher?
  private var incoming: StickCipher?
  private var authenticator: StickAuthenticator?
  /// The 16 random bytes that the stick has to encrypt.
  private var challenge: [UInt8]?

  /// Makes the end of a new link, without a session.
  package init() {}

  /// Ends the session.
  package mutating func reset() { self = StickClientLink() }

  // MARK: Authentication

  /// Ends the session, and starts both encrypted streams of a new one.
  ///
  /// Packets stay in the clear until ``authenticated(by:)`` has accepted the stick's answer.
  ///
  /// - Parameters:
  ///   - key: The key of the password.
  ///   - initialVector: 16 bytes.
  package mutating func start(_ key: StickKey, initialVector: [UInt8]) {
    reset()
    outgoing = StickCipher(.encryption, key, initialVector: initialVector)
    incoming = StickCipher(.decryption, key, initialVector: initialVector)
  }

  /// Makes the packet that authenticates a client, after ``start(_:initialVector:)``.
  ///
  /// - Parameters:
  ///   - initialVector: The initialisation vector of both streams.
  ///   - proof: 16 random bytes; the first four are replaced by the CRC-32 of the others.
  ///   - challenge: 16 random bytes for the stick to encrypt.
  ///   - withHMAC: True for packets with authentication codes: from firmware 1.00 on.
  package mutating func authentication(
    initialVector: [UInt8], proof: [UInt8], challenge: [UInt8], withHMAC: Bool
  ) -> StickPacket {
    var proof = proof
    proof.replaceSubrange(0..<4, with: StickPacket.checksum(of: proof[4...]))
    self.challenge = challenge
    let command: StickCommand = withHMAC ? .authenticateWithHMAC : .authenticate
    return StickPacket(
      command.rawValue, 0, initialVector + (encrypt(proof) ?? []) + challenge)
  }

  /// Ends the session, starts both encrypted streams of a new one, and makes the packet that
  /// authenticates a client.
  ///
  /// - Parameters:
  ///   - key: The key of the password.
  ///   - withHMAC: True for packets with authentication codes: from firmware 1.00 on.
  ///   - random: Called with the number of random bytes to return.
  package mutating func authentication(
    _ key: StickKey, withHMAC: Bool, random: (Int) -> [UInt8]
  ) -> StickPacket {
    let vector = random(16)
    start(key, initialVector: vector)
    return authentication(
      initialVector: vector, proof: random(16), challenge: random(16), withHMAC: withHMAC)
  }

  /// Checks the stick's answer to an authentication.
  ///
  /// - Parameter answer: An answer whose code is that of success.
  ///
  /// - Returns: True if the stick has encrypted the challenge correctly, and, after the command
  ///   0x30, has sent the key of the authentication codes. Packets are encrypted from then on.
  package mutating func authenticated(by answer: StickPacket) -> Bool {
    guard let challenge, let echo = decrypt(Array(answer.data.prefix(16))), echo == challenge else {
      return false
    }
    self.challenge = nil
    if StickCommand(rawValue: answer.command) == .authenticateWithHMAC {
      guard answer.data.count >= 48, let key = decrypt(Array(answer.data[16..<48])) else {
        return false
      }
      startAuthenticator(key: key)
      guard authenticator != nil else { return false }
    }
    isEncrypted = true
    return true
  }

  /// Starts authentication codes with a counter of 0.
  package mutating func startAuthenticator(key: [UInt8]) {
    authenticator = StickAuthenticator(key: key)
  }

  // MARK: Streams

  /// Encrypts the next blocks to the stick; nil without a key or memory, or if the length is not a
  /// multiple of 16 bytes.
  package mutating func encrypt(_ blocks: [UInt8]) -> [UInt8]? { outgoing?.update(blocks[...]) }

  /// Decrypts the next blocks from the stick; nil without a key or memory, or if the length is not
  /// a multiple of 16 bytes.
  package mutating func decrypt(_ blocks: [UInt8]) -> [UInt8]? { incoming?.update(blocks[...]) }

  /// Makes the trailer of the next encrypted payload; empty without authentication codes or memory.
  package mutating func trailer(of payload: [UInt8]) -> [UInt8] {
    authenticator?.trailer(of: payload[...]) ?? []
  }

  /// Returns whether an encrypted packet with this command carries a trailer in a session with
  /// authentication codes.
  ///
  /// 0x49 carries a trailer, as in the published client.
  package static func hasTrailer(_ command: UInt8) -> Bool {
    !StickCommand.isWithoutTrailer(command) || command == 0x49
  }

  // MARK: Packets

  /// Makes the frame of a packet to the stick.
  ///
  /// - Returns: nil if the data is longer than ``StickPacket/maximumDataByteCount``, or if the
  ///   packet cannot be encrypted.
  package mutating func frame(of packet: StickPacket, wantsAnswer: Bool) -> StickFrame? {
    guard var frame = StickFrame(packet) else { return nil }
    frame.wantsAnswer = wantsAnswer
    guard isEncrypted, StickCommand(rawValue: packet.command)?.isNeverEncrypted != true else {
      return frame
    }
    // Without memory nothing is sent, rather than the packet in the clear.
    guard outgoing?.encrypt(&frame) == true else { return nil }
    if Self.hasTrailer(packet.command) { authenticator?.addTrailer(to: &frame) }
    return frame
  }

  /// Returns the payload of a frame from the stick in the clear; nil if it is encrypted without a
  /// session, or cannot be decrypted.
  package mutating func payload(of frame: StickFrame) -> [UInt8]? {
    guard frame.isEncrypted else { return Array(frame.payload) }
    return isEncrypted ? incoming?.update(frame.payload) : nil
  }

  /// Reads a frame from the stick.
  ///
  /// - Throws: The reason why the frame cannot be read.
  package mutating func packet(of frame: StickFrame) throws(StickDamage) -> StickPacket {
    guard frame.isEncrypted else { return try StickPacket(payload: frame.payload.span) }
    guard isEncrypted, let packet = try incoming?.packet(of: frame.payload) else {
      throw .encryptionNotSetUp
    }
    return packet
  }
}
