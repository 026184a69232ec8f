// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// The AES key that is derived from the password of an InputStick.
package struct StickKey: Hashable, Sendable {
  /// The 16 bytes of the key.
  package let bytes: [UInt8]

  /// Makes the key of a password: the MD5 of its UTF-8 bytes.
  ///
  /// - Throws: The reason why links cannot be encrypted on this machine.
  package init(password: String) throws(MissingOpenSSL) {
    let functions = try OpenSSL.functions()
    guard let code = OpenSSL.md5(of: Array(password.utf8), by: functions) else {
      throw MissingOpenSSL(problem: "it has no memory", reason: .notLoaded)
    }
    bytes = code
  }

  /// Makes a key from its 16 bytes; nil for another length, and on a machine that cannot encrypt.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == 16, OpenSSL.isAvailable else { return nil }
    self.bytes = bytes
  }
}

extension [UInt8] {
  /// Returns random bytes for keys, initialisation vectors and challenges.
  package static func random(count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in .random(in: 0...255, using: &generator) }
  }
}

/// One direction of an encrypted session.
///
/// AES-128 in CBC mode without padding encrypts the payloads of packets as one stream. Packets in
/// the clear are not part of the stream.
package struct StickCipher: Sendable {
  /// The direction of a cipher.
  package enum Direction: Sendable {
    /// From clear to encrypted blocks.
    case encryption
    /// From encrypted to clear blocks.
    case decryption
  }

  private var context: CipherContext

  /// Makes a cipher at the start of a stream.
  ///
  /// - Parameters:
  ///   - direction: The direction.
  ///   - key: The key.
  ///   - initialVector: 16 bytes.
  ///
  /// - Returns: nil if the vector has another length, or if libcrypto has no memory.
  package init?(_ direction: Direction, _ key: StickKey, initialVector: [UInt8]) {
    guard
      let context = CipherContext(
        key: key.bytes, initialVector: initialVector, encrypts: direction == .encryption)
    else { return nil }
    self.context = context
  }

  /// Encrypts or decrypts the next blocks of the stream.
  ///
  /// - Returns: nil if the length is not a multiple of 16 bytes, or if libcrypto has no memory.
  package mutating func update(_ blocks: ArraySlice<UInt8>) -> [UInt8]? {
    guard isReady() else { return nil }
    var isDone = false
    let found = [UInt8](unsafeUninitializedCapacity: blocks.count) { buffer, written in
      isDone = blocks.withUnsafeBufferPointer { context.update($0, into: buffer) }
      written = isDone ? blocks.count : 0
    }
    return isDone ? found : nil
  }

  /// Encrypts the payload of a frame as the next blocks of the stream.
  ///
  /// - Returns: False if libcrypto has no memory; the payload is then still in the clear.
  @discardableResult mutating func encrypt(_ frame: inout StickFrame) -> Bool {
    guard isReady() else { return false }
    return frame.encryptPayload { bytes, range in
      bytes.withUnsafeMutableBufferPointer { buffer in
        let blocks = buffer.extracting(range)
        return context.update(UnsafeBufferPointer(blocks), into: blocks)
      }
    }
  }

  /// Decrypts the next blocks of the stream, and reads the packet in them.
  ///
  /// - Throws: The reason why the blocks are no packet; `length` also if libcrypto has no memory.
  mutating func packet(of blocks: ArraySlice<UInt8>) throws(StickDamage) -> StickPacket {
    guard isReady() else { throw .length }
    let packet: Result<StickPacket, StickDamage> = withUnsafeTemporaryAllocation(
      of: UInt8.self, capacity: blocks.count
    ) { buffer in
      guard blocks.withUnsafeBufferPointer({ context.update($0, into: buffer) }) else {
        return .failure(.length)
      }
      return Result { () throws(StickDamage) in
        try StickPacket(payload: UnsafeBufferPointer(buffer).span)
      }
    }
    return try packet.get()
  }

  /// Copies the context if another cipher shares it; returns false without memory.
  private mutating func isReady() -> Bool {
    if !isKnownUniquelyReferenced(&context) {
      guard let copy = CipherContext(copying: context) else { return false }
      context = copy
    }
    return true
  }
}

/// The authentication codes of a session, from firmware 1.00 on.
///
/// A code is the HMAC-SHA256 of a counter and the encrypted payload, cut to 16 bytes.
package struct StickAuthenticator: Sendable {
  private var context: HMACContext
  /// The counter of the next packet.
  package private(set) var counter: UInt32

  /// Makes an authenticator from the key that the stick has sent.
  ///
  /// - Parameters:
  ///   - key: 32 bytes.
  ///   - counter: The counter of the next packet.
  ///
  /// - Returns: nil on a machine that cannot encrypt, or if libcrypto has no memory.
  package init?(key: [UInt8], counter: UInt32 = 0) {
    guard let context = HMACContext(key: key) else { return nil }
    self.context = context
    self.counter = counter
  }

  /// Returns the trailer of the next packet, and increments the counter.
  ///
  /// The trailer is the counter, least significant byte first, and the code. It is empty if
  /// libcrypto has no memory.
  package mutating func trailer(of payload: ArraySlice<UInt8>) -> [UInt8] {
    defer { counter &+= 1 }
    return trailer(of: payload, counter)
  }

  /// Adds the trailer of the next packet to its frame.
  mutating func addTrailer(to frame: inout StickFrame) {
    frame.add(trailer: trailer(of: frame.payload))
  }

  /// Returns whether a trailer is that of the next packet; increments the counter only if so.
  package mutating func accepts(
    _ trailer: ArraySlice<UInt8>, of payload: ArraySlice<UInt8>
  ) -> Bool {
    let isRight = withTrailer(of: payload, counter) { $0.elementsEqual(trailer) }
    guard isRight == true else { return false }
    counter &+= 1
    return true
  }

  private mutating func trailer(of payload: ArraySlice<UInt8>, _ counter: UInt32) -> [UInt8] {
    withTrailer(of: payload, counter) { Array($0) } ?? []
  }

  /// Calls a body with the trailer of a packet; returns nil if libcrypto has no memory.
  private mutating func withTrailer<Result>(
    of payload: ArraySlice<UInt8>, _ counter: UInt32,
    _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result? {
    if !isKnownUniquelyReferenced(&context) {
      guard let copy = HMACContext(copying: context) else { return nil }
      context = copy
    }
    // The code has 32 bytes, and the trailer ends after 16 of them.
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4 + 32) { buffer in
      for index in 0..<4 { buffer[index] = UInt8(truncatingIfNeeded: counter >> (8 * index)) }
      let trailer = UnsafeBufferPointer(buffer.extracting(..<StickFrame.trailerByteCount))
      let isDone = payload.withUnsafeBufferPointer { payload in
        context.writeCode(
          of: trailer.extracting(..<4), payload, into: buffer.extracting(4...))
      }
      return isDone ? body(trailer) : nil
    }
  }
}
