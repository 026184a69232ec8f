// SPDX-License-Identifier: Apache-2.0

import IOLoop

/// The USB interface of a plugged HID device, and its USB device, as sysfs has them.
package struct KernelUSBInterface: Sendable {
  /// The number of the interface.
  package let number: UInt8
  /// The text of the interface; empty for none.
  package let name: String
  /// The product's text; empty for none.
  package let product: String
  /// The manufacturer's text; empty for none.
  package let manufacturer: String
  /// The serial number; empty for none.
  package let serialNumber: String
  /// The speed; nil if it is not one that hidsim has.
  package let speed: USBSpeed?
  /// The device descriptor, 18 bytes.
  package let device: [UInt8]
  /// The configuration that the host has chosen, with the descriptors of its interfaces.
  package let configuration: [UInt8]

  /// Reads the descriptors.
  ///
  /// - Parameter node: The hidraw node of the device: `/dev/hidraw3`.
  /// - Returns: Nil for a device that is not on USB, or whose descriptors cannot be read.
  package init?(ofNode node: String) {
    guard let name = node.split(separator: "/").last, name.hasPrefix("hidraw") else { return nil }
    self.init(hidFolder: "/sys/class/hidraw/\(name)/device")
  }

  /// Reads the descriptors from the folders above that of a HID device.
  init?(hidFolder: String) {
    let interface = "\(hidFolder)/.."
    let device = "\(interface)/.."
    guard
      let number = SysFS.line("\(interface)/bInterfaceNumber").flatMap({ UInt8($0, radix: 16) }),
      let bytes = SysFS.read("\(device)/descriptors"), bytes.count >= 18
    else { return nil }
    let value = SysFS.line("\(device)/bConfigurationValue").flatMap { UInt8($0) }
    guard let configuration = Self.configuration(value, in: bytes.dropFirst(18)) else { return nil }
    self.number = number
    self.device = Array(bytes.prefix(18))
    self.configuration = configuration
    name = SysFS.line("\(interface)/interface") ?? ""
    product = SysFS.line("\(device)/product") ?? ""
    manufacturer = SysFS.line("\(device)/manufacturer") ?? ""
    serialNumber = SysFS.line("\(device)/serial") ?? ""
    speed =
      switch SysFS.line("\(device)/speed") {
      case "1.5": .low
      case "12": .full
      case "480": .high
      default: nil
      }
  }

  /// Returns the configuration with a value among several; the first without a value.
  private static func configuration(_ value: UInt8?, in bytes: ArraySlice<UInt8>) -> [UInt8]? {
    var rest = bytes
    while rest.count >= 9 {
      let start = rest.startIndex
      let count = Int(rest[start + 2]) | Int(rest[start + 3]) << 8
      guard count >= 9, count <= rest.count else { return nil }
      if value == nil || rest[start + 5] == value { return Array(rest.prefix(count)) }
      rest = rest.dropFirst(count)
    }
    return nil
  }
}
