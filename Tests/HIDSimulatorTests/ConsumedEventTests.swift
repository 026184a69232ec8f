// SPDX-License-Identifier: Apache-2.0
import HIDBus
import HIDReportDescriptor
import HIDText
import IOLoop
import Testing

@testable import HIDSessions
@testable import HIDSimulator

@Suite("Events that expectations consume", .timeLimit(.minutes(2)))
struct ConsumedEventTests {
  /// Plays a script with a boot keyboard, whose lamps are 01 Num Lock, 02 Caps Lock, 04 Scroll
  /// Lock.
  ///
  /// - Returns: The failure's message, and the bytes of the reports it lists; nil if the script
  ///   passes.
  private func play(_ text: String) async throws -> (message: String, instead: [String])? {
    let stage = try Stage(interface(RuntimeDescriptor.keyboard))
    var failure: HIDScriptFailure?
    try await stage.plugged {
      do { try await stage.run(text) } catch let error as HIDScriptFailure { failure = error }
    }
    return failure.map { failure in
      let reports = failure.instead.compactMap { $0.firstMatch(of: /output (\w\w)/)?.1 }
      return (failure.problem.message, reports.map(String.init))
    }
  }

  /// Lines that fail at once at an unexpected event.
  ///
  /// Lines with a time wait longer than the test runs if no event fails them.
  private static let silences = [
    ("expect nothing for 10m", "expected nothing for 600s, and this came"),
    ("expect no event output for 10m", "expected no event output for 600s, and this came"),
    ("expect nothing else for 10m", "expected nothing else for 600s, and this came"),
    ("expect nothing else", "expected nothing else, and this came"),
    ("expect only event output bytes 04 within 10m", "expected only the event output 04"),
  ]

  @Test(
    "an event directly after the expected one fails a line that expects no other event",
    arguments: silences,
    ["expect event output bytes 02 within 20s", "expect led.capsLock on within 20s"])
  func burst(_ silence: (text: String, message: String), _ expectation: String) async throws {
    let failure = try await play(
      """
      host send output bytes 02
      host send output bytes 03 ; sync
      \(expectation)
      \(silence.text)
      """)
    #expect(failure?.message.hasPrefix(silence.message) == true, "\(failure as Any)")
    #expect(failure?.instead == ["03"])
  }

  @Test("an event before the expected one passes expect nothing, and fails expect nothing else")
  func passedOver() async throws {
    let script = """
      host send output bytes 01
      host send output bytes 02 ; sync
      expect event output bytes 02 within 20s
      expect nothing for 10ms

      """
    #expect(try await play(script) == nil)
    let failure = try await play(script + "expect nothing else for 10m")
    #expect(failure?.message == "expected nothing else for 600s, and this came")
    #expect(failure?.instead == ["01"])
  }

  @Test("ledgers that were copied and merged hold a bounded number of events that passed over")
  func merging() {
    let labels: Set = ["first", "second"]
    let log = HIDEventLog(timeline: .virtual())
    for label in labels.sorted() {
      for _ in 0..<1000 {
        let report = HIDReceivedReport(
          type: .output, id: nil, bytes: [1], raw: [1], changes: [], isDeclared: true)
        log.append(HIDDeviceEvent(time: .now, device: label, kind: .output(report), client: nil))
      }
    }
    var first = HostLedger(begin: 0)
    var second = first
    first.consume([], upTo: 2000, of: ["first"], in: log)
    second.consume([], upTo: 2000, of: ["second"], in: log)
    first.merge(second)
    #expect(first.passedOver.count == 1024)
    #expect(first.hasPassedOverMore)
    first.consume([], upTo: 2001, of: labels, in: log)
    #expect(first.passedOver.count == 1024)
  }

