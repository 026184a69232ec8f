// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import Testing
import TestSupport

@testable import HIDTraces

@Suite("Comparing traces") struct HIDTraceComparisonTests {
  private static let keys = [
    Sample.input(0, "00 00 04 00 00 00 00 00"), Sample.input(500_000, "00 00 00 00 00 00 00 00"),
    Sample.input(1_000_000, "02 00 05 00 00 00 00 00"),
    Sample.output(1_100_000, "02"),
    Sample.input(1_500_000, "00 00 00 00 00 00 00 00"),
  ]
  private static let moves = [
    Sample.input(0, "01 00 05 00", device: 1), Sample.input(8_000, "01 01 06 01", device: 1),
    Sample.input(16_000, "02 01", device: 1), Sample.get(20_000, 3, "03 07", device: 1),
    Sample.input(24_000, "01 02 07 ff", device: 1), Sample.input(32_000, "02 00", device: 1),
  ]

  private func compare(
    _ first: HIDTrace, _ second: HIDTrace,
    _ options: HIDTraceComparison.Options = HIDTraceComparison.Options()
  ) throws -> (lines: [String], totals: HIDTraceComparison.Totals) {
    var comparison = try HIDTraceComparison(
      HIDTraceReader(first), HIDTraceReader(second), options: options)
    var lines: [String] = []
    while let difference = try comparison.next() { lines.append(difference.description) }
    #expect(comparison.totals.differences == lines.count)
    return (lines, comparison.totals)
  }

  private static func keyboard(_ events: [HIDTraceEvent]) -> HIDTrace {
    HIDTrace(devices: [Sample.keyboard], events: events)
  }

  private static func both(_ events: [HIDTraceEvent]) -> HIDTrace {
    HIDTrace(devices: [Sample.keyboard, Sample.pad], events: events)
  }

  @Test("an event that only one trace has is one line, wherever it is")
  func lonely() throws {
    let whole = Self.keyboard(Self.keys)
    for (place, line) in [
      (0, "0.000000  keyboard: input 00 00 04 00 00 00 00 00  keyboardOrKeypad.keyboardA on"),
      (
        2,
        "1.000000  keyboard: input 02 00 05 00 00 00 00 00  keyboardOrKeypad.keyboardLeftShift on, keyboardOrKeypad.keyboardB on"
      ),
      (3, "1.100000  keyboard: output 02  led.capsLock on"),
      (
        4,
        "1.500000  keyboard: input 00 00 00 00 00 00 00 00  keyboardOrKeypad.keyboardLeftShift off, keyboardOrKeypad.keyboardB off"
      ),
    ] {
      var part = whole
      part.events.remove(at: place)
      let missing = try compare(whole, part).lines
      #expect(missing == ["- " + line], "\(place)")
      let added = try compare(part, whole).lines
      #expect(added == ["+ " + line], "\(place)")
    }
    let few = try compare(whole, Self.keyboard([]))
    #expect(few.lines.count == 5 && few.totals.missing == 5 && few.totals.same == 0)
  }

  @Test("events of a device that the trace does not declare are ignored")
  func unknownDevice() throws {
    let unknown = [
      Sample.input(0, "01", device: 1), Sample.input(600_000, "02", device: -1),
      Sample.output(700_000, "03", device: .max),
    ]
    let whole = Self.keyboard(Self.keys)
    for other in [Self.keyboard(unknown + Self.keys), Self.keyboard(Self.keys + unknown)] {
      for (first, second) in [(whole, other), (other, whole)] {
        let (lines, totals) = try compare(first, second)
        #expect(lines == [])
        #expect(totals.same == Self.keys.count)
      }
    }
  }

