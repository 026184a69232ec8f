// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// OpenSSL's libcrypto, which is loaded when it is first needed.
package enum OpenSSL {
  /// The functions, or the reason why they cannot be used.
  ///
  /// Safe to share: no code changes the functions after they are loaded.
  private nonisolated(unsafe) static let loaded = Result { () throws(MissingOpenSSL) in
    try load()
  }

  /// True if libcrypto is installed, has all functions that links need, and computes MD5.
  package static var isAvailable: Bool { (try? functions()) != nil }

  /// Returns the functions of libcrypto.
  ///
  /// - Throws: The reason why libcrypto cannot be used.
  static func functions() throws(MissingOpenSSL) -> UnsafePointer<hidsim_openssl> {
    try loaded.get()
  }

  private static func load() throws(MissingOpenSSL) -> UnsafePointer<hidsim_openssl> {
    var functions: UnsafePointer<hidsim_openssl>?
    if let problem = hidsim_openssl_load(&functions) {
      throw MissingOpenSSL(problem: String(cString: problem), reason: .notLoaded)
    }
    guard let functions else {
      throw MissingOpenSSL(problem: "no functions", reason: .notLoaded)
    }
    // A libcrypto that allows only the algorithms of FIPS refuses MD5.
    guard md5(of: [], by: functions) != nil else {
      throw MissingOpenSSL(problem: "it refuses MD5, as in FIPS mode", reason: .refusesMD5)
    }
    return functions
  }

  /// Returns the MD5 of bytes; nil if libcrypto refuses it, or has no memory.
  static func md5(of bytes: [UInt8], by functions: UnsafePointer<hidsim_openssl>) -> [UInt8]? {
    let code = [UInt8](unsafeUninitializedCapacity: 16) { buffer, written in
      var count: UInt32 = 0
      let status = functions.pointee.EVP_Digest(
        bytes, bytes.count, buffer.baseAddress, &count, functions.pointee.EVP_md5(), nil)
      written = status == 1 ? 16 : 0
    }
    return code.isEmpty ? nil : code
  }
}

/// The reason why links cannot be encrypted on this machine.
package struct MissingOpenSSL: Error, Hashable, Sendable {
  /// The kind of problem.
  enum Reason: Sendable {
    /// The library, or one of its functions, is missing; or libcrypto has no memory.
    case notLoaded
    /// The library does not compute MD5 here.
    case refusesMD5
  }

  /// The message of the dynamic loader, or the reason why libcrypto cannot be used, as a clause.
  package let problem: String
  let reason: Reason
}

extension MissingOpenSSL: CustomStringConvertible {
  /// The problem, as a message for the user.
  package var description: String {
    "OpenSSL's libcrypto cannot be \(reason == .notLoaded ? "loaded" : "used") (\(problem))"
  }

  /// The advice for the user.
  package var help: String {
    switch reason {
    case .notLoaded:
      "install OpenSSL 3 (Debian and Ubuntu: openssl), or use a stick without a password"
    case .refusesMD5:
      """
      the key of a password is its MD5: allow MD5 in OpenSSL's configuration, or use a stick \
      without a password
      """
    }
  }
}

/// An AES-128 key in one direction of a stream of blocks, in CBC mode without padding.
///
/// Safe to send: ``StickCipher`` changes a context only while it holds the only reference to it.
final class CipherContext: @unchecked Sendable {
  private let functions: UnsafePointer<hidsim_openssl>
  private let context: OpaquePointer

  private init?(_ functions: UnsafePointer<hidsim_openssl>) {
    guard let context = functions.pointee.EVP_CIPHER_CTX_new() else { return nil }
    self.functions = functions
    self.context = context
  }

