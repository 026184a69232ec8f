// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDBus
import HIDReportDescriptor
import HIDSimulator
import HIDText
import HIDTraces
import HIDUsages
import Testing

/// The device files that come with hidsim.
enum Library {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Descriptors").standardizedFileURL

  static func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.appendingPathComponent(name)))
  }

  static func device(_ name: String) throws -> HIDDeviceDefinition {
    try HIDDeviceFile.parse(try bytes(name), name: name) { _ in [] }
  }

  static func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".json") }.sorted()
  }
}

@Suite("The shipped device files")
struct LibraryTests {
  private func bytes(_ hex: String) -> [UInt8] {
    hex.split(whereSeparator: \.isWhitespace).compactMap { UInt8($0, radix: 16) }
  }

  @Test("every shipped file is read, has a comment, and is detected as a device file")
  func all() throws {
    let names = try Library.names()
    #expect(
      names == [
        "blink1.json", "cooler.json", "corsair-k90.json", "cp2112.json", "dualsense-bluetooth.json",
        "dualsense.json", "dualshock4.json", "faulty.json", "g27-wheel.json", "gamepad.json",
        "hidpp-mouse.json", "hidpp-receiver.json", "high-resolution-mouse.json", "huion-h1161.json",
        "inputstick.json", "keyboard.json", "magic-keyboard.json", "mcp2221.json", "mouse.json",
        "nkro-keyboard.json", "nzxt-fan-controller.json", "pedals-narrow.json", "pedals-six.json",
        "pedals-wide.json", "precision-touchpad.json", "security-key.json", "stream-deck.json",
        "switch-pro.json", "u2f-zero.json", "unifying-receiver.json", "via-keyboard.json",
      ])
    for name in names {
      _ = try Library.device(name)
      let file = try Library.bytes(name)
      #expect(HIDInputFormat.detect(file) == .deviceFile)
      var reader = JSONReader(file, file: name)
      #expect(try reader.only()["comment"] != nil, "\(name)")
    }
  }

  @Test("the keyboard is the boot keyboard of HID 1.11, E.6, with usages to Keypad Hexadecimal")
  func keyboard() throws {
    let device = try Library.device("keyboard.json")
    #expect(device.vendorID == 0x1209 && device.productID == 1 && device.versionNumber == 0x100)
    #expect(
      device.interfaces.map(\.descriptor.bytes) == [
        bytes(
          """
          05 01 09 06 A1 01 05 07 19 E0 29 E7 15 00 25 01 75 01 95 08 81 02 95 01 75 08 81 01
          95 05 75 01 05 08 19 01 29 05 91 02 95 01 75 03 91 01 95 06 75 08 15 00 26 DD 00 05 07
          19 00 29 DD 81 00 C0
          """)
      ])
  }

  @Test("the mouse has eight buttons, x, y, a wheel and a horizontal wheel in five bytes")
  func mouse() throws {
    let descriptor = try Library.device("mouse.json").interfaces[0].descriptor
    let report = try #require(descriptor.report(.input, id: nil))
    #expect(report.byteCount == 5)
    func bit(_ usage: HIDUsageName) -> Int? {
      descriptor.controls(named: usage.rawValue, type: .input).first.map {
        let field = report.fields[$0.fieldIndex]
        return field.bitOffset + $0.index * field.bitSize
      }
    }
    #expect(bit(.button1) == 0)
    #expect(bit(.button8) == 7)
    #expect(bit(.x) == 8)
    #expect(bit(.y) == 16)
    #expect(bit(.wheel) == 24)
    #expect(bit(.pan) == 32)
  }

  private enum HIDUsageName: String {
    case button1 = "button 1"
    case button8 = "button 8"
    case x = "genericDesktop.x"
    case y = "genericDesktop.y"
    case wheel = "genericDesktop.wheel"
    case pan = "consumer.acPan"
  }

  @Test("the gamepad has reports 1, 2 and 3 of 14, 3 and 25 bytes, and a hat of eight positions")
  func gamepad() throws {
    let interface = try Library.device("gamepad.json").interfaces[0]
    let reports = interface.descriptor.reports
    #expect(reports.map(\.byteCount) == [14, 3, 25])
    #expect(reports.map(\.id?.rawValue) == [1, 2, 3])
    let hat = try #require(interface.descriptor.controls(named: "genericDesktop.hatSwitch").first)
    let field = reports[0].fields[hat.fieldIndex]
    #expect(field.hasNullState && field.logicalMaximum == 7 && field.physicalMaximum == 315)
    #expect(interface.initialReports.map(\.bytes.count) == [14, 25])
    #expect(interface.controls["south"] == "button 1")
  }

  @Test("the G27, the U2F Zero and the H1161 have the published report descriptors, byte for byte")
  func published() throws {
    #expect(
      try Library.device("g27-wheel.json").interfaces.map(\.descriptor.bytes) == [
        bytes(
          """
          05 01 09 04 A1 01 15 00 25 07 35 00 46 3B 01 65 14 09 39 75 04 95 01 81 42 65 00 25 01
          45 01 05 09 19 01 29 16 75 01 95 16 81 02 26 FF 3F 46 FF 3F 75 0E 95 01 05 01 09 30
          81 02 26 FF 00 46 FF 00 75 08 95 03 09 32 09 35 09 31 81 02 06 00 FF 09 01 95 02 81 02
          95 01 75 01 25 01 45 01 05 09 09 17 81 02 06 00 FF 09 01 95 07 81 02 26 FF 00 46 FF 00
          06 00 FF 09 02 95 07 75 08 91 02 95 90 09 03 B1 02 C0
          """)
      ])
    #expect(
      try Library.device("u2f-zero.json").interfaces.map(\.descriptor.bytes) == [
        bytes(
          """
          06 D0 F1 09 01 A1 01 09 20 15 00 26 FF 00 75 08 95 40 81 02 09 21 15 00 26 FF 00 75 08
          95 40 91 02 C0
          """)
      ])
    #expect(
      try Library.device("huion-h1161.json").interfaces.map(\.descriptor.bytes) == [
        bytes("06 00 FF 09 01 A1 01 85 08 75 58 95 01 09 01 81 02 C0"),
        bytes(
          """
          05 0D 09 02 A1 01 85 0A 09 20 A1 00 09 42 09 44 09 45 09 3C 15 00 25 01 75 01 95 06 81 02
          09 32 75 01 95 01 81 02 81 03 05 01 09 30 09 31 55 0D 65 33 26 FF 7F 35 00 46 00 08 75 10
          95 02 81 02 05 0D 09 30 26 FF 1F 75 10 95 01 81 02 09 3D 09 3E 15 81 25 7F 75 08 95 02
          81 02 C0 C0
          """),
      ])
  }

  @Test("the InputStick has four interfaces that share one identity, byte for byte")
  func inputStick() throws {
    let device = try Library.device("inputstick.json")
    #expect(device.vendorID == 0x16D0 && device.productID == 0x0A75)
    #expect(device.versionNumber == 0x0100)
    #expect(device.interfaces.map(\.name) == ["keyboard", "mouse", "consumer", "raw"])
    #expect(
      device.interfaces.map(\.descriptor.bytes) == [
        bytes(
          """
          05 01 09 06 A1 01 05 07 19 E0 29 E7 15 00 25 01 75 01 95 08 81 02 95 01 75 08 81 01
          95 05 75 01 05 08 19 01 29 05 91 02 95 01 75 03 91 01 95 06 75 08 15 00 26 DD 00 05 07
          19 00 29 DD 81 00 C0
          """),
        bytes(
          """
          05 01 09 02 A1 01 09 01 A1 00 05 09 19 01 29 08 15 00 25 01 95 08 75 01 81 02 05 01
          09 30 09 31 09 38 15 81 25 7F 75 08 95 03 81 06 C0 C0
          """),
        bytes(
          """
          05 0C 09 01 A1 01 85 01 15 00 26 FF 03 19 00 2A FF 03 75 10 95 01 81 00 C0
          05 01 09 80 A1 01 85 02 15 01 25 03 19 81 29 83 75 10 95 01 81 00 C0
          05 01 09 05 A1 01 85 03 05 09 19 01 29 10 15 00 25 01 75 01 95 10 81 02 05 01 09 30
          09 31 09 32 09 33 15 81 25 7F 75 08 95 04 81 02 C0
          05 0D 09 02 A1 01 85 04 09 20 A1 00 09 42 09 32 15 00 25 01 75 01 95 02 81 02 95 06
          81 03 05 01 09 30 09 31 15 00 26 10 27 75 10 95 02 81 02 C0 C0
          """),
        bytes(
          """
          06 AB FF 0A 00 02 A1 01 75 08 15 00 26 FF 00 95 40 09 01 81 02 95 40 09 02 91 02 C0
          """),
      ])
  }
}

