// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDReportDescriptor
import HIDText
import IOLoop
import Testing

@testable import HIDSimulator

/// A descriptor with input 1 and output 2 of 4 bytes, feature 3 of 6; the ID is not counted.
private let descriptor = """
  "reportDescriptor": {"hex":
    "06 00 ff 09 01 a1 01 15 00 26 ff 00 75 08 85 01 95 04 09 01 81 02 85 02 09 02 91 02 85 03 95 06 09 03 b1 02 c0"}
  """

/// An interface model that receives events of the host and returns its effects.
private struct Rehearsal {
  var model: HIDInterfaceModel
  var now = MonotonicTime(nanoseconds: 5_000_000_000)
  private var last: UInt32 = 0

  init(_ rest: String, instance: Int = 1, device: UInt64 = 7) throws {
    let text = """
      {"hidsim": 1, "name": "x", "vendorID": 1, "productID": 2, \(descriptor), \(rest)}
      """
    let definition = try HIDDeviceFile.parse(Array(text.utf8), name: "a") { _ in [] }
    model = HIDInterfaceModel(definition.interfaces[0])
    _ = model.plug(instance: instance, device: device, at: now)
  }

  mutating func receive(_ event: HIDHostEvent) -> HIDInterfaceModel.Reaction {
    model.receive(HIDHostEventRecord(time: now, event: event))
  }

  private mutating func request() -> HIDRequestID {
    last += 1
    return HIDRequestID(rawValue: last)
  }

  /// Sends output report 2 with the bytes, and returns the input reports that it causes.
  mutating func output(_ bytes: UInt8...) -> [[UInt8]] {
    var reports: [[UInt8]] = []
    for effect in receive(.output(HIDReportBytes([2] + bytes))).effects {
      switch effect {
      case .sendInput(let report, _): reports.append(report)
      case .sendPresentInput(let id, _): reports.append(model.presentReport(id, at: now))
      case .answerGet, .answerSet, .sendSetting, .detach: break
      }
    }
    return reports
  }

  /// Sends a get-feature request and returns the answer.
  ///
  /// - Returns: The report; `nil` for an error; an empty array for no answer.
  mutating func get() throws -> [UInt8]? {
    let id = try #require(HIDReportID(rawValue: 3))
    let reaction = receive(.getReport(request(), .feature, id))
    for case .answerGet(_, let report, _) in reaction.effects { return report }
    return []
  }

  /// Sends a set-feature request and returns the answer.
  ///
  /// - Returns: True if the report is accepted; `nil` for no answer.
  mutating func set(_ bytes: UInt8...) throws -> Bool? {
    let reaction = receive(
      .setReport(request(), .feature, HIDReportID(rawValue: 3), HIDReportBytes([3] + bytes)))
    for case .answerSet(_, let isAccepted, _) in reaction.effects { return isAccepted }
    return nil
  }

  func state(_ name: String) -> HIDStateValue? {
    model.stateValues.first { $0.name == name }?.value
  }
}

extension [HIDInterfaceModel.Effect] {
  fileprivate var inputs: [[UInt8]] {
    compactMap { if case .sendInput(let report, _) = $0 { report } else { nil } }
  }
}

@Suite("Effects of behaviours")
struct BehaviourModelTests {
  @Test("the first behaviour whose trigger and conditions match is carried out")
  func first() throws {
    var stage = try Rehearsal(
      """
      "state": {"mode": {"type": "u8"}},
      "behaviours": [
        {"on": {"output": "05 05 05 05", "id": 2}, "when": {"mode": 1}, "send": {"id": 1, "bytes": "01"}},
        {"on": {"output": "05 ...", "id": 2}, "set": {"mode": "+1"}, "send": {"id": 1, "bytes": "02"}},
        {"on": {"output": "any"}, "send": {"id": 1, "bytes": "03"}}]
      """)
    #expect(stage.output(5, 5, 5, 5) == [[1, 2, 0, 0, 0]])
    #expect(stage.output(5, 5, 5, 5) == [[1, 1, 0, 0, 0]])
    #expect(stage.output(5, 5, 5) == [[1, 2, 0, 0, 0]])
    #expect(stage.output(5, 5, 5, 5) == [[1, 2, 0, 0, 0]])
    #expect(stage.output(6) == [[1, 3, 0, 0, 0]])
  }

