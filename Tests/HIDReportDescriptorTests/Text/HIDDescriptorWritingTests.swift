// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import Testing

@Suite("Writing descriptors as text", .timeLimit(.minutes(5)))
struct HIDDescriptorWritingTests {
  /// A descriptor with the items that are written in a special way.
  ///
  /// They are a hat switch, a long maximum, a reserved item, a long item, and an item that is cut
  /// off.
  private static let odd: [UInt8] = [
    0x05, 0x01, 0x09, 0x05, 0xa1, 0x01, 0x85, 0x01, 0x09, 0x39, 0x15, 0x00, 0x27, 0x07, 0x00, 0x00,
    0x00, 0x46, 0x3b, 0x01, 0x65, 0x14, 0x55, 0xfe, 0x75, 0x04, 0x95, 0x01, 0x82, 0x42, 0x00,
    0x0b, 0x02, 0x00, 0x08, 0x00, 0xc0, 0xc5, 0x01, 0xfe, 0x01, 0x20, 0xaa, 0x26, 0xff,
  ]

  private func text(_ bytes: [UInt8], _ format: HIDDescriptorFormat) throws -> String {
    try #require(HIDDescriptorText.text(bytes, as: format))
  }

  @Test("the hex format has sixteen bytes a line")
  func hex() throws {
    #expect(
      try text(Array(Example.mouse.prefix(18)), .hex) == """
        05 01 09 02 a1 01 09 01 a1 00 05 09 19 01 29 08
        15 00

        """)
    #expect(try text([], .hex) == "")
  }

  @Test("the c format is an array with a comment for each item, indented by collection")
  func c() throws {
    #expect(
      HIDDescriptorText.text(Self.odd, as: .c, name: "2 odd-Ones")
        == """
        #include <stdint.h>

        static const uint8_t _2_odd_Ones[45] = {
            0x05, 0x01,                   // Usage Page (Generic Desktop)
            0x09, 0x05,                   // Usage (Gamepad)
            0xa1, 0x01,                   // Collection (Application)
            0x85, 0x01,                   //   Report ID (1)
            0x09, 0x39,                   //   Usage (Hat Switch)
            0x15, 0x00,                   //   Logical Minimum (0)
            0x27, 0x07, 0x00, 0x00, 0x00, //   Logical Maximum (7)
            0x46, 0x3b, 0x01,             //   Physical Maximum (315)
            0x65, 0x14,                   //   Unit (English Rotation: deg)
            0x55, 0xfe,                   //   Unit Exponent (-2)
            0x75, 0x04,                   //   Report Size (4)
            0x95, 0x01,                   //   Report Count (1)
            0x82, 0x42, 0x00,             //   Input (Data,Var,Abs,Null)
            0x0b, 0x02, 0x00, 0x08, 0x00, //   Usage (LED: Caps Lock)
            0xc0,                         // End Collection
            0xc5, 0x01,                   // Reserved (0xc4)
            0xfe, 0x01, 0x20, 0xaa,       // Long Item (tag 0x20)
            0x26, 0xff,                   // Cut off
        };

        """)
  }

  @Test(
    "an array in C with the name of a type or a keyword gets an underscore, and is read again",
    arguments: ["int", "short", "u16", "size_t", "return", "uint8_t", "bool", "_Bool", "_Generic"])
  func reservedNames(name: String) throws {
    let text = HIDDescriptorText.write(Example.mouse, as: .c, name: name)
    let read = try HIDDescriptorText.read(text, name: "a.c", format: .c)
    #expect(read.map(\.name) == [name + "_"])
    #expect(read.map(\.bytes) == [Example.mouse])
  }

  @Test("the text format has the lines of hid-decode")
  func annotated() throws {
    #expect(
      try text(Array(Example.mouse.prefix(14)) + [0xfe, 0x03, 0x20, 1, 2, 3], .text) == """
        0x05, 0x01,                    // Usage Page (Generic Desktop)        0
        0x09, 0x02,                    // Usage (Mouse)                       2
        0xa1, 0x01,                    // Collection (Application)            4
        0x09, 0x01,                    //  Usage (Pointer)                    6
        0xa1, 0x00,                    //  Collection (Physical)              8
        0x05, 0x09,                    //   Usage Page (Button)               10
        0x19, 0x01,                    //   Usage Minimum (Button 1)          12
        0xfe, 0x03, 0x20, 0x01, 0x02,  //   Long Item (tag 0x20)              14
        0x03,

        """)
  }

  @Test("the lines format has words, and widths or bytes only where words are not enough")
  func lines() throws {
    #expect(
      try text(Self.odd, .lines) == """
        Usage Page (Generic Desktop)
        Usage (Gamepad)
        Collection (Application)
          Report ID (1)
          Usage (Hat Switch)
          Logical Minimum (0)
          Logical Maximum (7) [4 bytes]
          Physical Maximum (315)
          Unit (English Rotation: deg)
          Unit Exponent (-2) [1 byte]
          Report Size (4)
          Report Count (1)
          Input (Data,Var,Abs,Null) [2 bytes]
          Usage (LED: Caps Lock)
        End Collection
        [c5 01]
        [fe 01 20 aa]
        [26 ff]

        """)
  }

  @Test("the items format is that of device files, with widths and bytes where they are needed")
  func items() throws {
    #expect(
      try text(Array(Self.odd.prefix(37)) + [0xc4, 0x26, 0xff], .items) == """
        [
          {"usagePage": "genericDesktop"},
          {"usage": "gamepad"},
          {"collection": "application", "items": [
            {"reportID": 1},
            {"usage": "hatSwitch"},
            {"logicalMinimum": 0},
            {"logicalMaximum": 7, "bytes": 4},
            {"physicalMaximum": 315},
            {"unit": "degrees"},
            {"unitExponent": -2, "bytes": 1},
            {"reportSize": 4},
            {"reportCount": 1},
            {"input": ["data", "variable", "absolute", "nullState"], "bytes": 2},
            {"usage": "led.capsLock"}
          ]},
          {"hex": "c4"},
          {"hex": "26 ff"}
        ]

        """)
    // Without balanced collections, no item is nested.
    #expect(
      try text([0xa1, 0x01, 0xa4, 0x84], .items) == """
        [
          {"collection": "application"},
          "push",
          {"hex": "84"}
        ]

        """)
    #expect(try text([], .items) == "[]\n")
  }

  @Test("the tree format has collections, the fields of each report in columns, and the bytes")
  func tree() throws {
    #expect(
      try text(Example.gamepad, .tree)
        == """
        Application (Generic Desktop: Gamepad)
          input report, 5 bytes
            bits 0-9    10 x 1 bit   0 to 1                 Button 1 to Button 10
            bits 10-33  2 x 12 bits  -2048 to 2047          Generic Desktop: X, Y
            bits 34-37  1 x 4 bits   0 to 7 = 0 to 315 deg  Generic Desktop: Hat Switch [null state]
            bits 38-39  1 x 2 bits                          padding
          feature report, 8 bytes
            bits 0-63   1 x 64 bits  0 to 7                 Vendor 0xff00: 0x01

        report descriptor, \(Example.gamepad.count) bytes:
          05 01 09 05 a1 01 05 09 19 01 29 0a 15 00 25 01
          75 01 95 0a 81 02 05 01 09 30 09 31 16 00 f8 26
          ff 07 75 0c 95 02 81 02 09 39 15 00 25 07 35 00
          46 3b 01 65 14 75 04 95 01 81 42 45 00 65 00 75
          02 81 03 06 00 ff 09 01 75 40 b1 02 c0

        """)
  }

  @Test("the tree format has the reason of a refusal, continued reports, arrays, units and flags")
  func moreTrees() throws {
    #expect(
      try text([0x84], .tree) == """
        not accepted: byte 0: report ID 0; expected 1 to 255

        report descriptor, 1 byte:
          84

        """)
    let keyboard = try text(Example.keyboard, .tree).split(separator: "\n")
    #expect(keyboard[7] == "  input report, continued")
    #expect(
      keyboard[8]
        == "    bits 16-63  6 x 8 bits  0 to 255  Keyboard/Keypad: Undefined to 0xff [array]")
    let odd = try text(Array(Self.odd.prefix(31)) + [0xc0], .tree).split(separator: "\n")
    #expect(odd[1] == "  input report 1, 2 bytes with its ID")
    #expect(
      odd[2]
        == "    bits 0-3  1 x 4 bits  0 to 7 = 0 to 315 10^-2 deg  Generic Desktop: Hat Switch [null state]"
    )
  }

  @Test("the recording format has the header lines of hid-recorder")
  func recording() {
    let text = HIDDescriptorText.write(
      [0x05, 0x01], as: .recording, name: "A\nB",
      identity: HIDDescriptorText.Identity(busType: 5, vendorID: 0x46d, productID: 1))
    #expect(String(decoding: text, as: UTF8.self) == "R: 2 05 01\nN: A B\nI: 5 046d 0001\n")
  }

  @Test(
    "the recording format replaces a missing identity and name, which are read again as missing")
  func recordingOfUnknown() throws {
    for name in [nil, "", " \n"] {
      let text = HIDDescriptorText.write([0x05, 0x01], as: .recording, name: name)
      #expect(
        String(decoding: text, as: UTF8.self)
          == "R: 2 05 01\nI: 3 0000 0000\n#! hidsim trace 1\n#! unidentified\n")
      let read = try HIDDescriptorText.read(text, name: "a.hid")
      #expect(read.map(\.bytes) == [[0x05, 0x01]])
      #expect(read.map(\.identity) == [nil])
      #expect(read.map(\.name) == [nil])
    }
    // Before the line that identifies the format, `#!` lines may belong to another program.
    let other = try HIDDescriptorText.read(
      Array("R: 1 c0\nI: 3 0000 0000\n#! unidentified\n".utf8), name: "a.hid")
    #expect(
      other.map(\.identity) == [.init(busType: 3, vendorID: 0, productID: 0)])
  }

  @Test("the JSON has reports, fields with their usages, collections and items")
  func json() throws {
    let bytes: [UInt8] = [
      0x05, 0x08, 0x09, 0x01, 0xa1, 0x01, 0x85, 0x02, 0x19, 0x01, 0x29, 0x02, 0x25, 0x01, 0x75,
      0x01,
      0x95, 0x02, 0x91, 0x02, 0x95, 0x06, 0x91, 0x01, 0xc0,
    ]
    let rest =
      #""logicalMinimum":0,"logicalMaximum":1,"physicalMinimum":0,"physicalMaximum":0,"unit":0,"#
      + #""unitExponent":0,"#
    #expect(
      try HIDReportDescriptor(parsing: bytes).json == """
        {
          "reports": [
            {"type":"output","id":2,"bits":8,"fields":[
              {"bit":0,"size":1,"count":2,"usages":[524289,524290],"usageNames":["led.numLock … led.capsLock"],\
        \(rest)"flags":["data","variable","absolute"],"collections":[0]},
              {"bit":2,"size":1,"count":6,"usages":[],"usageNames":[],\
        \(rest)"flags":["constant","array","absolute"],"collections":[0]}
            ]}
          ],
          "collections": [
            {"kind":"application","usage":524289,"usageName":"led.numLock","parent":null}
          ],
          "reportDescriptor": [
            {"usagePage": "led"},
            {"usage": "numLock"},
            {"collection": "application", "items": [
              {"reportID": 2},
              {"usageMinimum": "numLock"},
              {"usageMaximum": "capsLock"},
              {"logicalMaximum": 1},
              {"reportSize": 1},
              {"reportCount": 2},
              {"output": ["data", "variable", "absolute"]},
              {"reportCount": 6},
              {"output": ["constant", "array", "absolute"]}
            ]}
          ]
        }

        """)
  }

  /// A mouse with designators and strings, and a control that is X or Z.
  private static let rare: [UInt8] = [
    0x05, 0x01, 0x09, 0x02, 0x39, 0x03, 0xa1, 0x01, 0x15, 0x00, 0x25, 0x7f, 0x75, 0x08, 0x95, 0x02,
    0xa9, 0x01, 0x09, 0x30, 0x09, 0x32, 0xa9, 0x00, 0x09, 0x31,  // delimiters
    0x49, 0x01, 0x59, 0x02, 0x79, 0x04, 0x89, 0x05, 0x99, 0x06, 0x81, 0x02, 0xc0,
  ]

  @Test("the tree format has designators, strings and alternatives, in both readings")
  func rarities() throws {
    let linux = try text(Self.rare, .tree).split(separator: "\n").map(String.init)
    #expect(linux[0] == "Application (Generic Desktop: Mouse) [designator 3]")
    #expect(
      linux[2...4].map { $0.drop { $0 == " " } } == [
        "bits 0-15  2 x 8 bits  0 to 127  Generic Desktop: X, Z, Y [designators 1 to 2, string 4, strings 5 to 6]",
        "[usage 1 is one of: Generic Desktop: X, Z]", "report descriptor, 39 bytes:",
      ])
    let bytes = HIDDescriptorText.write(Self.rare, as: .tree, reading: .specification)
    let specification = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    #expect(specification[2].contains("Generic Desktop: X, Y [designators"))
  }

  @Test("the JSON has designators, strings and alternatives, in both readings")
  func rareJSON() throws {
    let linux = try HIDReportDescriptor(parsing: Self.rare).json
    #expect(
      linux.contains(
        #""collections":[0],"designators":[[1,2]],"strings":[[4,4],[5,6]],"#
          + #""alternatives":[{"index":0,"usages":[65584,65586]}]}"#))
    #expect(linux.contains(#""parent":null,"designators":[[3,3]]}"#))
    #expect(linux.contains(#""usages":[65584,65586,65585],"#))
    let specification = try HIDReportDescriptor(parsing: Self.rare, reading: .specification).json
    #expect(specification.contains(#""usages":[65584,65585],"#))
    #expect(try !HIDReportDescriptor(parsing: Example.mouse).json.contains("designators"))
  }

  @Test("the text of an extreme descriptor is at most 250 times as long, and is read again")
  func bounds() async throws {
    let nested = [UInt8](repeating: 0xa0, count: 4096)
    let balanced = (0..<2048).map { _ in 0xa0 as UInt8 } + (0..<2048).map { _ in 0xc0 as UInt8 }
    let reserved = [UInt8](repeating: 0x00, count: 4096)
    let pushes = [UInt8](repeating: 0xa4, count: 4096)
    let long = [0xfe, 0xff, 0x00] + [UInt8](repeating: 0, count: 4093)
    for bytes in [nested, balanced, reserved, pushes, long] {
      for format in HIDDescriptorFormat.allCases {
        await Task.yield()
        let text = HIDDescriptorText.write(bytes, as: format)
        #expect(text.count <= 250 * bytes.count, "\(format)")
        let read = try HIDDescriptorText.read(text, name: "a", format: format)
        #expect(read.map(\.bytes) == [bytes], "\(format)")
      }
    }
  }

  @Test("the JSON of a very large descriptor is written in parts, and can be stopped")
  func parts() throws {
    struct Enough: Error {}
    // 400 fields with 12,287 usages each.
    let field: [UInt8] = [0x19, 0x00, 0x2a, 0xfe, 0x2f, 0x91, 0x00]
    let bytes = [0x05, 0x07, 0x75, 0x01, 0x95, 0x01] + Array(repeating: field, count: 400).joined()
    let descriptor = try HIDReportDescriptor(parsing: bytes)
    var count = 0
    #expect(throws: Enough.self) {
      try descriptor.writeJSON { (part: [UInt8]) throws(Enough) in
        #expect(part.count < 1 << 18)
        count += part.count
        if count > 1 << 20 { throw Enough() }
      }
    }
  }
}
