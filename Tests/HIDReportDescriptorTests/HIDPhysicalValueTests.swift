// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import Testing

@Suite("units and physical values")
struct HIDPhysicalValueTests {
  private func field(_ items: [UInt8], flags: UInt8 = 0x02) throws -> HIDReportField {
    try HIDReportDescriptor(
      parsing: [0x05, 0x01, 0x09, 0x30, 0x75, 0x10, 0x95, 0x01] + items + [0x81, flags]
    ).reports[0].fields[0]
  }

  @Test("the mouse of HID 1.11, section 6.2.2.7, has 400 counts per inch")
  func mouse() throws {
    // -127...127 is -3175...3175 in inches x 10^-4.
    let axis = try field([
      0x15, 0x81, 0x25, 0x7f, 0x36, 0x99, 0xf3, 0x46, 0x67, 0x0c, 0x55, 0x0c, 0x65, 0x13,
    ])
    #expect(axis.resolution == 400)
    #expect(axis.physicalUnit.name == "inches")
    #expect(axis.physicalUnit.symbol == "in")
    #expect(axis.physicalValue(of: 127) == 0.3175)
    #expect(axis.physicalValue(of: -127) == -0.3175)
    #expect(axis.physicalValue(of: 0) == 0)
    #expect(axis.logicalValue(ofPhysical: 0.1) == 40)
    #expect(axis.logicalValue(ofPhysical: 1) == nil)
  }

  @Test("a hat switch has 45 degrees a step, and no physical value beyond its range")
  func hat() throws {
    let hat = try field(
      [0x15, 0x00, 0x25, 0x07, 0x35, 0x00, 0x46, 0x3b, 0x01, 0x65, 0x14], flags: 0x42)
    #expect((0...7).map { hat.physicalValue(of: $0) } == [0, 45, 90, 135, 180, 225, 270, 315])
    #expect(hat.physicalValue(of: 8) == nil)
    #expect(hat.isNull(8) && !hat.isNull(7))
    #expect(hat.logicalValue(ofPhysical: 90) == 2)
    #expect(hat.physicalUnit.system == .englishRotation)
  }

  @Test(
    "a missing physical range is the logical range, and a range of one value has no physical value")
  func noRange() throws {
    let plain = try field([0x15, 0x00, 0x25, 0x64])
    #expect(plain.physicalRange == (0, 100))
    #expect(plain.physicalValue(of: 50) == 50)
    #expect(plain.resolution == 1)
    #expect(plain.physicalUnit.isNone && plain.physicalUnit.description == "none")
    let point = try field([0x15, 0x01, 0x25, 0x01])
    #expect(point.physicalValue(of: 1) == nil && point.resolution == nil)
    #expect(point.logicalValue(ofPhysical: 1) == nil)
  }

  @Test("exponents of the base units are nibbles in two's complement")
  func exponents() {
    let volts = HIDUnit(rawValue: 0xf0_d121)
    #expect((volts.length, volts.mass, volts.time) == (2, 1, -3))
    #expect((volts.temperature, volts.current, volts.luminousIntensity) == (0, -1, 0))
    #expect(volts == HIDUnit(name: "volts"))
    #expect(volts.description == "cm^2 * g * s^-3 * A^-1")
    #expect(HIDUnit(rawValue: 0x5).system == nil)
    #expect(HIDUnit(rawValue: 0x5).description == "0x5")
    #expect(HIDUnit(name: "furlongs") == nil)
  }

  @Test("extreme exponents give 0 or infinity", arguments: [0x7f, 0x80] as [UInt8])
  func largeExponents(last: UInt8) throws {
    let items: [UInt8] = [0x15, 0x00, 0x25, 0x64, 0x57, 0x00, 0x00, 0x00, last]
    let value = try #require(try field(items).physicalValue(of: 50))
    #expect(last == 0x7f ? value == .infinity : value == 0)
    #expect(try field(items).physicalValue(of: 0) == 0)
    _ = try field(items).logicalValue(ofPhysical: 1)
  }
}
