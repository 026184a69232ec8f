// SPDX-License-Identifier: Apache-2.0

/// One HID device of the kernel, as sysfs shows it.
struct KernelDevice: Hashable, Sendable {
  /// Its folder under `/sys/bus/hid/devices`: `0003:1209:0001.0005`.
  let folder: String
  let bus: UInt16
  let vendorID: UInt32
  let productID: UInt32
  /// The HID core's counter, which is not reused before the next boot.
  let instance: UInt32
  let name: String
  let physicalPath: String
  let uniq: String
  /// The country code; `nil` until the kernel provides it, which it does last.
  let country: UInt32?
  let descriptor: [UInt8]
  /// The identity that a device of hidsim has published in the bus directory, since the kernel has
  /// no field for some of it.
  let told: HIDDeviceIdentity?
  /// The properties of the hardware, as far as the kernel exposes them.
  let hardware: KernelHardware?
  private(set) var driver: String?
  /// The release number; 0 without an input device, since sysfs has it only there.
  private(set) var version: UInt32 = 0
  private(set) var hidraw: String?
  private(set) var events: [String] = []

  /// The node's path, if the device has one.
  var node: String? { hidraw.map { "/dev/\($0)" } }

  /// Reads all current properties; `nil` if the device is gone.
  ///
  /// Before a driver is bound the descriptor is empty, and the driver may change it, the name and
  /// the serial number (6.12). So the values are final only if there is a hidraw node, which comes
  /// last.
  init?(folder: String, root: String, directory: BusDirectory? = nil) {
    let parts = folder.split(whereSeparator: { $0 == ":" || $0 == "." })
    guard parts.count == 4, let bus = UInt16(parts[0], radix: 16),
      let vendorID = UInt32(parts[1], radix: 16), let productID = UInt32(parts[2], radix: 16),
      let instance = UInt32(parts[3], radix: 16)
    else { return nil }
    // The node is read first, because the kernel makes it last: values read once it exists are
    // final.
    hidraw = SysFS.names(in: "\(root)/\(folder)/hidraw").first { $0.hasPrefix("hidraw") }
    guard let uevent = SysFS.read("\(root)/\(folder)/uevent"),
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
    let path = fields["HID_PHYS"].map(String.init) ?? ""
    physicalPath = path
    let ours = HIDPhysicalPath(path)
    told = directory.flatMap { directory in
      ours.flatMap { DeviceEntry.identity(of: $0.interfaceID, on: .kernel, in: directory) }
    }
    hardware = ours == nil ? KernelHardware(of: "\(root)/\(folder)", bus: bus) : nil
    uniq = fields["HID_UNIQ"].map(String.init) ?? ""
    country = SysFS.line("\(root)/\(folder)/country").flatMap { UInt32($0, radix: 16) }
    driver = SysFS.linkTarget("\(root)/\(folder)/driver")
    // The inputs are sorted by number, the order in which the kernel made them: input9 comes before
    // input10.
    let inputs = SysFS.names(in: "\(root)/\(folder)/input").filter { $0.hasPrefix("input") }
      .sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
    for input in inputs {
      let path = "\(root)/\(folder)/input/\(input)"
      events += SysFS.names(in: path).filter { $0.hasPrefix("event") }
      version = SysFS.line("\(path)/id/version").flatMap { UInt32($0, radix: 16) } ?? version
    }
  }

  /// Returns whether a device's node still belongs to that device.
  ///
  /// Numbers of nodes are reused, those of devices are not.
  static func isCurrent(_ device: HIDDeviceRecord) -> Bool {
    guard let node = device.address.split(separator: "/").last,
      let folder = SysFS.linkTarget("/sys/class/hidraw/\(node)/device")
    else { return false }
    guard HIDPhysicalPath(device.physicalPath) != nil else {
      return folder.split(separator: ".").last.flatMap { UInt64($0, radix: 16) }
        == device.id.rawValue
    }
    let uevent = SysFS.read("/sys/class/hidraw/\(node)/device/uevent") ?? []
    return String(decoding: uevent, as: UTF8.self).split(separator: "\n")
      .contains { $0 == "HID_PHYS=\(device.physicalPath)" }
  }

  /// The record that the bus reports for the device; `nil` if the device has no hidraw node.
  var record: HIDDeviceRecord? {
    guard let node else { return nil }
    let ours = HIDPhysicalPath(physicalPath)
    return HIDDeviceRecord(
      id: ours?.interfaceID ?? HIDDeviceID(rawValue: UInt64(instance)), bus: .kernel,
      address: node, identity: identity, physicalPath: physicalPath,
      eventNodes: events.map { "/dev/input/\($0)" }, driver: driver, descriptorBytes: descriptor)
  }

  private var identity: HIDDeviceIdentity {
    var identity = HIDDeviceIdentity(
      name: name, vendorID: vendorID, productID: productID,
      versionNumber: version != 0 ? version : hardware?.version ?? 0, countryCode: country ?? 0,
      transport: told?.transport ?? HIDTransport(busType: bus),
      manufacturer: told?.manufacturer ?? hardware?.manufacturer ?? "", serialNumber: uniq)
    identity.details = told?.details ?? hardware?.details ?? HIDDeviceDetails()
    return identity
  }
}
