// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import IOLoop
import Testing

@testable import HIDBus

@Suite("Transfers of a USB device") struct USBTransferEngineTests {
  private static let start = MonotonicTime(nanoseconds: 1_000_000_000)

  /// A device with an interface that has both endpoints, and a second one with input only.
  private static let device: USBDeviceDescription = {
    let first = USBInterfaceDescription(
      reportDescriptor: [0xC0], input: .init(packetByteCount: 64, interval: 1),
      output: .init(packetByteCount: 64, interval: 1))
    let second = USBInterfaceDescription(
      reportDescriptor: [0xC0], input: .init(packetByteCount: 8, interval: 10))
    return USBDeviceDescription(
      vendorID: 1, productID: 2, versionNumber: 0, interfaces: [first, second])
  }()

  /// The engine of the device, which a host has configured.
  private func engine() -> Box<USBTransferEngine> {
    let engine = Box(USBTransferEngine(Self.device))
    engine.receive(control(1, 0, 9, 1), at: Self.start)
    #expect(engine.takeReplies() == [.submit(sequence: 1, status: 0, count: 0, data: [])])
    #expect(engine.takeEvents() == [.changed(.configured(true))])
    return engine
  }

  private func control(
    _ sequence: UInt32, _ type: UInt8, _ request: UInt8, _ value: UInt16 = 0, _ index: UInt16 = 0,
    length: UInt16 = 0, _ data: [UInt8] = []
  ) -> USBIPRequest {
    .submit(
      .init(
        sequence: sequence, endpoint: 0, isFromDevice: type & 0x80 != 0,
        length: type & 0x80 != 0 ? Int(length) : data.count,
        setup: USBSetupPacket(
          requestType: type, request: request, value: value, index: index, length: length),
        data: HIDReportBytes(data)))
  }

  private func interrupt(
    _ sequence: UInt32, _ endpoint: UInt8, length: Int = 64, sending data: [UInt8]? = nil
  ) -> USBIPRequest {
    .submit(
      .init(
        sequence: sequence, endpoint: endpoint, isFromDevice: data == nil,
        length: data?.count ?? length,
        setup: USBSetupPacket(requestType: 0, request: 0, value: 0, index: 0, length: 0),
        data: HIDReportBytes(data ?? [])))
  }

  @Test("a transfer waits for a report, and the host's polling is an event")
  func input() {
    let engine = engine()
    engine.receive(interrupt(2, 1), at: Self.start)
    #expect(engine.takeReplies().isEmpty)
    #expect(engine.takeEvents() == [.polled(interface: 0, true)])
    #expect(engine.send([1, 2], interface: 0, at: Self.start))
    #expect(engine.takeReplies() == [.submit(sequence: 2, status: 0, count: 2, data: [1, 2])])
    engine.receive(interrupt(3, 1), at: Self.start)
    #expect(engine.takeEvents().isEmpty)
    engine.receive(.unlink(sequence: 4, target: 3), at: Self.start)
    #expect(engine.takeReplies() == [.unlink(sequence: 4, status: -104)])
    #expect(engine.takeEvents() == [.polled(interface: 0, false)])
    engine.receive(.unlink(sequence: 5, target: 2), at: Self.start)
    #expect(engine.takeReplies() == [.unlink(sequence: 5, status: 0)])
  }

