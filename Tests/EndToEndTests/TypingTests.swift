// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDSessions
import HIDSimulator
import KeyboardLayouts
import Testing
import TestSupport

extension EndToEndTests {
  @Suite("typing") struct TypingTests {
    /// Returns the characters of a layout as texts whose events fit into the 64 entries of an event
    /// node's buffer.
    private static func texts(_ layout: KeyboardLayout) -> [String] {
      var texts: [String] = []
      var count = Int.max
      for character in layout.characters where character != "\r\n" {
        let events = (layout.strokes(for: character) ?? []).reduce(0) { sum, stroke in
          // MSC_SCAN and EV_KEY for each key that changes, and SYN_REPORT for each report.
          let modifiers = stroke.modifiers.usages.count
          return sum + 6 + (modifiers > 0 ? 2 + 4 * modifiers : 0)
        }
        if count >= 64 - events {
          texts.append("")
          count = 0
        }
        texts[texts.count - 1].append(character)
        count += events
      }
      return texts
    }

    /// The codes of the layouts in pairs that are tested at the same time: a test waits half of its
    /// time.
    private static let pairs = stride(from: 0, to: KeyboardLayout.codes.count, by: 2).map {
      Array(KeyboardLayout.codes[$0..<min($0 + 2, KeyboardLayout.codes.count)])
    }

    @Test(
      "a Linux desktop reads every character of every layout as it was typed",
      .enabled(if: TestBus.testsKernel, TestBus.kernelReason),
      .enabled(
        if: XKBReader.problem == nil,
        "libxkbcommon, xkb-data or libx11-data is missing, or another version"),
      arguments: pairs)
    func desktop(codes: [String]) async throws {
      try await withThrowingTaskGroup { group in
        for code in codes { group.addTask { try await Self.typeOnDesktop(code) } }
        try await group.waitForAll()
      }
    }

    private static func typeOnDesktop(_ code: String) async throws {
      try await Bench.run(.kernel) { bench in
        let layout = try #require(KeyboardLayout(code: code))
        let reader = try #require(XKBReader(layout.xkbName))
        let drive = try await bench.start("drive", "keyboard.json")
        let node = try EvdevNode(try #require(try await drive.event("plugged").eventNodes?.first))
        for text in texts(layout) {
          let line = HIDScript.typing(text, layout: code, skippingMissing: false)
          try await drive.perform(script: line)
          for event in node.available() where event.type == 1 && event.value != 2 {
            reader.key(event.code, isDown: event.value == 1)
          }
          #expect(reader.takeText() == text, "\(code)")
        }
        try await drive.closeInput()
        #expect(try await drive.status == 0)
      }
    }

    @Test(
      "a Linux desktop reads the text that is typed through a stick, in every layout",
      .enabled(if: TestBus.testsKernel, TestBus.kernelReason),
      .enabled(
        if: XKBReader.problem == nil,
        "libxkbcommon, xkb-data or libx11-data is missing, or another version"),
      arguments: KeyboardLayout.codes.enumerated().map { ($1, $0 % 3) })
    func stick(code: String, speed: Int) async throws {
      try await Bench.run(.kernel) { bench in
        let layout = try #require(KeyboardLayout(code: code))
        let reader = try #require(XKBReader(layout.xkbName))
        let (run, place) = try await bench.stick()
        // A stick accepts clients when all of its interfaces are plugged.
        let plugged = run.output.lines.compactMap { Event($0) }
          .first { $0.event == "plugged" && $0.device == "InputStick/keyboard" }
        let node = try EvdevNode(try #require(plugged?.eventNodes?.first))
        // A stick types in real time. So the text is a sample of the whole layout, with dead keys.
        let all = layout.characters.filter { $0 != "\r\n" }
        let text = String(stride(from: 0, to: all.count, by: all.count / 40 + 1).map { all[$0] })
        let typing = try await bench.start(
          program: Bench.binary,
          ["type", text, "--layout", code, "--speed", "\(speed)", "--via", place])
        var pressed: Set<UInt16> = []
        // A combining mark is not a character of its own in the text, but has its own keys.
        let scalarCount = text.unicodeScalars.count
        while reader.text.unicodeScalars.count < scalarCount || !pressed.isEmpty {
          for event in try node.next() where event.type == 1 && event.value != 2 {
            reader.key(event.code, isDown: event.value == 1)
            if event.value == 1 { pressed.insert(event.code) } else { pressed.remove(event.code) }
          }
        }
        #expect(reader.text == text, "\(code)")
        #expect(try await typing.status == 0, "\(typing.transcript)")
        #expect(
          node.available().allSatisfy { $0.type != 1 }, "nothing is typed after the text")
        try await bench.end(run)
      }
    }

    @Test("type sends the keys of a layout", arguments: TestBus.available)
    func type(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let (run, node) = try await bench.plug("keyboard.json")
        let monitor = try await bench.start("monitor", node)
        try await monitor.note(containing: "monitoring")
        let done = try await bench.finish("type", "ß@É", "--layout", "de-DE", "--to", node)
        #expect(done.status == 0, "\(done.errorText)")
        // ß is the key to the right of 0. @ is AltGr and Q. É is a dead acute, then E with Shift.
        for wanted in [
          "00 00 2d", "00 00 00", "40 00 00", "40 00 14", "40 00 00", "00 00 00", "00 00 2e",
          "00 00 00", "02 00 00", "02 00 08", "02 00 00", "00 00 00",
        ] {
          let line = try await monitor.line { _ in true }
          #expect(line.contains("input \(wanted)"), "expected \(wanted)")
        }
        monitor.signal(SIGINT)
        #expect(try await monitor.status == 0)
        try await bench.end(run)
      }
    }

