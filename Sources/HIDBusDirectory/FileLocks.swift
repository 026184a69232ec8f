// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
package import HIDWire
import Synchronization
import SystemPackage

/// Locks of a file's bytes that processes hold in turn: some of them by number, and any of a few that are alike.
///
/// The kernel lets go of them when the process ends, however it does.
package final class FileLocks: Sendable {
  /// The byte that who waits for those that are alike holds meanwhile, so that no two wait for what the other has.
  private static let entry: off_t = 0
  /// The byte that stands for the number 0.
  private static let numbers: off_t = 1 << 32

  private let file: Mutex<FileDescriptor?>

  private init(_ file: FileDescriptor) { self.file = Mutex(file) }

  deinit { release() }

  /// Waits until nobody else holds what is asked for, and takes it.
  ///
  /// It blocks: for a thread of its own.
  ///
  /// - Parameters:
  ///   - path: The file, which is there, and is opened for reading and writing.
  ///   - numbers: Those by number, from 0 to 4,294,967,295, in ascending order.
  ///   - total: How many there are that are alike.
  ///   - count: How many of those are taken, up to all.
  package static func waiting(
    at path: String, of numbers: [Int], anyOf total: Int, count: Int
  ) throws(HIDWireError) -> FileLocks {
    let locks: FileLocks
    do throws(Errno) {
      let file = open(path, O_RDWR | O_CLOEXEC)
      guard file >= 0 else { throw Errno(rawValue: errno) }
      locks = FileLocks(FileDescriptor(rawValue: file))
      for number in numbers { try wait(file, Self.numbers + off_t(number)) }
      try wait(file, entry)
      var held: Set<off_t> = []
      for byte in 1...off_t(max(1, total)) where held.count < count {
        if clinux_lock_byte(file, Int16(F_WRLCK), byte) == 0 { held.insert(byte) }
      }
      for byte in 1...off_t(max(1, total)) where held.count < count && !held.contains(byte) {
        try wait(file, byte)
        held.insert(byte)
      }
      _ = clinux_lock_byte(file, Int16(F_UNLCK), entry)
    } catch {
      throw BusDirectory.error(.unavailable, "take turns at", path, error)
    }
    return locks
  }

  private static func wait(_ file: Int32, _ byte: off_t) throws(Errno) {
    while clinux_wait_lock_byte(file, byte) != 0 {
      let error = Errno(rawValue: errno)
      guard error == .interrupted else { throw error }
    }
  }

  /// Lets go of all of them.
  package func release() {
    let file = file.withLock { file in
      defer { file = nil }
      return file
    }
    try? file?.close()
  }
}
