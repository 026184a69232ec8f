// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDReportDescriptor
import IOLoop
import Testing

@testable import HIDSimulator

@Suite("HIDInterfaceModel")
struct HIDInterfaceModelTests {
  private let id = HIDRequestID(rawValue: 1)

  private func receive(
    _ event: HIDHostEvent, _ model: inout HIDInterfaceModel
  ) -> (effects: [HIDInterfaceModel.Effect], happenings: [HIDInterfaceModel.Happening]) {
    model.receive(HIDHostEventRecord(time: .now, event: event))
  }

  /// Sends a get-report request, and returns the answer with its delay; the report is nil for an
  /// error.
  private func get(
    _ type: HIDReportType, _ number: UInt8?, _ model: inout HIDInterfaceModel
  ) throws -> (report: [UInt8]?, delay: Duration) {
    let effect = receive(.getReport(id, type, number.flatMap(HIDReportID.init)), &model).effects
      .first
    guard case .answerGet(id, let report, let delay) = effect else {
      throw HIDBusError(.other, "")
    }
    return (report, delay)
  }

  private func set(
    _ type: HIDReportType, _ number: UInt8?, _ bytes: [UInt8], _ model: inout HIDInterfaceModel
  ) throws -> Bool {
    let event = HIDHostEvent.setReport(
      id, type, number.flatMap(HIDReportID.init), HIDReportBytes(bytes))
    let effect = receive(event, &model).effects.first
    guard case .answerSet(id, let accepted, _) = effect else { throw HIDBusError(.other, "") }
    return accepted
  }

  @Test(
    "a get request returns zeros of the declared length after the ID, or an error if undeclared")
  func zeros() throws {
    var model = HIDInterfaceModel(try interface(RuntimeDescriptor.numbered))
    #expect(try get(.feature, 3, &model).report == [3, 0, 0, 0])
    #expect(try get(.input, 1, &model).report == [1, 0, 0])
    #expect(try get(.output, 2, &model).report == [2, 0, 0])
    #expect(try get(.feature, 1, &model).report == nil)
    #expect(try get(.feature, nil, &model).report == nil)
    var plain = HIDInterfaceModel(try interface(RuntimeDescriptor.plain))
    #expect(try get(.feature, nil, &plain).report == [0, 0, 0])
    #expect(try get(.feature, 1, &plain).report == nil)
  }