  @Test("a behaviour changes the state in order, then answers and sends with the new values")
  func order() throws {
    var stage = try Rehearsal(
      """
      "state": {"count": {"type": "u8", "initial": 254}, "level": {"type": "i8"},
        "key": {"type": "bytes", "count": 3}, "on": {"type": "bool"}},
      "behaviours": [{"on": {"set": "feature", "id": 3},
        "set": {"count": "+3", "level": "${request[1]:u8}", "key": "${request[2..4]}", "on": "${count:u8}"},
        "send": [{"id": 1, "bytes": "${count:u8} ${level:u8} ${on:u8}"}, {"id": 1, "bytes": "${key}"}]},
        {"on": {"get": "feature", "id": 3}, "set": {"level": "-1"}, "reply": "${level:i16be} ff"}]
      """)
    #expect(stage.state("count") == .integer(254))
    let id = HIDRequestID(rawValue: 99)
    let effects = stage.receive(
      .setReport(id, .feature, HIDReportID(rawValue: 3), HIDReportBytes([3, 0x80, 9, 8]))
    )
    .effects
    #expect(effects.inputs == [[1, 1, 0x80, 1, 0], [1, 9, 8, 0, 0]])
    guard case .answerSet(id, accepted: true, after: .zero) = effects.first else {
      Issue.record("the answer is the first: \(effects)")
      return
    }
    #expect(stage.state("count") == .integer(1))
    #expect(stage.state("level") == .integer(-128))
    #expect(stage.state("key") == .bytes([9, 8, 0]))
    #expect(stage.state("on") == .integer(1))
    #expect(try stage.get() == [3, 0x00, 0x7F, 0xFF, 0, 0, 0])
  }

