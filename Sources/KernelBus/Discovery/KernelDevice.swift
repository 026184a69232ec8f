// SPDX-License-Identifier: Apache-2.0

import HIDWire

/// One HID device of the kernel, as sysfs has it.
struct KernelDevice: Hashable, Sendable {
  /// Its folder under `/sys/bus/hid/devices`: `0003:1209:0001.0005`.
  let folder: String
  let bus: UInt16
  let vendorID: UInt32
  let productID: UInt32
  /// The HID core's counter, which is never used again before the next boot.
  let instance: UInt32
  let name: String
  let physicalPath: String
  let uniq: String
  let country: UInt32
  let descriptor: [UInt8]
  /// What may still come or change: filled in by ``KernelScanner``.
  var driver: String?
  var version: UInt32 = 0
  var hidraw: String?
  var events: [String] = []

  /// The node's path, if the device has one.
  var node: String? { hidraw.map { "/dev/\($0)" } }

  /// Reads what does not change while the device is there; `nil` if it has just gone.
  init?(folder: String, root: String) {
    let parts = folder.split(whereSeparator: { $0 == ":" || $0 == "." })
    guard parts.count == 4, let bus = UInt16(parts[0], radix: 16),
      let vendorID = UInt32(parts[1], radix: 16), let productID = UInt32(parts[2], radix: 16),
      let instance = UInt32(parts[3], radix: 16),
      let uevent = SysFS.read("\(root)/\(folder)/uevent"),
      let descriptor = SysFS.read("\(root)/\(folder)/report_descriptor")
    else { return nil }
    var fields: [Substring: Substring] = [:]
    let text = String(decoding: uevent, as: UTF8.self)
    for line in text.split(separator: "\n") {
      let pair = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if pair.count == 2 { fields[pair[0]] = pair[1] }
    }
    self.folder = folder
    self.bus = bus
    self.vendorID = vendorID
    self.productID = productID
    self.instance = instance
    self.descriptor = descriptor
    name = fields["HID_NAME"].map(String.init) ?? ""
    physicalPath = fields["HID_PHYS"].map(String.init) ?? ""
    uniq = fields["HID_UNIQ"].map(String.init) ?? ""
    country = SysFS.line("\(root)/\(folder)/country").flatMap { UInt32($0, radix: 16) } ?? 0
  }

  /// Reads what comes after the device itself: its driver and nodes.
  mutating func readNodes(root: String) {
    let path = "\(root)/\(folder)"
    driver = SysFS.linkTarget("\(path)/driver")
    hidraw = SysFS.names(in: "\(path)/hidraw").first { $0.hasPrefix("hidraw") }
    events = []
    for input in SysFS.names(in: "\(path)/input") where input.hasPrefix("input") {
      events += SysFS.names(in: "\(path)/input/\(input)").filter { $0.hasPrefix("event") }
      version =
        SysFS.line("\(path)/input/\(input)/id/version").flatMap { UInt32($0, radix: 16) } ?? version
    }
  }

  /// The device as the wire sees it; `nil` without a node to open.
  var record: HIDDeviceRecord? {
    guard let node else { return nil }
    let ours = HIDPhysicalPath(physicalPath)
    return HIDDeviceRecord(
      id: ours?.interfaceID ?? HIDDeviceID(rawValue: UInt64(instance)), bus: .kernel,
      address: node,
      identity: HIDDeviceIdentity(
        name: name, vendorID: vendorID, productID: productID, versionNumber: version,
        countryCode: country, transport: HIDTransport(busType: bus), serialNumber: uniq),
      physicalPath: physicalPath, eventNodes: events.map { "/dev/input/\($0)" }, driver: driver,
      descriptorBytes: descriptor)
  }
}
