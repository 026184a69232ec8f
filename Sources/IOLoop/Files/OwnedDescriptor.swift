// SPDX-License-Identifier: Apache-2.0

import Glibc
package import SystemPackage

/// The owner of an open descriptor, which closes it exactly once.
package struct OwnedDescriptor: ~Copyable, Sendable {
  package let descriptor: FileDescriptor

  package init(takingOwnershipOf descriptor: FileDescriptor) { self.descriptor = descriptor }

  /// Takes ownership of the descriptor that a function of the kernel has opened.
  ///
  /// - Parameter result: The result of the function: negative, with `errno` set, if it has failed.
  /// - Throws: The `Errno` of the function.
  package init(opened result: Int32) throws(Errno) {
    guard result >= 0 else { throw lastError() }
    descriptor = FileDescriptor(rawValue: result)
  }

  deinit { _ = Glibc.close(descriptor.rawValue) }

  /// Returns the descriptor, which the caller must close.
  package consuming func release() -> FileDescriptor {
    let released = descriptor
    discard self
    return released
  }
}

extension FileDescriptor {
  /// Locks the file by `flock`, without waiting.
  ///
  /// The lock ends when all descriptors that share this one's open file are closed.
  ///
  /// - Parameter isShared: True for a lock that other shared locks do not exclude.
  /// - Returns: False if another open file has a lock that excludes this one.
  /// - Throws: The `Errno` of `flock`, except `EWOULDBLOCK`.
  package func lockIfFree(isShared: Bool = false) throws(Errno) -> Bool {
    do throws(Errno) {
      _ = try retryingOnInterrupt { flock(rawValue, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) }
      return true
    } catch {
      guard error == .wouldBlock else { throw error }
      return false
    }
  }

  /// Locks the file like ``lockIfFree(isShared:)``, and tries again after 1 ms if it is locked.
  ///
  /// The call blocks the thread between its attempts.
  ///
  /// - Parameter attempts: The number of attempts, at least 1.
  /// - Returns: False if another open file has a lock at each attempt.
  /// - Throws: The `Errno` of `flock`, except `EWOULDBLOCK`.
  package func lock(attempts: Int) throws(Errno) -> Bool {
    for _ in 1..<attempts {
      if try lockIfFree() { return true }
      usleep(1000)
    }
    return try lockIfFree()
  }
}
