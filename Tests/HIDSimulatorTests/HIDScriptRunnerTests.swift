// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDReportDescriptor
import HIDText
import IOLoop
import Synchronization
import Testing

@testable import HIDSessions
@testable import HIDSimulator

@Suite("Devices and scripts on the loopback bus", .timeLimit(.minutes(1)))
struct HIDScriptRunnerTests {
  private func key(_ usage: UInt8) -> [UInt8] { [0, 0, usage, 0, 0, 0, 0, 0] }

  @Test("a script presses and types keys, and releases them at its end unless it says hold")
  func keys() async throws {
    for (text, expected) in [
      ("tap a", [key(4), key(0)]), ("press a", [key(4), key(0)]), ("press a\nhold", [key(4)]),
      (
        "type \"A\"",
        [[2, 0, 0, 0, 0, 0, 0, 0], [2, 0, 4, 0, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0, 0, 0], key(0)]
      ),
    ] {
      let stage = try Stage(interface(RuntimeDescriptor.keyboard))
      try await stage.plugged { try await stage.run(text) }
      #expect(stage.inputs == expected, "\(text)")
    }
  }

  @Test("a movement is not released, and the report that releases a button has no movement")
  func movement() async throws {
    for (text, expected) in [
      ("move 3 4", [[0, 3, 4, 0, 0]]), ("move 3 4\nrelease", [[0, 3, 4, 0, 0]]),
      ("press left\nmove 3 4", [[1, 0, 0, 0, 0], [1, 3, 4, 0, 0], [0, 0, 0, 0, 0]]),
    ] as [(String, [[UInt8]])] {
      let stage = try Stage(Library.device("mouse.json").interfaces[0])
      try await stage.plugged { try await stage.run(text) }
      #expect(stage.inputs == expected, "\(text)")
    }
  }

