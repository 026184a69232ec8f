// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDReportDescriptor
import HIDText
import HIDTraces
import Testing
import Yams

@Suite("Recordings of libinput")
struct LibinputTraceTests {
  /// An event in short form.
  struct Report: Hashable {
    var time: Int64
    var device: Int
    var bytes: [UInt8]

    init(_ time: Int64, _ device: Int, _ bytes: [UInt8]) {
      (self.time, self.device, self.bytes) = (time, device, bytes)
    }

    init(_ event: HIDTraceEvent) {
      guard case .input(let report) = event.kind else {
        self.init(-1, -1, [])
        return
      }
      self.init(event.microseconds, event.device, Array(report))
    }
  }

  private func read(
    _ text: String, options: HIDTraceReadingOptions = HIDTraceReadingOptions()
  ) throws -> HIDTrace {
    try HIDTrace(Array(text.utf8), name: "r.yml", options: options)
  }

  private let one =
    LibinputText.head(1)
    + LibinputText.device(3, name: "Logitech Mouse", descriptor: LibinputText.mouse)
    + LibinputText.hid(0, 0, 2, [0x01, 0xFD]) + LibinputText.evdev(0, 0)
    + LibinputText.evdev(0, 8000) + LibinputText.hid(1, 8123, 2, [0x00, 0x05])

