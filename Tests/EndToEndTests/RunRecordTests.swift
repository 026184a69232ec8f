// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDTraces
import Testing

extension EndToEndTests {
  @Suite("run --record") struct RunRecordTests {
    @Test(
      "--record records the traffic of a script, a command after -- and a stream",
      arguments: TestBus.available)
    func running(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let file = try bench.vendor("vendor")
        let path = bench.folder.appending(path: "a.hid").path
        let script = try bench.file(
          "a.hidscript", "report 01 02 03\nexpect event output within 50s\nreport 04 05 06\n")
        let done = try await bench.finish(
          "run", file, "--script", script, "--record", path, "--", Bench.binary, "set", "vendor",
          "output", "07", "08", "09")
        #expect(done.status == 0, "\(done.errorText)")
        #expect(
          try bench.trace(path).words.filter { $0 != "opened" && $0 != "closed" } == [
            "0 input 01 02 03", "0 output 07 08 09", "0 input 04 05 06",
          ])
        #expect(done.errors.last == "\(path): 2 reports, 1 output report, 0 lost here")
        // Two devices of one name, plugged one after the other, are one device of the trace. A
        // device of another name is a second one.
        let run = try await bench.start("drive", "--record", path, "--force")
        for (name, token) in [("vendor", 1), ("vendor", 2), ("other", 3)] {
          let file = try bench.vendor(name)
          try await run.command(#"{"command": "plug", "file": "\#(file)", "token": \#(token)}"#)
          try await run.command(
            #"{"command": "report", "bytes": "0\#(token) 00 00"}{"command": "unplug", "token": 9}"#)
        }
        try await run.closeInput()
        #expect(try await run.status == 0)
        let trace = try bench.trace(path)
        #expect(trace.devices.map(\.name) == ["vendor", "other"])
        #expect(
          trace.words.filter { $0 != "opened" && $0 != "closed" } == [
            "0 input 01 00 00", "unplugged", "plugged", "0 input 02 00 00", "unplugged",
            "1 input 03 00 00", "unplugged",
          ])
      }
    }

    @Test("run --record refuses wrong options, and records virtual time")
    func runningWrong() async throws {
      try await Bench.run(.loopback) { bench in
        let file = try bench.vendor("vendor")
        let there = try await bench.finish("run", file, "--record", file)
        #expect(there.status == 64)
        #expect(there.output.isEmpty)
        #expect(try await bench.finish("run", file, "--record", "-").status == 64)
        #expect(try await bench.finish("run", file, "--redact").status == 64)
        let script = try bench.file("a.hidscript", "report 01 02 03\nwait 120m\nreport 04 05 06\n")
        let path = bench.folder.appending(path: "a.hid").path
        let virtual = try await bench.finish(
          "run", file, "--script", script, "--timeline", "virtual", "--record", path)
        #expect(virtual.status == 0)
        let trace = try bench.trace(path)
        #expect(trace.words == ["0 input 01 02 03", "0 input 04 05 06"])
        #expect(trace.events[1].microseconds >= 7_200_000_000)
      }
    }

    @Test(
      "run --record --redact leaves out typed keys and the serial number",
      arguments: TestBus.available)
    func redacted(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let script = try bench.file("a.hidscript", "type \"Pq\"\ntap escape\n")
        let path = bench.folder.appending(path: "a.hid").path
        let done = try await bench.finish(
          "run", "keyboard.json", "--script", script, "--record", path, "--redact")
        #expect(done.status == 0, "\(done.errorText)")
        try bench.expectRedacted(path)
      }
    }

    static let isFull =
      "hidsim: /dev/full: cannot be written: No space left on device; it holds no event"

    @Test(
      "a run whose recording cannot be written ends with status 74, also one without an end",
      arguments: TestBus.available)
    func full(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let file = try bench.vendor("vendor")
        let script = try bench.file("a.hidscript", "expect event output within 100m\n")
        for (command, options, isEndless) in [
          ("run", [], true), ("run", ["--for", "1ms"], false), ("run", ["--script", script], true),
          ("run", ["--", "sleep", "3600"], true), ("drive", [], true),
        ] as [(String, [String], Bool)] {
          let run = try await bench.start(
            program: Bench.binary, [command, file, "--record", "/dev/full"] + options)
          #expect(try await run.status == 74, "\(options)")
          #expect(run.errors.lines.filter { $0 == Self.isFull }.count == 1, "\(run.transcript)")
          let isExplained = run.transcript.contains("ended: the recording cannot be written")
          #expect(isExplained || !isEndless, "\(run.transcript)")
        }
        #expect(try await bench.devices().isEmpty)
      }
    }

    @Test(
      "the error for a file that became full states how many whole events it holds",
      arguments: ["run", "record"])
    func filled(command: String) async throws {
      try await Bench.run(.loopback) { bench in
        let path = bench.folder.appending(path: "a.hid").path
        let device = try await bench.start(
          "run", "keyboard.json", "--send", "-", "--json")
        try await device.event("plugged")
        let script = try bench.file("a.hidscript", "repeat 10000\nmove 1 1\nend\n")
        let words =
          command == "record"
          ? "record keyboard -o \(path)" : "run mouse.json --script \(script) --record \(path)"
        let recorder = try await bench.start(
          program: "bash",
          ["-c", "trap '' XFSZ; ulimit -f 20; exec \(Bench.binary) \(words)"])
        if command == "record" {
          try await recorder.note(containing: "recording 1 device")
          try await device.write(String(repeating: "00 00 04 00 00 00 00 00\n", count: 20_000))
        }
        #expect(try await recorder.status == 74, "\(recorder.transcript)")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.hasSuffix("\n"))
        let events = ["E:", "#! open ", "#! close ", "#! plug ", "#! unplug "]
        let count = text.split(separator: "\n").filter { line in
          events.contains { line.hasPrefix($0) }
        }.count
        #expect(count > 100)
        let told = "cannot be written: File too large; it holds the first \(count) events"
        #expect(
          recorder.errors.lines.contains("hidsim: \(path): \(told)"), "\(recorder.transcript)")
        try await bench.end(device)
      }
    }
  }
}
