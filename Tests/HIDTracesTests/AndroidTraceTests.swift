// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDText
import HIDTraces
import TestSupport
import Testing

@Suite("Commands of Android's hid program as traces")
struct AndroidTraceTests {
  private func read(_ text: String, lenient: Bool = false) throws -> HIDTrace {
    try HIDTrace(
      Array(text.utf8), name: "a.json", options: HIDTraceReadingOptions(isLenient: lenient))
  }

  private let session = """
    // a mouse, and a pad that comes later
    {"id": 1, "command": "register", "name": "Mouse", "vid": 0x18d1, "pid": "0x2c40",
     "bus": "usb", "uniq": "7", "descriptor": [0x05, 1, "0x09", 2],
     "feature_reports": [{"id": 2, "data": [2, 8]}, {"data": [9]}]}
    {"id": 1, "command": "delay", "duration": 10}
    {"id": 1, "command": "report", "report": [1, 0x80]}
    {"id": 1, "command": "delay", "duration": 20} {"id": 1, "command": "report", "report": [2]}
    {"id": 4, "command": "register", "descriptor": [6]}
    {"id": 4, "command": "report", "report": [3]}
    {"id": 4, "command": "delay", "duration": 30}
    {"id": 4, "command": "send_set_report_reply", "success": "true"}
    {"id": 4, "command": "report", "report": [4]}
    {"id": 1, "command": "report", "report": [5]}
    """

