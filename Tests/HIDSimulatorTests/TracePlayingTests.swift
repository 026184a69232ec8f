// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDReportDescriptor
import HIDText
import HIDTraces
import IOLoop
import Synchronization
import SystemPackage
import Testing

@testable import HIDSessions
@testable import HIDSimulator

@Suite("Traces on simulated devices", .timeLimit(.minutes(2)))
struct TracePlayingTests {
  /// Plugs devices of one descriptor each into a new bus, and runs a body with a client of each.
  private func withDevices(
    _ descriptors: [[UInt8]], keepsInput: Bool = false,
    _ body: ([SimulatedDevice], [HIDReportStream], HIDEventLog) async throws -> Void
  ) async throws {
    let log = HIDEventLog(keepsInput: keepsInput)
    let definitions = try descriptors.enumerated().map { number, bytes in
      HIDDeviceDefinition(
        name: "d\(number)", vendorID: 1, productID: 2, interfaces: [try interface(bytes)])
    }
    let directory = try BusDirectory.temporary()
    defer { directory.removeAll() }
    let bus = HIDBus(loopbackIn: directory)
    let devices = SimulatedDevice.make(definitions, log: log)
    var ports: [any HIDClientPort] = []
    var streams: [HIDReportStream] = []
    for device in devices {
      try await device.plug(into: bus)
      let (port, stream) = try await bus.clients.open(
        try #require(device.records.first), capacity: 64, policy: .lossless)
      ports.append(port)
      streams.append(stream)
    }
    try await body(devices, streams, log)
    for port in ports { port.close() }
    for device in devices { await device.unplug() }
  }

  private func input(_ microseconds: Int64, _ bytes: [UInt8], device: Int = 0) -> HIDTraceEvent {
    HIDTraceEvent(microseconds: microseconds, device: device, kind: .input(HIDReportBytes(bytes)))
  }

  private func trace(_ events: [HIDTraceEvent], _ descriptors: [[UInt8]]) -> HIDTrace {
    HIDTrace(devices: descriptors.map { HIDTraceDevice(descriptor: $0) }, events: events)
  }

  private func take(_ count: Int, _ stream: HIDReportStream) async -> [[UInt8]] {
    var reports: [[UInt8]] = []
    for await report in stream {
      reports.append([UInt8](report.bytes))
      if reports.count == count { break }
    }
    return reports
  }

  @Test(
    "a report of the program that a replay waits for can be unexpected before the replay begins",
    arguments: 0...3)
  func early(reportsBeforeHost: Int) async throws {
    let stage = try Stage(interface(RuntimeDescriptor.plain))
    let output = HIDReportBytes([1, 2])
    var assertion = HIDTraceAssertion(HIDTraceAssertion.Options(tolerance: nil))
    _ = assertion.expect(HIDTraceEvent(microseconds: 10, device: 0, kind: .output(output)))
    let watch = ReplayWatch(assertion, of: [stage.device], log: stage.log)
    try await stage.plugged {
      var hostStart = MonotonicTime.now
      // The reports 3 3, 3 3 and 1 2 come before the replay begins.
      for (number, bytes) in ["03 03", "03 03", "01 02"].enumerated() {
        if number == reportsBeforeHost { hostStart = .now }
        try await stage.run("host send output bytes \(bytes); sync")
      }
      if reportsBeforeHost == 3 { hostStart = .now }
      let isAsAsserted = await watch.settle(start: .now, hostStart: hostStart, patience: .zero)
      let verdict = watch.verdict()
      #expect(isAsAsserted == (reportsBeforeHost >= 2))
      #expect(verdict.matched == 1)
      #expect(verdict.count == max(0, 2 - reportsBeforeHost))
      #expect(verdict.mismatches.allSatisfy { $0.kind == .unexpected })
    }
  }

  @Test("a delegated request that the program leaves to the device gets the answer of the trace")
  func delegatedRequest() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.numbered))
    let get = HIDTraceGet(
      type: .feature, id: HIDReportID(rawValue: 3), answer: .report(HIDReportBytes([3, 7, 8, 9])))
    var answers = HIDTraceAnswers()
    answers.add(HIDTraceEvent(microseconds: 0, kind: .getReport(get)))
    stage.device.answer(as: answers)
    stage.device.interfaces[0].setDelegation(HIDDelegation(deadline: .milliseconds(1)))
    try await stage.plugged { try await stage.run("host get feature 3 bytes 07 08 09") }
  }

  @Test(
    "clients get every report of two devices in order, timed or at once, logged or counted",
    arguments: [(true, false), (true, true), (false, false), (false, true)])
  func arrives(isInstant: Bool, keepsInput: Bool) async throws {
    let descriptors = [RuntimeDescriptor.plain, RuntimeDescriptor.numbered]
    // These are more reports than a client's queue holds, in runs of different lengths. If they are
    // timed, they are due within 20 ms.
    let events = (0..<4000).map { number -> HIDTraceEvent in
      let low = UInt8(truncatingIfNeeded: number)
      let high = UInt8(number >> 8)
      return number % 7 < 3
        ? input(Int64(number * 5), [low, high, 0, 1])
        : input(Int64(number * 5), [1, low, high], device: 1)
    }
    let wanted = [0, 1].map { device in
      events.compactMap { event -> [UInt8]? in
        guard event.device == device, case .input(let report) = event.kind else { return nil }
        return [UInt8](report)
      }
    }
    try await withDevices(descriptors, keepsInput: keepsInput) { devices, streams, log in
      async let first = take(wanted[0].count, streams[0])
      async let second = take(wanted[1].count, streams[1])
      let trace = trace(events, descriptors)
      var pace = HIDTracePace()
      pace.isInstant = isInstant
      let player = HIDTracePlayer(pace: pace) { HIDTraceReader(trace) }
      let playback = await SimulatedTraceSink(devices).play(player)
      #expect(playback.isComplete)
      #expect(playback.sent == 4000)
      #expect(playback.timedCount == (isInstant ? 0 : 4000))
      #expect(playback.early == 0)
      #expect(await first == wanted[0])
      #expect(await second == wanted[1])
      #expect(log.totals.inputs == 4000)
      #expect(log.totals.unheard == 0)
      // A device's present report is the last one that was sent.
      #expect(devices[0].interfaces[0].withModel { $0.report(.input, nil) } == wanted[0].last)
      #expect(
        devices[1].interfaces[0].withModel { $0.report(.input, HIDReportID(rawValue: 1)) }
          == wanted[1].last)
    }
  }

  @Test(
    "a strict plan refuses inexact reports; another one fills them up, sends them or counts them")
  func plan() async throws {
    let reports: [[UInt8]] = [
      [1, 2, 3, 4], [5], [6, 7, 8, 9, 10], Array(repeating: 1, count: 4097),
    ]
    let trace = trace(reports.map { input(0, $0) }, [RuntimeDescriptor.plain])
    let definition = HIDDeviceDefinition(
      name: "d", vendorID: 1, productID: 2, interfaces: [try interface(RuntimeDescriptor.plain)])
    #expect {
      _ = try ReplayPlan(HIDTraceReader(trace), [definition], file: "a.hid", isStrict: true)
    } throws: { error in
      (error as? HIDTraceError)?.problems.map(\.message) == [
        """
        report number 2 of the recording has 1 byte, and the descriptor declares 4: the kernel would drop the report; \
        leave --strict out, and hidsim fills it up with zeros
        """,
        """
        report number 4 of the recording has 4097 bytes, and the descriptor declares 4: \
        a report longer than declared can have at most 4096
        """,
      ]
    }
    let plan = try ReplayPlan(HIDTraceReader(trace), [definition], file: "a.hid", isStrict: false)
    #expect((plan.total, plan.unsendableCount) == (3, 1))
    let log = HIDEventLog()
    let directory = try BusDirectory.temporary()
    defer { directory.removeAll() }
    let devices = SimulatedDevice.make(plan.definitions, log: log)
    try await devices[0].plug(into: HIDBus(loopbackIn: directory))
    let result = await plan.play(on: devices)
    await devices[0].unplug()
    #expect(result.isComplete)
    #expect(result.words.hasPrefix("3 of 3 reports replayed in "))
    #expect((result.playback.padded, result.playback.long) == (1, 1))
    var index = 0
    let sent = log.read(from: &index).events.compactMap { event -> [UInt8]? in
      if case .input(let report) = event.kind { report.bytes } else { nil }
    }
    #expect(sent == [[1, 2, 3, 4], [5, 0, 0, 0], [6, 7, 8, 9, 10]])
    #expect(log.totals.unheard == 3)
  }

  @Test("after a trace is opened, it is read once to examine it and once for each round")
  func passes() async throws {
    let bytes = Array(
      """
      R: \(RuntimeDescriptor.plain.count) \(HIDReportBytes(RuntimeDescriptor.plain))
      E: 000000.000000 4 01 00 00 00
      E: 000000.000001 4 02 00 00 00

      """.utf8)
    let beginnings = Mutex(0)
    let all = HIDTraceSource(name: "a.hid", bytes: bytes)
    let source = HIDTraceSource(name: all.name) { offset, count throws(Errno) in
      if offset == 0 { beginnings.withLock { $0 += 1 } }
      return try all.read(at: offset, count: count)
    }
    let reader = try HIDTraceReader(source)
    let definition = HIDDeviceDefinition(
      name: "d", vendorID: 1, productID: 2, interfaces: [try interface(RuntimeDescriptor.plain)])
    let opening = beginnings.withLock { $0 }
    var pace = HIDTracePace()
    (pace.loops, pace.isInstant) = (3, true)
    let plan = try ReplayPlan(reader, [definition], file: "a.hid", isStrict: true, pace: pace)
    #expect(beginnings.withLock { $0 } == opening + 1)
    try await withDevices([RuntimeDescriptor.plain]) { devices, streams, _ in
      let result = await plan.play(on: devices)
      #expect(result.isComplete)
      #expect(beginnings.withLock { $0 } == opening + 4)
      #expect(await take(6, streams[0]).map { $0.first } == [1, 2, 1, 2, 1, 2])
    }
  }

  @Test("the number of reports in a replay with very many loops is the largest number")
  func manyLoops() async throws {
    let trace = trace([input(0, [1]), input(1, [2])], [RuntimeDescriptor.plain])
    let definition = HIDDeviceDefinition(
      name: "d", vendorID: 1, productID: 2, interfaces: [try interface(RuntimeDescriptor.plain)])
    var pace = HIDTracePace()
    pace.loops = .max
    let plan = try ReplayPlan(
      HIDTraceReader(trace), [definition], file: "a.hid", isStrict: false, pace: pace)
    // The device is not plugged, so the replay ends with its first report.
    let result = await plan.play(on: SimulatedDevice.make(plan.definitions, log: HIDEventLog()))
    #expect(result.failure != nil)
    #expect(result.total == .max)
  }

  @Test("a device that the trace unplugs is plugged again for the next loop")
  func changes() async throws {
    try await withDevices([RuntimeDescriptor.plain]) { devices, _, log in
      let trace = trace(
        [
          input(0, [1, 0, 0, 0]), HIDTraceEvent(microseconds: 10, kind: .unplugged),
        ], [RuntimeDescriptor.plain])
      var pace = HIDTracePace()
      pace.loops = 3
      let player = HIDTracePlayer(pace: pace) { HIDTraceReader(trace) }
      let playback = await SimulatedTraceSink(devices).play(player)
      #expect(playback.failure == nil)
      #expect(playback.sent == 3)
      var index = 0
      let kinds = log.read(from: &index).events.compactMap { event -> String? in
        switch event.kind {
        case .plugged: "plugged"
        case .unplugged: "unplugged"
        default: nil
        }
      }
      #expect(kinds == (0..<3).flatMap { _ in ["plugged", "unplugged"] })
    }
  }

  @Test("the device answers its host during a replay, and a cancelled player stops")
  func answers() async throws {
    let log = HIDEventLog(keepsInput: false)
    let directory = try BusDirectory.temporary()
    defer { directory.removeAll() }
    let bus = HIDBus(loopbackIn: directory)
    let definition = HIDDeviceDefinition(
      name: "d", vendorID: 1, productID: 2, interfaces: [try interface(RuntimeDescriptor.plain)])
    let devices = SimulatedDevice.make([definition], log: log)
    try await devices[0].plug(into: bus)
    let (port, stream) = try await bus.clients.open(
      try #require(devices[0].records.first), capacity: 64, policy: .lossless)
    let trace = trace(
      [input(0, [1, 2, 3, 4]), input(50, [5, 6, 7, 8])], [RuntimeDescriptor.plain])
    var pace = HIDTracePace()
    pace.loops = nil
    var player = HIDTracePlayer(pace: pace) { HIDTraceReader(trace) }
    player.spin = .microseconds(100)
    let ready = player
    let playing = Task { await SimulatedTraceSink(devices).play(ready) }
    // After the first report, the device has a report with which it can answer.
    #expect(await take(1, stream).count == 1)
    let reading = Task { await take(.max, stream).count }
    for _ in 0..<50 {
      let answer = try await port.getReport(.input, nil, timeout: .seconds(30))
      #expect([[1, 2, 3, 4], [5, 6, 7, 8]].contains(answer), "\(answer)")
    }
    playing.cancel()
    let playback = await playing.value
    #expect(playback.isCancelled)
    #expect(playback.failure == nil)
    #expect(playback.early == 0)
    await devices[0].unplug()
    #expect(await reading.value + 1 == playback.sent)
    port.close()
    #expect(log.totals.inputs == playback.sent)
  }
}
