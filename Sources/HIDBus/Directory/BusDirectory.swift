// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import IOLoop
import Synchronization
package import SystemPackage

/// The folder in which devices and clients of one user find each other, without a daemon.
///
/// The folder of ``shared()`` is `$HIDSIM_BUS_DIR`. If that is not set, or empty, it is
/// `$XDG_RUNTIME_DIR/hidsim`, if `$XDG_RUNTIME_DIR` can be written. Else it is `hidsim-<uid>` in
/// `$TMPDIR`, `/tmp` or `/dev/shm`, the first of them that can be written.
///
/// The folder belongs to this process' user, and is closed to other users. It may not be a link,
/// and no file in it is opened through a link. Sockets in it are addressed through an open
/// descriptor of it, so its own path can be of any length.
public struct BusDirectory: Sendable {
  /// An open folder, which is closed with the last reference.
  final class Handle: Sendable {
    private let folder: OwnedDescriptor
    var descriptor: FileDescriptor { folder.descriptor }
    /// The closures that ``BusDirectory/removeAll()`` calls.
    let endings = Mutex<[@Sendable () -> Void]>([])
    init(_ descriptor: FileDescriptor) { folder = OwnedDescriptor(takingOwnershipOf: descriptor) }
  }

  /// The folder's path, without slashes at its end.
  public let path: String
  let handle: Handle