  @Test("a script that only waits and expects releases no keys, also in a test and in a repeat")
  func observing() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.keyboard))
    try await stage.plugged {
      try await stage.run("press a\nhold")
      try await stage.run("test \"the lamp\"\nrepeat 2\nexpect led.capsLock off\nend")
      #expect(stage.inputs == [key(4)])
    }
  }

  @Test("a script that fails releases its keys, and its failure has the line")
  func failing() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.keyboard))
    try await stage.plugged {
      let failure = await #expect(throws: HIDScriptFailure.self) {
        try await stage.run("press a\nexpect led.capsLock on within 1ms")
      }
      #expect(failure?.problem.location.line == 2)
    }
    #expect(stage.inputs == [key(4), key(0)])
  }

  @Test("a lamp that was on for a moment meets an expectation that it is on")
  func blink() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.keyboard))
    try await stage.plugged {
      let isMet = Mutex(false)
      let script = Task {
        defer { isMet.withLock { $0 = true } }
        try await stage.run("expect led.capsLock on within 50s")
      }
      // Only the event reports the lamp as on, not the device's state.
      let report = HIDReceivedReport(
        type: .output, id: nil, bytes: [2], raw: [2], changes: [], isDeclared: true)
      while !isMet.withLock({ $0 }) {
        stage.device.tell(.output(report))
        await Task.yield()
      }
      try await script.value
    }
  }

  @Test(
    "a script that is cancelled ends at once, and releases its keys",
    arguments: ["wait 10m", "host expect b on within 10m", "expect event get within 10m"])
  func cancelled(_ waiting: String) async throws {
    let stage = try Stage(interface(RuntimeDescriptor.keyboard))
    try await stage.plugged {
      // The script's host has received all events, so only the end of the task can wake it.
      let script = Task {
        try await stage.run(
          "host set led.numLock on\npress a\nhost expect a on within 10s\nhost set led.capsLock on\n\(waiting)"
        )
      }
      #expect(
        await stage.wait { if case .output(let report) = $0 { report.bytes == [3] } else { false } }
      )
      for _ in 0..<20 { try await Timeline.real.sleep(for: .milliseconds(1)) }
      script.cancel()
      await #expect(throws: HIDScriptStop.self) { try await script.value }
      #expect(stage.inputs == [key(4), key(0)])
    }
  }

  @Test("a script that only types ends when it is cancelled")
  func cancelledTyping() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.keyboard))
    try await stage.plugged {
      let script = Task {
        try await stage.run("type \"\(String(repeating: "a", count: 30_000))\"")
      }
      #expect(await stage.wait { if case .input = $0 { true } else { false } })
      script.cancel()
      await #expect(throws: HIDScriptStop.self) { try await script.value }
      #expect(stage.log.totals.inputs < 60_000)
      #expect(stage.inputs.last == key(0))
    }
  }

  @Test("host set and host expect work, also after the device is unplugged and plugged again")
  func hosts() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.keyboard))
    try await stage.plugged {
      try await stage.run(
        """
        host set led.capsLock on
        expect led.capsLock on within 10s
        press a
        host expect a on within 10s
        unplug
        plug
        host set led.numLock on
        expect led.numLock on within 10s
        press b
        host expect b on within 10s
        """)
    }
  }

  @Test("expect event consumes events in order, and no event twice")
  func events() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.numbered))
    try await stage.plugged {
      let client = try await stage.client()
      try await client.write([2, 1, 1])
      try await client.write([2, 2, 2])
      try await stage.run("expect event output 2 within 10s\nexpect event output 2 within 10s")
      await #expect(throws: HIDScriptFailure.self) {
        try await stage.run(
          "expect event output 2 within 10s\nexpect event output 2 within 10s\nexpect event output within 1ms"
        )
      }
      client.close()
    }
  }

  @Test("a failure lists what the host did, but not the plug of the device or its input")
  func insteadOfEvents() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.keyboard))
    try await stage.plugged {
      var failure = await #expect(throws: HIDScriptFailure.self) {
        try await stage.run("tap a\nexpect event set feature within 1ms")
      }
      #expect(failure?.instead == [])
      #expect(failure?.description.hasSuffix("\n  nothing came instead") == true)
      failure = await #expect(throws: HIDScriptFailure.self) {
        try await stage.run(
          """
          host set led.capsLock on ; sync
          expect event set feature within 1ms
          """)
      }
      let what = failure?.instead.map { $0.split(separator: ": ", maxSplits: 1).last ?? "" } ?? []
      #expect(what.contains { $0.hasPrefix("output 02 (as 00 02)  led.capsLock on") })
      #expect(!what.contains { $0.hasPrefix("plugged") || $0.hasPrefix("input") })
    }
  }

  @Test("a failed lamp lists the host's earlier reports, except those that met another expectation")
  func insteadOfStates() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.keyboard))
    try await stage.plugged {
      let failure = await #expect(throws: HIDScriptFailure.self) {
        try await stage.run(
          """
          host set led.numLock on
          expect led.numLock on within 50s
          host set led.scrollLock on ; sync
          expect led.capsLock on within 1ms
          """)
      }
      #expect(failure?.instead.count == 1)
      #expect(failure?.instead.first?.contains("led.scrollLock on") == true)
    }
  }

  @Test("a failure without an expectation lists no events that came instead")
  func refusal() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.keyboard))
    try await stage.plugged {
      let failure = await #expect(throws: HIDScriptFailure.self) {
        try await stage.run("unplug ; host set led.numLock on")
      }
      #expect(failure?.description.contains("instead") == false)
    }
  }

  @Test("input reports without a client are counted, except the release at the end of the script")
  func unheard() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.keyboard))
    try await stage.plugged {
      try await stage.run("press a")
      #expect(stage.inputs.count == 2)
      #expect(stage.log.totals.unheard == 1)
      let client = try await stage.client()
      #expect(await stage.wait { if case .opened = $0 { true } else { false } })
      try await stage.run("tap a")
      #expect(stage.log.totals.unheard == 1)
      client.close()
      #expect(await stage.wait { if case .closed = $0 { true } else { false } })
      try await stage.run("tap b")
      #expect(stage.log.totals.unheard == 3)
    }
  }

  @Test("a host that answers lock keys turns the lamp on, and off again")
  func locks() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.keyboard))
    try await stage.plugged {
      let locks = try await LockHosts([stage.device], on: stage.bus)
      try await stage.run(
        """
        tap capsLock; expect led.capsLock on within 10s; tap numLock; expect led.numLock on within 10s
        expect led.capsLock on; tap capsLock; expect led.capsLock off within 10s
        """)
      await locks.close()
    }
  }

  @Test("replies to one output report are sent in the order of the file")
  func replies() async throws {
    let answers = (1...8 as ClosedRange<UInt8>).map { [1, $0, $0] as [UInt8] }
    let stage = try Stage(
      interface(
        RuntimeDescriptor.numbered,
        [
          HIDBehaviour(
            trigger: .output(nil),
            sendings: answers.map {
              HIDBehaviour.Sending(
                id: HIDReportID(rawValue: 1), bytes: HIDReportTemplate(Array($0.dropFirst())))
            })
        ]))
    try await stage.plugged {
      let client = try await stage.client()
      let stream = client.reports(capacity: 4096, policy: .lossless)
      for _ in 0..<100 { try await client.write([2, 0, 0]) }
      var seen: [[UInt8]] = []
      for await report in stream {
        seen.append(Array(report.bytes))
        if seen.count == 800 { break }
      }
      #expect(seen == Array(repeating: answers, count: 100).flatMap { $0 })
      client.close()
    }
  }

  @Test("the present report of an undeclared ID is not sent, and the other replies are")
  func undeclaredReply() async throws {
    let stage = try Stage(
      interface(
        RuntimeDescriptor.numbered,
        [
          HIDBehaviour(
            trigger: .output(nil),
            sendings: [
              HIDBehaviour.Sending(id: HIDReportID(rawValue: 9), bytes: nil),
              HIDBehaviour.Sending(
                id: HIDReportID(rawValue: 1), bytes: HIDReportTemplate([5, 6])),
            ])
        ]))
    try await stage.plugged {
      let client = try await stage.client()
      let stream = client.reports(capacity: 16, policy: .lossless)
      try await client.write([2, 0, 0])
      for await report in stream {
        #expect(Array(report.bytes) == [1, 5, 6])
        break
      }
      #expect(stage.inputs == [[1, 5, 6]])
      client.close()
    }
  }

  @Test("a reply or an answer that is delayed past an unplug is dropped")
  func delayedPastUnplug() async throws {
    var late = Duration.milliseconds(500)
    // The delay grows if the machine is too busy to unplug the device in time.
    while try await !wasUnplugged(before: late) { late *= 4 }
  }

  /// Unplugs a device that has a reply and an answer pending, and plugs it again.
  ///
  /// - Returns: True if the device was unplugged before the reply and the answer were due.
  private func wasUnplugged(before late: Duration) async throws -> Bool {
    let stage = try Stage(
      interface(
        RuntimeDescriptor.numbered,
        [
          HIDBehaviour(
            trigger: .output(nil),
            sendings: [
              HIDBehaviour.Sending(
                id: HIDReportID(rawValue: 1), bytes: HIDReportTemplate([9, 9]))
            ], delay: late),
          HIDBehaviour(
            trigger: .get(.feature, HIDReportID(rawValue: 3)), answer: .usual, delay: late),
        ]))
    var isInTime = false
    try await stage.plugged {
      let first = try await stage.client()
      let asked = MonotonicTime.now
      try await first.write([2, 0, 0])
      let asking = Task {
        _ = try await first.getReport(.feature, HIDReportID(rawValue: 3), timeout: nil)
      }
      let echo = try await stage.client()
      // The device answers the open of `echo` after the other requests, so it has received both.
      #expect(await stage.wait { if case .output = $0 { true } else { false } })
      await stage.device.unplug()
      let answer = await asking.result
      echo.close()
      guard MonotonicTime.now.duration(since: asked) < late else { return }
      isInTime = true
      #expect(throws: HIDBusError.self) { try answer.get() }
      try await stage.device.plug(into: stage.bus)
      let begun = MonotonicTime.now
      let second = try await stage.client()
      // This request is made later than the one before the unplug, so its answer is also due later.
      _ = try await second.getReport(.feature, HIDReportID(rawValue: 3), timeout: nil)
      #expect(MonotonicTime.now.duration(since: begun) >= late)
      #expect(await stage.wait { if case .getReport = $0 { true } else { false } })
      #expect(stage.inputs.isEmpty)
      let latencies = stage.kinds.compactMap {
        if case .getReport(_, _, let answer) = $0 { answer.latency } else { nil }
      }
      #expect(latencies.count == 1)
      #expect(latencies.allSatisfy { $0 >= late })
      second.close()
    }
    return isInTime
  }

  @Test("an expected key ends the wait, also in a log that only counts input reports")
  func countedInput() async throws {
    let press = HIDBehaviour.Sending(
      id: nil, bytes: HIDReportTemplate(key(4)), after: .milliseconds(50))
    let stage = try Stage(
      interface(RuntimeDescriptor.keyboard, [.init(trigger: .output(nil), sendings: [press])]),
      keepsInput: false)
    try await stage.plugged {
      try await stage.run("host set led.numLock on; expect a on within 10s")
    }
  }

  @Test("a report that is refused does not change the device's state")
  func refused() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.keyboard))
    try await stage.plugged {
      try await stage.device.send([key(4)])
      await #expect(throws: HIDBusError.self) { try await stage.device.send([key(5) + [0]]) }
      try await stage.run("tap c")
      #expect(stage.inputs == [key(4), [0, 0, 4, 6, 0, 0, 0, 0], key(4), key(0)])
    }
  }

  @Test("no two devices have the same label, even if a name ends like the label of a second device")
  func uniqueLabels() throws {
    let log = HIDEventLog()
    let one = try interface(RuntimeDescriptor.plain)
    func labels(_ names: String...) -> [String] {
      let definitions = names.map {
        HIDDeviceDefinition(name: $0, vendorID: 1, productID: 2, interfaces: [one])
      }
      return SimulatedDevice.make(definitions, log: log).map(\.label)
    }
    #expect(labels("a", "a", "a#2", "a#2") == ["a", "a#2", "a#2#2", "a#2#3"])
    #expect(labels("a#2", "a", "a", "a") == ["a#2", "a", "a#3", "a#4"])
    let composite = HIDDeviceDefinition(
      name: "a", vendorID: 1, productID: 2, interfaces: [one, one])
    let single = HIDDeviceDefinition(name: "a/1", vendorID: 1, productID: 2, interfaces: [one])
    let devices = SimulatedDevice.make([single, composite], log: log)
    #expect(devices[1].interfaces.map(\.label) == ["a#2/0", "a#2/1"])
  }

  @Test("a wait for a device of several interfaces ends when a client opens the second one")
  func waitForSecondInterface() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.plain))
    let one = try interface(RuntimeDescriptor.plain)
    let definition = HIDDeviceDefinition(
      name: "c", vendorID: 1, productID: 2, interfaces: [one, one])
    let devices = SimulatedDevice.make([definition], log: stage.log)
    try await devices[0].plug(into: stage.bus)
    let client = try await stage.bus.clients.open(devices[0].records[1])
    let script = try HIDScript.parse(
      Array("@c wait open within 2s; @c wait reader within 2s".utf8), name: "s"
    ).resolved(for: [definition])
    try await HIDScriptRunner(
      script, devices: devices, bus: stage.bus, log: stage.log, base: stage.base
    ).run()
    client.close()
    await devices[0].unplug()
  }

  @Test("the same file twice is two devices, each with its own name and number")
  func twins() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.plain))
    let twins = SimulatedDevice.make(
      [stage.device.definition, stage.device.definition], log: stage.log)
    #expect(twins.map(\.label) == ["d", "d#2"])
    for twin in twins { try await twin.plug(into: stage.bus) }
    #expect(Set(twins.flatMap(\.records).map(\.id)).count == 2)
    for twin in twins { await twin.unplug() }
    #expect(twins.allSatisfy { $0.records.isEmpty })
  }
}
