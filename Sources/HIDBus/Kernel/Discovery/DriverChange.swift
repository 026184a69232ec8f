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
  /// The change of its driver; `nil` if the message is about another device, or from udevd.
  let change: DriverChange?

  /// Makes a message; `nil` if it is about no HID device.
  ///
  /// - Parameters:
  ///   - action: The action: `add`, `bind`; `nil` for a message of udevd.
  ///   - path: The path of the device below `/sys`.
  ///   - subsystem: The subsystem of the device; `nil` if it is not known.
  init?(action: String?, path: String, subsystem: String?) {
    let names = path.utf8.split(separator: UInt8(ascii: "/"))
    // A HID device can have another HID device as its parent: the message is about the last one in
    // the path.
    guard let last = names.lastIndex(where: Self.isFolder) else { return nil }
    folder = String(names[last]) ?? ""
    guard last == names.count - 1, subsystem == "hid",
      let action = action.flatMap(DriverChange.Action.init)
    else {
      change = nil
      return
    }
    change = DriverChange(action, folder)
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
    let key = "SUBSYSTEM=".utf8
    let subsystem = parts.first { $0.starts(with: key) }?.dropFirst(key.count)
    self.init(
      action: String(decoding: header[..<at], as: UTF8.self),
      path: String(decoding: header[(at + 1)...], as: UTF8.self),
      subsystem: subsystem.map { String(decoding: $0, as: UTF8.self) })
  }

  /// Returns whether a name is that of a HID device: three numbers, and the counter of the HID
  /// core, such as `0003:1209:BEEF.0005`.
  ///
  /// The address of a PCI device, such as `0000:00:14.0`, has shorter numbers.
  static func isFolder(_ name: some Collection<UInt8>) -> Bool {
    let numbers = name.split(omittingEmptySubsequences: false) {
      $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
    }
    return numbers.count == 4
      && numbers.allSatisfy { number in
        number.count >= 4 && number.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
      }
  }
}
