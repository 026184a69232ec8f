// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDTraces
import TestSupport
import Testing

@Suite("HIDTraceRedaction")
struct HIDTraceRedactionTests {
  /// A boot keyboard: modifiers, a reserved byte, and six keys from 0 to 0xff.
  private static let boot: [UInt8] = [
    0x05, 0x01, 0x09, 0x06, 0xa1, 0x01, 0x05, 0x07, 0x19, 0xe0, 0x29, 0xe7, 0x15, 0x00, 0x25, 0x01,
    0x75, 0x01, 0x95, 0x08, 0x81, 0x02, 0x75, 0x08, 0x95, 0x01, 0x81, 0x01, 0x19, 0x00, 0x29, 0xff,
    0x26, 0xff, 0x00, 0x95, 0x06, 0x81, 0x00, 0x05, 0x08, 0x19, 0x01, 0x29, 0x05, 0x25, 0x01, 0x75,
    0x01, 0x95, 0x05, 0x91, 0x02, 0x75, 0x03, 0x95, 0x01, 0x91, 0x01, 0xc0,
  ]
  /// A keyboard with a bit for each key.
  ///
  /// Report 1: modifiers and a bit for each of the keys 0x00 to 0x77. Report 2: volume keys. Report
  /// 3: a vendor-defined usage.
  private static let nkro: [UInt8] = [
    0x05, 0x01, 0x09, 0x06, 0xa1, 0x01, 0x85, 0x01, 0x05, 0x07, 0x15, 0x00, 0x25, 0x01, 0x75, 0x01,
    0x19, 0xe0, 0x29, 0xe7, 0x95, 0x08, 0x81, 0x02, 0x19, 0x00, 0x29, 0x77, 0x95, 0x78, 0x81, 0x02,
    0xc0, 0x05, 0x0c, 0x09, 0x01, 0xa1, 0x01, 0x85, 0x02, 0x19, 0xe9, 0x29, 0xea, 0x95, 0x02, 0x81,
    0x02, 0x95, 0x06, 0x81, 0x01, 0xc0, 0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x85, 0x03, 0x26,
    0xff, 0x00, 0x75, 0x08, 0x95, 0x02, 0x09, 0x02, 0x81, 0x02, 0xc0,
  ]

  private static func redacted(
    _ descriptor: [UInt8], _ reports: [[UInt8]]
  ) -> [[UInt8]] {
    var redaction = HIDTraceRedaction(devices: [HIDTraceDevice(descriptor: descriptor)])
    return reports.compactMap { bytes in
      let event = HIDTraceEvent(microseconds: 1, kind: .input(HIDReportBytes(bytes)))
      guard case .input(let result)? = redaction.redacted(event)?.kind else { return nil }
      return [UInt8](result)
    }
  }

  @Test("initial feature reports are redacted like the reports of the trace")
  func initialReports() {
    /// Returns the bytes of an initial feature report after the redaction of its device.
    func redacted(_ descriptor: [UInt8], _ bytes: [UInt8]) -> [[UInt8]] {
      var device = HIDTraceDevice(descriptor: descriptor)
      device.reports = [
        HIDTraceInitialReport(type: .feature, id: nil, bytes: HIDReportBytes(bytes))
      ]
      return HIDTraceRedaction.redacted(device).reports.map { [UInt8]($0.bytes) }
    }
    // The descriptor is that of the boot keyboard, with the keys in a feature report.
    var descriptor = Self.boot
    let keys = descriptor.lastIndex(of: 0x81) ?? 0
    descriptor[keys] = 0xb1
    #expect(redacted(descriptor, [0x0b, 0x08, 0, 0, 0, 0]) == [[4, 5, 0, 0, 0, 0]])
    #expect(redacted([0xff], [0x0b, 0x08]) == [[0, 0]], "no valid descriptor")
  }

  struct Case: CustomTestStringConvertible {
    let name: String
    let typed: [[UInt8]]
    let left: [[UInt8]]
    var testDescription: String { name }
  }

