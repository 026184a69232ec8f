// SPDX-License-Identifier: Apache-2.0

import HIDText
import HIDTraces
import TestSupport
import Testing

@Suite("HIDRecording")
struct HIDRecordingTests {
  private func parse(_ text: String, lenient: Bool = false) throws -> HIDRecording {
    try HIDRecording.parse(Array(text.utf8), name: "a.hid", lenient: lenient)
  }

  @Test("a recording of one device: descriptor, name, path, identity, reports with their times")
  func oneDevice() throws {
    let recording = try parse(
      """
      # recorded somewhere
      R: 3 05 01 C0
      N: Vendor #1 keyboard
      P: usb-1/input0
      I: 3 46d c077
      E: 000000.000000 2 00 04
      #  Key: 4
      E: 000001.250000 2 00 00\u{20}

      """)
    let device = try #require(recording.devices.first)
    #expect(recording.devices.count == 1)
    #expect(device.index == 0)
    #expect(device.descriptor == [0x05, 0x01, 0xC0])
    #expect(device.name == "Vendor #1 keyboard")
    #expect(device.physicalPath == "usb-1/input0")
    #expect(
      device.identity
        == HIDRecording.Identity(busType: 3, vendorID: 0x046D, productID: 0xC077))
    #expect(
      device.events == [
        HIDRecording.Event(microseconds: 0, bytes: [0, 4], line: 6),
        HIDRecording.Event(microseconds: 1_250_000, bytes: [0, 0], line: 8),
      ])
    #expect(recording.warnings == [])
  }

  @Test("D: picks the device that the lines after it belong to, headers and reports alike")
  func severalDevices() throws {
    let recording = try parse(
      """
      D: 0
      R: 1 c0
      N: A
      D: 3
      R: 2 05 01
      D: 0
      E: 000002.000000 1 01
      D: 3
      E: 000002.500000 1 02
      D: 0
      E: 000003.000000 1 03
      """)
    #expect(recording.devices.map(\.index) == [0, 3])
    #expect(recording.devices.map(\.descriptor) == [[0xC0], [0x05, 0x01]])
    #expect(recording.devices.map(\.name) == ["A", nil])
    #expect(
      recording.timeline().map(\.bytes) == [[1], [2], [3]])
    #expect(
      recording.timeline().map(\.time) == [.zero, .milliseconds(500), .seconds(1)])
    #expect(recording.timeline().map(\.deviceOffset) == [0, 1, 0])
  }

  @Test("headers can come in any order, after the first report, with CRLF and a byte order mark")
  func layouts() throws {
    let recording = try parse(
      "\u{FEFF}E: 0.000000 1 ff\r\nN: x\r\nP: \r\nR: 1 c0\r\nB: 0.000000 1 fe\r\n")
    let device = try #require(recording.devices.first)
    #expect(device.name == "x")
    #expect(device.physicalPath == nil)
    #expect(device.events.map(\.bytes) == [[0xFF]])
    #expect(device.originals.map(\.bytes) == [[0xFE]])
  }

  @Test("#! lines are kept aside, each with its device")
  func extensionLines() throws {
    let recording = try parse("D: 2\nR: 1 c0\n#! output 02 \n# plain\n")
    #expect(
      recording.extensions == [HIDRecording.Extension(text: "output 02", device: 2, line: 3)])
  }

  @Test("stamps that go back, and lines nobody knows, are warnings with their place")
  func warnings() throws {
    let recording = try parse(
      "R: 1 c0\nX: odd\nE: 000005.000000 1 01\nE: 000004.999999 1 02\n")
    #expect(
      recording.warnings.map(\.description) == [
        "a.hid:2:1: nobody knows lines that begin with \"X:\"; this one is left out",
        "a.hid:4:1: the time goes back from 000005.000000 to 000004.999999",
      ])
    #expect(recording.devices[0].events.map(\.bytes) == [[1], [2]])
  }

  @Test(
    "what is wrong in a recording is said with line and column",
    arguments: [
      ("", "a.hid:1:1: expected a recording, found no R: line"),
      ("N: x\n", "a.hid:1:1: device 0 has no report descriptor"),
      ("R: 3 05 01\n", "a.hid:1:4: expected 3 bytes of the descriptor, found 2"),
      ("R: x 05\n", "a.hid:1:4: expected the descriptor's byte count, found \"x\""),
      ("R:\n", "a.hid:1:3: expected the descriptor's byte count, found the end of the line"),
      ("R: 99999999999999999999 05", "a.hid:1:4: expected the descriptor's byte count, found"),
      ("R: 99999999999999999 05", "a.hid:1:4: expected 99999999999999999 bytes of the descr"),
      ("R: 2 05 0g", "a.hid:1:9: expected a byte as two hexadecimal digits, found \"0g\""),
      ("R: 1 c0\nE: 1 1 00", "a.hid:2:4: expected a time as seconds.microseconds, found \"1\""),
      ("R: 1 c0\nE: 1.5 1 00", "a.hid:2:4: expected six digits of microseconds, found 1"),
      ("R: 1 c0\nE: 1.000000 2 00", "a.hid:2:13: expected 2 bytes of the report, found 1"),
      ("R: 1 c0\nI: 3 46d", "a.hid:2:9: expected the product in hexadecimal, found the end of"),
      ("R: 1 c0\nI: 3 46d 12345", "a.hid:2:10: expected the product as a hexadecimal number to"),
      ("R: 1 c0\nD: x", "a.hid:2:4: expected a device number from 0 to 65535, found \"x\""),
      ("R: 1 c0\nR: 1 c0", "a.hid:2:1: device 0 has a report descriptor already, in line 1"),
      ("R: 1 c0\nhello", "a.hid:2:1: expected a line such as"),
      ("R: 1 c0\nñ: \u{1B}[2J", "a.hid:2:1: expected a line such as"),
    ])
  func errors(_ text: String, _ expected: String) {
    #expect {
      try parse(text)
    } throws: {
      let description = "\($0)"
      return description.hasPrefix(expected) && !description.contains("\u{1B}")
    }
  }

  @Test("every mistake of a recording is reported, not only the first")
  func severalErrors() {
    #expect {
      try parse("R: 1 c0\nE: x 1 00\nE: 0.000000 1 zz\n")
    } throws: {
      ($0 as? HIDRecordingError)?.problems.map(\.location) == [
        HIDTextLocation(line: 2, column: 4), HIDTextLocation(line: 3, column: 15),
      ]
    }
  }

  @Test("lenient takes a wrong count, short stamps and a second descriptor, with warnings")
  func lenient() throws {
    let recording = try parse(
      "R: 9 c0\nR: 1 c1\nE: 1.5 7 01 02\nnoise\n", lenient: true)
    let device = try #require(recording.devices.first)
    #expect(device.descriptor == [0xC1])
    #expect(device.events == [.init(microseconds: 1_000_005, bytes: [1, 2], line: 3)])
    #expect(recording.warnings.map(\.location.line) == [1, 2, 3, 3, 4])
  }

  @Test("a descriptor over 4,096 bytes is refused where it becomes too long")
  func longDescriptor() {
    let text = "R: 5000" + String(repeating: " 05", count: 5000)
    #expect {
      try parse(text)
    } throws: {
      "\($0)" == "a.hid:1:\(9 + 3 * 4096): the descriptor is longer than 4096 bytes"
    }
  }

  @Test("more than 256 devices are refused")
  func manyDevices() {
    let text = (0...256).map { "D: \($0)\nR: 1 c0\n" }.joined()
    #expect { try parse(text) } throws: {
      "\($0)" == "a.hid:513:1: the recording has more than 256 devices"
    }
  }

  @Test("the native form: R, N, P, I, E, and D where there are several devices")
  func write() {
    let recording = HIDRecording(
      devices: [
        HIDRecording.Device(
          index: 0, descriptor: [0x05, 0x01], name: "A\nB", physicalPath: "p",
          identity: .init(busType: 0x18, vendorID: 0x46D, productID: 1),
          events: [
            .init(microseconds: 0, bytes: [0xAB]), .init(microseconds: 2_000_000, bytes: [1]),
          ]
        ),
        HIDRecording.Device(
          index: 1, descriptor: [0xC0], events: [.init(microseconds: 1_000_001, bytes: [])]),
      ])
    #expect(
      recording.text() == """
        D: 0
        R: 2 05 01
        N: A B
        P: p
        I: 18 046d 0001
        D: 1
        R: 1 c0
        D: 0
        E: 000000.000000 1 ab
        D: 1
        E: 000001.000001 0
        D: 0
        E: 000002.000000 1 01

        """)
  }

  @Test("reading what was written gives the same devices")
  func roundTrip() throws {
    let text = """
      D: 4
      R: 2 05 01
      N: keyboard
      I: 3 046d c077
      #! note
      B: 000000.000000 1 00
      E: 000000.000000 1 01
      E: 000000.516273 1 02

      """
    #expect(try parse(text).text() == text)
  }

  @Test("changed bytes of a good recording never trap")
  func mutations() throws {
    let good = Array(
      "D: 0\nR: 4 05 01 09 06\nN: x\nP: y\nI: 3 0001 0002\n#! z\nE: 000001.000000 2 00 04\n".utf8)
    for seed in 0..<4000 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let bytes = mutated(good, using: &random)
      for lenient in [false, true] {
        if let recording = try? HIDRecording.parse(bytes, name: "m", lenient: lenient) {
          let again = try HIDRecording.parse(Array(recording.text().utf8), name: "m", lenient: true)
          #expect(again.devices.map(\.descriptor) == recording.devices.map(\.descriptor))
          #expect(
            again.timeline().map(\.bytes).count == recording.timeline().map(\.bytes).count,
            "seed \(seed)")
        }
      }
    }
  }
}
