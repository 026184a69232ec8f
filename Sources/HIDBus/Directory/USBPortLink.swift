// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import SystemPackage

/// A symbolic link in the bus directory that names the device on a port of the kernel's virtual USB
/// host controllers.
///
/// The kernel has no field for the ID of a USB device. The link has the name of the port, such as
/// `usb-vhci_hcd.0-1`, and points to the ID of the first HID interface. A link that is left from a
/// device of a killed process points to an ID without a device file.
enum USBPortLink {
  /// The start of the names of all links.
  static let prefix = "usb-vhci_hcd."

  /// Makes the link of a port; replaces an older one.
  ///
  /// - Throws: The `Errno` of the call that failed.
  static func publish(
    _ device: HIDDeviceID, at port: String, in directory: BusDirectory
  ) throws(Errno) {
    directory.remove(port)
    guard symlink(device.description, directory.procPath(port)) == 0 else {
      throw Errno(rawValue: errno)
    }
  }

  /// Removes the link of a port, unless another device has the port by now.
  static func remove(_ device: HIDDeviceID, at port: String, in directory: BusDirectory) {
    guard target(of: port, in: directory) == device else { return }
    directory.remove(port)
  }

  /// Returns the ID of the interface with a physical path, such as `usb-vhci_hcd.0-1/input0`; nil
  /// if there is no link, or the path is another one.
  static func deviceID(at path: String, in directory: BusDirectory) -> HIDDeviceID? {
    guard path.hasPrefix(prefix), let slash = path.lastIndex(of: "/"),
      path[slash...].hasPrefix("/input"), let interface = UInt8(path[slash...].dropFirst(6)),
      let device = target(of: String(path[..<slash]), in: directory)
    else { return nil }
    return HIDDeviceID(rawValue: device.rawValue & ~0xFF | UInt64(interface))
  }

  private static func target(of name: String, in directory: BusDirectory) -> HIDDeviceID? {
    guard !name.contains("/") else { return nil }
    var bytes = [UInt8](repeating: 0, count: 32)
    let count = bytes.withUnsafeMutableBytes { buffer in
      buffer.withMemoryRebound(to: CChar.self) { text in
        text.baseAddress.map { readlink(directory.procPath(name), $0, text.count) } ?? -1
      }
    }
    guard count > 0 else { return nil }
    return HIDDeviceID(description: String(decoding: bytes[..<count], as: UTF8.self))
  }

  /// Removes a link whose device has no file.
  static func clear(_ name: String, in directory: BusDirectory) {
    guard let device = target(of: name, in: directory),
      DeviceEntry.identity(of: device, on: .kernel, in: directory) == nil
    else { return }
    directory.remove(name)
  }
}
