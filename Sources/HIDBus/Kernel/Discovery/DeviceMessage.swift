// SPDX-License-Identifier: Apache-2.0

/// A kernel message about a HID device and its driver.
///
/// `bind` is the only sign that a driver's probe is over. sysfs shows the driver before the probe.
/// The nodes appear during the probe, while input reports are still dropped (6.12).
struct DriverChange: Hashable, Sendable {
  enum Action: String, Hashable, Sendable {
    case added = "add"
    case bound = "bind"
    case unbound = "unbind"
    case removed = "remove"
  }

  let action: Action
  /// The device's folder under `/sys/bus/hid/devices`.
  let folder: String

  init(_ action: Action, _ folder: String) {
    self.action = action
    self.folder = folder
  }
}

/// A message of the kernel or of udevd about a HID device, or about a device below it, such as a
/// node.
struct DeviceMessage: Hashable, Sendable {
  /// The HID device's folder under `/sys/bus/hid/devices`.
  let folder: String
  /// The change of the HID device or its driver; `nil` if the message is about a device below it,
  /// has another action, was caused by a program, or is from udevd.
  private(set) var change: DriverChange?
  /// The node or input device that the message is about, or the properties of a bound device.
  ///
  /// `nil` if the message has none, was caused by a program, or is from udevd.
  private(set) var detail: Detail?

  /// A node or input device that has come or is gone, or the properties of a newly bound device.
  enum Detail: Hashable, Sendable {
    /// The name of a hidraw node that has come or is gone.
    case hidraw(String, isThere: Bool)
    /// The name and release number (0 if not known) of an input device that has come or is gone.
    case input(String, version: UInt32, isThere: Bool)
    /// The names of an evdev node that has come or is gone, and of its input device.
    case event(String, input: String, isThere: Bool)
    /// The properties of a device whose driver is bound, without nodes.
    case bound(DeviceProperties)
  }

  /// Makes a message; `nil` if it is about no HID device.
  ///
  /// - Parameters:
  ///   - action: The action: `add`, `bind`; `nil` for a message of udevd.
  ///   - path: The path of the device below `/sys`.
  ///   - property: Returns the property with a name.
  init?(action: String?, path: String, property: (String) -> String?) {
    let names = path.utf8.split(separator: UInt8(ascii: "/"))
    // A HID device can have another HID device as its parent: the message is about the last one in
    // the path.
    guard let last = names.lastIndex(where: Self.isFolder) else { return nil }
    folder = String(Substring(names[last]))
    // `udevadm trigger` and writes to `uevent` make messages about devices that were there before.
    guard let action, let subsystem = property("SUBSYSTEM"), property("SYNTH_UUID") == nil else {
      return
    }
    let below = names[(last + 1)...].map { String(Substring($0)) }
    if below.isEmpty {
      guard subsystem == "hid", let action = DriverChange.Action(rawValue: action) else { return }
      change = DriverChange(action, folder)
      if action == .bound { detail = Self.properties(property).map(Detail.bound) }
    } else if action == "add" || action == "remove" {
      detail = Self.node(below, subsystem, isThere: action == "add", property)
    }
  }

  private static func properties(_ property: (String) -> String?) -> DeviceProperties? {
    guard let driver = property("DRIVER"), property("HID_ID") != nil else { return nil }
    // The kernel's own file of properties has a line for each: a name ends at a line break there.
    func line(_ name: String) -> String {
      property(name).map { String($0.prefix { $0 != "\n" }) } ?? ""
    }
    return DeviceProperties(
      name: line("HID_NAME"), physicalPath: line("HID_PHYS"), uniq: line("HID_UNIQ"),
      driver: driver)
  }

  /// Returns the change of a node or an input device below a HID device; `nil` for other devices.
  ///
  /// - Parameters:
  ///   - names: The last components of the node's path: `hidraw`, `hidraw3`; `input`, `input9`,
  ///     `event5`.
  ///   - subsystem: Its subsystem.
  ///   - isThere: True if the node has come, false if it is gone.
  ///   - property: Returns the property with a name.
  private static func node(
    _ names: [String], _ subsystem: String, isThere: Bool, _ property: (String) -> String?
  ) -> Detail? {
    switch (subsystem, names.count) {
    case ("hidraw", 2) where names[0] == "hidraw": return .hidraw(names[1], isThere: isThere)
    case ("input", 2) where names[0] == "input":
      // Bus, vendor, product and version, in hexadecimal.
      let numbers = property("PRODUCT")?.split(separator: "/") ?? []
      let version = numbers.count == 4 ? UInt32(numbers[3], radix: 16) : nil
      return .input(names[1], version: version ?? 0, isThere: isThere)
    case ("input", 3) where names[0] == "input" && names[2].hasPrefix("event"):
      return .event(names[2], input: names[1], isThere: isThere)
    default: return nil
    }
  }

  /// Parses a message of the kernel; `nil` if it is about no HID device.
  ///
  /// It is `ACTION@DEVPATH`, and then `KEY=VALUE` for each property, all ended by zeros
  /// (lib/kobject_uevent.c, 6.12).
  init?(_ message: UnsafeRawBufferPointer) {
    let parts = message.split(separator: 0)
    guard let header = parts.first, let at = header.firstIndex(of: UInt8(ascii: "@")) else {
      return nil
    }
    let path = String(decoding: header[(at + 1)...], as: UTF8.self)
    self.init(action: String(decoding: header[..<at], as: UTF8.self), path: path) { name in
      let key = "\(name)=".utf8
      return parts.first { $0.starts(with: key) }.map {
        String(decoding: $0.dropFirst(key.count), as: UTF8.self)
      }
    }
  }

  /// Returns whether a name is that of a HID device: three numbers, and the counter of the HID
  /// core, such as `0003:1209:BEEF.0005`.
  ///
  /// The address of a PCI device, such as `0000:00:14.0`, has shorter numbers.
  static func isFolder(_ name: some Collection<UInt8>) -> Bool {
    var numbers = 0
    var digits = 0
    for byte in name {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"),
        UInt8(ascii: "a")...UInt8(ascii: "f"):
        digits += 1
      case UInt8(ascii: ":"), UInt8(ascii: "."):
        guard digits >= 4 else { return false }
        numbers += 1
        digits = 0
      default: return false
      }
    }
    return numbers == 3 && digits >= 4
  }
}
