// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDReportDescriptor
import HIDSimulator
import HIDText
import TestSupport
import Testing

@Suite("HIDDeviceFile")
struct HIDDeviceFileTests {
  private func parse(_ text: String) throws -> HIDDeviceDefinition {
    try HIDDeviceFile.parse(Array(text.utf8), name: "a.json") { path in
      guard path == "x.bin" else { throw NoFile() }
      return [0x05, 0x01, 0x09, 0x06, 0xA1, 0x01, 0xC0]
    }
  }

  private struct NoFile: Error, CustomStringConvertible {
    var description: String { "No such file" }
  }

  /// Returns a file whose descriptor has an input report 1 of two bytes and a feature report 3 of
  /// one byte.
  private func file(_ extra: String) -> String {
    """
    {"hidsim": 1, "name": "x", "vendorID": 1, "productID": 2,
    "reportDescriptor": {"hex": "06 00 ff 09 01 a1 01 15 00 26 ff 00 75 08 85 01 95 02 09 02 81 02 \
    85 03 95 01 09 03 b1 02 c0"},
    \(extra)}
    """
  }

  @Test("the identity of a device is read: names, numbers, version, transport, path and country")
  func identity() throws {
    let device = try parse(
      """
      {
        "hidsim": 1, "$schema": "schema/device-1.json", "comment": ["from", "nowhere"],
        "name": "Tastatür", "vendorID": "0x1209", "productID": 0x0001, "version": "12.34",
        "manufacturer": "us", "serialNumber": "S-1", "transport": "bluetoothLowEnergy",
        "physicalPath": "usb-0000:00:14.0-2/x", "country": 8,
        "reportDescriptor": {"file": "x.bin"},
      }
      """)
    #expect(device.name == "Tastatür")
    #expect(device.vendorID == 0x1209)
    #expect(device.productID == 1)
    #expect(device.versionNumber == 0x1234)
    #expect(device.manufacturer == "us")
    #expect(device.serialNumber == "S-1")
    #expect(device.transport == .bluetoothLowEnergy)
    #expect(device.transport.busType == 5)
    #expect(device.place == "usb-0000:00:14.0-2/x")
    #expect(device.countryCode == 8)
    #expect(
      device.interfaces.map(\.descriptor.bytes) == [[0x05, 0x01, 0x09, 0x06, 0xA1, 0x01, 0xC0]])
  }

  @Test("a file without optional keys has version 0, USB, no manufacturer and no serial number")
  func defaults() throws {
    let device = try parse(file(""))
    #expect(device.versionNumber == 0)
    #expect(device.transport == .usb)
    #expect(device.manufacturer == nil)
    #expect(device.serialNumber == nil)
    #expect(device.place == nil)
    #expect(device.interfaces[0].initialReports == [])
  }

  @Test("named items become the bytes of HID 1.11, and several in one object keep their order")
  func items() throws {
    let device = try parse(
      """
      {"hidsim": 1, "name": "x", "vendorID": 1, "productID": 2, "reportDescriptor": [
        {"usagePage": "genericDesktop", "usage": "mouse"},
        {"collection": "application", "items": [
          "push", {"reportSize": 8, "reportCount": 2, "logicalMinimum": -127, "logicalMaximum": 127},
          {"usage": "x"}, {"usage": "y"}, {"input": ["data", "variable", "relative"]},
          "pop",
        ]},
      ]}
      """)
    #expect(
      device.interfaces[0].descriptor.bytes == [
        0x05, 0x01, 0x09, 0x02, 0xA1, 0x01, 0xA4, 0x75, 0x08, 0x95, 0x02, 0x15, 0x81, 0x25, 0x7F,
        0x09, 0x30, 0x09, 0x31, 0x81, 0x06, 0xB4, 0xC0,
      ])
  }

  @Test("an item can have a width, and bytes between items are kept as they are")
  func lossless() throws {
    let device = try parse(
      """
      {"hidsim": 1, "name": "x", "vendorID": 1, "productID": 2, "reportDescriptor": [
        {"usagePage": "genericDesktop", "bytes": 2}, {"hex": "09 02"},
        {"collection": "application", "bytes": 1, "items": [
          {"logicalMaximum": 255, "bytes": 1}, {"hex": [0, "0x0b", 48, 0, 1, 0]},
          {"reportSize": 8, "reportCount": 1}, {"input": ["variable"], "bytes": 2},
        ]},
      ]}
      """)
    #expect(
      device.interfaces[0].descriptor.bytes == [
        0x06, 0x01, 0x00, 0x09, 0x02, 0xA1, 0x01, 0x25, 0xFF, 0x00, 0x0B, 0x30, 0x00, 0x01, 0x00,
        0x75, 0x08, 0x95, 0x01, 0x82, 0x02, 0x00, 0xC0,
      ])
  }

  @Test("an initial report begins with its ID and ends with zeros, and replies are read")
  func reports() throws {
    let device = try parse(
      file(
        """
        "reports": [{"type": "input", "id": 1, "initial": "07"},
                    {"type": "feature", "id": "0x03", "initial": [255]}],
        "behaviours": [
          {"on": {"get": "feature", "id": 3}, "reply": "2a", "delay": "50ms"},
          {"on": {"set": "feature", "id": 3}, "error": true},
          {"on": {"get": "input", "id": 1}, "delay": "1.5s"}]
        """))
    let interface = device.interfaces[0]
    #expect(
      interface.initialReports == [
        HIDInitialReport(type: .input, id: HIDReportID(rawValue: 1), bytes: [1, 7, 0]),
        HIDInitialReport(type: .feature, id: HIDReportID(rawValue: 3), bytes: [3, 255]),
      ])
    #expect(
      interface.behaviours == [
        HIDBehaviour(
          trigger: .get(.feature, HIDReportID(rawValue: 3)),
          answer: .reply(HIDReportTemplate([0x2A])), delay: .milliseconds(50)),
        HIDBehaviour(trigger: .set(.feature, HIDReportID(rawValue: 3), nil), answer: .error),
        HIDBehaviour(
          trigger: .get(.input, HIDReportID(rawValue: 1)), answer: .usual,
          delay: .milliseconds(1500)),
      ])
  }

  @Test(
    "each mistake is an error with its line, its column and its message",
    arguments: bad + badBehaviours + badUSB)
  func errors(_ bad: BadFile) {
    #expect {
      try parse(bad.text)
    } throws: {
      let lines = "\($0)".split(separator: "\n")
      #expect(lines.count == bad.count, "\($0)")
      return lines.first?.hasPrefix("a.json:" + bad.expected) == true
    }
  }

  @Test("all mistakes of a file are reported in the order of the file")
  func several() {
    #expect {
      try parse(
        """
        {"hidsim": 1, "nmae": "x", "vendorID": 65536, "productID": 2,
         "transport": "ubs", "reportDescriptor": [{"usagPage": 1}, {"usage": []},
          {"collection": "aplication", "items": []}]}
        """)
    } throws: {
      ($0 as? HIDDeviceFileError)?.problems.map(\.description) == [
        "a.json:1:1: the device has no \"name\"; add \"name\": …",
        "a.json:1:15: unknown key \"nmae\" in a device; did you mean \"name\"?",
        "a.json:1:40: the vendor ID is 65536; expected 0 to 65535",
        "a.json:2:15: unknown transport \"ubs\"; did you mean \"usb\"?",
        "a.json:2:44: unknown item \"usagPage\"; did you mean \"usagePage\"?",
        "a.json:2:61: usage has 0 values; expected one",
        "a.json:3:18: collection cannot be \"aplication\"; expected physical, application, logical, "
          + "report, namedArray, usageSwitch, usageModifier, or a number; did you mean "
          + "\"application\"?",
      ]
    }
  }

  @Test("all faults of a report descriptor are reported with their places")
  func faults() {
    let expected = [
      "report ID 0; expected 1 to 255; leave the Report ID out if there is one report, or count from 1: "
        + "85 01",
      "a Pop without a Push before it",
      "an End Collection without a Collection before it; ",
    ]
    #expect {
      try parse(head + "\n\"reportDescriptor\": {\"hex\": \"85 00 b4 c0\"}}")
    } throws: {
      ($0 as? HIDDeviceFileError)?.problems.map(\.description) == [
        "a.json:2:29: byte 0: \(expected[0])", "a.json:2:29: byte 2: \(expected[1])",
        "a.json:2:29: byte 3: \(expected[2])remove it",
      ]
    }
    #expect {
      try parse(
        head + "\n\"reportDescriptor\": [{\"hex\": \"85 00\"},\n\"pop\",\n\"endCollection\"]}")
    } throws: {
      ($0 as? HIDDeviceFileError)?.problems.map(\.description) == [
        "a.json:2:23: \(expected[0])", "a.json:3:1: \(expected[1])",
        "a.json:4:1: \(expected[2])remove it: a collection with \"items\" needs no \"endCollection\"",
      ]
    }
  }

  @Test("a descriptor that only uhid refuses is accepted in a device file")
  func onlyOverUHID() throws {
    // An output report of 5,000 bytes.
    let text =
      head
      + "\"reportDescriptor\": {\"hex\": \"06 00 ff 09 01 a1 01 09 01 75 08 96 88 13 91 02 c0\"}}"
    #expect(throws: Never.self) { try parse(text) }
  }

  @Test("a good file with changed bytes never traps")
  func mutations() throws {
    for name in ["gamepad", "inputstick", "keyboard", "mouse"] {
      let good = try Library.bytes("\(name).json")
      for seed in 0..<400 as Range<UInt64> {
        var random = SplitMix64(seed: seed)
        let bytes = mutated(good, using: &random)
        do throws(HIDDeviceFileError) {
          let device = try HIDDeviceFile.parse(bytes, name: "m") { _ in [] }
          #expect(!device.interfaces.isEmpty)
        } catch {
          #expect(!error.problems.isEmpty && error.problems.count <= 20)
        }
      }
    }
  }
}

