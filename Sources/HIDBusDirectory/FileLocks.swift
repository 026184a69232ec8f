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
  /// How often a lock that another has is asked for: the kernel can tell of it only to a thread, which would have to stand
  /// there, and keep what it has, when nobody wants the lock any more.
  private static let beat = Duration.milliseconds(2)
  private static let longestBeat = Duration.milliseconds(16)

  private let path: String
  private let file: Mutex<FileDescriptor?>

  private init(_ file: FileDescriptor, _ path: String) {
    self.path = path
    self.file = Mutex(file)
  }

  deinit { release() }

  /// Opens a file with locks, of which none is held yet.
  ///
  /// - Parameter path: The file, which is there, and is opened for reading and writing.
  package static func open(_ path: String) throws(HIDWireError) -> FileLocks {
    do throws(Errno) {
      let file = Glibc.open(path, O_RDWR | O_CLOEXEC)
      guard file >= 0 else { throw Errno(rawValue: errno) }
      return FileLocks(FileDescriptor(rawValue: file), path)
    } catch {
      throw BusDirectory.error(.unavailable, "lock", path, error)
    }
  }

  /// Waits until nobody else holds a number, and takes it.
  ///
  /// No two wait for each other as long as everybody takes numbers in ascending order.
  ///
  /// - Parameter number: From 0 to 4,294,967,295.
  /// - Throws: `HIDWireError`; `CancellationError`, and then it is not held.
  package func take(_ number: Int) async throws {
    try await wait { try isTaken(Self.numbers + off_t(number)) }
  }

  /// Waits until nobody else holds some of those that are alike, and takes them.
  ///
  /// - Parameters:
  ///   - count: How many are taken, up to all.
  ///   - total: How many there are.
  /// - Throws: `HIDWireError`; `CancellationError`, and then what is held is let go of by ``release()``.
  package func take(_ count: Int, anyOf total: Int) async throws {
    try await wait { try isTaken(Self.entry) }
    var held: Set<off_t> = []
    try await wait {
      for byte in 1...off_t(max(1, total)) where held.count < count && !held.contains(byte) {
        if try isTaken(byte) { held.insert(byte) }
      }
      return held.count >= count
    }
    file.withLock { file in
      if let file { _ = clinux_lock_byte(file.rawValue, Int16(F_UNLCK), Self.entry) }
    }
  }

  private func wait(until isDone: () throws -> Bool) async throws {
    var pause = Self.beat
    while try !isDone() {
      try await Task.sleep(for: pause)
      pause = min(pause * 2, Self.longestBeat)
    }
  }

  /// Takes a byte if nobody else has it.
  private func isTaken(_ byte: off_t) throws(HIDWireError) -> Bool {
    let error = file.withLock { file -> Errno? in
      guard let file else { return .badFileDescriptor }
      return clinux_lock_byte(file.rawValue, Int16(F_WRLCK), byte) == 0
        ? nil : Errno(rawValue: errno)
    }
    switch error {
    case nil: return true
    case Errno.resourceTemporarilyUnavailable: return false
    case let error?: throw BusDirectory.error(.unavailable, "lock", path, error)
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
