// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import IOLoop
import Synchronization
import SystemPackage

/// A source of notifications that the kernel's devices may have changed.
///
/// All devices are read from sysfs from time to time, so a lost notification only delays a change.
/// Only the end of a driver's probe cannot be seen in sysfs: see ``DriverChange``.
enum ChangeSource: Hashable, Sendable, CaseIterable {
  /// The kernel's own messages.
  ///
  /// They do not reach containers with a user namespace of their own.
  case kernelEvents
  /// udevd's messages, sent when it has processed one of the kernel's; only libudev can read them.
  case udevEvents
  /// Nodes that appear, disappear or get other permissions in `/dev` and `/dev/input`.
  ///
  /// The cost: while a program watches `/dev`, each report written to `/dev/uhid` takes 325
  /// instructions more (6.12).
  case nodes

  /// The sources that are useful in this process.
  static let here: [ChangeSource] = {
    // The kernel's messages reach every network namespace of the first user namespace (since 4.18).
    let map = SysFS.line("/proc/self/uid_map")?.split(whereSeparator: \.isWhitespace) ?? []
    let isHeard = map == ["0", "0", "4294967295"]
    return isHeard ? [.kernelEvents, .udevEvents] : allCases
  }()

  /// Opens the source; `nil` if it is not available here.
  ///
  /// - Parameter udev: libudev, if it can be used.
  func open(by udev: Udev?) -> OpenChangeSource? {
    switch self {
    case .kernelEvents:
      if let udev { return UdevMonitor(udev, "kernel").map(OpenChangeSource.monitor) }
      return KernelMessageSocket().map { .kernelMessages($0) }
    case .udevEvents: return udev.flatMap { UdevMonitor($0, "udev") }.map(OpenChangeSource.monitor)
    case .nodes: return FolderChanges(["/dev", "/dev/input"]).map { .nodes($0) }
    }
  }
}

/// A source of notifications that is open, and closed with its last reference.
enum OpenChangeSource: Sendable {
  /// Messages that libudev reads.
  case monitor(UdevMonitor)
  /// The kernel's messages, without libudev.
  case kernelMessages(KernelMessageSocket)
  /// Changes in folders.
  case nodes(FolderChanges)

  /// The descriptor that is ready if there are notifications; `nil` for ``nodes(_:)``, which calls
  /// a handler.
  var descriptor: FileDescriptor? {
    switch self {
    case .monitor(let monitor): monitor.descriptor
    case .kernelMessages(let socket): socket.descriptor
    case .nodes: nil
    }
  }

  /// Reads all available notifications.
  ///
  /// - Parameter body: Called with each message about a HID device; never called for ``nodes(_:)``.
  /// - Returns: True for `isUnknown` if devices may have changed that no message was about; true
  ///   for `hasLost` if messages were lost.
  func read(_ body: (DeviceMessage) -> Void) -> (isUnknown: Bool, hasLost: Bool) {
    switch self {
    case .monitor(let monitor):
      let hasLost = monitor.read(body)
      return (hasLost, hasLost)
    case .kernelMessages(let socket):
      let hasLost = socket.readMessages { bytes in
        if let message = DeviceMessage(bytes) { body(message) }
      }
      return (hasLost, hasLost)
    case .nodes(let changes): return (changes.take(), false)
    }
  }
}

/// The changes in some folders since they were last asked for.
final class FolderChanges: Sendable {
  private let watches: Mutex<[FileWatch]>
  private let hasChanged = Atomic(false)
  private let handler = Mutex<(@Sendable () -> Void)?>(nil)

  /// Starts to watch folders; `nil` if none of them can be watched.
  init?(_ folders: [String]) {
    watches = Mutex([])
    let started = folders.compactMap { folder in
      try? FileWatch(folder, for: [.created, .deleted, .attributes]) { [weak self] _ in
        self?.note()
      }
    }
    guard !started.isEmpty else { return nil }
    watches.withLock { $0 = started }
  }

