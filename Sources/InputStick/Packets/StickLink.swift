// SPDX-License-Identifier: Apache-2.0

import HIDSimulator

/// The end of a link that belongs to the stick (a simulated InputStick).
///
/// It reads packets from a client's frames, and makes the frames of the stick's packets.
package struct StickLink: Sendable {
  /// The key of the stick's password; nil if the stick has none.
  package var key: StickKey?
  /// True if a client has authenticated, or no password is set.
  package var isAuthenticated: Bool { key == nil || incoming != nil }
  /// True if packets to the client are encrypted, except answers to commands with
  /// ``StickCommand/isNeverEncrypted``.
  package var encrypts: Bool { outgoing != nil }
  private var incoming: StickCipher?
  private var outgoing: StickCipher?
  private var authenticator: StickAuthenticator?

  /// Makes the end of a new link, on which no client has authenticated.
  package init(key: StickKey? = nil) { self.key = key }

  /// Reads a frame from the client.
  ///
  /// The trailer is checked only for an encrypted frame in a session that began with command 0x30.
  ///
  /// - Throws: `encryptionNotSetUp` for an encrypted frame without a session, and `length` or
  ///   `checksum` for damaged blocks. If the trailer is checked, `authentication` for a wrong one,
  ///   and `authenticationMissing` for a missing one, unless the command has none
  ///   (``StickCommand/isWithoutTrailer(_:)``). If libcrypto has no memory, `length` or
  ///   `authentication`.
  package mutating func packet(of frame: StickFrame) throws(StickDamage) -> StickPacket {
    guard frame.isEncrypted else { return try StickPacket(payload: frame.payload.span) }
    guard let packet = try incoming?.packet(of: frame.payload) else { throw .encryptionNotSetUp }
    guard authenticator != nil else { return packet }
    if frame.trailer.isEmpty {
      guard StickCommand.isWithoutTrailer(packet.command) else { throw .authenticationMissing }
    } else if authenticator?.accepts(frame.trailer, of: frame.payload) != true {
      throw .authentication
    }
    return packet
  }

  /// Makes the frame of a packet to the client.
  ///
  /// - Parameters:
  ///   - packet: The packet; data beyond ``StickPacket/maximumDataByteCount`` is cut off.
  ///   - isAnswer: True if the packet answers a client's command.
  /// - Returns: The frame; one without blocks if libcrypto has no memory to encrypt the packet.
  package mutating func frame(of packet: StickPacket, isAnswer: Bool) -> StickFrame {
    var packet = packet
    packet.data = Array(packet.data.prefix(StickPacket.maximumDataByteCount))
    var frame = StickFrame(packet) ?? StickFrame(payload: [])
    frame.wantsAnswer = isAnswer
    let isClear = StickCommand(rawValue: packet.command)?.isNeverEncrypted == true
    // Without memory the frame is empty, rather than in the clear.
    if !isClear, outgoing?.encrypt(&frame) == false { return StickFrame(payload: []) }
    return frame
  }

  /// Checks a client's authentication (command 0x12 or 0x30), and makes the answer.
  ///
  /// - Parameters:
  ///   - packet: Its data consists of the initialisation vector, the encrypted proof and the
  ///     challenge, 16 bytes each.
  ///   - hmacKey: 32 bytes for the authentication codes; a client that sends 0x30 receives them.
  /// - Returns: The answer. If its code is that of success, a new session has begun; otherwise the
  ///   link is unchanged.
  package mutating func authenticate(_ packet: StickPacket, hmacKey: [UInt8]) -> StickPacket {
    guard let key else { return StickPacket(packet.command, StickAnswer.noPassword) }
    guard packet.data.count >= 48 else {
      return StickPacket(packet.command, StickAnswer.invalidParameter)
    }
    let vector = Array(packet.data[0..<16])
    guard var incoming = StickCipher(.decryption, key, initialVector: vector),
      var outgoing = StickCipher(.encryption, key, initialVector: vector),
      let proof = incoming.update(packet.data[16..<32]), Self.isProof(proof),
      let echo = outgoing.update(packet.data[32..<48])
    else { return StickPacket(packet.command, StickAnswer.wrongKey) }
    var answer = StickPacket(packet.command, StickAnswer.ok, echo)
    authenticator = nil
    if StickCommand(rawValue: packet.command) == .authenticateWithHMAC {
      answer.data += outgoing.update(hmacKey[...]) ?? []
      authenticator = StickAuthenticator(key: hmacKey)
    }
    (self.incoming, self.outgoing) = (incoming, outgoing)
    return answer
  }

  /// Returns whether 16 decrypted bytes begin with the CRC-32 of the other twelve.
  private static func isProof(_ bytes: [UInt8]) -> Bool {
    Array(bytes.prefix(4)) == StickPacket.checksum(of: bytes.dropFirst(4))
  }

  /// Ends the session, if there is one; the key of the password stays.
  package mutating func reset() { self = StickLink(key: key) }
}
