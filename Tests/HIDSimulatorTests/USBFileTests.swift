// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDBus
import HIDReportDescriptor
import HIDText
import Synchronization
import Testing
import TestSupport

@testable import HIDSimulator

private let head = #"{"hidsim": 1, "name": "x", "vendorID": 1, "productID": 2, "#
// Unnumbered reports: an input report of one byte, and an output report of one byte.
private let descriptor =
  #""reportDescriptor": {"hex": "06 00 ff 09 01 a1 01 75 08 95 01 09 02 81 02 09 03 91 02 c0"}"#
// An unnumbered output report of one byte.
private let outputOnly =
  #""reportDescriptor": {"hex": "06 00 ff 09 01 a1 01 75 08 95 01 09 03 91 02 c0"}"#

/// Returns a file with one interface, and with a section `usb` at the start of line 2.
private func usb(_ keys: String) -> String { head + descriptor + ",\n\"usb\": {\(keys)}}" }
/// Returns a file with two interfaces, and the section `usb` of the first at the start of line 2.
private func interfaces(_ device: String, _ keys: String) -> String {
  head + device
    + "\"interfaces\": [{\"name\": \"a\", \(descriptor),\n\"usb\": {\(keys)}}, {\"name\": \"b\", \(descriptor)}]}"
}
private let extra = "09 04 01 00 01 ff 00 00 00 07 05 82 02 40 00 00"

