// SPDX-License-Identifier: Apache-2.0
import HIDText
import HIDTraces
import TestSupport
import Testing

@Suite("The devices of a capture of USB packets")
struct CaptureDeviceTests {
  @Test("A report descriptor that comes after the first reports is used for them")
  func lateDescriptor() throws {
    var builder = CaptureBuilder()
    builder.input(0x81, [0, 0, 4, 0, 0, 0, 0, 0])
    builder.plug(.keyboard)
    let trace = try CaptureTraceTests.trace(builder)
    #expect(trace.devices.map(\.descriptor) == [CaptureDeviceFixture.keyboardDescriptor])
    #expect(trace.events.map(\.device) == [0])
    #expect(trace.events.map(\.microseconds) == [1000])
  }

  @Test("A report descriptor alone, as after binding the driver, is enough for one endpoint")
  func reboundDriver() throws {
    var builder = CaptureBuilder()
    builder.reportDescriptors(.keyboard)
    builder.input(0x81, [0, 0, 4, 0, 0, 0, 0, 0])
    builder.control([0x21, 9, 0, 2, 0, 0, 1, 0], out: [1])
    let trace = try CaptureTraceTests.trace(builder)
    #expect(trace.devices.map(\.name) == ["usb device 1.4"])
    #expect(trace.devices[0].identity == nil)
    #expect(trace.events.count == 2)
  }

  @Test("Another device at the same address is a device of its own")
  func reusedAddress() throws {
    var mouse = CaptureDeviceFixture.keyboard
    mouse.productID = 0x0002
    mouse.product = nil
    mouse.serialNumber = nil
    var builder = CaptureBuilder()
    builder.plug(.keyboard)
    builder.input(0x81, [1])
    builder.plug(mouse)
    builder.input(0x81, [2])
    let trace = try CaptureTraceTests.trace(builder)
    #expect(trace.devices.map(\.name) == ["Board", "usb device 1209:0002"])
    #expect(trace.devices.map(\.serialNumber) == ["KB-1", nil])
    #expect(trace.devices.map(\.physicalPath) == ["usb-1.4/input0", "usb-1.4/input0"])
    #expect(trace.events.map(\.device) == [0, 1])
  }

  @Test(
    "A device is the same after a reset, and another one after unplugging or with another serial")
  func sameAddress() throws {
    var reset = CaptureBuilder()
    reset.plug(.keyboard)
    reset.input(0x81, [1])
    reset.plug(.keyboard)
    reset.input(0x81, [2])
    #expect(try CaptureTraceTests.trace(reset).events.map(\.device) == [0, 0])

    var unplugged = CaptureBuilder()
    unplugged.plug(.keyboard)
    unplugged.input(0x81, [1])
    unplugged.input(0x81, [], status: -108)
    unplugged.plug(.keyboard)
    unplugged.input(0x81, [2])
    #expect(try CaptureTraceTests.trace(unplugged).events.map(\.device) == [0, 1])

    var twin = CaptureDeviceFixture.keyboard
    twin.serialNumber = "KB-2"
    var twins = CaptureBuilder()
    twins.plug(.keyboard)
    twins.input(0x81, [1])
    twins.plug(twin)
    twins.input(0x81, [2])
    let trace = try CaptureTraceTests.trace(twins)
    #expect(trace.devices.map(\.serialNumber) == ["KB-1", "KB-2"])
    #expect(trace.devices.map(\.name) == ["Board", "Board"])
    #expect(trace.events.map(\.device) == [0, 1])
  }

  @Test("Hubs, disks and Bluetooth adapters are not read as HID devices")
  func otherDevices() throws {
    var builder = CaptureBuilder()
    builder.plug(.keyboard)
    builder.input(0x81, [1])
    builder.device = 1
    builder.input(0x81, [4])
    builder.control([0xA3, 0, 0, 0, 2, 0, 4, 0], in: [1, 1, 0, 0])
    builder.device = 5
    builder.control([0x20, 0, 0, 0, 0, 0, 3, 0], out: [3, 0xC, 0])
    builder.input(0x81, [0xE, 4, 1, 3, 0xC, 0])
    builder.device = 6
    builder.input(0x81, [5, 5], transfer: .bulk)
    builder.input(0x82, [6, 6], transfer: .isochronous)
    builder.device = 7
    builder.plug(
      CaptureDeviceFixture(
        productID: 7, interfaces: [.init(number: 0, interfaceClass: 2, endpoints: [(0x81, 3)])]))
    builder.input(0x81, [7])
    builder.control([0x21, 9, 0, 2, 0, 0, 1, 0], out: [1])
    let trace = try CaptureTraceTests.trace(builder)
    #expect(trace.devices.map(\.physicalPath) == ["usb-1.4/input0"])
    #expect(trace.events.map(\.kind) == [.input(CaptureTraceTests.bytes([1]))])
    #expect(trace.warnings.isEmpty)
  }

