// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
@testable import HIDBus
import TestSupport
import Testing

/// Tests with messages by hand from `linux/uhid.h`, in the byte order of a little-endian host.
@Suite struct UHIDEventTests {
  private func decode(_ bytes: [UInt8]) -> HIDHostEvent? {
    (bytes + [UInt8](repeating: 0, count: max(0, 4380 - bytes.count))).withUnsafeBytes {
      UHIDEvent.decode($0)
    }
  }

  @Test("a message of the kernel is 4,380 bytes long")
  func size() { #expect(UHIDEvent.byteCount == 4380) }

  @Test("UHID_CREATE2 has the name, phys, uniq, lengths and numbers at their places")
  func create() throws {
    let event = UHIDEvent.create(try plainDevice())
    #expect(Array(event[0..<4]) == [11, 0, 0, 0])
    #expect(text(event[4..<132]) == "hidsim test")
    #expect(text(event[132..<196]) == "hidsim-800000000000ab00/input2")
    #expect(text(event[196..<260]) == "S-1")
    #expect(
      Array(event[260..<280]) == [
        29, 0,  //                   rd_size
        0x03, 0,  //                 bus: USB
        0x09, 0x12, 0x00, 0x00,  //  vendor
        0xef, 0xbe, 0x00, 0x00,  //  product
        0x11, 0x01, 0x00, 0x00,  //  version: 1.11 of HID
        0x21, 0x00, 0x00, 0x00,  //  country
      ])
    #expect(Array(event[280...]) == plainDescriptor)
  }

  @Test("the kernel's version is that of HID on USB, and the release number elsewhere")
  func version() throws {
    func version(_ device: HIDDeviceDescription) -> [UInt8] {
      Array(UHIDEvent.create(device)[272..<276])
    }
    var device = try plainDevice()
    device.usbInterface.hidVersion = 0x0110
    #expect(version(device) == [0x10, 0x01, 0, 0])
    device.identity.transport = .bluetooth
    #expect(version(device) == [0x23, 0x01, 0, 0])
  }

  @Test("names that are too long are cut, and end with a 0")
  func longNames() throws {
    var device = try plainDevice()
    device.identity.name = String(repeating: "n", count: 500)
    device.identity.serialNumber = String(repeating: "s", count: 500)
    let event = UHIDEvent.create(device)
    #expect(text(event[4..<132]) == String(repeating: "n", count: 127))
    #expect(text(event[196..<260]) == String(repeating: "s", count: 63))
    #expect(event.count == 280 + 29)
    device.identity.name = String(repeating: "ä", count: 100)
    #expect(text(UHIDEvent.create(device)[4..<132]) == String(repeating: "ä", count: 63))
  }

  private func text(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  @Test("UHID_DESTROY has only its number")
  func destroy() { #expect(UHIDEvent.destroy == [1, 0, 0, 0]) }

  @Test("UHID_GET_REPORT_REPLY has request, error, length and report")
  func answerGet() {
    let request = HIDRequestID(rawValue: 0x0102_0304)
    func answer(_ report: [UInt8]?, needsNumber: Bool = false) -> [UInt8] {
      UHIDEvent.withAnswerGet(request, report, needsNumber: needsNumber) { Array($0) }
    }
    #expect(
      answer([0xaa, 0xbb]) == [10, 0, 0, 0, 0x04, 0x03, 0x02, 0x01, 0, 0, 2, 0, 0xaa, 0xbb])
    #expect(
      answer([0xaa], needsNumber: true) == [
        10, 0, 0, 0, 0x04, 0x03, 0x02, 0x01, 0, 0, 2, 0, 0, 0xaa,
      ])
    for needsNumber in [false, true] {
      #expect(
        answer(nil, needsNumber: needsNumber) == [
          10, 0, 0, 0, 0x04, 0x03, 0x02, 0x01, 5, 0, 0, 0,  // EIO
        ])
      #expect(answer([], needsNumber: needsNumber).count == 12)
      let long = answer([UInt8](repeating: 1, count: 5000), needsNumber: needsNumber)
      #expect(long.count == 12 + 4096)
      #expect(Array(long[10..<12]) == [0x00, 0x10])
    }
  }

  @Test("UHID_SET_REPORT_REPLY has request and error")
  func answerSet() {
    let request = HIDRequestID(rawValue: 7)
    #expect(UHIDEvent.answerSet(request, accepted: true) == [14, 0, 0, 0, 7, 0, 0, 0, 0, 0])
    #expect(UHIDEvent.answerSet(request, accepted: false) == [14, 0, 0, 0, 7, 0, 0, 0, 5, 0])
  }

  @Test("UHID_START has the report types that are numbered")
  func start() {
    #expect(decode([2, 0, 0, 0]) == .start([]))
    #expect(decode([2, 0, 0, 0, 7]) == .start([.feature, .output, .input]))
    #expect(decode([2, 0, 0, 0, 4]) == .start([.input]))
  }

  @Test("UHID_STOP, UHID_OPEN and UHID_CLOSE have only their numbers")
  func life() {
    #expect(decode([3, 0, 0, 0]) == .stop)
    #expect(decode([4, 0, 0, 0]) == .open)
    #expect(decode([5, 0, 0, 0]) == .close)
  }

  @Test("UHID_OUTPUT has its length behind 4,096 bytes of room")
  func output() {
    var event: [UInt8] = [6, 0, 0, 0, 0x00, 0x02]
    event += [UInt8](repeating: 0, count: 4094)
    event += [2, 0, 1]  // size, rtype: output
    #expect(decode(event) == .output(HIDReportBytes([0x00, 0x02])))
  }

  @Test("UHID_GET_REPORT has request, number and type")
  func get() {
    let request = HIDRequestID(rawValue: 9)
    #expect(
      decode([9, 0, 0, 0, 9, 0, 0, 0, 3, 0])
        == .getReport(request, .feature, HIDReportID(rawValue: 3)))
    #expect(decode([9, 0, 0, 0, 9, 0, 0, 0, 0, 1]) == .getReport(request, .output, nil))
    #expect(decode([9, 0, 0, 0, 9, 0, 0, 0, 0, 2]) == .getReport(request, .input, nil))
  }

  @Test("UHID_SET_REPORT has request, number, type, length and report")
  func set() {
    #expect(
      decode([13, 0, 0, 0, 1, 0, 0, 0, 4, 0, 3, 0, 4, 8, 9])
        == .setReport(
          HIDRequestID(rawValue: 1), .feature, HIDReportID(rawValue: 4), HIDReportBytes([4, 8, 9])))
  }

  @Test("an unknown or short message is not decoded")
  func unknown() {
    for code in [0, 1, 7, 8, 10, 11, 12, 14, 15, 255] as [UInt8] {
      #expect(decode([code, 0, 0, 0]) == nil)
    }
    #expect(decode([2, 0, 0, 1]) == nil)
    #expect([UInt8](repeating: 2, count: 16).withUnsafeBytes { UHIDEvent.decode($0) } == nil)
  }

  @Test("a decoded report has at most 4,096 bytes, whatever the kernel sends")
  func hostile() {
    for seed in 0..<300 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var bytes = (0..<4380).map { _ in UInt8.random(in: 0...255, using: &random) }
      bytes[0] = UInt8.random(in: 0...15, using: &random)
      (bytes[1], bytes[2], bytes[3]) = (0, 0, 0)
      switch decode(bytes) {
      case .output(let report), .setReport(_, _, _, let report): #expect(report.count <= 4096)
      default: break
      }
    }
  }
}

