// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The HID devices of the kernel, and udevd's records of their nodes.
protocol DeviceTree: Sendable {
  /// The folder of the devices in sysfs.
  var root: String { get }
  /// The folder of the devices' nodes.
  var nodes: String { get }
  /// True if udevd runs, and this process can read its records.
  var isUdevActive: Bool { get }

  /// Returns whether udevd has processed a node.
  func isProcessed(_ number: dev_t) -> Bool
  /// Returns the names of the devices' folders; a name can be missing if another device is removed
  /// meanwhile.
  func folders() -> [String]
  /// Returns the properties of a device; `nil` if the device is gone.
  func properties(of folder: String) -> DeviceProperties?
  /// Returns attributes of the USB device that a HID device belongs to; `nil` if it belongs to
  /// none.
  func usbAttributes(_ names: [String], of folder: String) -> [String: String]?
}

/// The properties of a HID device that the kernel has as text.
struct DeviceProperties: Hashable, Sendable {
  var name = ""
  var physicalPath = ""
  var uniq = ""
  /// The country code; `nil` until the kernel provides it, which it does last.
  var country: UInt32?
  var driver: String?
  /// The name of the hidraw node: `hidraw3`.
  var hidraw: String?
  /// The input devices by their names: `input9`.
  var inputs: [String: Input] = [:]

  /// An input device of a HID device.
  struct Input: Hashable, Sendable {
    /// The release number.
    var version: UInt32?
    /// The names of the evdev nodes: `event5`.
    var events: Set<String> = []
  }

  /// The names of the evdev nodes, in the order in which the kernel made them.
  var events: [String] { sortedInputs.flatMap { $0.events.sorted() } }
  /// The release number; 0 without an input device, since sysfs has it only there.
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
      (name, physicalPath, uniq) = (bound.name, bound.physicalPath, bound.uniq)
      (country, driver) = (bound.country, bound.driver)
    }
  }
}

/// The devices, read by libudev.
struct UdevTree: DeviceTree {
  let udev: Udev
  let root = "/sys/bus/hid/devices"
  let nodes = "/dev"

  var isUdevActive: Bool { udev.isActive }

  func isProcessed(_ number: dev_t) -> Bool {
    udev.use { $0.device(ofNode: number)?.isInitialized ?? false }
  }

  func folders() -> [String] {
    udev.use { context in
      context.paths(in: "hid").compactMap { $0.split(separator: "/").last.map(String.init) }
    }
  }

  func properties(of folder: String) -> DeviceProperties? {
    udev.use { context -> DeviceProperties? in
      guard let device = context.device("hid", folder) else { return nil }
      var properties = DeviceProperties()
      // The nodes are read first, because the kernel makes hidraw's last: values read once it
      // exists are final.
      for path in context.paths(in: ["hidraw", "input"], below: device) {
        let names = path.split(separator: "/")
        // A node below another HID device, whose parent is this one, does not belong to this one.
        guard let own = names.lastIndex(where: { DeviceMessage.isFolder($0.utf8) }),
          names[own] == folder, own + 2 < names.count
        else { continue }
        let name = String(names[own + 2])
        switch (names[own + 1], names.count - own) {
        case ("hidraw", 3): properties.hidraw = properties.hidraw ?? name
        case ("input", 3):
          let version = context.device("input", name)?.attribute("id/version")
          properties.inputs[name, default: .init()].version = version.flatMap {
            UInt32($0, radix: 16)
          }
        case ("input", 4) where names[own + 3].hasPrefix("event"):
          properties.inputs[name, default: .init()].events.insert(String(names[own + 3]))
        default: break
        }
      }
      guard device.property("HID_ID") != nil else { return nil }
      properties.name = device.property("HID_NAME") ?? ""
      properties.physicalPath = device.property("HID_PHYS") ?? ""
      properties.uniq = device.property("HID_UNIQ") ?? ""
      properties.driver = device.driver
      properties.country = device.attribute("country").flatMap { UInt32($0, radix: 16) }
      return properties
    }
  }

  func usbAttributes(_ names: [String], of folder: String) -> [String: String]? {
    udev.use { $0.device("hid", folder)?.attributes(names, ofParent: "usb", "usb_device") }
  }
}

/// The devices, read from sysfs without libudev; udevd's records cannot be read then.
struct SysFSTree: DeviceTree {
  var root = "/sys/bus/hid/devices"
  var nodes = "/dev"

  var isUdevActive: Bool { false }

  func isProcessed(_ number: dev_t) -> Bool { false }

  func folders() -> [String] { SysFS.names(in: root) }

  func properties(of folder: String) -> DeviceProperties? {
    var properties = DeviceProperties()
    let path = "\(root)/\(folder)"
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
    properties.country = SysFS.line("\(path)/country").flatMap { UInt32($0, radix: 16) }
    return properties
  }

  func usbAttributes(_ names: [String], of folder: String) -> [String: String]? {
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
