// SPDX-License-Identifier: Apache-2.0

/// A device that is plugged while a capture runs.
package struct CaptureDeviceFixture {
  package struct Interface {
    package var number: UInt8
    package var alternate: UInt8 = 0
    package var interfaceClass: UInt8 = 3
    /// The address and attributes of each endpoint.
    package var endpoints: [(UInt8, UInt8)]
    package var descriptor: [UInt8] = []

    package init(
      number: UInt8, alternate: UInt8 = 0, interfaceClass: UInt8 = 3,
      endpoints: [(UInt8, UInt8)], descriptor: [UInt8] = []
    ) {
      self.number = number
      self.alternate = alternate
      self.interfaceClass = interfaceClass
      self.endpoints = endpoints
      self.descriptor = descriptor
    }
  }

  package var vendorID: UInt16 = 0x1209
  package var productID: UInt16 = 0x0001
  package var release: UInt16 = 0x0123
  package var deviceClass: UInt8 = 0
  package var product: String? = "Board"
  package var serialNumber: String? = "KB-1"
  package var interfaces: [Interface]

  package init(
    productID: UInt16 = 0x0001, interfaces: [Interface]
  ) {
    self.productID = productID
    self.interfaces = interfaces
  }

  /// The report descriptor of a keyboard with reports of eight bytes.
  package static let keyboardDescriptor: [UInt8] = [
    0x05, 0x01, 0x09, 0x06, 0xA1, 0x01, 0x05, 0x07, 0x19, 0xE0, 0x29, 0xE7, 0x15, 0x00, 0x25, 0x01,
    0x75, 0x01, 0x95, 0x08, 0x81, 0x02, 0x95, 0x01, 0x75, 0x08, 0x81, 0x01, 0x95, 0x05, 0x75, 0x01,
    0x05, 0x08, 0x19, 0x01, 0x29, 0x05, 0x91, 0x02, 0x95, 0x01, 0x75, 0x03, 0x91, 0x01, 0x95, 0x06,
    0x75, 0x08, 0x25, 0x65, 0x05, 0x07, 0x19, 0x00, 0x29, 0x65, 0x81, 0x00, 0xC0,
  ]
  /// A report descriptor with vendor usages, and input, output and feature reports of ID 2.
  package static let vendorDescriptor: [UInt8] = [
    0x06, 0x00, 0xFF, 0x09, 0x01, 0xA1, 0x01, 0x85, 0x02, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08,
    0x95, 0x03, 0x09, 0x02, 0x81, 0x02, 0x09, 0x03, 0x91, 0x02, 0x09, 0x04, 0xB1, 0x02, 0xC0,
  ]

  /// A keyboard with a vendor-defined interface, and a disk between the two.
  package static let board = CaptureDeviceFixture(interfaces: [
    Interface(number: 0, endpoints: [(0x81, 3)], descriptor: keyboardDescriptor),
    Interface(number: 1, interfaceClass: 8, endpoints: [(0x83, 2), (0x03, 2)]),
    Interface(number: 2, endpoints: [], descriptor: vendorDescriptor),
    Interface(number: 2, alternate: 1, endpoints: [(0x82, 3), (0x02, 3)]),
  ])

  /// A keyboard with no other interface.
  package static let keyboard = CaptureDeviceFixture(interfaces: [
    Interface(number: 0, endpoints: [(0x81, 3)], descriptor: keyboardDescriptor)
  ])

  package var deviceBytes: [UInt8] {
    [18, 1, 0, 2, deviceClass, 0, 0, 64] + half(vendorID) + half(productID) + half(release)
      + [0, product == nil ? 0 : 2, serialNumber == nil ? 0 : 3, 1]
  }

  package var configurationBytes: [UInt8] {
    var body: [UInt8] = []
    for interface in interfaces {
      body += [9, 4, interface.number, interface.alternate, UInt8(interface.endpoints.count)]
      body += [interface.interfaceClass, 0, 0, 0]
      if interface.interfaceClass == 3 {
        body += [9, 0x21, 0x11, 1, 0, 1, 0x22] + half(UInt16(interface.descriptor.count))
      }
      for (address, attributes) in interface.endpoints {
        body += [7, 5, address, attributes, 64, 0, 10]
      }
    }
    let count = UInt8(Set(interfaces.map(\.number)).count)
    return [9, 2] + half(UInt16(body.count + 9)) + [count, 1, 0, 0x80, 50] + body
  }

  package static func string(_ text: String) -> [UInt8] {
    let units = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    return [UInt8(units.count + 2), 3] + units
  }

  private func half(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
}

extension CaptureBuilder {
  /// Adds a read of a descriptor, with at most `length` bytes.
  package mutating func descriptor(
    _ type: UInt8, index: UInt8 = 0, of interface: UInt16? = nil, length: UInt16, _ bytes: [UInt8]
  ) {
    control(
      [interface == nil ? 0x80 : 0x81, 6, index, type]
        + (interface.map { [UInt8($0), 0] } ?? (type == 3 ? [0x09, 0x04] : [0, 0]))
        + [UInt8(length & 0xFF), UInt8(length >> 8)],
      in: Array(bytes.prefix(Int(length))))
  }

  /// Adds the transfers with which Linux reads and configures a device that was plugged.
  package mutating func plug(_ fixture: CaptureDeviceFixture, withReports: Bool = true) {
    let address = device
    device = 0
    descriptor(1, length: 64, fixture.deviceBytes)
    control([0x00, 5, address, 0, 0, 0, 0, 0])
    device = address
    descriptor(1, length: 18, fixture.deviceBytes)
    descriptor(2, length: 9, fixture.configurationBytes)
    descriptor(
      2, length: UInt16(fixture.configurationBytes.count), fixture.configurationBytes)
    descriptor(3, length: 255, [4, 3, 9, 4])
    if let product = fixture.product {
      descriptor(3, index: 2, length: 255, CaptureDeviceFixture.string(product))
    }
    if let serialNumber = fixture.serialNumber {
      descriptor(3, index: 3, length: 255, CaptureDeviceFixture.string(serialNumber))
    }
    control([0x00, 9, 1, 0, 0, 0, 0, 0])
    if withReports { reportDescriptors(fixture) }
  }

  /// Adds the transfers with which the HID driver reads the report descriptors.
  package mutating func reportDescriptors(_ fixture: CaptureDeviceFixture) {
    for interface in fixture.interfaces where !interface.descriptor.isEmpty {
      control([0x21, 0x0A, 0, 0, interface.number, 0, 0, 0])
      descriptor(
        0x22, of: UInt16(interface.number), length: UInt16(interface.descriptor.count),
        interface.descriptor)
    }
  }
}
