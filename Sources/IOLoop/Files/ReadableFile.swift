// SPDX-License-Identifier: Apache-2.0

import Glibc
public import SystemPackage

/// A regular file that is read in pieces, at any offset, by any number of readers.
public final class ReadableFile: Sendable {
  private let owned: OwnedDescriptor
  private var descriptor: FileDescriptor { owned.descriptor }

  /// Takes ownership of an open descriptor of a regular file.
  public init(takingOwnershipOf descriptor: FileDescriptor) {
    owned = OwnedDescriptor(takingOwnershipOf: descriptor)
  }

  /// Opens a file.
  ///
  /// - Throws: The `Errno` of `open`; `EINVAL` for a file that is not regular.
  public init(path: String) throws(Errno) {
    // Non-blocking, so that opening a pipe does not wait for its other end.
    owned = try OwnedDescriptor(opened: open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK))
    var status = stat()
    guard fstat(descriptor.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .invalidArgument
    }
  }

  /// Reads at an offset of the file.
  ///
  /// - Parameters:
  ///   - offset: The offset of the first byte.
  ///   - count: The number of bytes to read.
  /// - Returns: The bytes: fewer than `count` only at the end of the file, and none beyond it.
  /// - Throws: The `Errno` of `pread`.
  public func read(at offset: Int, count: Int) throws(Errno) -> [UInt8] {
    var failure: Errno?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      do throws(Errno) {
        while filled < count {
          let part = try retryingOnInterrupt {
            pread(
              descriptor.rawValue, buffer.baseAddress.map { $0 + filled }, count - filled,
              off_t(offset + filled))
          }
          if part == 0 { break }
          filled += part
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }
}