  @Test(
    "a session is read: devices, initial reports, and reports in the order of the devices' clocks")
  func whole() throws {
    let trace = try read(session)
    #expect(
      trace.devices == [
        HIDTraceDevice(
          number: 1, descriptor: [5, 1, 9, 2], name: "Mouse", serialNumber: "7",
          identity: HIDTraceDevice.Identity(busType: 3, vendorID: 0x18d1, productID: 0x2c40),
          reports: [
            HIDTraceInitialReport(type: .feature, id: nil, bytes: HIDReportBytes([9])),
            HIDTraceInitialReport(
              type: .feature, id: HIDReportID(rawValue: 2), bytes: HIDReportBytes([2, 8])),
          ],
          line: 3),
        HIDTraceDevice(
          number: 4, descriptor: [6],
          identity: HIDTraceDevice.Identity(busType: 5, vendorID: 0, productID: 0), line: 8),
      ])
    #expect(
      trace.events.map { "\($0.microseconds) \($0.device) \($0.line) \(bytes($0))" } == [
        "0 1 9 [3]", "10000 0 6 [1, 128]", "30000 0 7 [2]", "30000 1 12 [4]", "30000 0 13 [5]",
      ])
    #expect(trace.warnings == [])
  }

  @Test("a number in text is read as in Java, and other text is refused")
  func textNumbers() throws {
    let trace = try read(
      #"""
      {"id":"010","command":"register","vid":"6353","pid":"#1F","descriptor":["0x05","1"]}
      {"id":8,"command":"delay","duration":"10"}
      {"id":"0x8","command":"report","report":["+1","0"]}
      """#)
    #expect(trace.devices.map(\.number) == [8])
    #expect(
      trace.devices[0].identity?.vendorID == 6353 && trace.devices[0].identity?.productID == 31)
    #expect(trace.devices[0].descriptor == [5, 1])
    #expect(trace.events.map { "\($0.microseconds) \(bytes($0))" } == ["10000 [1, 0]"])
    for number in [
      "", "-", "0x", "#", "09", "1f", "--1", "0x-1", "1 ", "\u{FF11}", "99999999999999",
    ] {
      #expect(throws: HIDTraceError.self, "\(number)") {
        try read(#"{"id":"\#(number)","command":"register","descriptor":[6]}"#)
      }
    }
  }

  private static let command = Array(
    #"{"id":1,"command":"report","report":[0x1,-2e1,true],"name":"é\n"/**/}"#.utf8)

  @Test(
    "a file that ends inside a command is read without that command, wherever it was cut",
    arguments: 1..<Self.command.count)
  func cut(count: Int) throws {
    let whole = #"{"id":1,"command":"register","descriptor":[6]}"# + "\n"
    let trace = try HIDTrace(Array(whole.utf8) + Self.command.prefix(count), name: "a.json")
    #expect(trace.devices.count == 1 && trace.events.isEmpty)
    #expect(
      trace.warnings.map(\.description)
        == ["a.json:2:1: the file ends inside a command, which is left out"])
  }

  @Test("content that a trace cannot hold is left out with a warning")
  func unsayable() throws {
    let trace = try read(
      """
      {"id":1,"command":"register","descriptor":[6],"outputs":[{"output":[1],"response":[2]}]}
      {"id":1,"command":"set_get_report_response","report":[1,2]}
      {"id":1,"command":"report","report":[1]}
      {"id":1,"command":"rep
      """)
    #expect(trace.events.count == 1)
    #expect(
      trace.warnings.map(\.description) == [
        "a.json:1:1: a trace cannot hold answers to output reports; "
          + "the key \"outputs\" is left out",
        "a.json:2:1: a trace cannot hold a change of the device's answers; "
          + "this command is left out",
        "a.json:4:1: the file ends inside a command, which is left out",
      ])
  }

  private static let register = #"{"id":1,"command":"register","descriptor":[6]}"#

  @Test(
    "a bad command is refused with its place, and left out with a warning in lenient mode",
    arguments: [
      (
        #"{"id":2,"command":"report","report":[1]}"#,
        "1: no device 2 is registered before this command; "
          + "register it first with {\"id\": 2, \"command\": \"register\", …}"
      ),
      (register, "1: device 1 is registered already, in line 1"),
      (
        #"{"id":1,"command":"reports"}"#,
        #"19: unknown command "reports"; did you mean "report"?"#
      ),
      (
        #"  {"id":1,"command":"report","report":[256]}"#,
        "40: a byte of the report is 256; expected 0 to 255"
      ),
      (#"{"id":1,"command":"report","report":[]}"#, "37: the report is empty"),
      (
        #"{"id":1,"command":"delay","duration":0}"#,
        "38: the duration in milliseconds is 0; expected 1 to 86400000"
      ),
      (
        #"{"id":1,"command":"delay"}"#,
        #"1: the command has no "duration"; add "duration": …"#
      ),
      (
        #"["#,
        #"1: expected "]" for the "[" of line 2, column 1, found the end of the file; "#
          + "the file may have been cut short"
      ),
      (
        #"{"id":1 "command":"delay","duration":1}"#,
        ##"9: expected "," or "}", found """"##
      ),
      (
        "nonsense", #"1: expected a value, found the word "nonsense"; write text in double quotes"#
      ),
      (
        #"{"id":9,"command":"register","descriptor":[]}"#,
        "43: the descriptor is 0 bytes long; expected 1 to 4096"
      ),
    ])
  func bad(_ line: String, _ message: String) throws {
    let text = Self.register + "\n" + line + "\n" + #"{"id":1,"command":"report","report":[7]}"#
    #expect {
      try read(text)
    } throws: {
      "\($0)" == "a.json:2:" + message
    }
    let trace = try read(text, lenient: true)
    #expect(trace.warnings.map(\.description) == ["a.json:2:" + message])
    #expect(trace.events.map(bytes) == [[7]])
  }

  @Test(
    "a file without a device, with too many devices, or with a command that is too long is refused")
  func limits() throws {
    #expect {
      try HIDTrace(
        Array("// nothing".utf8), name: "a", options: HIDTraceReadingOptions(format: .android))
    } throws: {
      "\($0)"
        == #"a:1:1: the file registers no device; "#
        + #"begin with a command {"id": 1, "command": "register", …}"#
    }
    let devices = (0...256).map { #"{"id":\#($0),"command":"register","descriptor":[6]}"# }
    #expect {
      try read(devices.joined(separator: "\n"))
    } throws: {
      "\($0)" == "a.json:257:1: the trace has more than 256 devices"
    }
    let long = Self.register + "\n" + #"{"id":1,"x":""# + String(repeating: "x", count: 2 << 20)
    #expect {
      try read(long + "\"}\n")
    } throws: {
      "\($0)" == "a.json:2:1: the value is longer than 1048576 bytes"
    }
  }

  @Test(
    "only a file that begins with an object with id and command is detected as Android's format",
    arguments: [
      (#"{"id":1,"command":"register""#, true),
      ("# text\n/* { */ // more\n  {\"command\":\"register\",\"id\":1}", true),
      (#"{"hidsim":1,"id":1,"command":"register"}"#, false),
      (#"{"command":"report","bytes":"00"}"#, false),
      (#"{"command":"report","bytes":"00"} {"id":1,"command":"delay","duration":1}"#, false),
      (#"[{"id":1,"command":"register"}]"#, false),
      (#"# {"id":1,"command":"register"}"#, false),
      ("R: 1 06\n", false),
      ("", false),
    ])
  func detected(_ text: String, _ isAndroid: Bool) throws {
    let format = try? HIDTraceFormat.detect(HIDTraceSource(name: "x", bytes: Array(text.utf8)))
    #expect((format == .android) == isAndroid)
  }

  @Test("devices that follow each other in the file are merged in the order of time")
  func oneAfterTheOther() throws {
    // Each device has far more reports than a reader keeps.
    var text = ""
    for device in 1...5 {
      text += #"{"id":\#(device),"command":"register","descriptor":[6]}"# + "\n"
      for count in 0..<1500 {
        text += #"{"id":\#(device),"command":"delay","duration":\#(device)}"#
        text += #"{"id":\#(device),"command":"report","report":[\#(count % 256)]}"# + "\n"
      }
    }
    let trace = try read(text)
    #expect(trace.events.count == 7500)
    let sorted = trace.events.sorted {
      ($0.microseconds, $0.line) < ($1.microseconds, $1.line)
    }
    #expect(trace.events == sorted)
    for device in 0..<5 {
      let own = trace.events.filter { $0.device == device }
      #expect(own.map(bytes) == (0..<1500).map { number -> [UInt8] in [UInt8(number % 256)] })
      let step = Int64(device + 1) * 1000
      #expect(
        own.map(\.microseconds) == Array(stride(from: step, through: 1500 * step, by: Int(step))))
    }
  }

  @Test("a file with changed bytes is read or refused")
  func mutations() throws {
    for seed in 0..<600 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let bytes = mutated(Array(session.utf8), using: &random)
      for isLenient in [false, true] {
        do throws(HIDTraceError) {
          let trace = try HIDTrace(
            bytes, name: "m",
            options: HIDTraceReadingOptions(format: .android, isLenient: isLenient))
          #expect(!trace.devices.isEmpty, "seed \(seed)")
          #expect(trace.events.allSatisfy { trace.devices.indices.contains($0.device) })
          let times = trace.events.map(\.microseconds)
          #expect(times == times.sorted(), "seed \(seed)")
        } catch {
          #expect((1...20).contains(error.problems.count), "seed \(seed)")
        }
      }
    }
  }

  private func bytes(_ event: HIDTraceEvent) -> [UInt8] {
    if case .input(let bytes) = event.kind { Array(bytes) } else { [] }
  }
}