  @Test("integer states wrap around within the range of their type")
  func wrapping() throws {
    var stage = try Rehearsal(
      """
      "state": {"a": {"type": "u16", "initial": 65535}, "b": {"type": "i32", "initial": -2147483648},
        "c": {"type": "u32"}, "d": {"type": "i8", "initial": 127}},
      "behaviours": [{"on": "open", "set": {"a": "+1", "b": "-1", "c": "-1", "d": "+2"}}]
      """)
    _ = stage.receive(.open)
    #expect(
      stage.model.stateValues.map(\.value) == [
        .integer(0), .integer(0x7FFF_FFFF), .integer(0xFFFF_FFFF), .integer(-127),
      ])
  }

  @Test("bytes that the request lacks are zero, and a report that is too long is cut")
  func request() throws {
    var stage = try Rehearsal(
      """
      "behaviours": [{"on": {"output": "any"}, "send": [{"id": 1, "bytes": "${request[3]:u16be} ${request[9]:u8}"},
        {"id": 1, "bytes": "${request}"}, {"id": 1, "bytes": "${request[0..1]} ${request[4]:i8}"}]}]
      """)
    #expect(
      stage.output(0xA, 0xB, 0xC, 0xD) == [
        [1, 0xC, 0xD, 0, 0], [1, 2, 0xA, 0xB, 0xC], [1, 2, 0xA, 0xD, 0],
      ])
    #expect(stage.output(0xA) == [[1, 0, 0, 0, 0], [1, 2, 0xA, 0, 0], [1, 2, 0xA, 0, 0]])
  }

  @Test("a checksum is the CRC-32 of its seed and of the report from its ID up to the checksum")
  func checksum() throws {
    // CRC-32 of "123456789" is cbf43926 (the check value of every catalogue).
    var check = CRC32()
    check.add(Array("123456789".utf8).span)
    #expect(check.value == 0xCBF4_3926)
    var stage = try Rehearsal(
      """
      "behaviours": [{"on": {"get": "feature", "id": 3}, "reply": "31 32 ${crc32:u32le seed=a3}"}]
      """)
    var expected = CRC32()
    expected.add(([0xA3, 3, 0x31, 0x32] as [UInt8]).span)
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: expected.value >> (8 * $0)) }
    #expect(try stage.get() == [3, 0x31, 0x32] + bytes)
  }

  @Test("a template has the time since the plug in its unit, and the copy and device numbers")
  func numbers() throws {
    var stage = try Rehearsal(
      """
      "behaviours": [{"on": {"output": "any"}, "send": [{"id": 1, "bytes": "${time:u32le}"},
        {"id": 1, "bytes": "${time:u8 unit=5ms} ${instance:u8} ${device:u16be}"}]}]
      """, instance: 3, device: 0x1_0203)
    stage.now = stage.now.advanced(by: .microseconds(12_345))
    #expect(stage.output(0) == [[1, 0x39, 0x30, 0, 0], [1, 2, 3, 2, 3]])
  }

  @Test("a control has its value in the last report, including the report that is being set")
  func controls() throws {
    var stage = try Rehearsal(
      """
      "controls": {"level": "0xff00.0x0003"},
      "behaviours": [
        {"on": {"set": "feature", "id": 3}, "when": {"level": {"minimum": 200}}, "error": true},
        {"on": {"set": "feature", "id": 3}, "when": {"level": [7, {"minimum": 9, "maximum": 10}]}, "noAnswer": true},
        {"on": {"get": "feature", "id": 3}, "reply": "${level:u8} ee"}]
      """)
    #expect(try stage.set(5) == true)
    #expect(try stage.get() == [3, 5, 0xEE, 0, 0, 0, 0])
    #expect(try stage.set(200) == false)
    #expect(try stage.get() == [3, 5, 0xEE, 0, 0, 0, 0], "what was refused is not remembered")
    #expect(try stage.set(8) == true)
    #expect(try stage.set(9) == nil)
    #expect(try stage.get() == [3, 9, 0xEE, 0, 0, 0, 0])
  }

  @Test("an exact reply has any length, and a request without an answer is an event at once")
  func odd() throws {
    var stage = try Rehearsal(
      """
      "state": {"n": {"type": "u8"}},
      "behaviours": [
        {"on": {"get": "feature", "id": 3}, "when": {"n": 0}, "set": {"n": "+1"}, "reply": "", "exact": true},
        {"on": {"get": "feature", "id": 3}, "when": {"n": 1}, "set": {"n": "+1"},
         "reply": "09 01 02 03 04 05 06 07 08", "exact": true},
        {"on": {"get": "feature", "id": 3}, "when": {"n": 2}, "error": true},
        {"on": {"get": "feature", "id": 3}, "noAnswer": true}]
      """)
    #expect(try stage.get() == [])
    #expect(try stage.get() == [9, 1, 2, 3, 4, 5, 6, 7, 8])
    stage.model.states["n"] = .integer(2)
    #expect(try stage.get() == nil)
    stage.model.states["n"] = .integer(3)
    let id = try #require(HIDReportID(rawValue: 3))
    let reaction = stage.receive(.getReport(HIDRequestID(rawValue: 50), .feature, id))
    #expect(reaction.effects.isEmpty)
    guard case .getReport(.feature, id, let answer)? = reaction.happenings.first?.kind else {
      Issue.record("unexpected events: \(reaction.happenings)")
      return
    }
    #expect(answer.value == .none && answer.isDeclared)
    let late = stage.model.answered(HIDRequestID(rawValue: 50), .error, at: stage.now)
    #expect(late.isEmpty)
  }

  @Test("behaviours act on plug, open and close, and on a timer while its condition holds")
  func events() throws {
    var stage = try Rehearsal(
      """
      "state": {"on": {"type": "bool"}, "plugs": {"type": "u8"}},
      "behaviours": [
        {"on": "plug", "set": {"plugs": "+1"}, "send": {"id": 1, "bytes": "${plugs:u8}"}},
        {"on": "open", "set": {"on": true}, "delay": "3ms", "send": {"id": 1, "bytes": "07", "after": "4ms"}},
        {"on": "close", "set": {"on": 0}, "detach": "9ms"},
        {"on": {"timer": "2ms"}, "when": {"on": 1}, "send": {"id": 1, "bytes": "08"}}]
      """)
    #expect(stage.state("plugs") == .integer(1))
    let again = stage.model.plug(instance: 1, device: 1, at: stage.now).inputs
    #expect(again == [[1, 2, 0, 0, 0]])
    #expect(stage.model.timers.map(\.behaviour) == [3])
    #expect(stage.model.timers.map(\.period) == [.milliseconds(2)])
    let asleep = stage.model.tick(3, at: stage.now)
    #expect(asleep.isEmpty)
    let opened = stage.receive(.open).effects
    guard case .sendInput([1, 7, 0, 0, 0], after: .milliseconds(7))? = opened.first else {
      Issue.record("\(opened)")
      return
    }
    let awake = stage.model.tick(3, at: stage.now).inputs
    #expect(awake == [[1, 8, 0, 0, 0]])
    let closed = stage.receive(.close).effects
    guard case .detach(pause: .milliseconds(9)?, after: .zero)? = closed.first else {
      Issue.record("\(closed)")
      return
    }
  }

  @Test(
    "a report sent without bytes or made from controls has its stamps, and their counter counts")
  func stamps() throws {
    var stage = try Rehearsal(
      """
      "reports": [{"type": "input", "id": 1, "initial": "00 05", "stamp": {"0": "${counter:u8}", "3": "${time:u8 unit=1/2us}"}}],
      "behaviours": [{"on": {"output": "any"}, "send": [{"id": 1}, {"id": 1, "bytes": "09 ${input 1[2]:u8}"}]}]
      """)
    stage.now = stage.now.advanced(by: .microseconds(3))
    #expect(stage.output(0) == [[1, 0, 5, 0, 6], [1, 9, 5, 0, 0]])
    let layout = try #require(
      stage.model.definition.descriptor.report(.input, id: HIDReportID(rawValue: 1)))
    let third = try #require(layout.controls.dropFirst(2).first { _ in true })
    let report = try stage.model.inputReport(setting: [(third, 7)], at: stage.now)
    #expect(report == [1, 1, 5, 7, 6])
    _ = stage.model.noteInput([1, 0xFF, 6, 0, 0])
    #expect(stage.output(0) == [[1, 2, 6, 0, 6], [1, 9, 6, 0, 0]])
  }

  @Test("an added control for undeclared bits is set, read and listed as a change by its name")
  func addedControls() throws {
    var stage = try Rehearsal(
      """
      "controls": {"a": {"type": "input", "id": 1, "bit": 3}, "level": "0xff00.0x0003",
        "x": {"type": "input", "id": 1, "bit": 12, "bits": 12, "signed": true, "usage": "genericDesktop.x"},
        "lamp": {"type": "output", "id": 2, "bit": 31}},
      "behaviours": [{"on": {"output": "any"}, "when": {"lamp": 1}, "send": {"id": 1, "bytes": "${x:i16le}"}}]
      """)
    let definition = stage.model.definition
    func control(_ name: String) throws -> HIDReportElement {
      let alias = try #require(definition.controls[name])
      return try #require(definition.descriptor.controls(named: alias).first)
    }
    #expect(definition.controls["x"] == "genericDesktop.x")
    let values = [(try control("a"), Int64(1)), (try control("x"), -2)]
    let report = try #require(try stage.model.inputReport(setting: values))
    #expect(report == [1, 0x08, 0xE0, 0xFF, 0x00])
    let told = stage.model.noteInput(report).changes
    #expect(told.contains(HIDNamedValue(name: "a", value: 1, isSwitch: true)))
    #expect(told.contains(HIDNamedValue(name: "x", value: -2, isSwitch: false)))
    #expect(stage.output(0, 0, 0, 0x7F) == [])
    #expect(stage.output(0, 0, 0, 0x80) == [[1, 0xFE, 0xFF, 0, 0]])
    #expect(throws: HIDReportValueError.self) {
      try stage.model.inputReport(setting: [(try control("x"), 2048)])
    }
  }

  @Test("an output trigger is for both ways of output reports, unless it names one")
  func ways() throws {
    var stage = try Rehearsal(
      """
      "behaviours": [{"on": {"output": "01 ...", "id": 2, "by": "set"}, "send": {"id": 1, "bytes": "01"}},
        {"on": {"output": "01 ...", "id": 2, "by": "output"}, "send": {"id": 1, "bytes": "02"}},
        {"on": {"output": "02 ...", "id": 2}, "send": {"id": 1, "bytes": "03"}}]
      """)
    func set(_ byte: UInt8) -> (sent: [UInt8?], isAccepted: Bool) {
      let event = HIDHostEvent.setReport(
        HIDRequestID(rawValue: 1), .output, HIDReportID(rawValue: 2),
        HIDReportBytes([2, byte, 0, 0, 0]))
      var sent: [UInt8?] = []
      var isAccepted = false
      for effect in stage.receive(event).effects {
        if case .sendInput(let report, _) = effect { sent.append(report.dropFirst().first) }
        if case .answerSet(_, accepted: true, _) = effect { isAccepted = true }
      }
      return (sent, isAccepted)
    }
    #expect(set(1) == ([1], true))
    #expect(set(2) == ([3], true))
    #expect(set(3) == ([], true))
    #expect(stage.output(1, 0, 0, 0).map { $0[1] } == [2])
    #expect(stage.output(2, 0, 0, 0).map { $0[1] } == [3])
  }

  @Test("a control is where the first alternative says that the bytes and the state match")
  func alternatives() throws {
    var device = try Rehearsal(
      """
      "state": {"mode": {"type": "u8"}},
      "controls": {"red": {"type": "output", "id": 2, "bit": 16, "bits": 8, "alternatives": [
          {"bytes": "02 ...", "bit": 8}, {"bytes": "?3 ...", "when": {"mode": 1}, "bit": 24}]},
        "x": {"type": "input", "id": 1, "bit": 8, "bits": 8, "alternatives": [{"bytes": "80/80 ...", "bit": 16}]}},
      "behaviours": [{"on": {"output": "00 ...", "id": 2}, "set": {"mode": "+1"}}]
      """)
    let named = device.model.definition.namedControls
    let red = try #require(named.first { $0.name == "red" }).control
    func changes(_ bytes: UInt8...) -> [String] {
      let events = device.receive(.output(HIDReportBytes([2] + bytes))).happenings
      for case .output(let report) in events.map(\.kind) {
        return report.changes.filter { $0.name == "red" }.map(\.description)
      }
      return []
    }
    #expect(changes(0x10, 0, 7, 9) == ["red 7"])
    #expect(changes(0x02, 5, 1, 9) == ["red 5"])
    #expect(device.model.value(of: red) == 5)
    #expect(changes(0x03, 1, 2, 3) == ["red 2"])
    #expect(changes(0, 1, 2, 3) == [])
    #expect(changes(0x13, 1, 2, 3) == ["red 3"])

    // The place is that of the state when the report came.
    #expect(changes(0x02, 5, 1, 9) == ["red 5"])
    #expect(changes(0, 8, 8, 8) == ["red 8"])
    #expect(device.state("mode") == .integer(2))
    #expect(device.model.value(of: red) == 8)
    device.model.setState("mode", to: 1)
    #expect(changes(0x13, 1, 2, 3) == ["red 3"])
    device.model.setState("mode", to: 0)
    #expect(device.model.value(of: red) == 3)
    device.model.setState("mode", to: 1)

    // A program sets a value where the last report has the control.
    try device.model.remember(setting: [(red, 0x44)])
    #expect(device.model.report(.output, HIDReportID(rawValue: 2)) == [2, 0x13, 1, 2, 0x44])
    let x = try #require(named.first { $0.name == "x" }).control
    #expect(try device.model.inputReport(setting: [(x, 6)]) == [1, 0, 6, 0, 0])
    _ = device.model.noteInput([1, 0x80, 0, 9, 0])
    #expect(device.model.value(of: x) == 9)
    #expect(try device.model.inputReport(setting: [(x, 8)]) == [1, 0x80, 0, 8, 0])
  }

  @Test("a template reads bytes of a state of bytes")
  func stateBytes() throws {
    var device = try Rehearsal(
      """
      "state": {"colours": {"type": "bytes", "count": 4, "initial": "01 02 03 84"}},
      "behaviours": [{"on": {"output": "any"},
        "send": {"id": 1, "bytes": "${colours[2..3]} ${colours[1]:u8} ${colours[3]:u8>>4}"}}]
      """)
    #expect(device.output(0, 0, 0, 0) == [[1, 3, 0x84, 2, 8]])
  }

  @Test("an output report that no behaviour of the device file matches is marked, either way")
  func unhandled() throws {
    var device = try Rehearsal(
      #""behaviours": [{"on": {"output": "01 ...", "id": 2}, "send": {"id": 1, "bytes": "01"}}]"#)
    func marks(_ events: [HIDInterfaceModel.Happening]) -> [Bool] {
      events.compactMap {
        switch $0.kind {
        case .output(let report), .setReport(let report, _): report.isUnhandled
        default: nil
        }
      }
    }
    #expect(marks(device.receive(.output(HIDReportBytes([2, 1, 0, 0, 0]))).happenings) == [false])
    #expect(marks(device.receive(.output(HIDReportBytes([2, 3, 0, 0, 0]))).happenings) == [true])
    for byte in [1, 3] as [UInt8] {
      let request = HIDRequestID(rawValue: 90)
      _ = device.receive(
        .setReport(
          request, .output, HIDReportID(rawValue: 2), HIDReportBytes([2, byte, 0, 0, 0])))
      #expect(marks(device.model.answered(request, .acknowledged, at: device.now)) == [byte == 3])
    }
    var plain = try Rehearsal(#""state": {}"#)
    #expect(marks(plain.receive(.output(HIDReportBytes([2, 3, 0, 0, 0]))).happenings) == [false])
  }

  @Test("halves and masked bits of a request choose an answer and make it, as in HID++")
  func bits() throws {
    var stage = try Rehearsal(
      """
      "state": {"software": {"type": "u8"}, "high": {"type": "u8"}},
      "behaviours": [
        {"on": {"output": "ff 00 1? ??", "id": 2},
         "set": {"software": "${request[3]:u8&0f}", "high": "${request[4]:u8>>4}"},
         "send": {"id": 1, "bytes": "ff 00 1${request[3]:u4} ${request[4]:u4>>4}${high:u4}"}},
        {"on": {"output": "ff 00 80/c1 ??", "id": 2},
         "send": {"id": 1, "bytes": "ff 00 ${software:u4}5 ${request[3]:u8>>1&3f}"}}]
      """)
    #expect(stage.output(0xFF, 0, 0x17, 0xAB) == [[1, 0xFF, 0, 0x17, 0xAA]])
    #expect(stage.output(0xFF, 0, 0x27, 0xAB) == [])
    #expect(stage.output(0xFF, 0, 0x8E, 0) == [[1, 0xFF, 0, 0x75, 0x07]])
    #expect(stage.output(0xFF, 0, 0x8F, 0) == [])
    #expect(stage.output(0xFF, 0, 0xCE, 0) == [])
  }

  @Test("an answer of a script comes before a behaviour, which then does not act")
  func rules() throws {
    var stage = try Rehearsal(
      """
      "state": {"n": {"type": "u8"}},
      "behaviours": [{"on": {"get": "feature", "id": 3}, "set": {"n": "+1"}, "reply": "${n:u8}"}]
      """)
    stage.model.policy.script.answer(
      .init(.get, .feature, HIDReportID(rawValue: 3)),
      with: .init(answer: .report(HIDReportBytes([3, 5])), delay: .zero), isOnce: true)
    #expect(try stage.get() == [3, 5])
    #expect(stage.state("n") == .integer(0))
    #expect(try stage.get() == [3, 1, 0, 0, 0, 0, 0])
  }
}
