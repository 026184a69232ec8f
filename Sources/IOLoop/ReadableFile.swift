// SPDX-License-Identifier: Apache-2.0

import Glibc
public import SystemPackage

/// A regular file that is read in pieces, from any place of it, by anybody who has it.
public final class ReadableFile: Sendable {
  private let descriptor: FileDescriptor

  /// Takes ownership of an open descriptor of a regular file.
  public init(takingOwnershipOf descriptor: FileDescriptor) { self.descriptor = descriptor }

  /// Opens a file.
  ///
  /// - Throws: The `Errno` of `open`; `EINVAL` for what is no regular file.
  public init(path: String) throws(Errno) {
    // Not to wait for the other end of a pipe.
    let opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard opened >= 0 else { throw Errno(rawValue: errno) }
    var status = stat()
    guard fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      _ = close(opened)
      throw .invalidArgument
    }
    descriptor = FileDescriptor(rawValue: opened)
  }

  deinit { try? descriptor.close() }

  /// Reads from a place of the file.
  ///
  /// - Parameters:
  ///   - offset: Where to begin, in bytes.
  ///   - count: How many bytes to read.
  /// - Returns: The bytes: fewer than asked for at the end of the file alone, and none beyond it.
  /// - Throws: The `Errno` of `pread`.
  public func read(at offset: Int, count: Int) throws(Errno) -> [UInt8] {
    var failure: Errno?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let part = pread(
          descriptor.rawValue, buffer.baseAddress.map { $0 + filled }, count - filled,
          off_t(offset + filled))
        if part == 0 { break }
        if part > 0 {
          filled += part
        } else if errno != EINTR {
          failure = Errno(rawValue: errno)
          break
        }
      }
    }
    if let failure { throw failure }
    return bytes
  }
}