  /// Opens a folder, and makes it if it does not exist.
  ///
  /// - Parameter path: The folder. Its parent folders must exist.
  /// - Throws: `permissionDenied` if it belongs to another user, is open to other users, is a link,
  ///   or cannot be opened; `unavailable` if it cannot be made; `limitReached` if the process lacks
  ///   descriptors or memory.
  public init(path: String) throws(HIDBusError) {
    // A slash at the end is removed: with it open(2) follows a link, despite O_NOFOLLOW.
    let end = path.utf8.lastIndex { $0 != UInt8(ascii: "/") }
    let path = end.map { String(path[...$0]) } ?? path
    if mkdir(path, 0o700) != 0, errno != EEXIST {
      throw Self.error(.unavailable, "make the bus directory", path, Errno(rawValue: errno))
    }
    let result = clinux_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
    guard result >= 0 else {
      throw Self.error(.permissionDenied, "open the bus directory", path, Errno(rawValue: errno))
    }
    handle = Handle(FileDescriptor(rawValue: result))
    var status = stat()
    guard fstat(result, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o077 == 0
    else {
      throw HIDBusError(
        .permissionDenied,
        """
        the bus directory \(path) must belong to you, and no other user may enter it: \
        chmod 700 it, remove it, or name another with HIDSIM_BUS_DIR\(HIDBusError.help)
        """)
    }
    self.path = path
  }

  /// Opens the folder that all programs of this user share, and makes it if it does not exist.
  ///
  /// - Throws: The errors of ``init(path:)``; `unavailable` if none of the folders for temporary
  ///   files can be written.
  public static func shared() throws(HIDBusError) -> BusDirectory {
    if let path = ProcessEnvironment["HIDSIM_BUS_DIR"] { return try BusDirectory(path: path) }
    if let runtime = ProcessEnvironment["XDG_RUNTIME_DIR"], access(runtime, W_OK) == 0 {
      return try BusDirectory(path: runtime + "/hidsim")
    }
    return try BusDirectory(path: "\(try temporaryFolder())/hidsim-\(geteuid())")
  }

  /// Returns the first of the folders for temporary files that can be written.
  private static func temporaryFolder() throws(HIDBusError) -> String {
    let folders = [ProcessEnvironment["TMPDIR"], "/tmp", "/dev/shm"].compactMap { $0 }
    guard let folder = folders.first(where: { access($0, W_OK | X_OK) == 0 }) else {
      throw HIDBusError(
        .unavailable,
        """
        no folder for the loopback bus: none of \(folders.joined(separator: ", ")) can be written; \
        name one with HIDSIM_BUS_DIR\(HIDBusError.help)
        """)
    }
    return folder
  }

  /// Makes a new folder with a random name in the first of `$TMPDIR`, `/tmp` and `/dev/shm` that
  /// can be written.
  ///
  /// - Throws: `unavailable` if none of them can be written, or if the folder cannot be made; the
  ///   errors of ``init(path:)``.
  package static func temporary() throws(HIDBusError) -> BusDirectory {
    let folder = try temporaryFolder()
    var path = Array("\(folder)/hidsim-XXXXXX".utf8CString)
    guard mkdtemp(&path) != nil else {
      throw error(.unavailable, "make a folder in", folder, Errno(rawValue: errno))
    }
    return try BusDirectory(
      path: String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }

  /// Removes the folder and the files in it, and calls the closures given to ``whenRemoved(_:)``.
  ///
  /// A folder that contains other folders stays; the closures are then called, too.
  package func removeAll() {
    for name in (try? names()) ?? [] { remove(name) }
    rmdir(path)
    let endings = handle.endings.withLock { endings in
      defer { endings = [] }
      return endings
    }
    for ending in endings { ending() }
  }

  /// Adds a closure that the next call of ``removeAll()`` calls at its end.
  package func whenRemoved(_ body: @escaping @Sendable () -> Void) {
    handle.endings.withLock { $0.append(body) }
  }

  package static func error(
    _ kind: HIDBusError.Kind, _ action: String, _ path: String, _ errno: Errno
  ) -> HIDBusError {
    let advice = errno == .permissionDenied ? HIDBusError.help : ""
    let kind = HIDBusError.limits.contains(errno) ? .limitReached : kind
    return HIDBusError(kind, "\(action) \(path): \(errno)\(advice)", errorNumber: errno.rawValue)
  }

  // MARK: Files

  /// Opens a file of the folder, following no link.
  func open(_ name: String, _ flags: Int32) throws(Errno) -> OwnedDescriptor {
    try OwnedDescriptor(
      opened: clinux_openat(
        handle.descriptor.rawValue, name, flags | O_NOFOLLOW | O_CLOEXEC, 0o600))
  }

  /// Renames a file of the folder.
  ///
  /// - Throws: The `Errno` of `renameat2`: `EEXIST` if there is a file of the new name.
  func rename(_ old: String, to new: String) throws(Errno) {
    let directory = handle.descriptor.rawValue
    if clinux_rename_exclusively(directory, old, new) == 0 { return }
    // Some file systems, such as 9p, do not support `RENAME_NOREPLACE`.
    guard errno == EINVAL || errno == ENOSYS else { throw Errno(rawValue: errno) }
    guard status(of: new) == nil else { throw .fileExists }
    guard renameat(directory, old, directory, new) == 0 else { throw Errno(rawValue: errno) }
  }

  /// Returns the status of a file of the folder; `nil`, with `errno` set, if the call fails.
  ///
  /// The status of a link is its own, not that of its target.
  func status(of name: String) -> stat? {
    var status = stat()
    let result = fstatat(handle.descriptor.rawValue, name, &status, AT_SYMLINK_NOFOLLOW)
    return result == 0 ? status : nil
  }

  /// Returns the type (`S_IFREG`, `S_IFSOCK`) and length of a file of the folder; `nil` if there is
  /// none, or its status cannot be read.
  func kind(of name: String) -> (type: mode_t, byteCount: Int)? {
    status(of: name).map { ($0.st_mode & S_IFMT, Int($0.st_size)) }
  }

  /// Removes a socket of the folder; does nothing if the name is not that of a socket.
  func removeSocket(_ name: String) {
    if kind(of: name)?.type == S_IFSOCK { remove(name) }
  }

  /// Removes a file of the folder, if it is there.
  ///
  /// The folder may hold files of other programs: the caller must know that this one is hidsim's.
  func remove(_ name: String) {
    _ = unlinkat(handle.descriptor.rawValue, name, 0)
  }

  /// Returns whether a name in the folder still refers to `file`, which is open.
  func isCurrent(_ file: FileDescriptor, _ name: String) -> Bool {
    var open = stat()
    guard fstat(file.rawValue, &open) == 0, let named = status(of: name) else { return false }
    return open.st_ino == named.st_ino
  }

  /// Returns the names in the folder, sorted, without `.` and `..`.
  ///
  /// - Throws: The `Errno` of `opendir`.
  func names() throws(Errno) -> [String] {
    try SysFS.list(procPath("."))
  }

  /// Returns a path to a file of the folder that fits into the address of a socket.
  ///
  /// The length of the folder's own path does not matter. The path is valid in this process, while
  /// the folder is open.
  package func procPath(_ name: String) -> String {
    "/proc/self/fd/\(handle.descriptor.rawValue)/\(name)"
  }

  // MARK: Device numbers

  /// Returns an ID for a device, which no other device of this folder has had since the machine was
  /// booted.
  ///
  /// Its low 8 bits are free for the interfaces of the device. Above them are the folder's count of
  /// devices, of 32 bits, a number of the folder, of 23 bits, and a 1. The kernel bus has the
  /// devices of all folders, also those of other users and containers. Equal IDs are unlikely
  /// there, since the folder's number is partly random.
  ///
  /// The call can wait about 0.1 s for another process.
  ///
  /// - Throws: `limitReached` if the process lacks descriptors or memory, or the disk is full;
  ///   `unavailable` after any other failure.
  public func allocateDeviceID() throws(HIDBusError) -> HIDDeviceID {
    if let id = try allocateDeviceIDIfFree(attempts: Self.countAttempts) { return id }
    throw Self.error(.unavailable, "count devices in", path, .wouldBlock)
  }

  /// The number of attempts to lock the counter, with 1 ms between them.
  ///
  /// A process locks the counter for microseconds, unless it is stopped meanwhile.
  static let countAttempts = 100

  /// Allocates an ID like ``allocateDeviceID()``; nil if another process has locked the counter at
  /// each attempt.
  func allocateDeviceIDIfFree(attempts: Int = 1) throws(HIDBusError) -> HIDDeviceID? {
    do throws(Errno) {
      guard let file = try lockedCounter(attempts: attempts) else { return nil }
      // The file has three numbers: a mark that identifies it as hidsim's, the count of devices,
      // and the random number of the folder. The random number is chosen once and is never 0.
      var numbers: [UInt32] = [0, 0, 0]
      let count = pread(file.descriptor.rawValue, &numbers, 12, 0)
      guard count == 0 || count == 12 && numbers[0] == Self.counterMark else {
        throw Errno.fileExists
      }
      numbers[0] = Self.counterMark
      numbers[1] &+= 1
      if numbers[2] == 0 { numbers[2] = .random(in: 1...UInt32.max) }
      let written = pwrite(file.descriptor.rawValue, numbers, 12, 0)
      guard written == 12 else { throw written < 0 ? Errno(rawValue: errno) : .noSpace }
      let folder = Self.bootNumber ^ UInt64(numbers[2] >> 9)
      return HIDDeviceID(rawValue: 1 << 63 | folder << 40 | UInt64(numbers[1]) << 8)
    } catch {
      if error == .fileExists {
        throw HIDBusError(
          .unavailable,
          "count devices in \(path): hidsim did not make the file \(Self.counterName) there; remove it, or name another folder with HIDSIM_BUS_DIR",
          errorNumber: error.rawValue)
      }
      throw Self.error(
        error == .noSpace ? .limitReached : .unavailable, "count devices in", path, error)
    }
  }

  /// Opens the counter of devices, and makes it if it does not exist, and locks it; nil if another
  /// process has locked it at each attempt.
  private func lockedCounter(attempts: Int) throws(Errno) -> OwnedDescriptor? {
    while true {
      let file = try open(Self.counterName, O_RDWR | O_CREAT)
      guard try file.descriptor.lock(attempts: attempts) else { return nil }
      // The file may have been removed meanwhile: other processes then count in a new one.
      if isCurrent(file.descriptor, Self.counterName) { return file }
    }
  }

  private static let counterName = "hidsim.counter"
  /// `HIDC` in ASCII, little-endian.
  private static let counterMark: UInt32 = 0x4344_4948

  /// A hash of the boot's ID, of 23 bits; a constant if the ID cannot be read.
  private static let bootNumber: UInt64 = {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in SysFS.read("/proc/sys/kernel/random/boot_id") ?? [] {
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }
    return hash >> 41
  }()
}
