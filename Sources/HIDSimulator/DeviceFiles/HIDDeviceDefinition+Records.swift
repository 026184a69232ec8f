// SPDX-License-Identifier: Apache-2.0

internal import HIDReportDescriptor
public import HIDWire

extension HIDDeviceDefinition {
  /// The device that plugged interfaces are, as far as their bus says who it is.
  ///
  /// What a file has no room for is left out: control characters in names, what is beyond 16 bits of a number.
  ///
  /// - Parameter records: The interfaces of one device, at least one, in their order.
  /// - Throws: `invalidArgument` if one has a report descriptor that makes no sense.
  public init(of records: [HIDDeviceRecord]) throws(HIDWireError) {
    var interfaces: [HIDInterfaceDefinition] = []
    for record in records {
      do throws(HIDReportDescriptorError) {
        var descriptor = try HIDReportDescriptor(parsing: record.descriptorBytes)
        descriptor.allowsLongInput = record.allowsLongInput
        interfaces.append(HIDInterfaceDefinition(descriptor: descriptor))
      } catch {
        throw HIDWireError.invalidDescriptor(of: record.address, error)
      }
    }
    guard let identity = records.first?.identity else {
      throw HIDWireError(
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
  /// The interfaces of the same device among those that are plugged, this one too, in their order.
  ///
  /// Its physical path tells them: `…/input0` and `…/input1` are two of one. Bluetooth's does not, but has a device to each
  /// interface.
  ///
  /// - Parameter devices: The devices to look among.
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

  /// The path of the device, and the interface's number on it.
  private var interfacePlace: (path: Substring, number: Int)? {
    if let ours = HIDPhysicalPath(physicalPath) { return ("\(ours.deviceID)", ours.interface) }
    guard let slash = physicalPath.lastIndex(of: "/") else { return nil }
    let last = physicalPath[slash...].dropFirst()
    guard last.hasPrefix("input"), let number = UInt8(last.dropFirst(5)) else { return nil }
    return (physicalPath[..<slash], Int(number))
  }
}