  @Test(
    "a mouse is read with its identity, its report descriptor, and its reports with their lines")
  func oneDevice() throws {
    let trace = try read(one)
    var mouse = HIDTraceDevice(
      number: 0, descriptor: LibinputText.mouse, name: "Logitech Mouse",
      identity: .init(busType: 3, vendorID: 0x046D, productID: 0xC077), line: 30)
    // The version of an evdev node on USB is no release number.
    mouse.hidVersion = 0x0111
    #expect(trace.devices == [mouse])
    #expect(
      trace.events.map(Report.init) == [
        Report(0, 0, [0x01, 0xFD]), Report(1_008_123, 0, [0x00, 0x05]),
      ])
    // The test finds the line of the key in the text, without the parser.
    let lines = one.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(trace.events.map { lines[$0.line - 1] } == ["      hidraw2: [", "      hidraw2: ["])
    #expect(trace.warnings == [])
  }

  @Test("the reports of two devices come in the order of their times")
  func interleaved() throws {
    var text = LibinputText.head(2)
    text += LibinputText.device(3, name: "a", descriptor: LibinputText.mouse)
    for time in [10, 30, 50] { text += LibinputText.hid(0, time, 0, [0xA0, UInt8(time)]) }
    text += LibinputText.device(4, name: "b", descriptor: LibinputText.vendor)
    for time in [20, 30, 40, 60] { text += LibinputText.hid(0, time, 1, [0xB0, UInt8(time)]) }
    let trace = try read(text)
    #expect(trace.devices.map(\.name) == ["a", "b"])
    #expect(trace.devices.map(\.number) == [0, 1])
    #expect(
      trace.events.map(Report.init) == [
        Report(10, 0, [0xA0, 10]), Report(20, 1, [0xB0, 20]), Report(30, 0, [0xA0, 30]),
        Report(30, 1, [0xB0, 30]), Report(40, 1, [0xB0, 40]), Report(50, 0, [0xA0, 50]),
        Report(60, 1, [0xB0, 60]),
      ])
  }

  @Test("a stamp that goes back is kept with a warning, and does not delay other devices")
  func goesBack() throws {
    var text = LibinputText.head(2)
    text += LibinputText.device(3, name: "a", descriptor: LibinputText.mouse)
    for time in [100, 7, 200] { text += LibinputText.hid(0, time, 0, [0, UInt8(time)]) }
    text += LibinputText.device(4, name: "b", descriptor: LibinputText.vendor)
    for time in [50, 150] { text += LibinputText.hid(0, time, 1, [1, UInt8(time)]) }
    let trace = try read(text)
    #expect(trace.events.map(\.microseconds) == [50, 100, 7, 150, 200])
    #expect(
      trace.warnings.map(\.message) == ["the time goes back from 000000.000100 to 000000.000007"])
  }

  @Test("several nodes of one HID device are one device, with each report once")
  func united() throws {
    var text = LibinputText.head(3)
    text += LibinputText.device(3, name: "Receiver", descriptor: LibinputText.mouse)
    text += LibinputText.hid(0, 10, 5, [1, 1]) + LibinputText.hid(0, 20, 5, [2, 2])
    text += LibinputText.device(4, name: "Receiver Mouse", descriptor: LibinputText.mouse)
    text += LibinputText.hid(0, 11, 5, [1, 1]) + LibinputText.hid(0, 21, 5, [2, 2])
    // The text gets a second device with the same descriptor, and a node of its own.
    text += LibinputText.device(6, name: "Twin", descriptor: LibinputText.mouse)
    text += LibinputText.hid(0, 15, 6, [3, 3])
    let trace = try read(text)
    #expect(trace.devices.map(\.name) == ["Receiver", "Twin"])
    #expect(trace.devices.map(\.number) == [0, 2])
    #expect(
      trace.events.map(Report.init) == [
        Report(10, 0, [1, 1]), Report(15, 1, [3, 3]), Report(20, 0, [2, 2]),
      ])
  }

  @Test("one event can hold the reports of several hidraw nodes, each a device")
  func severalNodes() throws {
    let text =
      LibinputText.head(1) + LibinputText.device(3, name: "a", descriptor: LibinputText.mouse)
      + "  - hid:\n      time: [0, 5]\n      hidraw1: [1, 2]\n      other: {a: 1}\n      hidraw12: [3, 4]\n"
    let trace = try read(text)
    #expect(trace.devices.map(\.number) == [0, 0])
    #expect(trace.events.map(Report.init) == [Report(5, 0, [1, 2]), Report(5, 1, [3, 4])])
  }

  @Test("long reports that wrap into several lines are read whole")
  func wrapped() throws {
    let report = (0..<300).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let text =
      LibinputText.head(1) + LibinputText.device(3, name: "v", descriptor: LibinputText.vendor)
      + LibinputText.hid(0, 1, 0, report) + LibinputText.evdev(0, 2)
      + LibinputText.hid(0, 3, 0, Array(report.reversed()))
    let trace = try read(text)
    #expect(
      trace.events.map(Report.init) == [Report(1, 0, report), Report(3, 0, report.reversed())])
  }

  @Test("a device that is not HID is left out with a warning")
  func withoutDescriptor() throws {
    var text = LibinputText.head(2)
    text += LibinputText.device(0, name: "AT keyboard", descriptor: nil) + LibinputText.evdev(0, 1)
    text += LibinputText.device(3, name: "a", descriptor: LibinputText.mouse)
    text += LibinputText.hid(0, 2, 0, [1, 2])
    let trace = try read(text)
    #expect(trace.devices.map(\.number) == [1])
    #expect(trace.events.map(Report.init) == [Report(2, 0, [1, 2])])
    #expect(
      trace.warnings.map(\.description) == [
        "r.yml:12:1: device 0 (\"AT keyboard\") has no report descriptor and no HID reports; it is left out"
      ])
  }

  @Test(
    "a recording without events is read with its devices and a warning",
    arguments: ["  events:\n", "  events: null\n", "  events: []\n", "  events:  # none\n", ""])
  func noEvents(_ events: String) throws {
    let device = LibinputText.device(3, name: "a", descriptor: LibinputText.mouse)
    let start = try #require(device.range(of: "  events:\n"))
    let trace = try read(LibinputText.head(1) + device[..<start.lowerBound] + events)
    #expect(trace.devices.map(\.descriptor) == [LibinputText.mouse])
    #expect(trace.events == [])
    #expect(trace.warnings.map(\.message) == ["the recording has no HID reports"])
  }

  @Test("given report descriptors belong to the devices that lack one, in order")
  func descriptors() throws {
    var text = LibinputText.head(3)
    text += LibinputText.device(3, name: "a", descriptor: nil) + LibinputText.hid(0, 1, 0, [1])
    text += LibinputText.device(4, name: "b", descriptor: LibinputText.mouse)
    text += LibinputText.hid(0, 2, 1, [2, 2])
    text += LibinputText.device(5, name: "c", descriptor: nil) + LibinputText.hid(0, 3, 2, [3])
    var options = HIDTraceReadingOptions()
    options.descriptors = [[1, 2], [3, 4], [5, 6]]
    let trace = try read(text, options: options)
    #expect(trace.devices.map(\.descriptor) == [[1, 2], LibinputText.mouse, [3, 4]])
    #expect(trace.events.map(\.device) == [0, 1, 2])
    #expect(
      trace.warnings.map(\.message) == ["1 of the given report descriptors is not used"])

    options.descriptors = [[1, 2]]
    #expect {
      try read(text, options: options)
    } throws: { error in
      "\(error)"
        == "r.yml:83:1: device 2 (\"c\") has HID reports but no report descriptor; give it with "
        + "--descriptor FILE, or record again with: libinput record --with-hidraw"
    }
  }

  @Test("a device that begins in a comment, as after --autorestart, is read")
  func autorestart() throws {
    var text = LibinputText.head(2)
    text += LibinputText.device(3, name: "a", descriptor: LibinputText.mouse)
    text += LibinputText.hid(0, 1, 0, [1, 2]) + "# Closing after 2s inactivity"
    text += LibinputText.device(4, name: "b", descriptor: LibinputText.vendor)
    text += LibinputText.hid(0, 2, 1, [3]) + "# Closing after 2s inactivity"
    let trace = try read(text)
    #expect(trace.devices.map(\.name) == ["a", "b"])
    #expect(trace.events.map(Report.init) == [Report(1, 0, [1, 2]), Report(2, 1, [3])])
    #expect(trace.warnings == [])
  }

  @Test("events of libinput, alone or beside events of the kernel, are passed over")
  func withLibinput() throws {
    let text =
      LibinputText.head(1) + LibinputText.device(3, name: "a", descriptor: LibinputText.mouse)
      + "  - libinput:\n    - {type: DEVICE_ADDED, seat: seat0, logical_seat: default}\n"
      + LibinputText.evdev(0, 1)
      + "    libinput:\n    - {time: 0.000001, type: POINTER_MOTION, delta: [ -3.00,  0.00]}\n"
      + LibinputText.hid(0, 2, 0, [1, 2]) + "                                 # Touch device\n"
      + "  # Current time is 12:26:17\n" + LibinputText.hid(0, 3, 0, [3, 4])
    #expect(
      try read(text).events.map(Report.init) == [Report(2, 0, [1, 2]), Report(3, 0, [3, 4])])
  }

  @Test("reading in pieces gives the same as a YAML library that reads the whole document")
  func sameAsWhole() throws {
    var text = LibinputText.head(3)
    text += LibinputText.device(0, name: "AT", descriptor: nil) + LibinputText.evdev(0, 1)
    text += LibinputText.device(3, name: "a & b: [c]", descriptor: LibinputText.mouse)
    for time in 0..<40 {
      text += LibinputText.hid(
        time / 3, time * 100, 0, Array(repeating: UInt8(time), count: time + 1))
      text += LibinputText.evdev(time / 3, time * 100 + 50)
    }
    text += LibinputText.device(4, name: "ü", descriptor: LibinputText.vendor)
    text += LibinputText.hid(99, 7, 1, [9])
    try compare(text)

    // A YAML library writes the recording in another layout: keys in another order, each number on
    // its own line.
    let whole = try #require(try Yams.compose(yaml: text))
    let rewritten = try Yams.serialize(node: blockStyle(whole), sortKeys: true)
    #expect(rewritten.contains("      hidraw0:\n      - 0x00\n"))
    #expect(rewritten.hasPrefix("devices:\n- evdev:\n"))
    try compare(rewritten)
  }

  private func blockStyle(_ node: Node) -> Node {
    switch node {
    case .mapping(var mapping):
      mapping.style = .block
      for (key, value) in mapping { mapping[key] = blockStyle(value) }
      return .mapping(mapping)
    case .sequence(var items):
      items.style = .block
      for index in items.indices { items[index] = blockStyle(items[index]) }
      return .sequence(items)
    default: return node
    }
  }

  private func compare(_ text: String) throws {
    let whole = try #require(try Yams.load(yaml: text) as? [String: Any])
    let all = try #require(whole["devices"] as? [[String: Any]])
    let hid = all.filter { $0["hid"] != nil }
    let trace = try read(text, options: HIDTraceReadingOptions(format: .libinput))
    #expect(trace.devices.map { $0.descriptor.map(Int.init) } == hid.map { $0["hid"] as? [Int] })
    #expect(
      trace.devices.map(\.name) == hid.map { ($0["evdev"] as? [String: Any])?["name"] as? String })
    var expected: [Report] = []
    for (index, device) in hid.enumerated() {
      for event in device["events"] as? [[String: Any]] ?? [] {
        guard let event = event["hid"] as? [String: Any] else { continue }
        let time = try #require(event["time"] as? [Int])
        let key = try #require(event.keys.first { $0.hasPrefix("hidraw") })
        let bytes = try #require(event[key] as? [Int])
        expected.append(Report(Int64(time[0] * 1_000_000 + time[1]), index, bytes.map(UInt8.init)))
      }
    }
    expected.sort { ($0.time, $0.device) < ($1.time, $1.device) }
    #expect(trace.events.map(Report.init) == expected)
    #expect(expected.count == 41)
  }

  @Test("the format is detected by its content, and other files are not taken for it")
  func detection() throws {
    func format(_ text: String) throws -> HIDTraceFormat {
      try HIDTraceFormat.detect(HIDTraceSource(name: "", bytes: Array(text.utf8)))
    }
    #expect(try format(one) == .libinput)
    #expect(try format("\u{FEFF}# a comment\n# another\n\n---\n" + one) == .libinput)
    #expect(try format("version: 1\ndevices:\n- node: /dev/input/event1\n  evdev:\n") == .libinput)
    #expect(
      try format("version: 1\r\nndevices: 1\r\nlibinput:\r\n  version: \"1\"\r\n") == .libinput)
    let comments = String(repeating: "  # more\n", count: 20_000)
    #expect(try format(LibinputText.head(1) + comments) == .libinput)
    for other in [
      "version: '3'\nservices:\n  web:\n    devices:\n    - /dev/ttyS0\n",
      "version: 1\ndevices:\n- name: lamp\n", "devices:\n- evdev:\n", "version: 1\nlibinput: yes\n",
      "# libinput record\n", "version: 1\nndevices: 1\nlibinput\n", "{version: 1, devices: []}",
      "D: 0\nR: 1 c0\n", "", "\0\0",
    ] {
      #expect((try? format(other)) != .libinput, "\(other)")
    }
  }
}
