// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension EndToEndTests {
  @Suite("standard output") struct StandardOutputTests {
    private static let full =
      "hidsim: standard output cannot be written to: No space left on device"

    @Test(
      "a full standard output is status 74 and one line on standard error, for every command",
      arguments: [
        "--help", "--version", "help run", "run --help", "--generate-completion-script bash",
        "describe keyboard.json", "lint --list", "devices", "schema", "list --json",
        "decode keyboard.json 00 00 04 00 00 00 00 00", "encode keyboard.json a",
        "clone two.hid --pick 1", "stat two.hid", "convert two.hid -", "test --list .",
        "run keyboard.json --script a.hidscript", "run keyboard.json --script a.hidscript --json",
        "run keyboard.json --script a.hidscript --junit -",
        "run keyboard.json --script a.hidscript --tap -", "drive keyboard.json < /dev/null",
        "replay two.hid --instant", "replay two.hid --instant --json",
        "diff two.hid two.hid --json", "get mouse input", "show mouse --read",
      ])
    func full(words: String) async throws {
      try await Bench.run(.loopback) { bench in
        let (run, _) = try await bench.plug("mouse.json")
        _ = try bench.file("a.hidscript", "needs keyboard.json\ntap a\n")
        _ = try bench.file(
          "two.hid",
          try String(contentsOfFile: "\(Bench.fixtures)/two-devices.hid", encoding: .utf8))
        let done = try await bench.finish(
          program: "sh",
          ["-c", "cd \(bench.folder.path) && exec \(Bench.binary) \(words) > /dev/full"])
        #expect(done.status == 74, "\(done.errorText)")
        let told = done.errors.filter { $0.contains("standard output") && !$0.contains("hid-rec") }
        #expect(told == [Self.full], "\(done.errorText)")
        try await bench.end(run)
        #expect(try bench.leftovers() == [])
      }
    }

    @Test("a reader that closes the output does not hide a trace that cannot be written (74)")
    func leftReader() async throws {
      try await Bench.run(.loopback) { bench in
        let reports = String(repeating: "00 00 04 00 00 00 00 00\n", count: 20_000)
        _ = try bench.file("reports", reports)
        let done = try await bench.finish(
          program: "bash",
          [
            "-c",
            """
            cd \(bench.folder.path) && trap '' XFSZ && ulimit -f 8
            \(Bench.binary) run keyboard.json --send - --json --input --record t < reports | head -1
            exit ${PIPESTATUS[0]}
            """,
          ])
        #expect(done.status == 74, "\(done.errorText)")
        #expect(done.errorText.contains("t: cannot be written: "))
      }
    }

    @Test(
      "a failed script is status 1 with a full standard output too, and both errors are printed")
    func failed() async throws {
      try await Bench.run(.loopback) { bench in
        let script = try bench.file("a.hidscript", "expect led.capsLock on within 1ms\n")
        for options in ["", "--json", "--junit -"] {
          let words = "run keyboard.json --script \(script) \(options)"
          let done = try await bench.finish(
            program: "sh", ["-c", "exec \(Bench.binary) \(words) > /dev/full"])
          #expect(done.status == 1)
          #expect(done.errors.contains(Self.full), "\(done.errorText)")
          #expect(done.errorText.contains("a.hidscript:1:1: expected led.capsLock on"))
        }
      }
    }

    // MARK: A reader who reads nothing

    private static let unread = "hidsim: standard output was not read for 2 s: the rest is lost"
    private static let feed = "< <(yes '00 00 04 00 00 00 00 00')"

    /// Starts a command in the bench's folder that prints to a full pipe.
    ///
    /// The function returns when the command holds output back.
    private func stuck(
      _ bench: Bench, _ words: String
    ) async throws -> (process: HidsimProcess, pipe: Int32) {
      let path = bench.folder.appending(path: "pipe").path
      #expect(mkfifo(path, 0o600) == 0)
      let pipe = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      #expect(pipe >= 0)
      let filling = [UInt8](repeating: 0x0A, count: 4096)
      while write(pipe, filling, filling.count) > 0 {}
      let process = try await bench.start(
        program: "bash",
        ["-c", "cd \(bench.folder.path) && exec \(Bench.binary) \(words) > pipe"])
      // At this point the thread that writes the held output is running.
      let tasks = "/proc/\(process.processID)/task"
      try await eventually {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        return threads.contains {
          (try? String(contentsOfFile: "\(tasks)/\($0)/comm", encoding: .utf8)) == "hidsim-output\n"
        }
      }
      return (process, pipe)
    }

    @Test(
      "a command whose output is not read ends on a signal and after --for",
      arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, nil])
    func asked(signal: Int32?) async throws {
      // The commands run at the same time, since each takes seconds.
      try await withThrowingTaskGroup(of: Void.self) { group in
        for words in [
          "run keyboard.json --input --send - \(Self.feed)",
          "run keyboard.json --json --input --send - \(Self.feed)",
          "run keyboard.json --script a.hidscript --input",
          "drive keyboard.json --input < stream", "monitor keyboard",
          "monitor keyboard --raw",
          "replay long.hid --loop 0 --instant --input",
        ] {
          group.addTask { try await asked(words, signal) }
        }
        try await group.waitForAll()
      }
    }

    /// Returns the command with a limit of one second.
    private func bounded(_ words: String) -> String {
      let parts = words.split(separator: " ", maxSplits: 1)
      return "\(parts[0]) --for 1s \(parts[1])"
    }

    private func asked(_ words: String, _ signal: Int32?) async throws {
      try await Bench.run(.loopback) { bench in
        _ = try bench.file("a.hidscript", "repeat 100000\n  tap a\nend\n")
        _ = try bench.file("long.hid", ReplayTests.session)
        _ = try bench.file(
          "stream",
          #"{"command": "script", "text": "repeat 100000\ntap a\nend", "token": 1}"# + "\n")
        let isMonitor = words.hasPrefix("monitor")
        if isMonitor {
          let run = try await bench.start(
            program: "bash",
            ["-c", "exec \(Bench.binary) run keyboard.json --json --send - \(Self.feed)"])
          try await run.event("plugged")
        }
        let (process, pipe) = try await stuck(bench, signal == nil ? bounded(words) : words)
        defer { close(pipe) }
        if let signal { process.signal(signal) }
        // A script that was stopped has failed.
        #expect(try await process.status == (words.contains("--script") ? 1 : 74), "\(words)")
        #expect(process.errors.lines.contains(Self.unread), "\(words): \(process.errors.lines)")
        if !isMonitor { #expect(try bench.leftovers() == [], "\(words)") }
      }
    }

    @Test("a reader that begins after the run gets every line, and the status is that of the run")
    func late() async throws {
      try await Bench.run(.loopback) { bench in
        _ = try bench.file("a.hidscript", "repeat 1000\n  tap a\nend\n")
        let (process, pipe) = try await stuck(
          bench, "run keyboard.json --script a.hidscript --input --record a.hid")
        defer { close(pipe) }
        // The trace is complete, and the device is gone.
        try await process.note(containing: "a.hid: 2000 reports")
        #expect(try bench.leftovers() == [])
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
          let count = read(pipe, &buffer, buffer.count)
          if count > 0 { bytes += buffer[..<count] }
          // This descriptor can write to the pipe, too, so a read never reaches the end. The last
          // line shows that the output is complete.
          if String(decoding: bytes.suffix(300), as: UTF8.self).contains("2000 input"),
            bytes.last == 10
          {
            break
          }
          await Task.yield()
        }
        #expect(try await process.status == 0)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        #expect(lines.filter { $0.contains("  input") || $0.contains(": input") }.count == 2000)
        #expect(lines.last?.contains("2000 input") == true, "\(lines.last ?? "")")
      }
    }
  }
}
