// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDText
import HIDTraces
import TestSupport
import Testing

@Suite("A capture of USB packets")
struct CaptureTraceTests {
  /// The file format and link type around the packets.
  struct Wrapping: Sendable, CustomStringConvertible {
    var container: CaptureBuilder.Container
    var link: CaptureBuilder.Link
    var isBigEndian: Bool
    var resolution: UInt8?

    var description: String {
      "\(container) \(link) \(isBigEndian ? "big" : "little") \(resolution.map(String.init) ?? "")"
    }
    var builder: CaptureBuilder {
      var builder = CaptureBuilder(container, link, isBigEndian: isBigEndian)
      builder.resolution = resolution
      return builder
    }

    static let all: [Wrapping] = CaptureBuilder.Link.allCases.flatMap { link in
      [false, true].flatMap { isBigEndian in
        [
          Wrapping(container: .pcap, link: link, isBigEndian: isBigEndian),
          Wrapping(container: .pcapNanoseconds, link: link, isBigEndian: isBigEndian),
          Wrapping(container: .pcapng, link: link, isBigEndian: isBigEndian),
          Wrapping(container: .pcapng, link: link, isBigEndian: isBigEndian, resolution: 9),
          Wrapping(container: .pcapng, link: link, isBigEndian: isBigEndian, resolution: 0x94),
        ]
      }
    }
  }

  static func trace(
    _ builder: CaptureBuilder, descriptors: [[UInt8]] = []
  ) throws(HIDTraceError) -> HIDTrace {
    try HIDTrace(
      builder.bytes, name: "usb.pcapng", options: HIDTraceReadingOptions(descriptors: descriptors))
  }

  static func bytes(_ bytes: [UInt8]) -> HIDReportBytes { HIDReportBytes(bytes) }

  /// Returns a session in which a board is plugged in and used in every way.
  static func session(_ builder: CaptureBuilder = CaptureBuilder()) -> CaptureBuilder {
    var builder = builder
    builder.plug(.board)
    builder.time += 1_000_000
    builder.input(0x81, [0, 0, 4, 0, 0, 0, 0, 0])
    builder.control([0x21, 9, 0, 2, 0, 0, 1, 0], out: [0x02], wait: 1500)
    builder.output(0x02, [2, 7, 8, 9])
    builder.control([0x21, 9, 2, 3, 2, 0, 4, 0], out: [2, 0xA, 0xB, 0xC], status: -32, wait: 300)
    builder.control([0xA1, 1, 2, 3, 2, 0, 4, 0], in: [2, 1, 2, 3], wait: 250)
    builder.control([0xA1, 1, 2, 1, 2, 0, 4, 0], status: -32, wait: 50)
    builder.input(0x82, [2, 0x11, 0x22, 0x33])
    builder.input(0x83, [0x55, 0x53, 0x42, 0x53], transfer: .bulk)
    builder.control([0xA1, 1, 2, 3, 2, 0, 4, 0], status: nil)
    return builder
  }

