// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import HIDTraces
import Testing

extension EndToEndTests {
  @Suite("replay") struct ReplayTests {
    /// A device with vendor usages, whose reports have three bytes, and the events of a session.
    static let session = """
      R: 29 06 00 ff 09 01 a1 01 15 00 26 ff 00 75 08 95 03 09 01 81 02 09 01 91 02 09 01 b1 02 c0
      N: session
      I: 3 1209 0007
      #! hidsim trace 1
      E: 000000.000000 3 01 02 03
      #! output 000000.010000 3 11 12 13
      #! get 000000.020000 feature - 100 report 3 0a 0b 01
      #! get 000000.030000 feature - 100 report 3 0a 0b 02
      #! set 000000.040000 feature - 100 refused 3 21 22 23
      E: 000000.100000 3 04 05 06

      """

    /// Returns the shell commands by which a host repeats its part of the session, with the bytes
    /// `output` in the output report.
    static func host(_ output: String) -> String {
      """
      set -e; n=${HIDSIM_HIDRAW:-session}; h='\(Bench.binary)'
      "$h" set "$n" output \(output); "$h" get "$n" feature; "$h" get "$n" feature
      ! "$h" set "$n" feature 21 22 23
      """
    }

    static let asserted = ["--assert", "--assert-gets", "--within", "30s"]

    @Test(
      "a host that repeats its part of the trace passes, and gets the answers of the trace",
      arguments: TestBus.available)
    func passes(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let trace = try bench.file("session.hid", Self.session)
        let done = try await bench.finish(
          program: Bench.binary,
          ["replay", trace] + Self.asserted
            + ["--wait-reader", "30s", "--", "bash", "-c", Self.host("11 12 13")])
        #expect(done.status == 0, "\(done.errorText)")
        let answers = done.output.filter { $0.hasPrefix("0a") }
        #expect(answers == ["0a 0b 01", "0a 0b 02"])
        let last = try #require(done.errors.last)
        #expect(last.contains("2 of 2 reports replayed"), "\(last)")
        #expect(last.hasSuffix("4 of 4 reports of hosts as asserted, bash exited with 0"))
      }
    }