  @Test("a report with changed bytes is one line with the difference")
  func changed() throws {
    let table: [(Int, HIDTraceEvent, [String])] = [
      (
        6, Sample.input(8_000, "01 01 07 01", device: 1),
        ["~ 0.008000  pad: input 1 01 01 06 01 -> input 1 01 01 07 01  genericDesktop.x 6 -> 7"]
      ),
      (
        7, Sample.input(16_000, "02 03", device: 1),
        ["~ 0.016000  pad: input 2 02 01 -> input 2 02 03  button 2 off -> on"]
      ),
      (
        7, Sample.input(16_000, "02 05", device: 1),
        ["~ 0.016000  pad: input 2 02 01 -> input 2 02 05  byte 1"]
      ),
      (
        7, Sample.input(16_000, "02 01 00", device: 1),
        ["~ 0.016000  pad: input 2 02 01 -> input 2 02 01 00"]
      ),
      (
        8, Sample.get(20_000, 3, nil, device: 1),
        ["~ 0.020000  pad: get feature 3: answered 03 07 -> get feature 3: refused"]
      ),
      // A report with another ID is not a changed report.
      (
        7, Sample.input(16_000, "01 01 06 02", device: 1),
        [
          "- 0.016000  pad: input 2 02 01  button 1 on",
          "+ 0.016000  pad: input 1 01 01 06 02  genericDesktop.y 2",
        ]
      ),
      (
        0, Sample.input(0, "00 00 05 00 00 00 00 00"),
        [
          "~ 0.000000  keyboard: input 00 00 04 00 00 00 00 00 -> input 00 00 05 00 00 00 00 00  "
            + "keyboardOrKeypad.keyboardA on -> off, keyboardOrKeypad.keyboardB off -> on"
        ]
      ),
    ]
    let whole = Self.both(Self.keys + Self.moves)
    for (place, event, lines) in table {
      var other = whole
      other.events[place] = event
      let found = try compare(whole, other).lines
      #expect(found == lines)
    }
  }