  @Test(
    "A board that is plugged in and used is read with its interfaces and all its events",
    arguments: Wrapping.all)
  func wholeSession(_ wrapping: Wrapping) throws {
    let builder = Self.session(wrapping.builder)
    let trace = try Self.trace(builder)
    #expect(trace.warnings.isEmpty)
    #expect(
      trace.devices == [
        HIDTraceDevice(
          number: 0, descriptor: CaptureDeviceFixture.keyboardDescriptor,
          name: "Board interface 0", physicalPath: "usb-1.4/input0", serialNumber: "KB-1",
          identity: HIDTraceDevice.Identity(busType: 3, vendorID: 0x1209, productID: 1),
          versionNumber: 0x0123, line: 22),
        HIDTraceDevice(
          number: 1, descriptor: CaptureDeviceFixture.vendorDescriptor,
          name: "Board interface 2", physicalPath: "usb-1.4/input2", serialNumber: "KB-1",
          identity: HIDTraceDevice.Identity(busType: 3, vendorID: 0x1209, productID: 1),
          versionNumber: 0x0123, line: 26),
      ])
    let id = HIDReportID(rawValue: 2)
    // The time since the first packet: thirteen transfers of 200 microseconds each, and a second.
    let start: Int64 = 13 * 200 + 1_000_000
    let expected: [(Int64, Int, HIDTraceEvent.Kind, Int)] = [
      (1000, 0, .input(Self.bytes([0, 0, 4, 0, 0, 0, 0, 0])), 28),
      (
        2500, 0,
        .setReport(
          HIDTraceSet(
            type: .output, id: nil, report: Self.bytes([2]), answer: .acknowledged, latency: 1500)),
        30
      ),
      (2600, 1, .output(Self.bytes([2, 7, 8, 9])), 31),
      (
        3900, 1,
        .setReport(
          HIDTraceSet(
            type: .feature, id: id, report: Self.bytes([2, 10, 11, 12]), answer: .error,
            latency: 300)), 34
      ),
      (
        4250, 1,
        .getReport(
          HIDTraceGet(
            type: .feature, id: id, answer: .report(Self.bytes([2, 1, 2, 3])), latency: 250)), 36
      ),
      (
        4400, 1,
        .getReport(HIDTraceGet(type: .input, id: id, answer: .error, latency: 50)), 38
      ),
      (5500, 1, .input(Self.bytes([2, 0x11, 0x22, 0x33])), 40),
      (6500, 1, .getReport(HIDTraceGet(type: .feature, id: id, answer: .none)), 43),
    ]
    #expect(trace.events.count == expected.count)
    for (event, (time, device, kind, line)) in zip(trace.events, expected) {
      #expect(
        event
          == HIDTraceEvent(microseconds: start + time, device: device, kind: kind, line: line))
    }
  }

  @Test("A capture is detected by its first bytes")
  func detection() throws {
    for wrapping in Wrapping.all {
      let bytes = wrapping.builder.header
      let source = HIDTraceSource(name: "usb", bytes: bytes)
      #expect(try HIDTraceFormat.detect(source) == .usb, "\(wrapping)")
    }
    let text = HIDTraceSource(name: "text", bytes: Array("\n\r\r\nR: 1 00 and no section".utf8))
    #expect(try HIDTraceFormat.detect(text) == .recorder)
  }

  @Test(
    "Sections of either byte order and clocks of several interfaces are read, unknown blocks not")
  func sections() throws {
    var first = CaptureBuilder(.pcapng, .usbmonMapped)
    first.plug(.keyboard)
    first.input(0x81, [1, 0, 0, 0, 0, 0, 0, 0])
    var second = CaptureBuilder(.pcapng, .usbmon, isBigEndian: true)
    second.time = first.time
    second.resolution = 9
    second.input(0x81, [2, 0, 0, 0, 0, 0, 0, 0])
    let unknown = first.block(0x0BAD, Array(repeating: 7, count: 40_000)) + first.block(4, [])
    // Interface 0 is a network interface; its packet is counted but not read.
    let foreign = first.interface(1) + first.interface(220)
    var bytes = first.section + foreign
    bytes += first.block(
      6,
      first.number(0, 4) + first.number(0, 8) + first.number(4, 4) + first.number(4, 4) + [
        1, 2, 3, 4,
      ])
    for place in first.packets.indices {
      bytes += first.record(place, interface: 1) + (place == 3 ? unknown : [])
    }
    // The statistics of the interface: five packets did not fit its buffer.
    bytes += first.block(
      5,
      first.number(1, 4) + first.number(0, 8) + first.number(5, 2) + first.number(8, 2)
        + first.number(5, 8) + first.number(0, 4))
    bytes += second.bytes
    let trace = try HIDTrace(bytes, name: "usb.pcapng")
    #expect(trace.devices.map(\.name) == ["Board"])
    #expect(trace.events.map(\.line) == [first.count + 1, first.count + 3])
    #expect(
      trace.events.map(\.microseconds).last.map { last in last - trace.events[0].microseconds }
        == 1000)
    #expect(
      trace.warnings.map(\.description) == [
        "usb.pcapng:1:1: packet 1 and the other packets of its interface have link type "
          + "ETHERNET (1), which hidsim does not read; they are left out",
        "usb.pcapng:1:1: the recorder lost 5 packets of its capture interface 1",
      ])
  }

  @Test("Other requests, and cancelled or empty input transfers, give no reports")
  func noReports() throws {
    var builder = CaptureBuilder()
    builder.plug(.keyboard)
    builder.control([0x21, 0x0A, 0, 4, 0, 0, 0, 0])
    builder.control([0x21, 0x0B, 0, 0, 0, 0, 0, 0])
    builder.control([0xA1, 0x02, 0, 0, 0, 0, 1, 0], in: [0])
    builder.input(0x81, [], status: -2)
    builder.input(0x81, [1, 2], status: -75)
    builder.input(0x81, [])
    builder.control([0x21, 9, 0, 2, 0, 0, 1, 0], out: [1], status: -2, wait: 5_000_000)
    builder.control([0xA1, 1, 0, 9, 0, 0, 1, 0], in: [1])
    let trace = try Self.trace(builder)
    #expect(
      trace.events.map(\.kind) == [
        .setReport(
          HIDTraceSet(
            type: .output, id: nil, report: Self.bytes([1]), answer: .none,
            latency: 5_000_000))
      ])
    #expect(
      trace.warnings.map(\.message) == [
        "packet \(builder.count - 1) is a request with the report type 9, not "
          + "1 (input), 2 (output) or 3 (feature), and is left out"
      ])
  }

  @Test(
    "A request is unanswered if its URB is used again, or if more than 256 requests are pending")
  func requestsWithoutEnd() throws {
    var builder = CaptureBuilder()
    builder.plug(.keyboard)
    builder.control([0xA1, 1, 0, 3, 0, 0, 1, 0], status: nil, request: 7)
    builder.control([0xA1, 1, 0, 3, 0, 0, 1, 0], in: [9], wait: 30, request: 7)
    let again = try Self.trace(builder)
    #expect(
      again.events.map(\.kind) == [
        // The request lasts until its URB is used for another request.
        .getReport(HIDTraceGet(type: .feature, id: nil, answer: .none, latency: 100)),
        .getReport(
          HIDTraceGet(type: .feature, id: nil, answer: .report(Self.bytes([9])), latency: 30)),
      ])

    let before = builder.count
    for _ in 0..<2000 { builder.control([0xA1, 1, 0, 3, 0, 0, 1, 0], status: nil, wait: 1) }
    builder.input(0x81, [1])
    let many = try Self.trace(builder)
    #expect(many.events.count == 2 + 2000 + 1)
    #expect(
      many.events.dropFirst(2).prefix(2000 - 256).map(\.line)
        == Array(before + 1...before + 2000 - 256))
    #expect(many.events[2 + 2000 - 256].kind == .input(Self.bytes([1])))
    // Requests without an end in the capture get the capture's end as their time, so that no time
    // goes back.
    #expect(Set(many.events.suffix(257).map(\.microseconds)).count == 1)
    let answers = many.events.suffix(256).map { event in
      if case .getReport(let get) = event.kind { get.answer } else { nil as HIDRequestAnswer? }
    }
    #expect(answers.allSatisfy { $0 == HIDRequestAnswer.none })
    #expect(many.warnings == [])
  }

  @Test("No event of unordered packets is before the earliest packet or ends before it began")
  func unordered() throws {
    var builder = CaptureBuilder()
    builder.plug(.keyboard)
    builder.input(0x81, [0, 0, 4, 0, 0, 0, 0, 0])
    builder.control([0xA1, 1, 0, 3, 0, 0, 1, 0], status: nil, request: 7)
    builder.time -= 1_000_000
    builder.input(0x81, [0, 0, 5, 0, 0, 0, 0, 0])
    let trace = try Self.trace(builder)
    #expect(trace.events.count == 3)
    // The packet of the get request is the earliest.
    #expect(trace.events.map(\.microseconds).min() == 1000)
    let times = Dictionary(
      trace.events.map { ("\($0.kind)".prefix(3), $0.microseconds) }, uniquingKeysWith: max)
    #expect(times["get"] ?? 0 >= times["inp"] ?? .max)
  }

  @Test("The oldest request is given up first, even if its URB was used before")
  func oldestRequest() throws {
    let get: [UInt8] = [0xA1, 1, 0, 3, 0, 0, 1, 0]
    var builder = CaptureBuilder()
    builder.plug(.keyboard)
    builder.control(get, in: [9], request: 7)
    let before = builder.count
    for _ in 0..<255 { builder.control(get, status: nil) }
    builder.control(get, status: nil, request: 7)
    builder.control(get, status: nil)
    builder.packet("C", .control, endpoint: 0x80, request: 7, data: [8])
    let events = try Self.trace(builder).events
    #expect(events.prefix(3).map(\.line) == [before, before + 1, builder.count])
  }

  @Test("Control transfers in three packets, as in old versions of USBPcap, are read")
  func oldUSBPcap() throws {
    var builder = CaptureBuilder(.pcap, .usbpcap)
    builder.plug(.keyboard)
    builder.packet("S", .control, endpoint: 0, request: 1, setup: [0x21, 9, 0, 2, 0, 0, 1, 0])
    builder.packet("S", .control, endpoint: 0, request: 1, data: [5], stage: 1)
    builder.time += 70
    builder.packet("C", .control, endpoint: 0, request: 1, stage: 2)
    builder.packet("S", .control, endpoint: 0x80, request: 2, setup: [0xA1, 1, 0, 3, 0, 0, 2, 0])
    builder.time += 30
    builder.packet("C", .control, endpoint: 0x80, request: 2, data: [6, 7], stage: 1)
    builder.packet("C", .control, endpoint: 0x80, request: 2, stage: 2)
    let trace = try Self.trace(builder)
    #expect(
      trace.events.map(\.kind) == [
        .setReport(
          HIDTraceSet(
            type: .output, id: nil, report: Self.bytes([5]), answer: .acknowledged, latency: 70)),
        .getReport(
          HIDTraceGet(type: .feature, id: nil, answer: .report(Self.bytes([6, 7])), latency: 30)),
      ])
  }
}
