// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// The contents of a device's identity file in the bus directory.
package enum DeviceIdentityFile {
  /// The first bytes of a file of this version; the digit is the format's version.
  private static let magic = Array("hidsim device 2\n".utf8)
  /// The first bytes of the files of every version.
  private static let magicOfAll = Array("hidsim device ".utf8)

  /// Returns whether a file with these first bytes is hidsim's.
  ///
  /// The file may be of any version, and may be incomplete, or even empty.
  static func isOurs(_ start: [UInt8]) -> Bool {
    start.starts(with: magicOfAll) || magicOfAll.starts(with: start)
  }

  /// The maximum length of a file that is read, in bytes.
  package static let longest = 65_536

  /// Returns the end of a message about a file that is longer than ``longest``.
  package static func tooLong(_ bytes: [UInt8]) -> String {
    "the texts and the report descriptor of the device have \(bytes.count) bytes; expected at most "
      + "\(longest)"
  }

  package static func encode(_ device: HIDDeviceDescription) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(rest: magic)
    writer.append(text: device.physicalPath.description)
    writer.append(text: device.identity.name)
    writer.append(text: device.identity.manufacturer)
    writer.append(text: device.identity.serialNumber)
    writer.append(device.identity.vendorID)
    writer.append(device.identity.productID)
    writer.append(device.identity.versionNumber)
    writer.append(device.identity.countryCode)
    writer.append(text: device.identity.transport.name)
    writer.append(device.identity.transport.busType)
    let details = device.identity.details
    writer.append(optional: details.product)
    writer.append(optional: details.modelNumber)
    writer.append(optional: details.uniqueID)
    writer.append(optional: details.transportName)
    writer.append(UInt8(details.locationID == nil ? 0 : 1))
    writer.append(details.locationID ?? 0)
    writer.append(counted: details.properties)
    writer.append(counted: device.descriptor.bytes)
    return writer.bytes
  }

  package static func decode(_ bytes: [UInt8]) -> HIDDeviceRecord? {
    guard bytes.count <= longest, bytes.starts(with: magic) else { return nil }
    var reader = ByteReader(bytes.dropFirst(magic.count))
    guard let pathText = reader.nextText(), let path = HIDPhysicalPath(pathText),
      let name = reader.nextText(), let manufacturer = reader.nextText(),
      let serialNumber = reader.nextText(), let vendorID = reader.next(UInt32.self),
      let productID = reader.next(UInt32.self), let version = reader.next(UInt32.self),
      let country = reader.next(UInt32.self), let transport = reader.nextText(),
      let busType = reader.next(UInt16.self), let details = details(&reader),
      let descriptor = reader.nextCounted()
    else { return nil }
    var identity = HIDDeviceIdentity(
      name: name, vendorID: vendorID, productID: productID, versionNumber: version,
      countryCode: country,
      transport: HIDTransport(name: transport) ?? HIDTransport(busType: busType),
      manufacturer: manufacturer, serialNumber: serialNumber)
    identity.details = details
    return HIDDeviceRecord(
      id: path.interfaceID, bus: .loopback, address: "loopback:\(path.interfaceID)",
      identity: identity, physicalPath: pathText, descriptorBytes: descriptor)
  }

  private static func details(_ reader: inout ByteReader) -> HIDDeviceDetails? {
    var details = HIDDeviceDetails()
    guard let product = reader.nextOptional(), let model = reader.nextOptional(),
      let uniqueID = reader.nextOptional(), let transport = reader.nextOptional(),
      let hasLocation = reader.next(UInt8.self), let location = reader.next(UInt64.self),
      let properties = reader.nextCounted()
    else { return nil }
    details.product = product.text
    details.modelNumber = model.text
    details.uniqueID = uniqueID.text
    details.transportName = transport.text
    details.locationID = hasLocation == 1 ? location : nil
    details.properties = properties
    return details
  }
}
