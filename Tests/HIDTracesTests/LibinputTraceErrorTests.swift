// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDText
import HIDTraces
import Testing

@Suite("Recordings of libinput that are wrong")
struct LibinputTraceErrorTests {
  private static let start = "version: 1\ndevices:\n- node: /dev/input/event1\n"
  private static let device = start + "  evdev:\n    name: \"a\"\n  hid: [1, 2]\n"
  private static let events = device + "  events:\n"
  private static let event = events + "  - hid:\n      time: [0, 1]\n      hidraw0: [1]\n"

  private static func read(_ text: String, lenient: Bool = false) throws -> HIDTrace {
    try HIDTrace(
      Array(text.utf8), name: "r.yml",
      options: HIDTraceReadingOptions(format: .libinput, isLenient: lenient))
  }

  /// Each text with the expected message.
  ///
  /// Most wrong events have text after them, so that the error does not count as a cut of the file.
  private static let cases: [(String, String)] = [
    // Errors in the head.
    ("", "1:1: expected a recording of libinput, found no key \"version\""),
    ("version: 1\n", "1:1: expected a recording of libinput, found no key \"devices\""),
    ("devices:\n", "1:1: expected a recording of libinput, found no key \"version\""),
    (
      "version: 2\ndevices:\n",
      "1:1: expected version 1 of libinput's recordings, found \"2\"; hidsim reads only version 1"
    ),
    (
      "version: \"1\"\ndevices:\n",
      "1:1: expected version 1 of libinput's recordings, found \"\\\"1\\\"\"; "
        + "hidsim reads only version 1"
    ),
    (
      "version: [1]\n",
      "1:1: expected version 1 of libinput's recordings, found \"[1]\"; hidsim reads only version 1"
    ),
    ("version: 1\nversion: 1\n", "2:1: the key \"version\" appears more than once"),
    (
      "{version: 1}\n",
      "1:1: expected a key such as \"devices:\", found \"{version: 1}\"; \(layout)"
    ),
    (
      "version: 1\ndevices: [{node: a}]\n",
      "2:1: expected the devices on the lines after \"devices:\", found \"[{node: a}]\" "
        + "on the same line; \(layout)"
    ),
    (
      "version: 1\ndevices:\n",
      "1:1: no device of the recording has a report descriptor or HID reports; "
        + "record a HID device with: libinput record --with-hidraw"
    ),
    (
      "version: 1\ndevices:\n  what: 1\n",
      "3:3: expected a device such as \"- node:\", found \"what: 1\"; \(layout)"
    ),
    // Errors in devices.
    (
      start + "- [1]\n",
      "4:1: expected a key of a device such as \"evdev:\", found \"- [1]\"; \(layout)"
    ),
    (
      device + " x: 1\n", "7:2: expected a device such as \"- node:\", found \"x: 1\"; \(layout)"
    ),
    (device + "  hid: [1]\n", "7:3: device 0 (\"a\") has the key \"hid\" more than once"),
    (start + "  hid: 5\n", "4:8: expected the report descriptor as a list of bytes, found \"5\""),
    (
      start + "  hid: [\n    0x05, 0x100\n  ]\n",
      "5:11: expected a byte from 0 to 255, found \"0x100\""
    ),
    (start + "  hid: [1, -1]\n", "4:12: expected a byte from 0 to 255, found \"-1\""),
    (start + "  hid: [1, 010]\n", "4:12: expected a byte from 0 to 255, found \"010\""),
    (start + "  hid: [1, \"1\"]\n", "4:12: expected a byte from 0 to 255, found \"1\""),
    (start + "  hid: [1, [2]]\n", "4:12: expected a byte from 0 to 255, found a list of 1 item"),
    (start + "  hid: [1, {a: 2}]\n", "4:12: expected a byte from 0 to 255, found a mapping"),
    (
      start + "  hid: [" + String(repeating: "1,", count: 4097) + "]\n",
      "4:8: the report descriptor is longer than 4096 bytes"
    ),
    (
      start + "  evdev: 5\n  x: 1\n",
      "4:10: expected the name and the id of the device, found \"5\""
    ),
    (
      start + "  evdev:\n    name: [a]\n  x: 1\n",
      "5:11: expected the name of the device, found a list of 1 item"
    ),
    (
      start + "  evdev:\n    name: " + String(repeating: "a", count: 1025) + "\n",
      "5:11: the name is longer than 1024 bytes"
    ),
    (
      start + "  evdev:\n    id: [1, 2, 3]\n",
      "5:9: expected the id as [bus, vendor, product, version], found a list of 3 items"
    ),
    (
      start + "  evdev:\n    id: [1, 2, 65536, 4]\n",
      "5:16: expected a number from 0 to 65535, found \"65536\""
    ),
    (
      start + "  evdev:\n    name: \"27\" screen\"\n  hid: [1]\n",
      "5:16: not YAML: while parsing a block mapping, did not find expected key"
    ),
    (
      start + "  evdev:\n    name: \"a\u{1}b\"\n  hid: [1]\n",
      "5:13: not YAML: control characters are not allowed"
    ),
    // Errors in events.
    (
      device + "  events: [{hid: {}}]\n",
      "7:3: expected the events on the lines after \"events:\", found \"[{hid: {}}]\" "
        + "on the same line; \(layout)"
    ),
    (
      events + "  - [1, 2]\n",
      "8:3: expected an event such as \"- hid:\" or \"- evdev:\", found \"- [1, 2]\"; \(layout)"
    ),
    (
      event + "   - hid:\n  - evdev:\n",
      "11:4: expected an event such as \"- hid:\" or \"- evdev:\", found \"- hid:\"; \(layout)"
    ),
    (
      events + "  - hid: 7\n\(after)",
      "8:10: expected the time and the reports of an event, found \"7\""
    ),
    (
      events + "  - hid:\n\(after)",
      "8:9: expected the time and the reports of an event, found nothing"
    ),
    (
      events + "  - hid:\n      hidraw0: [1]\n\(after)",
      "9:7: the event has no time; add a line \"time: [seconds, microseconds]\""
    ),
    (
      events + "  - hid:\n      time: [0, 1]\n\(after)",
      "9:7: the event has no report; add a line such as \"hidraw0: [1, 2, 3]\""
    ),
    (
      events + "  - hid:\n      time: 5\n      hidraw0: [1]\n\(after)",
      "9:13: expected the time as [seconds, microseconds], found \"5\""
    ),
    (
      events + "  - hid:\n      time: [1, 2, 3]\n      hidraw0: [1]\n\(after)",
      "9:13: expected the time as [seconds, microseconds], found a list of 3 items"
    ),
    (
      events + "  - hid:\n      time: [-1, 2]\n      hidraw0: [1]\n\(after)",
      "9:14: expected seconds, found \"-1\""
    ),
    (
      events + "  - hid:\n      time: [18446744073709, 2]\n      hidraw0: [1]\n\(after)",
      "9:14: expected seconds, found \"18446744073709\""
    ),
    (
      events + "  - hid:\n      time: [1, 1000000]\n      hidraw0: [1]\n\(after)",
      "9:17: expected microseconds from 0 to 999999, found \"1000000\""
    ),
    (
      events + "  - hid:\n      time: [0, 1]\n      hidraw0: [\n        1, 256\n      ]\n\(after)",
      "11:12: expected a byte from 0 to 255, found \"256\""
    ),
    (
      events + "  - hid:\n      time: [0, 1]\n      hidraw0: []\n\(after)",
      "10:7: the report has no bytes"
    ),
    (
      events + "  - hid:\n      time: [0, 1]\n      hidraw0: ["
        + String(repeating: "1,", count: 16385) + "]\n\(after)",
      "10:16: the report is longer than 16384 bytes"
    ),
    (
      events + "  - hid:\n      time: [0, 1]\n      time: [0, 1]\n      hidraw0: [1]\n\(after)",
      "9:7: the key \"time\" appears more than once"
    ),
    (
      events + "  - hid:\n      time: [0, 1]\n      hidraw0: [1,\n\(after)",
      "11:1: not YAML: while parsing a flow node, did not find expected node content"
    ),
    // YAML features that only cost time or memory.
    (
      events + "  - hid:\n      time: &t [0, 1]\n      hidraw0: [1]\n\(after)",
      "9:13: found an anchor (&), which libinput never writes here"
    ),
    (
      events + "  - hid:\n      time: [0, *t]\n      hidraw0: [1]\n\(after)",
      "9:17: found an alias (*), which libinput never writes here"
    ),
    (
      events + "  - hid:\n      time: !!seq [0, 1]\n      hidraw0: [1]\n\(after)",
      "9:13: found a tag (!), which libinput never writes here"
    ),
    (
      events + "  - hid:\n      ? [a]\n      : 1\n\(after)",
      "9:7: found a complex key (?), which libinput never writes here"
    ),
    (
      events + "  - hid: " + String(repeating: "[", count: 257) + "\n\(after)",
      "8:266: found more than 256 brackets, which libinput never writes here"
    ),
    (
      events + "  - hid:\n" + String(repeating: "      time: [0, 1]\n", count: 14_000) + after,
      "8:5: the value of \"hid\" is longer than 262144 bytes"
    ),
  ]