    @Test("type refuses characters that the layout cannot type, before it sends anything")
    func refusals() async throws {
      try await Bench.run(.loopback) { bench in
        let (run, _) = try await bench.plug("keyboard.json", "--input")
        func refusal(_ words: String...) async throws -> String {
          let done = try await bench.finish(
            program: Bench.binary, ["type"] + words + ["--to", "keyboard"])
          #expect(done.status == 64)
          return done.errorText
        }
        #expect(
          try await refusal("aña\u{1F600}", "--layout", "de-DE")
            == "hidsim: the layout de-DE cannot type \"ñ\" (character 2), \"\u{1F600}\" (character 4); "
            + "name another layout with --layout, leave the characters out, or add --skip-missing")
        #expect(
          try await refusal("a", "--layout", "de-DD")
            == "hidsim: there is no layout \"de-DD\"; did you mean \"de-DE\"?")
        #expect(
          try await refusal("a", "--layout", "xkb:../etc")
            == "hidsim: expected a layout of xkb-data after \"xkb:\", found \"../etc\"; "
            + "write it like xkb:de or xkb:de(neo)")
        let done = try await bench.finish(
          "type", "aña\u{1}\r", "--layout", "de-DE", "--skip-missing", "--to", "keyboard")
        #expect(done.status == 0, "\(done.errorText)")
        run.signal(SIGINT)
        #expect(try await run.status == 0)
        let reports = run.output.lines.compactMap(Event.init).filter { $0.event == "input" }
        #expect(reports.count == 4, "a, and a again: \(reports)")
      }
    }

    @Test(
      "without xkb-data, the refusal of one of its layouts names xkb-data",
      .enabled(
        if: XKBReader.problem == nil,
        "libxkbcommon, xkb-data or libx11-data is missing, or another version"))
    func withoutLayoutData() async throws {
      try await Bench.run(.loopback) { bench in
        // All folders in which libxkbcommon looks for data.
        let folders = ["XKB_CONFIG_ROOT", "XKB_CONFIG_EXTRA_PATH", "XDG_CONFIG_HOME", "HOME"]
        let done = try await bench.finish(
          program: "env",
          folders.map { "\($0)=/nonexistent" } + [Bench.binary, "layouts", "xkb:de"])
        #expect(done.status == 69)
        #expect(
          done.errorText.contains(
            "libxkbcommon cannot be used (xkb-data is missing, or there is not enough memory); "
              + "install libxkbcommon0 and xkb-data"))
      }
    }

    @Test("layouts lists the layouts, draws one, and prints the keys of a text")
    func layouts() async throws {
      try await Bench.run(.loopback) { bench in
        let list = try await bench.finish("layouts")
        #expect(list.output.count == KeyboardLayout.codes.count)
        #expect(list.output.contains("de-DE         de            iso   German"))
        for code in KeyboardLayout.codes {
          let drawing = try await bench.finish("layouts", code)
          #expect(drawing.status == 0)
          for line in drawing.output { #expect(line.count <= 80, "\(code): \(line)") }
        }
        let german = try await bench.finish("layouts", "de-de")
        #expect(german.output.contains { $0.hasPrefix("  │ Q Ω│ W §│ E €│") })
        #expect(german.output.contains { $0.hasPrefix("  │ q @│ w ſ│ e €│") })
        let strokes = try await bench.finish("layouts", "de-DE", "--text", "É@")
        #expect(
          strokes.output == ["É   equals, leftShift+e", "@   rightAlt+q"])
        let json = try await bench.finish("layouts", "de-DE", "--json")
        #expect(
          json.output.first
            == #"{"event":"key","key":"a","usageID":4,"symbols":["a","A","æ","Æ","A","a","Æ","æ"]}"#
        )
        let missing = try await bench.finish("layouts", "de-DE", "--text", "ñ")
        #expect(missing.status == 64)
        #expect(missing.errors == ["hidsim: the layout de-DE cannot type \"ñ\" (character 1)"])
      }
    }
  }
}