  private static let bootCases: [Case] = [
    Case(
      name: "each key alone is A",
      typed: [
        [0, 0, 0x0b, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0x17, 0, 0, 0, 0, 0],
      ],
      left: [[0, 0, 4, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 4, 0, 0, 0, 0, 0]]),
    Case(
      name: "keys held together are A and B, and each keeps what it is until it goes up",
      typed: [
        [0, 0, 0x17, 0, 0, 0, 0, 0], [0, 0, 0x17, 0x0b, 0, 0, 0, 0], [0, 0, 0x0b, 0, 0, 0, 0, 0],
        [0, 0, 0x0b, 0x08, 0, 0, 0, 0],
      ],
      left: [
        [0, 0, 4, 0, 0, 0, 0, 0], [0, 0, 4, 5, 0, 0, 0, 0], [0, 0, 5, 0, 0, 0, 0, 0],
        [0, 0, 5, 4, 0, 0, 0, 0],
      ]),
    Case(
      name: "a key that goes down as another goes up is seen to",
      typed: [[0, 0, 0x17, 0, 0, 0, 0, 0], [0, 0, 0x0b, 0, 0, 0, 0, 0]],
      left: [[0, 0, 4, 0, 0, 0, 0, 0], [0, 0, 5, 0, 0, 0, 0, 0]]),
    Case(
      name: "Shift, Escape, Backspace, F1, arrows, Caps Lock and roll-over stay",
      typed: [
        [2, 0, 0x29, 0x2a, 0x3a, 0x4f, 0x39, 0x53], [0, 0, 0x1d, 0, 0, 0, 0, 0],
        [2, 0, 1, 1, 1, 1, 1, 1], [2, 0, 0x1d, 0x1e, 0, 0, 0, 0],
      ],
      left: [
        [2, 0, 0x29, 0x2a, 0x3a, 0x4f, 0x39, 0x53], [0, 0, 4, 0, 0, 0, 0, 0],
        [2, 0, 1, 1, 1, 1, 1, 1], [2, 0, 4, 5, 0, 0, 0, 0],
      ]),
    Case(
      name: "Return, Tab, space, digits, the keypad, International and LANG keys are text",
      typed: [[0x28, 0x2b, 0x2c, 0x1e, 0x59, 0x63], [0x87, 0x90, 0xb0, 0x64, 0x54, 0xa5]].map {
        [0, 0] + $0
      },
      left: [[4, 5, 6, 7, 8, 9], [10, 11, 12, 13, 14, 15]].map { [0, 0] + $0 }),
    Case(
      name:
        "the reserved byte and what is longer than declared become 0; a short report stays short",
      typed: [[0, 0x17, 0x17, 0, 0, 0, 0, 0, 0x17, 0x0b], [0, 0x17, 0x0b], [2], []],
      left: [[0, 0, 4, 0, 0, 0, 0, 0, 0, 0], [0, 0, 5], [2], []]),
  ]

  @Test("text keys in an array are replaced, and other keys stay", arguments: bootCases)
  func bootKeyboard(example: Case) {
    #expect(Self.redacted(Self.boot, example.typed) == example.left)
  }

  /// Returns input report 1 in which these keys are down.
  private static func bits(_ keys: [Int], modifiers: UInt8 = 0) -> [UInt8] {
    var report = [UInt8](repeating: 0, count: 17)
    report[0] = 1
    report[1] = modifiers
    for key in keys { report[2 + key / 8] |= 1 << (key % 8) }
    return report
  }