@Suite struct UHIDSessionTests {
  private let get = HIDHostEvent.getReport(HIDRequestID(rawValue: 1), .feature, nil)
  private let set = HIDHostEvent.setReport(
    HIDRequestID(rawValue: 2), .feature, HIDReportID(rawValue: 3), HIDReportBytes([3]))

  private func session(after events: [HIDHostEvent]) -> UHIDSession {
    var session = UHIDSession()
    for event in events { _ = session.receive(event) }
    return session
  }

  @Test(
    "each event leads to its state",
    arguments: [
      ([], .created), ([.start([])], .started), ([.start([]), .open], .open),
      ([.start([]), .open, .close], .started), ([.start([]), .open, .stop], .created),
      ([.start([]), .stop, .start([])], .started), ([.open], .open), ([.close], .created),
      ([.start([]), .open, .start([])], .open),
    ] as [([HIDHostEvent], UHIDSession.State)])
  func states(_ sample: (events: [HIDHostEvent], state: UHIDSession.State)) {
    #expect(session(after: sample.events).state == sample.state)
  }

  @Test("only a device that was started and stopped has been given up")
  func progress() {
    #expect(session(after: []).progress == .hopeful)
    #expect(session(after: [.start([])]).progress == .hopeful)
    #expect(session(after: [.start([]), .stop]).progress == .gaveUp)
    #expect(session(after: [.start([]), .stop, .start([])]).progress == .hopeful)
    var destroyed = session(after: [.start([]), .stop])
    let (first, second) = (destroyed.destroy(), destroyed.destroy())
    #expect(first)
    #expect(!second)
    #expect(destroyed.progress == .destroyed)
  }

  @Test("only the newest request is answered, once and by an answer of its kind")
  func answers() {
    var session = session(after: [.start([]), get])
    func answer(_ number: UInt32, isGet: Bool) -> Bool? {
      session.answer(HIDRequestID(rawValue: number), isGet: isGet)?.isNumbered
    }
    #expect(answer(9, isGet: true) == nil)
    #expect(answer(1, isGet: false) == nil)
    #expect(answer(1, isGet: true) == false)
    #expect(answer(1, isGet: true) == nil)
    for event in [get, set] { _ = session.receive(event) }
    #expect(answer(1, isGet: true) == nil)
    #expect(answer(2, isGet: false) == true)
  }

  @Test("a destroyed session ignores events, and answers no request")
  func destroyed() {
    var session = session(after: [.start([]), get])
    _ = session.destroy()
    let isHeard = session.receive(.open)
    #expect(!isHeard)
    let answered = session.answer(HIDRequestID(rawValue: 1), isGet: true)
    #expect(answered == nil)
    #expect(session.state == .destroyed)
  }
}
