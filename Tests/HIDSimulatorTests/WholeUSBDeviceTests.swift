// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDReportDescriptor
import HIDText
import HIDTraces
import TestSupport
import Testing

@testable import HIDSimulator

@Suite("USB devices of captures as a whole, and the settings of copied ones")
struct WholeUSBDeviceTests {
  private typealias Fixture = CaptureDeviceFixture

  private func whole(_ builder: CaptureBuilder) throws -> WholeTraceDevices {
    let trace = try HIDTrace(builder.bytes, name: "a.pcapng")
    return try HIDDeviceDefinition.wholeDevices(
      of: trace.devices, name: "a.pcapng", isCapture: true)
  }

  /// A keyboard at interface 0, and a vendor's interface 2 with both endpoints.
  private static let board = Fixture(interfaces: [
    .init(number: 0, endpoints: [(0x83, 3)], descriptor: Fixture.keyboardDescriptor),
    .init(number: 1, interfaceClass: 8, endpoints: [(0x84, 2), (0x04, 2)]),
    .init(number: 2, endpoints: [(0x81, 3), (0x05, 3)], descriptor: Fixture.vendorDescriptor),
  ])

  @Test("the interfaces of a captured device are one device with the captured descriptors")
  func layout() throws {
    var builder = CaptureBuilder()
    builder.plug(Self.board, withReports: false)
    // The host reads the report descriptor of the last interface first.
    var reversed = Self.board
    reversed.interfaces.reverse()
    builder.reportDescriptors(reversed)
    builder.input(0x81, [2, 1, 2, 3])
    let whole = try whole(builder)
    #expect(whole.warnings == [])
    let definition = try #require(whole.definitions.first)
    #expect(whole.definitions.count == 1 && definition.name == "Board")
    #expect(
      definition.interfaces.map(\.descriptor.bytes) == [
        Fixture.keyboardDescriptor, Fixture.vendorDescriptor,
      ])
    #expect(whole.targets.map(\.interface) == [1, 0])
    let usb = try definition.usbDescription()
    #expect(usb.deviceDescriptor == Self.board.deviceBytes)
    #expect(usb.configurationDescriptor == Self.board.configurationBytes)
    #expect(usb.stringDescriptor(3) == Fixture.string("KB-1"))
    #expect(usb.endpointAddresses == [0x83, 0x81, 0x05])
    #expect(definition.pathNumber(ofInterface: 1, on: .usb) == 2)
    #expect(definition.pathNumber(ofInterface: 1, on: .loopback) == 1)
  }

  @Test("two devices of a capture are two devices, and each report has its interface")
  func devices() throws {
    var builder = CaptureBuilder()
    builder.plug(.keyboard, withReports: false)
    builder.device = 9
    var other = Self.board
    other.product = "Other"
    other.serialNumber = "2"
    builder.plug(other)
    builder.device = 4
    builder.reportDescriptors(.keyboard)
    let whole = try whole(builder)
    #expect(whole.definitions.map(\.name) == ["Other", "Board"])
    #expect(whole.targets.map(\.device) == [0, 0, 1])
  }

  @Test("warnings name what the capture lacks, and hidsim derives the rest")
  func warnings() throws {
    // The capture began after the device was plugged.
    var late = CaptureBuilder()
    late.reportDescriptors(.keyboard)
    let derived = try whole(late)
    #expect(derived.definitions[0].usb.layout == nil)
    #expect(derived.warnings.map(\.message).joined().contains("has no descriptors"))
    // Interface 2 has endpoints in its alternate setting only.
    var alternate = CaptureBuilder()
    alternate.plug(.board)
    let single = try whole(alternate)
    #expect(single.definitions.count == 2 && single.definitions.allSatisfy { $0.usb.layout == nil })
    #expect(single.warnings.map(\.message).joined().contains("no interrupt endpoint"))
    // The host has not read the string of the serial number.
    var fixture = Fixture.keyboard
    fixture.serialNumber = nil
    var silent = CaptureBuilder()
    silent.plug(fixture)
    let bytes = silent.bytes
    #expect(try whole(silent).warnings == [])
    let named = bytes.replacing(
      Fixture.keyboard.deviceBytes.dropLast(2) + [0, 1],
      with: Fixture.keyboard.deviceBytes.dropLast(2) + [3, 1])
    let trace = try HIDTrace(named, name: "a.pcapng")
    let missing = try HIDDeviceDefinition.wholeDevices(
      of: trace.devices, name: "a.pcapng", isCapture: true)
    #expect(missing.warnings.map(\.message).joined().contains("does not have string 3"))
  }

  @Test("changed captures give devices or errors")
  func mutations() throws {
    var builder = CaptureBuilder()
    builder.plug(Self.board)
    builder.input(0x81, [2, 1, 2, 3])
    let bytes = builder.bytes
    var random = SplitMix64(seed: 0x5EED_0430)
    var count = 0
    for _ in 0..<300 {
      var changed = bytes
      for _ in 0..<4 {
        changed[Int.random(in: changed.indices, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      guard let trace = try? HIDTrace(changed, name: "a.pcapng"),
        let whole = try? HIDDeviceDefinition.wholeDevices(
          of: trace.devices, name: "a.pcapng", isCapture: true)
      else { continue }
      count += 1
      #expect(whole.targets.count == trace.devices.count)
      for definition in whole.definitions { _ = try? definition.usbDescription().text }
    }
    #expect(count > 0)
  }

  /// Returns the definition of a keyboard that has the settings of a USB device.
  private func copy(
    _ change: (inout [UInt8], inout [UInt8]) -> Void, speed: USBSpeed? = .full,
    product: String? = "Board"
  ) throws -> (definition: HIDDeviceDefinition, notes: [String]) {
    var definition = HIDDeviceDefinition(
      name: "Board", vendorID: 0x1209, productID: 1, serialNumber: "driver",
      interfaces: [
        HIDInterfaceDefinition(
          descriptor: try HIDReportDescriptor(parsing: Fixture.keyboardDescriptor))
      ])
    var device = try definition.usbDescription().deviceDescriptor
    var configuration = try definition.usbDescription().configurationDescriptor
    change(&device, &configuration)
    let notes = definition.takeUSBSettings(
      of: ClonedUSBDevice(
        speed: speed, device: device, configuration: configuration, product: product,
        serialNumber: "USB", interfaces: [(0, "")]))
    return (definition, notes)
  }

  @Test("a copy of a derived USB device has no settings, and the serial number of the USB device")
  func derived() throws {
    let (definition, notes) = try copy { _, _ in }
    #expect(!definition.hasUSBSettings && notes == [])
    #expect(definition.serialNumber == "USB")
    // A driver has given the HID device a serial number that the USB device does not have.
    let (none, _) = try copy { device, _ in device[16] = 0 }
    #expect(none.serialNumber == nil)
  }

  @Test("a copy has the settings that differ, and its file gives the same descriptors")
  func settings() throws {
    let extra: [UInt8] = [9, 4, 1, 0, 1, 0xFF, 0, 0, 0, 7, 5, 0x82, 2, 64, 0, 0]
    let (definition, notes) = try copy(
      { device, configuration in
        (device[2], device[3], device[4]) = (0x10, 0x01, 0xEF)
        (configuration[7], configuration[8]) = (0xA0, 49)
        configuration[20] = 0x10
        // The interface is a boot keyboard, and its endpoint has another period and packet size.
        (configuration[15], configuration[16]) = (1, 1)
        (configuration[31], configuration[33]) = (16, 10)
        configuration += extra
        configuration[2] += UInt8(extra.count)
        configuration[4] = 2
      }, product: "Pad")
    #expect(notes == [])
    #expect(definition.usb.usbVersion == 0x0110 && definition.usb.deviceClass?.code == 0xEF)
    #expect(definition.usb.maximumPower == 98 && definition.usb.wakesHosts)
    #expect(definition.usb.product == "Pad" && definition.usb.speed == nil)
    #expect(definition.usb.extraInterfaces == [extra])
    let interface = definition.interfaces[0].usb
    #expect(interface.hidVersion == 0x0110)
    #expect(interface.boot == .keyboard && interface.interval == 10)
    #expect(interface.packetByteCount == 16 && interface.output == nil)
    let file = HIDDeviceFile.write(definition, comment: [])
    let read = try HIDDeviceFile.parse(file, name: "a.json") { _ in [] }
    #expect(try read.usbDescription() == definition.usbDescription())
  }

  @Test("a note names what the settings cannot express")
  func notes() throws {
    let (renumbered, notes) = try copy { _, configuration in configuration[29] = 0x85 }
    #expect(
      notes == [
        "the file numbers interfaces from 0 and endpoints from 1, and the device has other numbers"
      ])
    #expect(try renumbered.usbDescription().endpointAddresses == [0x81])
    let (left, reasons) = try copy { _, configuration in configuration.removeLast() }
    #expect(!left.hasUSBSettings)
    #expect(reasons == ["the section usb is left out: the configuration descriptor is incomplete"])
  }
}
