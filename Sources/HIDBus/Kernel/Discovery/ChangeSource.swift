// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import SystemPackage

/// A source of notifications that the kernel's devices may have changed.
///
/// The change itself is read from sysfs, so a lost notification loses nothing. Only the end of a
/// driver's probe cannot be seen in sysfs: see ``DriverChange``.
enum ChangeSource: Hashable, Sendable, CaseIterable {
  /// The kernel's own messages.
  ///
  /// They do not reach most containers.
  case kernelEvents
  /// udevd's messages, sent when it has processed a node.
  case udevEvents
  /// Nodes that appear, disappear or get other permissions in `/dev` and `/dev/input`.
  ///
  /// The cost: while a program watches the folder, each report written to `/dev/uhid` takes 325
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
  func open() -> OwnedDescriptor? {
    switch self {
    case .kernelEvents: Self.netlink(group: 1)
    case .udevEvents: Self.netlink(group: 2)
    case .nodes: Self.inotify(["/dev", "/dev/input"])
    }
  }

  private static func netlink(group: UInt32) -> OwnedDescriptor? {
    let result = socket(
      AF_NETLINK,
      Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        | Int32(SOCK_NONBLOCK.rawValue), NETLINK_KOBJECT_UEVENT)
    guard result >= 0 else { return nil }
    let descriptor = OwnedDescriptor(takingOwnershipOf: FileDescriptor(rawValue: result))
    var address = sockaddr_nl()
    address.nl_family = sa_family_t(AF_NETLINK)
    address.nl_groups = group
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(result, $0, socklen_t(MemoryLayout<sockaddr_nl>.size))
      }
    }
    guard bound == 0 else { return nil }
    return descriptor
  }

  private static func inotify(_ folders: [String]) -> OwnedDescriptor? {
    let result = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard result >= 0 else { return nil }
    let descriptor = OwnedDescriptor(takingOwnershipOf: FileDescriptor(rawValue: result))
    let mask = UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_ATTRIB)
    let added = folders.map { inotify_add_watch(result, $0, mask) }
    guard added.contains(where: { $0 >= 0 }) else { return nil }
    return descriptor
  }
}

/// A descriptor that is closed when its owner is released.
struct OwnedDescriptor: ~Copyable, Sendable {
  let descriptor: FileDescriptor

  init(takingOwnershipOf descriptor: FileDescriptor) { self.descriptor = descriptor }
  deinit { _ = Glibc.close(descriptor.rawValue) }

  /// Reads all available messages.
  ///
  /// - Parameter message: Called with each message, valid during the call.
  /// - Returns: True for `sawSomething` if there was a message, or messages were lost; true for
  ///   `hasLost` if messages were lost.
  borrowing func drain(
    _ message: (UnsafeRawBufferPointer) -> Void = { _ in }
  ) -> (sawSomething: Bool, hasLost: Bool) {
    var sawSomething = false
    var hasLost = false
    withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 8) { buffer in
      while true {
        let count = Glibc.read(descriptor.rawValue, buffer.baseAddress, buffer.count)
        if count < 0, errno == ENOBUFS {
          hasLost = true
          continue
        }
        if count < 0, errno == EINTR { continue }
        if count <= 0 { break }
        sawSomething = true
        message(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
    }
    return (sawSomething || hasLost, hasLost)
  }
}
