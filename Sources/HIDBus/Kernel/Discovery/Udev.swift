// SPDX-License-Identifier: Apache-2.0

import CUdev
import Glibc
import Synchronization
import SystemPackage

/// libudev, which is loaded when ``shared`` is first used.
///
/// libudev's objects may be used by one thread at a time, so each use holds the lock of ``shared``.
package final class Udev: Sendable {
  /// The library of this process, or the reason why it cannot be used.
  package static let shared = Result { () throws(MissingUdev) in try Udev() }

  private let context: Mutex<UdevContext>

  private init() throws(MissingUdev) {
    var functions: UnsafePointer<hidsim_udev>?
    if let problem = hidsim_udev_load(&functions) {
      throw MissingUdev(problem: String(cString: problem))
    }
    guard let functions, let udev = functions.pointee.udev_new() else {
      throw MissingUdev(problem: "no memory")
    }
    context = Mutex(UdevContext(functions, udev))
  }

  /// Calls a function with libudev's context, while no other thread uses libudev by this object.
  func use<Result>(_ body: (borrowing UdevContext) -> sending Result) -> sending Result {
    context.withLock { body($0) }
  }

  /// True if udevd runs, so that it processes the nodes of devices.
  package var isActive: Bool { use { $0.isActive } }

  /// Returns a property of a character node's device, which the kernel or a rule has set; `nil` if
  /// there is none.
  func property(_ name: String, ofNode number: dev_t) -> String? {
    use { $0.device(ofNode: number)?.property(name) }
  }
}

/// The reason why libudev cannot be used on this machine.
package struct MissingUdev: Error, Hashable, Sendable {
  /// The message of the dynamic loader, or `no memory`.
  package let problem: String
}

/// libudev's functions with the context that they need.
struct UdevContext: ~Copyable {
  private let functions: UnsafePointer<hidsim_udev>
  private let udev: OpaquePointer

  fileprivate init(_ functions: UnsafePointer<hidsim_udev>, _ udev: OpaquePointer) {
    self.functions = functions
    self.udev = udev
  }

  deinit { _ = functions.pointee.udev_unref(udev) }

  /// True if udevd runs.
  var isActive: Bool {
    guard let queue = functions.pointee.udev_queue_new(udev) else { return false }
    defer { _ = functions.pointee.udev_queue_unref(queue) }
    return functions.pointee.udev_queue_get_udev_is_active(queue) != 0
  }

  /// Returns a device by its subsystem and its name in sysfs; `nil` if there is none.
  func device(_ subsystem: String, _ name: String) -> UdevDevice? {
    UdevDevice(
      functions, functions.pointee.udev_device_new_from_subsystem_sysname(udev, subsystem, name))
  }

  /// Returns the device of a character node; `nil` if there is none.
  func device(ofNode number: dev_t) -> UdevDevice? {
    UdevDevice(
      functions,
      functions.pointee.udev_device_new_from_devnum(udev, CChar(UInt8(ascii: "c")), number))
  }

  /// A monitor of libudev, which is used only with the context that made it.
  struct Monitor: Sendable {
    /// The address of libudev's object.
    fileprivate let address: UInt
    let descriptor: CInt
  }

  /// Starts to receive messages about devices in some subsystems.
  ///
  /// - Parameters:
  ///   - source: `kernel` for the kernel's messages, `udev` for udevd's.
  ///   - subsystems: The names of the subsystems.
  /// - Returns: The monitor, to be released; `nil` without permission, descriptors or memory.
  func monitor(_ source: String, _ subsystems: [String]) -> Monitor? {
    guard let monitor = functions.pointee.udev_monitor_new_from_netlink(udev, source) else {
      return nil
    }
    for subsystem in subsystems {
      _ = functions.pointee.udev_monitor_filter_add_match_subsystem_devtype(
        monitor, subsystem, nil)
    }
    let opened = Monitor(
      address: UInt(bitPattern: monitor), descriptor: functions.pointee.udev_monitor_get_fd(monitor)
    )
    guard functions.pointee.udev_monitor_enable_receiving(monitor) >= 0, opened.descriptor >= 0
    else {
      release(opened)
      return nil
    }
    return opened
  }

  /// Receives a message; throws the error number if there is none.
  func receive(_ monitor: Monitor) throws(Errno) -> UdevDevice {
    let received = functions.pointee.udev_monitor_receive_device(
      OpaquePointer(bitPattern: monitor.address))
    guard let device = UdevDevice(functions, received) else { throw Errno(rawValue: errno) }
    return device
  }

  func release(_ monitor: Monitor) {
    _ = functions.pointee.udev_monitor_unref(OpaquePointer(bitPattern: monitor.address))
  }
}

/// A device of libudev, which is released with the value.
struct UdevDevice: ~Copyable {
  private let functions: UnsafePointer<hidsim_udev>
  private let pointer: OpaquePointer

  fileprivate init?(_ functions: UnsafePointer<hidsim_udev>, _ pointer: OpaquePointer?) {
    guard let pointer else { return nil }
    self.functions = functions
    self.pointer = pointer
  }

  deinit { _ = functions.pointee.udev_device_unref(pointer) }

  /// True if udevd has processed the device.
  var isInitialized: Bool { functions.pointee.udev_device_get_is_initialized(pointer) > 0 }
  /// The action of a message: `add`, `bind`; `nil` for a device that comes from no message.
  var action: String? { text(functions.pointee.udev_device_get_action(pointer)) }
  /// The path below `/sys`; `nil` if libudev has none.
  var path: String? { text(functions.pointee.udev_device_get_devpath(pointer)) }

  /// Returns a property that the kernel or a rule of udevd has set; `nil` if there is none.
  func property(_ name: String) -> String? {
    text(functions.pointee.udev_device_get_property_value(pointer, name))
  }

  /// Returns attributes of the nearest parent of a kind, as far as they exist; `nil` if there is no
  /// such parent.
  ///
  /// - Parameters:
  ///   - subsystem: The parent's subsystem.
  ///   - type: The parent's type in this subsystem; `nil` for any type.
  ///   - names: The attributes.
  func attributes(
    _ names: [String], ofParent subsystem: String, _ type: String?
  ) -> [String: String]? {
    guard
      let parent = functions.pointee.udev_device_get_parent_with_subsystem_devtype(
        pointer, subsystem, type)
    else { return nil }
    var values: [String: String] = [:]
    for name in names {
      values[name] = text(functions.pointee.udev_device_get_sysattr_value(parent, name))
    }
    return values
  }

  private func text(_ characters: UnsafePointer<CChar>?) -> String? {
    characters.map { String(cString: $0) }
  }
}