  @Test("times matter only with a tolerance, and then only beyond it")
  func times() throws {
    let whole = Self.keyboard(Self.keys)
    var shifted = whole
    for place in shifted.events.indices { shifted.events[place].microseconds += 7_000_000_000 }
    #expect(try compare(whole, shifted).lines == [])
    let within = HIDTraceComparison.Options(tolerance: .milliseconds(10))
    #expect(try compare(whole, shifted, within).lines == [])
    var late = whole
    late.events[2].microseconds += 10_001
    late.events[3].microseconds += 9_999
    #expect(try compare(whole, late).lines == [])
    #expect(
      try compare(whole, late, within).lines == [
        "~ 1.000000  keyboard: input 02 00 05 00 00 00 00 00  time 1.000000 -> 1.010001"
      ])
    // A tolerance below 0 allows no difference, even beyond the numbers of 64 bits.
    for seconds in [-1, Int64.min] {
      let none = HIDTraceComparison.Options(tolerance: .seconds(seconds))
      #expect(try compare(whole, late, none).lines != [])
    }
    // The times count from the first event that both traces have.
    var part = whole
    part.events.removeFirst()
    let found = try compare(whole, part, within).lines
    #expect(
      found == [
        "- 0.000000  keyboard: input 00 00 04 00 00 00 00 00  keyboardOrKeypad.keyboardA on"
      ])
    // One of many equal events is missing; the times show which one.
    let same = Self.keyboard((0..<9).map { Sample.input(100_000 * $0, "00 00 04 00 00 00 00 00") })
    var fewer = same
    fewer.events.remove(at: 4)
    let one = try compare(same, fewer, within).lines
    #expect(
      one == [
        "- 0.400000  keyboard: input 00 00 04 00 00 00 00 00"
      ])
  }

  @Test("the order of devices, and of events of different devices, does not matter")
  func order() throws {
    let first = Self.both(Self.keys + Self.moves)
    let swapped = HIDTrace(
      devices: [Sample.pad, Sample.keyboard],
      events: (Self.moves + Self.keys).map { event in
        var event = event
        event.device = 1 - event.device
        return event
      })
    #expect(try compare(first, swapped).lines == [])
    #expect(try compare(first, swapped).totals.same == 11)
  }

  @Test("devices differ by name, ids, report descriptor and presence")
  func devices() throws {
    let whole = Self.both(Self.keys + Self.moves)
    var other = whole
    other.devices[0].name = "other"
    other.devices[0].identity?.productID = 9
    other.devices[0].physicalPath = "somewhere"
    #expect(
      try compare(whole, other).lines == [
        "~ keyboard: name keyboard -> other, ids 0003:1209:0001 -> 0003:1209:0009"
      ])
    other = whole
    // The descriptor of the second device loses feature report 3.
    other.devices[1].descriptor = Array(Sample.pad.descriptor.dropLast(17)) + [0xC0]
    #expect(
      try compare(whole, other).lines == [
        "~ pad: report descriptor: - feature report 3: length 2 bytes"
      ])
    let one = Self.keyboard(Self.keys)
    let result = try compare(whole, one)
    #expect(result.lines == ["- pad"])
    #expect(result.totals.passedOver == 6 && result.totals.same == 5)
    #expect(try compare(one, whole).lines == ["+ pad"])
    // The descriptor of the first device has the same meaning in other bytes.
    other = whole
    other.devices[0].descriptor = Sample.bytes("05 01") + Sample.keyboard.descriptor
    #expect(try compare(whole, other).lines == [])
    other.devices[0].descriptor = [0xC0]
    #expect(
      try compare(whole, other).lines.first
        == "~ keyboard: report descriptor \(whole.devices[0].descriptor.count) bytes -> 1 bytes, which differ; hidsim cannot compare the reports, since at least one of the two descriptors is not valid"
    )
  }

  @Test(
    "bytes, controls and reports that are excluded are no difference",
    arguments: [
      "input 1 bytes 1-2", "input 1 byte 1", "0xff00.0x0020", "input 1", "input 0x1 bytes 0-3",
    ])
  func exclusions(_ text: String) throws {
    let whole = Self.both(Self.moves)
    var other = whole
    for place in other.events.indices where other.events[place].kind.reportBytes?.first == 1 {
      guard case .input(let report) = other.events[place].kind else { continue }
      var bytes = [UInt8](report)
      bytes[1] ^= 0x55
      other.events[place].kind = .input(HIDReportBytes(bytes))
    }
    #expect(try compare(whole, other).lines.count == 3)
    let options = HIDTraceComparison.Options(exclusions: [try HIDTraceExclusion(text)])
    #expect(try compare(whole, other, options).lines == [])
  }

  @Test("an exclusion that cannot be applied is refused with a remedy")
  func badExclusions() throws {
    for (text, told) in [
      (
        "",
        "the exclusion is empty; write an exclusion such as input 1 bytes 7-9, input 3 or genericDesktop.x"
      ),
      (
        "input 300",
        "\"300\" is not a report ID from 1 to 255; write an exclusion such as input 1 bytes 7-9, input 3 or genericDesktop.x"
      ),
      (
        "input 1 bytes 9-7",
        "\"input 1 bytes 9-7\" has no valid range of bytes; write an exclusion such as input 1 bytes 7-9, input 3 or genericDesktop.x"
      ),
      (
        "feature bits 3",
        "\"bits\" is not a report ID from 1 to 255; write an exclusion such as input 1 bytes 7-9, input 3 or genericDesktop.x"
      ),
      (
        "input bytes",
        "\"input bytes\" has no valid range of bytes; write an exclusion such as input 1 bytes 7-9, input 3 or genericDesktop.x"
      ),
      (
        "input 1 bytesfoo 3",
        "\"input 1 bytesfoo 3\" has no valid range of bytes; write an exclusion such as input 1 bytes 7-9, input 3 or genericDesktop.x"
      ),
      (
        "input bytes 1-99999999999999999999",
        "\"input bytes 1-99999999999999999999\" has no valid range of bytes; write an exclusion such as input 1 bytes 7-9, input 3 or genericDesktop.x"
      ),
    ] {
      let error = #expect(throws: HIDTraceExclusion.Failure.self) { try HIDTraceExclusion(text) }
      #expect(error?.description == told)
    }
    let trace = HIDTraceReader(Self.both([]))
    for (text, told) in [
      (
        "genericDesktop.wheel",
        "no device that is in both traces has a control \"genericDesktop.wheel\"; hidsim describe lists the controls of a device"
      ),
      (
        "keyboardOrKeypad.keyboardA",
        "\"keyboardOrKeypad.keyboardA\" is a usage of an array and has no bits of its own; name the bytes of the array, as in input 1 bytes 2-7"
      ),
    ] {
      let options = HIDTraceComparison.Options(exclusions: [try HIDTraceExclusion(text)])
      let error = #expect(throws: HIDTraceExclusion.Failure.self) {
        try HIDTraceComparison(trace, trace, options: options)
      }
      #expect(error?.description == told)
    }
  }

  @Test("openings are no difference unless asked for, and the times of requests are none at all")
  func names() throws {
    let whole = Self.both(Self.moves)
    var other = whole
    other.events[3] = Sample.get(20_000, 3, "03 07", latency: 999, device: 1)
    other.events.insert(HIDTraceEvent(microseconds: 0, device: 1, kind: .opened), at: 0)
    #expect(try compare(whole, other).lines == [])
    #expect(
      try compare(
        whole, other,
        HIDTraceComparison.Options(names: Set(HIDTraceEvent.names))
      ).lines == ["+ 0.000000  pad: opened"])
    other.events[4] = Sample.get(20_000, 3, nil, device: 1)
    #expect(
      try compare(whole, other, HIDTraceComparison.Options(names: [.input])).lines == [])
  }

  @Test("a trace does not differ from itself, and each event taken out or put in is one difference")
  func random() throws {
    for seed in 0..<30 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let trace = Sample.random(&random, count: Int.random(in: 0...2000, using: &random))
      #expect(try compare(trace, trace).lines == [], "seed \(seed)")
      var other = trace
      let all = HIDTraceComparison.Options(names: Set(HIDTraceEvent.names))
      let place = Int.random(in: 0...max(0, trace.events.count - 1), using: &random)
      let count = min(trace.events.count - place, Int.random(in: 0...300, using: &random))
      guard count > 0 else { continue }
      other.events.removeSubrange(place..<place + count)
      let result = try compare(trace, other, all).totals
      #expect(result.missing == count && result.added == 0 && result.changed == 0, "seed \(seed)")
      let reverse = try compare(other, trace, all).totals
      #expect(reverse.added == count && reverse.differences == count, "seed \(seed)")
    }
  }

  @Test("thousands of missing events in a row are as many differences")
  func outage() throws {
    var random = SplitMix64(seed: 5)
    let whole = Self.both(
      (0..<12_000).map { place in
        let bytes = (0..<4).map { _ in UInt8.random(in: 0...15, using: &random) }
        return HIDTraceEvent(
          microseconds: 1000 * Int64(place), device: 0, kind: .input(HIDReportBytes(bytes)))
      })
    for start in [0, 3_000] {
      var part = whole
      part.events.removeSubrange(start..<start + 5_000)
      for options in [
        HIDTraceComparison.Options(detailedCount: 0),
        HIDTraceComparison.Options(tolerance: .milliseconds(2), detailedCount: 0),
      ] {
        let missing = try compare(whole, part, options).totals
        #expect(missing.missing == 5_000 && missing.differences == 5_000, "\(start)")
        let added = try compare(part, whole, options).totals
        #expect(added.added == 5_000 && added.differences == 5_000, "\(start)")
      }
    }
  }

  @Test("a trace that is written as hid-recorder's text and read again has the same events")
  func written() throws {
    for seed in 100..<130 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let trace = Sample.random(&random, count: 300)
      let text = try #require(trace.written(as: .recorder))
      let copy = try HIDTrace(text, name: "copy.hid")
      let events = copy.events.map { event in
        var event = event
        event.line = 0
        return event
      }
      #expect(events == trace.events, "seed \(seed)")
      let options = HIDTraceComparison.Options(
        names: Set(HIDTraceEvent.names), tolerance: .zero)
      #expect(try compare(trace, copy, options).lines == [])
    }
  }

  @Test("traces with changed descriptors and exclusions are compared and counted to the end")
  func hostile() throws {
    var random = SplitMix64(seed: 11)
    let exclusions = [
      "input 1 bytes 7-9", "genericDesktop.x#2", "feature 0x3 byte 0", "button 1", "input 255",
    ]
    for _ in 0..<300 {
      var traces = [Sample.random(&random, count: 40), Sample.random(&random, count: 40)]
      for place in traces.indices {
        for device in traces[place].devices.indices {
          let bytes = mutated(traces[place].devices[device].descriptor, using: &random)
          traces[place].devices[device].descriptor = bytes
        }
        var reader = HIDTraceReader(traces[place])
        #expect(try HIDTraceStatistics(reading: &reader).eventCount == 40)
      }
      let text = exclusions.randomElement(using: &random) ?? ""
      let other = String(decoding: mutated(Array(text.utf8), using: &random), as: UTF8.self)
      let options = HIDTraceComparison.Options(
        tolerance: .milliseconds(1),
        exclusions: (try? HIDTraceExclusion(other)).map { [$0] } ?? [])
      do {
        let (_, totals) = try compare(traces[0], traces[1], options)
        let compared = 2 * (totals.same + totals.changed) + totals.missing + totals.added
        #expect(compared + totals.passedOver == 80)
      } catch is HIDTraceExclusion.Failure {
        // The exclusion names a control that no device has.
      }
    }
  }

  @Test(
    "traces without common events are compared within a minute, and every event is counted",
    .timeLimit(.minutes(1)))
  func unlike() throws {
    func trace(_ seed: UInt64, _ values: UInt8) -> HIDTrace {
      var random = SplitMix64(seed: seed)
      return Self.both(
        (0..<10_000).map { place in
          let bytes = (0..<8).map { _ in UInt8.random(in: 0...values, using: &random) }
          return HIDTraceEvent(
            microseconds: Int64(place), device: 0, kind: .input(HIDReportBytes(bytes)))
        })
    }
    for values in [UInt8.max, 0, 1] {
      var comparison = try HIDTraceComparison(
        HIDTraceReader(trace(1, values)), HIDTraceReader(trace(2, values)),
        options: HIDTraceComparison.Options(detailedCount: 100))
      while try comparison.next() != nil {}
      let totals = comparison.totals
      #expect(totals.same + totals.missing + totals.changed == 10_000)
      #expect(totals.same + totals.added + totals.changed == 10_000)
    }
  }

  @Test("a trace with all events of one device first does not differ from the mixed one")
  func skewed() throws {
    let keys = (0..<40_000).map { Sample.input($0, "00 00 0\($0 % 10) 00 00 00 00 00") }
    let moves = (0..<40_000).map { Sample.input($0, "01 00 0\($0 % 10) 00", device: 1) }
    let mixed = zip(keys, moves).flatMap { [$0, $1] }
    let result = try compare(Self.both(mixed), Self.both(keys + moves))
    #expect(result.lines == [] && result.totals.same == 80_000)
  }
}

