// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension EndToEndTests {
  @Suite("run --script") struct ScriptTests {
    // Another hidsim sets the Caps Lock LED. The Caps Lock key is not used: the kernel's console
    // answers it.
    private static let caps = """
      tap a
      expect led.capsLock on within 10s
      """

    @Test("a script whose expectations come true ends with status 0", arguments: TestBus.available)
    func passes(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let script = try bench.file("caps.hidscript", Self.caps)
        let (run, node) = try await bench.plug("keyboard.json", "--script", script)
        #expect(try await bench.finish("set", node, "output", "02").status == 0)
        #expect(try await run.status == 0)
        #expect(run.errors.lines.allSatisfy { !$0.contains(".hidscript:") })
      }
    }

    @Test(
      "a failed expectation is status 1, with its line, the expected value and the reports",
      arguments: TestBus.available)
    func fails(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let script = try bench.file(
          "caps.hidscript", "# a comment\n\nexpect led.capsLock on within 1500ms\n")
        let (run, node) = try await bench.plug("keyboard.json", "--script", script)
        #expect(try await bench.finish("set", node, "output", "01").status == 0)
        #expect(try await run.status == 1)
        let place = try #require(run.errors.lines.first { $0.contains("caps.hidscript:") })
        #expect(
          place.hasSuffix(
            "caps.hidscript:3:1: expected led.capsLock on within 1500ms, and it is off"))
        #expect(
          run.errors.lines.contains {
            $0.contains("hidsim keyboard: output 01 (as 00 01)  led.numLock on")
          })
        #expect(Event(try #require(run.output.lines.last))?.outcome == "the script failed")
        #expect(try await bench.devices().isEmpty)
      }
    }

    @Test(
      "an event that does not arrive fails the script with the line that expects it",
      arguments: TestBus.available)
    func nothing(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let script = try bench.file("s.hidscript", "expect event set feature within 10ms\n")
        let done = try await bench.finish("run", "gamepad.json", "--script", script)
        #expect(done.status == 1)
        #expect(
          done.errorText.contains("s.hidscript:1:1: expected the event set feature within 10ms"))
        #expect(!done.errorText.contains("plugged as"))
      }
    }

    @Test(
      "a mistake in a script is an error with line and column before anything is plugged (65)",
      arguments: [
        ("tap capsLock\nexpect led.capsLok on within 1s\n", "2:8", "led.capsLock"),
        ("tapp a\n", "1:1", "tap"),
        ("wait 100\n", "1:6", "ms"),
        ("tap a\ntype \"unfinished\n", "2:6", "\""),
        ("expect event output 2 within\n", "1:29", "a duration"),
      ])
    func mistakes(text: String, place: String, help: String) async throws {
      try await Bench.run(.loopback) { bench in
        let script = try bench.file("bad.hidscript", text)
        let done = try await bench.finish("run", "keyboard.json", "--script", script)
        #expect(done.status == 65)
        #expect(done.output.isEmpty)
        #expect(done.errorText.contains("bad.hidscript:\(place): "), "\(done.errorText)")
        #expect(done.errorText.contains(help))
        #expect(try bench.leftovers() == [])
      }
    }

    @Test(
      "a script that --for cuts short fails with its current line and status 1",
      arguments: [
        ("wait 1ms\nwait 10m\nexpect led.capsLock on within 5s\n", "2:1"),
        ("expect led.capsLock on within 10m\n", "1:1"), ("tap a ; wait 10m", "1:9"),
      ])
    func cutShort(text: String, place: String) async throws {
      try await Bench.run(.loopback) { bench in
        let script = try bench.file("cut.hidscript", text)
        let done = try await bench.finish(
          "run", "keyboard.json", "--script", script, "--for", "1s")
        #expect(done.status == 1)
        #expect(
          done.output.last?.hasSuffix("the script was stopped at \(script):\(place)") == true,
          "\(done.output)")
      }
    }

    @Test("a script that a signal cuts short fails with status 1", arguments: [SIGINT, SIGTERM])
    func interrupted(signal: Int32) async throws {
      try await Bench.run(.loopback) { bench in
        let script = try bench.file("cut.hidscript", "wait 1ms\nwait 10m\n")
        let (run, _) = try await bench.plug("keyboard.json", "--script", script, "--input")
        run.signal(signal)
        #expect(try await run.status == 1)
        let outcome = try #require(run.output.lines.last.flatMap(Event.init)?.outcome)
        #expect(outcome.hasPrefix("the script was stopped at \(script):"))
      }
    }

    @Test("a script that ends before the run passes, with hold or without")
    func done() async throws {
      try await Bench.run(.loopback) { bench in
        for text in ["press a\nhold\n", "tap a\n"] {
          let script = try bench.file("done.hidscript", text)
          let done = try await bench.finish(
            "run", "keyboard.json", "--script", script, "--for", "3s")
          #expect(done.status == 0)
          #expect(done.output.last?.contains("stopped") == false)
        }
      }
    }

    @Test("--for ends a script that still waits after the command has ended")
    func afterCommand() async throws {
      try await Bench.run(.loopback) { bench in
        let script = try bench.file("cut.hidscript", "wait 10m\n")
        let bounded = try await bench.finish(
          "run", "keyboard.json", "--script", script, "--for", "3s", "--", "true")
        #expect(bounded.status == 1)
        #expect(bounded.errors.last?.hasSuffix("stopped at \(script):1:1") == true)
      }
    }

    @Test("--host locks answers Caps Lock as a console does", arguments: TestBus.available)
    func locks(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let script = try bench.file(
          "locks.hidscript",
          """
          tap capsLock
          expect led.capsLock on within 10s
          tap capsLock
          expect led.capsLock off within 10s

          """)
        let done = try await bench.finish(
          "run", "keyboard.json", "--host", "locks", "--script", script, "--json")
        #expect(done.status == 0, "\(done.output) \(done.errors)")
        // The report number that hidraw requires shows that this write is not from the kernel's
        // console, which also answers.
        let answers = done.output.compactMap(Event.init).compactMap(\.raw)
        #expect(answers.contains("00 02"))
      }
    }

    @Test("Caps Lock that is held while too many keys are pressed toggles its lamp once")
    func rollOver() async throws {
      try await Bench.run(.loopback) { bench in
        // The seventh key makes the keyboard send ErrorRollOver. After it, Caps Lock is still down.
        let script = try bench.file(
          "rollover.hidscript",
          """
          press capsLock
          expect event output bytes 02 within 10s
          press a+b+c+d+e+f
          release f
          release
          tap capsLock
          expect only event output bytes 00 within 10s

          """)
        let done = try await bench.finish(
          "run", "keyboard.json", "--host", "locks", "--script", script, "--timeline", "virtual")
        #expect(done.status == 0, "\(done.output) \(done.errors)")
        let lamps = done.output.filter { $0.contains("led.capsLock") }
        #expect(lamps.count == 2, "\(lamps)")
      }
    }

    @Test("the tests of a script are written as JUnit XML to a file and as TAP to standard output")
    func reports() async throws {
      try await Bench.run(.loopback) { bench in
        let script = try bench.file(
          "s.hidscript", "test one\ntap a\ntest two\nexpect led.capsLock on\ntest three\n")
        let junit = try bench.file("junit.xml", "what was there before")
        let done = try await bench.finish(
          "run", "keyboard.json", "--script", script, "--junit", junit, "--tap", "-")
        #expect(done.status == 1)
        #expect(
          done.output.filter { !$0.hasPrefix(" ") } == [
            "TAP version 13", "1..3", "ok 1 - one", "not ok 2 - two",
            "ok 3 - three # SKIP \(script):4:1 did not pass",
          ])
        #expect(done.errorText.contains("hidsim keyboard: plugged into"))
        let xml = try String(contentsOfFile: junit, encoding: .utf8)
        #expect(
          xml.hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"3\" fail"))
        #expect(xml.contains("line=\"3\""))
      }
    }

    @Test(
      "a test report that cannot be written is refused before anything is plugged",
      arguments: [
        (["--junit", "-"], 64, "--junit needs --script: "),
        (["--script", "s", "--junit", "-", "--tap", "-"], 64, "--junit - excludes --tap -: "),
        (["--script", "s", "--tap", "-", "--", "true"], 64, "the command uses standard output"),
        (["--script", "/dev/null", "--tap", "/nowhere/x"], 66, "a device node"),
      ])
    func noReports(arguments: [String], status: Int32, reason: String) async throws {
      try await Bench.run(.loopback) { bench in
        let done = try await bench.finish(
          program: Bench.binary, ["run", "keyboard.json"] + arguments)
        #expect(done.status == status)
        #expect(done.errorText.contains(reason), "\(done.errorText)")
        let script = try bench.file("s.hidscript", "tap a\n")
        let folder = try await bench.finish(
          "run", "keyboard.json", "--script", script, "--tap", "/nowhere/x.tap")
        #expect(folder.status == 74)
        #expect(folder.errorText.contains("/nowhere/x.tap: cannot be written: "))
        #expect(folder.output.isEmpty)
      }
    }

    @Test("a script of an hour in virtual time prints the same lines in every run")
    func virtualTime() async throws {
      try await Bench.run(.loopback) { bench in
        let script = try bench.file(
          "hour.hidscript",
          """
          repeat 60
            wait 1m ; tap capsLock ; expect led.capsLock on within 1s
            host set led.numLock on ; host get input ; tap capsLock
            expect anything ; expect nothing for 500ms
          end

          """)
        func lines() async throws -> [String] {
          let done = try await bench.finish(
            "run", "keyboard.json", "--host", "locks", "--script", script, "--json", "--input",
            "--timeline", "virtual")
          #expect(done.status == 0, "\(done.errors)")
          // The names of the bus and the ID of the process differ in each run.
          return done.output.map {
            $0.replacing(/"(node|id|physicalPath)":"[^"]*"/, with: "")
              .replacing(/"process":[0-9]+/, with: "")
          }
        }
        let first = try await lines()
        #expect(first.last?.contains("\"time\":3630000000,") == true)
        for _ in 0..<3 { #expect(try await lines() == first) }
        let cut = try await bench.finish(
          "run", "keyboard.json", "--host", "locks", "--script", script, "--timeline", "virtual",
          "--for",
          "90s")
        #expect(cut.status == 1)
        #expect(cut.output.last?.hasSuffix("the script was stopped at \(script):2:3") == true)
      }
    }

    @Test("virtual time goes on to the end of --for after a script that ends earlier")
    func virtualBound() async throws {
      try await Bench.run(.loopback) { bench in
        let script = try bench.file("short.hidscript", "wait 10ms\npress cross\nhold\n")
        let done = try await bench.finish(
          "run", "dualsense.json", "--script", script, "--timeline", "virtual", "--for", "1h",
          "--json", "--input")
        #expect(done.status == 0, "\(done.errorText)")
        #expect(done.output.last?.contains("\"event\":\"summary\"") == true)
        #expect(done.output.last?.contains("\"time\":3600000000,") == true, "\(done.output)")
        let failed = try await bench.finish(
          "run", "keyboard.json", "--script",
          try bench.file("f.hidscript", "expect led.capsLock on"),
          "--timeline", "virtual", "--for", "1h")
        #expect(failed.status == 1)
      }
    }

    @Test(
      "virtual time is refused without a script, and with options that need real time",
      arguments: [
        (["--script", "s", "--", "true"], "excludes a command after --: "),
        (["--script", "s", "--send", "-"], "excludes --send -: "),
        ([], "needs --script: a script moves that clock"),
        (["--script", "s", "--fidelity", "kernel"], "excludes --fidelity kernel: "),
      ])
    func noVirtualTime(arguments: [String], reason: String) async throws {
      try await Bench.run(.loopback) { bench in
        let done = try await bench.finish(
          program: Bench.binary, ["run", "keyboard.json", "--timeline", "virtual"] + arguments)
        #expect(done.status == 64)
        #expect(done.errorText.contains("--timeline virtual \(reason)"), "\(done.errorText)")
      }
    }

    @Test(
      "sync waits until the device has the report that the host wrote",
      arguments: TestBus.available)
    func sync(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let script = try bench.file(
          "sync.hidscript",
          """
          host expect a off within 5s
          repeat 50
            host send output bytes 02 ; sync ; expect led.capsLock on
            host send output bytes 00 ; sync ; expect led.capsLock off
          end
          """)
        let done = try await bench.finish("run", "keyboard.json", "--script", script)
        #expect(done.status == 0, "\(done.errorText)")
      }
    }

    @Test("a script that never waits does not block the other devices of the run")
    func busyScript() async throws {
      try await Bench.run(.loopback) { bench in
        let script = try bench.file(
          "busy.hidscript",
          "tap a\nrepeat 1000\nrepeat 1000000\nexpect led.capsLock off\nend\nend\n")
        let run = try await bench.start(
          "run", "keyboard.json", "gamepad.json", "--script", script, "--input", "--json")
        _ = try await run.event("input")
        let asked = try await bench.finish("get", "hidsim gamepad", "feature", "3")
        #expect(asked.status == 0, "\(asked.errorText)")
        run.signal(SIGTERM)
        _ = try await run.status
      }
    }

    @Test(
      "virtual time is refused on the kernel bus",
      .enabled(if: TestBus.testsKernel, TestBus.kernelReason))
    func noVirtualTimeOnTheKernelBus() async throws {
      try await Bench.run(.kernel) { bench in
        let script = try bench.file("s.hidscript", "tap a\n")
        let done = try await bench.finish(
          "run", "keyboard.json", "--script", script, "--timeline", "virtual")
        #expect(done.status == 64)
        #expect(done.errorText.contains("the kernel uses the real clock"))
      }
    }

    @Test(
      "a script plays the device and the host, with host set, expect and host get",
      arguments: TestBus.available)
    func bothEnds(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let script = try bench.file(
          "both.hidscript",
          """
          host set led.capsLock on
          expect led.capsLock on within 5s
          report 00 00 05
          host get input bytes 00 00 05 00 00 00 00 00

          """)
        let done = try await bench.finish("run", "keyboard.json", "--script", script)
        #expect(done.status == 0, "\(done.errors)")
      }
    }
  }
}
