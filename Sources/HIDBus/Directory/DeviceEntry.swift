// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import IOLoop
import Synchronization
package import SystemPackage

/// A device's two files in the bus directory: its identity, and the socket to connect to.
///
/// Devices of the kernel bus, and those that are served to other machines, have them too, with
/// other names. They hold the facts that the kernel does not store, and let clients of hidsim
/// report their progress.
///
/// The identity file is locked until its owner ends. The kernel releases the lock however the owner
/// ends. So a file that can be locked has no owner: its state is stale.
package enum DeviceEntry {
  private static let identitySuffix = ".device"
  private static let socketSuffix = ".socket"
  private static let kernelPrefix = "kernel-"
  private static let servedPrefix = "served-"
  private static let draftSuffix = ".new"

  /// A published entry, which is withdrawn when its last reference is released, or before.
  package final class Owned: Sendable {
    package let listener: SocketDescriptor
    private let identity: OwnedDescriptor
    private let directory: BusDirectory
    private let name: String
    private let isWithdrawn = Atomic<Bool>(false)

    /// The identities of the devices that this process publishes now, by the paths of their files
    /// without a suffix.
    fileprivate static let identities = Mutex<[String: HIDDeviceIdentity]>([:])

    fileprivate init(
      _ listener: consuming SocketDescriptor, _ identity: consuming OwnedDescriptor,
      _ directory: BusDirectory, _ name: String
    ) {
      self.listener = listener
      self.identity = identity
      self.directory = directory
      self.name = name
    }

    deinit { withdraw() }

    /// Removes the device's files, so that clients find it no longer.
    ///
    /// A second call does nothing: the names may then be those of the next device at the same path.
    package func withdraw() {
      guard !isWithdrawn.exchange(true, ordering: .relaxed) else { return }
      Self.identities.withLock { $0[DeviceEntry.path(name, in: directory)] = nil }
      directory.remove(name + DeviceEntry.identitySuffix)
      directory.removeSocket(name + DeviceEntry.socketSuffix)
    }
  }

  /// Returns whether an error means that the file system cannot hold sockets.
  ///
  /// Such errors come from shared folders of virtual machines, and from file systems of other
  /// operating systems.
  private static func fileSystemHasNoSockets(_ error: Errno) -> Bool {
    [.noSuchAddressOrDevice, .notPermitted, .notSupportedOnSocket, .noFunction].contains(error)
  }

  /// Publishes a device: makes its socket, then its identity file, which is complete and locked
  /// before it gets its name.
  ///
  /// - Throws: `invalidArgument` if the description is longer than ``DeviceIdentityFile/longest``;
  ///   `busy` if another device or program has a file with one of the names; `limitReached` if the
  ///   process lacks descriptors or memory, or the disk is full; `unavailable` after any other
  ///   failure.
  package static func publish(
    _ device: HIDDeviceDescription, on bus: HIDBusKind, in directory: BusDirectory
  ) throws(HIDBusError) -> Owned {
    let name = name(of: device.physicalPath.interfaceID, on: bus)
    let action = "plug \"\(device.identity.name)\" in"
    let bytes = DeviceIdentityFile.encode(device)
    guard let record = DeviceIdentityFile.decode(bytes) else {
      throw HIDBusError(
        .invalidArgument,
        "\(action) \(directory.path): \(DeviceIdentityFile.tooLong(bytes))")
    }
    // A stale file at the same path is removed; a device that is there is not disturbed.
    if case .stale = look(at: name, in: directory) { clear(name, in: directory) }
    // After a failure, only files that were made here are removed.
    var made: [String] = []
    do throws(Errno) {
      let socket = name + socketSuffix
      let listener = try SocketDescriptor.listening(at: socket, in: directory)
      made.append(socket)
      let draft = name + draftSuffix
      let file = try directory.open(draft, O_RDWR | O_CREAT | O_EXCL)
      made.append(draft)
      guard try file.descriptor.lockIfFree() else { throw Errno.wouldBlock }
      let written = bytes.withUnsafeBytes {
        Glibc.write(file.descriptor.rawValue, $0.baseAddress, $0.count)
      }
      guard written == bytes.count else { throw written < 0 ? Errno(rawValue: errno) : .noSpace }
      try directory.rename(draft, to: name + identitySuffix)
      Owned.identities.withLock { $0[path(name, in: directory)] = record.identity }
      return Owned(listener, file, directory, name)
    } catch {
      for name in made { directory.remove(name) }
      if made.isEmpty, Self.fileSystemHasNoSockets(error) {
        throw HIDBusError(
          .unavailable,
          """
          \(action) \(directory.path): \(error); this file system has no sockets: set \
          HIDSIM_BUS_DIR to a folder on another one, for example under /run or /dev/shm
          """, errorNumber: error.rawValue)
      }
      let kind: HIDBusError.Kind =
        switch error {
        case .noSpace, .tooManyOpenFiles, .tooManyOpenFilesInSystem: .limitReached
        case .addressInUse, .fileExists: .busy
        default: .unavailable
        }
      throw BusDirectory.error(kind, action, directory.path, error)
    }
  }

  private static func name(of device: HIDDeviceID, on bus: HIDBusKind) -> String {
    switch bus {
    case .loopback: device.description
    case .kernel: kernelPrefix + device.description
    case .usb: servedPrefix + device.description
    }
  }

  private static func path(_ name: String, in directory: BusDirectory) -> String {
    "\(directory.path)/\(name)"
  }

  /// Returns the name of a device's socket.
  package static func socketName(of device: HIDDeviceID, on bus: HIDBusKind) -> String {
    name(of: device, on: bus) + socketSuffix
  }

  /// Returns the identity of one device; `nil` if the device has no file, its owner has ended, or
  /// the file cannot be read or is not valid.
  ///
  /// For a device that this process has published, the call reads no file.
  package static func identity(
    of device: HIDDeviceID, on bus: HIDBusKind, in directory: BusDirectory
  ) -> HIDDeviceIdentity? {
    let name = name(of: device, on: bus)
    if let own = Owned.identities.withLock({ $0[path(name, in: directory)] }) { return own }
    guard case .device(let record) = look(at: name, in: directory) else { return nil }
    return record.identity
  }

  /// Reads the interfaces of the devices that are served to other machines, in the order of their
  /// IDs.
  ///
  /// Their addresses are those by which hosts import them: `usbip:1-1`.
  package static func served(in directory: BusDirectory) -> [HIDDeviceRecord] {
    let names = (try? directory.names()) ?? []
    let records = names.compactMap { file -> HIDDeviceRecord? in
      guard file.hasPrefix(servedPrefix), file.hasSuffix(identitySuffix) else { return nil }
      let name = String(file.dropLast(identitySuffix.utf8.count))
      guard case .device(let record) = look(at: name, in: directory) else { return nil }
      return HIDDeviceRecord(
        id: record.id, bus: .usb, address: HIDPhysicalPath(record.physicalPath)?.place ?? "",
        identity: record.identity, physicalPath: record.physicalPath,
        descriptorBytes: record.descriptorBytes)
    }
    return records.sorted { $0.id < $1.id }
  }

  /// Reads the devices of the loopback bus, and removes the files whose owner has ended.
  ///
  /// The removed files are those of devices of all buses, of clients that had a device's
  /// ``SeizeFile`` open, and of runs (``RunEntry``).
  ///
  /// - Throws: The `Errno` of a call that lacks descriptors or memory, or that cannot read the
  ///   folder.
  package static func readAll(in directory: BusDirectory) throws(Errno) -> [HIDDeviceID:
    HIDDeviceRecord]
  {
    var devices: [HIDDeviceID: HIDDeviceRecord] = [:]
    for file in try directory.names() {
      if file.hasSuffix(identitySuffix) {
        let name = String(file.dropLast(identitySuffix.utf8.count))
        switch look(at: name, in: directory) {
        case .device(let device):
          if HIDDeviceID(description: name) != nil { devices[device.id] = device }
        case .stale: clear(name, in: directory)
        case .none: break
        case .unknown(let error): throw error
        }
      } else if file.hasSuffix(SeizeFile.suffix) {
        SeizeFile.clear(file, in: directory)
      } else if file.hasPrefix(USBPortLink.prefix) {
        USBPortLink.clear(file, in: directory)
      } else if [draftSuffix, socketSuffix].contains(where: file.hasSuffix) {
        clearRemnant(file, in: directory)
      } else {
        RunEntry.clearIfDead(file, in: directory)
      }
    }
    return devices
  }

  /// The state of an identity file.
  private enum Finding {
    case device(HIDDeviceRecord)
    /// The owner of the file has ended.
    case stale
    /// There is no file, it cannot be read, it was replaced meanwhile, it is not a valid file of
    /// hidsim, or it is longer than ``DeviceIdentityFile/longest``.
    case none
    /// The file could not be opened for lack of descriptors or memory.
    case unknown(Errno)
  }

  private static func look(at name: String, in directory: BusDirectory) -> Finding {
    let file: OwnedDescriptor
    do throws(Errno) {
      file = try directory.open(name + identitySuffix, O_RDONLY | O_NONBLOCK)
    } catch {
      return error.isLackOfResources ? .unknown(error) : .none
    }
    var status = stat()
    guard fstat(file.descriptor.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return .none
    }
    if (try? file.descriptor.lockIfFree(isShared: true)) == true {
      // By now the name may refer to another file, that of a new device.
      let isSame = directory.isCurrent(file.descriptor, name + identitySuffix)
      let hasMark = beginsAsOurs(file.descriptor)
      return isSame && hasMark && isOurs(name) ? .stale : .none
    }
    guard status.st_size <= DeviceIdentityFile.longest else { return .none }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    let count = pread(file.descriptor.rawValue, &bytes, bytes.count, 0)
    guard count == bytes.count, let record = DeviceIdentityFile.decode(bytes),
      HIDBusKind.allCases.contains(where: { Self.name(of: record.id, on: $0) == name })
    else { return .none }
    return .device(record)
  }

  private static func clear(_ name: String, in directory: BusDirectory) {
    directory.remove(name + identitySuffix)
    directory.removeSocket(name + socketSuffix)
  }

  /// Returns whether a name, without its suffix, has the form of a device file's name.
  ///
  /// The folder may hold files of other programs.
  private static func isOurs(_ name: String) -> Bool {
    let prefix = [kernelPrefix, servedPrefix].first { name.hasPrefix($0) } ?? ""
    let id = name.dropFirst(prefix.utf8.count)
    return HIDDeviceID(description: id) != nil
  }

  private static func beginsAsOurs(_ file: FileDescriptor) -> Bool {
    var start = [UInt8](repeating: 0, count: 16)
    let count = pread(file.rawValue, &start, start.count, 0)
    return count >= 0 && DeviceIdentityFile.isOurs(Array(start[..<max(count, 0)]))
  }

  /// Removes a socket or draft that is left of a device: its owner ended before the device was
  /// published, or during the removal of its files.
  ///
  /// Publishing takes far less than a minute: an older draft, and an older socket without an
  /// identity file, have no owner.
  private static func clearRemnant(_ file: String, in directory: BusDirectory) {
    guard let status = directory.status(of: file), time(nil) - status.st_mtim.tv_sec > 60 else {
      return
    }
    if file.hasSuffix(socketSuffix) {
      let name = String(file.dropLast(socketSuffix.utf8.count))
      guard isOurs(name), directory.status(of: name + identitySuffix) == nil, errno == ENOENT
      else { return }
      return directory.removeSocket(file)
    }
    guard isOurs(String(file.dropLast(draftSuffix.utf8.count))),
      status.st_mode & S_IFMT == S_IFREG,
      let draft = try? directory.open(file, O_RDONLY | O_NONBLOCK)
    else { return }
    let hasMark = beginsAsOurs(draft.descriptor)
    let isCurrent = directory.isCurrent(draft.descriptor, file)
    if hasMark && isCurrent { directory.remove(file) }
  }
}
