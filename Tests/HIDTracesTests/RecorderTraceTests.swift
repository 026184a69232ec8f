// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDText
import HIDTraces
import Synchronization
import TestSupport
import Testing

@Suite("Traces of hid-recorder")
struct RecorderTraceTests {
  private func parse(_ text: String, lenient: Bool = false) throws -> HIDTrace {
    try HIDTrace(
      Array(text.utf8), name: "a.hid",
      options: HIDTraceReadingOptions(format: .recorder, isLenient: lenient))
  }

  private func input(
    _ microseconds: Int64, _ bytes: [UInt8], device: Int = 0, line: Int = 0
  ) -> HIDTraceEvent {
    HIDTraceEvent(
      microseconds: microseconds, device: device, kind: .input(HIDReportBytes(bytes)), line: line)
  }

  private func text(_ trace: HIDTrace) throws -> String {
    String(decoding: try #require(trace.written()), as: UTF8.self)
  }

  @Test(
    "a recording of one device is read: descriptor, name, path, identity, reports with their times")
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
    #expect(device.number == 0)
    #expect(device.descriptor == [0x05, 0x01, 0xC0])
    #expect(device.name == "Vendor #1 keyboard")
    #expect(device.physicalPath == "usb-1/input0")
    #expect(
      device.identity
        == HIDTraceDevice.Identity(busType: 3, vendorID: 0x046D, productID: 0xC077))
    #expect(
      recording.events == [input(0, [0, 4], line: 6), input(1_250_000, [0, 0], line: 8)])
    #expect(recording.warnings == [])
  }

  @Test("a D: line selects the device of the headers and reports after it")
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
    #expect(recording.devices.map(\.number) == [0, 3])
    #expect(recording.devices.map(\.descriptor) == [[0xC0], [0x05, 0x01]])
    #expect(recording.devices.map(\.name) == ["A", nil])
    #expect(
      recording.events == [
        input(2_000_000, [1], line: 7), input(2_500_000, [2], device: 1, line: 9),
        input(3_000_000, [3], line: 11),
      ])
  }

  @Test("headers can come in any order, after the first report, with CRLF and a byte order mark")
  func layouts() throws {
    let recording = try parse(
      "\u{FEFF}E: 0.000000 1 ff\r\nN: x\r\nP: \r\nR: 1 c0\r\nB: 0.000000 1 fe\r\n")
    let device = try #require(recording.devices.first)
    #expect(device.name == "x")
    #expect(device.physicalPath == nil)
    #expect(
      recording.events.map(\.kind) == [
        .input(HIDReportBytes([0xFF])), .original(HIDReportBytes([0xFE])),
      ])
  }

  @Test("#! lines are read after the line that marks them as hidsim's, and ignored before it")
  func hostLines() throws {
    let lines = """
      #!/usr/bin/hid-replay
      #! output 000000.000000 9 nonsense
      R: 1 c0
      #! hidsim trace 1
      #! serial  KB 1\u{20}
      #! version 0110
      #! report feature 2 2 02 08
      #! open 000000.000000
      #! output 000000.000100 2 01 02
      #! get 000000.000200 feature 3 120 report 3 03 00 01
      #! get 000000.000300 input - 5000000 refused
      #! set 000000.000400 feature - 7 accepted 1 ff
      #! set 000000.000500 output 255 0 none 0
      E: 000000.000600 1 01
      #! lost 000000.000700 12
      #! unplug 000001.000000
      #! plug 000002.000000
      #! close 000003.000000
      #! packet 000004.000000 received 2 2c 01
      #! packet 000004.000001 sent unread 1 55
      # plain
      """
    let trace = try parse(lines)
    #expect(trace.devices[0].serialNumber == " KB 1 ")
    #expect(trace.devices[0].versionNumber == 0x0110)
    #expect(
      trace.devices[0].reports == [
        HIDTraceInitialReport(
          type: .feature, id: HIDReportID(rawValue: 2), bytes: HIDReportBytes([2, 8]))
      ])
    let id = HIDReportID(rawValue: 3)
    #expect(
      trace.events.map(\.kind) == [
        .opened, .output(HIDReportBytes([1, 2])),
        .getReport(
          HIDTraceGet(
            type: .feature, id: id, answer: .report(HIDReportBytes([3, 0, 1])), latency: 120)),
        .getReport(HIDTraceGet(type: .input, id: nil, answer: .error, latency: 5_000_000)),
        .setReport(
          HIDTraceSet(
            type: .feature, id: nil, report: HIDReportBytes([255]), answer: .acknowledged,
            latency: 7)),
        .setReport(
          HIDTraceSet(
            type: .output, id: HIDReportID(rawValue: 255), report: HIDReportBytes(),
            answer: .none)),
        .input(HIDReportBytes([1])), .lost(12), .unplugged, .plugged, .closed,
        .packet(HIDTracePacket(.received, bytes: HIDReportBytes([0x2C, 1]))),
        .packet(HIDTracePacket(.sent, isReadable: false, bytes: HIDReportBytes([0x55]))),
      ])
    #expect(
      trace.events.map(\.microseconds)
        == [
          0, 100, 200, 300, 400, 500, 600, 700, 1_000_000, 2_000_000, 3_000_000, 4_000_000,
          4_000_001,
        ])
    #expect(trace.warnings == [])
    #expect(
      try text(trace)
        == """
        R: 1 c0
        I: 3 0000 0000
        #! hidsim trace 1
        #! unidentified
        #! version 0110
        #! serial \(" KB 1 ")
        #! report feature 2 2 02 08

        """ + lines.split(separator: "\n")[7..<20].joined(separator: "\n") + "\n")
  }

  @Test(
    "a wrong #! line is refused with line and column",
    arguments: [
      (
        "#! hidsim trace 2",
        "a.hid:2:4: the #! lines are of version 2; this hidsim reads version 1; use"
      ),
      (
        "#! hidsim trace", "a.hid:2:16: expected the version of #! lines, found the end of the line"
      ),
      ("#! hidsim trace 1\n#! output 1.5", "a.hid:3:11: expected six digits of microseconds"),
      ("#! hidsim trace 1\n#! get 0.000000 odd", "a.hid:3:17: expected input, output or feature"),
      ("#! hidsim trace 1\n#! get 0.000000 input 0 1 refused", "a.hid:3:23: expected a report ID"),
      ("#! hidsim trace 1\n#! get 0.000000 input 256 1 refused", "a.hid:3:23: expected a report"),
      ("#! hidsim trace 1\n#! get 0.000000 input 1 x refused", "a.hid:3:25: expected the latency"),
      (
        "#! hidsim trace 1\n#! get 0.000000 input 1 9 no", "a.hid:3:27: expected report, refused or"
      ),
      ("#! hidsim trace 1\n#! set 0.000000 input 1 9 refused 2 00", "a.hid:3:35: expected 2 bytes"),
      ("#! hidsim trace 1\n#! open 0.000000 1", "a.hid:3:18: expected the end of the line"),
      ("#! hidsim trace 1\n#! lost 0.000000 -1", "a.hid:3:18: expected the number of reports as a"),
      (
        "#! hidsim trace 1\n#! packet 0.000000 lost 1 00",
        "a.hid:3:20: expected received or sent, found \"lost\""
      ),
      (
        "#! hidsim trace 1\n#! version x",
        "a.hid:3:12: expected a release number in hexadecimal, found \"x\""
      ),
    ])
  func wrongHostLines(_ lines: String, _ expected: String) {
    #expect { try parse("R: 1 c0\n\(lines)\n") } throws: { "\($0)".hasPrefix(expected) }
  }

  @Test("an unknown #! line is ignored with a warning")
  func unknownHostLine() throws {
    let trace = try parse("#! hidsim trace 1\n#! moon 1\nR: 1 c0\n")
    #expect(
      trace.warnings.map(\.description)
        == ["a.hid:2:4: unknown #! line \"moon\"; line ignored"])
  }

  /// Beginnings of lines that are not valid lines.
  private static let wrongLines = [
    "E: 000001.000000 3 01", "E: 000001.00", "E:", "E: 000001.000000 3 01 0", "#! output 000001",
    "E", "#! open 000001.00000", "R: 9 05 01", "I: 3 04", " E: 000001.000000 3 01",
  ]
  /// Beginnings of lines that look like valid lines.
  private static let possibleLines = [
    "E: 000001.000000 3 01 02 0", "#! set 000001.000000 feature - 9 accepted 2 01 0",
    "#! lost 000001.000000 12", "I: 3 046d c07", "#! version 011",
  ]

  @Test(
    "a last line that was cut is left out with a warning",
    arguments: wrongLines + possibleLines)
  func cutFile(_ last: String) throws {
    let text = "#! hidsim trace 1\nR: 1 c0\nE: 000000.000000 1 01\n\(last)"
    // A line that was cut is never complete, even if the parser is lenient.
    for isLenient in [false, true] {
      let trace = try parse(text, lenient: isLenient)
      #expect(trace.events == [input(0, [1], line: 3)])
      #expect(
        trace.warnings.map(\.description)
          == ["a.hid:4:1: the file ends in the middle of this line, which is left out"])
    }
    #expect(throws: HIDTraceError.self) { try parse("R: 1 c0\n\(last.dropFirst(2))\nE:\n") }
  }

  @Test("a cut line with a line break at its end is refused", arguments: wrongLines)
  func wrongLine(_ last: String) {
    #expect(throws: HIDTraceError.self) {
      try parse("#! hidsim trace 1\nR: 1 c0\nE: 000000.000000 1 01\n\(last)\n")
    }
  }

  @Test("a last line without a line break is read if nothing of it can be missing")
  func lastLine() throws {
    let head = "#! hidsim trace 1\nR: 1 c0\n"
    for (line, kind) in [
      ("E: 000000.000000 2 01 0a", .input(HIDReportBytes([1, 10]))),
      ("#! unplug 000000.000000", .unplugged),
    ] as [(String, HIDTraceEvent.Kind)] {
      let trace = try parse(head + line)
      #expect(trace.events.map(\.kind) == [kind] && trace.warnings == [])
    }
  }

  @Test(
    "a file that was cut where a second device begins is read with the first device",
    arguments: [
      "D: 1", "D: 1\n", "D: 1\nR: 45 05 01", "D: 1\nR: 45", "D: 1\nN: second\nI: 3 12",
      "D: 12",
    ])
  func cutDevice(_ last: String) throws {
    let trace = try parse("R: 1 c0\nE: 000000.000000 1 01\n\(last)")
    #expect(trace.devices.map(\.number) == [0])
    #expect(trace.events == [input(0, [1], line: 2)])
    let warnings = trace.warnings.map(\.description)
    let begins =
      "a.hid:3:1: device 1 is left out: the file ends before its report descriptor"
    #expect(last.hasPrefix("D: 1\n") ? warnings.contains(begins) : warnings == [])
    // The rule does not apply if a device is described again, or if another device follows.
    let twice = try parse("R: 1 c0\nR: 1 c0", lenient: true)
    #expect(twice.warnings.count == 1 && twice.devices.count == 1)
    #expect(throws: HIDTraceError.self) {
      try parse("D: 0\nR: 1 c0\nD: 1\nN: b\nD: 0\nE: 000001.000000 1 01\n")
    }
    // The descriptor is required if the device has an event.
    #expect(throws: HIDTraceError.self) {
      try parse("R: 1 c0\nE: 000000.000000 1 01\nD: 1\nE: 000001.000000 1 02\n")
    }
  }

  @Test("a written trace is read again as it was, with every event and its time")
  func anyTrace() throws {
    for seed in 0..<40 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var trace = Sample.random(&random, count: 300)
      trace.devices[0].serialNumber = Bool.random(using: &random) ? "A 7" : nil
      trace.devices[0].physicalPath = Bool.random(using: &random) ? "usb-1/input0" : nil
      trace.devices[1].versionNumber = Bool.random(using: &random) ? 0x0110 : nil
      if Bool.random(using: &random) { trace.devices[1].identity = nil }
      trace.devices[1].reports = (0..<Int.random(in: 0...3, using: &random)).map { id in
        HIDTraceInitialReport(
          type: .feature, id: HIDReportID(rawValue: UInt8(id)),
          bytes: HIDReportBytes([UInt8(id), 1]))
      }
      let again = try parse(String(decoding: try #require(trace.written()), as: UTF8.self))
      #expect(again.warnings == [], "seed \(seed)")
      #expect(again.withoutLines == trace, "seed \(seed)")
    }
  }

  @Test("devices that were written one after the other are merged in the order of time")
  func devicesInARow() throws {
    let trace = try parse(
      """
      D: 0
      R: 1 c0
      E: 000001.000000 1 01
      E: 000003.000000 1 03
      E: 000002.000000 1 04
      D: 1
      R: 1 c0
      E: 000001.000000 1 02
      E: 000004.000000 1 05
      """)
    // The event whose stamp goes back stays after the event before it.
    #expect(
      trace.events.map { [UInt8]($0.kind.report) } == [[1], [2], [3], [4], [5]])
    #expect(trace.warnings.map(\.location.line) == [5])
  }

  @Test("stamps without six digits of microseconds are ordered like others")
  func shortStampsInARow() throws {
    let trace = try parse(
      "D: 0\nR: 1 c0\nE: 1.5 1 03\nE: 2.6 1 04\n"
        + "D: 1\nR: 1 c0\nE: 0.900000 1 01\nE: 1.0000002 1 02\n", lenient: true)
    #expect(
      trace.events == [
        input(900_000, [1], device: 1, line: 7), input(1_000_002, [2], device: 1, line: 8),
        input(1_000_005, [3], line: 3), input(2_000_006, [4], line: 4),
      ])
  }

  @Test("events before a bad line are read, even if the devices were written one after the other")
  func devicesInARowBeforeAnError() throws {
    let text =
      "D: 0\nR: 1 c0\nE: 000001.000000 1 01\nE: 000003.000000 1 03\nE: bad\n"
      + "D: 1\nR: 1 c0\nE: 000001.000000 1 02\n"
    var reader = try HIDTraceReader(
      HIDTraceSource(name: "a.hid", bytes: Array(text.utf8)),
      options: HIDTraceReadingOptions(format: .recorder))
    let first = try reader.next()
    let second = try reader.next()
    #expect([first, second] == [input(1_000_000, [1], line: 3), input(3_000_000, [3], line: 4)])
    #expect(throws: HIDTraceError.self) { try reader.next() }
  }

  @Test("initial reports of more than 1 MiB in all are refused")
  func manyReports() throws {
    let report = "16384" + String(repeating: " 0", count: 16_384) + "\n"
    let lines = (1...33).map { "#! report feature \($0) \(report)#! report input \($0) \(report)" }
    let text = "R: 1 c0\n#! hidsim trace 1\n"
    #expect(try parse(text + lines.prefix(32).joined()).devices[0].reports.count == 64)
    #expect {
      try parse(text + lines.joined())
    } throws: {
      "\($0)".contains("the initial reports of all devices have more than 1048576 bytes")
    }
  }

  @Test("a long recording is read in pieces of at most 256 KiB")
  func pieces() throws {
    var text = "R: 1 c0\n"
    for index in 0..<40_000 { text += "E: 000000.\(100_000 + index) 2 01 \(index % 90 + 10)\n" }
    let bytes = Array(text.utf8)
    let longest = Mutex(0)
    let source = HIDTraceSource(name: "a.hid") { offset, count in
      longest.withLock { $0 = max($0, count) }
      return offset < bytes.count ? Array(bytes[offset..<min(bytes.count, offset + count)]) : []
    }
    var reader = try HIDTraceReader(source)
    var count: Int64 = 0
    while let event = try reader.next() {
      #expect(event.microseconds == 100_000 + count)
      count += 1
    }
    #expect(count == 40_000)
    #expect(longest.withLock { $0 } <= 256 * 1024)
  }

  @Test("\"unanswered\", the word of version 0.1, is read as no answer")
  func oldWord() throws {
    for word in ["none", "unanswered"] {
      let trace = try parse(
        "R: 1 c0\n#! hidsim trace 1\n#! get 000000.000001 feature 3 9 \(word)\n")
      #expect(
        trace.events.map(\.kind) == [
          .getReport(
            HIDTraceGet(
              type: .feature, id: HIDReportID(rawValue: 3), answer: .none, latency: 9))
        ])
    }
  }

  @Test("a line longer than 131,072 bytes is refused at every position", arguments: [0, 4000])
  func longLine(countBefore: Int) throws {
    let line = "# " + String(repeating: "x", count: 98) + "\n"
    let start = "R: 1 c0\n" + String(repeating: line, count: countBefore)
    for end in ["", "\n", "\n# more\n"] {
      let text = start + "# " + String(repeating: "x", count: 131_071) + end
      #expect { try parse(text) } throws: {
        "\($0)".hasPrefix(
          "a.hid:\(countBefore + 2):1: this line is longer than 131072 bytes; traces have no lines "
            + "of this length")
      }
    }
    let text = start + "# " + String(repeating: "x", count: 131_070) + "\nE: 000001.000000 1 04\n"
    #expect(try parse(text).events.count == 1)
  }

  @Test("stamps that go back, and unknown lines, are warnings with their place")
  func warnings() throws {
    let recording = try parse(
      "R: 1 c0\nX: odd\nE: 000005.000000 1 01\nE: 000004.999999 1 02\n")
    #expect(
      recording.warnings.map(\.description) == [
        "a.hid:2:1: unknown line prefix \"X:\"; line ignored",
        "a.hid:4:1: the time goes back from 000005.000000 to 000004.999999",
      ])
    #expect(recording.events.map { [UInt8]($0.kind.report) } == [[1], [2]])
  }

  @Test(
    "a wrong recording is refused with line and column",
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
      (
        "R: 1 c0\nI: 3 46d 12345",
        "a.hid:2:10: expected the product as a hexadecimal number from 0 to"
      ),
      ("R: 1 c0\nD: x", "a.hid:2:4: expected a device number from 0 to 65535, found \"x\""),
      ("R: 1 c0\nR: 1 c0", "a.hid:2:1: device 0 has a report descriptor already, in line 1"),
      ("R: 1 c0\nhello", "a.hid:2:1: expected a line such as"),
      ("R: 1 c0\nñ: \u{1B}[2J", "a.hid:2:1: expected a line such as"),
    ])
  func errors(_ text: String, _ expected: String) {
    #expect {
      try parse(text + "\n")
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
      ($0 as? HIDTraceError)?.problems.map(\.location) == [
        HIDTextLocation(line: 2, column: 4), HIDTextLocation(line: 3, column: 15),
      ]
    }
  }

  @Test("lenient mode reads a wrong count, short stamps and a second descriptor, with warnings")
  func lenient() throws {
    let recording = try parse(
      "R: 9 c0\nR: 1 c1\nE: 1.5 7 01 02\nnoise\n", lenient: true)
    let device = try #require(recording.devices.first)
    #expect(device.descriptor == [0xC1])
    #expect(recording.events == [input(1_000_005, [1, 2], line: 3)])
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
      "\($0)" == "a.hid:513:1: the trace has more than 256 devices"
    }
  }

  @Test("a written trace has R, N, P, I and E lines, and D lines for several devices")
  func write() throws {
    let recording = HIDTrace(
      devices: [
        HIDTraceDevice(
          descriptor: [0x05, 0x01], name: "A\nB", physicalPath: "p",
          identity: .init(busType: 0x18, vendorID: 0x46D, productID: 1)),
        HIDTraceDevice(number: 1, descriptor: [0xC0]),
      ],
      events: [
        input(0, [0xAB]), input(1_000_001, [], device: 1), input(90_000_000_000_000, [1]),
      ])
    #expect(
      try text(recording) == """
        D: 0
        R: 2 05 01
        N: A B
        P: p
        I: 18 046d 0001
        D: 1
        R: 1 c0
        I: 3 0000 0000
        #! hidsim trace 1
        #! unidentified
        D: 0
        E: 000000.000000 1 ab
        D: 1
        E: 000001.000001 0
        D: 0
        E: 90000000.000000 1 01

        """)
  }

  @Test("a recording that is read and written again is the same text")
  func roundTrip() throws {
    let text = """
      D: 4
      R: 2 05 01
      N: keyboard
      I: 3 046d c077
      D: 0
      R: 2 05 02
      N: mouse
      I: 3 046d c078
      D: 4
      B: 000000.000000 1 00
      E: 000000.000000 1 01
      E: 000000.516273 1 02

      """
    #expect(try self.text(parse(text)) == text)
  }

  @Test("a written trace has a device 0, an identity and no empty name, as hid-replay needs")
  func writeForReplay() throws {
    let bare = try parse(
      """
      D: 4
      R: 2 05 01
      N:
      E: 000000.000000 1 01
      D: 7
      R: 1 c0

      """)
    #expect(bare.devices.allSatisfy { $0.name == nil && $0.identity == nil })
    let text = try text(bare)
    #expect(
      text == """
        D: 0
        R: 2 05 01
        I: 3 0000 0000
        #! hidsim trace 1
        #! unidentified
        D: 1
        R: 1 c0
        I: 3 0000 0000
        #! unidentified
        D: 0
        E: 000000.000000 1 01

        """)
    let again = try parse(text)
    #expect(again.devices.map(\.descriptor) == bare.devices.map(\.descriptor))
    #expect(again.devices.allSatisfy { $0.name == nil && $0.identity == nil })
    #expect(again.warnings.isEmpty)
    for name in ["", " \t", "\n", "\u{1}"] {
      let named = HIDTrace(devices: [HIDTraceDevice(descriptor: [0xC0], name: name)], events: [])
      #expect(try !self.text(named).contains("N:"))
    }
  }

  @Test("a recording with changed bytes never traps, and is the same after writing")
  func mutations() throws {
    let good = Array(
      """
      D: 0
      R: 4 05 01 09 06
      N: x
      P: y
      I: 3 0001 0002
      #! hidsim trace 1
      #! get 0.000000 input 1 9 report 1 01
      E: 000001.000000 2 00 04

      """.utf8)
    for seed in 0..<4000 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let bytes = mutated(good, using: &random)
      for lenient in [false, true] {
        let options = HIDTraceReadingOptions(format: .recorder, isLenient: lenient)
        if let trace = try? HIDTrace(bytes, name: "m", options: options) {
          let again = try HIDTrace(
            try #require(trace.written()), name: "m",
            options: HIDTraceReadingOptions(format: .recorder))
          #expect(again.devices.map(\.descriptor) == trace.devices.map(\.descriptor))
          #expect(again.events.map(\.kind) == trace.events.map(\.kind), "seed \(seed)")
        }
      }
    }
  }
}

extension HIDTraceEvent.Kind {
  /// The bytes of an input report; no bytes for another event.
  var report: HIDReportBytes {
    if case .input(let report) = self { report } else { HIDReportBytes() }
  }
}
