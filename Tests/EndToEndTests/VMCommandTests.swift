// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEndTests {
  @Suite("vm") struct VMCommandTests {
    /// Returns whether a machine can be started without a build.
    @Sendable private static func isReady() async throws -> Bool {
      // A virtual machine cannot start another virtual machine.
      guard ProcessInfo.processInfo.environment["HIDSIM_VM"] == nil,
        TestBus.available.contains(.loopback)
      else { return false }
      let process = try await HidsimProcess.start(
        Bench.binary, ["vm", "--status"], environment: [:])
      return try await process.status == 0
        && process.output.lines.contains { $0.hasPrefix("uml:   ready") }
    }

    private static let whereReady = ConditionTrait.enabled(
      "User-Mode Linux is not built, or does not boot here", isReady)

    /// Runs a shell in the bench's folder, without the bench's bus.
    private func finish(_ bench: Bench, _ shell: String) async throws -> Finished {
      try await bench.finish(
        program: "/usr/bin/env",
        [
          "-u", "HIDSIM_BUS", "-u", "HIDSIM_BUS_DIR", "/bin/sh", "-c",
          "cd \(bench.folder.path) && \(shell)",
        ])
    }

    @Test(
      "a program in the virtual machine uses a device of the kernel bus without privileges",
      whereReady)
    func session() async throws {
      try await Bench.run(.loopback) { bench in
        let app = try bench.file(
          "app.py",
          """
          import os
          node = os.open(os.environ["HIDSIM_HIDRAW"], os.O_RDWR)
          while 0x04 not in os.read(node, 8)[2:]:
              pass
          os.write(node, bytes([0x00, 0x02]))
          """)
        let done = try await finish(
          bench,
          """
          \(Bench.binary) vm --engine uml -- \(Bench.binary) run --script \
          \(Bench.descriptors)/scripts/caps.hidscript -- python3 \(app)
          """)
        #expect(done.status == 0, "\(done.errors)")
        #expect(done.errorText.contains("led.capsLock on"))
        #expect(done.errorText.contains("plugged into the kernel bus"))
      }
    }

    @Test(
      "variables reach the command and not the machine, and input arrives with any usable $TMPDIR",
      whereReady)
    func environment() async throws {
      try await Bench.run(.loopback) { bench in
        let names = ["memory", "run", "action", "cache", "engine", "kvm", "environment", "name"]
        let done = try await finish(
          bench,
          """
          \(names.map { "\($0)=its-\($0)" }.joined(separator: " ")) \(Bench.binary) vm --engine uml -- \
          sh -c 'echo \(names.map { "$" + $0 }.joined(separator: " "))'
          mkdir relative && for place in /dev/shm relative; do
            seq 1000 | TMPDIR=$place \(Bench.binary) vm --engine uml -- tail -1
          done
          TMPDIR=/nonexistent \(Bench.binary) vm --engine uml -- true ; echo $?
          \(Bench.binary) vm --engine uml --memory 0128M -- echo memory
          """)
        #expect(
          done.output == [
            names.map { "its-\($0)" }.joined(separator: " "), "1000", "1000", "69", "memory",
          ], "\(done.errors)")
      }
    }

    @Test(
      "a command writes only to the working directory and $TMPDIR, or anywhere with --writable",
      whereReady)
    func readOnly() async throws {
      try await Bench.run(.loopback) { bench in
        let outside = "\(bench.folder.path)-outside"
        let words =
          "echo ours > here && echo own > $TMPDIR/x && ! touch \(outside) 2> /dev/null && cat $TMPDIR/x"
        let done = try await finish(
          bench, "\(Bench.binary) vm --engine uml -- sh -c '\(words)'; echo $?; cat here")
        #expect(done.output == ["own", "0", "ours"], "\(done.errors)")
        #expect(!FileManager.default.fileExists(atPath: outside))
        let free = try await finish(
          bench, "\(Bench.binary) vm --engine uml --writable -- touch \(outside)")
        #expect(free.status == 0)
        try FileManager.default.removeItem(atPath: outside)
      }
    }

    @Test(
      "vm passes on standard input and the exit status, and a missing command is 127 and one line",
      whereReady)
    func passing() async throws {
      try await Bench.run(.loopback) { bench in
        let done = try await finish(
          bench, "echo words | \(Bench.binary) vm --engine uml -- sh -c 'cat; exit 3'; echo $?")
        #expect(done.output == ["words", "3"])
        let missing = try await finish(bench, "\(Bench.binary) vm --engine uml -- no-such-command")
        #expect(missing.status == 127)
        // Without Landlock, the command prints one more line.
        let errors = missing.errors.filter { !$0.contains("not confined here") }
        #expect(errors == ["hidsim vm: no-such-command: command not found"])
        let two = try await finish(bench, "\(Bench.binary) vm --engine uml --cpus 2 -- true")
        #expect(two.status == 64)
        #expect(two.errorText.contains("--engine uml excludes --cpus: uml has one CPU"))
      }
    }

    @Test("an unwritable bus folder is a warning with its path and the reason", whereReady)
    func busFolder() async throws {
      try await Bench.run(.loopback) { bench in
        let done = try await finish(
          bench,
          """
          mkdir work && cd work && export HIDSIM_BUS_DIR='\(bench.busFolder.path)' &&
          \(Bench.binary) vm --engine uml \(Bench.binary) run keyboard.json --bus kernel --for 100ms
          """)
        #expect(done.status == 0, "\(done)")
        let folder = bench.busFolder.path
        #expect(
          done.errorText.contains(
            "other programs cannot drive these devices: \(folder): Read-only file system"),
          "\(done)")
      }
    }

    @Test("the picture of the README matches a run", whereReady)
    func picture() async throws {
      try await Bench.run(.loopback) { bench in
        let done = try await bench.finish(
          program: "/usr/bin/env",
          [
            "-u", "HIDSIM_BUS", "-u", "HIDSIM_BUS_DIR",
            Bench.checkout("scripts/generate-picture"), "--check", "--program", Bench.binary,
          ])
        #expect(done.status == 0, "\((done.output + done.errors).joined(separator: "\n"))")
      }
    }

    @Test(
      "hidsim vm takes the arguments of scripts/vm, also without -- and with --read-only",
      whereReady)
    func words() async throws {
      try await Bench.run(.loopback) { bench in
        for program in ["\(Bench.binary) vm", Bench.checkout("scripts/vm")] {
          let done = try await finish(
            bench,
            """
            \(program) --engine uml sh -c 'echo "$1" --status' sh 'a b'
            \(program) --engine=uml --append checked=yes --read-only grep -o checked=yes /proc/cmdline
            \(program) --engine uml touch \(bench.folder.path)-outside 2>/dev/null; echo $?
            \(program) --engine uml --icount true 2>/dev/null; echo $?
            """)
          #expect(done.output == ["a b --status", "checked=yes", "1", "64"], "\(done)")
        }
      }
    }

    @Test("vm is refused without a command (64), and without its script with the remedy (69)")
    func refused() async throws {
      try await Bench.run(.loopback) { bench in
        for words in [["vm"], ["vm", "--"], ["vm", "--build", "--", "true"]] {
          #expect(try await bench.finish(program: Bench.binary, words).status == 64)
        }
        // This is a copy of the program, with no folder of the checkout above it.
        let alone = bench.folder.appending(path: "hidsim").path
        try FileManager.default.copyItem(atPath: Bench.binary, toPath: alone)
        let missing = try await bench.finish(program: alone, ["vm", "--", "true"])
        #expect(missing.status == 69)
        #expect(missing.errorText.contains("set HIDSIM_VM_SCRIPT to its path"))
      }
    }
  }
}