@Suite("Pairing lists") struct TraceAlignmentTests {
  /// Returns the length of the longest common subsequence, by the table algorithm of textbooks.
  private static func length(_ first: [Int], _ second: [Int], _ reach: [Range<Int>]?) -> Int {
    var row = [Int](repeating: 0, count: second.count + 1)
    for (one, element) in first.enumerated() {
      var next = row
      for other in second.indices {
        let isPair = element == second[other] && reach?[one].contains(other) ?? true
        next[other + 1] = isPair ? row[other] + 1 : max(row[other + 1], next[other])
        next[other + 1] = max(next[other + 1], row[other + 1], next[other])
      }
      row = next
    }
    return row.last ?? 0
  }

  @Test("the pairs are equal, in order, within reach, and as many as can be")
  func pairs() {
    for seed in 0..<400 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let values = Int.random(in: 1...12, using: &random)
      func list() -> [Int] {
        (0..<Int.random(in: 0...200, using: &random)).map { _ in
          Int.random(in: 0..<values, using: &random)
        }
      }
      let first = list()
      let second = list()
      var reach: [Range<Int>]?
      if seed % 2 == 1 {
        let width = Int.random(in: 0...40, using: &random)
        reach = first.indices.map {
          min(second.count, max(0, $0 - width))..<min(second.count, $0 + width)
        }
      }
      let pairs = TraceAlignment(first, second, reach: reach).pairs
      #expect(pairs.count == Self.length(first, second, reach), "seed \(seed)")
      #expect(
        pairs.allSatisfy {
          first[$0.first] == second[$0.second] && reach?[$0.first].contains($0.second) ?? true
        })
      #expect(
        zip(pairs, pairs.dropFirst()).allSatisfy { $0.first < $1.first && $0.second < $1.second })
    }
  }
}