  private static let layout = "hidsim reads only the layout that libinput writes"
  private static let after = "  - evdev:\n    - [0, 0, 0, 0, 0]\n"

  @Test("a wrong recording is refused with the place of its fault")
  func wrong() {
    for (text, message) in Self.cases {
      do {
        _ = try Self.read(text)
        Issue.record("read, and not: \(message)")
      } catch {
        #expect("\(error)" == "r.yml:" + message)
      }
    }
  }

  @Test("an error is thrown again, and nothing is read after it")
  func stays() throws {
    var reader = try HIDTraceReader(
      HIDTraceSource(
        name: "r.yml",
        bytes: Array(
          (Self.event + "  - hid:\n      time: [0, 1]\n      hidraw0: [x]\n" + Self.after).utf8)),
      options: HIDTraceReadingOptions(format: .libinput))
    #expect(try reader.next()?.microseconds == 1)
    for _ in 0..<2 {
      #expect { try reader.next() } throws: { error in
        "\(error)" == "r.yml:13:17: expected a byte from 0 to 255, found \"x\""
      }
    }
  }

  @Test("lenient mode reads microseconds beyond a second, with a warning")
  func lenient() throws {
    let text =
      Self.events + "  - hid:\n      time: [1, 1000001]\n      hidraw0: [1]\n" + Self.after
    let trace = try Self.read(text, lenient: true)
    #expect(trace.events.map(\.microseconds) == [2_000_001])
    #expect(
      trace.warnings.map(\.description) == [
        "r.yml:9:17: expected microseconds from 0 to 999999, found \"1000001\"; they are added to the seconds"
      ])
  }

  @Test("a device with reports and without a descriptor is refused with a remedy")
  func noDescriptor() {
    #expect {
      try Self.read(
        Self.start + "  events:\n  - hid:\n      time: [0, 1]\n      hidraw0: [1]\n")
    } throws: { error in
      "\(error)"
        == "r.yml:3:1: device 0 has HID reports but no report descriptor; give it with "
        + "--descriptor FILE, or record again with: libinput record --with-hidraw"
    }
  }

  @Test("unknown keys are passed over unread, whatever they contain")
  func unknownKeys() throws {
    let text =
      "version: 1\nfuture: &a [*b\n  - x: {\ndevices:\n- node: a\n  quirks:\n  - &x !!y {\n"
      + "  hid: [1, 2]\n  more: \"\n  events:\n  - other: &a [\n      *a\n  - hid:\n"
      + "      time: [0, 1]\n      hidraw0: [1]\nlater: *z\n"
    #expect(try Self.read(text).events.count == 1)
  }

  @Test("a name may contain text that looks like an anchor")
  func names() throws {
    let text =
      Self.start
      + "  evdev:\n    name: \"Black & Decker * B&O ! ? Café &Co \u{2122}&\"\n  hid: [1]\n"
    #expect(
      try Self.read(text).devices.map(\.name) == ["Black & Decker * B&O ! ? Café &Co \u{2122}&"])
  }

  @Test("an anchor behind a quote, a tab, or another line break of YAML is refused")
  func hidden() {
    for hidden in [
      "      x: \"\n        &a b\"\n", "      x: a\u{2028}&a b: c\n", "      x: a\u{85}&a b: c\n",
      "      x:\t&a b\n", "      x: a\r      &a b: c\n", "      \u{FEFF}&a b: c\n",
      "      [1]: &a b\n", "      {a:&a b}: c\n", "      - &a b\n", "      ? &a b\n",
    ] {
      #expect {
        try Self.read(
          Self.events + "  - hid:\n" + hidden + "      time: [0, 1]\n      hidraw0: [1]\n"
            + Self.after)
      } throws: { error in
        "\(error)".contains("which libinput never writes here")
      }
    }
  }
}

