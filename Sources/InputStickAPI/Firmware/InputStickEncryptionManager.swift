// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation
import InputStick

/// The encryption of a link, the connection of a client to a stick (a simulated InputStick).
///
/// It uses AES-128 in CBC mode, with one stream for each direction, and HMAC-SHA256 from firmware
/// 1.00 on.
open class InputStickEncryptionManager: NSObject {
  /// The initialisation vector of both streams: 16 bytes; nil before ``resetState(withKey:)``.
  open private(set) var iv: Data!
  /// True if the session has authentication codes; ``InputStickPacket/requiresHMAC(_:)`` says which
  /// encrypted packets carry one.
  open var hmacEnabled: Bool { link.hasAuthenticator }
  /// The client's end of the link.
  var link = StickClientLink()
  private let random: (Int) -> [UInt8]
  private var challenge: [UInt8]?

  /// Makes an encryption manager without a key.
  public convenience override init() { self.init(random: [UInt8].random(count:)) }

  init(random: @escaping (Int) -> [UInt8]) { self.random = random }

  /// Returns whether the library can encrypt: whether OpenSSL's libcrypto is installed and computes
  /// MD5.
  open class func isSupported() -> Bool { OpenSSL.isAvailable }

  /// Starts new streams with a key and a random initialisation vector.
  ///
  /// - Parameter key: 16 bytes; nil or another length removes the key, as does a machine without
  ///   OpenSSL.
  open func resetState(withKey key: Data!) {
    let vector = random(16)
    iv = Data(vector)
    guard let key, let key = StickKey([UInt8](key)) else { return link.reset() }
    link.start(key, initialVector: vector)
  }

  /// Encrypts the next blocks to the stick.
  ///
  /// - Returns: nil without data or a key, and if the length is not a multiple of 16 bytes.
  open func encryptData(_ data: Data!) -> Data! {
    data.flatMap { link.encrypt([UInt8]($0)) }.map { Data($0) }
  }

  /// Decrypts the next blocks from the stick.
  ///
  /// - Returns: nil without data or a key, and if the length is not a multiple of 16 bytes.
  open func decryptData(_ data: Data!) -> Data! {
    data.flatMap { link.decrypt([UInt8]($0)) }.map { Data($0) }
  }

  /// Encrypts the next blocks to the stick.
  ///
  /// - Returns: nil without bytes or a key, and if the length is not a multiple of 16.
  open func encryptBytes(
    _ bytes: UnsafeMutablePointer<UInt8>!, withLength length: UInt
  ) -> Data! {
    bytes.flatMap { encryptData(Data(bytes: $0, count: Int(length))) }
  }

  /// Decrypts the next blocks from the stick.
  ///
  /// - Returns: nil without bytes or a key, and if the length is not a multiple of 16.
  open func decryptBytes(
    _ bytes: UnsafeMutablePointer<UInt8>!, withLength length: UInt
  ) -> Data! {
    bytes.flatMap { decryptData(Data(bytes: $0, count: Int(length))) }
  }

  /// Makes a challenge: 16 random bytes that the stick has to encrypt.
  open func prepareChallengeData() -> Data! {
    let bytes = random(16)
    challenge = bytes
    return Data(bytes)
  }

  /// Returns whether the stick has correctly encrypted the latest challenge of
  /// ``prepareChallengeData()``, which is valid for one comparison.
  open func verifyChallengeResponse(_ response: Data!) -> Bool {
    guard let response, let found = decryptData(response) else { return false }
    defer { challenge = nil }
    return [UInt8](found) == challenge
  }

  /// Starts authentication codes with a key, and a counter of 0.
  ///
  /// On a machine without OpenSSL, ``hmacEnabled`` is false afterwards.
  ///
  /// - Parameter key: The 32 bytes that the stick has sent; the length is not checked. The call
  ///   does nothing if the key is nil.
  open func initHMAC(withKey key: Data!) {
    if let key { link.startAuthenticator(key: [UInt8](key)) }
  }

  /// Makes the trailer of the next encrypted payload: 20 bytes; nil without a key for
  /// authentication codes.
  ///
  /// Each call increments the counter of the codes.
  open func getHMACFor(_ data: Data!) -> Data! {
    guard let data, link.hasAuthenticator else { return nil }
    return Data(link.trailer(of: [UInt8](data)))
  }

  /// Makes the packet that authenticates a client, after ``resetState(withKey:)``.
  ///
  /// - Parameter hmacEnabledDevice: True if the firmware knows authentication codes.
  open func prepareAuthenticatePacket(_ hmacEnabledDevice: Bool) -> InputStickTxPacket! {
    let packet = link.authentication(
      initialVector: [UInt8](iv ?? Data()), proof: random(16), challenge: random(16),
      withHMAC: hmacEnabledDevice)
    let made = InputStickTxPacket(cmd: InputStickCmd(packet.command))
    made?.add(packet.data)
    made?.requiresResponse = true
    return made
  }

  /// Returns whether the stick's answer proves that it has the key.
  ///
  /// If so, packets to the stick are encrypted from then on. The manager decrypts the packets of
  /// the stick only after ``InputStickManager/setEncryptionStatus(_:)`` with true.
  open func verifyAuthenticationResponsePacket(_ rxPacket: InputStickRxPacket!) -> Bool {
    guard let rxPacket else { return false }
    return link.authenticated(by: rxPacket.packet)
  }

  /// Returns random bytes.
  open class func randomData(withLength length: UInt) -> Data! {
    Data([UInt8].random(count: Int(clamping: length)))
  }

  /// Returns the key of a password: the MD5 of its UTF-8 bytes up to the first zero.
  ///
  /// - Returns: nil for nil, and if ``isSupported()`` is false.
  open class func md5(from input: String!) -> Data! {
    guard let input else { return nil }
    let text = String(decoding: input.utf8.prefix { $0 != 0 }, as: UTF8.self)
    return (try? StickKey(password: text)).map { Data($0.bytes) }
  }
}
