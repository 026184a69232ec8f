// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDBus
import HIDReportDescriptor
import HIDText
import TestSupport
import Testing

@testable import HIDSimulator

/// A device with numbered reports of every type.
///
/// Input 1 and output 2 have 4 bytes, feature 3 has 6; the ID is not counted.
private let numbered = """
  "reportDescriptor": {"hex":
    "06 00 ff 09 01 a1 01 15 00 26 ff 00 75 08 85 01 95 04 09 01 81 02 85 02 09 02 91 02 85 03 95 06 09 03 b1 02 c0"}
  """
/// The same device without report IDs; each report has 2 bytes.
private let plain = """
  "reportDescriptor": {"hex":
    "06 00 ff 09 01 a1 01 15 00 26 ff 00 75 08 95 02 09 01 81 02 09 02 91 02 09 03 b1 02 c0"}
  """

private func text(_ descriptor: String, _ rest: String) -> String {
  """
  {"hidsim": 1, "name": "x", "vendorID": 1, "productID": 2, \(descriptor),
  \(rest)}
  """
}

private func interface(_ descriptor: String, _ rest: String) throws -> HIDInterfaceDefinition {
  let text = text(descriptor, rest)
  return try HIDDeviceFile.parse(Array(text.utf8), name: "a.json") { _ in [] }.interfaces[0]
}

@Suite("Behaviours in device files")
struct BehaviourFileTests {
  private let one = HIDReportID(rawValue: 1)
  private let two = HIDReportID(rawValue: 2)
  private let three = HIDReportID(rawValue: 3)

