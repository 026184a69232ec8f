// SPDX-License-Identifier: Apache-2.0

internal import HIDReportDescriptor
public import HIDBus

extension HIDDeviceDefinition {
  /// Creates the definition of a plugged device from the records of its interfaces.
  ///
  /// The definition holds the identity and the descriptors that the bus reports, changed to fit a
  /// device file, and no physical path. Names and the serial number are cut to the longest that the
  /// kernel takes. A control character in them becomes a space, and an empty product name becomes
  /// `a device without a name`. A number keeps its low 16 bits, or 8 for the country code.
  ///
  /// - Parameter records: The interfaces of one device, at least one, in their order.
  /// - Throws: `invalidArgument` if there is no interface or a report descriptor is not valid.
  public init(of records: [HIDDeviceRecord]) throws(HIDBusError) {
    let interfaces = try records.map { record throws(HIDBusError) in
      HIDInterfaceDefinition(descriptor: try record.parsedDescriptor())
    }
    guard let identity = records.first?.identity else {
      throw HIDBusError(
        .invalidArgument, "a device needs at least one interface, and none was given")
    }
    self.init(
      name: HIDDeviceFile.name(from: identity.name) ?? "a device without a name",
      vendorID: UInt16(truncatingIfNeeded: identity.vendorID),
      productID: UInt16(truncatingIfNeeded: identity.productID),
      versionNumber: UInt16(truncatingIfNeeded: identity.versionNumber),
      manufacturer: HIDDeviceFile.name(from: identity.manufacturer),
      serialNumber: HIDDeviceFile.showable(
        identity.serialNumber, maximumByteCount: HIDDeviceFile.maximumSerialNumberByteCount),
      transport: identity.transport, countryCode: UInt8(truncatingIfNeeded: identity.countryCode),
      interfaces: interfaces)
  }
}

extension HIDDeviceRecord {
  /// Returns the interfaces of the same device among some records, in their order; this record
  /// alone if there are none.
  ///
  /// The physical path identifies the device: `…/input0` and `…/input1` are two interfaces of
  /// one device if the vendor and product IDs are equal. A record whose path has no such number,
  /// for example that of a real Bluetooth device, is a device of its own.
  ///
  /// - Parameter devices: The records to search.
  public func interfaces(among devices: [HIDDeviceRecord]) -> [HIDDeviceRecord] {
    guard let (path, _) = interfacePlace else { return [self] }
    let others = devices.compactMap { device -> (Int, HIDDeviceRecord)? in
      guard device.bus == bus, let place = device.interfacePlace, place.path == path,
        device.identity.vendorID == identity.vendorID,
        device.identity.productID == identity.productID
      else { return nil }
      return (place.number, device)
    }
    return others.isEmpty ? [self] : others.sorted { $0.0 < $1.0 }.map(\.1)
  }

  /// The path of the device, and the number of the interface; `nil` if the path has no such number.
  private var interfacePlace: (path: Substring, number: Int)? {
    if let ours = HIDPhysicalPath(physicalPath) { return ("\(ours.deviceID)", ours.interface) }
    guard let slash = physicalPath.lastIndex(of: "/") else { return nil }
    let last = physicalPath[slash...].dropFirst()
    guard last.hasPrefix("input"), let number = UInt8(last.dropFirst(5)) else { return nil }
    return (physicalPath[..<slash], Int(number))
  }
}
