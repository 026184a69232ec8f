// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import IOLoop
import SystemPackage

/// The kernel's virtual USB host controllers: its driver `vhci_hcd`.
///
/// A port of a controller takes a connection that carries USB/IP. The kernel finds a device on the
/// port as if it had been plugged. Source: drivers/usb/usbip/vhci_sysfs.c of Linux 6.12.
package struct VirtualHostController: Sendable {
  /// A port of a controller.
  struct Port: Hashable, Sendable {
    /// The number of the port among those of all controllers, as `attach` takes it.
    let number: Int
    /// The number of the controller.
    let controller: Int
    /// The number of the port in its hub, from 1.
    let place: Int

    /// The path that the HID interfaces of the device report, before `/input` and their number.
    var physicalPath: String { "usb-vhci_hcd.\(controller)-\(place)" }
  }

  /// The folder of the first controller, which takes the connections for all.
  static let folder = "/sys/devices/platform/vhci_hcd.0"

  /// The folder of the controllers' devices.
  private let devices: String
  private var folder: String { "\(devices)/vhci_hcd.0" }

  init(devices: String = "/sys/devices/platform") { self.devices = devices }

  /// Returns the error of using the controllers; nil if they can be used.
  package static func unavailability() -> HIDBusError? {
    guard access("\(folder)/attach", W_OK) == 0 else {
      return error(Errno(rawValue: errno), "plug a USB device")
    }
    return nil
  }

  /// The number of ports for devices of high speed and below, and the number of free ones; nil if
  /// there is no controller.
  package static var portCounts: (all: Int, free: Int)? {
    let lines = VirtualHostController().lines()
    return lines.isEmpty ? nil : (lines.count, lines.count(where: \.isFree))
  }

  /// Returns the error of an action on the controllers, with the remedy if there is one.
  static func error(_ errno: Errno, _ action: String) -> HIDBusError {
    let (kind, advice): (HIDBusError.Kind, String) =
      switch errno {
      case .noSuchFileOrDirectory, .notDirectory:
        (
          .unavailable,
          """
          the kernel's driver vhci_hcd is missing: use "hidsim vm", or run \
          "sudo modprobe vhci-hcd"\(HIDBusError.help)
          """
        )
      case .readOnlyFileSystem:
        (
          .permissionDenied,
          "/sys is read-only, as in a container: use \"hidsim vm\"\(HIDBusError.help)"
        )
      case .permissionDenied, .notPermitted:
        (.permissionDenied, "run hidsim as root, or use \"hidsim vm\"\(HIDBusError.help)")
      case .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory, .noSpace:
        (.limitReached, HIDBusError.remedy(for: errno))
      default: (.other, "")
      }
    return HIDBusError(
      kind, "\(action) through \(folder)/attach: \(errno)" + (advice.isEmpty ? "" : "; \(advice)"),
      errorNumber: errno.rawValue)
  }

  // MARK: Ports

  /// Returns whether the kernel has a USB device on a port; one that it is removing counts.
  func hasDevice(on port: Port) -> Bool {
    deviceFolder(of: port).map { access($0, F_OK) == 0 } ?? false
  }

  /// Returns whether the kernel has suspended the device on a port; nil if there is no device, or
  /// if the kernel has no power management.
  func hasSuspendedDevice(on port: Port) -> Bool? {
    deviceFolder(of: port).flatMap { SysFS.line("\($0)/power/runtime_status") }
      .map { $0 == "suspended" }
  }

  /// Returns the kernel's name of the device on a port: `1-1`; nil if the controller is gone.
  func name(of port: Port) -> String? {
    busNumber(of: port).map { "\($0)-\(port.place)" }
  }

  /// Returns the folder of the device on a port, which need not exist; nil if the controller is
  /// gone.
  private func deviceFolder(of port: Port) -> String? {
    busNumber(of: port).map { bus in
      "\(devices)/vhci_hcd.\(port.controller)/usb\(bus)/\(bus)-\(port.place)"
    }
  }

  /// Returns the number of the USB bus of a port; nil if its controller is gone.
  func busNumber(of port: Port) -> UInt16? {
    // The controller has two root hubs. The one with the lower number is for high speed and below.
    SysFS.names(in: "\(devices)/vhci_hcd.\(port.controller)").compactMap { hub in
      hub.hasPrefix("usb") ? UInt16(hub.dropFirst(3)) : nil
    }.min()
  }

  private struct Line {
    let port: Port
    let isFree: Bool
  }

  /// Returns the ports for devices of high speed and below, of all controllers.
  private func lines() -> [Line] {
    var lines: [Line] = []
    var controller = 0
    while let bytes = SysFS.read(
      "\(folder)/status" + (controller == 0 ? "" : ".\(controller)"))
    {
      lines += Self.lines(String(decoding: bytes, as: UTF8.self), controller)
      controller += 1
    }
    return lines
  }

  /// Reads the lines of a controller's file `status`: `hs  0000 004 000 00000000 000000 0-0`.
  private static func lines(_ text: String, _ controller: Int) -> [Line] {
    // The state of a port without a device (VDEV_ST_NULL).
    let free = 4
    var lines: [Line] = []
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count > 2, words[0] == "hs", let number = Int(words[1]), let state = Int(words[2])
      else { continue }
      let port = Port(number: number, controller: controller, place: lines.count + 1)
      lines.append(Line(port: port, isFree: state == free))
    }
    return lines
  }

  /// Returns the free ports for devices of high speed and below.
  func freePorts() -> [Port] { lines().filter(\.isFree).map(\.port) }

  /// Returns the free ports from whose place the kernel has removed the last device; all free ports
  /// if there is none.
  ///
  /// A port is free before the kernel has removed its device, which has the same physical path as
  /// the next one.
  func emptyPorts() -> [Port] {
    let ports = freePorts()
    let empty = ports.filter { !hasDevice(on: $0) }
    return empty.isEmpty ? ports : empty
  }

  /// Attaches a device to a free port.
  ///
  /// - Parameters:
  ///   - socket: The host's end of the connection. The kernel keeps it open.
  ///   - speed: The speed of the device.
  ///   - start: A number that differs from one device to the next, so that the next device does not
  ///     take the port that was freed last.
  /// - Returns: The port.
  /// - Throws: `limitReached` if no port is free, or at a limit of the process or the kernel;
  ///   `unavailable` without the driver; `permissionDenied` without root; `other` after any other
  ///   error of the kernel.
  func attach(
    _ socket: FileDescriptor, _ speed: USBSpeed, startingAt start: Int
  ) throws(HIDBusError) -> Port {
    let ports = emptyPorts()
    for index in ports.indices {
      let port = ports[(index + start) % ports.count]
      do throws(Errno) {
        // The number of the device is the host's business: any but 0 is valid.
        try write("\(port.number) \(socket.rawValue) \(port.number + 1) \(speed.number)")
        return port
      } catch {
        // Another program has taken the port meanwhile.
        if error == .resourceBusy { continue }
        throw Self.error(error, "attach a USB device")
      }
    }
    if let error = Self.unavailability() { throw error }
    throw HIDBusError(
      .limitReached,
      "all \(lines().count) ports of the kernel's virtual USB host controllers are in use: "
        + "unplug a device")
  }

  private func write(_ text: String) throws(Errno) {
    let file = try OwnedDescriptor(
      opened: clinux_open("\(folder)/attach", O_WRONLY | O_CLOEXEC, 0))
    guard Glibc.write(file.descriptor.rawValue, text, text.utf8.count) >= 0 else {
      throw Errno(rawValue: errno)
    }
  }
}
