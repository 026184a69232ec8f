// SPDX-License-Identifier: Apache-2.0

import IOLoop

/// One HID device of the kernel, as sysfs and the kernel's messages show it.
struct KernelDevice: Hashable, Sendable {
  /// Its folder under `/sys/bus/hid/devices`: `0003:1209:0001.0005`.
  let folder: String
  let bus: UInt16
  let vendorID: UInt32
  let productID: UInt32
  /// The number that the HID core gave the device; it is not used again before the next boot.
  let instance: UInt32
  let name: String
  let physicalPath: String
  let uniq: String
  /// The country code; `nil` if it is not known yet, since the kernel provides it last.
  let country: UInt32?
  let descriptor: [UInt8]
  /// The ID of a device of hidsim; `nil` for any other device.
  let ownID: HIDDeviceID?
  /// The identity that a device of hidsim has published in the bus directory, since the kernel has
  /// no field for some of it; `nil` for a device without one.
  let told: HIDDeviceIdentity?
  /// The properties of the hardware, as far as the kernel exposes them; `nil` if it exposes none,
  /// and for a device that hidsim plugged through `/dev/uhid`.
  let hardware: KernelHardware?
  let driver: String?
  /// The release number; 0 without an input device, since sysfs has it only there.
  let version: UInt32
  let hidraw: String?
  let events: [String]

  /// The hidraw node's path, if the device has one.
  var node: String? { hidraw.map { "/dev/\($0)" } }

  /// Reads all current properties; `nil` if they cannot be read, or if the folder's name is not
  /// that of a HID device.
  ///
  /// - Parameters:
  ///   - folder: The device's folder.
  ///   - heard: The properties from the kernel's messages since the device came; `nil` to read them
  ///     from sysfs.
  ///   - tree: The devices.
  ///   - directory: The folder in which devices of hidsim publish their identities.
  ///
  /// Before a driver is bound the descriptor is empty, and the driver may change it, the name and
  /// the serial number (6.12). So the values are final only if there is a hidraw node, which comes
  /// last.
  init?(
    folder: String, heard: DeviceProperties? = nil, in tree: DeviceTree,
    directory: BusDirectory? = nil
  ) {
    let parts = folder.split(whereSeparator: { $0 == ":" || $0 == "." })
    guard parts.count == 4, let bus = UInt16(parts[0], radix: 16),
      let vendorID = UInt32(parts[1], radix: 16), let productID = UInt32(parts[2], radix: 16),
      let instance = UInt32(parts[3], radix: 16)
    else { return nil }
    guard let properties = heard ?? tree.properties(of: folder),
      // libudev cannot return attributes with zeros, so the descriptor is read from its file.
      let descriptor = SysFS.read("\(tree.root)/\(folder)/report_descriptor")
    else { return nil }
    self.folder = folder
    self.bus = bus
    self.vendorID = vendorID
    self.productID = productID
    self.instance = instance
    self.descriptor = descriptor
    name = properties.name
    physicalPath = properties.physicalPath
    let ours = HIDPhysicalPath(properties.physicalPath)
    let onUSB = directory.flatMap { USBPortLink.deviceID(at: properties.physicalPath, in: $0) }
    told = directory.flatMap { directory in
      (ours?.interfaceID ?? onUSB).flatMap {
        DeviceEntry.identity(of: $0, on: .kernel, in: directory)
      }
    }
    // The file of a USB device may be left from a device that was on its port before.
    ownID = ours?.interfaceID ?? (told == nil ? nil : onUSB)
    hardware = ours == nil ? KernelHardware(of: folder, in: tree, bus: bus) : nil
    uniq = properties.uniq
    country = heard == nil ? properties.country : told?.countryCode ?? tree.country(of: folder)
    driver = properties.driver
    version = properties.version
    hidraw = properties.hidraw
    events = properties.events
  }

  /// Returns whether a device's hidraw node still belongs to that device.
  ///
  /// Numbers of nodes are reused, those of devices are not.
  static func isCurrent(_ device: HIDDeviceRecord, in directory: BusDirectory?) -> Bool {
    guard let node = device.address.split(separator: "/").last,
      let folder = SysFS.linkTarget("/sys/class/hidraw/\(node)/device")
    else { return false }
    guard device.isOurs else {
      return folder.split(separator: ".").last.flatMap { UInt64($0, radix: 16) }
        == device.id.rawValue
    }
    // The path of a USB device is that of its port, which other devices can have after it.
    if device.physicalPath.hasPrefix(USBPortLink.prefix) {
      let current = directory.flatMap { USBPortLink.deviceID(at: device.physicalPath, in: $0) }
      guard current == device.id else { return false }
    }
    let uevent = SysFS.read("/sys/class/hidraw/\(node)/device/uevent") ?? []
    return String(decoding: uevent, as: UTF8.self).split(separator: "\n")
      .contains { $0 == "HID_PHYS=\(device.physicalPath)" }
  }

  /// The record that the bus reports to clients; `nil` if the device has no hidraw node, since they
  /// cannot open it then.
  var record: HIDDeviceRecord? { node.map { record(at: $0) } }

  /// Returns the record for the process that has plugged the device.
  ///
  /// Its address is the hidraw node. Without one it is the device's folder in sysfs.
  func ownRecord(in tree: DeviceTree) -> HIDDeviceRecord {
    record ?? record(at: "\(tree.root)/\(folder)")
  }

  private func record(at address: String) -> HIDDeviceRecord {
    HIDDeviceRecord(
      id: ownID ?? HIDDeviceID(rawValue: UInt64(instance)), bus: .kernel,
      address: address, identity: identity, physicalPath: physicalPath,
      eventNodes: events.map { "/dev/input/\($0)" }, driver: driver, descriptorBytes: descriptor)
  }

  private var identity: HIDDeviceIdentity {
    // The version of a USB device's input device is that of the HID specification (6.12).
    let hardwareVersion = hardware.map(\.version).flatMap { $0 == 0 ? nil : $0 }
    var identity = HIDDeviceIdentity(
      name: name, vendorID: vendorID, productID: productID,
      versionNumber: told?.versionNumber ?? hardwareVersion ?? version, countryCode: country ?? 0,
      transport: told?.transport ?? HIDTransport(busType: bus),
      manufacturer: told?.manufacturer ?? hardware?.manufacturer ?? "", serialNumber: uniq)
    identity.details = hardware?.details ?? told?.details ?? HIDDeviceDetails()
    return identity
  }
}