  @Test("a detent of a wheel is the physical value of the multiplier in its logical collection")
  func detents() throws {
    let definition = try #require(
      try Library.device("high-resolution-mouse.json").interfaces.first)
    var model = HIDInterfaceModel(definition)
    let vertical = try #require(
      definition.descriptor.controls(.genericDesktop(.wheel), type: .input).first)
    let horizontal = try #require(
      definition.descriptor.controls(.consumer(.acPan), type: .input).first)
    #expect(model.detentValue(of: vertical) == 1)
    // The lowest two bits are the multiplier of the wheel, the next two that of AC Pan. A value
    // that the descriptor does not declare is taken as it is.
    let cases: [(bits: UInt8, up: Int64, right: Int64)] = [
      (1, 8, 1), (4, 1, 8), (5, 8, 8), (3, 3, 1),
    ]
    for (bits, up, right) in cases {
      #expect(try set(.feature, 2, [2, bits], &model))
      #expect(model.detentValue(of: vertical) == up)
      #expect(model.detentValue(of: horizontal) == right)
    }
    // Without a logical collection the multiplier is for the wheels of the top-level collection.
    let loose = try HIDDeviceFile.parse(
      Array(
        """
        {"hidsim": 1, "name": "x", "vendorID": 1, "productID": 2, "reportDescriptor": {"hex": "05 01 09 02 \
        a1 01 85 02 09 48 15 00 25 01 35 01 45 04 75 08 95 01 b1 02 85 01 09 38 35 00 45 00 15 81 25 7f 81 06 c0"}}
        """.utf8), name: "x"
    ) { _ in [] }
    var other = HIDInterfaceModel(loose.interfaces[0])
    let alone = try #require(
      loose.interfaces[0].descriptor.controls(.genericDesktop(.wheel), type: .input).first)
    #expect(try set(.feature, 2, [2, 1], &other))
    #expect(other.detentValue(of: alone) == 4)
    let mouse = try #require(try Library.device("mouse.json").interfaces.first)
    let wheel = try #require(
      mouse.descriptor.controls(.genericDesktop(.wheel), type: .input).first)
    #expect(HIDInterfaceModel(mouse).detentValue(of: wheel) == 1)
  }

  @Test("more keys than a report has room for are ErrorRollOver until enough keys are released")
  func rollOver() throws {
    let definition = try #require(try Library.device("keyboard.json").interfaces.first)
    var model = HIDInterfaceModel(definition)
    func key(_ number: Int) throws -> HIDReportElement {
      try #require(
        definition.descriptor.controls(HIDUsage(page: 7, usage: UInt16(number)), type: .input).first
      )
    }
    func set(_ numbers: [Int], to value: Int64) throws -> [UInt8] {
      let report = try #require(
        try model.inputReport(setting: numbers.map { (try key($0), value) }))
      return model.noteInput(report).bytes
    }
    #expect(try set([0xe1], to: 1) == [2, 0, 0, 0, 0, 0, 0, 0])
    for number in 4..<9 { _ = try set([number], to: 1) }
    #expect(try set([9], to: 1) == [2, 0, 4, 5, 6, 7, 8, 9])
    let phantom: [UInt8] = [2, 0, 1, 1, 1, 1, 1, 1]
    #expect(try set([10], to: 1) == phantom)
    #expect(try set([10], to: 1) == phantom)
    #expect(try set([11], to: 1) == phantom)
    #expect(try set([5], to: 0) == phantom)
    // A modifier has a bit outside the array.
    #expect(try set([0xe1], to: 0) == [0, 0, 1, 1, 1, 1, 1, 1])
    #expect(try set([4], to: 0) == [0, 0, 6, 7, 8, 9, 10, 11])
    #expect(try set([6, 7], to: 0) == [0, 0, 8, 9, 10, 11, 0, 0])
    // A report that was sent as bytes determines which keys are down.
    #expect(try set([20, 21, 22], to: 1) == [0, 0, 1, 1, 1, 1, 1, 1])
    _ = model.noteInput([0, 0, 30, 0, 0, 0, 0, 0])
    #expect(try set([31], to: 1) == [0, 0, 30, 31, 0, 0, 0, 0])
    for number in 4..<12 { _ = try set([number], to: 1) }
    #expect(model.inputReportsAtRest() == [[0, 0, 0, 0, 0, 0, 0, 0]])
    _ = model.noteInput([UInt8](repeating: 0, count: 8))
    #expect(try set([4], to: 1) == [0, 0, 4, 0, 0, 0, 0, 0])
    // The same applies if the log only counts input reports.
    for number in 5..<11 { _ = try set([number], to: 1) }
    #expect(try set([11], to: 1) == [0, 0, 1, 1, 1, 1, 1, 1])
    var batch = HIDReportBatch()
    batch.append([UInt8](repeating: 0, count: 8))
    model.noteInputs(batch)
    #expect(try set([12], to: 1) == [0, 0, 12, 0, 0, 0, 0, 0])
    #expect(throws: HIDReportValueError.self) { try model.inputReport(setting: [(try key(4), 2)]) }
  }

  @Test("an input report longer than declared is logged whole, and kept with its declared length")
  func long() throws {
    var model = HIDInterfaceModel(try interface(RuntimeDescriptor.numbered))
    #expect(model.noteInput([1, 8, 9, 10]).bytes == [1, 8, 9, 10])
    #expect(try get(.input, 1, &model).report == [1, 8, 9])
    var batch = HIDReportBatch()
    batch.append([1, 3, 4, 5])
    model.noteInputs(batch)
    #expect(try get(.input, 1, &model).report == [1, 3, 4])
  }

  @Test(
    "a get request returns the report that was last sent or set, and before that the initial one")
  func state() throws {
    let initial = HIDInitialReport(
      type: .feature, id: HIDReportID(rawValue: 3), bytes: [3, 7, 8, 9])
    var model = HIDInterfaceModel(
      try interface(RuntimeDescriptor.numbered, initial: [initial]))
    #expect(try get(.feature, 3, &model).report == [3, 7, 8, 9])
    #expect(try set(.feature, 3, [3, 1, 2, 3], &model))
    #expect(try get(.feature, 3, &model).report == [3, 1, 2, 3])
    _ = model.noteInput([1, 5, 6])
    #expect(try get(.input, 1, &model).report == [1, 5, 6])
    _ = receive(.output(HIDReportBytes([2, 9, 8])), &model)
    #expect(try get(.output, 2, &model).report == [2, 9, 8])
  }

  @Test("the last report of each ID in a batch of input reports becomes the state")
  func batch() throws {
    var numbered = HIDInterfaceModel(try interface(RuntimeDescriptor.numbered))
    var batch = HIDReportBatch()
    numbered.noteInputs(batch)
    #expect(try get(.input, 1, &numbered).report == [1, 0, 0])
    for report in [[1, 1, 1], [1, 2, 2], [9, 9]] as [[UInt8]] { batch.append(report) }
    numbered.noteInputs(batch)
    #expect(try get(.input, 1, &numbered).report == [1, 2, 2])
    #expect(try get(.input, 9, &numbered).report == nil)
    var plain = HIDInterfaceModel(try interface(RuntimeDescriptor.plain))
    batch.removeAll()
    for report in [[1, 1, 1, 1], [0, 2, 2, 2]] as [[UInt8]] { batch.append(report) }
    plain.noteInputs(batch)
    #expect(try get(.input, nil, &plain).report == [0, 2, 2, 2])
  }

  @Test(
    "a short report that is set keeps the rest, a long one is cut, an undeclared one is refused")
  func lengths() throws {
    var model = HIDInterfaceModel(try interface(RuntimeDescriptor.numbered))
    #expect(try set(.feature, 3, [3, 1, 2, 3], &model))
    #expect(try set(.feature, 3, [3, 9], &model))
    #expect(try get(.feature, 3, &model).report == [3, 9, 2, 3])
    #expect(try set(.feature, 3, [3, 4, 5, 6, 7, 8], &model))
    #expect(try get(.feature, 3, &model).report == [3, 4, 5, 6])
    #expect(try !set(.feature, 4, [4, 1], &model))
  }

  @Test("the leading 00 of an unnumbered report is dropped only if the report is one byte too long")
  func normalised() throws {
    var model = HIDInterfaceModel(try interface(RuntimeDescriptor.plain))
    for (raw, bytes) in [
      ([0, 1, 2, 3], [1, 2, 3]), ([1, 2, 3], [1, 2, 3]), ([0, 0, 0], [0, 0, 0]),
      ([1, 2, 3, 4], [1, 2, 3]),
    ] as [([UInt8], [UInt8])] {
      #expect(try set(.feature, nil, raw, &model))
      #expect(try get(.feature, nil, &model).report == bytes)
    }
    guard
      case .output(let report) = receive(.output(HIDReportBytes([0, 5, 6])), &model).happenings
        .first?.kind
    else { return #expect(Bool(false)) }
    #expect(report.bytes == [5, 6])
    #expect(report.raw == [0, 5, 6])
    #expect(report.isDeclared)
  }

  @Test(
    "a host that withdraws a request leaves it without an answer, and later answers have no event")
  func withdrawal() throws {
    var model = HIDInterfaceModel(try interface(RuntimeDescriptor.plain))
    _ = receive(.getReport(id, .feature, nil), &model)
    let happenings = receive(.usb(.withdrawal(id)), &model).happenings
    #expect(happenings.count == 2)
    guard case .getReport(.feature, nil, let answer) = happenings[0].kind,
      case .usb(.withdrawal(id)) = happenings[1].kind
    else { return #expect(Bool(false)) }
    #expect(answer.value == .none)
    #expect(model.answered(id, .report([0, 0, 0] as [UInt8]), at: .now).isEmpty)
  }

  @Test("events of a USB host set off the behaviours whose pattern selects them")
  func usbBehaviours() throws {
    var definition = try interface(RuntimeDescriptor.plain)
    definition.behaviours = [
      HIDBehaviour(
        trigger: .usb(USBEventPattern(.protocol, .isBoot(true))),
        detachment: HIDBehaviour.Detachment(pause: nil))
    ]
    var model = HIDInterfaceModel(definition)
    #expect(receive(.usb(.bootProtocol(false)), &model).effects.isEmpty)
    #expect(receive(.usb(.bootProtocol(true)), &model).effects.count == 1)
    #expect(receive(.usb(.idle(nil, rate: 0)), &model).effects.isEmpty)
  }

  @Test(
    "a write that lacks its leading 00 is a warning if USB would cut it, but not for LED reports, nor on USB"
  )
  func fidelity() throws {
    func warnings(
      _ descriptor: [UInt8], _ bytes: [UInt8], by route: USBReportRoute? = nil
    ) throws -> Int {
      var model = HIDInterfaceModel(try interface(descriptor))
      let record = HIDHostEventRecord(
        time: .now, event: .output(HIDReportBytes(bytes)), route: route)
      return model.receive(record).happenings.count {
        if case .fidelity = $0.kind { true } else { false }
      }
    }
    #expect(try warnings(RuntimeDescriptor.plain, [0, 5]) == 1)
    #expect(try warnings(RuntimeDescriptor.plain, [0, 5], by: .endpoint) == 0)
    #expect(try warnings(RuntimeDescriptor.plain, [0, 5], by: .control) == 0)
    #expect(try warnings(RuntimeDescriptor.plain, [0, 0, 5]) == 0)
    #expect(try warnings(RuntimeDescriptor.plain, [4, 5]) == 0)
    #expect(try warnings(RuntimeDescriptor.keyboard, [0]) == 0)
    #expect(try warnings(RuntimeDescriptor.numbered, [2, 0, 0]) == 0)
  }

  @Test(
    "a host's report of the wrong length is a warning with the report that hardware would receive")
  func lengthWarnings() throws {
    func warnings(
      _ descriptor: [UInt8], _ event: HIDHostEvent
    ) throws -> [String] {
      var model = HIDInterfaceModel(try interface(descriptor))
      var happenings = receive(event, &model).happenings
      happenings += model.answered(id, .acknowledged, at: .now)
      return happenings.compactMap { if case .fidelity(let words) = $0.kind { words } else { nil } }
    }
    func output(_ bytes: [UInt8]) -> HIDHostEvent { .output(HIDReportBytes(bytes)) }
    func set(_ number: UInt8?, _ bytes: [UInt8]) -> HIDHostEvent {
      .setReport(id, .feature, number.flatMap(HIDReportID.init), HIDReportBytes(bytes))
    }
    #expect(
      try warnings(RuntimeDescriptor.keyboard, output([0, 2, 3])) == [
        "output report has 2 bytes, and is declared with 1: hardware would receive 02 03, and might cut or refuse the report"
      ])
    #expect(
      try warnings(RuntimeDescriptor.plain, set(nil, [0, 7])) == [
        """
        feature report has 1 byte, and is declared with 3: hardware would receive only 07, and might keep \
        its old bytes for the rest, use zeros, or refuse the report
        """
      ])
    #expect(
      try warnings(RuntimeDescriptor.numbered, set(3, [3, 1])) == [
        """
        feature report 3 has 1 byte, and is declared with 3: hardware would receive only 03 01, and might keep \
        its old bytes for the rest, use zeros, or refuse the report
        """
      ])
    #expect(
      try warnings(RuntimeDescriptor.numbered, output([2] + Array(repeating: 0, count: 20))).first?
        .contains("hardware would receive 21 bytes, and might cut or refuse the report") == true)
    for event in [output([0, 2]), output([2])] {
      #expect(try warnings(RuntimeDescriptor.keyboard, event) == [])
    }
    for event in [output([2, 1, 1]), set(3, [3, 1, 2, 3]), set(4, [4]), output([9])] {
      #expect(try warnings(RuntimeDescriptor.numbered, event) == [])
    }
  }

  @Test("the answer of a script comes before that of a behaviour, and this before the state")
  func precedence() throws {
    let three = HIDReportID(rawValue: 3)
    var model = HIDInterfaceModel(
      try interface(
        RuntimeDescriptor.numbered,
        [
          HIDBehaviour(
            trigger: .get(.feature, three), answer: .exactReply(HIDReportTemplate([3, 1])),
            delay: .seconds(1)),
          HIDBehaviour(trigger: .set(.feature, three, nil), answer: .error),
          HIDBehaviour(trigger: .get(.input, HIDReportID(rawValue: 1)), answer: .error),
          HIDBehaviour(
            trigger: .get(.output, HIDReportID(rawValue: 2)), answer: .usual, delay: .seconds(2)),
        ]))
    #expect(try get(.feature, 3, &model) == ([3, 1], .seconds(1)))
    #expect(try get(.input, 1, &model).report == nil)
    #expect(try get(.output, 2, &model) == ([2, 0, 0], .seconds(2)))
    #expect(try !set(.feature, 3, [3, 1, 1, 1], &model))
    func answer(
      _ kind: HIDReportRequest.Kind, _ type: HIDReportType, _ id: UInt8,
      _ answer: HIDRequestAnswer, after delay: Duration = .zero, isOnce: Bool = true
    ) {
      model.policy.script.answer(
        .init(kind, type, HIDReportID(rawValue: id)),
        with: .init(answer: answer, delay: delay), isOnce: isOnce)
    }
    answer(.get, .feature, 3, .report(HIDReportBytes([3, 9])))
    answer(.get, .output, 2, .error)
    answer(.set, .feature, 3, .acknowledged)
    #expect(try get(.feature, 3, &model) == ([3, 9], .zero))
    #expect(try get(.output, 2, &model) == (nil, .zero))
    #expect(try get(.feature, 3, &model) == ([3, 1], .seconds(1)))
    #expect(try set(.feature, 3, [3, 4, 4, 4], &model))
    #expect(try !set(.feature, 3, [3, 5, 5, 5], &model))
    // The first answer is for all requests until it is removed. The second is for the next request,
    // and is used first.
    answer(.get, .feature, 3, .report(HIDReportBytes([3, 7])), after: .seconds(5), isOnce: false)
    answer(.get, .feature, 3, .error)
    #expect(try get(.feature, 3, &model) == (nil, .zero))
    #expect(try get(.feature, 3, &model) == ([3, 7], .seconds(5)))
    #expect(try get(.feature, 3, &model) == ([3, 7], .seconds(5)))
    answer(.get, .feature, 3, .error)
    model.policy.script.forget(.init(.get, .feature, three))
    #expect(try get(.feature, 3, &model) == ([3, 1], .seconds(1)))
  }

  @Test("a behaviour without an answer of its own leaves an undeclared report refused")
  func usualAnswer() throws {
    var model = HIDInterfaceModel(
      try interface(
        RuntimeDescriptor.numbered,
        [3, 9].map { HIDBehaviour(trigger: .set(.feature, HIDReportID(rawValue: $0), nil)) }))
    #expect(try set(.feature, 3, [3, 1, 2, 3], &model))
    #expect(try !set(.feature, 9, [9, 1], &model))
  }

  @Test("a request that a script leaves without an answer gets none, and is logged as no answer")
  func nothing() throws {
    var model = HIDInterfaceModel(try interface(RuntimeDescriptor.plain))
    let request = HIDReportRequest(.get, .feature, nil)
    model.policy.script.answer(
      request, with: .init(answer: .none, delay: .zero), isOnce: true)
    let (effects, told) = receive(.getReport(id, .feature, nil), &model)
    #expect(effects.isEmpty)
    let event = HIDDeviceEvent(time: .now, device: "p", kind: told[0].kind, client: nil)
    #expect(HIDEventText.line(event, base: .now).hasSuffix("p: get feature: no answer"))
  }

  @Test("input reports that the device drops are not called a loss of the bus")
  func dropped() {
    let event = HIDDeviceEvent(time: .now, device: "p", kind: .lost(2), client: nil)
    let end = "p: the device dropped 2 input reports, because too many were waiting"
    #expect(HIDEventText.line(event, base: .now).hasSuffix(end))
  }

  @Test("an answer is logged once, and not after the device is unplugged")
  func answered() throws {
    var model = HIDInterfaceModel(try interface(RuntimeDescriptor.plain))
    _ = try get(.feature, nil, &model)
    let first = model.answered(id, .report([1] as [UInt8]), at: .now)
    let second = model.answered(id, .report([1] as [UInt8]), at: .now)
    #expect(first.count == 1)
    #expect(second.isEmpty)
    _ = try get(.feature, nil, &model)
    model.unplugged()
    let late = model.answered(id, .report([1] as [UInt8]), at: .now)
    #expect(late.isEmpty)
  }
}

