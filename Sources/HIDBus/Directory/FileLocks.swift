// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import IOLoop
import Synchronization
import SystemPackage

/// Locks on the bytes of a file, each held by one object at a time: numbered ones and
/// interchangeable ones.
///
/// They belong to the open file: two objects of one process exclude each other as two processes do.
/// The kernel releases the locks of a process when the process ends, however it ends.
package final class FileLocks: Sendable {
  /// The byte that an object locks while it waits for interchangeable locks.
  ///
  /// Only one object at a time collects interchangeable locks. So no two objects wait for each
  /// other's locks.
  private static let entry: off_t = 0
  /// The byte that stands for the number 0.
  private static let numbers: off_t = 1 << 32
  /// The first pause before a lock that another object holds is tried again.
  ///
  /// The pause doubles up to ``longestBeat``. The kernel wakes only a thread that blocks on the
  /// lock. Such a thread would go on waiting, and keep its locks, after its caller has given up.
  private static let beat = Duration.milliseconds(2)
  private static let longestBeat = Duration.milliseconds(16)

  private let path: String
  private let file: Mutex<OwnedDescriptor?>

  private init(_ file: consuming OwnedDescriptor, _ path: String) {
    self.path = path
    self.file = Mutex(consume file)
  }

  /// Opens a file with locks; the new object holds none of them.
  ///
  /// - Parameter path: The file, which exists. It is opened for reading and writing.
  package static func open(_ path: String) throws(HIDBusError) -> FileLocks {
    do throws(Errno) {
      return FileLocks(
        try OwnedDescriptor(opened: Glibc.open(path, O_RDWR | O_CLOEXEC)), path)
    } catch {
      throw BusDirectory.error(.unavailable, "lock", path, error)
    }
  }

  /// Waits until no other object, in any process, holds a number, and takes it.
  ///
  /// Processes do not block each other forever if all of them take numbers in ascending order.
  ///
  /// - Parameter number: A number from 0 to 4,294,967,295.
  /// - Throws: `HIDBusError` if the file cannot be locked at all, as after ``release()``;
  ///   `CancellationError` if the task is cancelled while it waits. The number is then not held.
  package func take(_ number: Int) async throws {
    try await wait { try isTaken(Self.numbers + off_t(number)) }
  }

  /// Takes interchangeable locks as they become free, and waits until it has enough of them.
  ///
  /// Locks that the object holds before the call count, too.
  ///
  /// - Parameters:
  ///   - count: The number of locks to take, at most `total`.
  ///   - total: The number of interchangeable locks.
  /// - Throws: `HIDBusError`; `CancellationError`. Until ``release()``, the object then holds the
  ///   locks taken so far, and can keep all other objects from taking interchangeable locks.
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
      guard let file = file?.descriptor else { return }
      _ = clinux_lock_byte(file.rawValue, Int16(F_UNLCK), Self.entry)
    }
  }

  private func wait(until isDone: () throws -> Bool) async throws {
    var pause = Self.beat
    while try !isDone() {
      try await Task.sleep(for: pause)
      pause = min(pause * 2, Self.longestBeat)
    }
  }

  /// Locks a byte; returns false if another object, in any process, holds the lock.
  private func isTaken(_ byte: off_t) throws(HIDBusError) -> Bool {
    let error = file.withLock { file -> Errno? in
      guard let file = file?.descriptor else { return .badFileDescriptor }
      return clinux_lock_byte(file.rawValue, Int16(F_WRLCK), byte) == 0
        ? nil : Errno(rawValue: errno)
    }
    switch error {
    case nil: return true
    case Errno.resourceTemporarilyUnavailable: return false
    case let error?: throw BusDirectory.error(.unavailable, "lock", path, error)
    }
  }

  /// Releases all locks, and closes the file; then no more locks can be taken.
  package func release() { file.withLock { $0 = nil } }
}
