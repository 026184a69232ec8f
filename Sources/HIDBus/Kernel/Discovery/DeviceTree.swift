// SPDX-License-Identifier: Apache-2.0

import Glibc
import IOLoop

/// The HID devices of the kernel in sysfs, and udevd's records of their nodes, by libudev.
///
/// sysfs is read directly for the list of devices and their properties. libudev opens each folder
/// of a path for each device that it makes: to list 30 devices takes 380 ms instead of 120 ms in
/// User-Mode Linux.
struct DeviceTree: Sendable {
  /// The folder of the devices in sysfs.
  var root = "/sys/bus/hid/devices"
  /// The folder of the devices' nodes.
  var nodes = "/dev"
  /// libudev; `nil` if it cannot be used.
  var udev: Udev?

  /// True if udevd runs, and libudev can be used.
  var isUdevActive: Bool { udev?.isActive ?? false }

  /// Returns whether udevd has processed a node; false if libudev cannot be used.
  func isProcessed(_ number: dev_t) -> Bool {
    udev?.use { $0.device(ofNode: number)?.isInitialized ?? false } ?? false
  }

  /// Returns the names of the devices' folders; no device that stays is missing.
  func folders() -> [String] {
    SysFS.allNames {
      SysFS.names(in: root)
    } isThere: { folder in
      SysFS.isThere("\(root)/\(folder)")
    }
  }

  /// Returns the properties of a device; `nil` if they cannot be read, because the device is gone
  /// or the process lacks descriptors.
  func properties(of folder: String) -> DeviceProperties? {
    var properties = DeviceProperties()
    let path = "\(root)/\(folder)"
    // The node is read first, because the kernel makes it last: values read once it exists are
    // final.
    properties.hidraw = SysFS.names(in: "\(path)/hidraw").first { $0.hasPrefix("hidraw") }
    guard let fields = SysFS.properties(in: path) else { return nil }
    for input in SysFS.names(in: "\(path)/input") where input.hasPrefix("input") {
      let version = SysFS.line("\(path)/input/\(input)/id/version")
      let events = SysFS.names(in: "\(path)/input/\(input)").filter { $0.hasPrefix("event") }
      properties.inputs[input] = .init(
        version: version.flatMap { UInt32($0, radix: 16) }, events: Set(events))
    }
    properties.name = fields["HID_NAME"] ?? ""
    properties.physicalPath = fields["HID_PHYS"] ?? ""
    properties.uniq = fields["HID_UNIQ"] ?? ""
    properties.driver = SysFS.linkTarget("\(path)/driver")
    properties.country = country(of: folder)
    return properties
  }

  /// Returns the country code of a device; `nil` until the kernel provides it, which it does last.
  func country(of folder: String) -> UInt32? {
    SysFS.line("\(root)/\(folder)/country").flatMap { UInt32($0, radix: 16) }
  }

  /// Returns attributes of the USB device that a HID device belongs to, as far as they exist; `nil`
  /// if no USB device is found.
  func usbAttributes(_ names: [String], of folder: String) -> [String: String]? {
    guard let udev else { return usbAttributesFromSysFS(names, of: folder) }
    return udev.use {
      $0.device("hid", folder)?.attributes(names, ofParent: "usb", "usb_device")
    }
  }

  private func usbAttributesFromSysFS(
    _ names: [String], of folder: String
  ) -> [String: String]? {
    // With a null buffer, realpath allocates PATH_MAX bytes itself.
    guard let resolved = realpath("\(root)/\(folder)", nil) else { return nil }
    defer { free(resolved) }
    var parent = String(cString: resolved)
    // The HID device's folder is inside that of a USB interface, which is inside that of the USB
    // device.
    for _ in 0..<4 {
      guard let slash = parent.lastIndex(of: "/"), slash > parent.startIndex else { return nil }
      parent = String(parent[..<slash])
      guard access("\(parent)/bNumConfigurations", F_OK) == 0 else { continue }
      var values: [String: String] = [:]
      for name in names { values[name] = SysFS.line("\(parent)/\(name)") }
      return values
    }
    return nil
  }
}

/// The properties of a HID device that the kernel has as text.
struct DeviceProperties: Hashable, Sendable {
  var name = ""
  var physicalPath = ""
  var uniq = ""
  /// The country code; `nil` until the kernel provides it, and in properties from messages.
  var country: UInt32?
  var driver: String?
  /// The name of the hidraw node: `hidraw3`; `nil` if there is none.
  var hidraw: String?
  /// The input devices by their names: `input9`.
  var inputs: [String: Input] = [:]

  /// An input device of a HID device.
  struct Input: Hashable, Sendable {
    /// The release number; `nil` if it cannot be read.
    var version: UInt32?
    /// The names of the evdev nodes: `event5`.
    var events: Set<String> = []
  }

  /// The names of the evdev nodes, in the order in which the kernel made them.
  var events: [String] { sortedInputs.flatMap { $0.events.sorted() } }
  /// The release number of the last input device that has one; 0 if there is none.
  ///
  /// sysfs has the number only there.
  var version: UInt32 { sortedInputs.lazy.compactMap(\.version).last ?? 0 }

  /// The input devices in the order of their numbers: input9 comes before input10.
  private var sortedInputs: [Input] {
    inputs.sorted { ($0.key.utf8.count, $0.key) < ($1.key.utf8.count, $1.key) }.map(\.value)
  }

  /// Changes the properties as a message says.
  mutating func apply(_ detail: DeviceMessage.Detail) {
    switch detail {
    case .hidraw(let name, true): hidraw = name
    case .hidraw(let name, false): if hidraw == name { hidraw = nil }
    case .input(let name, let version, true): inputs[name, default: Input()].version = version
    case .input(let name, _, false): inputs[name] = nil
    case .event(let name, let input, true): inputs[input, default: Input()].events.insert(name)
    case .event(let name, let input, false): inputs[input]?.events.remove(name)
    case .bound(let bound):
      (name, physicalPath, uniq, driver) = (
        bound.name, bound.physicalPath, bound.uniq, bound.driver
      )
    }
  }
}