@Suite("HIDEventLog", .timeLimit(.minutes(1)))
struct HIDEventLogTests {
  private func event(_ kind: HIDDeviceEvent.Kind = .opened) -> HIDDeviceEvent {
    HIDDeviceEvent(time: .now, device: "d", kind: kind, client: nil)
  }

  @Test("the log keeps the last 65,536 events, and a reader gets the number of events it missed")
  func overflow() {
    let log = HIDEventLog()
    for _ in 0..<65_546 { log.append(event()) }
    var index = 3
    let (events, missed) = log.read(from: &index)
    #expect(events.count == 65_536)
    #expect(missed == 7)
    #expect(index == 65_546)
    #expect(log.totals.events == 65_546)
    let (none, more) = log.read(from: &index)
    #expect(none.isEmpty)
    #expect(more == 0)
  }

  @Test("the log keeps at most 64 MiB of reports")
  func manyBytes() {
    let log = HIDEventLog()
    let report = HIDSentReport(id: nil, bytes: [UInt8](repeating: 1, count: 1 << 20), change: nil)
    for _ in 0..<100 {
      log.append(HIDDeviceEvent(time: .now, device: "d", kind: .input(report), client: nil))
    }
    var index = 0
    let (events, missed) = log.read(from: &index)
    #expect(events.count == 64)
    #expect(missed == 36)
  }

