// SPDX-License-Identifier: Apache-2.0
import HIDText
import HIDTraces
import TestSupport
import Testing

@Suite("Faulty captures of USB packets")
struct CaptureRefusalTests {
  static func problems(_ bytes: [UInt8], descriptors: [[UInt8]] = []) -> [String] {
    do throws(HIDTraceError) {
      _ = try HIDTrace(
        bytes, name: "usb",
        options: HIDTraceReadingOptions(format: .usb, descriptors: descriptors))
      return []
    } catch {
      return error.problems.map(\.description)
    }
  }

  static let session = CaptureTraceTests.session()

  struct Damage: Sendable, CustomStringConvertible {
    var description: String
    var bytes: [UInt8]
    var problem: String
  }

  static let damages: [Damage] = {
    let ng = CaptureBuilder(.pcapng)
    let old = CaptureBuilder(.pcap)
    var oldHeader = old.header
    oldHeader[4] = 1
    var huge = session
    huge.container = .pcap
    var hugeBytes = huge.header + huge.record(0) + huge.record(1)
    hugeBytes.replaceSubrange(24 + 8..<24 + 12, with: [0, 0, 0, 0x80])
    var mismatch = ng.block(99, [1, 2, 3, 4])
    mismatch[mismatch.count - 4] = 20
    let packet = ng.number(0, 4) + ng.number(0, 8)
    return [
      Damage(
        description: "nothing", bytes: [],
        problem: "usb:1:1: the file is empty; save the capture as pcapng, uncompressed"),
      Damage(
        description: "text", bytes: Array("R: 1 00".utf8),
        problem:
          "usb:1:1: the file is not a capture in pcap or pcapng; save the capture as pcapng, uncompressed"
      ),
      Damage(
        description: "half a header", bytes: Array(old.header.prefix(20)),
        problem: "usb:1:1: the file ends after 20 of the 24 bytes of its header"),
      Damage(
        description: "an old version", bytes: oldHeader,
        problem: "usb:1:1: the file has version 1 of pcap; hidsim reads only version 2"),
      Damage(
        description: "packets of the network in pcap",
        bytes: old.header.dropLast(4) + old.number(1, 4),
        problem: "usb:1:1: the capture has packets of link type ETHERNET (1); hidsim reads only "
          + "USB_LINUX (189), USB_LINUX_MMAPPED (220) and USBPCAP (249); "
          + "capture from usbmon on Linux, or with USBPcap on Windows"),
      Damage(
        description: "packets of macOS in pcapng", bytes: ng.section + ng.interface(266),
        problem: "usb:1:1: the capture has packets of link type USB_DARWIN (266); "
          + "hidsim reads only USB_LINUX (189), USB_LINUX_MMAPPED (220) and USBPCAP (249); "
          + "capture from usbmon on Linux, or with USBPcap on Windows"),
      Damage(
        description: "an unknown link type", bytes: ng.section + ng.interface(9999),
        problem:
          "usb:1:1: the capture has packets of link type 9999; "
          + "hidsim reads only USB_LINUX (189), USB_LINUX_MMAPPED (220) and USBPCAP (249); "
          + "capture from usbmon on Linux, or with USBPcap on Windows"),
      Damage(
        description: "no packets", bytes: ng.header, problem: "usb:1:1: the capture has no packets"),
      Damage(
        description: "no packets in pcap", bytes: old.header,
        problem: "usb:1:1: the capture has no packets"),
      Damage(
        description: "a packet of two gigabytes", bytes: hugeBytes,
        problem: "usb:1:1: packet 1 has the length 2147483648 in its header, and the limit is "
          + "134217728 bytes: the file is damaged"),
      Damage(
        description: "a packet of two gigabytes in pcapng",
        bytes: ng.header + ng.block(6, packet + ng.number(0x8000_0000, 4) + ng.number(4, 4)),
        problem: "usb:1:1: packet 1 has the length 2147483648 in its header, and the limit is "
          + "134217728 bytes: the file is damaged"),
      Damage(
        description: "a packet longer than its block",
        bytes: ng.header
          + ng.block(6, packet + ng.number(40, 4) + ng.number(40, 4) + [1, 2, 3, 4]),
        problem: "usb:1:1: the block at byte 48, after packet 1, holds fewer than the 40 bytes of "
          + "its packet: the file is damaged"),
      Damage(
        description: "an interface that is not described",
        bytes: ng.section + ng.block(6, packet + ng.number(0, 8)),
        problem:
          "usb:1:1: packet 1 belongs to interface 0, but only 0 are described before it"),
      Damage(
        description: "a packet without a time",
        bytes: ng.header + ng.block(3, ng.number(4, 4) + [1, 2, 3, 4]),
        problem: "usb:1:1: packet 1 is in a Simple Packet Block, which has no time; "
          + "capture with dumpcap or Wireshark, which write Enhanced Packet Blocks"),
      Damage(
        description: "lengths that differ", bytes: ng.header + mismatch,
        problem: "usb:1:1: the block at byte 48, after packet 0, has two "
          + "different lengths: 16 at its start and 20 at its end: the file is damaged"),
      Damage(
        description: "a length that no block has",
        bytes: ng.header + ng.number(99, 4) + ng.number(8, 4) + ng.number(8, 4),
        problem: "usb:1:1: the block at byte 48, after packet 0, has the length 8 in its "
          + "header, not a multiple of 4 that is at least 12: the file is damaged"),
      Damage(
        description: "a section without a byte order",
        bytes: ng.header + ng.block(0x0A0D_0D0A, [1, 2, 3, 4]),
        problem: "usb:1:1: the block at byte 48, after packet 0, begins a section without a byte "
          + "order: the file is damaged"),
      Damage(
        description: "too many interfaces",
        bytes: ng.section + (0...1024).flatMap { _ in ng.interface(220) },
        problem: "usb:1:1: the block at byte 20508, after packet 0, describes an interface beyond "
          + "the 1024 that hidsim reads in a section: the file is damaged"),
    ]
  }()

