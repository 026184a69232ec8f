// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEndTests {
  @Suite("terminals and shells", .enabled(if: KernelProgramTests.python, "needs python3"))
  struct TerminalTests {
    /// Runs hidsim on a terminal of 80 columns.
    private func show(
      _ bench: Bench, _ words: [String], environment: [String] = ["TERM=xterm"],
      stopAt text: String? = nil
    ) async throws -> Finished {
      let stop = text.map { ["--signal", $0] } ?? []
      return try await bench.finish(
        program: "/usr/bin/env",
        ["-u", "NO_COLOR"] + environment + ["python3", "\(Bench.fixtures)/terminal.py"] + stop
          + [Bench.binary] + words)
    }

    private func tests(_ bench: Bench) throws -> String {
      _ = try bench.file("good.hidscript", "needs keyboard.json\ntap a\n")
      _ = try bench.file(
        "wrong.hidscript", "needs keyboard.json\nexpect event output within 600ms\n")
      return bench.folder.path
    }

    @Test("test results have colours on a terminal, and none with NO_COLOR, TERM=dumb or a pipe")
    func colours() async throws {
      try await Bench.run(.loopback) { bench in
        let folder = try tests(bench)
        let colours = try await show(bench, ["test", folder])
        #expect(colours.status == 1, "\(colours)")
        #expect(colours.output.contains { $0.contains("\\x1b[32mok\\x1b[0m      \(folder)/good") })
        #expect(colours.output.contains { $0.contains("\\x1b[1;31mFAILED\\x1b[0m  ") })
        let without = try await show(
          bench, ["test", folder], environment: ["TERM=xterm", "NO_COLOR=1"])
        #expect(without.output.contains { $0.contains("ok      \(folder)/good") }, "\(without)")
        #expect(!without.output.contains { $0.contains("\\x1b[3") || $0.contains("\\x1b[1;") })
        let dumb = try await show(bench, ["test", folder], environment: ["TERM=dumb"])
        #expect(dumb.output.contains { $0.hasPrefix("ok      \(folder)/good") }, "\(dumb)")
        #expect(!dumb.output.contains { $0.contains("\\x1b") || $0.contains("\\r") }, "\(dumb)")
        let pipe = try await bench.finish("test", folder)
        #expect(pipe.output.contains { $0.hasPrefix("ok      \(folder)/good") }, "\(pipe)")
        #expect(!(pipe.output + pipe.errors).contains { $0.contains("\u{1b}") }, "\(pipe)")
      }
    }

    @Test("a status line shows the progress of the tests, and is erased at the end")
    func status() async throws {
      try await Bench.run(.loopback) { bench in
        let folder = try tests(bench)
        let shown = try await show(bench, ["test", folder, "--jobs", "1"])
        let lines = shown.output.map(Self.visible)
        #expect(
          shown.output.contains {
            $0.contains(/\\r[01] of 2 tests, (0|50) %: (good|wrong)\.hidscript/)
          }, "\(shown)")
        #expect(!lines.contains { $0.contains("of 2 tests") }, "\(lines)")
        #expect(lines.last { !$0.isEmpty }?.hasPrefix("2 scripts: 1 passed, 1 failed") == true)
      }
    }

    /// Returns the visible text of a complete line on a terminal.
    private static func visible(_ line: String) -> String {
      // The text after the last carriage return is visible: the line was erased before it.
      let rest = line.components(separatedBy: "\\r").last ?? line
      return rest.replacing("\\x1b[K", with: "")
        .replacing(/\\x1b\[[0-9;]*m/, with: "")
    }

    @Test("Ctrl-C ends a run of tests with the number of scripts that did not start")
    func interrupted() async throws {
      try await Bench.run(.loopback) { bench in
        for name in ["a", "b", "c"] {
          _ = try bench.file("\(name).hidscript", "needs keyboard.json\nwait 30s\n")
        }
        let shown = try await show(
          bench, ["test", bench.folder.path, "--jobs", "1"], stopAt: "0 of 3 tests")
        #expect(shown.status == 1)
        let text = shown.output.joined(separator: "\n")
        #expect(
          text.contains(
            "stopped; 2 scripts of 3 did not start; the next run begins with script 1 again"),
          "\(text)")
      }
    }

    @Test(
      "the help is the same on a terminal of 80 columns, without colours, and in a pipe",
      arguments: [["--help"], ["help", "run"], ["help", "android", "play"]])
    func help(words: [String]) async throws {
      try await Bench.run(.loopback) { bench in
        let pipe = try await bench.finish(program: Bench.binary, words)
        for environment in [["TERM=xterm"], ["TERM=xterm", "NO_COLOR=1"], ["TERM=dumb"]] {
          let shown = try await show(bench, words, environment: environment)
          #expect(shown.output.filter { !$0.isEmpty } == pipe.output.filter { !$0.isEmpty })
        }
      }
    }

    @Test(
      "bash completes files, shipped devices and devices that are plugged",
      arguments: [
        ("hidsim run key", ["keyboard.json"]),
        ("hidsim run --script on", ["one.hidscript"]),
        ("hidsim test tes", ["tests"]),
        ("hidsim run tests/", ["tests/my.json"]),
        ("hidsim monitor hidsim", ["hidsim mouse"]),
        ("hidsim tap left --to hidsim", ["hidsim mouse"]),
        ("hidsim get mouse fe", ["feature"]),
        ("hidsim lint gamep", ["gamepad.json"]),
        ("hidsim desc", ["describe"]),
      ])
    func completion(line: String, words: [String]) async throws {
      try await Bench.run(.loopback) { bench in
        _ = try bench.file("one.hidscript", "")
        try FileManager.default.createDirectory(
          at: bench.folder.appending(path: "tests"), withIntermediateDirectories: true)
        _ = try bench.file("tests/my.json", "{}")
        let (run, _) = try await bench.plug("mouse.json")
        let script = """
          cd "$1"; PATH=${2%/*}:$PATH
          . <(hidsim --generate-completion-script bash)
          COMP_LINE=$3 COMP_POINT=${#3}
          read -ra COMP_WORDS <<<"$3"
          COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
          _hidsim hidsim "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
          printf '%s\\n' "${COMPREPLY[@]}"
          """
        let done = try await bench.finish(
          program: "/bin/bash", ["-c", script, "bash", bench.folder.path, Bench.binary, line])
        #expect(done.output == words, "\(done)")
        try await bench.end(run)
      }
    }
  }
}