  @Test("a wait ends with the event, the end of the log, its deadline or its cancelled task")
  func waits() async {
    let log = HIDEventLog()
    async let first = log.wait(for: 0)
    log.append(event())
    #expect(await first)
    #expect(await !log.wait(for: 1, until: .now))
    #expect(await !log.wait(for: 1, until: MonotonicTime.now.advanced(by: .milliseconds(2))))
    for _ in 0..<500 {
      let task = Task { await log.wait(for: 1) }
      task.cancel()
      #expect(await !task.value)
    }
    async let last = log.wait(for: 1)
    log.finish()
    #expect(await !last)
    #expect(await log.wait(for: 0))
  }

  @Test("the times of events never go back, whatever the order in which they are logged")
  func order() {
    let log = HIDEventLog()
    for nanoseconds in [5, 3, 7, 6] as [UInt64] {
      log.append(
        HIDDeviceEvent(
          time: MonotonicTime(nanoseconds: nanoseconds), device: "d", kind: .opened, client: nil))
    }
    var index = 0
    #expect(log.read(from: &index).events.map(\.time.nanoseconds) == [5, 5, 7, 7])
  }

  @Test("input reports that are not kept are counted")
  func countedInput() {
    let log = HIDEventLog(keepsInput: false)
    log.append(event())
    log.count(inputs: 1000)
    #expect(log.endIndex == 1)
    #expect(log.totals.inputs == 1000)
    #expect(log.totals.events == 1001)
  }

  @Test("losses and warnings are counted")
  func totals() {
    let log = HIDEventLog()
    log.append(event(.lost(5)))
    log.append(event(.fidelity("x")))
    #expect(log.totals.lost == 5)
    #expect(log.totals.fidelity == 1)
    #expect(log.totals.events == 2)
  }
}