  /// Sets the handler that is called after a change, on any thread; it must not block.
  func handle(by body: @escaping @Sendable () -> Void) {
    handler.withLock { $0 = body }
    // A folder may have changed before.
    if hasChanged.load(ordering: .relaxed) { body() }
  }

  /// Returns whether a folder has changed since the last call.
  func take() -> Bool {
    FileWatch.deliverChanges()
    return hasChanged.exchange(false, ordering: .relaxed)
  }

  private func note() {
    guard !hasChanged.exchange(true, ordering: .relaxed) else { return }
    handler.withLock { $0 }?()
  }
}

/// The messages of the kernel or of udevd about HID devices and their nodes, as libudev reads them.
final class UdevMonitor: Sendable {
  private let udev: Udev
  private let monitor: UdevContext.Monitor
  var descriptor: FileDescriptor { FileDescriptor(rawValue: monitor.descriptor) }
  private let isKernel: Bool

  /// Starts to receive messages; `nil` without permission, descriptors or memory.
  ///
  /// - Parameters:
  ///   - udev: libudev.
  ///   - source: `kernel` for the kernel's messages, `udev` for udevd's.
  init?(_ udev: Udev, _ source: String) {
    let subsystems = ["hid", "hidraw", "input"]
    guard let monitor = udev.use({ $0.monitor(source, subsystems) }) else { return nil }
    self.udev = udev
    self.monitor = monitor
    isKernel = source == "kernel"
  }

  deinit { udev.use { $0.release(monitor) } }

  /// Reads all available messages, up to one that libudev cannot read.
  ///
  /// - Parameter body: Called with each message about a HID device.
  /// - Returns: True if messages were lost, or one could not be read.
  func read(_ body: (DeviceMessage) -> Void) -> Bool {
    var hasLost = false
    while true {
      switch next() {
      case .success(let message?): body(message)
      case .success(nil), .failure(.interrupted): break
      case .failure(.noBufferSpace): hasLost = true
      case .failure(.wouldBlock): return hasLost
      // libudev has read a message, and could not make a device of it.
      case .failure: return true
      }
    }
  }

  private func next() -> Result<DeviceMessage?, Errno> {
    udev.use { context in
      do throws(Errno) {
        let device = try context.receive(monitor)
        guard let path = device.path else { return .success(nil) }
        return .success(
          DeviceMessage(action: isKernel ? device.action : nil, path: path) {
            device.property($0)
          })
      } catch { return .failure(error) }
    }
  }
}

/// A netlink socket that receives the kernel's messages about devices.
final class KernelMessageSocket: Sendable {
  private let owned: OwnedDescriptor
  var descriptor: FileDescriptor { owned.descriptor }

  /// Opens the socket; `nil` if that fails.
  init?() {
    let result = socket(
      AF_NETLINK,
      Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        | Int32(SOCK_NONBLOCK.rawValue), NETLINK_KOBJECT_UEVENT)
    guard result >= 0 else { return nil }
    owned = OwnedDescriptor(takingOwnershipOf: FileDescriptor(rawValue: result))
    var address = sockaddr_nl()
    address.nl_family = sa_family_t(AF_NETLINK)
    address.nl_groups = 1
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(result, $0, socklen_t(MemoryLayout<sockaddr_nl>.size))
      }
    }
    guard bound == 0 else { return nil }
  }

  /// Reads all available messages.
  ///
  /// - Parameter body: Called with the bytes of each message, valid during the call.
  /// - Returns: True if messages were lost.
  func readMessages(_ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
    var hasLost = false
    withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 8) { buffer in
      while true {
        do throws(Errno) {
          let count = try retryingOnInterrupt {
            Glibc.read(descriptor.rawValue, buffer.baseAddress, buffer.count)
          }
          guard count > 0 else { return }
          body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        } catch {
          guard error == .noBufferSpace else { return }
          hasLost = true
        }
      }
    }
    return hasLost
  }
}
