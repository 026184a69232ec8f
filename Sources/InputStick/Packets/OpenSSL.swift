// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// OpenSSL's libcrypto, which is loaded when it is first needed.
package enum OpenSSL {
  /// True if libcrypto is installed.
  package static var isAvailable: Bool { (try? functions()) != nil }

  /// The functions of libcrypto.
  ///
  /// - Throws: The loader's message if libcrypto, or one of the functions, is missing.
  static func functions() throws(MissingOpenSSL) -> UnsafePointer<hidsim_openssl> {
    var functions: UnsafePointer<hidsim_openssl>?
    let problem = hidsim_openssl_load(&functions)
    guard let functions, problem == nil else {
      throw MissingOpenSSL(problem: problem.map { String(cString: $0) } ?? "no functions")
    }
    return functions
  }
}

/// The reason why links cannot be encrypted on this machine.
package struct MissingOpenSSL: Error, Hashable, Sendable {
  /// The message of the dynamic loader.
  package let problem: String
}

extension MissingOpenSSL: CustomStringConvertible {
  /// The problem, as a message for the user.
  package var description: String { "OpenSSL's libcrypto cannot be loaded (\(problem))" }

  /// The advice for the user.
  package var help: String {
    "install OpenSSL 3 (Debian and Ubuntu: openssl), or use a stick without a password"
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
  /// - Returns: False if the length is not a multiple of 16 bytes, or libcrypto has no memory.
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
    // A null pointer would mean the key of before; the array of an empty key may have one.
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

  /// Writes the code of a message in two parts.
  ///
  /// - Parameters:
  ///   - first: The first part.
  ///   - second: The second part.
  ///   - code: Space for the code: 32 bytes.
  ///
  /// - Returns: False if libcrypto has no memory.
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
