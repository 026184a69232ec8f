// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation
import InputStick

/// The encryption of a link.
///
/// AES-128 in CBC mode, one stream for each direction, and HMAC-SHA256 from firmware 1.00 on.
open class InputStickEncryptionManager: NSObject {
  /// The initialisation vector of the streams: 16 bytes; nil before the first.
  open private(set) var iv: Data!
  /// Whether packets get authentication codes.
  open var hmacEnabled: Bool { link.hasAuthenticator }
  /// The client's end of the link.
  var link = StickClientLink()
  private let random: (Int) -> [UInt8]
  private var challenge: [UInt8]?

  /// Makes one without a key.
  public convenience override init() { self.init(random: [UInt8].random(count:)) }

  init(random: @escaping (Int) -> [UInt8]) { self.random = random }

  /// Whether this library can encrypt: always.
  open class func isSupported() -> Bool { true }

  /// Begins new streams with a key and a random initialisation vector.
  ///
  /// - Parameter key: 16 bytes; another length leaves no key.
  open func resetState(withKey key: Data!) {
    let vector = random(16)
    iv = Data(vector)
    guard let key, let key = StickKey([UInt8](key)) else { return link.reset() }
    link.start(key, initialVector: vector)
  }

  /// Encrypts the next blocks to the stick.
  ///
  /// - Returns: nil without a key, and if the length is no multiple of 16 bytes.
  open func encryptData(_ data: Data!) -> Data! {
    data.flatMap { link.encrypt([UInt8]($0)) }.map { Data($0) }
  }

  /// Decrypts the next blocks of the stick.
  ///
  /// - Returns: nil without a key, and if the length is no multiple of 16 bytes.
  open func decryptData(_ data: Data!) -> Data! {
    data.flatMap { link.decrypt([UInt8]($0)) }.map { Data($0) }
  }

  /// Encrypts the next blocks to the stick.
  open func encryptBytes(
    _ bytes: UnsafeMutablePointer<UInt8>!, withLength length: UInt
  ) -> Data! {
    bytes.flatMap { encryptData(Data(bytes: $0, count: Int(length))) }
  }

  /// Decrypts the next blocks of the stick.
  open func decryptBytes(
    _ bytes: UnsafeMutablePointer<UInt8>!, withLength length: UInt
  ) -> Data! {
    bytes.flatMap { decryptData(Data(bytes: $0, count: Int(length))) }
  }

  /// Makes 16 random bytes for the stick to encrypt.
  open func prepareChallengeData() -> Data! {
    let bytes = random(16)
    challenge = bytes
    return Data(bytes)
  }

  /// Whether a stick has encrypted the last challenge rightly; a challenge is compared once.
  open func verifyChallengeResponse(_ response: Data!) -> Bool {
    guard let response, let found = decryptData(response) else { return false }
    defer { challenge = nil }
    return [UInt8](found) == challenge
  }

  /// Begins authentication codes with a key of 32 bytes, and a counter of 0.
  open func initHMAC(withKey key: Data!) {
    if let key { link.startAuthenticator(key: [UInt8](key)) }
  }

  /// Makes the authentication code of the next encrypted payload: 20 bytes; nil without a key.
  open func getHMACFor(_ data: Data!) -> Data! {
    guard let data, link.hasAuthenticator else { return nil }
    return Data(link.trailer(of: [UInt8](data)))
  }

  /// Makes the packet by which a client authenticates, after ``resetState(withKey:)``.
  ///
  /// - Parameter hmacEnabledDevice: Whether the firmware knows authentication codes.
  open func prepareAuthenticatePacket(_ hmacEnabledDevice: Bool) -> InputStickTxPacket! {
    let packet = link.authentication(
      initialVector: [UInt8](iv ?? Data()), proof: random(16), challenge: random(16),
      withHMAC: hmacEnabledDevice)
    let made = InputStickTxPacket(cmd: InputStickCmd(packet.command))
    made?.add(packet.data)
    made?.requiresResponse = true
    return made
  }

  /// Whether the stick's answer proves that it has the key; then packets are encrypted from now on.
  open func verifyAuthenticationResponsePacket(_ rxPacket: InputStickRxPacket!) -> Bool {
    guard let rxPacket else { return false }
    return link.authenticated(by: rxPacket.packet)
  }

  /// Makes random bytes.
  open class func randomData(withLength length: UInt) -> Data! {
    Data([UInt8].random(count: Int(clamping: length)))
  }

  /// Makes the key of a password: the MD5 of its UTF-8 bytes, up to the first zero.
  open class func md5(from input: String!) -> Data! {
    guard let input else { return nil }
    let text = String(decoding: input.utf8.prefix { $0 != 0 }, as: UTF8.self)
    return Data(StickKey(password: text).bytes)
  }
}
