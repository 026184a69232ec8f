// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEndTests {
  /// `hidsim stick` with a client in Python that shares no code with it.
  @Suite("hidsim stick") struct StickTests {
    private static let client = "\(Bench.fixtures)/stick_client.py"

    private func talk(_ bench: Bench, _ place: String, _ steps: String...) async throws -> Finished
    {
      try await bench.finish(program: "python3", [Self.client, place] + steps)
    }

    /// Returns the keyboard's input reports.
    private func keys(_ run: HidsimProcess) -> [String] {
      run.output.lines.compactMap { Event($0) }
        .filter { $0.event == "input" && $0.device == "InputStick/keyboard" }.compactMap(\.bytes)
    }

    @Test(
      "a client types through a socket, a port and a terminal", arguments: TestBus.available,
      [
        [], ["--listen", "unix:own"], ["--listen", "tcp:0"], ["--listen", "pty"], ["--ble-pieces"],
      ])
    func places(bus: TestBus, options: [String]) async throws {
      try await Bench.run(bus) { bench in
        let own = "unix:\(bench.folder.appending(path: "own").path)"
        let options = options.map { $0 == "unix:own" ? own : $0 }
        let (run, place) = try await bench.stick(options)
        // The client starts the firmware, sends keys with and without Shift, and waits for a
        // status.
        let done = try await talk(bench, place, "04", "2c 03 02 04 00 05", "status")
        #expect(done.output.prefix(2) == ["04 01", "2c 01"], "\(done.errorText)")
        #expect(done.output.last?.hasPrefix("2f 05") == true)
        try await run.event("input") { $0.bytes == "00 00 00 00 00 00 00 00" }
        #expect(
          keys(run) == [
            "02 00 04 00 00 00 00 00", "00 00 05 00 00 00 00 00", "00 00 00 00 00 00 00 00",
          ])
        try await run.line { $0.contains("\"state\":\"disconnected\"") }
        // For the next client, the stick is in its initial state again.
        let next = try await talk(bench, place, "10")
        #expect(next.output.first?.hasPrefix("10 01 42 01 0a") == true, "\(next.errorText)")
        try await bench.end(run)
        if let path = place.split(separator: ":").last, place.hasPrefix("unix:") {
          #expect(!FileManager.default.fileExists(atPath: String(path)))
        }
      }
    }

    @Test("a second client is refused with the reason, and the first one stays connected")
    func secondClient() async throws {
      try await Bench.run(.loopback) { bench in
        let (run, place) = try await bench.stick()
        let first = try await bench.start(
          program: "python3", [Self.client, place, "04"] + Array(repeating: "status", count: 1000))
        try await first.line { $0 == "04 01" }
        let second = try await talk(bench, place, "04")
        #expect(second.status == 3)
        #expect(
          second.output == ["closed: hidsim: another client is connected to this stick"])
        #expect(try await first.line { $0.hasPrefix("2f") } != "")
        first.signal(SIGKILL)
        try await run.line { $0.contains("\"state\":\"disconnected\"") }
        #expect(try await talk(bench, place, "04").output == ["04 01"])
        try await bench.end(run)
        #expect(run.output.lines.contains { $0.contains("\"state\":\"refused\"") })
      }
    }

    @Test(
      "a script expects packets, causes link faults, and acts as the host of a client program",
      arguments: TestBus.available)
    func script(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let file = bench.folder.appending(path: "stick.hidscript")
        try """
        expect event packet received bytes 04 within 20s
        host set led.capsLock on
        expect event packet received bytes 2c 01 00 04 within 20s
        expect event packet sent bytes 2c 01 within 20s
        link overflow 1
        expect event packet received bytes 2c 01 00 05 within 20s
        expect event packet sent bytes 2c 03 within 20s
        link suspend
        expect event packet sent bytes 2f 03 02 ... within 20s
        link resume
        expect event packet sent bytes 2f 05 02 ... within 20s
        link cut

        """.write(to: file, atomically: true, encoding: .utf8)
        // The client sends each packet when the script has reached the right line.
        let program = bench.folder.appending(path: "client.py")
        let source = try String(contentsOfFile: Self.client, encoding: .utf8)
          .replacing("\nmain()\n", with: "\n")
        try
          (source + """
            import os
            stick = Stick(os.environ["HIDSIM_STICK"])
            def ask(text):
                stick.send(bytes.fromhex(text), True)
                return stick.packet(bytes.fromhex(text)[0]).rstrip(b"\\0").hex(" ")
            def status(start):
                while not stick.packet(0x2F).hex(" ").startswith(start): pass
            print(ask("04"))
            status("2f 05 02")
            print(ask("2c 01 00 04"))
            answer = ask("2c 01 00 05")
            while answer == "2c 01":
                answer = ask("2c 01 00 05")
            print(answer)
            status("2f 03 02")
            status("2f 05 02")
            stick.packet(0xEE)
            """).write(to: program, atomically: true, encoding: .utf8)
        let done = try await bench.finish(
          "stick", "--script", file.path, "--wait-command", "--json", "--", "python3", program.path)
        #expect(done.output == ["04 01", "2c 01", "2c 03", "closed: "], "\(done.errorText)")
        #expect(done.status == 3, "the client's own status: \(done.errorText)")
      }
    }

    @Test("a stick that resets is unplugged, and plugged again", arguments: TestBus.available)
    func reset(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let script = bench.folder.appending(path: "reset.hidscript")
        try """
        tap a
        link reset
        wait 1500ms
        tap b
        """.write(to: script, atomically: true, encoding: .utf8)
        let done = try await bench.finish("stick", "--script", script.path, "--json", "--input")
        #expect(done.status == 0, "\(done.errorText)")
        let keyboard = done.output.compactMap { Event($0) }.filter {
          $0.device == "InputStick/keyboard"
            && ["plugged", "unplugged", "input"].contains($0.event)
        }
        #expect(
          keyboard.map(\.event) == [
            "plugged", "input", "input", "unplugged", "plugged", "input", "input", "unplugged",
          ])
      }
    }

    @Test("a script of another hidsim cuts the stick's link, and is refused for a keyboard")
    func otherProcess() async throws {
      try await Bench.run(.loopback) { bench in
        let (run, place) = try await bench.stick()
        let first = try await bench.start(
          program: "python3", [Self.client, place, "04"] + Array(repeating: "status", count: 1000))
        try await first.line { $0 == "04 01" }
        let script = bench.folder.appending(path: "cut.hidscript")
        try "link cut\n".write(to: script, atomically: true, encoding: .utf8)
        #expect(try await bench.finish("script", script.path, "--to", "InputStick").status == 0)
        #expect(try await first.status == 3)
        let keyboard = try await bench.plug("keyboard.json")
        let refused = try await bench.finish("script", script.path, "--to", "hidsim keyboard")
        #expect(refused.status == 1)
        #expect(
          refused.errorText.contains(
            "the device has no command link; hidsim stick plugs a device that has one"))
        try await bench.end(keyboard.run)
        try await bench.end(run)
      }
    }

    @Test("the stick and another process record the same packets, and diff --packets compares them")
    func recording() async throws {
      try await Bench.run(.loopback) { bench in
        func file(_ name: String) -> String { bench.folder.appending(path: name).path }
        let (run, place) = try await bench.stick(["--record", file("own.hid")])
        let recorder = try await bench.start("record", "InputStick", "-o", file("other.hid"))
        try await eventually { recorder.errors.lines.contains { $0.hasPrefix("recording 4") } }
        #expect(
          try await talk(bench, place, "04", "2c 02 00 04 00 00").output == ["04 01", "2c 01"])
        try await run.event("input") { $0.bytes == "00 00 00 00 00 00 00 00" }
        recorder.signal(SIGINT)
        #expect(try await recorder.status == 0)
        try await bench.end(run)
        let text = try String(contentsOfFile: file("own.hid"), encoding: .utf8)
        let packet = /#! packet [0-9.]+ received 12 2c 02 00 04 00 00 00 00 00 00 00 00\n/
        #expect(text.contains(packet), "\(text)")
        for options in [[], ["--packets"]] {
          let same = try await bench.finish(
            program: Bench.binary, ["diff", file("own.hid"), file("other.hid")] + options)
          #expect(same.status == 0, "\(same.output)")
        }
        let redacted = try await bench.finish(
          "convert", file("own.hid"), file("redacted.hid"), "--redact")
        #expect(redacted.status == 0)
        #expect(
          try !String(contentsOfFile: file("redacted.hid"), encoding: .utf8).contains("packet"))
        let options = ["diff", file("own.hid"), file("redacted.hid"), "--packets"]
        let packets = try await bench.finish(program: Bench.binary, options)
        #expect(packets.output.contains { $0.contains("packet received 2c 02 00 04") })
      }
    }

    @Test("a stick with a password refuses the reports of a client that has not authenticated")
    func password() async throws {
      try await Bench.run(.loopback) { bench in
        let (run, place) = try await bench.stick(["--password", "abc123", "--firmware", "0.98"])
        let done = try await talk(bench, place, "04", "10", "2c 01 00 04", "11")
        #expect(done.output.count == 4, "\(done.errorText)")
        #expect(done.output[1].hasPrefix("10 01 42 00 62"))
        #expect(done.output[2...] == ["2c 20", "11 20"])
        try await bench.end(run)
        #expect(keys(run).isEmpty)
      }
    }

    @Test("a place that cannot be opened, and a device that is no stick, are refused")
    func refusals() async throws {
      try await Bench.run(.loopback) { bench in
        let file = bench.folder.appending(path: "file").path
        try "text".write(toFile: file, atomically: true, encoding: .utf8)
        let occupied = try await bench.finish("stick", "--listen", "unix:\(file)")
        #expect(occupied.status == 64)
        #expect(
          occupied.errorText.contains(
            "cannot listen at unix:\(file): there is a file that is no socket; name another path"))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "text")

        let (run, place) = try await bench.stick()
        let taken = try await bench.finish("stick", "--listen", place)
        #expect(taken.errorText.contains("another program listens there; name another path"))
        let (second, other) = try await bench.stick()
        #expect(other == "\(place)-2")
        try await bench.end(second)
        // A stick that was killed leaves its socket, and the next one replaces it.
        run.signal(SIGKILL)
        _ = try await run.status
        let (next, again) = try await bench.stick()
        #expect(again == place)
        try await bench.end(next)

        let keyboard = try await bench.finish("stick", "keyboard.json")
        #expect(keyboard.status == 65)
        #expect(
          keyboard.errorText.contains(
            "\"hidsim keyboard\" has no interface \"keyboard\", which a stick needs"),
          "\(keyboard.errorText)")

        let slow = try await bench.finish("stick", "--poll-interval", "2s")
        #expect(slow.status == 64)
        #expect(slow.errorText.contains("--poll-interval 2s: expected 1ms to 1s"))
      }
    }
  }
}