@Suite("Recordings of libinput that were cut")
struct LibinputTraceCutTests {
  private static let head =
    LibinputText.head(1) + LibinputText.device(3, name: "a", descriptor: LibinputText.mouse)
  private static let text =
    head + LibinputText.hid(0, 1, 0, [1, 2]) + LibinputText.evdev(0, 1)
    + LibinputText.hid(0, 2, 0, Array(repeating: 0x33, count: 40))

  @Test("a file cut among its events gives all whole events, and a warning about a cut event")
  func cutAnywhere() throws {
    let bytes = Array(Self.text.utf8)
    let firstEnd = (Self.head + LibinputText.hid(0, 1, 0, [1, 2])).utf8.count
    let secondStart =
      bytes.count - LibinputText.hid(0, 2, 0, Array(repeating: 0x33, count: 40)).utf8.count
    for end in Self.head.utf8.count...bytes.count {
      let trace = try HIDTrace(Array(bytes[..<end]), name: "r.yml")
      // The line break after the closing bracket is not a part of the event.
      let expected = (end >= firstEnd - 1 ? 1 : 0) + (end >= bytes.count - 1 ? 1 : 0)
      #expect(trace.events.count == expected, "cut at \(end)")
      let isWithinEvent =
        (end > Self.head.utf8.count + 2 && end < firstEnd - 1)
        || (end > secondStart + 2 && end < bytes.count - 1)
      if isWithinEvent {
        #expect(trace.warnings.contains { $0.message.contains("it was cut") }, "cut at \(end)")
      }
    }
  }

