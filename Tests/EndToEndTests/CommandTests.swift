// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension EndToEndTests {
  @Suite("run -- COMMAND") struct CommandTests {
    @Test(
      "the command finds the device in its environment, and standard output has only its lines",
      arguments: TestBus.available)
    func environment(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let done = try await bench.finish(
          "run", "keyboard.json", "--", "sh", "-c",
          "echo \"$HIDSIM_BUS|$HIDSIM_DEVICE|$HIDSIM_HIDRAW|$HIDSIM_EVDEV\"; cat", input: "typed\n")
        #expect(done.status == 0)
        #expect(done.output.count == 2)
        let words = try #require(done.output.first).split(
          separator: "|", omittingEmptySubsequences: false)
        #expect(words.count == 4)
        #expect(words[0] == bus.rawValue)
        #expect(words[1].count == 16 && words[1].allSatisfy(\.isHexDigit))
        switch bus {
        case .loopback:
          #expect(words[2].isEmpty)
          #expect(words[3].isEmpty)
        case .kernel:
          #expect(words[2].hasPrefix("/dev/hidraw"))
          #expect(words[3].hasPrefix("/dev/input/event"))
        }
        #expect(done.output.last == "typed")
        #expect(done.errors.contains { $0.contains("plugged into the \(bus) bus") })
        #expect(done.errors.last?.hasSuffix("sh exited with 0") == true)
      }
    }

    @Test(
      "the exit status is the command's: its own, 127 not found, 126 no program, 128+n by signal n",
      arguments: [
        (["true"], 0), (["sh", "-c", "exit 3"], 3), (["no-such-program"], 127),
        (["./no/such/program"], 127), (["/etc/passwd"], 126),
        (["/etc"], 126),
        (["sh", "-c", "kill -TERM $$"], 143), (["sh", "-c", "kill -KILL $$"], 137),
      ] as [([String], Int32)])
    func status(command: [String], status: Int32) async throws {
      try await Bench.run(.loopback) { bench in
        let done = try await bench.finish(
          program: Bench.binary, ["run", "keyboard.json", "--"] + command)
        #expect(done.status == status)
        #expect(done.output.isEmpty)
        if status == 126 || status == 127 {
          // The error is found before a device is plugged, and is printed once.
          #expect(done.errors.count == 1)
          #expect(done.errors.first?.hasPrefix("hidsim: \(command[0]): ") == true)
          #expect(try bench.leftovers() == [])
        }
        #expect(try await bench.devices().isEmpty)
      }
    }

    @Test(
      "SIGTERM and SIGINT are passed to the command, whose exit status counts",
      arguments: [SIGTERM, SIGINT])
    func signals(signal: Int32) async throws {
      try await Bench.run(.loopback) { bench in
        let run = try await bench.start(
          "run", "keyboard.json", "--", "sh", "-c",
          "trap 'echo caught; exit 5' TERM INT; echo ready; while :; do sleep 0.05; done")
        try await run.line { $0 == "ready" }
        run.signal(signal)
        try await run.line { $0 == "caught" }
        #expect(try await run.status == 5)
        #expect(try await bench.devices().isEmpty)
      }
    }

    @Test("a command that is ended by a passed-on signal gives 128 plus the signal's number")
    func terminated() async throws {
      try await Bench.run(.loopback) { bench in
        let run = try await bench.start(
          "run", "keyboard.json", "--", "sh", "-c", "echo ready; exec sleep 600")
        try await run.line { $0 == "ready" }
        run.signal(SIGTERM)
        #expect(try await run.status == 128 + SIGTERM)
      }
    }

    @Test(
      "a program that lights Caps Lock passes, and one with a bug fails at the script's line",
      arguments: TestBus.available)
    func client(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        // The program sets the LEDs of its first argument when A is pressed. It uses commands of
        // hidsim, which work on both buses.
        let program = """
          exec 3< <(exec "$0" monitor "$HIDSIM_DEVICE" --raw 2> /dev/null)
          while read -r report <&3; do
            [ "${report:6:2}" != 04 ] || exec "$0" set "$HIDSIM_DEVICE" output "$1"
          done
          exit 9
          """
        for (bytes, status) in [("02", 0 as Int32), ("04", 1)] {
          let done = try await bench.finish(
            "run", "keyboard.json", "--script", "\(Bench.descriptors)/scripts/caps.hidscript", "--",
            "bash", "-c", program, Bench.binary, bytes)
          #expect(done.status == status, "\(done.errors)")
          guard status == 1 else { continue }
          #expect(
            done.errorText.contains(
              "caps.hidscript:6:1: expected led.capsLock on within 2s, and it is off"))
          #expect(done.errorText.contains("led.scrollLock on"))
          #expect(done.errors.last?.hasSuffix("the script failed") == true)
        }
      }
    }

    @Test(
      "the last report of a command is printed, though the run ends with the command",
      arguments: TestBus.available)
    func last(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        for _ in 0..<5 {
          let done = try await bench.finish(
            "run", "keyboard.json", "--", "sh", "-c",
            "exec \"$0\" set \"$HIDSIM_DEVICE\" output 02",
            Bench.binary)
          #expect(done.status == 0)
          #expect(done.errorText.contains("led.capsLock on"))
        }
      }
    }

    @Test("a command that never opens the device ends the run like any other command")
    func indifferent() async throws {
      try await Bench.run(.loopback) { bench in
        let done = try await bench.finish("run", "keyboard.json", "--", "true")
        #expect(done.status == 0)
        #expect(!done.errors.contains { $0.contains("opened") })
      }
    }

    @Test("a failed script ends an endless command, with exit status 1")
    func scriptFailure() async throws {
      try await Bench.run(.loopback) { bench in
        let script = try bench.file("s.hidscript", "expect led.capsLock on within 50ms\n")
        let done = try await bench.finish(
          "run", "keyboard.json", "--script", script, "--", "sleep", "600")
        #expect(done.status == 1)
        #expect(done.errors.last?.hasSuffix("the script failed") == true)
      }
    }

    /// Returns a program that runs until a signal ends it.
    ///
    /// At SIGTERM, the program prints TERM and exits with 7. It ignores SIGTERM if `isDeaf`. It
    /// writes the ID of its child process to a file.
    private func daemon(_ bench: Bench, ignoring isDeaf: Bool = false) -> [String] {
      let trap = isDeaf ? "''" : "'echo TERM; exit 7'"
      return [
        "bash", "-c",
        "trap \(trap) TERM; sleep 600 & echo $! > \(bench.folder.path)/child; while :; do sleep 0.01; done",
      ]
    }

    private func childOfDaemon(_ bench: Bench) throws -> pid_t {
      let text = try String(contentsOfFile: "\(bench.folder.path)/child", encoding: .utf8)
      return try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    @Test(
      "a passed script ends an endless command and its child process, with exit status 0",
      arguments: TestBus.available)
    func daemonEnds(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let script = try bench.file(
          "s.hidscript",
          "needs keyboard.json\ntap a\nwait 200ms\nexpect led.capsLock off\nexpect nothing else\n")
        for command in ["run --script", "test"].map({ $0.split(separator: " ").map(String.init) }) {
          let done = try await bench.finish(
            program: Bench.binary, command + [script, "--"] + daemon(bench))
          #expect(done.status == 0, "\(done.output) \(done.errorText)")
          if command[0] == "run" {
            #expect(done.output == ["TERM"])
            #expect(done.errors.last?.hasSuffix(", the script passed") == true)
          }
          let child = try childOfDaemon(bench)
          try await eventually { kill(child, 0) != 0 }
        }
        #expect(try await bench.devices().isEmpty)
      }
    }

    @Test("a command that ignores SIGTERM is killed, and messages name its process")
    func deafDaemon() async throws {
      try await Bench.run(.loopback) { bench in
        let script = try bench.file("s.hidscript", "wait 200ms\n")
        let done = try await bench.finish(
          program: Bench.binary,
          ["run", "keyboard.json", "--script", script, "--"] + daemon(bench, ignoring: true))
        #expect(done.status == 0)
        let text = done.errorText
        #expect(
          text.contains(/hidsim: bash \(process [0-9]+\) was sent SIGTERM; it is killed after 5 s/))
        #expect(
          text.contains(
            /hidsim: bash \(process [0-9]+\) did not end within 5 s after SIGTERM, and was killed/))
      }
    }

    @Test(
      "--wait-command waits for the command with a message, and the command's exit status counts")
    func waitedFor() async throws {
      try await Bench.run(.loopback) { bench in
        let script = try bench.file("s.hidscript", "needs keyboard.json\ntap a\n")
        let ended = "\(bench.folder.path)/ended"
        let run = try await bench.start(
          "run", "keyboard.json", "--script", script, "--wait-command", "--", "sh", "-c",
          "until [ -e \(ended) ]; do sleep 0.01; done; exit 3")
        try await eventually {
          run.errors.lines.contains {
            $0.contains(
              /^hidsim: the script passed; waiting until sh \(process [0-9]+\) ends by itself/)
          }
        }
        _ = try bench.file("ended", "")
        #expect(try await run.status == 3)
        #expect(run.errors.lines.last?.hasSuffix(", sh exited with 3") == true)
        for words in [
          ["run", "keyboard.json", "--wait-command", "--", "true"],
          ["run", "keyboard.json", "--script", script, "--wait-command"],
        ] {
          let done = try await bench.finish(program: Bench.binary, words)
          #expect(done.status == 64)
          #expect(done.errorText.contains("--wait-command needs "))
        }
        // The scripts of a folder can name a program. A script that names none fails.
        let done = try await bench.finish("test", script, "--wait-command")
        #expect(done.status == 1)
        #expect(done.output.contains { $0.contains("--wait-command needs a program: ") })
      }
    }

    @Test(
      "a command that ends before its script is named with how it ended, and sets the result",
      arguments: [
        ("exit 3", 3, #"sh exited with 3"#),
        ("kill -SEGV $$", 139, #"sh \(process [0-9]+\) was killed by SIGSEGV"#),
        (
          "sh -c 'kill -SEGV $$'; exit $?", 139,
          "sh exited with 139, as a shell does when SIGSEGV kills its program"
        ),
      ] as [(String, Int32, String)])
    func early(command: String, status: Int32, words: String) async throws {
      try await Bench.run(.loopback) { bench in
        let script = try bench.file("s.hidscript", "needs keyboard.json\nwait 10m\n")
        let done = try await bench.finish("run", "--script", script, "--", "sh", "-c", command)
        #expect(done.status == status)
        let last = try #require(done.errors.last)
        #expect(last.contains(try Regex(", \(words)$")), "\(done.errorText)")
        let suite = try await bench.finish("test", script, "--", "sh", "-c", command)
        #expect(suite.status == 1)
        let told = try Regex("^  \(words)$")
        #expect(suite.output.contains { $0.contains(told) }, "\(suite.output)")
      }
    }

    @Test("a missing command after -- is refused (64)")
    func empty() async throws {
      try await Bench.run(.loopback) { bench in
        let done = try await bench.finish("run", "keyboard.json", "--")
        #expect(done.status == 64)
        #expect(done.errorText.contains("no command after --"))
      }
    }

    @Test("--for ends the command with SIGTERM")
    func bounded() async throws {
      try await Bench.run(.loopback) { bench in
        let done = try await bench.finish(
          "run", "keyboard.json", "--for", "100ms", "--", "sleep", "600")
        #expect(done.status == 128 + SIGTERM)
      }
    }
  }
}
