// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDTraces
import IOLoop
import TestSupport
import Testing

@Suite("HIDTraceRecorder")
struct HIDTraceRecorderTests {
  private static func device(_ number: Int) -> HIDTraceDevice {
    HIDTraceDevice(
      number: number, descriptor: [0x05, 0x01, 0xc0], name: "device \(number)",
      serialNumber: "S\(number)")
  }

  /// Returns a time of the monotonic clock, in microseconds after 1 s.
  private static func time(_ microseconds: UInt64) -> MonotonicTime {
    MonotonicTime(nanoseconds: 1_000_000_000 + microseconds * 1000)
  }

  private static func input(_ byte: UInt8) -> HIDTraceEvent.Kind { .input(HIDReportBytes([byte])) }

  /// A recorder, and its output so far.
  private struct Recording {
    var recorder: HIDTraceRecorder
    var output: [UInt8] = []

    init(devices: Int, sources: Int) throws {
      recorder = HIDTraceRecorder(
        devices: (0..<devices).map(HIDTraceRecorderTests.device), sources: sources)
      recorder.begin(into: &output)
    }

    mutating func write(at microseconds: UInt64) -> MonotonicTime? {
      recorder.write(at: time(microseconds), into: &output)
    }

    /// Returns the stamp, device and first byte of each report in the output.
    func reports() throws -> [String] {
      try HIDTrace(output, name: "a.hid").events.map { event in
        guard case .input(let bytes) = event.kind else { return "\(event.kind)" }
        return "\(event.microseconds) \(event.device) \(bytes[0])"
      }
    }
  }

  @Test("events of a single source are written at once, with stamps since the first event")
  func single() throws {
    var recording = try Recording(devices: 1, sources: 1)
    recording.recorder.add(Self.input(1), device: 0, at: Self.time(5), from: 0)
    #expect(recording.write(at: 5) == nil)
    #expect(try recording.reports() == ["0 0 1"])
    recording.recorder.add(Self.input(2), device: 0, at: Self.time(1_500_005), from: 0)
    recording.recorder.add(Self.input(3), device: 0, at: Self.time(1_500_004), from: 0)
    #expect(recording.write(at: 5) == nil)
    // The events of a source are in order: a time that is earlier than that of the previous event
    // is replaced by the time of the previous event.
    #expect(try recording.reports() == ["0 0 1", "1500000 0 2", "1500000 0 3"])
  }

  @Test("an event waits until each other source has a later one or has ended, or time is over")
  func merging() throws {
    var recording = try Recording(devices: 2, sources: 3)
    recording.recorder.add(Self.input(1), device: 0, at: Self.time(10), from: 0)
    #expect(recording.write(at: 10) == Self.time(10).advanced(by: HIDTraceRecorder.holdBack))
    #expect(try recording.reports() == [])
    recording.recorder.end(2)
    recording.recorder.add(Self.input(2), device: 1, at: Self.time(9), from: 1)
    // The first source has added an event at 10, so no event before 9 can still come.
    #expect(recording.write(at: 11) == Self.time(10).advanced(by: HIDTraceRecorder.holdBack))
    #expect(try recording.reports() == ["0 1 2"])
    recording.recorder.add(Self.input(3), device: 1, at: Self.time(12), from: 1)
    #expect(recording.write(at: 12) == Self.time(12).advanced(by: HIDTraceRecorder.holdBack))
    #expect(try recording.reports() == ["0 1 2", "1 0 1"])
    #expect(recording.write(at: 50_012) == nil)
    #expect(try recording.reports() == ["0 1 2", "1 0 1", "3 1 3"])
    // The event is too late. It keeps its position, and gets the time of the event before it.
    recording.recorder.add(Self.input(4), device: 0, at: Self.time(11), from: 0)
    recording.recorder.finish(into: &recording.output)
    #expect(try recording.reports() == ["0 1 2", "1 0 1", "3 1 3", "3 0 4"])
  }

