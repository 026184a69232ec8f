// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemPackage

/// The messages that the kernel logs from now on.
final class KernelLog: Sendable {
  private static let path = "/dev/kmsg"
  static let isReadable = access(path, R_OK) == 0

  private let descriptor: FileDescriptor

  /// Opens the log, at the end of the messages so far.
  init() throws {
    descriptor = try .open(Self.path, .readOnly, options: [.nonBlocking, .closeOnExec])
    try descriptor.seek(offset: 0, from: .end)
  }

  deinit { try? descriptor.close() }

  /// Takes the messages that were written since the last call.
  func take() throws -> [String] {
    var messages: [String] = []
    // One read returns one message: numbers, a semicolon, and the text.
    var buffer = [UInt8](repeating: 0, count: 8192)
    while true {
      do {
        let count = try buffer.withUnsafeMutableBytes { try descriptor.read(into: $0) }
        let record = String(decoding: buffer[..<count], as: UTF8.self)
        messages.append(String(record.drop { $0 != ";" }.dropFirst()))
      } catch Errno.wouldBlock {
        return messages
      }
    }
  }
}