    @Test(
      "a host's first request gets the first answer of the trace, however early it comes",
      arguments: TestBus.available)
    func early(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let trace = try bench.file("session.hid", Self.session)
        let host = """
          set -e; n=${HIDSIM_HIDRAW:-session}; h='\(Bench.binary)'
          "$h" get "$n" feature; "$h" get "$n" feature; "$h" monitor "$n" --for 1s
          """
        let done = try await bench.finish(
          "replay", trace, "--wait-reader", "30s", "--", "bash", "-c", host)
        #expect(done.status == 0, "\(done.errorText)")
        #expect(done.output.filter { $0.hasPrefix("0a") } == ["0a 0b 01", "0a 0b 02"])
      }
    }

    @Test(
      "a host that deviates from the trace fails (1) with the expected and the actual report",
      arguments: TestBus.available)
    func fails(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let trace = try bench.file("session.hid", Self.session)
        let command = ["--wait-reader", "30s", "--", "bash", "-c", Self.host("99 12 13")]
        let done = try await bench.finish(
          program: Bench.binary, ["replay", trace] + Self.asserted + command)
        #expect(done.status == 1)
        let missing = "session: expected output 11 12 13  0xff00.0x0001 17, "
        #expect(done.errorText.contains(missing), "\(done.errorText)")
        #expect(done.errorText.contains(" at 0.010000 (line 6): it did not come"))
        #expect(done.errorText.contains("session: not expected: output 99 12 13  "))
        #expect(done.errorText.contains("3 of 4 reports of hosts as asserted"))
        // Parts that vary can be ignored, and more reports can be allowed.
        for more in [["--ignore", "output byte 0"], ["--ignore", "output", "--allow-more"]] {
          let again = try await bench.finish(
            program: Bench.binary, ["replay", trace] + Self.asserted + more + command)
          #expect(again.status == 0, "\(again.errorText)")
        }
      }
    }

    @Test("--json prints each mismatch as an object on a line, and the totals as another")
    func mismatches() async throws {
      try await Bench.run(.loopback) { bench in
        let trace = try bench.file("session.hid", Self.session)
        let host = Self.host("99 12 13").replacing("feature; \"$h\" get", with: "feature; : get")
        let done = try await bench.finish(
          program: Bench.binary,
          ["replay", trace, "--json"] + Self.asserted
            + ["--wait-reader", "30s", "--", "bash", "-c", host])
        #expect(done.status == 1)
        let lines = done.errors.filter { $0.contains(#""event":"mismatch""#) }.map {
          $0.replacing(/"time":[0-9]+/, with: #""time":0"#)
        }
        let output = #"{"event":"mismatch","device":"session","time":0,"change":"#
        #expect(
          Set(lines) == [
            output + #""missing","kind":"output","type":"output","report":null,"#
              + #""expected":"11 12 13","actual":null,"line":6}"#,
            output + #""unexpected","kind":"output","type":"output","report":null,"#
              + #""expected":null,"actual":"99 12 13","line":null}"#,
            output + #""missing","kind":"get","type":"feature","report":null,"#
              + #""expected":null,"actual":null,"line":8}"#,
          ])
        let asserted = try #require(done.errors.first { $0.contains(#""event":"asserted""#) })
        #expect(asserted.hasSuffix(#","total":4,"matched":2,"mismatches":3,"missed":0}"#))
        #expect(done.errorText.contains("session: not expected: output 99 12 13"))
      }
    }

    @Test("host reports before the first and after the last report of the device are compared")
    func times() async throws {
      try await Bench.run(.loopback) { bench in
        let head = Self.session.split(separator: "\n").prefix(4).joined(separator: "\n")
        let trace = try bench.file(
          "late.hid",
          "\(head)\n#! output 000000.000000 3 01 01 01\n#! output 000001.500000 3 02 02 02\n"
            + "E: 000002.000000 3 04 05 06\n")
        let host = """
          n=session; h='\(Bench.binary)'; "$h" set "$n" output 01 01 01; sleep 0.7
          "$h" set "$n" output 02 02 02; sleep 2
          """
        let options = ["replay", trace, "--assert", "--within", "1400ms", "--", "bash", "-c"]
        let good = try await bench.finish(program: Bench.binary, options + [host])
        #expect(good.status == 0, "\(good.errorText)")
        #expect(good.errors.last?.contains("1 of 1 report replayed") == true)
        let more = try await bench.finish(
          program: Bench.binary, options + [host + "\n\"$h\" set \"$n\" output 03 03 03"])
        #expect(more.status == 1)
        #expect(more.errorText.contains("not expected: output 03 03 03"), "\(more.errorText)")
      }
    }

    @Test("a replay that --for ends early fails (1), though its program exits with 0")
    func ended() async throws {
      try await Bench.run(.loopback) { bench in
        let trace = try bench.file("long.hid", Self.session + "E: 003600.000000 3 07 08 09\n")
        let done = try await bench.finish(
          "replay", trace, "--for", "300ms", "--", "bash", "-c",
          "trap 'exit 0' TERM; while :; do sleep 0.05; done")
        #expect(done.status == 1, "\(done.errorText)")
        #expect(done.errors.last?.contains("2 of 3 reports replayed") == true, "\(done.errorText)")
      }
    }

    @Test("a failed program gives the replay its exit status, and a missing one is refused (127)")
    func programs() async throws {
      try await Bench.run(.loopback) { bench in
        let trace = try bench.file("session.hid", Self.session)
        #expect(try await bench.finish("replay", trace, "--", "bash", "-c", "exit 7").status == 7)
        // No program opens the device. The replay does not wait for its command.
        let alone = try await bench.finish(
          "replay", trace, "--wait-reader", "10ms", "--", "sleep", "1000")
        #expect(alone.status == 1)
        #expect(
          alone.errorText.contains("--wait-reader: no program opened a device within 10ms"),
          "\(alone.errorText)")
        let missing = try await bench.finish("replay", trace, "--", "/no/such/program")
        #expect(missing.status == 127)
        #expect(missing.output.isEmpty)
      }
    }

    @Test("a trace is played on the device of --device, and with --onto on a plugged device")
    func others() async throws {
      try await Bench.run(.loopback) { bench in
        let trace = try bench.file("session.hid", Self.session)
        let file = try bench.file(
          "own.json",
          """
          {"hidsim": 1, "name": "own", "vendorID": 1, "productID": 2,
           "reportDescriptor": {"hex": "06 00 ff 09 01 a1 01 15 00 26 ff 00 75 08 95 03 09 01 81 02 09 01 91 02 09 01 b1 02 c0"},
           "reports": [{"type": "feature", "initial": "07 08 09"}]}
          """)
        let own = try await bench.finish(
          "replay", trace, "--device", file, "--wait-reader", "30s", "--", "bash", "-c",
          "'\(Bench.binary)' get own feature")
        #expect(own.status == 0, "\(own.errorText)")
        #expect(own.output.first == "07 08 09")

        let run = try await bench.start("run", file, "--json")
        let node = try #require(try await run.event("plugged").node)
        let monitor = try await bench.start("monitor", node, "--raw")
        try await run.event("opened")
        let onto = try await bench.finish("replay", trace, "--onto", node, "--instant")
        #expect(onto.status == 0, "\(onto.errorText)")
        #expect(onto.output.last?.hasPrefix("2 of 2 reports replayed in ") == true)
        try await bench.end(run)
        #expect(try await monitor.status == 0)
        #expect(monitor.output.lines == ["01 02 03", "04 05 06"])
        let gone = try await bench.finish("replay", trace, "--onto", node)
        #expect(gone.status == 66)
      }
    }

    @Test(
      "--onto keeps the device plugged, and refuses reports longer than the device sends",
      arguments: TestBus.available)
    func ontoStays(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let text = try bench.file("session.hid", Self.session)
        let own = try await bench.start("drive", text)
        let node = try #require(try await own.event("plugged").node)
        let gone = try bench.file(
          "gone.hid",
          Self.session + "#! unplug 000000.110000\n#! plug 000000.120000\n"
            + "E: 000000.130000 3 07 08 09\n#! unplug 000000.140000\n")
        let monitor = try await bench.start("monitor", node, "--raw")
        try await bench.waitForReader(own, node)
        let onto = try await bench.finish(
          "replay", gone, "--onto", node, "--loop", "2", "--speed", "5")
        #expect(onto.status == 0, "\(onto.errorText)")
        #expect(onto.output.last?.hasPrefix("6 of 6 reports replayed in ") == true)
        #expect(onto.errorText.contains("plugs or unplugs devices 3 times: with --onto they stay"))
        for report in ["01 02 03", "04 05 06", "07 08 09"] {
          #expect(try await monitor.line { _ in true } == report)
        }
        // The device is still there, and answers.
        #expect(try await bench.finish("get", node, "feature").status == 0)
        let long = try bench.file("long.hid", Self.session + "E: 000000.200000 4 01 02 03 04\n")
        let refused = try await bench.finish("replay", long, "--onto", node)
        #expect(refused.status == 65)
        #expect(
          refused.errorText.contains(
            "long.hid: the trace has reports longer than declared, and session does not send such reports"
          ), "\(refused.errorText)")
        try await bench.end(own)
        // A replay of this trace plugs a device that can send reports longer than declared.
        let replay = try await bench.start(
          "replay", long, "--json", "--speed", "0.001", "--wait-reader", "30s")
        let other = try #require(try await replay.event("plugged").node)
        let sent = try await bench.finish("replay", long, "--onto", other, "--instant")
        #expect(sent.status == 0, "\(sent.errorText)")
        #expect(sent.output.last?.hasPrefix("3 of 3 reports replayed in ") == true)
        replay.signal(SIGTERM)
        _ = try await replay.status
      }
    }

    @Test(
      "a request without an answer in the played part gets the last answer before the part",
      arguments: TestBus.available)
    func answersBeforePart(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let trace = try bench.file("session.hid", Self.session)
        let host = """
          set -e; h='\(Bench.binary)'; n=${HIDSIM_HIDRAW:-session}
          read -r report < <("$h" monitor "$n" --raw 2>&-); echo "$report"; "$h" get "$n" feature
          """
        let done = try await bench.finish(
          "replay", trace, "--from", "90ms", "--wait-reader", "30s", "--", "bash", "-c", host)
        #expect(done.status == 0, "\(done.errorText)")
        #expect(done.output.prefix(2) == ["04 05 06", "0a 0b 02"])
        #expect(done.errorText.contains("1 of 1 report replayed"), "\(done.errorText)")
      }
    }

    @Test(
      "--from, --to, --loop, --speed, --interval and --skip-pauses send the requested reports",
      arguments: TestBus.available)
    func parts(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        var text =
          "R: 21 06 00 ff 09 01 a1 01 09 02 15 00 26 ff 00 75 08 95 01 81 02 c0\nN: parts\n"
        for (number, time) in [0, 1, 3600, 3601, 3602].enumerated() {
          text += "E: \(time).000000 1 0\(number)\n"
        }
        let trace = try bench.file("parts.hid", text)
        func inputs(_ options: String...) async throws -> [String] {
          let done = try await bench.finish(
            program: Bench.binary, ["replay", trace, "--json", "--input"] + options)
          #expect(done.status == 0, "\(done.errorText)")
          return done.output.compactMap(Event.init).filter { $0.event == "input" }
            .compactMap(\.bytes)
        }
        #expect(try await inputs("--instant", "--loop", "2").joined() == "00010203040001020304")
        #expect(
          try await inputs("--from", "3599s", "--to", "3601s", "--speed", "50") == ["02", "03"])
        #expect(try await inputs("--interval", "1ms").count == 5)
        #expect(try await inputs("--skip-pauses", "1ms") == ["00", "01", "02", "03", "04"])
      }
    }

    @Test(
      "hidsim diff finds no difference in input between a trace and a recording of its replay",
      arguments: TestBus.available)
    func recordedAgain(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let trace = "\(Bench.fixtures)/two-devices.hid"
        let replay = try await bench.start("replay", trace, "--wait-reader", "30s", "--json")
        let nodes = [
          try await replay.event("plugged").node, try await replay.event("plugged").node,
        ]
        let path = bench.folder.appending(path: "again.hid").path
        let recorder = try await bench.start(
          program: Bench.binary,
          ["record"] + nodes.compactMap(\.self) + ["--open", "-o", path])
        #expect(try await replay.status == 0)
        #expect(try await recorder.status == 0)
        let done = try await bench.finish("diff", trace, path, "--input-only", "--times", "2s")
        #expect(done.status == 0, "\(done.output) \(done.errorText)")
        #expect(done.errors.last?.hasPrefix("no difference in 7 events") == true)
      }
    }

    @Test(
      "hidsim diff finds no difference between a trace and the --record of its replay",
      arguments: TestBus.available)
    func recordedItself(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let trace = "\(Bench.fixtures)/two-devices.hid"
        let path = bench.folder.appending(path: "again.hid").path
        let replay = try await bench.finish("replay", trace, "--record", path)
        #expect(replay.status == 0, "\(replay.errorText)")
        let done = try await bench.finish("diff", trace, path, "--times", "2s")
        #expect(done.status == 0, "\(done.output) \(done.errorText)")
        #expect(done.errors.last?.hasPrefix("no difference in 7 events") == true)
        // The replay does the plug and unplug events of the trace, and records them.
        let gone = try bench.file(
          "gone.hid",
          """
          R: 21 06 00 ff 09 01 a1 01 09 02 15 00 26 ff 00 75 08 95 01 81 02 c0
          N: gone
          I: 3 1209 0001
          #! hidsim trace 1
          E: 000000.000000 1 01
          #! unplug 000000.010000
          #! plug 000000.020000
          E: 000000.030000 1 02
          #! unplug 000000.040000

          """)
        let again = try await bench.finish("replay", gone, "--record", path, "--force")
        #expect(again.status == 0, "\(again.errorText)")
        let same = try await bench.finish("diff", gone, path)
        #expect(same.status == 0, "\(same.output) \(same.errorText)")
        #expect(same.errors.last?.hasPrefix("no difference in 5 events") == true)
      }
    }

    @Test(
      "invalid options and options that contradict each other are refused (64)",
      arguments: [
        ["--assert", "--loop", "2"], ["--within", "1s"], ["--instant", "--speed", "2"],
        ["--onto", "x", "--assert"], ["--assert", "--instant", "--within", "1s"], ["--loop", "-1"],
        ["--from", "2s", "--to", "1s"], ["--onto", "x", "--spin"], ["--onto", "x", "--input"],
        ["--onto", "x", "--live"], ["--onto", "x", "--fidelity", "lossless"],
        ["--skip-pauses", "1s", "--instant"], ["--skip-pauses", "1s", "--interval", "8ms"],
        ["--force"], ["--speed", "0"], ["--speed", "nan"], ["--speed", "inf"],
        ["--interval", "0s"], ["--spin", "--instant"], ["--realtime", "--instant"],
        ["--interval", "8ms", "--speed", "2"], ["--instant", "--interval", "8ms"],
      ])
    func contradictions(options: [String]) async throws {
      try await Bench.run(.loopback) { bench in
        let trace = try bench.file("session.hid", Self.session)
        let done = try await bench.finish(program: Bench.binary, ["replay", trace] + options)
        #expect(done.status == 64, "\(done.errorText)")
        #expect(done.errorText.contains(options.last { $0.hasPrefix("--") } ?? ""))
      }
    }

    @Test(
      "--spin and --realtime send the same reports, with a message if --realtime is not permitted")
    func exact() async throws {
      try await Bench.run(.loopback) { bench in
        let trace = try bench.file("session.hid", Self.session)
        for option in ["--spin", "--realtime"] {
          // The command runs without the privilege: as an ordinary user, or as root without that
          // capability.
          let command = ["setpriv", "--bounding-set", "-sys_nice", "--inh-caps", "-all", "env"]
          let done = try await bench.finish(
            program: getuid() == 0 ? command[0] : Bench.binary,
            (getuid() == 0 ? command.dropFirst() + [Bench.binary] : [])
              + ["replay", trace, option, "--json", "--input"])
          #expect(done.status == 0, "\(done.errorText)")
          let inputs = done.output.compactMap(Event.init).filter { $0.event == "input" }
          #expect(inputs.compactMap(\.bytes) == ["01 02 03", "04 05 06"])
          #expect(
            done.errorText.contains("(SCHED_FIFO: ") == (option == "--realtime"),
            "\(done.errorText)")
        }
      }
    }

    @Test("--assert of a trace without host traffic is refused (65)")
    func nothingToAssert() async throws {
      try await Bench.run(.loopback) { bench in
        let done = try await bench.finish(
          "replay", "\(Bench.fixtures)/two-devices.hid", "--assert")
        #expect(done.status == 65)
        #expect(done.errorText.contains("no output report and no request of a host to compare"))
      }
    }
  }
}
