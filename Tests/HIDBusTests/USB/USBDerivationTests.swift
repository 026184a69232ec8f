// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import Testing

@testable import HIDBus

@Suite("The USB device of HID interfaces") struct USBDerivationTests {
  /// Returns the description of an interface with vendor usages, whose reports have these lengths
  /// in bytes.
  private func interface(
    name: String = "Acme Dial", input: UInt8, output: UInt8 = 0, outputPage: UInt8 = 0xFF,
    _ change: (inout HIDDeviceIdentity) -> Void = { _ in }
  ) throws -> HIDDeviceDescription {
    var descriptor: [UInt8] = [
      0x06, 0x00, 0xFF, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08,
      0x95, input, 0x09, 0x01, 0x81, 0x02,
    ]
    if output > 0 {
      descriptor +=
        [outputPage == 0xFF ? 0x06 : 0x05] + (outputPage == 0xFF ? [0x00, 0xFF] : [outputPage])
        + [0x95, output, 0x09, 0x01, 0x91, 0x02]
    }
    var identity = HIDDeviceIdentity(
      name: name, vendorID: 0x1209, productID: 0x0001, versionNumber: 0x0123, countryCode: 33,
      manufacturer: "Acme", serialNumber: "7")
    change(&identity)
    return HIDDeviceDescription(
      identity: identity,
      physicalPath: HIDPhysicalPath(deviceID: HIDDeviceID(rawValue: 1 << 63), interface: 0),
      descriptor: try HIDReportDescriptor(parsing: descriptor + [0xC0]))
  }

  @Test("the identity gives the numbers and the strings")
  func identity() throws {
    let device = try USBDeviceDescription(of: [interface(input: 8)])
    #expect(device.vendorID == 0x1209)
    #expect(device.versionNumber == 0x0123)
    #expect(device.manufacturer == "Acme")
    #expect(device.product == "Dial")
    #expect(device.serialNumber == "7")
    #expect(device.interfaces[0].countryCode == 33)
    let other = try USBDeviceDescription(of: [interface(name: "Acmeter", input: 8)])
    #expect(other.product == "Acmeter")
  }

  @Test(
    "the longest report gives the speed and the packets",
    arguments: [(8, .full, 8, 1), (9, .full, 16, 1), (64, .full, 64, 1), (65, .high, 128, 4)]
      as [(UInt8, USBSpeed, Int, UInt8)])
  func speed(_ input: UInt8, _ speed: USBSpeed, _ packet: Int, _ interval: UInt8) throws {
    let device = try USBDeviceDescription(of: [interface(input: input)])
    #expect(device.speed == speed)
    #expect(device.interfaces[0].input == .init(packetByteCount: packet, interval: interval))
  }

  @Test("output reports have an endpoint, unless all are lamps")
  func output() throws {
    let (lamps, vendor) = (UInt8(0x08), UInt8(0xFF))
    let none = try interface(input: 8)
    let withLamps = try interface(input: 8, output: 1, outputPage: lamps)
    let withVendor = try interface(input: 8, output: 12, outputPage: vendor)
    let device = try USBDeviceDescription(of: [none, withLamps, withVendor])
    #expect(device.interfaces.map { $0.output?.packetByteCount } == [nil, nil, 16])
  }

  @Test("numbers that USB cannot have, and too many interfaces, are refused")
  func refusals() throws {
    let large = try interface(input: 8) { $0.vendorID = 0x1_0000 }
    #expect {
      try USBDeviceDescription(of: [large])
    } throws: { error in
      (error as? HIDBusError)?.kind == .invalidArgument
        && "\(error)".contains("its vendor ID is 65536")
    }
    let one = try interface(input: 8)
    for count in [0, 16] {
      #expect(throws: HIDBusError.self) {
        try USBDeviceDescription(of: Array(repeating: one, count: count))
      }
    }
    _ = try USBDeviceDescription(of: Array(repeating: one, count: 15))
  }
}