  @Test("expect only event fails at once if another event comes first")
  func only() async throws {
    #expect(
      try await play(
        """
        host send output bytes 02 ; expect only event output bytes 02 within 20s
        host send output bytes 00 ; expect only event output bytes 00 within 20s
        expect nothing for 10ms ; expect nothing else
        """) == nil)
    let failure = try await play(
      """
      host send output bytes 01
      host send output bytes 02 ; sync
      expect only event output bytes 02 within 10m
      """)
    #expect(
      failure?.message
        == "expected only the event output 02 within 600s, and this came before it")
    #expect(failure?.instead.first == "01")
  }

  @Test(
    "an expected lamp consumes the first report that set it, however late the script checks",
    arguments: [
      // The first report lights the lamp; the second report keeps it on.
      ("02 02", "expect led.capsLock on", ["02"]),
      // The lamp blinks; the failure lists all reports but the first, which lights the lamp.
      ("02 00 02", "expect led.capsLock on", ["00", "02"]),
      // The lamp is off before the reports, and after them.
      ("02 00", "expect led.capsLock off", ["02", "00"]),
      // One report lights both lamps.
      ("03", "expect led.capsLock on ; expect led.numLock on", []),
      // Two reports light one lamp each, in any order of the script's lines.
      ("01 03", "expect led.capsLock on ; expect led.numLock on", []),
      ("01 03", "expect led.numLock on ; expect led.capsLock on", []),
      ("01 02", "expect led.capsLock on ; expect led.numLock off", ["01"]),
    ])
  func lamps(_ sent: String, _ expectation: String, _ left: [String]) async throws {
    let sends = sent.split(separator: " ").map { "host send output bytes \($0)" }
    let failure = try await play(
      "\(sends.joined(separator: "\n")) ; sync\n\(expectation)\nexpect nothing else")
    #expect((failure?.instead ?? []) == left, "\(failure as Any)")
  }

  @Test("an event that a lamp consumed meets no later expectation, and the message says so")
  func twice() async throws {
    let failure = try await play(
      """
      host send output bytes 02 ; expect led.capsLock on within 20s
      expect event output bytes 02 within 1ms
      """)
    let message = try #require(failure?.message)
    #expect(
      message.contains(/expected the event output 02 within 1ms; the one at [0-9.]+ was consumed/))
  }

  @Test("a lamp in another state fails with the report that set it, even a consumed one")
  func cause() async throws {
    let failure = try await play(
      """
      host send output bytes 03
      expect led.capsLock on within 20s
      expect led.numLock off
      """)
    #expect(failure?.message == "expected led.numLock off, and it is on")
    #expect(failure?.instead == ["03"])
  }

  @Test("expect anything consumes the events so far, and no later event")
  func anything() async throws {
    let script = """
      host send output bytes 01
      host send output bytes 02
      expect anything
      expect nothing for 10ms ; expect nothing else

      """
    #expect(try await play(script) == nil)
    let failure = try await play(
      script + "host send output bytes 04 ; sync ; expect nothing for 10m")
    #expect(failure?.instead == ["04"])
  }

  @Test("reports before the script, and clients that open or close, do not fail expect nothing")
  func before() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.keyboard))
    try await stage.plugged {
      let client = try await stage.client()
      try await client.write([0, 1])
      #expect(await stage.wait { if case .output = $0 { true } else { false } })
      try await stage.run("expect nothing for 10ms ; expect nothing else")
      // A later line can still expect the report.
      try await stage.run("expect event output bytes 01 within 20s")
      let script = Task { try await stage.run("tap a ; expect nothing for 50ms") }
      // The time without events begins before this report.
      #expect(await stage.wait { if case .input = $0 { true } else { false } })
      client.close()
      #expect(await stage.wait { if case .closed = $0 { true } else { false } })
      let next = try await stage.client()
      next.close()
      try await script.value
    }
  }

  @Test("a failure counts the events that were passed over up to 1,024")
  func manyPassedOver() async throws {
    let failure = try await play(
      String(repeating: "host send output bytes 01\n", count: 1100)
        + "host send output bytes 02 ; sync ; expect event output bytes 02 within 20s ; expect nothing else"
    )
    let message = try #require(failure?.message)
    #expect(message.hasSuffix("and this came (the first 100 of more than 1024)"))
  }

  @Test("a failure lists the host's report even after 70,000 input reports")
  func manyInputs() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.keyboard))
    try await stage.plugged {
      let client = try await stage.client()
      let runner = HIDScriptRunner(
        try HIDScript.parse(Array("expect nothing for 10m".utf8), name: "s")
          .resolved(for: [stage.device.definition]),
        devices: [stage.device], bus: stage.bus, log: stage.log, base: stage.base)
      try await client.write([0, 1])
      #expect(await stage.wait { if case .output = $0 { true } else { false } })
      client.close()
      for count in 0..<70 {
        let report: [UInt8] = [0, 0, UInt8(4 + count % 2), 0, 0, 0, 0, 0]
        try await stage.device.send(Array(repeating: report, count: 1000))
      }
      let failure = await #expect(throws: HIDScriptFailure.self) { try await runner.run() }
      #expect(failure?.instead.count == 1)
      #expect(failure?.instead.first?.contains("output 01") == true)
    }
  }

  @Test("events consumed in a session stay consumed in its later lines, for each device separately")
  func session() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.keyboard))
    let hub = try Hub(on: stage.bus)
    let session = HIDScriptSession(
      devices: hub.devices, bus: stage.bus, log: hub.log, base: hub.base)
    func perform(_ text: String, on device: Int) async throws {
      try await session.perform(try HIDScript.parse(Array(text.utf8), name: "s"), on: device)
    }
    for device in hub.devices { try await device.plug(into: stage.bus) }
    try await perform("host send output bytes 02 ; sync", on: 1)
    try await perform("host send output bytes 02\nhost send output bytes 03 ; sync", on: 0)
    // A line about one device does not use the events of another.
    try await perform("expect led.capsLock on", on: 0)
    for device in [0, 1] {
      let failure = await #expect(throws: HIDScriptFailure.self) {
        try await perform("expect nothing for 10m", on: device)
      }
      #expect(failure?.instead.count == 1)
      #expect(failure?.instead.first?.contains(device == 0 ? "output 03" : "output 02") == true)
    }
    // Only one failure lists an event.
    try await perform("expect nothing for 10ms", on: 0)
    await session.end()
    for device in hub.devices { await device.unplug() }
  }

  @Test("a lamp that is on in a new device's report consumes no event when it is expected to be on")
  func initialLamp() async throws {
    // An array of output: 0 selects NumLock, 1 selects CapsLock.
    let descriptor: [UInt8] = [
      0x05, 0x01, 0x09, 0x06, 0xa1, 0x01, 0x05, 0x08, 0x19, 0x01, 0x29, 0x02, 0x15, 0x00, 0x25,
      0x01, 0x75, 0x08, 0x95, 0x01, 0x91, 0x00, 0xc0,
    ]
    let stage = try Stage(interface(descriptor), timeline: .virtual())
    try await stage.plugged {
      try await stage.run(
        """
        host send output bytes 00 ; sync
        expect led.numLock on
        expect event output bytes 00 within 1s
        """)
    }
  }

  @Test("a line of a session goes to its device, also if another device has the name NAME#1")
  func numberedName() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.keyboard))
    let hub = try Hub(on: stage.bus, names: ["k", "k#1"])
    let session = HIDScriptSession(
      devices: hub.devices, bus: stage.bus, log: hub.log, base: hub.base)
    for device in hub.devices { try await device.plug(into: stage.bus) }
    try await session.perform(HIDScript.parse(Array("tap a".utf8), name: "s"), on: 0)
    var index = 0
    let labels = hub.log.read(from: &index).events.compactMap { event in
      if case .input = event.kind { event.device } else { nil }
    }
    #expect(labels == ["k", "k"])
    await session.end()
    for device in hub.devices { await device.unplug() }
  }
}

/// Keyboards with one log.
private struct Hub {
  let log = HIDEventLog()
  let base = Timeline.real.now
  let devices: [SimulatedDevice]

  init(on bus: HIDBus, names: [String] = ["k", "k"]) throws {
    let keyboard = try interface(RuntimeDescriptor.keyboard)
    let definitions = names.map {
      HIDDeviceDefinition(name: $0, vendorID: 1, productID: 2, interfaces: [keyboard])
    }
    devices = SimulatedDevice.make(definitions, log: log)
  }
}