  /// Makes a context at the start of a stream; nil without libcrypto or memory, and if the key or
  /// the vector is not 16 bytes long.
  convenience init?(key: [UInt8], initialVector: [UInt8], encrypts: Bool) {
    guard key.count == 16, initialVector.count == 16, let functions = try? OpenSSL.functions()
    else { return nil }
    self.init(functions)
    guard
      functions.pointee.EVP_CipherInit_ex(
        context, functions.pointee.EVP_aes_128_cbc(), nil, key, initialVector, encrypts ? 1 : 0)
        == 1,
      functions.pointee.EVP_CIPHER_CTX_set_padding(context, 0) == 1
    else { return nil }
  }

  /// Makes a context that continues another stream at the same block; nil without memory.
  convenience init?(copying other: CipherContext) {
    self.init(other.functions)
    guard functions.pointee.EVP_CIPHER_CTX_copy(context, other.context) == 1 else { return nil }
  }

  deinit { functions.pointee.EVP_CIPHER_CTX_free(context) }

  /// Encrypts or decrypts the next blocks.
  ///
  /// - Parameters:
  ///   - blocks: The blocks.
  ///   - buffer: The space for the result, as long as the blocks; it may be that of the blocks.
  ///
  /// - Returns: False if the length is not a multiple of 16 bytes, if the space is too short, or if
  ///   libcrypto has no memory.
  func update(
    _ blocks: UnsafeBufferPointer<UInt8>, into buffer: UnsafeMutableBufferPointer<UInt8>
  ) -> Bool {
    guard blocks.count.isMultiple(of: 16), buffer.count >= blocks.count,
      let count = Int32(exactly: blocks.count)
    else { return false }
    guard count > 0 else { return true }
    var found: Int32 = 0
    return functions.pointee.EVP_CipherUpdate(
      context, buffer.baseAddress, &found, blocks.baseAddress, count) == 1 && found == count
  }
}

/// An HMAC-SHA256 with its key.
///
/// Safe to send: ``StickAuthenticator`` uses a context only while it holds the only reference to
/// it.
final class HMACContext: @unchecked Sendable {
  private let functions: UnsafePointer<hidsim_openssl>
  private let context: OpaquePointer

  private init?(_ functions: UnsafePointer<hidsim_openssl>) {
    guard let context = functions.pointee.HMAC_CTX_new() else { return nil }
    self.functions = functions
    self.context = context
  }

  /// Makes a context; nil without libcrypto or memory.
  convenience init?(key: [UInt8]) {
    guard let functions = try? OpenSSL.functions(), let count = Int32(exactly: key.count) else {
      return nil
    }
    self.init(functions)
    // For HMAC_Init_ex, a null pointer means the previous key. The array of an empty key may have a
    // null pointer, so a byte is added.
    let isReady = (key + [0]).withUnsafeBytes { bytes in
      functions.pointee.HMAC_Init_ex(
        context, bytes.baseAddress, count, functions.pointee.EVP_sha256(), nil)
    }
    guard isReady == 1 else { return nil }
  }

  /// Makes a context with the key of another; nil without memory.
  convenience init?(copying other: HMACContext) {
    self.init(other.functions)
    guard functions.pointee.HMAC_CTX_copy(context, other.context) == 1 else { return nil }
  }

  deinit { functions.pointee.HMAC_CTX_free(context) }

  /// Writes the code of a message, which the caller passes in two parts.
  ///
  /// - Parameters:
  ///   - first: The first part.
  ///   - second: The second part.
  ///   - code: Space for the code: 32 bytes.
  ///
  /// - Returns: False if the space is too short, or libcrypto has no memory.
  func writeCode(
    of first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>,
    into code: UnsafeMutableBufferPointer<UInt8>
  ) -> Bool {
    var count: UInt32 = 0
    return code.count >= 32 && functions.pointee.HMAC_Init_ex(context, nil, 0, nil, nil) == 1
      && functions.pointee.HMAC_Update(context, first.baseAddress, first.count) == 1
      && functions.pointee.HMAC_Update(context, second.baseAddress, second.count) == 1
      && functions.pointee.HMAC_Final(context, code.baseAddress, &count) == 1 && count == 32
  }
}
