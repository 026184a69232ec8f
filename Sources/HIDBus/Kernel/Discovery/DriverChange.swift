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

  /// Parses a message; `nil` if it is about no HID device.
  ///
  /// A message of the kernel is `ACTION@DEVPATH`, and then `KEY=VALUE` for each property, all ended
  /// by zeros (lib/kobject_uevent.c, 6.12). A message of udevd has a binary header instead of the
  /// first part.
  init?(_ message: UnsafeRawBufferPointer) {
    let parts = message.split(separator: 0)
    guard let header = parts.first else { return nil }
    let at = header.firstIndex(of: UInt8(ascii: "@"))
    let path: Slice<UnsafeRawBufferPointer>
    if let at {
      path = header[(at + 1)...]
    } else {
      let key = "DEVPATH=".utf8
      guard let property = parts.first(where: { $0.starts(with: key) }) else { return nil }
      path = property.dropFirst(key.count)
    }
    let names = path.split(separator: UInt8(ascii: "/"))
    // A HID device can have another HID device as its parent: the message is about the last one in
    // the path.
    guard let last = names.lastIndex(where: Self.isFolder) else { return nil }
    folder = String(decoding: names[last], as: UTF8.self)
    guard let at, last == names.count - 1,
      let action = DriverChange.Action(rawValue: String(decoding: header[..<at], as: UTF8.self)),
      parts.contains(where: { $0.elementsEqual("SUBSYSTEM=hid".utf8) })
    else {
      change = nil
      return
    }
    change = DriverChange(action, folder)
  }

  /// Returns whether a name is that of a HID device: three numbers, and the counter of the HID
  /// core, such as `0003:1209:BEEF.0005`.
  ///
  /// The address of a PCI device, such as `0000:00:14.0`, has shorter numbers.
  private static func isFolder(_ name: some Collection<UInt8>) -> Bool {
    let numbers = name.split(omittingEmptySubsequences: false) {
      $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
    }
    return numbers.count == 4
      && numbers.allSatisfy { number in
        number.count >= 4 && number.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
      }
  }
}