  @Test("text keys with a bit each are replaced, and other keys and declared reports stay")
  func bitmap() {
    let typed = [
      Self.bits([0x17], modifiers: 2), Self.bits([0x17, 0x0b]), Self.bits([0x0b, 0x4f, 0x2a]),
      Self.bits([]), Self.bits([0x62]), [2, 1], [3, 9, 9], [9, 0x17],
    ]
    #expect(
      Self.redacted(Self.nkro, typed) == [
        // Held keys take the first free indices in the order of their bits.
        Self.bits([4], modifiers: 2), Self.bits([4, 5]), Self.bits([5, 0x4f, 0x2a]), Self.bits([]),
        Self.bits([4]),
        // The volume and vendor-defined reports stay; the report that is not declared does not.
        [2, 1], [3, 9, 9], [9, 0],
      ])
  }

  @Test("text keys with a field each are replaced by one another")
  func singleFields() {
    // The descriptor has the text keys 0x04, 0x17 and 0x05, and Escape (0x29), a byte each.
    var descriptor: [UInt8] = [
      0x05, 0x01, 0x09, 0x06, 0xa1, 0x01, 0x05, 0x07, 0x15, 0x00, 0x25, 0x7f,
    ]
    descriptor += [0x75, 0x08, 0x95, 0x01]
    for usage: UInt8 in [0x04, 0x29, 0x17, 0x05] { descriptor += [0x09, usage, 0x81, 0x02] }
    descriptor.append(0xc0)
    #expect(
      Self.redacted(descriptor, [[0, 0, 0, 70], [0, 3, 20, 80], [0, 0, 20, 0]])
        == [[70, 0, 0, 0], [80, 3, 20, 0], [0, 0, 20, 0]])
  }

  @Test("the keys of a phone's keypad are replaced, and its mute key and null values stay")
  func phone() {
    // A byte for Phone Mute; two of the keys 0 to 9, star and pound, with a null state.
    let phone: [UInt8] = [
      0x05, 0x0b, 0x09, 0x05, 0xa1, 0x01, 0x15, 0x00, 0x25, 0x01, 0x75, 0x08, 0x95, 0x01, 0x09,
      0x2f, 0x81, 0x02, 0x19, 0xb0, 0x29, 0xbb, 0x25, 0x0b, 0x95, 0x02, 0x81, 0x40, 0xc0,
    ]
    let typed: [[UInt8]] = [
      [1, 15, 15], [0, 5, 15], [0, 5, 0], [0, 15, 0], [0, 15, 15], [1, 7, 15],
    ]
    #expect(
      Self.redacted(phone, typed) == [
        [1, 15, 15], [0, 0, 15], [0, 0, 1], [0, 15, 1], [0, 15, 15], [1, 0, 15],
      ])
  }

  @Test("the reports of a mouse stay as they are")
  func mouse() {
    let mouse: [UInt8] = [
      0x05, 0x01, 0x09, 0x02, 0xa1, 0x01, 0x05, 0x09, 0x19, 0x01, 0x29, 0x03, 0x15, 0x00, 0x25,
      0x01,
      0x95, 0x03, 0x75, 0x01, 0x81, 0x02, 0x95, 0x01, 0x75, 0x05, 0x81, 0x01, 0xc0,
    ]
    #expect(Self.redacted(mouse, [[0xff], [7, 1, 2], [1]]) == [[0xff], [7, 1, 2], [1]])
  }

  @Test("a report whose descriptor is not valid becomes zeros of the same length")
  func unreadable() { #expect(Self.redacted([0xff, 0xff], [[1, 2, 3]]) == [[0, 0, 0]]) }

  @Test("the bytes that a barcode scanner has read become 0")
  func scanner() {
    let scanner: [UInt8] = [
      0x05, 0x8c, 0x09, 0x02, 0xa1, 0x01, 0x85, 0x02, 0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08,
      0x95,
      0x03, 0x09, 0xfe, 0x82, 0x02, 0x01, 0xc0,
    ]
    #expect(Self.redacted(scanner, [[2, 0x41, 0x42, 0x43]]) == [[2, 0, 0, 0]])
  }

  @Test("reports in requests are redacted, and do not change which keys are held")
  func requests() throws {
    var redaction = HIDTraceRedaction(devices: [HIDTraceDevice(descriptor: Self.boot)])
    func kind(_ kind: HIDTraceEvent.Kind) -> HIDTraceEvent.Kind? {
      redaction.redacted(HIDTraceEvent(microseconds: 7, kind: kind, line: 3))?.kind
    }
    let answer = HIDReportBytes([0, 0, 0x17, 0x0b, 0, 0, 0, 0])
    let left = HIDReportBytes([0, 0, 5, 4, 0, 0, 0, 0])
    #expect(
      kind(.input(HIDReportBytes([0, 0, 0x0b, 0, 0, 0, 0, 0])))
        == .input(HIDReportBytes([0, 0, 4, 0, 0, 0, 0, 0])))
    #expect(
      kind(
        .getReport(HIDTraceGet(type: .input, id: nil, answer: .report(answer), latency: 9)))
        == .getReport(HIDTraceGet(type: .input, id: nil, answer: .report(left), latency: 9)))
    #expect(
      kind(
        .setReport(HIDTraceSet(type: .input, id: nil, report: answer, answer: .acknowledged)))
        == .setReport(HIDTraceSet(type: .input, id: nil, report: left, answer: .acknowledged)))
    #expect(
      kind(.input(HIDReportBytes([0, 0, 0x0b, 0x1d, 0, 0, 0, 0])))
        == .input(HIDReportBytes([0, 0, 4, 5, 0, 0, 0, 0])))
    // LEDs, openings and losses stay; reports from before the kernel changed them are removed.
    for kept: HIDTraceEvent.Kind in [
      .output(HIDReportBytes([2])), .opened, .closed, .lost(3), .unplugged, .plugged,
    ] {
      #expect(kind(kept) == kept)
    }
    #expect(kind(.original(answer)) == nil)
    // A packet can contain typed keys in any form.
    #expect(kind(.packet(HIDTracePacket(.received, bytes: answer))) == nil)
  }

  @Test("the serial number is removed, and an address in the path becomes zeros")
  func identity() {
    let device = HIDTraceDevice(
      descriptor: Self.boot, name: "Keyboard", physicalPath: "a0:b1:C2:d3:e4:f5/input1",
      serialNumber: "12:34:56:78:9a:bc")
    let redacted = HIDTraceRedaction.redacted(device)
    #expect(redacted.serialNumber == nil)
    #expect(redacted.physicalPath == "00:00:00:00:00:00/input1")
    #expect(redacted.name == "Keyboard" && redacted.descriptor == Self.boot)
    let usb = HIDTraceDevice(descriptor: [], physicalPath: "usb-0000:00:14.0-2/input0")
    #expect(HIDTraceRedaction.redacted(usb).physicalPath == usb.physicalPath)
  }

  private static let textKeys =
    Array(0x04...0x28) + [0x2b, 0x2c] + Array(0x2d...0x38) + Array(0x54...0x64)

  @Test(
    "two texts typed at the same pace become the same reports, with as many keys down",
    arguments: 0..<200 as Range<UInt64>)
  func indistinguishable(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    // The keys of a text that are down in each report, by number.
    var down: Set<Int> = []
    var steps: [[Int]] = []
    for next in 0..<30 {
      if down.count < 5, Bool.random(using: &random) { down.insert(next) }
      if let up = down.randomElement(using: &random), Bool.random(using: &random) {
        down.remove(up)
      }
      steps.append(down.sorted())
    }
    func typed(_ random: inout SplitMix64) -> [[Int]] {
      // Keys that are held at the same time, or directly one after the other, are different keys.
      var keys: [Int: Int] = [:]
      var before: [Int] = []
      return steps.map { step in
        for key in step where keys[key] == nil {
          let used = Set((before + step).compactMap { keys[$0] })
          keys[key] = Self.textKeys.filter { !used.contains($0) }.randomElement(using: &random)
        }
        before = step
        return step.compactMap { keys[$0] }
      }
    }
    func arrays(_ typed: [[Int]]) -> [[UInt8]] {
      typed.map { keys in
        [0, 0] + keys.map { UInt8($0) } + [UInt8](repeating: 0, count: 6 - keys.count)
      }
    }
    let (one, other) = (typed(&random), typed(&random))
    let first = Self.redacted(Self.boot, arrays(one))
    #expect(first == Self.redacted(Self.boot, arrays(other)))
    func keys(_ report: [UInt8]) -> [UInt8] { report.dropFirst(2).filter { $0 != 0 } }
    #expect(first.map { keys($0).count } == steps.map(\.count))
    #expect(first.allSatisfy { Set(keys($0)).count == keys($0).count })
    // The redacted reports have as many changes as the typed reports.
    func changes(_ reports: [[UInt8]]) -> [Int] {
      zip([[]] + reports, reports).map { before, now in
        Set(keys(before)).symmetricDifference(keys(now)).count
      }
    }
    #expect(changes(first) == changes(arrays(one)))
    // The indices of bits show an order: the redaction may exchange keys that go down in one
    // report.
    func places(_ report: [UInt8]) -> [Int] {
      (0..<0x78).filter { key in
        let byte = report[2 + key / 8]
        return byte & (1 << UInt8(key % 8)) != 0
      }
    }
    let found: [[Int]] = Self.redacted(Self.nkro, one.map { Self.bits($0) }).map(places)
    #expect(found.map(\.count) == steps.map(\.count))
    #expect(Set(found.joined()).isSubset(of: 4...14))
  }

  @Test(
    "any report of any descriptor keeps its length",
    arguments: 0..<300 as Range<UInt64>)
  func hostile(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let descriptor = mutated(Bool.random(using: &random) ? Self.boot : Self.nkro, using: &random)
    let reports = (0..<20).map { _ in
      (0..<Int.random(in: 0...20, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
    }
    #expect(Self.redacted(descriptor, reports).map(\.count) == reports.map(\.count))
  }
}
