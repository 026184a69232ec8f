// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEndTests {
  @Suite("test: the selection of scripts, and their programs") struct TestSelectionTests {
    /// Creates a folder of scripts: `a` and `c` pass, `b` fails.
    private func suite(_ bench: Bench) throws -> String {
      let folder = bench.folder.appending(path: "suite")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for (name, text) in [
        ("a", "tap a"), ("b", "expect led.numLock on"), ("c", "tap c"),
      ] {
        try Data("needs keyboard.json\n\(text)\n".utf8)
          .write(to: folder.appending(path: "\(name)-Test.hidscript"))
      }
      return folder.path
    }

    /// Returns the names of the tests for which a run prints a line.
    private func names(_ done: Finished) -> [String] {
      done.output.filter { $0.hasPrefix("ok ") || $0.hasPrefix("FAILED ") }
        .compactMap { $0.firstMatch(of: /(\w)-Test\.hidscript/).map { String($0.1) } }.sorted()
    }

    @Test("-k runs the scripts whose paths contain a text, in any case")
    func byName() async throws {
      try await Bench.run(.loopback) { bench in
        let folder = try suite(bench)
        let some = try await bench.finish("test", folder, "-k", "A-TEST", "-k", "c-t")
        #expect(some.status == 0, "\(some)")
        #expect(names(some) == ["a", "c"])
        let none = try await bench.finish("test", folder, "-k", "nothing")
        #expect(none.status == 66)
        #expect(
          none.errors == [
            "hidsim: no path of the 3 scripts contains \"nothing\"; --list prints the paths"
          ])
      }
    }

    @Test("-x starts no test after a failure, and the report lists the others as skipped")
    func failFast() async throws {
      try await Bench.run(.loopback) { bench in
        let folder = try suite(bench)
        let report = bench.folder.appending(path: "report.tap").path
        let done = try await bench.finish(
          "test", folder, "-x", "--jobs", "1", "--tap", report)
        #expect(done.status == 1)
        #expect(names(done) == ["a", "b"])
        #expect(done.output.last?.hasPrefix("3 scripts: 1 passed, 1 failed, 1 skipped") == true)
        let tap = try String(contentsOfFile: report, encoding: .utf8)
        #expect(tap.contains("# SKIP a test failed before (-x)"), "\(tap)")
      }
    }

    @Test("--failed runs the tests that failed when they last ran, and all if there are none")
    func failed() async throws {
      try await Bench.run(.loopback) { bench in
        let folder = try suite(bench)
        let first = try await bench.finish("test", folder, "--failed")
        #expect(names(first) == ["a", "b", "c"])
        #expect(first.errorText.contains("no failure of these tests is recorded; all of them run"))
        let second = try await bench.finish("test", folder, "--failed")
        #expect(names(second) == ["b"])
        let path = "\(folder)/b-Test.hidscript"
        try Data("needs keyboard.json\ntap b\n".utf8).write(to: URL(filePath: path))
        // A script that is named by itself has the same record.
        #expect(names(try await bench.finish("test", path, "--failed")) == ["b"])
        #expect(names(try await bench.finish("test", folder, "--failed")) == ["a", "b", "c"])
      }
    }

    @Test("a script's program runs beside it, by a path from the script's folder")
    func programs() async throws {
      try await Bench.run(.loopback) { bench in
        let folder = bench.folder.appending(path: "suite")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let app = folder.appending(path: "app").path
        try Data("#!/bin/sh\nexec \"$1\" set \"$HIDSIM_DEVICE\" output \"$2\"\n".utf8)
          .write(to: URL(filePath: app))
        #expect(chmod(app, 0o755) == 0)
        for (name, byte, lamp) in [("caps", "02", "capsLock"), ("num", "01", "numLock")] {
          let script = """
            needs keyboard.json
            program ./app "\(Bench.binary)" \(byte)
            expect led.\(lamp) on within 20s

            """
          try Data(script.utf8).write(to: folder.appending(path: "\(name).hidscript"))
        }
        let done = try await bench.finish("test", folder.path, "--", "false")
        #expect(done.status == 0, "\(done)")
        let script = folder.appending(path: "caps.hidscript").path
        let run = try await bench.finish("run", "--script", script)
        #expect(run.status == 0, "\(run)")
        let both = try await bench.finish(
          program: Bench.binary, ["run", "--script", script, "--", "true"])
        #expect(both.status == 64)
        #expect(
          both.errors == [
            "hidsim: \(script):2:1: the script names a program, and there is a command after --; "
              + "leave one of them out"
          ])
      }
    }

    @Test("the first example passes on every bus", arguments: TestBus.available)
    func example(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let done = try await bench.finish("test", Bench.checkout("Examples/first"))
        #expect(done.status == 0, "\(done)")
        #expect(done.output.last?.hasPrefix("1 script: 2 passed, 0 failed, 0 skipped") == true)
      }
    }

    @Test("script --to refuses a script that names a program")
    func refusedPrograms() async throws {
      try await Bench.run(.loopback) { bench in
        let (_, node) = try await bench.plug("keyboard.json")
        let script = try bench.file("a.hidscript", "program true\ntap a\n")
        let done = try await bench.finish("script", script, "--to", node)
        #expect(done.status == 1)
        #expect(
          done.errorText.contains(
            "\(script):1:1: the script has a line \"program …\", and this command starts no program; "
              + "play it with hidsim run --script or hidsim test"), "\(done)")
      }
    }
  }
}