/// A file that must be refused, with the expected message.
struct BadFile: Sendable, CustomTestStringConvertible {
  var text: String
  var expected: String
  var count = 1
  /// True if the schema refuses the file too; the schema does not read descriptors and reports.
  var isSchemaError = false

  var testDescription: String { expected }
}

private let head = #"{"hidsim": 1, "name": "x", "vendorID": 1, "productID": 2, "#
// An unnumbered input report of one byte, an unnumbered feature report of one byte.
private let small =
  #""reportDescriptor": {"hex": "06 00 ff 09 01 a1 01 75 08 95 01 "#
  + #"09 02 81 02 09 03 b1 02 c0"}, "#
private func items(_ items: String) -> String { head + "\n\"reportDescriptor\": [\(items)]}" }
private func with(_ extra: String) -> String { head + small + "\n" + extra + "}" }
private let longItems = String(repeating: #"{"reportID": 5}, "#, count: 2500)

let bad: [BadFile] = [
  BadFile(text: "", expected: "1:1: expected an object, found the end of the file"),
  BadFile(
    text: #"{"hidsim": 1, "name": "x""#,
    expected: "1:26: expected \"}\" for the \"{\" of line 1, column 1, found the end of the file"),
  BadFile(
    text: "[]", expected: "1:1: expected a device as an object, found an empty", isSchemaError: true
  ),
  BadFile(
    text: "{}", expected: "1:1: the file has no \"hidsim\"; a device file", isSchemaError: true),
  BadFile(
    text: #"{"hidsim": 2}"#,
    expected: "1:12: the file's format is version 2, and this hidsim reads version 1",
    isSchemaError: true),
  BadFile(
    text: #"{"hidsim": "1"}"#,
    expected: "1:12: expected the format's version as a number, found the string",
    isSchemaError: true),
  BadFile(
    text: head + "}",
    expected: "1:1: the device has neither \"reportDescriptor\" nor \"interfaces\"",
    isSchemaError: true),
  BadFile(
    text: head + small + "\n\"serial\": \"1\"}",
    expected: "2:1: unknown key \"serial\" in a device; the keys are",
    isSchemaError: true),
  BadFile(
    text: with(#""serialnumber": "1""#),
    expected: "2:1: unknown key \"serialnumber\" in a device; did you mean \"serialNumber\"?",
    isSchemaError: true),
  BadFile(
    text: with(#""manufacturer": "a\u001b[2J""#),
    expected: "2:17: the manufacturer contains the control character U+001B; remove it",
    isSchemaError: true),
  BadFile(
    text: "{\"hidsim\": 1, \"name\": \"a\\nb\", \"vendorID\": 1, \"productID\": 2, \(small)}",
    expected: "1:23: the name contains the control character U+000A; remove it", isSchemaError: true
  ),
  BadFile(
    text: "{\"hidsim\": 1, \"name\": \"\(String(repeating: "n", count: 128))\", \"vendorID\": 1, "
      + "\"productID\": 2, \(small)}",
    expected: "1:23: the name is 128 bytes long, and the limit is 127", isSchemaError: true),
  BadFile(
    text: "{\"hidsim\": 1, \"name\": \"\", \"vendorID\": 1, \"productID\": 2, \(small)}",
    expected: "1:23: expected the name, found the string \"\"", isSchemaError: true),
  BadFile(
    text: with("\"serialNumber\": \"\(String(repeating: "é", count: 32))\""),
    expected: "2:17: the serial number is 64 bytes long, and the limit is 63"),
  BadFile(
    text: "{\"hidsim\": 1, \"name\": 5, \"vendorID\": \"1209\", \"productID\": -1, \(small)}",
    expected: "1:23: expected the name as a string, found the number 5", count: 3,
    isSchemaError: true),
  BadFile(
    text: with(#""version": "1.0""#),
    expected:
      "2:12: expected the version as one or two digits, a dot and two digits, found the string \"1.0\"",
    isSchemaError: true),
  BadFile(
    text: with(#""physicalPath": "usb 1""#),
    expected: """
      2:17: expected the beginning of a physical path, found "usb 1"; write it like "usb-0000:00:14.0-2": 1 to 22 bytes, ASCII letters, digits and :._@+- \
      in parts with / between; no part begins with hidsim-; hidsim adds /hidsim-…/input0
      """, isSchemaError: true),
  BadFile(
    text: with(#""physicalPath": "hidsim-1""#),
    expected: """
      2:17: expected the beginning of a physical path, found "hidsim-1"; write it like "usb-0000:00:14.0-2": 1 to 22 bytes, ASCII letters, digits and :._@+- \
      in parts with / between; no part begins with hidsim-; hidsim adds /hidsim-…/input0
      """, isSchemaError: true),
  BadFile(
    text: with(#""physicalPath": "/usb""#),
    expected: """
      2:17: expected the beginning of a physical path, found "/usb"; write it like "usb-0000:00:14.0-2": 1 to 22 bytes, ASCII letters, digits and :._@+- \
      in parts with / between; no part begins with hidsim-; hidsim adds /hidsim-…/input0
      """, isSchemaError: true),
  BadFile(
    text: with(#""physicalPath": "usb/""#),
    expected: """
      2:17: expected the beginning of a physical path, found "usb/"; write it like "usb-0000:00:14.0-2": 1 to 22 bytes, ASCII letters, digits and :._@+- \
      in parts with / between; no part begins with hidsim-; hidsim adds /hidsim-…/input0
      """, isSchemaError: true),
  BadFile(
    text: with(#""physicalPath": "usb//1""#),
    expected: """
      2:17: expected the beginning of a physical path, found "usb//1"; write it like "usb-0000:00:14.0-2": 1 to 22 bytes, ASCII letters, digits and :._@+- \
      in parts with / between; no part begins with hidsim-; hidsim adds /hidsim-…/input0
      """, isSchemaError: true),
  BadFile(
    text: with(#""physicalPath": "usb-ä""#),
    expected: """
      2:17: expected the beginning of a physical path, found "usb-ä"; write it like "usb-0000:00:14.0-2": 1 to 22 bytes, ASCII letters, digits and :._@+- \
      in parts with / between; no part begins with hidsim-; hidsim adds /hidsim-…/input0
      """, isSchemaError: true),
  BadFile(
    text: with(#""physicalPath": "a/hidsim-8000000000000""#),
    expected: """
      2:17: expected the beginning of a physical path, found "a/hidsim-8000000000000"; write it like "usb-0000:00:14.0-2": 1 to 22 bytes, ASCII letters, digits and :._@+- \
      in parts with / between; no part begins with hidsim-; hidsim adds /hidsim-…/input0
      """, isSchemaError: true),
  BadFile(
    text: with(#""physicalPath": "usb-0000:00:14.0-2.1.3.4""#),
    expected: "2:17: the physical path is 24 bytes long, and the limit is 22; shorten it",
    isSchemaError: true),
  BadFile(
    text: with(#""physicalPath": 2"#),
    expected: "2:17: expected the physical path as a string, found the number 2",
    isSchemaError: true),
  BadFile(
    text: with(#""country": 256"#), expected: "2:12: the country code is 256; expected 0 to 255",
    isSchemaError: true),
  BadFile(
    text: with(#""interfaces": []"#),
    expected: "1:79: \"reportDescriptor\" cannot be combined with \"interfaces\"",
    count: 2, isSchemaError: true),
  BadFile(
    text: head + "\n\"interfaces\": [{\"name\": \"a\"}]}",
    expected: "2:16: the interface has no \"reportDescriptor\"", isSchemaError: true),
  BadFile(
    text: head + "\n\"interfaces\": [{\"name\": \"a\", \(small)}, {\"name\": \"a\", \(small)}]}",
    expected: "2:134: two interfaces have the name \"a\""),
  BadFile(
    text: head + "\"comment\": [1], " + small + "}",
    expected: "1:71: expected a line of the comment as a string, found the number 1",
    isSchemaError: true),

  // Descriptors.
  BadFile(
    text: head + "\n\"reportDescriptor\": \"05 01\"}",
    expected:
      "2:21: expected the report descriptor as an array of items, found the string \"05 01\"",
    isSchemaError: true),
  BadFile(
    text: head + "\n\"reportDescriptor\": {\"hex\": \"05 0\"}}",
    expected: "2:29: expected the report descriptor as bytes in hexadecimal, found \"0\"",
    isSchemaError: true),
  BadFile(
    text: head + "\n\"reportDescriptor\": {\"file\": \"y.bin\"}}",
    expected: "2:30: cannot read \"y.bin\": No such file"),
  BadFile(
    text: head + "\n\"reportDescriptor\": {\"file\": \"../x.bin\"}}",
    expected: "2:30: the path \"../x.bin\" leaves the device file's folder", isSchemaError: true),
  BadFile(
    text: head + "\n\"reportDescriptor\": {\"file\": \"/x.bin\"}}",
    expected: "2:30: the path \"/x.bin\" leaves", isSchemaError: true),
  BadFile(text: items(""), expected: "2:21: the report descriptor is empty"),
  BadFile(
    text: items(#"{"usagePage": "genericDesktop"}, {"usge": "mouse"}"#),
    expected: "2:56: unknown item \"usge\"; did you mean \"usage\"?", isSchemaError: true),
  BadFile(
    text: items(#"{"usagePage": "genericDesktop"}, {"usage": "mose"}"#),
    expected: "2:65: usage cannot be \"mose\"; expected a usage of page genericDesktop"),
  BadFile(
    text: items(#"{"input": ["data", "varable"]}"#),
    expected:
      "2:41: input cannot be \"varable\"; expected words such as data, variable, absolute; did you "
      + "mean \"variable\"?"),
  BadFile(
    text: items(#"{"reportSize": 300}"#),
    expected: "2:37: reportSize cannot be 300; expected 0 to 256"),
  BadFile(
    text: items(#"{"reportSize": true}"#),
    expected: "2:37: expected a number or a word, found true", isSchemaError: true),
  BadFile(text: items("5"), expected: "2:22: expected an item as an object", isSchemaError: true),
  BadFile(
    text: items(#"{"logicalMaximum": 300, "bytes": 1}"#),
    expected: "2:23: logicalMaximum 300 does not fit into 1 byte"),
  BadFile(
    text: items(#"{"reportSize": 8, "bytes": 3}"#),
    expected: "2:49: expected the item's width as 0, 1, 2 or 4 bytes, found the number 3",
    isSchemaError: true),
  BadFile(
    text: items(#"{"bytes": 2}"#), expected: "2:23: expected one item beside \"bytes\", found 0",
    isSchemaError: true),
  BadFile(
    text: items(#"{"reportSize": 8, "reportCount": 1, "bytes": 2}"#),
    expected: "2:58: expected one item beside \"bytes\", found 2", isSchemaError: true),
  BadFile(
    text: items(#"{"reportSize": 8, "hex": "c0"}"#),
    expected: "2:23: expected \"hex\" alone in its object, found \"reportSize\" beside it",
    isSchemaError: true),
  BadFile(
    text: items(#"{"hex": "c"}"#), expected: "2:30: expected the bytes in hexadecimal, found \"c\"",
    isSchemaError: true),
  BadFile(
    text: items(#"{"hex": [256]}"#),
    expected: "2:31: expected a byte from 0 to 255, found the number",
    isSchemaError: true),
  BadFile(
    text: items(#"{"file": "x.bin"}"#),
    expected: "2:23: unknown item \"file\"; write {\"file\": …} in place of the array",
    isSchemaError: true),
  BadFile(
    text: items(#"{"items": []}"#),
    expected: "2:23: expected \"items\" as the last key of its object, directly after",
    isSchemaError: true),
  BadFile(
    text: items("{\"usagePage\": 1},\n{\"collection\": \"application\"}"),
    expected: "3:2: this Collection has no End Collection; put its items into \"items\""),
  BadFile(
    text: items("{\"collection\": \"application\", \"items\": []},\n \"endCollection\""),
    expected: "3:2: an End Collection without a Collection before it"),
  BadFile(text: items("\"pop\""), expected: "2:22: a Pop without a Push before it"),
  BadFile(
    text: items("\n" + longItems),
    expected: "3:34818: the report descriptor has 5000 bytes; the kernel takes"),

  // Reports, controls, behaviours.
  BadFile(
    text: with(#""reports": [{"type": "feature", "initial": "00 00"}]"#),
    expected:
      "2:44: the initial report is 2 bytes long, and the unnumbered feature report is declared with 1 byte"
  ),
  BadFile(
    text: with(#""reports": [{"type": "feature", "id": 3, "initial": "00"}]"#),
    expected:
      "2:39: the report descriptor declares no feature report 3; it declares unnumbered feature"),
  BadFile(
    text: with(#""reports": [{"type": "output", "initial": "00"}]"#),
    expected:
      "2:22: the report descriptor declares no unnumbered output report; it declares no output"),
  BadFile(
    text: with(#""reports": [{"type": "feature", "id": 0, "initial": "00"}]"#),
    expected: "2:39: the report ID is 0; expected 1 to 255", isSchemaError: true),
  BadFile(
    text: with(#""reports": [{"type": "featur", "initial": "00"}]"#),
    expected: "2:22: unknown report type \"featur\"; did you mean \"feature\"?", isSchemaError: true
  ),
  BadFile(
    text: with(#""reports": [{"type": "feature"}]"#),
    expected: "2:13: the report has no \"initial\"",
    isSchemaError: true),
  BadFile(
    text: with(#""controls": {"a b": "0xff00.0x0002"}"#),
    expected: "2:14: \"a b\" cannot name a control",
    isSchemaError: true),
  BadFile(
    text: with(#""controls": {"a": "button 1"}"#),
    expected: "2:19: the report descriptor has no control for \"button 1\""),
  BadFile(
    text: with(#""controls": {"a": "botton 1"}"#), expected: "2:19: unknown usage \"botton 1\""),
]
