// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

extension USBDeviceDescription {
  /// The greatest number of interfaces: each has endpoints with a number of its own, 1 to 15.
  package static let maximumInterfaceCount = 15

  /// Derives the USB device of the HID interfaces of a device.
  ///
  /// The device has full speed if its longest input or output report fits into one packet of 64
  /// bytes, else high speed. Its endpoints have a period of 1 ms. An interface has an endpoint for
  /// output reports if it declares any besides those of lamps, which keyboards receive by control
  /// transfers.
  ///
  /// - Parameter interfaces: The interfaces, in order. The first has the identity of the device.
  /// - Throws: `invalidArgument` for no interfaces, more than 15, or an ID of more than 16 bits.
  package init(of interfaces: [HIDDeviceDescription]) throws(HIDBusError) {
    guard let identity = interfaces.first?.identity,
      interfaces.count <= Self.maximumInterfaceCount
    else {
      throw HIDBusError(
        .invalidArgument,
        "a USB device has 1 to \(Self.maximumInterfaceCount) HID interfaces; found "
          + "\(interfaces.count)")
    }
    let lengths = interfaces.map { HIDReportLengths($0.descriptor) }
    let longest = lengths.map { max($0.longest(.input), $0.longest(.output)) }.max() ?? 0
    let speed: USBSpeed = longest <= USBSpeed.full.longestPacket ? .full : .high
    self.init(
      vendorID: try Self.number(identity.vendorID, "vendor ID", of: identity),
      productID: try Self.number(identity.productID, "product ID", of: identity),
      versionNumber: try Self.number(identity.versionNumber, "version", of: identity),
      interfaces: zip(interfaces, lengths).map { USBInterfaceDescription(of: $0, $1, speed) })
    self.speed = speed
    (manufacturer, product) = Self.texts(of: identity)
    serialNumber = identity.serialNumber
  }

  private static func number(
    _ number: UInt32, _ what: String, of identity: HIDDeviceIdentity
  ) throws(HIDBusError) -> UInt16 {
    guard let short = UInt16(exactly: number) else {
      throw HIDBusError(
        .invalidArgument,
        "plug \"\(identity.name)\": its \(what) is \(number); on USB the greatest is 65,535")
    }
    return short
  }

  /// Returns the manufacturer's string and the product's.
  ///
  /// Linux names the HID device by both strings, with a space between them. So a manufacturer at
  /// the start of the name is left out of the product's string.
  private static func texts(
    of identity: HIDDeviceIdentity
  ) -> (manufacturer: String, product: String) {
    let manufacturer = identity.manufacturer
    if let product = identity.details.product { return (manufacturer, product) }
    let start = manufacturer + " "
    let product =
      !manufacturer.isEmpty && identity.name.hasPrefix(start)
      ? String(identity.name.dropFirst(start.count)) : identity.name
    return (manufacturer, product)
  }
}

extension USBInterfaceDescription {
  /// Derives an interface.
  init(of interface: HIDDeviceDescription, _ lengths: HIDReportLengths, _ speed: USBSpeed) {
    let descriptor = interface.descriptor
    let hasOutput = descriptor.reports.contains { report in
      report.type == .output && report.fields.contains { !$0.isForLamps }
    }
    self.init(
      reportDescriptor: descriptor.bytes,
      input: Endpoint(for: lengths.longest(.input), speed),
      output: hasOutput ? Endpoint(for: lengths.longest(.output), speed) : nil)
    countryCode = UInt8(truncatingIfNeeded: interface.identity.countryCode)
  }
}

extension USBInterfaceDescription.Endpoint {
  /// Makes an endpoint with a period of 1 ms, for reports up to a length in bytes.
  init(for longest: Int, _ speed: USBSpeed) {
    // The sizes that real devices have: 8, 16, 32 and so on.
    var size = 8
    while size < min(longest, speed.longestPacket) { size *= 2 }
    self.init(packetByteCount: size, interval: speed.intervalOfMillisecond)
  }
}

extension USBSpeed {
  /// The `bInterval` of a period of 1 ms.
  var intervalOfMillisecond: UInt8 {
    switch self {
    case .low, .full: 1
    case .high: 4
    }
  }
}

extension HIDReportField {
  /// True if all usages of the field are lamps, or if it has none.
  fileprivate var isForLamps: Bool {
    let page: UInt32 = 0x08
    return usages.ranges.allSatisfy { $0.first >> 16 == page && $0.last >> 16 == page }
  }
}