@Suite("HIDInputFormat")
struct HIDInputFormatTests {
  @Test(
    "the format of a file is detected from its first lines",
    arguments: [
      ("{\"hidsim\": 1}", HIDInputFormat.deviceFile), ("// c\n{", .deviceFile),
      ("# c\n\n  {", .deviceFile), ("\u{FEFF}{", .deviceFile),
      ("R: 1 c0", .trace(.recorder)), ("# c\r\nD: 0\r\nR: 1 c0\r\n", .trace(.recorder)),
      ("N: x", .trace(.recorder)),
      ("{\"id\": 1, \"command\": \"register\"}", .trace(.android)),
      ("version: 1\nndevices: 1\nlibinput:\n", .trace(.libinput)),
      ("P: /devices/a\nE: DEVNAME=/dev/hidraw0\n", .trace(.umockdev)),
      ("r 0 ^@\n", .trace(.umockdev)), ("\n\r\r\n", .trace(.usb)),
      ("", .unknown), ("# only", .unknown), ("hello", .unknown), ("\u{0}\u{1}", .unknown),
      ("EVEMU: 1", .unknown), ("[1]", .unknown),
    ])
  func detect(_ text: String, _ format: HIDInputFormat) {
    #expect(HIDInputFormat.detect(Array(text.utf8)) == format)
  }
}