/// Device files with a section `usb` that is accepted.
let goodUSB: [String] = [
  usb(""),
  usb(
    """
    "speed": "full", "usbVersion": "1.10", "class": "ef 02 01", "product": "Pen", "power": 98,
    "selfPowered": true, "remoteWakeup": true, "strings": {"200": "tablet", "0xc9": "ä"},
    "requests": [
      {"requestType": "0xc0", "request": 1, "value": 2, "index": 3, "answer": "01 02"},
      {"requestType": "0x40", "request": 1}, {"request": "0x02", "stall": true},
      {"value": "0x0100", "answer": []}],
    "extraInterfaces": ["\(extra)"],
    "hidVersion": "1.10",
    "boot": "mouse", "interval": 10, "packetSize": 7, "output": "control", "string": "pen"
    """),
  usb(
    #""speed": "high", "usbVersion": 512, "class": [0, 0, 0], "packetSize": 1024, "interval": 16"#),
  usb(#""speed": "low", "interval": 10, "packetSize": 8, "power": 0, "product": """#),
  usb(#""power": 500, "output": {"interval": 255, "packetSize": "0x40"}"#),
  interfaces(
    #""usb": {"power": 400, "selfPowered": false}, "#,
    #""boot": "keyboard", "interval": 4, "output": {"packetSize": 16}, "string": "keys""#),
  interfaces("", #""output": "endpoint""#),
  usb(#""strings": {"200": {"hex": "00 d8 01"}, "201": "", "100": "x"}"#),
  head + "\"interfaces\": [{\"name\": \"a\", \"usb\": {\"interval\": 2}, \(descriptor)}]}",
]

/// Device files whose section `usb` must be refused.
let badUSB: [BadFile] = [
  BadFile(
    text: usb(#""sped": "low""#),
    expected: "2:9: unknown key \"sped\" in the section usb; did you mean \"speed\"?",
    isSchemaError: true),
  BadFile(
    text: head + descriptor + ",\n\"usb\": true}",
    expected: "2:8: expected the section usb as an object, found true", isSchemaError: true),
  BadFile(
    text: usb(#""speed": "hig""#),
    expected: "2:18: unknown speed \"hig\"; did you mean \"high\"?", isSchemaError: true),
  BadFile(
    text: usb(#""usbVersion": "2.0""#),
    expected: "2:23: expected the version of USB as one or two digits, a dot and two digits, found",
    isSchemaError: true),
  BadFile(
    text: usb(#""hidVersion": "1.1""#),
    expected: "2:23: expected the version of HID as one or two digits, a dot and two digits, found",
    isSchemaError: true),
  BadFile(
    text: usb(#""class": "ef 02""#), expected: "2:18: expected the class as 3 bytes, found 2",
    isSchemaError: true),
  BadFile(
    text: usb(#""product": "\#(String(repeating: "é", count: 127))""#),
    expected: "2:20: the product is 127 UTF-16 units long, and the limit is 126; shorten it",
    isSchemaError: true),
  BadFile(
    text: usb(#""power": 502"#), expected: "2:18: the power is 502; expected 0 to 500",
    isSchemaError: true),
  BadFile(
    text: usb(#""power": 99"#),
    expected: "2:18: the power is 99; expected an even number of mA; USB counts in steps of 2 mA",
    isSchemaError: true),
  BadFile(
    text: usb(#""selfPowered": 1"#), expected: "2:24: expected true or false, found the number 1",
    isSchemaError: true),
  BadFile(
    text: usb(#""remoteWakeup": "yes""#),
    expected: "2:25: expected true or false, found the string \"yes\"", isSchemaError: true),

  // Strings.
  BadFile(
    text: usb(#""strings": ["x"]"#),
    expected: "2:20: expected the strings as an object, found an array", isSchemaError: true),
  BadFile(
    text: usb(#""strings": {"x": "y"}"#),
    expected: "2:21: expected the index of a string from 1 to 255, found \"x\"",
    isSchemaError: true),
  BadFile(
    text: usb(#""strings": {"256": "y"}"#),
    expected: "2:21: expected the index of a string from 1 to 255, found \"256\""),
  BadFile(
    text: usb(#""strings": {"200": "y", "0xc8": "z"}"#),
    expected: "2:33: string 200 is given twice; remove one of them"),
  BadFile(
    text: usb(#""strings": {"2": "y"}, "string": "x""#),
    expected: "2:21: string 2 is one of the strings 1 to 2 that the device has anyway; "
      + "use another index"),
  BadFile(
    text: usb(#""strings": {"200": {"hx": "00"}}"#),
    expected: "2:28: string 200 has no \"hex\"; add \"hex\": …", count: 2, isSchemaError: true),
  BadFile(
    text: usb(#""strings": {"200": {"hex": "\#(String(repeating: "00", count: 254))"}}"#),
    expected: "2:36: string 200 is 254 bytes long, and the limit is 253; shorten it"),
  BadFile(
    text: usb(#""strings": {"200": 5}"#),
    expected: "2:28: expected string 200 as a string, found the number 5", isSchemaError: true),

  // Requests.
  BadFile(
    text: usb(#""requests": {}"#),
    expected: "2:21: expected the requests as an array, found an empty object",
    isSchemaError: true),
  BadFile(
    text: usb(#""requests": [{"requestType": "0x80", "answer": ""}]"#),
    expected: "2:38: the request type is 128; expected 0xc0, 0xc1, 0x40 or 0x41",
    isSchemaError: true),
  BadFile(
    text: usb(#""requests": [{"requestType": "0xc0"}]"#),
    expected: "2:22: the request has neither \"answer\" nor \"stall\"", isSchemaError: true),
  BadFile(
    text: usb(#""requests": [{"answer": "1"}]"#),
    expected: "2:33: expected the answer as bytes in hexadecimal, found \"1\"", isSchemaError: true),
  BadFile(
    text: usb(#""requests": [{"request": 256, "stall": true}]"#),
    expected: "2:34: the request's number is 256; expected 0 to 255", isSchemaError: true),
  BadFile(
    text: usb(#""requests": [{"index": -1, "stall": true}]"#),
    expected: "2:32: the request's index is -1; expected 0 to 65535", isSchemaError: true),
  BadFile(
    text: usb(#""requests": [{"stall": false}]"#),
    expected: "2:32: expected true, found false; leave \"stall\" out instead", isSchemaError: true),
  BadFile(
    text: usb(#""requests": [{"answer": "00", "stall": true}]"#),
    expected: "2:48: \"stall\" cannot be combined with \"answer\"; remove one of them",
    isSchemaError: true),
  BadFile(
    text: usb(#""requests": [{"requestType": "0x41", "answer": "00"}]"#),
    expected: "2:56: \"answer\" is not allowed here: the answer to a request of type 0x41 has no"),

  // Interfaces.
  BadFile(
    text: usb(#""boot": "mose""#),
    expected: "2:17: unknown boot protocol \"mose\"; did you mean \"mouse\"?", isSchemaError: true),
  BadFile(
    text: head + outputOnly + ",\n\"usb\": {\"boot\": \"mouse\"}}",
    expected:
      "2:17: \"boot\" is not allowed here: the report descriptor declares no input report; remove it"
  ),
  BadFile(
    text: usb(#""interval": 0"#), expected: "2:21: the interval is 0; expected 1 to 255",
    isSchemaError: true),
  BadFile(
    text: usb(#""speed": "high", "interval": 17"#),
    expected: "2:38: the interval is 17; expected 1 to 16 at high speed"),
  BadFile(
    text: usb(#""speed": "low", "interval": 9"#),
    expected: "2:37: the interval is 9; expected 10 to 255 at low speed"),
  BadFile(
    text: usb(#""packetSize": 1025"#),
    expected: "2:23: the packet size is 1025; expected 1 to 1024", isSchemaError: true),
  BadFile(
    text: usb(#""packetSize": 65"#),
    expected: "2:23: the packet size is 65; expected 1 to 64 at full speed"),
  BadFile(
    text: usb(#""speed": "low", "output": {"packetSize": 9}"#),
    expected: "2:50: the packet size is 9; expected 1 to 8 at low speed"),
  BadFile(
    text: usb(#""output": "interrupt""#), expected: "2:19: unknown way of output \"interrupt\"",
    isSchemaError: true),
  BadFile(
    text: usb(#""output": 2"#),
    expected: "2:19: expected \"endpoint\", \"control\", or the endpoint as an object, found the",
    isSchemaError: true),
  BadFile(
    text: usb(#""output": {"size": 2}"#),
    expected: "2:20: unknown key \"size\" in the endpoint for output", isSchemaError: true),
  BadFile(
    text: interfaces("", #""speed": "low""#),
    expected: "2:9: unknown key \"speed\" in the section usb of an interface", isSchemaError: true),
  BadFile(
    text: interfaces("", #""packetSize": 65"#),
    expected: "2:23: the packet size is 65; expected 1 to 64 at full speed"),
  BadFile(
    text: interfaces(#""usb": {"interval": 4}, "#, ""),
    expected: "1:79: \"interval\" cannot be combined with \"interfaces\"; move it into \"usb\"",
    isSchemaError: true),
  BadFile(
    text: head + "\n\"usb\": {\"power\": 2}, \"interfaces\": ["
      + Array(repeating: "{\(descriptor)}", count: 16).joined(separator: ", ") + "]}",
    expected: "2:8: a USB device has 1 to 15 HID interfaces; found 16; remove \"usb\""),

  // Extra interfaces.
  BadFile(
    text: usb(#""extraInterfaces": "09""#),
    expected: "2:28: expected the extra interfaces as an array, found the string",
    isSchemaError: true),
  BadFile(
    text: usb(#""extraInterfaces": ["09 04"]"#),
    expected:
      "2:29: extra interface 1: byte 0: expected the length of a descriptor, 2 to 2, found 9"),
  BadFile(
    text: usb(#""extraInterfaces": ["\#(extra)", "\#(extra)"]"#),
    expected: "2:80: extra interface 2: byte 2: expected the interface number 2, found 1"),
  BadFile(
    text: usb(#""extraInterfaces": ["09 04 01 00 01 ff 00 00 00 07 05 81 02 40 00 00"]"#),
    expected: "2:29: extra interface 1 has the endpoint 0x81, which another interface has"),
]

@Suite("The section usb of device files")
struct USBFileTests {
  private func parse(_ text: String) throws -> HIDDeviceDefinition {
    try HIDDeviceFile.parse(Array(text.utf8), name: "usb.json") { _ in [] }
  }

  @Test("the keys of a device with one interface are settings of the device and the interface")
  func keys() throws {
    let device = try parse(goodUSB[1])
    var expected = USBSettings()
    expected.speed = .full
    expected.usbVersion = 0x0110
    expected.deviceClass = .init(code: 0xEF, subclass: 2, protocolCode: 1)
    expected.product = "Pen"
    expected.maximumPower = 98
    expected.isSelfPowered = true
    expected.wakesHosts = true
    expected.strings = [200: "tablet", 201: "ä"]
    expected.requests = [
      .init(requestType: 0xC0, request: 1, value: 2, index: 3, answer: .data([1, 2])),
      .init(requestType: 0x40, request: 1, answer: .data([])),
      .init(request: 2, answer: .stall), .init(value: 0x0100, answer: .data([])),
    ]
    expected.extraInterfaces = [[9, 4, 1, 0, 1, 0xFF, 0, 0, 0, 7, 5, 0x82, 2, 0x40, 0, 0]]
    #expect(device.usb == expected)
    var interface = USBInterfaceSettings()
    interface.hidVersion = 0x0110
    interface.boot = .mouse
    interface.interval = 10
    interface.packetByteCount = 7
    interface.output = .control
    interface.name = "pen"
    #expect(device.interfaces.map(\.usb) == [interface])
  }

  @Test("with several interfaces each has a section of its own")
  func several() throws {
    let device = try parse(goodUSB[5])
    #expect(device.usb.maximumPower == 400)
    var first = USBInterfaceSettings()
    first.boot = .keyboard
    first.interval = 4
    first.output = .endpoint(interval: nil, packetByteCount: 16)
    first.name = "keys"
    #expect(device.interfaces.map(\.usb) == [first, USBInterfaceSettings()])
  }

  @Test("a section without keys is the same as none")
  func empty() throws {
    #expect(try !parse(goodUSB[0]).hasUSBSettings)
    #expect(try !parse(head + descriptor + "}").hasUSBSettings)
    #expect(try parse(goodUSB[6]).hasUSBSettings)
  }

  @Test("a device is the same after it is written and read", arguments: goodUSB)
  func roundTrip(_ text: String) throws {
    func placeless(_ device: HIDDeviceDefinition) -> HIDDeviceDefinition {
      var device = device
      for index in device.interfaces.indices { device.interfaces[index].location = .start }
      return device
    }
    let device = try parse(text)
    let written = HIDDeviceFile.write(device)
    #expect(try placeless(parse(String(decoding: written, as: UTF8.self))) == placeless(device))
  }

  @Test("a string that is no text has the bytes of the file")
  func rawString() throws {
    let usb = try parse(goodUSB[7]).usbDescription()
    #expect(usb.stringDescriptor(200) == [5, 3, 0x00, 0xD8, 0x01])
    #expect(usb.stringDescriptor(201) == [2, 3])
  }

  @Test("a good file with changed bytes never traps", arguments: goodUSB)
  func mutations(_ text: String) {
    for seed in 0..<300 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let bytes = mutated(Array(text.utf8), using: &random)
      do throws(HIDDeviceFileError) {
        let device = try HIDDeviceFile.parse(bytes, name: "m") { _ in [] }
        // A file that the reader accepts is a USB device, and can be written.
        if device.hasUSBSettings { #expect((try? device.usbDescription().text) != nil) }
        #expect(!HIDDeviceFile.write(device).isEmpty)
      } catch {
        #expect(!error.problems.isEmpty && error.problems.count <= 20)
      }
    }
  }

  @Test("the USB device of a file has its settings")
  func description() throws {
    let usb = try parse(goodUSB[1]).usbDescription()
    #expect(usb.deviceDescriptor[2..<7] == [0x10, 0x01, 0xEF, 2, 1])
    #expect(usb.configurationDescriptor[4...8] == [2, 1, 0, 0xE0, 49])
    #expect(usb.stringDescriptor(200)?.count == 14)
    #expect(usb.interfaces.map(\.input) == [.init(packetByteCount: 7, interval: 10)])
  }

  private func codes(_ text: String) throws -> [[String]] {
    try parse(text).usbFindings().map { $0.map(\.code) }
  }

  @Test("lint finds an interface with a boot protocol whose input is none of a boot report")
  func bootReport() throws {
    func file(_ boot: String, _ hex: String) -> String {
      head + #""reportDescriptor": {"hex": "\#(hex)"}, "usb": {"boot": "\#(boot)"}}"#
    }
    // A bit for each of eight keys, and a movement beside two buttons, both in report 1.
    let keys = "05 01 09 06 a1 01 85 01 05 07 19 04 29 0b 15 00 25 01 75 01 95 08 81 02 c0"
    let movement =
      "05 01 09 02 a1 01 85 01 09 30 09 31 15 81 25 7f 75 08 95 02 81 06 05 09 19 01 29 02 "
      + "15 00 25 01 75 01 81 02 95 06 81 01 c0"
    for (boot, hex, isFound) in [
      ("keyboard", keys, false), ("mouse", movement, false), ("keyboard", movement, true),
      ("mouse", keys, true),
    ] {
      #expect(try codes(file(boot, hex)) == [isFound ? ["usb-boot-report"] : []])
    }
  }

  @Test("lint finds a report of several packets if the interval is above 1 ms")
  func slowReport() throws {
    func file(_ keys: String) -> String {
      head + #""reportDescriptor": {"hex": "06 00 ff 09 01 a1 01 75 08 95 14 09 02 81 02 c0"}, "#
        + "\"usb\": {\(keys)}}"
    }
    #expect(try codes(file(#""packetSize": 8"#)) == [[]])
    #expect(try codes(file(#""packetSize": 8, "interval": 4"#)) == [["usb-slow-report"]])
    #expect(try codes(file(#""packetSize": 20, "interval": 4"#)) == [[]])
    #expect(try codes(file(#""speed": "high", "packetSize": 8, "interval": 4"#)) == [[]])
    let low = try parse(file(#""speed": "low""#)).usbFindings()
    #expect(
      low.first?.map(\.explanation) == [
        "an input report of 20 bytes is 3 packets of 8: it takes 30 ms with the interval of 10 ms"
      ])
  }

  @Test("lint finds a section usb beside another transport")
  func otherTransport() throws {
    #expect(
      try codes(interfaces(#""transport": "i2c", "#, #""string": "x""#))
        == [["usb-transport"], []])
    #expect(try codes(interfaces(#""transport": "i2c", "#, "")) == [[], []])
  }

  @Test("the example in the article is read, and has all settings that it names")
  func article() throws {
    let article = try Article.text("HIDSimulator/HIDSimulator.docc/DeviceFiles.md")
    let section = try #require(article.components(separatedBy: "### USB\n").last)
    let block = section.components(separatedBy: "```json\n")[1].components(separatedBy: "```")[0]
    let device = try parse(block)
    let usb = try device.usbDescription()
    #expect(usb.product == "numpad" && usb.stringDescriptor(200)?.count == 22)
    #expect(usb.configurationDescriptor[4...8] == [2, 1, 0, 0xA0, 49])
    #expect(usb.requests.count == 2 && usb.interfaces.map(\.boot) == [.keyboard])
    #expect(device.interfaces[0].descriptor.report(.input, id: nil)?.byteCount == 8)
  }

  @Test("the settings reach the bus when the device is plugged")
  func plugging() async throws {
    let definition = try parse(goodUSB[5])
    let directory = try BusDirectory.temporary()
    defer { directory.removeAll() }
    let device = SimulatedDevice.make([definition], log: HIDEventLog())[0]
    try await device.plug(into: HIDBus(loopbackIn: directory))
    let plugged = device.interfaces.compactMap { $0.port?.plugged }
    await device.unplug()
    #expect(plugged.map(\.usb) == [definition.usb, definition.usb])
    #expect(plugged.map(\.usbInterface) == definition.interfaces.map(\.usb))
  }
}
