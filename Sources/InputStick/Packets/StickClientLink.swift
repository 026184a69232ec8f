// SPDX-License-Identifier: Apache-2.0

/// The client's end of a link: it encrypts what it sends, and reads what the stick sends.
package struct StickClientLink: Sendable {
  /// The key with which packets are encrypted; nil while they are not.
  private var outgoing: StickCipher?
  private var incoming: StickCipher?
  private var authenticator: StickAuthenticator?
  /// The 16 random bytes that the stick has to encrypt.
  private var challenge: [UInt8] = []
  /// The streams of a client that has asked for a session, before the stick has answered.
  private var pending: (outgoing: StickCipher, incoming: StickCipher)?

  /// Makes the end of a new link, without a session.
  package init() {}

  /// Whether packets are encrypted.
  package var isEncrypted: Bool { outgoing != nil }

  /// Ends the session.
  package mutating func reset() { self = StickClientLink() }

  /// Begins a session: makes the packet by which a client authenticates.
  ///
  /// - Parameters:
  ///   - key: The key of the password.
  ///   - withHMAC: Whether packets get authentication codes: from firmware 1.00 on.
  ///   - random: Returns random bytes; it is asked for 16 bytes three times: the initialisation
  ///     vector, the proof, the challenge.
  package mutating func authentication(
    _ key: StickKey, withHMAC: Bool, random: (Int) -> [UInt8]
  ) -> StickPacket {
    reset()
    let vector = random(16)
    var proof = random(16)
    challenge = random(16)
    // The first four bytes of the proof are the CRC-32 of the others.
    proof.replaceSubrange(0..<4, with: StickPacket.checksum(of: proof[4...]))
    var outgoing = StickCipher(key, initialVector: vector)
    let encrypted = outgoing.encrypt(proof) ?? []
    pending = (outgoing, StickCipher(key, initialVector: vector))
    let command: StickCommand = withHMAC ? .authenticateWithHMAC : .authenticate
    return StickPacket(command.rawValue, 0, vector + encrypted + challenge)
  }

  /// Takes the stick's answer to an authentication, whose code is that of success.
  ///
  /// - Returns: Whether the stick has encrypted the challenge rightly: then the session has begun.
  package mutating func authenticated(by answer: StickPacket) -> Bool {
    guard let pending else { return false }
    self.pending = nil
    var incoming = pending.incoming
    guard let echo = incoming.decrypt(Array(answer.data.prefix(16))), echo == challenge else {
      return false
    }
    if StickCommand(rawValue: answer.command) == .authenticateWithHMAC {
      guard answer.data.count >= 48, let key = incoming.decrypt(Array(answer.data[16..<48])) else {
        return false
      }
      authenticator = StickAuthenticator(key: key)
    }
    (outgoing, self.incoming) = (pending.outgoing, incoming)
    return true
  }

  /// Makes the frame of a packet to the stick.
  ///
  /// - Returns: nil if the data is longer than a packet takes.
  package mutating func frame(of packet: StickPacket, wantsAnswer: Bool) -> StickFrame? {
    guard let payload = packet.payload else { return nil }
    var frame = StickFrame(payload: payload)
    frame.wantsAnswer = wantsAnswer
    guard StickCommand(rawValue: packet.command)?.isNeverEncrypted != true,
      let encrypted = outgoing?.encrypt(payload)
    else { return frame }
    frame.payload = encrypted
    frame.isEncrypted = true
    // 0x49 gets one, as in the published client.
    if !StickCommand.isWithoutTrailer(packet.command) || packet.command == 0x49 {
      frame.trailer = authenticator?.trailer(of: encrypted) ?? []
    }
    return frame
  }

  /// Reads a frame of the stick.
  ///
  /// - Throws: Why it cannot be read.
  package mutating func packet(of frame: StickFrame) throws(StickDamage) -> StickPacket {
    guard frame.isEncrypted else { return try StickPacket(payload: frame.payload) }
    guard let payload = incoming?.decrypt(frame.payload) else { throw .encryptionNotSetUp }
    return try StickPacket(payload: payload)
  }
}