  @Test("a state of every type is read with its initial value")
  func states() throws {
    let states = try interface(
      plain,
      """
      "state": {"a": {"type": "u8", "initial": 255}, "b": {"type": "i16", "initial": -32768},
        "c": {"type": "bool", "initial": true}, "d-e_2": {"type": "bytes", "count": 3, "initial": "01 02"},
        "f": {"type": "u32", "initial": "0xffffffff", "comment": "all bits"}, "g": {"type": "i32"}}
      """
    ).states
    #expect(
      states == [
        HIDStateVariable("a", .integer(bitCount: 8, isSigned: false), initial: .integer(255)),
        HIDStateVariable("b", .integer(bitCount: 16, isSigned: true), initial: .integer(-32768)),
        HIDStateVariable("c", .bool, initial: .integer(1)),
        HIDStateVariable("d-e_2", .bytes(count: 3), initial: .bytes([1, 2, 0])),
        HIDStateVariable(
          "f", .integer(bitCount: 32, isSigned: false), initial: .integer(0xFFFF_FFFF)),
        HIDStateVariable("g", .integer(bitCount: 32, isSigned: true), initial: .integer(0)),
      ])
  }

  @Test("events, timers and requests are read as triggers, and patterns begin with the report ID")
  func triggers() throws {
    let behaviours = try interface(
      numbered,
      """
      "behaviours": [
        {"on": "plug", "delay": "1ms"}, {"on": "open", "delay": "1ms"}, {"on": "close", "delay": "1ms"},
        {"on": {"timer": "15ms"}, "delay": "1ms"},
        {"on": {"output": "01??03 04", "id": 2}, "delay": "1ms"},
        {"on": {"output": [1, 2, 5, 4], "id": 2}, "when": {"0xff00.0x0001": 1}, "delay": "1ms"},
        {"on": {"output": "01 ...", "id": "0x02"}, "delay": "1ms"},
        {"on": {"output": "any"}, "delay": "1ms"},
        {"on": {"set": "feature", "id": 3, "bytes": "..."}, "when": {"0xff00.0x0001": 1}, "delay": "1ms"},
        {"on": {"set": "feature", "id": 3}, "delay": "1ms"},
        {"on": {"get": "input", "id": 1}, "delay": "1ms"},
        {"on": {"usb": "protocol boot"}, "delay": "1ms"}, {"on": {"usb": "idle 500ms"}, "delay": "1ms"},
        {"on": {"usb": "request c0 ?? ..."}, "delay": "1ms"}, {"on": {"usb": "halt 81"}, "delay": "1ms"}, {"on": {"usb": "configuration"}, "delay": "1ms"}]
      """
    ).behaviours
    #expect(
      behaviours.map(\.trigger) == [
        .plug, .open, .close, .timer(.milliseconds(15)),
        .output(HIDBytePattern([2, 1, nil, 3, 4])), .output(HIDBytePattern([2, 1, 2, 5, 4])),
        .output(HIDBytePattern([2, 1], isPrefix: true)), .output(nil),
        .set(.feature, three, HIDBytePattern([3], isPrefix: true)), .set(.feature, three, nil),
        .get(.input, one), .usb(USBEventPattern(.protocol, .isBoot(true))),
        .usb(USBEventPattern(.idle, .time(.milliseconds(500)))),
        .usb(USBEventPattern(.request, .bytes(HIDBytePattern([0xC0, nil], isPrefix: true)))),
        .usb(USBEventPattern(.halt, .endpoint(0x81))), .usb(USBEventPattern(.configuration)),
      ])
  }

  @Test("a template of bytes, states, controls, requests, reports, time and checksums is read")
  func templates() throws {
    let interface = try interface(
      numbered,
      """
      "state": {"a": {"type": "u8"}, "key": {"type": "bytes", "count": 1}},
      "controls": {"level": "0xff00.0x0003"},
      "behaviours": [{"on": {"set": "feature", "id": 3},
        "send": {"id": 1, "bytes": "07 ${a:i8}${key} ${ level : u8 }"}},
        {"on": {"output": "any"},
         "send": [{"id": 1, "bytes": "${request[2]:u16be} ${request[1]}"}, {"id": 1, "bytes": "${request}"},
                  {"id": 1, "bytes": "${crc32:u32be seed=a10f}", "after": "2ms"}]},
        {"on": "open", "send": [{"id": 1, "bytes": "${time:u16le unit=1/3us} ${instance:u8} ${device:u8}"},
          {"id": 1, "bytes": "${feature 3[2..4]} ${output 2[1]:u8}"}, {"id": 1}]}]
      """)
    let level = try #require(
      interface.descriptor.controls(named: "0xff00.0x0003", type: .feature).first)
    func integer(
      _ source: HIDReportTemplate.Source, _ count: Int, isSigned: Bool = false, isBig: Bool = false
    ) -> HIDReportTemplate.Part {
      .integer(
        HIDReportTemplate.Integer(
          source,
          as: HIDReportTemplate.Format(
            byteCount: count, isSigned: isSigned, isBigEndian: isBig)))
    }
    #expect(
      interface.behaviours.flatMap(\.sendings).map(\.bytes?.parts) == [
        [
          .bytes([7]), integer(.value(.state("a")), 1, isSigned: true), .state("key", count: 1),
          integer(.value(.control("level", level)), 1),
        ],
        [integer(.request(2), 2, isBig: true), .request(1...1)],
        [.request(nil)],
        [integer(.crc32(seed: [0xA1, 0x0F]), 4, isBig: true)],
        [
          integer(.time(unit: .microseconds(1) / 3), 2), integer(.instance, 1), integer(.device, 1),
        ],
        [.report(.feature, three, 2...4), integer(.report(.output, two, 1), 1)], nil,
      ])
    #expect(interface.behaviours.flatMap(\.sendings).map(\.id) == Array(repeating: one, count: 7))
    #expect(interface.behaviours[1].sendings.map(\.delay) == [.zero, .zero, .milliseconds(2)])
  }

  @Test("stamps of an input report are in the order of their offsets, which count after the ID")
  func stamps() throws {
    let interface = try interface(
      numbered,
      """
      "reports": [{"type": "input", "id": 1, "stamp": {"0x02": "${time:u16le}", "1": [7], "0": "${counter:u8}"}},
        {"type": "feature", "id": 3, "initial": "01"}]
      """)
    #expect(interface.initialReports.map(\.id) == [three])
    #expect(interface.stamps.map(\.id) == [one, one, one])
    #expect(interface.stamps.map(\.offset) == [1, 2, 3])
    #expect(interface.stamps.map { "\($0.bytes)" } == ["${counter:u8}", "07", "${time:u16le}"])
  }

  @Test("a reply, an exact reply, an error and no answer are read, and so is a detachment")
  func answers() throws {
    let behaviours = try interface(
      numbered,
      """
      "behaviours": [
        {"on": {"get": "feature", "id": 3}, "when": {"0xff00.0x0001": [1, 2]}, "reply": "01"},
        {"on": {"get": "feature", "id": 3}, "when": {"0xff00.0x0001": {"minimum": 3}},
         "reply": [9, 9, 9, 9, 9, 9, 9, 9, 9], "exact": true},
        {"on": {"get": "feature", "id": 3}, "noAnswer": true, "detach": "2s"},
        {"on": {"set": "feature", "id": 3}, "error": true, "detach": true}]
      """
    ).behaviours
    #expect(
      behaviours.map(\.answer) == [
        .reply(HIDReportTemplate([1])),
        .exactReply(HIDReportTemplate(Array(repeating: 9, count: 9))),
        .none, .error,
      ])
    #expect(
      behaviours.map(\.detachment) == [
        nil, nil, HIDBehaviour.Detachment(pause: .seconds(2)), HIDBehaviour.Detachment(),
      ])
    #expect(behaviours[0].conditions.map(\.values) == [[1...1, 2...2]])
    #expect(behaviours[1].conditions.map(\.values) == [[3...0xFFFF_FFFF]])
  }

  @Test("unnumbered reports to send are read from their bytes alone, one report or several")
  func unnumbered() throws {
    let behaviours = try interface(
      plain,
      """
      "behaviours": [{"on": {"output": "01 10"}, "send": "21"},
        {"on": {"output": "01 ??"}, "send": [1, 2]}, {"on": {"output": "any"}, "send": ["01", "02 03"]}]
      """
    ).behaviours
    #expect(
      behaviours.map(\.sendings) == [
        [HIDBehaviour.Sending(id: nil, bytes: HIDReportTemplate([0x21]))],
        [HIDBehaviour.Sending(id: nil, bytes: HIDReportTemplate([1, 2]))],
        [
          HIDBehaviour.Sending(id: nil, bytes: HIDReportTemplate([1])),
          HIDBehaviour.Sending(id: nil, bytes: HIDReportTemplate([2, 3])),
        ],
      ])
  }

  @Test("the file in the article is read with its behaviours, states, stamps and controls")
  func article() throws {
    let article = try Article.text("HIDSimulator/HIDSimulator.docc/DeviceFiles.md")
    let block = article.components(separatedBy: "```json\n")[1].components(separatedBy: "```")[0]
    let device = try HIDDeviceFile.parse(Array(block.utf8), name: "article") { _ in [] }
    let interface = device.interfaces[0]
    #expect(interface.behaviours.count == 6 && interface.states.count == 2)
    #expect(interface.stamps.map(\.offset) == [2, 3])
    #expect(interface.controls["south"] == "button 1" && interface.addedControls == ["lid"])
  }

  @Test("a template that is cut off never traps, and a malformed term is refused")
  func hostile() {
    let whole = "01 ${request[1..2]} ${a:u8} ${crc32:u32le seed=a3} ${time:u8 unit=1ms}"
    let odd = [
      "${", "${}", "${:}", "${:u8}", "${a:}", "${a: }", "${request[}", "${request[]:u8}",
      "${request[-1]:u8}", "${request[99999999999999999999]:u8}", "${request[5..1]}",
      "${request[0..999999]}", "${request[1.2]}", "${crc32:u32le seed=}", "${crc32:u32le seed=0}",
      "${crc32:u8}", "${time:u8 unit=0s}", "${time:u8 unit=-1s}", "${a:u8 seed=1}", "${a:u8 x}",
      "${request[1}:u8", "$", "{}", "${a:u8", "\u{0}", "é", "${é:u8}",
      String(repeating: "${a:u8}", count: 2000),
    ]
    for text in whole.indices.map({ String(whole[..<$0]) }) + odd {
      let quoted = JSONText.string(text).text
      _ = try? interface(
        plain,
        """
        "state": {"a": {"type": "u8"}}, "behaviours": [{"on": {"output": "any"}, "send": \(quoted)}]
        """)
      _ = try? interface(
        plain, "\"behaviours\": [{\"on\": {\"output\": \(quoted)}, \"send\": \"\"}]")
    }
    for text in odd where text != "${crc32:u32le seed=}" {
      let quoted = JSONText.string(text).text
      #expect(throws: HIDDeviceFileError.self, "\(text.prefix(40))") {
        try interface(
          plain,
          """
          "state": {"a": {"type": "u8"}}, "behaviours": [{"on": {"output": "any"}, "send": \(quoted)}]
          """)
      }
    }
  }
}