  @Test("A damaged file is refused with its fault", arguments: damages)
  func damaged(_ damage: Damage) {
    #expect(Self.problems(damage.bytes) == [damage.problem])
  }

  @Test("A capture without a usable HID device is refused with a remedy")
  func noDevice() {
    var disk = CaptureBuilder()
    disk.input(0x81, [1, 2, 3], transfer: .bulk)
    #expect(
      Self.problems(disk.bytes) == [
        "usb:1:1: no HID device is in the 2 packets of the capture; "
          + "capture on the bus of the device while it is plugged in and used"
      ])
    var idle = CaptureBuilder()
    idle.plug(.keyboard, withReports: false)
    #expect(
      Self.problems(idle.bytes) == [
        "usb:1:1: no HID device in the 18 packets of the capture can be read: interface 0 of bus 1 "
          + "device 4 (Board) has neither a report descriptor nor reports there; "
          + "capture on the bus of the device while it is plugged in and used"
      ])
  }

  @Test("A device plugged in before the capture began needs its report descriptor from the options")
  func missingEnumeration() throws {
    var builder = CaptureBuilder()
    builder.input(0x81, [0, 0, 4, 0, 0, 0, 0, 0])
    builder.output(0x01, [1])
    builder.control([0x21, 9, 0, 2, 3, 0, 1, 0], out: [1])
    #expect(
      Self.problems(builder.bytes) == [
        "usb:2:1: packet 2 belongs to bus 1 device 4, endpoint 0x81, whose report descriptor is "
          + "not in the capture; the capture probably began after the device was plugged in; "
          + "plug the device in while the capture runs, or give its report descriptor with --descriptor FILE"
      ])
    let given = CaptureDeviceFixture.keyboardDescriptor
    let trace = try CaptureTraceTests.trace(builder, descriptors: [given])
    #expect(
      trace.devices == [
        HIDTraceDevice(
          number: 0, descriptor: given, name: "usb device 1.4", physicalPath: "usb-1.4/input3",
          line: 2)
      ])
    #expect(trace.events.map(\.line) == [2, 3, 6])
    #expect(
      Self.problems(builder.bytes, descriptors: [given, given]) == [
        "usb:1:1: only one device of the capture lacks its report descriptor, and 2 are given"
      ])
    #expect(
      Self.problems(Self.session.bytes, descriptors: [given]) == [
        "usb:1:1: no device of the capture lacks its report descriptor, and one is given"
      ])
  }

  @Test("Given report descriptors belong to the devices in the order of the capture")
  func givenDescriptors() throws {
    var builder = CaptureBuilder()
    builder.device = 9
    builder.input(0x82, [2, 1, 2, 3])
    builder.input(0x81, [0, 0, 4, 0, 0, 0, 0, 0])
    builder.device = 3
    builder.input(0x81, [0])
    let (keyboard, vendor) = (
      CaptureDeviceFixture.keyboardDescriptor, CaptureDeviceFixture.vendorDescriptor
    )
    let trace = try CaptureTraceTests.trace(builder, descriptors: [vendor, keyboard])
    #expect(trace.devices.map(\.descriptor) == [vendor, keyboard])
    #expect(
      trace.devices.map(\.name) == ["usb device 1.9 interface 1", "usb device 1.9 interface 0"])
    #expect(trace.events.map(\.device) == [0, 1])
    #expect(
      trace.warnings.map(\.description) == [
        "usb.pcapng:6:1: packet 6 belongs to bus 1 device 3, endpoint 0x81, whose report "
          + "descriptor is not in the capture; the capture probably began after the device was "
          + "plugged in; the reports of this interface are left out; plug the device in while the capture runs, or give report descriptors with "
          + "--descriptor FILE, one for each of these devices in this order"
      ])
    #expect(Self.problems(builder.bytes).count == 3)
  }

  @Test("A device plugged in before the capture is left out if another device has its descriptors")
  func mixedDevices() throws {
    var builder = CaptureBuilder()
    builder.device = 3
    builder.input(0x81, [1, 2, 3])
    builder.device = 4
    builder.plug(.keyboard)
    builder.input(0x81, [4])
    let trace = try CaptureTraceTests.trace(builder)
    #expect(trace.devices.map(\.physicalPath) == ["usb-1.4/input0"])
    #expect(trace.events.map(\.device) == [0])
    #expect(trace.warnings.count == 1)
    // For a device that was plugged before the capture, Windows gives everything except the report
    // descriptor.
    var windows = CaptureBuilder(.pcap, .usbpcap)
    windows.plug(.board, withReports: false)
    windows.input(0x82, [2, 1, 2, 3])
    #expect(
      Self.problems(windows.bytes) == [
        "usb:20:1: packet 20 belongs to interface 2 of bus 1 device 4 (Board), whose report "
          + "descriptor is not in the capture; the capture probably began after the device was "
          + "plugged in; plug the device in while the capture runs, or give its report descriptor with --descriptor FILE"
      ])
  }

  @Test("Reports that were not captured whole are left out")
  func cutReports() throws {
    var builder = CaptureBuilder(.pcap)
    builder.plug(.keyboard)
    let plugged = builder.count
    builder.input(0x81, Array(repeating: 1, count: 64))
    builder.control([0xA1, 1, 0, 3, 0, 0, 80, 0], in: Array(repeating: 2, count: 80))
    builder.control([0x21, 9, 0, 3, 0, 0, 80, 0], out: Array(repeating: 3, count: 80))
    builder.output(0x01, Array(repeating: 4, count: 64))
    builder.input(0x81, [5])
    builder.packet("C", .interrupt, endpoint: 0x81, request: 1, byteCount: 20_000, data: [6])
    // The capture has whole descriptors, and 63 bytes of each other packet.
    var bytes = builder.header
    for place in 0..<plugged { bytes += builder.record(place) }
    builder.snapLength = 64 + 63
    for place in plugged..<builder.count { bytes += builder.record(place) }
    let trace = try HIDTrace(bytes, name: "usb")
    #expect(trace.events.map(\.kind) == [.input(CaptureTraceTests.bytes([5]))])
    #expect(
      trace.warnings.map(\.message) == [
        "packet 24 holds 63 of the 64 bytes of a report of Board; the report is left out",
        "packet 26 holds 63 of the 80 bytes of a report of Board; the report is left out",
        "packet 27 holds 63 of the 80 bytes of a report of Board; the report is left out",
        "packet 33 holds a report of 20000 bytes of Board, and the limit is 16384; "
          + "the report is left out",
      ])
  }

  @Test("A cut report descriptor is refused with a remedy, and a cut configuration is a warning")
  func cutDescriptors() throws {
    var builder = CaptureBuilder(.pcap)
    builder.plug(.keyboard)
    builder.input(0x81, [5])
    builder.snapLength = 64 + 40
    #expect(
      Self.problems(builder.bytes) == [
        "usb:22:1: packet 22 holds 40 of the 61 bytes of the report descriptor of interface 0 of "
          + "bus 1 device 4 (Board); capture with a longer snapshot length, or give its report "
          + "descriptor with --descriptor FILE"
      ])
    let given = CaptureDeviceFixture.keyboardDescriptor
    #expect(
      try CaptureTraceTests.trace(builder, descriptors: [given]).devices[0].descriptor == given)

    var board = CaptureTraceTests.session(CaptureBuilder(.pcap))
    board.snapLength = 64 + 63
    let trace = try CaptureTraceTests.trace(board)
    #expect(trace.devices.map(\.physicalPath) == ["usb-1.4/input0", "usb-1.4/input2"])
    #expect(
      trace.warnings.map(\.message) == [
        "packet 10 holds 63 of the 107 bytes of the configuration descriptor of bus 1 device 4; "
          + "interfaces may be missing"
      ])
  }

  @Test(
    "A file that is cut off is read up to its last whole packet",
    arguments: [CaptureBuilder.Container.pcap, .pcapng])
  func cutFile(_ container: CaptureBuilder.Container) throws {
    var builder = CaptureBuilder(container)
    builder.plug(.keyboard)
    builder.input(0x81, [1])
    builder.input(0x81, [2])
    let whole =
      builder.header.count + (0..<builder.count - 1).map { builder.record($0).count }.reduce(0, +)
    for count in whole..<builder.bytes.count {
      let trace = try HIDTrace(Array(builder.bytes.prefix(count)), name: "usb")
      #expect(trace.events.map(\.line) == [builder.count - 2])
      // If fewer bytes are left than the head of a block has, they do not show that the block has a
      // packet.
      #expect(
        trace.warnings.map(\.description)
          == (count == whole
            ? []
            : container == .pcapng && count < whole + 4
              ? ["usb:1:1: the file ends inside a block, after packet \(builder.count - 1)"]
              : [
                "usb:\(builder.count):1: packet \(builder.count) is cut off by the end of the "
                  + "file; the packets before it are used"
              ]),
        "\(count)")
    }
  }

  @Test(
    "A long packet is passed over, and a warning says if it is cut off",
    arguments: [CaptureBuilder.Container.pcap, .pcapng])
  func longPackets(_ container: CaptureBuilder.Container) throws {
    var builder = CaptureBuilder(container)
    builder.plug(.keyboard)
    builder.packet(
      "C", .bulk, endpoint: 0x82, request: 1, data: Array(repeating: 7, count: 200_001))
    let count = builder.count
    let cut = builder.bytes.dropLast(container == .pcap ? 1 : 5)
    builder.input(0x81, [1])
    let trace = try CaptureTraceTests.trace(builder)
    #expect(trace.events.map(\.line) == [count + 2])
    #expect(trace.warnings.isEmpty)
    #expect(
      try HIDTrace(Array(cut), name: "usb").warnings.map(\.message) == [
        "packet \(count) is cut off by the end of the file; the packets before it are used"
      ])
  }

  @Test("Packets that are shorter than their header are left out")
  func shortPackets() throws {
    var builder = CaptureBuilder(.pcap)
    builder.plug(.keyboard)
    var bytes = builder.bytes
    builder.snapLength = 63
    builder.input(0x81, [1])
    bytes += builder.record(builder.count - 1)
    #expect(
      try HIDTrace(bytes, name: "usb").warnings.map(\.message) == [
        "packet 23 has 63 of the 64 bytes of its header and is left out"
      ])
  }

  @Test("A capture with too many devices or report descriptors is refused")
  func tooMany() {
    var addresses = CaptureBuilder(.pcap)
    for place in 0...4096 {
      addresses.bus = UInt16(place)
      addresses.packet("C", .bulk, endpoint: 0x81, request: 1, data: [1])
    }
    #expect(
      Self.problems(addresses.bytes) == [
        "usb:4097:1: packet 4097 belongs to one device more than the 4096 that a capture can have"
      ])
    var interfaces = CaptureBuilder(.pcap)
    for place in 0...256 {
      interfaces.bus = UInt16(place)
      interfaces.reportDescriptors(.keyboard)
    }
    #expect(
      Self.problems(interfaces.bytes) == [
        "usb:1028:1: packet 1028 holds one report descriptor more than the 256 that a capture can have"
      ])
  }
}
