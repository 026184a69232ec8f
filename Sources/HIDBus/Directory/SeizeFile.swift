// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import IOLoop
import Synchronization
package import SystemPackage

/// A device's file in the bus directory, which shows whether a client of the user has seized the
/// device.
///
/// The client that has the device locks byte 0. All clients that have the file open share a lock on
/// byte 1, so that the last one can remove the file. The kernel releases both locks when their
/// owner ends, however it ends.
///
/// inotify reports every change: a client writes to the file after each change of the lock on byte
/// 0, and the kernel closes the writable file of a client that ends.
package final class SeizeFile: Sendable {
  static let suffix = ".seize"
  /// The maximum length of the file, in bytes: two that are locked, and one that is written.
  private static let longest = 3
  private static let owner: off_t = 0
  private static let users: off_t = 1

  private let file: OwnedDescriptor
  private let directory: BusDirectory
  private let name: String

  /// A file that is open in this process.
  private struct Open: Sendable {
    var descriptor: FileDescriptor
    var name: String
    var directory: BusDirectory
  }

  /// The files that are open in this process.
  ///
  /// The exit handler needs them: a process that exits deinitializes no object that a task or a
  /// global still holds.
  private static let open = Mutex<[Int32: Open]>([:])
  /// The registration of an exit handler, which removes the files that no other process has open.
  private static let removalAtExit: Void = {
    _ = atexit {
      SeizeFile.open.withLock { open in
        for file in open.values {
          removeUnused(file.descriptor, file.name, in: file.directory)
          // This process may have the file open twice: the other opening, which comes later in this
          // loop, can then remove the file.
          _ = clinux_lock_byte(file.descriptor.rawValue, Int16(F_UNLCK), users)
        }
      }
    }
  }()

  /// Opens a device's file, and makes it if it does not exist.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - bus: Its bus: devices of the kernel bus and of the loopback bus may have the same ID.
  ///   - directory: The bus directory.
  /// - Throws: The `Errno` of opening the file; `EBUSY` if the file cannot be locked after 100
  ///   attempts.
  package init(
    of device: HIDDeviceID, on bus: HIDBusKind, in directory: BusDirectory
  ) throws(Errno) {
    let name = "\(bus)-\(device)\(Self.suffix)"
    // Another process may lock byte 1 exclusively, for an instant, to remove the file.
    for _ in 0..<100 {
      let file = try directory.open(name, O_RDWR | O_CREAT)
      let raw = file.descriptor.rawValue
      let isShared = clinux_lock_byte(raw, Int16(F_RDLCK), Self.users) == 0
      if isShared, directory.isCurrent(file.descriptor, name) {
        let open = Open(descriptor: file.descriptor, name: name, directory: directory)
        Self.open.withLock { $0[raw] = open }
        self.file = file
        self.directory = directory
        self.name = name
        _ = Self.removalAtExit
        return
      }
    }
    throw .resourceBusy
  }

  deinit {
    release()
    // The mutex stays locked until the descriptor is removed from `open`: the exit handler must not
    // use a descriptor that is closed or belongs to another file.
    Self.open.withLock { open in
      open[file.descriptor.rawValue] = nil
      Self.removeUnused(file.descriptor, name, in: directory)
    }
  }

  private static func removeUnused(
    _ file: FileDescriptor, _ name: String, in directory: BusDirectory
  ) {
    guard clinux_lock_byte(file.rawValue, Int16(F_WRLCK), users) == 0 else { return }
    if directory.isCurrent(file, name) { directory.remove(name) }
  }

  /// Removes a device's file if no process has it open; does nothing for a file of another program.
  static func clear(_ name: String, in directory: BusDirectory) {
    let stem = name.dropLast(suffix.utf8.count)
    let isOurs = HIDBusKind.allCases.contains { bus in
      stem.hasPrefix("\(bus)-")
        && HIDDeviceID(description: stem.dropFirst("\(bus)-".utf8.count)) != nil
    }
    guard name.hasSuffix(suffix), isOurs, let kind = directory.kind(of: name),
      kind.type == S_IFREG, kind.byteCount <= longest,
      let file = try? directory.open(name, O_RDWR)
    else { return }
    removeUnused(file.descriptor, name, in: directory)
  }

  /// The path at which inotify can watch the file while the directory is open.
  package var path: String { directory.procPath(name) }

  /// Takes the device for this client alone.
  ///
  /// - Returns: False if another client has it, or the file cannot be locked.
  package func take() -> Bool {
    guard clinux_lock_byte(file.descriptor.rawValue, Int16(F_WRLCK), Self.owner) == 0 else {
      return false
    }
    tell()
    return true
  }

  /// Releases the device, if this client has it; notifies the watchers of the file in any case.
  package func release() {
    guard clinux_lock_byte(file.descriptor.rawValue, Int16(F_UNLCK), Self.owner) == 0 else {
      return
    }
    tell()
  }

  /// True while another client has seized the device.
  package var isTakenByAnother: Bool {
    clinux_byte_lock(file.descriptor.rawValue, Self.owner) == Int32(F_WRLCK)
  }

  private func tell() {
    var byte: UInt8 = 0
    _ = pwrite(file.descriptor.rawValue, &byte, 1, 2)
  }
}