// MARK: - Mistakes

private func bad(
  _ rest: String, _ expected: String, isSchemaError: Bool = false
) -> BadFile {
  BadFile(text: text(plain, rest), expected: expected, isSchemaError: isSchemaError)
}

private func behaviour(
  _ rest: String, _ expected: String, isSchemaError: Bool = false
) -> BadFile {
  bad(#""behaviours": [{\#(rest)}]"#, expected, isSchemaError: isSchemaError)
}

/// Files with a mistake in their state or behaviours, and the expected messages.
let badBehaviours: [BadFile] = [
  bad(
    #""state": []"#, "3:10: expected the state as an object, found an empty array",
    isSchemaError: true),
  bad(
    #""state": {"a.b": {"type": "u8"}}"#, "3:11: \"a.b\" cannot name a state", isSchemaError: true),
  bad(
    #""state": {"time": {"type": "u8"}}"#, "3:11: \"time\" has another meaning in templates",
    isSchemaError: true),
  bad(#""state": {"a": {}}"#, "3:16: the state has no \"type\"", isSchemaError: true),
  bad(
    #""state": {"a": {"type": "u9"}}"#, "3:25: unknown type of a state \"u9\"", isSchemaError: true),
  bad(
    #""state": {"a": {"type": "u8", "initial": 256}}"#,
    "3:42: the initial value is 256; expected 0 to 255", isSchemaError: true),
  bad(
    #""state": {"a": {"type": "bytes"}}"#, "3:16: the state of type \"bytes\" has no \"count\"",
    isSchemaError: true),
  bad(
    #""state": {"a": {"type": "u8", "count": 1}}"#,
    "3:40: \"count\" is not allowed for a state of type \"u8\"",
    isSchemaError: true),
  bad(
    #""state": {"a": {"type": "bytes", "count": 1, "initial": "00 01"}}"#,
    "3:57: the initial value is 2 bytes long, and the state holds 1"),
  behaviour(
    #""on": "opened", "delay": "1s""#, "3:23: unknown event \"opened\"; did you mean \"open\"?",
    isSchemaError: true),
  behaviour(
    #""on": {"timer": "100us"}, "delay": "1s""#,
    "3:33: expected a period from 1ms to 3600s as a string, found the string \"100us\""),
  behaviour(
    #""on": {"timer": "1s", "id": 1}, "delay": "1s""#, "3:45: a timer has no ID",
    isSchemaError: true),
  behaviour(
    #""on": {"get": "feature", "bytes": "00"}, "delay": "1s""#,
    "3:51: \"bytes\" cannot be combined with \"get\"; remove it", isSchemaError: true),
  behaviour(
    #""on": {"output": "01"}, "send": "00""#,
    "3:34: the output report is 1 byte long, and the unnumbered output report is declared with 2 bytes; all"
  ),
  behaviour(
    #""on": {"output": "01 ... 02"}, "send": "00""#,
    "3:34: \"...\" is allowed only at the end of the output report", isSchemaError: true),
  behaviour(
    #""on": {"set": "feature", "bytes": "0?0"}, "error": true"#,
    "3:51: expected the report that is set as bytes in hexadecimal, found \"0?0\"",
    isSchemaError: true),
  behaviour(
    #""on": {"set": "feature", "by": "set"}, "error": true"#,
    "3:48: \"by\" cannot be combined with \"set\"; remove it", isSchemaError: true),
  behaviour(
    #""on": {"output": "any", "by": "set"}, "none": true"#,
    "3:63: \"none\" is not allowed here: a trigger \"output\" does not choose the answer; did you"),
  behaviour(
    #""on": {"set": "feature", "bytes": "80/7f"}, "error": true"#,
    "3:51: expected the report that is set as bytes in hexadecimal, found \"80/7f\""),
  behaviour(
    #""on": "open", "send": "0 ${request:u4}""#,
    "3:39: expected the report as bytes in hexadecimal, found \"0\"", isSchemaError: true),
  behaviour(
    #""on": "open", "send": "${instance:u4} 00""#,
    "3:39: the term ${instance:u4} of the report is half a byte, and the other half is not beside"),
  behaviour(
    #""on": "open", "send": "${instance:u8>>32}""#,
    "3:39: expected a type with a shift or a mask in ${instance:u8>>32}, found \"u8>>32\"; such as"),
  behaviour(
    #""on": "open", "send": "${instance:u8&+f}""#,
    "3:39: expected a type with a shift or a mask in ${instance:u8&+f}, found \"u8&+f\"; such as"),
  behaviour(
    #""on": "open", "when": {}, "delay": "1s""#,
    "3:39: expected \"when\" as an object, found an empty object", isSchemaError: true),
  behaviour(
    #""on": "open", "when": {"a": 1}, "delay": "1s""#, "3:40: unknown name \"a\" in \"when\""),
  behaviour(
    #""on": "open", "when": {"0xff00.0x0001": {"minimum": 3, "maximum": 2}}, "delay": "1s""#,
    "3:57: the minimum 3 is greater than the maximum 2"),
  behaviour(
    #""on": "open", "when": {"0xff00.0x0001": []}, "delay": "1s""#,
    "3:57: expected a value, found an empty array", isSchemaError: true),
  behaviour(#""on": "open", "set": {"a": 1}"#, "3:39: there is no state \"a\"; declare it"),
  behaviour(
    #""on": "open", "set": {"0xff00.0x0001": 1}"#,
    "3:39: \"0xff00.0x0001\" is a control, and behaviours change states only"),
  bad(
    #""state": {"a": {"type": "bytes", "count": 2}}, "behaviours": [{"on": "open", "set": {"a": "${a[1..2]}"}}]"#,
    "3:91: a has 2 bytes, and ${a[1..2]} reads byte 2"),
  bad(
    #""state": {"a": {"type": "u8"}}, "behaviours": [{"on": "open", "set": {"a": 300}}]"#,
    "3:76: the value is 300; expected 0 to 255"),
  bad(
    #""state": {"a": {"type": "u8"}}, "behaviours": [{"on": "open", "set": {"a": "${a:u8} 00"}}]"#,
    "3:76: a state of type \"u8\" holds one number"),
  behaviour(#""on": "open", "send": "${a:u8}""#, "3:39: unknown name \"a\" in ${a:u8}"),
  behaviour(
    #""on": "open", "send": "${request[0]:u8}""#,
    "3:39: ${request[0]:u8} is allowed only where the host has sent a report"),
  behaviour(
    #""on": {"output": "any"}, "send": "${request[+0]:u8}""#,
    "3:50: expected the offsets of bytes in ${request[+0]:u8}, found \"[+0]\""),
  bad(#""controls": {"a": {}}"#, "3:19: the control has no \"type\"", isSchemaError: true),
  bad(
    #""controls": {"a": {"type": "input", "bit": 16}}"#,
    "3:44: the first bit is 16; expected 0 to 15"),
  bad(
    #""controls": {"a": {"type": "input", "bit": 8, "bits": 9}}"#,
    "3:55: the control ends after 17 bits, and the report has 16; bits count"),
  bad(
    #""controls": {"a": {"type": "input", "bit": 8, "bits": 33}}"#,
    "3:55: the number of bits is 33; expected 1 to 32", isSchemaError: true),
  bad(
    #""controls": {"a": {"type": "input", "bit": 8, "bits": 4, "maximum": 16}}"#,
    "3:69: the maximum is 16; expected 0 to 15"),
  bad(
    #""controls": {"a": {"type": "feature", "bit": 0, "bits": 16, "maximum": 65536}}"#,
    "3:72: the maximum is 65536; expected 0 to 65535"),
  bad(
    #""controls": {"a": {"type": "input", "bit": 8, "bits": 4, "minimum": 5, "maximum": 5}}"#,
    "3:83: the minimum of the control is 5, and its maximum 5; the maximum must be greater"),
  bad(
    #""controls": {"a": {"type": "input", "bit": 8, "bits": 4, "signed": true, "minimum": 0}}"#,
    "3:85: the minimum of a signed control must be below 0, found 0; leave out \"signed\""),
  bad(
    #""controls": {"a": {"type": "input", "bit": 8, "alternatives": [{"bytes": "02 ??"}]}}"#,
    "3:64: the alternative has no \"bit\"", isSchemaError: true),
  bad(
    #""controls": {"a": {"type": "input", "bit": 8, "alternatives": [{"bit": 0}]}}"#,
    "3:64: the alternative has no condition; add \"bytes\" or \"when\"", isSchemaError: true),
  bad(
    #""controls": {"a": {"type": "input", "bit": 8, "bits": 4, "alternatives": [{"bytes": "...", "bit": 13}]}}"#,
    "3:99: the first bit is 13; expected 0 to 12"),
  bad(
    #""controls": {"a": {"type": "input", "bit": 8, "alternatives": [{"when": {"b": 1}, "bit": 0}]}, "b": {"type": "input", "bit": 0}}"#,
    "3:73: the place of a control cannot depend on another control; compare the bytes"),
  bad(
    #""nodes": "two""#, "3:10: unknown value of \"nodes\" \"two\"", isSchemaError: true),
  bad(
    #""reports": [{"type": "input", "initial": "${a:u8} 00"}]"#,
    "3:42: \"initial\" takes bytes, and \"${a:u8} 00\" is a template; write the bytes, and in \"stamp\"",
    isSchemaError: true),
  bad(
    #""controls": {"a": {"type": "input", "id": 1, "bit": 8}}"#,
    "3:43: the report descriptor declares no input report 1"),
  bad(
    #""controls": {"a": {"type": "input", "bit": 8, "usage": "button"}}"#,
    "3:56: expected the name of a usage, found the string \"button\""),
  behaviour(
    #""on": "open", "send": "${counter:u8}""#,
    "3:39: ${counter:u8} is allowed only in a stamp"),
  behaviour(
    #""on": "open", "send": "${feature 3[0]:u8}""#,
    "3:39: the report descriptor declares no report \"feature 3\""),
  behaviour(
    #""on": "open", "send": "${feature[2]:u8}""#,
    "3:39: feature has 2 bytes, and ${feature[2]:u8} reads byte 2"),
  bad(
    #""reports": [{"type": "feature", "stamp": {"0": "00"}}]"#,
    "3:42: \"stamp\" is allowed only for an input report", isSchemaError: true),
  bad(
    #""reports": [{"type": "input", "stamp": {"2": "00"}}]"#,
    "3:41: expected an offset from 0 to 1, found \"2\""),
  bad(
    #""reports": [{"type": "input", "stamp": {"x": "00"}}]"#,
    "3:41: expected an offset from 0 to 1, found \"x\"", isSchemaError: true),
  bad(
    #""reports": [{"type": "input", "stamp": {"1": "00 01"}}]"#,
    "3:46: the stamp is 2 bytes long, and the limit is 1"),
  bad(
    #""reports": [{"type": "input", "stamp": {}}]"#,
    "3:40: expected the stamp as an object, found an empty object", isSchemaError: true),
  bad(
    #""reports": [{"type": "input", "anyLength": true}]"#,
    "3:44: \"anyLength\" is not allowed for an input report", isSchemaError: true),
  bad(
    #""reports": [{"type": "output", "anyLength": false}]"#,
    "3:45: expected true, found false", isSchemaError: true),
  behaviour(
    #""on": "open", "send": "${time:u16}""#,
    "3:39: unknown type \"u16\" in ${time:u16}; say which byte comes first: u16le or u16be"),
  behaviour(
    #""on": "open", "send": "00 01 02""#,
    "3:39: the report is 3 bytes long, and the unnumbered input report is declared with 2 bytes"),
  behaviour(
    #""on": "open", "send": {"id": 4, "bytes": "00"}"#,
    "3:46: the report descriptor declares no input report 4"),
  behaviour(
    #""on": "open", "send": {"bytes": "0"}"#,
    "3:49: expected the report as bytes in hexadecimal, found \"0\"", isSchemaError: true),
  behaviour(
    #""on": "open", "reply": "00""#,
    "3:40: \"reply\" is not allowed here: the host waits for no answer; did you mean \"send\""),
  behaviour(
    #""on": {"output": "any"}, "error": true"#,
    "3:51: \"error\" is not allowed here: a trigger \"output\" does not choose the answer; did you mean \"on\": {\"set\": \"output\"}?"
  ),
  behaviour(
    #""on": {"get": "feature"}, "reply": "00", "none": true"#,
    "3:66: \"none\" cannot be combined with \"reply\"", isSchemaError: true),
  behaviour(
    #""on": {"get": "feature"}, "exact": true, "error": true"#,
    "3:52: \"exact\" is allowed only beside a reply", isSchemaError: true),
  behaviour(
    #""on": {"get": "feature"}, "reply": "${battery:u8}""#,
    "3:52: unknown name \"battery\" in ${battery:u8}"),
  behaviour(
    #""on": {"get": "feature"}, "reply": "00 01 02""#,
    "3:52: the reply is 3 bytes long, and the unnumbered feature report is declared with 2 bytes"),
  behaviour(
    #""on": {"set": "feature"}, "reply": "00""#,
    "3:52: \"reply\" is not allowed here: the answer to a set request has no bytes; remove \"reply\""
  ),
  behaviour(#""on": {"get": "feature"}"#, "3:16: the behaviour does nothing", isSchemaError: true),
  behaviour(
    #""on": {"get": "feature"}, "error": true, "reply": "00""#,
    "3:67: \"reply\" cannot be combined with \"error\"", isSchemaError: true),
  behaviour(
    #""on": {"get": "feature"}, "error": false"#, "3:52: expected true, found false",
    isSchemaError: true),
  behaviour(
    #""on": {"get": "feature", "set": "feature"}, "error": true"#,
    "3:23: expected one of \"get\", \"set\", \"output\", \"timer\" and \"usb\", found several",
    isSchemaError: true),
  behaviour(
    #""on": {"usb": "suspend"}, "delay": "1s""#,
    "3:31: expected an event of a USB host, found \"suspend\"; begin it with configuration, wakeup,",
    isSchemaError: true),
  behaviour(
    #""on": {"usb": "idle 5ms"}, "delay": "1s""#,
    "3:31: expected a time from 0s to 1020ms in steps of 4ms, such as 500ms after \"idle\", found"),
  behaviour(
    #""on": {"usb": "protocol boot", "id": 1}, "delay": "1s""#,
    "3:54: \"usb\" takes no \"id\"; remove \"id\"", isSchemaError: true),
  behaviour(
    #""on": {"get": "feature"}, "delay": "50""#,
    "3:52: expected a delay of at most 60s as a string, found the string \"50\"",
    isSchemaError: true),
  behaviour(
    #""on": "close", "detach": 5"#,
    "3:42: expected true, or the time after which the device is plugged again, found the number 5",
    isSchemaError: true),
  bad(
    #""behaviours": [{"on": {"get": "feature"}, "error": true}, {"on": {"get": "feature"}, "delay": "1s"}]"#,
    "3:66: an earlier behaviour matches the same event"),
  bad(
    #""behaviours": [{"on": {"output": "01 ..."}, "send": "00"}, {"on": {"output": "01 02"}, "send": "01"}]"#,
    "3:67: an earlier behaviour matches the same event"),
  bad(
    #""behaviours": [{"on": {"set": "feature", "bytes": "..."}, "error": true}, {"on": {"set": "feature"}, "delay": "1s"}]"#,
    "3:82: an earlier behaviour matches the same event"),
  BadFile(
    text: text(
      numbered,
      #""behaviours": [{"on": {"set": "feature", "id": 3, "bytes": "..."}, "error": true}, {"on": {"set": "feature", "id": 3}, "delay": "1s"}]"#
    ),
    expected: "3:91: an earlier behaviour matches the same event"),
  BadFile(
    text: text(
      #""reportDescriptor": {"hex": "06 00 ff 09 01 a1 01 15 00 26 ff 00 75 08 95 00 09 01 81 02 95 01 09 02 91 02 c0"}"#,
      #""state": {"s": {"type": "bytes", "count": 1}}, "behaviours": [{"on": "open", "set": {"s": "${input}"}}]"#
    ),
    expected: "2:91: input has no bytes, and ${input} reads them"),
  BadFile(
    text: text(numbered, #""behaviours": [{"on": "open", "send": "00"}]"#),
    expected: "3:39: the device numbers its input reports: expected an \"id\""),
  BadFile(
    text: text(numbered, #""behaviours": [{"on": {"output": "01 02 03 04"}, "delay": "1s"}]"#),
    expected: "3:34: the device numbers its output reports: expected an \"id\""),
  BadFile(
    text: text(
      numbered,
      #""behaviours": [{"on": {"get": "feature", "id": 3}, "reply": "03 00 00 00 00 00 00"}]"#),
    expected:
      "3:61: the reply is 7 bytes long, and feature report 3 is declared with 6 bytes after its ID; leave the ID out"
  ),
]