@Suite(
  "The schema of device files",
  .enabled(if: SchemaValidator.isAvailable, "python3 with jsonschema is not installed"))
struct SchemaTests {
  @Test("the schema accepts the shipped files, and refuses the mistakes that a schema can detect")
  func agrees() throws {
    var texts: [String] = []
    var expected: [Bool] = []
    for name in try Library.names() {
      var reader = JSONReader(try Library.bytes(name), file: name)
      texts.append(strict(try reader.only()))
      expected.append(true)
      var device = try Library.device(name)
      device.transport = .other(busType: 0x1f)
      var written = JSONReader(HIDDeviceFile.write(device, comment: ["a copy"]), file: name)
      texts.append(strict(try written.only()))
      expected.append(true)
    }
    for items in goodItems {
      let head = #"{"hidsim": 1, "name": "x", "vendorID": 1, "productID": 2"#
      let text = #"\#(head), "reportDescriptor": [\#(items)]}"#
      _ = try HIDDeviceFile.parse(Array(text.utf8), name: "good") { _ in [] }
      var reader = JSONReader(Array(text.utf8), file: "good")
      texts.append(strict(try reader.only()))
      expected.append(true)
    }
    for good in goodUSB {
      var reader = JSONReader(Array(good.utf8), file: "good")
      texts.append(strict(try reader.only()))
      expected.append(true)
    }
    for bad in bad + badBehaviours + badUSB {
      var reader = JSONReader(Array(bad.text.utf8), file: "bad")
      // Skip a text that is not JSON, because a schema cannot check it.
      guard let node = try? reader.only() else { continue }
      texts.append(strict(node))
      expected.append(!bad.isSchemaError)
    }
    let results = try SchemaValidator.run(texts)
    #expect(results.count == texts.count)
    for (index, text) in texts.enumerated() where results.indices.contains(index) {
      #expect(results[index] == expected[index], "\(text.prefix(400))")
    }
  }

  /// Items that state their width, or are bytes.
  private let goodItems = [
    #"{"hex": "05 01"}, {"hex": []}, {"hex": [9, "0x02"]}, {"collection": 1}, "endCollection""#,
    #"{"collection": 1, "bytes": 2, "items": [{"push": [], "bytes": 1}, {"pop": []}]}"#,
    #"{"logicalMaximum": 255, "bytes": 1}, {"bytes": 4, "usage": "led.capsLock"}"#,
    #"{"collection": "application", "items": [{"input": ["data"], "bytes": 0}]}"#,
  ]

  /// Returns the line `{"value": …}` with the value in strict JSON, without comments, trailing
  /// commas and hexadecimal numbers.
  private func strict(_ node: JSONNode) -> String {
    var line = JSONLine()
    line.add("value", .value(node))
    return line.text
  }
}

/// Python's jsonschema, if it is installed.
enum SchemaValidator {
  static let isAvailable = (try? run([])) != nil

  private struct Failed: Error {}

  /// Returns whether each of the values, given as lines `{"value": …}`, is valid.
  static func run(_ values: [String]) throws -> [Bool] {
    let code = """
      import json, sys, jsonschema
      schema = json.load(open(sys.argv[1]))
      validator = jsonschema.Draft202012Validator(schema)
      validator.check_schema(schema)
      for line in open(sys.argv[2], encoding='utf-8'):
          print(int(validator.is_valid(json.loads(line)['value'])))
      """
    let input = FileManager.default.temporaryDirectory
      .appendingPathComponent("hidsim-schema-\(UUID().uuidString).jsonl")
    try Data(values.map { $0 + "\n" }.joined().utf8).write(to: input)
    defer { try? FileManager.default.removeItem(at: input) }
    let python = Process()
    python.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    python.arguments = [
      "python3", "-c", code, Library.folder.appendingPathComponent("schema/device-1.json").path,
      input.path,
    ]
    let output = Pipe()
    python.standardOutput = output
    python.standardError = FileHandle.nullDevice
    try python.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    python.waitUntilExit()
    guard python.terminationStatus == 0 else { throw Failed() }
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map { $0 == "1" }
  }
}
