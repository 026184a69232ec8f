// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDText
import IOLoop
import Testing
import TestSupport

@testable import HIDSessions
@testable import HIDSimulator

@Suite("Switches whose keys depend on the state", .timeLimit(.minutes(2)))
struct SwitchTests {
  /// Plays a script on pedals in virtual time, and returns the lines of their input.
  private func play(_ text: String, _ file: String = "pedals-wide.json") async throws -> [String] {
    let stage = try Stage(Library.device(file).interfaces[0], timeline: .virtual())
    try await stage.plugged { try await stage.run(text) }
    return stage.lines.filter { $0.contains("input") }.map { line in
      // Two spaces separate the time, the bytes, and the names of the controls that changed.
      let parts = line.components(separatedBy: "  ")
      return "\(parts[0]) \(parts[parts.count - 1])"
        .replacing("keyboardOrKeypad.keyboard", with: "")
    }
  }

  @Test("a switch presses the keys of the device's mode at the time of the press")
  func modes() async throws {
    let lines = try await play(
      """
      tap leftPedal
      set mode 4; press leftPedal; set mode 5; release leftPedal
      tap switch2
      set mode 6; tap switch4
      set mode 1; tap leftPedal
      tap keyboardButton
      """)
    #expect(
      lines == [
        "0.000000 UpArrow on", "0.000000 UpArrow off",
        "0.000000 consumer.volumeIncrement on", "0.000000 consumer.volumeIncrement off",
        "0.000000 button 1 on", "0.000000 button 1 off",
        "0.000000 LeftShift on, R on", "0.000000 LeftShift off, R off",
        "0.000000 consumer.alKeyboardLayout on", "0.000000 consumer.alKeyboardLayout off",
      ])
  }

  @Test("the six ports of a row have their own names and the same modes")
  func row() async throws {
    let lines = try await play("tap port3; set mode 3; tap port1; tap port6", "pedals-six.json")
    #expect(
      lines == [
        "0.000000 DownArrow on", "0.000000 DownArrow off", "0.000000 PageUp on",
        "0.000000 PageUp off", "0.000000 consumer.alKeyboardLayout on",
        "0.000000 consumer.alKeyboardLayout off",
      ])
  }

  @Test("a switch that repeats releases and presses after the delay, then at each interval")
  func repeats() async throws {
    // The delay 32 means 32 x 4/255 s = 0.502 s; the rate 10 means 4 s / 10 = 0.4 s.
    let lines = try await play(
      """
      set repeatDelay 32; set repeatRate 10
      press leftPedal; wait 1s; press rightPedal; wait 500ms
      release leftPedal; wait 500ms; release
      wait 10s
      """)
    #expect(
      lines == [
        "0.000000 UpArrow on", "0.501960 UpArrow off", "0.501960 UpArrow on",
        "0.901960 UpArrow off", "0.901960 UpArrow on", "1.000000 DownArrow on",
        "1.301960 UpArrow off", "1.301960 UpArrow on", "1.500000 UpArrow off",
        "1.501960 DownArrow off", "1.501960 DownArrow on",
        "1.901960 DownArrow off", "1.901960 DownArrow on", "2.000000 DownArrow off",
      ])
  }

  @Test("a switch presses and releases at once with a rate of 0, and stays down with a rate of 1")
  func onceAndHeld() async throws {
    #expect(
      try await play(
        "set repeatRate 0; press leftPedal; wait 5s; press leftPedal; release leftPedal; wait 1s; "
          + "set repeatRate 1; press leftPedal; wait 5s; press leftPedal; release leftPedal")
        == [
          "0.000000 UpArrow on", "0.000000 UpArrow off", "6.000000 UpArrow on",
          "11.000000 UpArrow off",
        ])
  }

  @Test("a key of two switches stays down until both switches are released")
  func shared() async throws {
    let lines = try await play(
      """
      set mode 5; press rightPedal
      set mode 2; press switch5; release rightPedal
      wait 1s; release switch5
      """)
    #expect(lines.first == "0.000000 ReturnEnter on")
    #expect(lines.last == "1.000000 ReturnEnter off")
    #expect(lines.filter { $0.contains(" off") }.count == 1)
  }

  @Test("a device that was unplugged no longer repeats a switch")
  func unplugged() async throws {
    let lines = try await play(
      "set repeatDelay 32; set repeatRate 10; press leftPedal; wait 600ms; unplug; plug; wait 5s")
    // A switch that was down when the device was unplugged is released at the end of the script.
    #expect(
      lines == [
        "0.000000 UpArrow on", "0.501960 UpArrow off", "0.501960 UpArrow on",
        "5.600000 UpArrow off",
      ])
  }

  @Test("no repeat follows the release of a switch, however fast the device repeats")
  func fastRepeats() async throws {
    var pedals = try Library.device("pedals-wide.json").interfaces[0]
    let time = HIDSwitchRepeat.Time.fixed(.milliseconds(1))
    pedals.switchRepeats = [HIDSwitchRepeat(action: .repeated(delay: time, interval: time))]
    let stage = try Stage(pedals)
    try await stage.plugged {
      try await stage.run(
        """
        repeat 100
          press leftPedal; wait 3ms; release leftPedal
          expect keyboardOrKeypad.keyboardUpArrow off
        end
        wait 5ms
        expect keyboardOrKeypad.keyboardUpArrow off
        """)
    }
    // There are a hundred presses and their repeats; a slow machine has few repeats.
    #expect(stage.lines.count { $0.hasSuffix("UpArrow on") } > 100)
  }

  @Test("a press that cannot be sent leaves the switch up")
  func failedPress() async throws {
    let stage = try Stage(Library.device("pedals-wide.json").interfaces[0], timeline: .virtual())
    try await stage.plugged {
      await #expect(throws: HIDScriptFailure.self) {
        try await stage.run("unplug; press leftPedal")
      }
      try await stage.run("plug; press leftPedal")
    }
    #expect(stage.lines.contains { $0.hasSuffix("UpArrow on") })
  }

  @Test("a switch whose press was sent in part releases that part")
  func partOfPress() async throws {
    // Report 1 has the modifiers; report 2 has room for one of the keys A to C.
    let descriptor =
      "05 01 09 06 a1 01 85 01 05 07 19 e0 29 e7 15 00 25 01 75 01 95 08 81 02 "
      + "85 02 19 04 29 06 15 01 25 03 75 08 95 01 81 00 c0"
    let text = """
      {"hidsim": 1, "name": "x", "vendorID": 1, "productID": 2,
       "reportDescriptor": {"hex": "\(descriptor)"},
       "switches": [{"press": {"pedal": "leftShift+b"}}]}
      """
    let device = try HIDDeviceFile.parse(Array(text.utf8), name: "f") { _ in [] }
    let stage = try Stage(device.interfaces[0])
    let session = HIDScriptSession(
      devices: [stage.device], bus: stage.bus, log: stage.log, base: stage.base)
    func perform(_ text: String) async throws {
      try await session.perform(HIDScript.parse(Array(text.utf8), name: "s"))
    }
    try await stage.plugged {
      try await perform("press a")
      await #expect(throws: HIDScriptFailure.self) { try await perform("press pedal") }
      try await perform("release pedal")
      #expect(stage.inputs == [[2, 1], [1, 2], [1, 0]])
      await session.end()
    }
  }

  @Test("battery sends an input report with the level")
  func battery() async throws {
    let lines = try await play("battery 40%; expect battery 40")
    #expect(lines.count == 1 && lines[0].hasSuffix("genericDeviceControls.batteryStrength 40"))
  }

  @Test(
    "an unknown switch name is an error, and so is a switch in a command that takes none",
    arguments: [
      ("tap leftPedl", "did you mean \"leftPedal\"?"),
      ("set leftPedal on", "\"leftPedal\" is a switch, and this command takes a control"),
      ("host expect leftPedal on", "use press, release or tap for a switch"),
    ])
  func unknownNames(_ text: String, _ message: String) async throws {
    let script = try HIDScript.parse(Array(text.utf8), name: "s")
    let error = #expect(throws: HIDScriptError.self) {
      try script.resolved(for: [Library.device("pedals-wide.json")])
    }
    #expect(error?.description.contains(message) == true)
  }

  // MARK: Files

  private static let descriptor = """
    "reportDescriptor": {"hex": "05 01 09 06 a1 01 05 07 19 e0 29 e7 15 00 25 01 75 01 95 08 81 02 c0"}
    """

  private func problems(_ rest: String) -> [String] {
    let text = """
      {"hidsim": 1, "name": "x", "vendorID": 1, "productID": 2, \(Self.descriptor),
       "controls": {"shift": "keyboardOrKeypad.keyboardLeftShift"}, "state": {"mode": {"type": "u8"},
       "key": {"type": "bytes", "count": 2}},
      \(rest)}
      """
    do {
      _ = try HIDDeviceFile.parse(Array(text.utf8), name: "f") { _ in [] }
      return []
    } catch {
      return error.problems.map { $0.message + ($0.help.map { "; \($0)" } ?? "") }
    }
  }

  @Test(
    "each mistake in switches gives one problem with its message",
    arguments: [
      (#""switches": [{"press": {"a": "shift", "b": "leftCtrl+rightAlt"}}]"#, ""),
      (
        #""switches": [{"press": {"a": "shft"}}]"#,
        "the device has no key or button \"shft\"; did you mean \"shift\"?"
      ),
      (#""switches": [{"press": {"a": "leftCtrl+"}}]"#, "the device has no key or button \"\""),
      (
        #""switches": [{"press": {"shift": "leftCtrl"}}]"#,
        "\"shift\" is already the name of a control"
      ),
      (
        #""switches": [{"press": {"mode": "leftCtrl"}}]"#, "\"mode\" is already the name of a state"
      ),
      (#""switches": [{"press": {"1": "leftCtrl"}}]"#, "\"1\" cannot name a switch"),
      (#""switches": [{"press": {"a": 5}}]"#, "expected the controls as a string, found"),
      (#""switches": [{"press": {}}]"#, "expected \"press\" as an object, found"),
      (#""switches": [{"when": {"modus": 1}, "press": {"a": "shift"}}]"#, "modus"),
      (#""switches": [{"when": {"mode": 1}}]"#, "press"),
      (#""switchRepeats": [{"once": false}]"#, "expected true, found false"),
      (#""switchRepeats": [{"once": true, "delay": "1s"}]"#, "\"once\" cannot be combined"),
      (#""switchRepeats": [{"delay": "1s"}]"#, "interval"),
      (
        #""switchRepeats": [{"delay": "1us", "interval": "1s"}]"#,
        "expected the delay from 1ms to 60s"
      ),
      (
        #""switchRepeats": [{"delay": {"state": "key", "unit": "1ms"}, "interval": "1s"}]"#,
        "expected the name of a state that is a number"
      ),
      (
        #""switchRepeats": [{"delay": {"state": "mode"}, "interval": "1s"}]"#,
        "expected one of \"unit\" and \"per\", found none"
      ),
      (
        #""switchRepeats": [{"delay": {"state": "mode", "unit": "1ms", "per": "1s"}, "interval": "1s"}]"#,
        "found both"
      ),
      (
        #""switchRepeats": [{"delay": {"state": "mode", "unit": "1h"}, "interval": "1s"}]"#,
        "expected a time of at most 60s"
      ),
      (
        #""switchRepeats": [{"once": true}, {"delay": "1s", "interval": "1s"}]"#,
        "the rule never applies: an earlier rule has no \"when\""
      ),
    ])
  func mistakes(_ rest: String, _ message: String) {
    let problems = problems(rest)
    guard !message.isEmpty else { return #expect(problems.isEmpty) }
    #expect(problems.count == 1 && problems[0].contains(message), "\(problems)")
  }
}
