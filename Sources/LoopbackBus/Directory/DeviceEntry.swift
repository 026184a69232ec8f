// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import HIDWire
import SystemPackage

/// A device's two files in the bus directory: who it is, and the socket to reach it by.
///
/// The identity file is locked for as long as its owner lives. The kernel lets go of the lock when the
/// owner dies, however it dies: a file that can be locked is a ghost's.
enum DeviceEntry {
  static let identitySuffix = ".device"
  static let socketSuffix = ".socket"

  /// A published entry, withdrawn when its owner lets go of it.
  final class Owned: Sendable {
    let listener: SocketDescriptor
    private let identity: SocketDescriptor
    private let directory: BusDirectory
    private let name: String

    fileprivate init(
      _ listener: consuming SocketDescriptor, _ identity: consuming SocketDescriptor,
      _ directory: BusDirectory, _ name: String
    ) {
      self.listener = listener
      self.identity = identity
      self.directory = directory
      self.name = name
    }

    deinit { withdraw() }

    /// Takes the device out of the folder: nobody finds it any more.
    func withdraw() {
      directory.remove(name + DeviceEntry.identitySuffix)
      directory.remove(name + DeviceEntry.socketSuffix)
    }
  }

  /// Publishes a device: first the socket, then, whole and locked from the start, the identity.
  static func publish(
    _ device: HIDPeripheralDescription, in directory: BusDirectory
  ) throws(HIDWireError) -> Owned {
    let name = device.physicalPath.interfaceID.description
    do throws(Errno) {
      let listener = try SocketDescriptor.listening(at: name + socketSuffix, in: directory)
      let draft = name + ".new"
      let file = SocketDescriptor(
        takingOwnershipOf: try directory.open(draft, O_RDWR | O_CREAT | O_EXCL))
      guard flock(file.descriptor.rawValue, LOCK_EX | LOCK_NB) == 0 else {
        throw Errno(rawValue: errno)
      }
      let bytes = LoopbackIdentity.encode(device)
      let written = bytes.withUnsafeBytes {
        Glibc.write(file.descriptor.rawValue, $0.baseAddress, $0.count)
      }
      guard written == bytes.count else { throw written < 0 ? Errno(rawValue: errno) : .ioError }
      try directory.rename(draft, to: name + identitySuffix)
      return Owned(listener, file, directory, name)
    } catch {
      directory.remove(name + ".new")
      directory.remove(name + socketSuffix)
      throw BusDirectory.error(
        error == .noSpace || error == .tooManyOpenFiles ? .limitReached : .unavailable,
        "plug \"\(device.identity.name)\" in", directory.path, error)
    }
  }

  /// Reads the devices that are there, and clears away those whose owner died.
  static func readAll(in directory: BusDirectory) -> [String: HIDDeviceRecord] {
    var devices: [String: HIDDeviceRecord] = [:]
    for file in directory.names() where file.hasSuffix(identitySuffix) {
      let name = String(file.dropLast(identitySuffix.utf8.count))
      if let device = read(name, in: directory) { devices[name] = device }
    }
    return devices
  }

  private static func read(_ name: String, in directory: BusDirectory) -> HIDDeviceRecord? {
    guard let opened = try? directory.open(name + identitySuffix, O_RDONLY | O_NONBLOCK) else {
      return nil
    }
    let file = SocketDescriptor(takingOwnershipOf: opened)
    var status = stat()
    guard fstat(file.descriptor.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    if flock(file.descriptor.rawValue, LOCK_SH | LOCK_NB) == 0 {
      // Nobody holds it: a ghost. The name may be a new device's by now, which is another file.
      var current = stat()
      if fstatat(
        directory.handle.descriptor.rawValue, name + identitySuffix, &current, AT_SYMLINK_NOFOLLOW)
        == 0, current.st_ino == status.st_ino
      {
        directory.remove(name + identitySuffix)
        directory.remove(name + socketSuffix)
      }
      return nil
    }
    guard status.st_size <= LoopbackIdentity.longest else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    let count = pread(file.descriptor.rawValue, &bytes, bytes.count, 0)
    guard count == bytes.count, let record = LoopbackIdentity.decode(bytes),
      record.id.description == name
    else { return nil }
    return record
  }
}
