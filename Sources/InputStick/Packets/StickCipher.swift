// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras

/// The AES key that is derived from the password of an InputStick.
package struct StickKey: Hashable, Sendable {
  /// The 16 bytes of the key.
  package let bytes: [UInt8]

  /// Makes the key of a password: the MD5 of its UTF-8 bytes.
  package init(password: String) { bytes = Array(Insecure.MD5.hash(data: Array(password.utf8))) }

  /// Makes a key from its 16 bytes; nil for another length.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
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
/// AES-128 in CBC mode without padding encrypts the payloads of all packets as one stream.
package struct StickCipher: Sendable {
  private let key: SymmetricKey
  /// The initialisation vector of the next packet: the last encrypted block of the packet before
  /// it.
  package private(set) var previousBlock: [UInt8]

  /// Makes a cipher at the start of a stream.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - initialVector: 16 bytes.
  package init(_ key: StickKey, initialVector: [UInt8]) {
    self.key = SymmetricKey(data: key.bytes)
    previousBlock = initialVector
  }

  /// Encrypts the next blocks of the stream; nil if the length is not a multiple of 16 bytes.
  package mutating func encrypt(_ blocks: [UInt8]) -> [UInt8]? {
    guard let vector = try? AES._CBC.IV(ivBytes: previousBlock),
      let data = try? AES._CBC.encrypt(blocks, using: key, iv: vector, noPadding: true)
    else { return nil }
    let encrypted = Array(data)
    if encrypted.count >= 16 { previousBlock = Array(encrypted.suffix(16)) }
    return encrypted
  }

  /// Decrypts the next blocks of the stream; nil if the length is not a multiple of 16 bytes.
  package mutating func decrypt(_ blocks: [UInt8]) -> [UInt8]? {
    guard let vector = try? AES._CBC.IV(ivBytes: previousBlock),
      let data = try? AES._CBC.decrypt(blocks, using: key, iv: vector, noPadding: true)
    else { return nil }
    if blocks.count >= 16 { previousBlock = Array(blocks.suffix(16)) }
    return Array(data)
  }
}

/// The authentication codes of a session, from firmware 1.00 on.
///
/// A code is the HMAC-SHA256 of a counter and the encrypted payload, cut to 16 bytes.
package struct StickAuthenticator: Sendable {
  /// The state of the HMAC after the key, before any byte.
  private let start: HMAC<SHA256>
  /// The counter of the next packet.
  package private(set) var counter: UInt32

  /// Makes an authenticator from the key that the stick has sent.
  ///
  /// - Parameters:
  ///   - key: 32 bytes.
  ///   - counter: The counter of the next packet.
  package init(key: [UInt8], counter: UInt32 = 0) {
    start = HMAC(key: SymmetricKey(data: key))
    self.counter = counter
  }

  /// Returns the trailer of the next packet, and increments the counter.
  ///
  /// The trailer is the counter, least significant byte first, and the code.
  package mutating func trailer(of payload: [UInt8]) -> [UInt8] {
    defer { counter &+= 1 }
    return trailer(of: payload, counter)
  }

  /// Checks whether a trailer is that of the next packet.
  ///
  /// The counter is incremented only if it is.
  package mutating func accepts(_ trailer: [UInt8], of payload: [UInt8]) -> Bool {
    guard trailer == self.trailer(of: payload, counter) else { return false }
    counter &+= 1
    return true
  }

  private func trailer(of payload: [UInt8], _ counter: UInt32) -> [UInt8] {
    var trailer: [UInt8] = []
    trailer.reserveCapacity(StickFrame.trailerByteCount)
    for index in 0..<4 { trailer.append(UInt8(truncatingIfNeeded: counter >> (8 * index))) }
    var code = start
    code.update(data: trailer)
    code.update(data: payload)
    code.finalize().withUnsafeBytes { trailer += $0.prefix(16) }
    return trailer
  }
}
