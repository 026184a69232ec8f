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

  /// Parses a message of the kernel; `nil` if it is not about a HID device's driver.
  ///
  /// A message is `ACTION@DEVPATH`, and then `KEY=VALUE` for each property, all ended by zeros
  /// (lib/kobject_uevent.c, 6.12).
  init?(_ message: UnsafeRawBufferPointer) {
    var parts = message.split(separator: 0).makeIterator()
    guard let header = parts.next(), let at = header.firstIndex(of: UInt8(ascii: "@")) else {
      return nil
    }
    guard let action = Action(rawValue: String(decoding: header[..<at], as: UTF8.self)) else {
      return nil
    }
    var isHID = false
    while !isHID, let part = parts.next() { isHID = part.elementsEqual("SUBSYSTEM=hid".utf8) }
    guard isHID, let slash = header.lastIndex(of: UInt8(ascii: "/")), slash > at else { return nil }
    self.action = action
    folder = String(decoding: header[(slash + 1)...], as: UTF8.self)
  }

  init(_ action: Action, _ folder: String) {
    self.action = action
    self.folder = folder
  }
}
