// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import HIDTraces
import Testing

extension EndToEndTests {
  @Suite("the end of a replay") struct ReplayEndTests {
    @Test(
      "a replay that cannot write its recording ends at once (74), with --assert after the verdict",
      arguments: TestBus.available)
    func full(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let long = try bench.file(
          "long.hid", ReplayTests.session + "E: 003600.000000 3 07 08 09\n")
        let record = ["--record", "/dev/full"]
        for command in [[], ["--", "sleep", "3600"]] as [[String]] {
          let done = try await bench.finish(
            program: Bench.binary, ["replay", long] + record + command)
          #expect(done.status == 74)
          let isTold = done.errors.filter { $0 == RunRecordTests.isFull }.count == 1
          #expect(isTold, "\(done.errorText)")
          let last = try #require(command.isEmpty ? done.output.last : done.errors.last)
          #expect(last.hasSuffix("ended: the recording cannot be written"), "\(last)")
        }
        let trace = try bench.file("session.hid", ReplayTests.session)
        let options = ["--wait-reader", "30s", "--", "bash", "-c"]
        let good = try await bench.finish(
          program: Bench.binary,
          ["replay", trace] + ReplayTests.asserted + record + options
            + [ReplayTests.host("11 12 13")])
        #expect(good.status == 74, "\(good.errorText)")
        #expect(good.errors.contains(RunRecordTests.isFull))
        #expect(good.errorText.contains("4 of 4 reports of hosts as asserted"))
        let bad = try await bench.finish(
          program: Bench.binary,
          ["replay", trace] + ReplayTests.asserted + record + options
            + [ReplayTests.host("99 12 13")])
        #expect(bad.status == 1, "\(bad.errorText)")
        #expect(bad.errorText.contains("session: not expected: output 99 12 13"))
        #expect(bad.errorText.contains("3 of 4 reports of hosts as asserted"))
      }
    }

    @Test(
      "a replay onto a device whose hidsim is stopped ends by a signal or --for, with the reason",
      arguments: TestBus.available)
    func stopped(bus: TestBus) async throws {
      // The commands run at the same time, since each takes seconds.
      async let interrupted: Void = stopped(bus, SIGINT)
      async let terminated: Void = stopped(bus, SIGTERM)
      async let bounded: Void = stopped(bus, nil, "--for", "8s")
      _ = try await (interrupted, terminated, bounded)
    }