  @Test(
    "the output is a valid trace at any moment, in the order of times",
    arguments: 0..<50 as Range<UInt64>)
  func anyOrder(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let count = Int.random(in: 1...4, using: &random)
    var recording = try Recording(devices: count, sources: count)
    var clocks = [UInt64](repeating: 0, count: count)
    var sent: [(time: UInt64, device: Int, byte: UInt8)] = []
    var written = 0
    for step in 0..<200 {
      let source = Int.random(in: 0..<count, using: &random)
      clocks[source] += UInt64.random(in: 0...5000, using: &random)
      let byte = UInt8.random(in: 0...255, using: &random)
      sent.append((clocks[source], source, byte))
      recording.recorder.add(
        Self.input(byte), device: source, at: Self.time(clocks[source]), from: source)
      // All events arrive at once, so no source is more than the hold-back behind.
      guard step % 7 == 0, let slowest = clocks.min() else { continue }
      _ = recording.write(at: slowest)
      let reports = try recording.reports().count
      #expect(reports >= written)
      written = reports
    }
    recording.recorder.finish(into: &recording.output)
    let order = sent.enumerated().sorted {
      ($0.element.time, $0.element.device, $0.offset) < (
        $1.element.time, $1.element.device, $1.offset
      )
    }.map(\.element)
    let base = try #require(order.first?.time)
    #expect(try recording.reports() == order.map { "\($0.time - base) \($0.device) \($0.byte)" })
    #expect(
      recording.recorder.totals.map(\.inputs)
        == (0..<count).map { device in sent.count { $0.device == device } })
  }

  @Test("every kind of event is read again as it was written")
  func kinds() throws {
    var recording = try Recording(devices: 1, sources: 1)
    let bytes = HIDReportBytes([1, 2, 3])
    let kinds: [HIDTraceEvent.Kind] = [
      .opened, .input(bytes), .lost(7), .output(bytes),
      .getReport(HIDTraceGet(type: .feature, id: nil, answer: .report(bytes), latency: 12)),
      .getReport(HIDTraceGet(type: .feature, id: nil, answer: .error, latency: 12)),
      .getReport(HIDTraceGet(type: .feature, id: nil, answer: .none, latency: 12)),
      .setReport(
        HIDTraceSet(type: .feature, id: nil, report: bytes, answer: .acknowledged, latency: 5)),
      .closed, .unplugged, .plugged,
    ]
    for (index, kind) in kinds.enumerated() {
      recording.recorder.add(kind, device: 0, at: Self.time(UInt64(index)), from: 0)
    }
    recording.recorder.finish(into: &recording.output)
    let trace = try HIDTrace(recording.output, name: "a.hid")
    #expect(trace.events.map(\.kind) == kinds)
    #expect(trace.events.map(\.microseconds) == kinds.indices.map(Int64.init))
    let totals = try #require(recording.recorder.totals.first)
    #expect(totals.inputs == 1 && totals.outputs == 1 && totals.requests == 4 && totals.lost == 7)
  }

  @Test("the largest counts of lost reports have the largest number as their sum")
  func mostLost() throws {
    var recording = try Recording(devices: 1, sources: 1)
    for index in 0..<2 as Range<UInt64> {
      recording.recorder.add(.lost(.max), device: 0, at: Self.time(index), from: 0)
    }
    recording.recorder.finish(into: &recording.output)
    #expect(recording.recorder.totals.map(\.lost) == [.max])
  }

  @Test("a device that is added later has its header where it was added", arguments: [0, 1, 2])
  func later(known: Int) throws {
    var recording = try Recording(devices: known, sources: 1)
    for index in 0..<known {
      recording.recorder.add(Self.input(UInt8(index)), device: index, at: Self.time(1), from: 0)
    }
    _ = recording.write(at: 1)
    for index in known..<known + 2 {
      #expect(recording.recorder.add(Self.device(9), into: &recording.output) == index)
      recording.recorder.add(Self.input(UInt8(index)), device: index, at: Self.time(2), from: 0)
    }
    if known > 0 { recording.recorder.add(Self.input(77), device: 0, at: Self.time(3), from: 0) }
    _ = recording.write(at: 3)
    let trace = try HIDTrace(recording.output, name: "a.hid")
    #expect(
      trace.devices.map(\.name)
        == (0..<known).map { "device \($0)" } + ["device 9", "device 9"])
    #expect(trace.events.map(\.device) == Array(0..<known + 2) + (known > 0 ? [0] : []))
    #expect(trace.warnings == [])
  }

  @Test("a redacted trace has a comment that says so, and no serial number")
  func redacted() throws {
    var recorder = HIDTraceRecorder(devices: [Self.device(0)], sources: 1, isRedacted: true)
    var output: [UInt8] = []
    recorder.begin(into: &output)
    #expect(recorder.add(Self.device(1), into: &output) == 1)
    recorder.add(Self.input(1), device: 1, at: Self.time(0), from: 0)
    recorder.finish(into: &output)
    #expect(String(decoding: output, as: UTF8.self).hasPrefix("# redacted by hidsim\nR: "))
    let trace = try HIDTrace(output, name: "a.hid")
    #expect(trace.devices.map(\.serialNumber) == [nil, nil])
    #expect(trace.events.count == 1)
  }

  @Test("an event of an unknown device or source is ignored")
  func unknown() throws {
    var recording = try Recording(devices: 1, sources: 1)
    recording.recorder.add(Self.input(1), device: 1, at: Self.time(0), from: 0)
    recording.recorder.add(Self.input(1), device: 0, at: Self.time(0), from: 1)
    recording.recorder.end(1)
    recording.recorder.finish(into: &recording.output)
    #expect(try recording.reports() == [])
  }
}
