// SPDX-License-Identifier: Apache-2.0
import HIDText
import HIDUsages
import IOLoop
import Testing

@testable import HIDSessions
@testable import HIDSimulator

@Suite("Scripts in virtual time, on the loopback bus", .timeLimit(.minutes(2)))
struct VirtualScriptTests {
  /// Plays a script in virtual time.
  ///
  /// - Returns: The events as lines with their times.
  private func play(
    _ text: String, _ interface: HIDInterfaceDefinition, locks: Bool = false
  ) async throws -> [String] {
    let stage = try Stage(interface, timeline: .virtual())
    try await stage.plugged {
      let hosts = locks ? try await LockHosts([stage.device], on: stage.bus) : nil
      try await stage.run(text)
      await hosts?.close()
    }
    return stage.lines
  }

  @Test("an hour of waits takes less than a minute, and events have the times of the waits")
  func hour() async throws {
    let begun = MonotonicTime.now
    let lines = try await play(
      "repeat 60; wait 1m; report 00 00 04; end; report 00", interface(RuntimeDescriptor.keyboard))
    #expect(MonotonicTime.now.duration(since: begun) < .seconds(60))
    #expect(lines[1].hasPrefix("60.000000  d: input 00 00 04"))
    #expect(
      lines.suffix(2) == [
        "3600.000000  d: input 00 00 00 00 00 00 00 00  keyboardOrKeypad.keyboardA off",
        "3600.000000  d: unplugged",
      ])
  }

  @Test("every run has the same events, also with a host that answers lock keys")
  func sameWithLocks() async throws {
    let text = """
      repeat 5
        wait 3ms; tap capsLock; tap a; tap numLock
        expect led.capsLock on within 1s
        host set led.scrollLock on; host expect a off within 1s
        tap capsLock; expect led.capsLock off; expect anything; expect nothing for 20ms
        tap numLock; expect led.numLock off; type "Hello"; host get input
      end
      unplug; wait 1s; plug; host get input
      """
    let first = try await play(text, interface(RuntimeDescriptor.keyboard), locks: true)
    #expect(first.count > 100)
    for _ in 0..<20 {
      #expect(try await play(text, interface(RuntimeDescriptor.keyboard), locks: true) == first)
    }
  }

  @Test("a report that is due exactly at the bound of within is in time, and a later one is not")
  func bounds() async throws {
    let device = try interface(
      RuntimeDescriptor.numbered,
      [
        HIDBehaviour(
          trigger: .output(nil),
          sendings: [.init(id: HIDReportID(rawValue: 1), bytes: HIDReportTemplate([7, 8]))],
          delay: .seconds(3))
      ])
    let lines = try await play(
      """
      host send output 2 bytes 00 00
      host expect "0xff00.0x0001" 7 within 3s
      """, device)
    #expect(lines.contains { $0.hasPrefix("3.000000  d: input 1 01 07 08") })
    let stage = try Stage(device, timeline: .virtual())
    try await stage.plugged {
      let failure = await #expect(throws: HIDScriptFailure.self) {
        try await stage.run(
          """
          host send output 2 bytes 00 00
          host expect "0xff00.0x0001" 7 within 2s
          """)
      }
      #expect(failure?.problem.location.line == 2)
    }
    #expect(!stage.lines.contains { $0.contains("input") })
    #expect(stage.lines.last == "2.000000  d: unplugged")
  }

  @Test("late and missing answers take as much virtual time as they would take in real time")
  func answers() async throws {
    let lines = try await play(
      """
      answer once get feature 3 with 01 after 2s
      host get feature 3 bytes 01
      answer once get feature 3 with none
      host get feature 3 error
      answer once set feature 3 with success after 50s
      host set feature 3 bytes 01 02 03 error
      wait 50s
      """, interface(RuntimeDescriptor.numbered))
    #expect(
      lines.dropFirst(2) == [
        "2.000000  d: get feature 3: answered 03 01 after 2000.000 ms",
        "2.000000  d: get feature 3: no answer",
        "57.000000  d: set feature 3 03 01 02 03  0xff00.0x0001 1, 0xff00.0x0001#2 2, 0xff00.0x0001#3 3: accepted after 50000.000 ms",
        "62.000000  d: closed", "62.000000  d: unplugged",
      ])
  }

  @Test("timers of behaviours run in virtual time, up to the end of the script")
  func clocks() async throws {
    let device = try interface(
      RuntimeDescriptor.numbered,
      [
        HIDBehaviour(
          trigger: .timer(.milliseconds(250)),
          sendings: [.init(id: HIDReportID(rawValue: 1), bytes: HIDReportTemplate([7, 8]))])
      ])
    for _ in 0..<20 {
      let lines = try await play("wait 1s", device)
      #expect(
        lines.filter { $0.contains("input") }.map { String($0.prefix(8)) } == [
          "0.250000", "0.500000", "0.750000", "1.000000",
        ])
    }
  }

  @Test("a script that is cancelled ends, although it has endless waits in virtual time")
  func cancelled() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.keyboard), timeline: .virtual())
    try await stage.plugged {
      let script = Task {
        try await stage.run("repeat 1000000; repeat 1000000; tap a; wait 1s; end; end")
      }
      #expect(await stage.wait { if case .input = $0 { true } else { false } })
      script.cancel()
      await #expect(throws: HIDScriptStop.self) { try await script.value }
    }
  }
}
