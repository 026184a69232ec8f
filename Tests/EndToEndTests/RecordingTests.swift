// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEndTests {
  @Suite("recordings") struct RecordingTests {
    private static let recording = "\(Bench.fixtures)/two-devices.hid"
    private static let short = "\(Bench.fixtures)/short-report.hid"
    private static let long = "\(Bench.fixtures)/long-report.hid"

    @Test("run plugs the devices of a recording", arguments: TestBus.available)
    func run(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let run = try await bench.start("run", Self.recording, "--json")
        #expect(try await run.event("plugged").name == "End-to-end one")
        #expect(try await run.event("plugged").name == "End-to-end two")
        try await bench.end(run)
      }
    }

    @Test(
      "run plugs the devices of recordings of libinput and umockdev, too",
      arguments: TestBus.available)
    func runOthers(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let description = """
          P: /devices/virtual/misc/uhid/0003:1209:0001.0007
          E: HID_ID=0003:00001209:00000001
          E: HID_NAME=Pad
          H: report_descriptor=05010902A1010930750895028102093195039102C0

          P: /devices/virtual/misc/uhid/0003:1209:0001.0007/hidraw/hidraw3
          N: hidraw3

          """
        _ = try bench.file("pad.umockdev", description)
        let script = try bench.file("pad.script", "d 0 /dev/hidraw3\nr 10 0102\n")
        let libinput = Bench.checkout("Tests/HIDTracesTests/Fixtures/libinput-three-nodes.yml")
        let run = try await bench.start("run", script, libinput, "--json")
        #expect(try await run.event("plugged").name == "Pad")
        #expect(try await run.event("plugged").name == "Acme Combo Mouse")
        try await bench.end(run)
        let broken = try bench.file("broken.yml", "# libinput record\nversion: 1\ndevices:\n")
        let done = try await bench.finish("run", broken)
        #expect(done.status == 65)
        #expect(done.errorText.contains("broken.yml"), "\(done.errorText)")
      }
    }

    @Test(
      "replay keeps the order across devices, and takes at least the time of the recording",
      arguments: TestBus.available)
    func order(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let done = try await bench.finish("replay", Self.recording, "--json", "--input")
        #expect(done.status == 0, "\(done.errors)")
        let inputs = done.output.compactMap(Event.init).filter { $0.event == "input" }
        #expect(
          inputs.map { "\($0.device?.suffix(3) ?? "") \($0.bytes ?? "")" } == [
            "one 01", "two 01 00", "one 02", "two 02 00", "one 04", "one 08", "two 04 00",
          ])
        let summary = try #require(done.output.last.flatMap(Event.init))
        #expect(summary.inputs == 7)
        let match = try #require(
          summary.outcome?.firstMatch(of: /^7 of 7 reports replayed in ([0-9.]+) ms/))
        // The time from the first report to the last one is 150 ms in the recording.
        #expect(try #require(Double(match.1)) >= 150)
      }
    }

    @Test("every report of a replayed device arrives at a monitor", arguments: TestBus.available)
    func arrives(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let replay = try await bench.start(
          "replay", Self.recording, "--wait-reader", "30s", "--json")
        let one = try await replay.event("plugged")
        try await replay.event("plugged")
        let monitor = try await bench.start("monitor", try #require(one.node), "--raw")
        #expect(try await monitor.status == 0)
        #expect(monitor.output.lines == ["01", "02", "04", "08"])
        #expect(try await replay.status == 0)
      }
    }

    @Test("a short report is filled up and counted", arguments: TestBus.available)
    func short(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let done = try await bench.finish("replay", Self.short, "--json", "--input")
        #expect(done.status == 0)
        let events = done.output.compactMap(Event.init)
        #expect(events.contains { $0.event == "input" && $0.bytes == "02 00" })
        #expect(events.last?.outcome?.hasSuffix(", 1 short report filled up") == true)
      }
    }

    @Test(
      "a report longer than declared is replayed whole and counted, also with --strict",
      arguments: TestBus.available)
    func long(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let replay = try await bench.start(
          "replay", Self.long, "--wait-reader", "30s", "--json", "--strict")
        let device = try await replay.event("plugged")
        let monitor = try await bench.start("monitor", try #require(device.node), "--raw")
        #expect(try await monitor.status == 0)
        #expect(
          monitor.output.lines == [
            "01 00", "02 00", "03 00", "04 00", "05 00", "06 00", "07 00 aa bb cc", "08 00",
            "09 00 dd", "0a 00",
          ])
        #expect(try await replay.status == 0)
        let summary = try #require(replay.output.lines.last.flatMap(Event.init))
        #expect(summary.outcome?.hasPrefix("10 of 10 reports replayed") == true)
        #expect(summary.outcome?.hasSuffix(", 2 longer than declared") == true)
      }
    }

    @Test("replay refuses a file that is no trace with one line (65)")
    func noRecording() async throws {
      try await Bench.run(.loopback) { bench in
        let other = try bench.file("other", "\u{7f}ELF\u{2}\n\n1 2\nhello\n")
        for (file, told) in [
          ("keyboard.json", "keyboard.json: this is a device file, and a trace was expected"),
          (other, "\(other):1:1: expected a trace, found"),
        ] {
          let done = try await bench.finish("replay", file)
          #expect(done.status == 65)
          #expect(done.errors.count == 1)
          #expect(done.errorText.contains(told), "\(done.errors)")
        }
      }
    }

    @Test("replay prints a warning once, and names an undeclared report by its position and ID")
    func told() async throws {
      try await Bench.run(.loopback) { bench in
        let file = try bench.file(
          "odd.hid",
          """
          R: 23 06 00 ff 09 01 a1 01 85 09 09 02 15 00 26 ff 00 75 08 95 02 81 02 c0
          E: 000000.000002 3 09 01 00
          E: 000000.000001 3 09 02 00
          E: 000000.000003 3 08 03 00

          """)
        let done = try await bench.finish("replay", file)
        #expect(done.status == 0)
        #expect(done.errors.filter { $0.contains("the time goes back") }.count == 1)
        #expect(
          done.errorText.contains(
            "odd.hid:4:1: report number 3 of the recording (ID 8) is not in the report descriptor"))
      }
    }

    @Test("a report too long for any bus is listed and not sent, and --strict refuses it (65)")
    func tooLong() async throws {
      try await Bench.run(.loopback) { bench in
        let file = try bench.file(
          "long.hid",
          """
          R: 21 06 00 ff 09 01 a1 01 09 02 15 00 26 ff 00 75 08 95 02 81 02 c0
          E: 000000.000000 2 01 00
          E: 000000.000000 4097\(String(repeating: " 02", count: 4097))
          E: 000000.000000 4096\(String(repeating: " 03", count: 4096))

          """)
        let done = try await bench.finish("replay", file, "--json", "--input")
        #expect(done.status == 0)
        #expect(
          done.errorText.contains("long.hid:3:1: report number 2 of the recording has 4097 bytes"))
        let events = done.output.compactMap(Event.init)
        #expect(events.filter { $0.event == "input" }.map(\.bytes?.utf8.count) == [5, 12_287])
        #expect(events.last?.outcome?.hasSuffix(", 1 longer than declared, 1 not sent") == true)
        let refused = try await bench.finish("replay", file, "--strict")
        #expect(refused.status == 65)
        #expect(
          refused.errorText.contains(
            "long.hid:3:1: report number 2 of the recording has 4097 bytes"))
      }
    }

    @Test("--strict refuses a short report before anything is plugged, with its line (65)")
    func strict() async throws {
      try await Bench.run(.loopback) { bench in
        let done = try await bench.finish("replay", Self.short, "--strict")
        #expect(done.status == 65)
        #expect(done.output.isEmpty)
        #expect(done.errorText.contains("short-report.hid:19:"), "\(done.errorText)")
        #expect(try bench.leftovers() == [])
      }
    }

    @Test(
      "--strict fails if no client reads the reports, and passes if one does",
      arguments: TestBus.available)
    func unheard(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let recording = try bench.file(
          "one.hid",
          """
          R: 21 06 00 ff 09 01 a1 01 09 02 15 00 26 ff 00 75 08 95 01 81 02 c0
          N: End-to-end one
          P: usb-1/input0
          I: 3 1209 0001
          E: 000000.000000 1 01
          E: 000000.001000 1 02

          """)
        let alone = try await bench.finish("replay", recording, "--strict")
        #expect(alone.status == 1)
        let last = try #require(alone.output.last)
        #expect(
          last.contains(", 2 input reports had no reader, 2 of 2 reports replayed"), "\(last)")
        #expect(last.hasSuffix(", strict: failed"))
        #expect(try await bench.finish("replay", recording).status == 0)
        let heard = try await bench.start(
          "replay", recording, "--strict", "--wait-reader", "30s", "--json")
        let node = try #require(try await heard.event("plugged").node)
        let monitor = try await bench.start("monitor", node, "--raw")
        #expect(try await heard.status == 0, "\(heard.transcript)")
        #expect(try await monitor.status == 0)
        #expect(monitor.output.lines == ["01", "02"])
      }
    }
  }
}