  @Test("a file cut before its events is refused, or gives the right device")
  func cutBefore() {
    let bytes = Array(Self.head.utf8)
    for end in bytes.indices {
      guard
        let trace = try? HIDTrace(
          Array(bytes[..<end]), name: "r.yml", options: HIDTraceReadingOptions(format: .libinput))
      else { continue }
      #expect(trace.devices.map(\.descriptor) == [LibinputText.mouse], "cut at \(end)")
      #expect(trace.devices.map(\.name) == ["a"], "cut at \(end)")
    }
  }

  @Test("the warning about a cut has the place of the cut")
  func place() throws {
    #expect(
      try HIDTrace(Array(Self.text.utf8.dropLast(30)), name: "r.yml").warnings.map(\.description)
        == [
          "r.yml:53:1: the recording ends in the middle of this event: it was cut; "
            + "the part before it is read"
        ])
    #expect(
      try HIDTrace(
        Array((Self.head + LibinputText.evdev(0, 1).dropLast(20)).utf8), name: "r.yml"
      ).warnings.map(\.description) == [
        "r.yml:47:1: the recording ends in the middle of a line: it was cut",
        "r.yml:1:1: the recording has no HID reports; "
          + "record again with: libinput record --with-hidraw",
      ])
  }

  @Test("devices that libinput has not yet written are a warning")
  func missing() throws {
    let text =
      LibinputText.head(3) + LibinputText.device(3, name: "a", descriptor: LibinputText.mouse)
      + LibinputText.hid(0, 1, 0, [1, 2])
    #expect(
      try HIDTrace(Array(text.utf8), name: "r.yml").warnings.map(\.description) == [
        "r.yml:1:1: expected 3 devices, as ndevices says, found 1; "
          + "libinput writes the devices after the first when it stops; stop it with Ctrl+C"
      ])
  }

  @Test("a device that was cut in the middle is left out beside others, and refused alone")
  func cutDevice() throws {
    let second = LibinputText.device(4, name: "b", descriptor: LibinputText.vendor)
    let start = try #require(second.range(of: "0x15"))
    let trace = try HIDTrace(
      Array((Self.text + second[..<start.lowerBound]).utf8), name: "r.yml")
    #expect(trace.devices.map(\.name) == ["a"])
    #expect(trace.events.count == 2)
    #expect(
      trace.warnings.map(\.message) == [
        "the recording ends in the middle of this report descriptor: it was cut",
        "device 1 (\"b\") has no report descriptor and no HID reports; it is left out",
      ])
    // If the device is the only one, this is the reason why there is no trace.
    let middle = try #require(Self.head.range(of: "0x15"))
    #expect {
      try HIDTrace(Array(Self.head[..<middle.lowerBound].utf8), name: "r.yml")
    } throws: { error in
      "\(error)"
        == "r.yml:30:1: the recording ends in the middle of this report descriptor: it was cut; "
        + "record a HID device with: libinput record --with-hidraw"
    }
  }
}
