// SPDX-License-Identifier: Apache-2.0

package import HIDReportDescriptor

extension USBDeviceDescription {
  /// The greatest number of interfaces: each has endpoints with a number of its own, 1 to 15.
  package static let maximumInterfaceCount = 15

  /// Derives the USB device of the HID interfaces of a device.
  ///
  /// The device has full speed if its longest input or output report fits into one packet of 64
  /// bytes, else high speed. Its endpoints have a period of 1 ms, or at low speed 10 ms. An
  /// interface has an endpoint for output reports if it declares any besides those of lamps, which
  /// keyboards receive by control transfers. The settings of the device and of its interfaces
  /// replace these values.
  ///
  /// - Parameter interfaces: The interfaces, in order. The first has the identity of the device.
  /// - Throws: `invalidArgument` for no interfaces or more than 15, and for a vendor ID, product ID
  ///   or version of more than 16 bits.
  package init(of interfaces: [HIDDeviceDescription]) throws(HIDBusError) {
    guard let first = interfaces.first else { throw Self.wrongCount(0) }
    try self.init(
      first.identity, first.usb, interfaces: interfaces.map { ($0.descriptor, $0.usbInterface) })
  }

  /// Derives the USB device of report descriptors and settings.
  ///
  /// - Parameters:
  ///   - identity: The identity of the device.
  ///   - settings: The settings of the device.
  ///   - interfaces: The report descriptors of the interfaces in order, with their settings.
  /// - Throws: As ``init(of:)``.
  package init(
    _ identity: HIDDeviceIdentity, _ settings: USBSettings,
    interfaces: [(descriptor: HIDReportDescriptor, settings: USBInterfaceSettings)]
  ) throws(HIDBusError) {
    guard (1...Self.maximumInterfaceCount).contains(interfaces.count) else {
      throw Self.wrongCount(interfaces.count)
    }
    let lengths = interfaces.map { HIDReportLengths($0.descriptor) }
    let longest = lengths.map { max($0.longest(.input), $0.longest(.output)) }.max() ?? 0
    let derived: USBSpeed = longest <= USBSpeed.full.longestPacket ? .full : .high
    let speed = settings.speed ?? derived
    self.init(
      vendorID: try Self.number(identity.vendorID, "vendor ID", of: identity),
      productID: try Self.number(identity.productID, "product ID", of: identity),
      versionNumber: try Self.number(identity.versionNumber, "version", of: identity),
      interfaces: zip(interfaces, lengths).map { interface, lengths in
        var description = USBInterfaceDescription(
          of: interface.descriptor, interface.settings, lengths, speed)
        description.countryCode = UInt8(truncatingIfNeeded: identity.countryCode)
        return description
      })
    self.speed = speed
    (manufacturer, product) = Self.texts(of: identity)
    serialNumber = identity.serialNumber
    apply(settings)
  }

  private mutating func apply(_ settings: USBSettings) {
    if let usbVersion = settings.usbVersion { self.usbVersion = usbVersion }
    if let deviceClass = settings.deviceClass {
      self.deviceClass = (deviceClass.code, deviceClass.subclass, deviceClass.protocolCode)
    }
    if let product = settings.product { self.product = product }
    if let maximumPower = settings.maximumPower { self.maximumPower = maximumPower }
    isSelfPowered = settings.isSelfPowered
    wakesHosts = settings.wakesHosts
    strings = settings.strings
    rawStrings = settings.rawStrings
    requests = settings.requests
    extraInterfaces = settings.extraInterfaces
    if let layout = settings.layout, layout.interfaces.count == interfaces.count { apply(layout) }
  }

  private static func wrongCount(_ count: Int) -> HIDBusError {
    HIDBusError(
      .invalidArgument,
      "a USB device has 1 to \(maximumInterfaceCount) HID interfaces; found \(count)")
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
  init(
    of descriptor: HIDReportDescriptor, _ settings: USBInterfaceSettings,
    _ lengths: HIDReportLengths, _ speed: USBSpeed
  ) {
    let hasOutput = descriptor.reports.contains { report in
      report.type == .output && report.fields.contains { !$0.isForLamps }
    }
    var input = Endpoint(for: lengths.longest(.input), speed)
    input.apply(settings.interval, settings.packetByteCount)
    var output: Endpoint? = Endpoint(for: lengths.longest(.output), speed)
    switch settings.output {
    case nil: if !hasOutput { output = nil }
    case .control: output = nil
    case .endpoint(let interval, let packetByteCount): output?.apply(interval, packetByteCount)
    }
    self.init(reportDescriptor: descriptor.bytes, input: input, output: output)
    numbersInput = lengths.isNumbered(.input)
    hidVersion = settings.hidVersion
    boot = settings.boot
    name = settings.name
  }
}

extension USBInterfaceDescription.Endpoint {
  /// Makes an endpoint for reports up to a length in bytes, with the shortest period of the speed
  /// that is not below 1 ms.
  init(for longest: Int, _ speed: USBSpeed) {
    // The sizes that real devices have: 8, 16, 32 and so on.
    var size = 8
    while size < min(longest, speed.longestPacket) { size *= 2 }
    self.init(packetByteCount: size, interval: speed.shortestInterval)
  }

  /// Replaces the values that are not nil.
  mutating func apply(_ interval: UInt8?, _ packetByteCount: Int?) {
    if let interval { self.interval = interval }
    if let packetByteCount { self.packetByteCount = packetByteCount }
  }
}

extension USBSpeed {
  /// The `bInterval` of the shortest period that is not below 1 ms: at low speed 10 ms.
  ///
  /// Source: USB 2.0, section 5.7.4.
  var shortestInterval: UInt8 {
    switch self {
    case .low: 10
    case .full: 1
    case .high: 4
    }
  }

  /// The values of `bInterval` that an interrupt endpoint can have.
  ///
  /// Sources: USB 2.0, section 5.7.4 and table 9-13.
  package var intervals: ClosedRange<Int> {
    switch self {
    case .low: 10...255
    case .full: 1...255
    case .high: 1...16
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