    private func stopped(_ bus: TestBus, _ signal: Int32?, _ options: String...) async throws {
      try await Bench.run(bus) { bench in
        let trace = try bench.file("session.hid", ReplayTests.session)
        let (run, node) = try await bench.plug(try bench.vendor("vendor"), "--input")
        let replay = try await bench.start(
          program: Bench.binary, ["replay", trace, "--onto", node, "--loop", "0"] + options)
        try await run.event("input")
        try await run.stop()
        if let signal {
          try await waitForBlockedCall(of: replay)
          replay.signal(signal)
        }
        #expect(try await replay.status == 1, "\(replay.transcript)")
        #expect(
          replay.errors.lines.last
            == "hidsim: the hidsim that has plugged vendor does not answer: it may be stopped")
        #expect(replay.output.lines.last?.contains("replayed") == true)
        // `replay` also fails if the process was stopped before.
        let late = try await bench.finish("replay", trace, "--onto", node)
        #expect(late.status == 69, "\(late.errorText)")
        #expect(late.errorText.contains("does not answer: it may be stopped"))
        run.signal(SIGCONT)
        try await bench.end(run)
      }
    }

    /// Waits until a command waits for an answer of a stopped process.
    ///
    /// The command waits in a thread of its own. The thread must sleep in two checks in a row: one
    /// that has its answer, and only waits for a processor, does not sleep.
    private func waitForBlockedCall(of process: HidsimProcess) async throws {
      let folder = "/proc/\(process.processID)/task"
      func threads() throws -> Set<String> {
        let all = try FileManager.default.contentsOfDirectory(atPath: folder)
        return Set(
          all.filter {
            (try? String(contentsOfFile: "\(folder)/\($0)/stat", encoding: .utf8))?
              .contains(" (hidsim-blocking) S ") == true
          })
      }
      var before: Set<String> = []
      while true {
        let now = try threads()
        if !now.isDisjoint(with: before) { return }
        before = now
        try await Task.sleep(for: .milliseconds(20))
      }
    }

    @Test("a replay without a report that can be sent fails (1), also onto a plugged device")
    func nothingSent() async throws {
      try await Bench.run(.loopback) { bench in
        let trace = try bench.file(
          "odd.hid",
          """
          R: 23 06 00 ff 09 01 a1 01 85 09 09 02 15 00 26 ff 00 75 08 95 02 81 02 c0
          N: odd
          I: 3 1209 0007
          E: 000000.000000 3 08 01 00
          E: 000000.000001 3 07 02 00

          """)
        let told =
          "hidsim: \(trace): nothing can be sent: "
          + "none of its 2 reports is as the descriptor declares"
        for options in [[], ["--loop", "0"], ["--loop", "0", "--instant"]] {
          let done = try await bench.finish(program: Bench.binary, ["replay", trace] + options)
          #expect(done.status == 1)
          #expect(done.output.isEmpty)
          #expect(done.errors.last == told)
          #expect(done.errors.filter { $0.hasPrefix("not sent: \(trace):") }.count == 2)
        }
        let (run, node) = try await bench.plug(trace)
        let onto = try await bench.finish("replay", trace, "--onto", node)
        #expect(onto.status == 1)
        #expect(onto.errors.last == told)
        try await bench.end(run)
        // One report that can be sent is enough.
        let text = try String(contentsOfFile: trace, encoding: .utf8)
        let one = try bench.file("one.hid", text + "E: 000000.000002 3 09 02 00\n")
        let twice = try await bench.finish("replay", one, "--loop", "2")
        #expect(twice.status == 0)
        #expect(twice.output.last?.contains("2 of 2 reports replayed") == true)
        #expect(twice.output.last?.hasSuffix(", 4 not sent") == true)
      }
    }

    @Test("reports of another length than declared are counted in every round")
    func counted() async throws {
      try await Bench.run(.loopback) { bench in
        func last(_ file: String) async throws -> String {
          let done = try await bench.finish(
            "replay", "\(Bench.fixtures)/\(file)", "--instant", "--loop", "3")
          #expect(done.status == 0, "\(done.errorText)")
          return try #require(done.output.last)
        }
        let short = try await last("short-report.hid")
        #expect(short.hasSuffix(", 3 short reports filled up"), "\(short)")
        let long = try await last("long-report.hid")
        #expect(long.hasSuffix(", 6 longer than declared"), "\(long)")
      }
    }

    @Test(
      "a round begins with the first answers, and the end of the program ends an endless replay",
      arguments: TestBus.available)
    func rounds(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let trace = try bench.file(
          "rounds.hid", ReplayTests.session + "E: 000002.000000 3 07 08 09\n")
        let host = """
          get() { '\(Bench.binary)' get "${HIDSIM_HIDRAW:-session}" feature | grep -q "^0a 0b $1"; }
          until get 02; do :; done
          until get 01; do :; done
          """
        let done = try await bench.finish(
          "replay", trace, "--loop", "0", "--", "bash", "-c", host)
        #expect(done.status == 0, "\(done.errorText)")
        #expect(done.errors.last?.hasSuffix("bash exited with 0") == true)
        let at = try await bench.finish("replay", trace, "--loop", "0", "--", "true")
        #expect(at.status == 0, "\(at.errorText)")
        let bad = try await bench.finish("replay", trace, "--loop", "0", "--", "false")
        #expect(bad.status == 1)
      }
    }

    // This test does not run on the kernel bus: User-Mode Linux has a fault if a process is killed
    // while it forks, as the program of this test does.
    @Test("a program that ignores SIGTERM is killed after --for, and after a signal")
    func stubborn() async throws {
      try await Bench.run(.loopback) { bench in
        let trace = try bench.file("session.hid", ReplayTests.session)
        let program = [
          "--", "bash", "-c", "trap '' INT TERM; echo here; while :; do sleep 0.1; done",
        ]
        // The commands run at the same time, since each takes seconds.
        async let ended = bench.finish(
          program: Bench.binary, ["replay", trace, "--for", "300ms"] + program)
        let asked = try await bench.start(
          program: Bench.binary, ["replay", trace, "--loop", "0"] + program)
        try await asked.line { $0 == "here" }
        asked.signal(SIGTERM)
        #expect(try await asked.status == 128 + SIGKILL, "\(asked.transcript)")
        let bounded = try await ended
        #expect(bounded.status == 128 + SIGKILL, "\(bounded.errorText)")
        #expect(try bench.leftovers() == [])
      }
    }

    @Test("a program that ignores SIGINT gets SIGTERM before SIGKILL")
    func ignoresInterrupt() async throws {
      try await Bench.run(.loopback) { bench in
        let trace = try bench.file("session.hid", ReplayTests.session)
        let program = """
          trap '' INT
          trap 'echo terminated; exit 3' TERM
          echo here
          while :; do sleep 0.1; done
          """
        let replay = try await bench.start(
          program: Bench.binary, ["replay", trace, "--loop", "0", "--", "bash", "-c", program])
        try await replay.line { $0 == "here" }
        replay.signal(SIGINT)
        try await replay.line { $0 == "terminated" }
        #expect(try await replay.status == 3, "\(replay.transcript)")
        #expect(try bench.leftovers() == [])
      }
    }

    @Test("lines after --to are not read")
    func readNoFurther() async throws {
      try await Bench.run(.loopback) { bench in
        let trace = try bench.file(
          "wrong.hid",
          ReplayTests.session + "E: 000100.000000 3 07 08 09\nE: 000200.000000 9 07\n")
        #expect(try await bench.finish("replay", trace, "--instant").status == 65)
        let done = try await bench.finish("replay", trace, "--to", "50s", "--instant")
        #expect(done.status == 0, "\(done.errorText)")
        #expect(done.output.last?.contains("2 of 2 reports replayed") == true)
        let asserted = try await bench.finish(
          program: Bench.binary,
          ["replay", trace, "--to", "5ms", "--assert", "--loop", "1"])
        #expect(asserted.status == 65)
        #expect(
          asserted.errorText.contains("no output report and no request of a host to compare"),
          "\(asserted.errorText)")
      }
    }

    @Test("a report of a device that the trace has unplugged is refused, with both lines (65)")
    func stray() async throws {
      try await Bench.run(.loopback) { bench in
        let gone = ReplayTests.session + "#! unplug 000000.200000\n"
        let report = "E: 000000.300000 3 07 08 09\n"
        let stray = try bench.file("stray.hid", gone + report)
        let refused = try await bench.finish("replay", stray)
        #expect(refused.status == 65)
        let expected = "stray.hid:12:1: a report of a device that was unplugged in line 11"
        #expect(refused.errorText.contains(expected), "\(refused.errorText)")
        let back = try bench.file("back.hid", gone + "#! plug 000000.250000\n" + report)
        let done = try await bench.finish("replay", back)
        #expect(done.output.last?.contains("3 of 3 reports replayed") == true, "\(done.errorText)")
      }
    }

    @Test(
      "a driver's request without an answer in the trace fails the replay with a remedy",
      .enabled(if: TestBus.testsKernel, TestBus.kernelReason))
    func wantsMore() async throws {
      try await Bench.run(.kernel) { bench in
        // The IDs are those of a PlayStation 3 pad. Its driver requests the address with feature
        // report 242.
        let header = """
          R: 23 05 01 09 05 a1 01 05 09 19 01 29 08 15 00 25 01 75 01 95 08 81 02 c0
          N: pad
          I: 3 054c 0268

          """
        let report = "E: 000000.000000 1 01\n"
        let trace = try bench.file("pad.hid", header + report)
        let done = try await bench.finish("replay", trace)
        #expect(done.status == 1, "\(done.errorText)")
        let reason =
          "A driver had requested feature report 242, and got an error or no answer; add --device FILE"
        #expect(done.errorText.contains(reason), "\(done.errorText)")
        // The device answers with the reports of the trace, though the report descriptor does not
        // declare them.
        let answers = """
          #! hidsim trace 1
          #! report feature 242 17 f2\(String(repeating: " 00", count: 16))
          #! report feature 245 8 f5\(String(repeating: " 00", count: 7))

          """
        let answering = try bench.file("answering.hid", header + answers + report)
        let bound = try await bench.finish("replay", answering)
        #expect(bound.status == 0, "\(bound.errorText)")
        #expect(
          bound.output.contains { $0.contains("get feature 242: answered f2 00") },
          "\(bound.output)")
      }
    }
  }
}
