// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDTraces
import TestSupport
import Testing

@Suite("Statistics of a trace") struct HIDTraceStatisticsTests {
  private func measure(_ trace: HIDTrace) throws -> HIDTraceStatistics {
    var reader = HIDTraceReader(trace)
    return try HIDTraceStatistics(reading: &reader)
  }

  @Test("every number of a known trace is right")
  func known() throws {
    let events = [
      Sample.input(1_000, "01 07 00 00", device: 1),
      Sample.input(2_000, "01 08 05 00", device: 1),
      Sample.get(2_500, 3, "03 09", latency: 300, device: 1),
      Sample.input(3_000, "01 09 f6 00", device: 1),
      Sample.get(3_200, 3, nil, latency: 100, device: 1),
      HIDTraceEvent(
        microseconds: 3_300, device: 1,
        kind: .setReport(
          HIDTraceSet(
            type: .feature, id: HIDReportID(rawValue: 3), report: HIDReportBytes([3, 1]),
            answer: .none))),
      Sample.input(4_500, "02 01", device: 1),
      Sample.input(4_500, "02", device: 1),
      Sample.input(5_500, "02 02 00", device: 1),
      Sample.input(2_005_500, "09 00", device: 1),
      HIDTraceEvent(microseconds: 2_006_000, device: 1, kind: .lost(4)),
    ]
    let statistics = try measure(HIDTrace(devices: [Sample.keyboard, Sample.pad], events: events))
    #expect(statistics.eventCount == 11 && statistics.duration == 2_005_000)
    let keyboard = try #require(statistics.devices.first)
    #expect(keyboard.label == "keyboard" && keyboard.counts.isEmpty && keyboard.first == nil)
    #expect(keyboard.intervals.mean == nil && keyboard.intervals.jitter.isEmpty)
    // 8 modifiers, and the 102 usages of the array, of which usage 0 is counted too.
    #expect(keyboard.stillCount == 8 + 102 && keyboard.moved.isEmpty)
    let pad = statistics.devices[1]
    #expect(pad.counts == [.input: 7, .get: 2, .set: 1, .lost: 1])
    #expect(pad.first == 0 && pad.last == 2_005_000)
    #expect(
      pad.reports.map {
        "\($0.type) \($0.id?.rawValue ?? 0): \($0.count) \($0.shortest) \($0.longest) \($0.declared ?? 0)"
      }
        == ["input 1: 3 4 4 4", "input 2: 3 1 3 2", "input 9: 1 2 2 0", "feature 3: 2 2 2 2"])
    #expect(pad.short == 1 && pad.long == 1 && pad.undeclared == 1 && pad.lost == 4)
    // The intervals are 1000, 1000, 1500, 0 and 1000, then a pause of 2 s.
    #expect(pad.intervals.count == 5 && pad.intervals.minimum == 0 && pad.intervals.maximum == 1500)
    #expect(pad.intervals.percentile(50) == 1000 && pad.intervals.percentile(99) == 1500)
    #expect(pad.intervals.mean == 900 && pad.intervals.total == 4500)
    #expect(pad.intervals.pauseCount == 1 && pad.intervals.longestPause == 2_000_000)
    #expect(
      pad.intervals.jitter.map { "\($0.from) \($0.to) \($0.count)" } == [
        "0 10 3", "10 20 0", "20 50 0", "50 100 0", "100 200 0", "200 500 0", "500 1000 1",
        "1000 2000 1",
      ])
    #expect(
      pad.moved.map { "\($0.name) \($0.minimum)...\($0.maximum) \($0.changes)" } == [
        "0xff00.0x0020 7...9 2", "genericDesktop.x -10...5 2", "button 1 0...1 1",
        "button 2 0...1 1",
      ])
    #expect(pad.stillCount == 1)
    #expect(pad.gets.count == 2 && pad.gets.refused == 1 && pad.gets.withoutAnswer == 0)
    #expect(pad.gets.medianLatency == 100 && pad.gets.longestLatency == 300)
    #expect(pad.sets.count == 1 && pad.sets.withoutAnswer == 1 && pad.sets.longestLatency == nil)
  }

  @Test("the largest counts of lost reports have the largest number as their sum")
  func mostLost() throws {
    let events = [0, 1].map { HIDTraceEvent(microseconds: $0, kind: .lost(.max)) }
    let statistics = try measure(HIDTrace(devices: [Sample.keyboard], events: events))
    #expect(statistics.devices.map(\.lost) == [.max])
  }

  @Test("moves of a relative control are counted, and reports without a move are not")
  func relative() throws {
    let mouse = HIDTraceDevice(
      descriptor: Sample.bytes(
        "05 01 09 02 a1 01 09 30 15 81 25 7f 75 08 95 01 81 06 c0"))
    let statistics = try measure(
      HIDTrace(
        devices: [mouse],
        events: ["05", "05", "00", "02"].map { Sample.input(0, $0) }))
    let device = try #require(statistics.devices.first)
    #expect(device.label == "device 1")
    #expect(
      device.moved.map { "\($0.name) \($0.minimum)...\($0.maximum) \($0.changes)" }
        == ["genericDesktop.x 2...5 3"])
    #expect(device.intervals.rate == nil && device.intervals.mean == 0)
  }

  @Test("a modifier that changes in a report with ErrorRollOver is counted once")
  func rollOver() throws {
    let statistics = try measure(
      HIDTrace(
        devices: [Sample.keyboard],
        events: [
          "00 00 00 00 00 00 00 00", "02 00 01 01 01 01 01 01", "02 00 04 00 00 00 00 00",
          "00 00 04 00 00 00 00 00",
        ].map { Sample.input(0, $0) }))
    let device = try #require(statistics.devices.first)
    #expect(
      device.moved.map { "\($0.name) \($0.minimum)...\($0.maximum) \($0.changes)" } == [
        "keyboardOrKeypad.keyboardLeftShift 0...1 2", "keyboardOrKeypad.keyboardA 0...1 1",
      ])
  }

  @Test("a trace with an invalid descriptor is counted, except for its controls")
  func senseless() throws {
    var broken = Sample.keyboard
    broken.descriptor = [0xC0]
    let statistics = try measure(
      HIDTrace(devices: [broken], events: [Sample.input(0, "01 02"), Sample.input(5, "01")]))
    let device = try #require(statistics.devices.first)
    #expect(device.problem != nil && device.moved.isEmpty && device.undeclared == 0)
    #expect(device.counts == [.input: 2] && device.reports.first?.longest == 2)
  }

  @Test("every event of any trace is counted, even with stamps at the limits of 64 bits")
  func random() throws {
    for seed in 0..<40 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var trace = Sample.random(&random, count: 400)
      for place in trace.events.indices where Bool.random(using: &random) {
        trace.events[place].microseconds = Int64.random(in: .min ... .max, using: &random)
      }
      let statistics = try measure(trace)
      #expect(statistics.eventCount == 400)
      #expect(statistics.devices.flatMap(\.counts.values).reduce(0, +) == 400)
      for device in statistics.devices {
        let inputs = device.counts[.input] ?? 0
        #expect(device.intervals.count + device.intervals.pauseCount == max(0, inputs - 1))
        #expect(device.intervals.jitter.map(\.count).reduce(0, +) == device.intervals.count)
        #expect(device.reports.filter { $0.type == .input }.map(\.count).reduce(0, +) == inputs)
      }
    }
  }
}