  @Test("Endpoints without a configuration belong to interfaces where these can be told apart")
  func guessedInterfaces() throws {
    var paired = CaptureBuilder()
    paired.reportDescriptors(.board)
    paired.input(0x82, [2, 1, 2, 3])
    paired.input(0x81, [0, 0, 4, 0, 0, 0, 0, 0])
    paired.control([0x21, 9, 2, 3, 2, 0, 4, 0], out: [2, 1, 2, 3])
    let pairs = try CaptureTraceTests.trace(paired)
    #expect(pairs.devices.map(\.physicalPath) == ["usb-1.4/input0", "usb-1.4/input2"])
    #expect(pairs.events.map(\.device) == [1, 0, 1])

    var unclear = CaptureBuilder()
    unclear.reportDescriptors(.board)
    unclear.input(0x82, [2, 1, 2, 3])
    unclear.control([0x21, 9, 2, 3, 2, 0, 4, 0], out: [2, 1, 2, 3])
    let rest = try CaptureTraceTests.trace(unclear)
    #expect(rest.devices.map(\.physicalPath) == ["usb-1.4/input0", "usb-1.4/input2"])
    #expect(rest.events.map(\.device) == [1])
    #expect(
      rest.warnings.map(\.message) == [
        "packet 10 belongs to bus 1 device 4, endpoint 0x82, whose report descriptor is not in "
          + "the capture; the capture probably began after the device was plugged in; "
          + "the reports of this interface are left out"
      ])
  }

  @Test("The whole report descriptor of several reads is used, and one that differs is a warning")
  func readAgain() throws {
    let whole = CaptureDeviceFixture.keyboardDescriptor
    var builder = CaptureBuilder()
    builder.descriptor(0x22, of: 0, length: 10, whole)
    builder.descriptor(0x22, of: 0, length: 61, whole)
    builder.descriptor(0x22, of: 0, length: 20, whole)
    let trace = try CaptureTraceTests.trace(builder)
    #expect(trace.devices.map(\.descriptor) == [whole])
    #expect(trace.devices.map(\.line) == [4])
    #expect(trace.warnings.isEmpty)

    builder.descriptor(0x22, of: 0, length: 31, CaptureDeviceFixture.vendorDescriptor)
    builder.descriptor(0x22, of: 0, length: 5000, Array(repeating: 0, count: 5000))
    let changed = try CaptureTraceTests.trace(builder)
    #expect(changed.devices == trace.devices)
    #expect(
      changed.warnings.map(\.message) == [
        "packet 8 holds a report descriptor of interface 0 of bus 1 device 4 that differs from "
          + "the one in packet 4; the one in packet 4 is used",
        "packet 10 holds a report descriptor of 5000 bytes, more than the 4096 that the kernel "
          + "takes; it is left out",
      ])
  }

  @Test("Names are one line of text, in the first language that the host read")
  func names() throws {
    var fixture = CaptureDeviceFixture.keyboard
    fixture.product = "  Täst\u{2028}\n⌨\u{0} board \r\n"
    var builder = CaptureBuilder()
    builder.plug(fixture)
    builder.control(
      [0x80, 6, 2, 3, 0x07, 0x04, 255, 0], in: CaptureDeviceFixture.string("Tastatur"))
    builder.control(
      [0x80, 6, 3, 3, 0x07, 0x04, 255, 0], in: CaptureDeviceFixture.string("Nummer KB-1"))
    let trace = try CaptureTraceTests.trace(builder)
    #expect(trace.devices.map(\.name) == ["Täst⌨ board"])
    #expect(trace.devices.map(\.serialNumber) == ["KB-1"])
    #expect(trace.warnings.isEmpty)
    fixture.product = "\u{0}\n"
    builder = CaptureBuilder()
    builder.plug(fixture)
    #expect(try CaptureTraceTests.trace(builder).devices.map(\.name) == ["usb device 1209:0001"])
  }

  @Test("Endpoints are those of the configuration that the host chose")
  func chosenConfiguration() throws {
    var other = CaptureDeviceFixture.keyboard
    other.interfaces[0].endpoints = [(0x84, 3)]
    var builder = CaptureBuilder()
    builder.plug(.keyboard)
    var configuration = other.configurationBytes
    configuration[5] = 2
    builder.descriptor(2, index: 1, length: UInt16(configuration.count), configuration)
    builder.input(0x81, [1])
    builder.input(0x84, [2])
    #expect(
      try CaptureTraceTests.trace(builder).events.map(\.kind) == [
        .input(CaptureTraceTests.bytes([1]))
      ])
    builder.control([0x00, 9, 2, 0, 0, 0, 0, 0])
    #expect(
      try CaptureTraceTests.trace(builder).events.map(\.kind) == [
        .input(CaptureTraceTests.bytes([2]))
      ])
  }
}