  @Test("an output report by an endpoint is an event, and one by a control transfer a request")
  func output() {
    let engine = engine()
    engine.receive(interrupt(2, 1, sending: [9]), at: Self.start)
    engine.receive(control(3, 0x21, 9, 0x0200, 0, length: 1, [9]), at: Self.start)
    #expect(
      engine.takeEvents() == [
        .output(interface: 0, HIDReportBytes([9])),
        .setReport(token: 3, interface: 0, .output, nil, HIDReportBytes([9])),
      ])
    #expect(engine.takeReplies() == [.submit(sequence: 2, status: 0, count: 1, data: [])])
    engine.answerSet(3, accepted: true)
    engine.answerSet(3, accepted: false)
    #expect(engine.takeReplies() == [.submit(sequence: 3, status: 0, count: 1, data: [])])
    // The second interface has no endpoint for output.
    engine.receive(interrupt(4, 2, sending: [9]), at: Self.start)
    #expect(engine.takeReplies() == [.submit(sequence: 4, status: -32, count: 0, data: [])])
  }

  @Test("the state has what the host has set, and the transfers and reports that wait")
  func state() {
    let engine = engine()
    // Reports of the first interface repeat after 40 ms, and its report 3 after 8 ms.
    engine.receive(control(2, 0x21, 10, 10 << 8, 0), at: Self.start)
    engine.receive(control(3, 0x21, 10, 2 << 8 | 3, 0), at: Self.start)
    // The host takes one report of two, and halts the endpoint for output.
    engine.receive(interrupt(4, 1), at: Self.start)
    for _ in 0..<2 { #expect(engine.send([1], interface: 0, at: Self.start)) }
    engine.receive(control(5, 0x02, 3, 0, 0x01), at: Self.start)
    for sequence: UInt32 in 6...7 { engine.receive(interrupt(sequence, 2), at: Self.start) }
    let state = engine.value.state(of: Self.device)
    #expect(state.configuration == 1)
    #expect(!state.mayWakeHost)
    let input = USBDeviceState.Endpoint(
      address: 0x81, packetByteCount: 64, period: .milliseconds(1), isHalted: false,
      waitingReportCount: 1)
    let output = USBDeviceState.Endpoint(
      address: 0x01, packetByteCount: 64, period: .milliseconds(1), isHalted: true)
    let second = USBDeviceState.Endpoint(
      address: 0x82, packetByteCount: 8, period: .milliseconds(10), isHalted: false,
      waitingTransferCount: 2)
    #expect(state.interfaces.map(\.endpoints) == [[input, output], [second]])
    #expect(state.interfaces.map(\.number) == [0, 1])
    #expect(state.interfaces.map(\.idleTime) == [.milliseconds(40), .zero])
    #expect(state.interfaces.map(\.otherIdleTimes) == [[3: .milliseconds(8)], [:]])
    // A request for all reports replaces the times of single ones.
    engine.receive(control(8, 0x21, 10, 0, 0), at: Self.start)
    let later = engine.value.state(of: Self.device).interfaces[0]
    #expect(later.idleTime == .zero)
    #expect(later.otherIdleTimes.isEmpty)
  }

  @Test("an answer is cut to the length that the host takes, and a refusal is a stall")
  func answers() {
    let engine = engine()
    engine.receive(control(2, 0xA1, 1, 0x0300, 0, length: 2), at: Self.start)
    engine.receive(control(3, 0xA1, 1, 0x0300, 0, length: 8), at: Self.start)
    engine.receive(control(4, 0xA1, 1, 0x0300, 0, length: 8), at: Self.start)
    engine.answerGet(2, [1, 2, 3])
    engine.answerGet(3, nil)
    #expect(
      engine.takeReplies() == [
        .submit(sequence: 2, status: 0, count: 2, data: [1, 2]),
        .submit(sequence: 3, status: -32, count: 0, data: []),
      ])
    _ = engine.takeEvents()
    // A request without an answer stays until the host withdraws it.
    engine.receive(.unlink(sequence: 5, target: 4), at: Self.start)
    #expect(engine.takeEvents() == [.withdrawn(token: 4, interface: 0)])
    engine.answerGet(4, [1])
    #expect(engine.takeReplies() == [.unlink(sequence: 5, status: -104)])
  }

  @Test("a halted endpoint stalls its transfers and further ones until the halt is cleared")
  func halt() {
    let engine = engine()
    engine.receive(interrupt(2, 2, length: 8), at: Self.start)
    engine.receive(control(3, 2, 3, 0, 0x82), at: Self.start)
    engine.receive(interrupt(4, 2, length: 8), at: Self.start)
    engine.receive(control(5, 2, 1, 0, 0x82), at: Self.start)
    engine.receive(interrupt(6, 2, length: 8), at: Self.start)
    #expect(
      engine.takeReplies() == [
        .submit(sequence: 2, status: -32, count: 0, data: []),
        .submit(sequence: 3, status: 0, count: 0, data: []),
        .submit(sequence: 4, status: -32, count: 0, data: []),
        .submit(sequence: 5, status: 0, count: 0, data: []),
      ])
    #expect(engine.send([1], interface: 1, at: Self.start))
    #expect(engine.takeReplies() == [.submit(sequence: 6, status: 0, count: 1, data: [1])])
  }

  @Test("choosing the setting of an interface ends the halts of its endpoints only")
  func setInterface() {
    let engine = engine()
    engine.receive(control(2, 2, 3, 0, 0x81), at: Self.start)
    engine.receive(control(3, 2, 3, 0, 0x82), at: Self.start)
    _ = engine.takeEvents()
    engine.receive(control(4, 1, 11, 0, 1), at: Self.start)
    #expect(engine.takeEvents() == [.changed(.halted(endpoint: 0x82, false))])
    engine.receive(interrupt(5, 1), at: Self.start)
    engine.receive(interrupt(6, 2, length: 8), at: Self.start)
    #expect(
      engine.takeReplies() == [
        .submit(sequence: 2, status: 0, count: 0, data: []),
        .submit(sequence: 3, status: 0, count: 0, data: []),
        .submit(sequence: 4, status: 0, count: 0, data: []),
        .submit(sequence: 5, status: -32, count: 0, data: []),
      ])
  }

  @Test("reports wait for their period, and the engine says until when")
  func due() {
    let engine = engine()
    for sequence in 2..<4 as Range<UInt32> {
      engine.receive(interrupt(sequence, 2, length: 8), at: Self.start)
    }
    #expect(engine.send([1], interface: 1, at: Self.start))
    #expect(engine.send([2], interface: 1, at: Self.start))
    #expect(engine.takeReplies().count == 1)
    let due = engine.due
    #expect(due == Self.start.advanced(by: .milliseconds(10)))
    engine.advance(to: due ?? Self.start)
    #expect(engine.takeReplies() == [.submit(sequence: 3, status: 0, count: 1, data: [2])])
    #expect(engine.due == nil)
  }

  @Test(
    "a report is dropped while the host does not ask, also after its last message crossed a report")
  func notAsked() {
    let engine = engine()
    #expect(engine.send([1], interface: 0, at: Self.start))
    engine.receive(interrupt(2, 1), at: Self.start)
    #expect(engine.takeReplies().isEmpty)
    #expect(engine.send([2], interface: 0, at: Self.start))
    #expect(engine.takeReplies() == [.submit(sequence: 2, status: 0, count: 1, data: [2])])
    // The host withdraws the transfer before it has received its data.
    engine.receive(.unlink(sequence: 3, target: 2), at: Self.start)
    #expect(engine.takeReplies() == [.unlink(sequence: 3, status: 0)])
    #expect(
      engine.takeEvents() == [.polled(interface: 0, true), .polled(interface: 0, false)])
    #expect(engine.send([3], interface: 0, at: Self.start))
    #expect(!engine.hasWaitingReports)
  }

  @Test("unplugging ends the transfers that the host waits for")
  func end() {
    let engine = engine()
    engine.receive(interrupt(2, 1), at: Self.start)
    engine.receive(control(3, 0xA1, 1, 0x0300, 0, length: 8), at: Self.start)
    engine.end()
    #expect(
      engine.takeReplies() == [
        .submit(sequence: 3, status: -19, count: 0, data: []),
        .submit(sequence: 2, status: -108, count: 0, data: []),
      ])
    engine.answerGet(3, [1])
    #expect(engine.takeReplies().isEmpty)
  }

  @Test("a request from the device in a transfer to the device is refused, and sends no data")
  func direction() {
    let engine = engine()
    let setup = USBSetupPacket(requestType: 0x80, request: 6, value: 0x0100, index: 0, length: 18)
    engine.receive(
      .submit(
        .init(
          sequence: 2, endpoint: 0, isFromDevice: false, length: 18, setup: setup,
          data: HIDReportBytes(Array(repeating: 0, count: 18)))), at: Self.start)
    #expect(engine.takeReplies() == [.submit(sequence: 2, status: -32, count: 0, data: [])])
  }

  @Test("the device gets one request at a time, and a withdrawn one makes way for the next")
  func oneAtATime() {
    let engine = engine()
    engine.receive(control(2, 0xA1, 1, 0x0300, 0, length: 8), at: Self.start)
    engine.receive(control(3, 0x80, 6, 0x0100, length: 18), at: Self.start)
    engine.receive(control(4, 0xA1, 1, 0x0300, 1, length: 8), at: Self.start)
    engine.receive(control(5, 0xA1, 1, 0x0300, 1, length: 8), at: Self.start)
    #expect(engine.takeEvents() == [.getReport(token: 2, interface: 0, .feature, nil)])
    #expect(engine.takeReplies().isEmpty)
    engine.answerGet(2, [1])
    #expect(engine.takeReplies().count == 2)
    #expect(engine.takeEvents() == [.getReport(token: 4, interface: 1, .feature, nil)])
    engine.receive(.unlink(sequence: 6, target: 5), at: Self.start)
    engine.receive(.unlink(sequence: 7, target: 4), at: Self.start)
    #expect(
      engine.takeReplies() == [
        .unlink(sequence: 6, status: -104), .unlink(sequence: 7, status: -104),
      ])
    #expect(engine.takeEvents() == [.withdrawn(token: 4, interface: 1)])
  }

  @Test("an unchanged report is sent again after the idle time that the host has set")
  func idle() {
    let engine = engine()
    for sequence in 2..<6 as Range<UInt32> {
      engine.receive(interrupt(sequence, 1), at: Self.start)
    }
    func at(_ milliseconds: Int) -> MonotonicTime {
      Self.start.advanced(by: .milliseconds(milliseconds))
    }
    #expect(engine.send([7], interface: 0, at: at(0)))
    #expect(engine.due == nil)
    // Every 25 x 4 ms.
    engine.receive(control(9, 0x21, 10, 25 << 8), at: at(10))
    _ = engine.takeReplies()
    #expect(engine.due == at(100))
    engine.advance(to: at(99))
    #expect(engine.takeReplies().isEmpty)
    engine.advance(to: at(100))
    #expect(engine.takeReplies() == [.submit(sequence: 3, status: 0, count: 1, data: [7])])
    #expect(engine.send([8], interface: 0, at: at(150)))
    #expect(engine.takeReplies() == [.submit(sequence: 4, status: 0, count: 1, data: [8])])
    #expect(engine.due == at(250))
    engine.receive(control(10, 0x21, 10, 0), at: at(160))
    #expect(engine.due == nil)
  }

  @Test("an unplugged device ends the transfers that still come, and answers withdrawals")
  func afterTheEnd() {
    let engine = engine()
    engine.receive(interrupt(2, 1), at: Self.start)
    engine.end()
    engine.receive(interrupt(3, 1), at: Self.start)
    engine.receive(control(4, 0x80, 0, length: 2), at: Self.start)
    engine.receive(.unlink(sequence: 5, target: 2), at: Self.start)
    #expect(
      engine.takeReplies() == [
        .submit(sequence: 2, status: -108, count: 0, data: []),
        .submit(sequence: 3, status: -108, count: 0, data: []),
        .submit(sequence: 4, status: -19, count: 0, data: []),
        .unlink(sequence: 5, status: 0),
      ])
  }

  @Test("reports of one protocol are neither sent nor repeated in the other")
  func protocols() {
    var keyboard = USBInterfaceDescription(
      reportDescriptor: [0xC0], input: .init(packetByteCount: 8, interval: 1))
    keyboard.boot = .keyboard
    keyboard.numbersInput = true
    let engine = Box(
      USBTransferEngine(
        USBDeviceDescription(
          vendorID: 1, productID: 2, versionNumber: 0, interfaces: [keyboard])))
    func at(_ milliseconds: Int) -> MonotonicTime {
      Self.start.advanced(by: .milliseconds(milliseconds))
    }
    engine.receive(control(1, 0, 9, 1), at: at(0))
    engine.receive(interrupt(2, 1), at: at(0))
    #expect(engine.send([1, 4], interface: 0, at: at(0)))
    #expect(engine.send([1, 5], interface: 0, at: at(0)))
    // The boot protocol, and a repeat every 4 ms.
    engine.receive(control(3, 0x21, 11, 0), at: at(1))
    engine.receive(control(4, 0x21, 10, 1 << 8), at: at(1))
    _ = engine.takeReplies()
    for sequence in 5..<9 as Range<UInt32> { engine.receive(interrupt(sequence, 1), at: at(2)) }
    engine.advance(to: at(20))
    #expect(engine.takeReplies().isEmpty)
    // Boot reports have no ID: the second one replaces the first one.
    #expect(engine.send([2, 0, 4], interface: 0, at: at(20)))
    #expect(engine.send([0, 0, 0], interface: 0, at: at(21)))
    _ = engine.takeReplies()
    engine.advance(to: at(30))
    #expect(engine.takeReplies() == [.submit(sequence: 7, status: 0, count: 3, data: [0, 0, 0])])
  }

  @Test("the host's reading of a report descriptor is an event")
  func described() {
    let engine = engine()
    engine.receive(control(2, 0x81, 6, 0x2200, 1, length: 64), at: Self.start)
    #expect(engine.takeEvents() == [.changed(.described(interface: 1))])
  }

  @Test("a host that sends too many requests gets stalls, not more memory")
  func bounds() {
    let engine = engine()
    for sequence in 2..<1_000 as Range<UInt32> {
      engine.receive(control(sequence, 0xA1, 1, 0x0300, 0, length: 8), at: Self.start)
    }
    #expect(engine.takeEvents().count == 1)
    #expect(engine.takeReplies().count == 997 - USBTransferEngine.requestCapacity)
  }
}

extension Box<USBTransferEngine> {
  fileprivate func receive(_ request: USBIPRequest, at now: MonotonicTime) {
    value.receive(request, at: now)
  }
  fileprivate func takeReplies() -> [USBIPReply] { value.takeReplies() }
  fileprivate func takeEvents() -> [USBTransferEngine.Event] { value.takeEvents() }
  fileprivate func send(_ report: [UInt8], interface: Int, at now: MonotonicTime) -> Bool {
    value.send(report.span, interface: interface, at: now)
  }
  fileprivate func answerGet(_ token: UInt32, _ report: [UInt8]?) { value.answerGet(token, report) }
  fileprivate func answerSet(_ token: UInt32, accepted: Bool) {
    value.answerSet(token, accepted: accepted)
  }
  fileprivate func end() { value.end() }
  fileprivate func advance(to now: MonotonicTime) { value.advance(to: now) }
  fileprivate var due: MonotonicTime? { value.due }
  fileprivate var hasWaitingReports: Bool { value.hasWaitingReports }
}
