// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension EndToEndTests {
  @Suite("test") struct TestCommandTests {
    /// A script that acts as the device and as the host, and passes.
    private static let passing = """
      needs keyboard.json
      test "a lamp is lit"
      host set led.capsLock on ; sync
      expect led.capsLock on
      test "another is not"
      expect led.numLock off

      """

    /// Creates a folder of scripts in the bench's folder, and returns its path.
    private func suite(_ bench: Bench, _ scripts: [String: String]) throws -> String {
      let folder = bench.folder.appending(path: "suite")
      for (name, text) in scripts {
        let url = folder.appending(path: name)
        try FileManager.default.createDirectory(
          at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
      }
      return folder.path
    }

    @Test(
      "every script of a folder runs on the devices that it needs, or on the device of its name",
      arguments: TestBus.available)
    func all(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let folder = try suite(
          bench,
          [
            "both-ends.hidscript": Self.passing,
            "deeper/keyboard.hidscript": "tap a ; expect led.capsLock off\n",
            "deeper/mouse.hidscript": "needs ../own.json ; click left\n",
            "_part.hidscript": "nonsense\n", ".hidden.hidscript": "nonsense\n",
            "_parts/more.hidscript": "nonsense\n", "notes.txt": "nonsense\n",
            "own.json": try String(
              contentsOfFile: "\(Bench.descriptors)/mouse.json", encoding: .utf8),
          ])
        let done = try await bench.finish("test", folder)
        #expect(done.status == 0, "\(done.output) \(done.errors)")
        #expect(done.output.count == 4)
        #expect(done.output.last?.hasPrefix("3 scripts: 4 passed, 0 failed, 0 skipped, ") == true)
        #expect(done.output.contains { $0.hasPrefix("ok      \(folder)/deeper/mouse.hidscript (") })
        #expect(try await bench.devices().isEmpty)
      }
    }

    @Test("a failed test prints its line, the expectation and the events, and the other tests run")
    func failure() async throws {
      try await Bench.run(.loopback) { bench in
        let folder = try suite(
          bench,
          [
            "a.hidscript": Self.passing, "b.hidscript": "needs keyboard.json\ntapp a\n",
            "c.hidscript": "needs nowhere.json\n", "d.hidscript": "tap a\n",
            "e.hidscript": """
            needs keyboard.json
            test "first"
            tap a ; host set led.numLock on
            expect led.capsLock on within 1ms
            test "second"
            tap b

            """,
          ])
        let report = bench.folder.appending(path: "report.xml").path
        let done = try await bench.finish("test", folder, "--tap", "-", "--junit", report)
        #expect(done.status == 1)
        #expect(done.output.first == "TAP version 13")
        #expect(done.output.contains("1..7"))
        #expect(done.output.contains("ok 1 - \(folder)/a.hidscript: a lamp is lit"))
        #expect(done.output.contains("not ok 3 - \(folder)/b.hidscript"))
        #expect(done.output.contains("not ok 6 - \(folder)/e.hidscript: first"))
        #expect(
          done.output.contains {
            $0.hasPrefix("ok 7 - \(folder)/e.hidscript: second \u{23} SKIP ")
          })
        let text = done.errorText
        #expect(text.contains("b.hidscript:2:1: expected a command, found \"tapp\""), "\(text)")
        #expect(text.contains("c.hidscript:1:7: \(folder)/nowhere.json: there is no such file"))
        #expect(text.contains("d.hidscript: the script names no device"))
        #expect(text.contains("e.hidscript:4:1: expected led.capsLock on within 1ms"))
        #expect(text.contains("hidsim keyboard: input 00 00 04"))
        #expect(text.contains("led.numLock on"))
        #expect(text.contains("5 scripts: 2 passed, 4 failed, 1 skipped, "))
        let xml = try String(contentsOfFile: report, encoding: .utf8)
        #expect(xml.contains(#"<testsuites tests="7" failures="1" errors="3" skipped="1""#))
        #expect(xml.components(separatedBy: "<testsuite name=").count == 6)
      }
    }

    @Test(
      "a command runs beside each test, sees only its devices, and is quoted if it fails",
      arguments: TestBus.available)
    func command(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        var scripts: [String: String] = [:]
        for number in 1...8 {
          scripts["\(number).hidscript"] =
            "needs keyboard.json\nexpect led.capsLock on within 20s\n"
        }
        let folder = try suite(bench, scripts)
        let done = try await bench.finish(
          "test", folder, "--jobs", "8", "--", Bench.binary, "set", "hidsim keyboard", "output",
          "02")
        #expect(done.status == 0, "\(done.output) \(done.errors)")
        #expect(done.output.last?.hasPrefix("8 scripts: 8 passed") == true)
        let failed = try await bench.finish(
          "test", "\(folder)/1.hidscript", "--", "sh", "-c", "echo one; echo two >&2; exit 3")
        #expect(failed.status == 1)
        #expect(
          failed.output.contains("  sh exited with 3"), "\(failed.output)")
        #expect(failed.output.contains("    one") && failed.output.contains("    two"))
      }
    }

    @Test("the shards of a suite have similar sizes, and together contain each script once")
    func shards() async throws {
      try await Bench.run(.loopback) { bench in
        let names = (1...10).map { "\($0).hidscript" }
        let folder = try suite(
          bench, Dictionary(uniqueKeysWithValues: names.map { ($0, Self.passing) }))
        let all = try await bench.finish("test", folder, "--list")
        #expect(all.output == names.sorted().map { "\(folder)/\($0)" })
        var parts: [String] = []
        for number in 1...3 {
          let part = try await bench.finish("test", folder, "--list", "--shard", "\(number)/3")
          #expect((3...4).contains(part.output.count))
          parts += part.output
        }
        #expect(parts.sorted() == all.output)
        for shard in ["0/3", "4/3", "1/0", "1", "-1/2", "a/b"] {
          #expect(try await bench.finish("test", folder, "--shard=\(shard)").status == 64)
        }
      }
    }

    @Test(
      "a missing bus skips the tests (77) with the reason, or fails them if it is required",
      .enabled(if: !TestBus.kernelIsThere, "/dev/uhid can be opened here"))
    func unavailable() async throws {
      try await Bench.run(.loopback) { bench in
        let folder = try suite(bench, ["a.hidscript": Self.passing])
        let words = ["test", folder, "--bus", "kernel", "--tap", "-"]
        for nothing in ["-u", "HIDSIM_REQUIRE=", "HIDSIM_REQUIRE=0"] {
          let environment = nothing == "-u" ? ["-u", "HIDSIM_REQUIRE"] : [nothing]
          let skipped = try await bench.finish(program: "env", environment + [Bench.binary] + words)
          #expect(skipped.status == 77)
          #expect(skipped.errorText.contains("/dev/uhid"))
          #expect(skipped.output.contains { $0.hasPrefix("ok 1 - ") && $0.contains("/dev/uhid") })
        }
        let option = try await bench.finish(
          program: "env", ["-u", "HIDSIM_REQUIRE", Bench.binary] + words + ["--require"])
        let variable = try await bench.finish(
          program: "env", ["HIDSIM_REQUIRE=1", Bench.binary] + words)
        for (failed, source) in [(option, "--require"), (variable, "HIDSIM_REQUIRE")] {
          #expect(failed.status == 1)
          #expect(failed.output.contains { $0.hasPrefix("not ok 1 - ") })
          #expect(failed.errorText.contains("; without \(source) the tests are skipped"))
        }
        for command in ["run keyboard.json --for 1s", "drive keyboard.json"] {
          let plug = command.split(separator: " ").map(String.init) + ["--bus", "kernel"]
          let missing = try await bench.finish(
            program: "env", ["-u", "HIDSIM_REQUIRE", Bench.binary] + plug)
          #expect(missing.status == 77)
          let required = try await bench.finish(
            program: "env", ["HIDSIM_REQUIRE=1", Bench.binary] + plug)
          #expect(required.status == 1)
          #expect(required.errorText.contains("; without HIDSIM_REQUIRE the exit status is 77"))
        }
      }
    }

    @Test("a test that exceeds --timeout fails with the line that it was at")
    func timeout() async throws {
      try await Bench.run(.loopback) { bench in
        let folder = try suite(
          bench, ["a.hidscript": "needs keyboard.json\nwait 10m\n", "b.hidscript": Self.passing])
        let done = try await bench.finish("test", folder, "--timeout", "500ms")
        #expect(done.status == 1)
        #expect(
          done.output.contains("  the script was stopped at \(folder)/a.hidscript:2:1"),
          "\(done.output)")
        #expect(done.output.contains("  the script did not end within 500ms"))
        #expect(done.output.last?.hasPrefix("2 scripts: 2 passed, 1 failed, ") == true)
        let virtual = try await bench.finish(
          "test", folder, "--timeline", "virtual", "--timeout", "1h")
        #expect(virtual.status == 0, "\(virtual.output)")
      }
    }

    @Test("a command that exits with 0 only after its timeout fails the test")
    func lateCommand() async throws {
      try await Bench.run(.loopback) { bench in
        let folder = try suite(bench, ["a.hidscript": "needs keyboard.json\n"])
        let report = bench.folder.appending(path: "report.xml").path
        let done = try await bench.finish(
          "test", folder, "--timeout", "500ms", "--junit", report, "--wait-command", "--", "sh",
          "-c",
          "echo it began; trap 'exit 0' TERM; while :; do sleep 0.01; done")
        #expect(done.status == 1)
        let words = /the script passed, and sh \(process [0-9]+\) did not end within 500ms/
        #expect(done.output.contains { $0.contains(words) }, "\(done.output)")
        let xml = try String(contentsOfFile: report, encoding: .utf8)
        #expect(xml.contains(words))
        #expect(xml.contains("it began"))
      }
    }

    @Test("a command whose script failed can clean up, and its child processes end with it")
    func cleaningUp() async throws {
      try await Bench.run(.loopback) { bench in
        let folder = try suite(
          bench,
          ["a.hidscript": "needs keyboard.json\nwait open within 20s\nexpect led.capsLock on\n"])
        let started = "\(bench.folder.path)/started"
        let cleaned = "\(bench.folder.path)/cleaned"
        let done = try await bench.finish(
          "test", folder, "--", "sh", "-c",
          """
          sh -c 'trap "" TERM; exec sleep 600' & echo $! > \(started)
          "$0" monitor keyboard & trap 'sleep 0.2; echo yes > \(cleaned); exit 0' TERM
          while :; do sleep 0.01; done
          """, Bench.binary)
        #expect(done.status == 1, "\(done.output)")
        #expect(FileManager.default.fileExists(atPath: cleaned))
        let text = try String(contentsOfFile: started, encoding: .utf8)
        let child = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        try await eventually { kill(child, 0) != 0 }
      }
    }

    @Test("a long output of a failed command is cut to its end")
    func muchOutput() async throws {
      try await Bench.run(.loopback) { bench in
        let folder = try suite(bench, ["a.hidscript": "needs keyboard.json\n"])
        let done = try await bench.finish(
          "test", folder, "--wait-command", "--", "sh", "-c",
          "yes | head -c 3000000; echo the end; exit 3")
        #expect(done.status == 1)
        #expect(
          done.output.contains("  the end of what the command wrote:"), "\(done.output.count)")
        #expect(done.output.contains("    the end"))
        #expect(done.output.count < 40_000)
      }
    }

    @Test("tests go on after the reader has closed standard output, and decide the status")
    func unread() async throws {
      try await Bench.run(.loopback) { bench in
        let folder = try suite(
          bench,
          [
            "a.hidscript": Self.passing,
            "b.hidscript": "needs keyboard.json\nwait 300ms\nexpect led.capsLock on\n",
            "c.hidscript": Self.passing,
          ])
        let report = bench.folder.appending(path: "report.tap").path
        let done = try await bench.finish(
          program: "bash",
          [
            "-c", "\"$0\" test \"$1\" --jobs 1 --tap \"$2\" | head -n 1 >&2; exit ${PIPESTATUS[0]}",
            Bench.binary, folder, report,
          ])
        #expect(done.status == 1)
        #expect(done.errors.contains { $0.hasPrefix("ok ") })
        let tap = try String(contentsOfFile: report, encoding: .utf8)
        #expect(tap.contains("1..5") && tap.contains("not ok 3 - "), "\(tap)")
      }
    }

    @Test("two reports in one file are refused (64)")
    func oneFile() async throws {
      try await Bench.run(.loopback) { bench in
        let folder = try suite(bench, ["a.hidscript": Self.passing])
        let done = try await bench.finish(
          "test", folder, "--tap", "\(folder)/report", "--junit", "\(folder)/./report")
        #expect(done.status == 64)
        #expect(done.errorText.contains("name the same file"))
      }
    }

    @Test("test on the loopback bus needs no bus folder of the user, and names the bus")
    func ownFolders() async throws {
      try await Bench.run(.loopback) { bench in
        let folder = try suite(bench, ["a.hidscript": Self.passing])
        let nowhere = ["HIDSIM_BUS_DIR=/nonexistent/folder", "HIDSIM_BUS=", Bench.binary, "test"]
        let done = try await bench.finish(
          program: "env", nowhere + [folder, "--bus", "loopback"])
        #expect(done.status == 0, "\(done.errorText)")
        #expect(done.errors == ["hidsim: loopback bus (--bus loopback)"])
        if !TestBus.kernelIsThere {
          let told = try await bench.finish(program: "env", nowhere + [folder, "--", "true"])
          #expect(told.status == 0)
          #expect(told.errorText.contains("/dev/uhid cannot be opened"))
          #expect(
            told.errors.contains(
              "hidsim: loopback bus (auto; /dev/uhid: No such file or directory)"))
        }
      }
    }

    @Test("a signal stops the running tests, and the waiting ones do not begin")
    func interrupted() async throws {
      try await Bench.run(.loopback) { bench in
        let folder = try suite(
          bench,
          [
            "a.hidscript": "needs keyboard.json\nwait 10m\n",
            "b.hidscript": "needs keyboard.json\nwait 10m\n",
          ])
        let report = bench.folder.appending(path: "report.tap").path
        let run = try await bench.start(
          "test", folder, "--jobs", "1", "--tap", report, "--", "sh", "-c",
          "touch \(bench.folder.path)/begun; exec sleep 600")
        try await eventually {
          FileManager.default.fileExists(atPath: "\(bench.folder.path)/begun")
        }
        run.signal(SIGTERM)
        #expect(try await run.status == 1)
        #expect(run.output.lines.contains("  hidsim was stopped by SIGTERM"))
        let tap = try String(contentsOfFile: report, encoding: .utf8)
        #expect(tap.contains("not ok 1 - \(folder)/a.hidscript"))
        #expect(tap.contains("ok 2 - \(folder)/b.hidscript # SKIP the run was stopped"))
      }
    }

    @Test("a folder without a script and a folder that does not exist are errors (66)")
    func nothing() async throws {
      try await Bench.run(.loopback) { bench in
        let empty = try suite(bench, ["notes.txt": ""])
        let none = try await bench.finish("test", empty)
        #expect(none.status == 66)
        #expect(none.errorText.contains("there is no script"))
        #expect(try await bench.finish("test", "\(empty)/nowhere").status == 66)
      }
    }

    @Test("run plays a script on the devices that it needs, unless others are given")
    func needs() async throws {
      try await Bench.run(.loopback) { bench in
        let script = try bench.file("s.hidscript", Self.passing)
        #expect(try await bench.finish("run", "--script", script).status == 0)
        let other = try await bench.finish("run", "mouse.json", "--script", script)
        #expect(other.status == 65)
        let silent = try bench.file("t.hidscript", "tap a\n")
        let told = try await bench.finish("run", "--script", silent)
        #expect(told.status == 64)
        #expect(told.errorText.contains("names no device by \"needs\""))
      }
    }
  }
}
