// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEndTests {
  /// Scripts that expect certain events of hosts, and no others.
  @Suite("expectations of scripts") struct ExpectationTests {
    /// Expectations of no event, longer than the test.
    ///
    /// A test ends in time only if each expectation fails at the first event.
    private static let silences = [
      "expect nothing for 10m", "expect no event output for 10m", "expect nothing else for 10m",
    ]

    @Test(
      "a second report right after the expected one fails an expectation of no event",
      arguments: TestBus.available, silences)
    func burst(bus: TestBus, silence: String) async throws {
      try await Bench.run(bus) { bench in
        for expectation in ["event output bytes 02", "led.capsLock on"] {
          let script = try bench.file(
            "burst.hidscript",
            """
            host send output bytes 02
            host send output bytes 03
            expect \(expectation) within 20s
            \(silence)
            """)
          let done = try await bench.finish("run", "keyboard.json", "--script", script, "--strict")
          #expect(done.status == 1)
          #expect(done.errorText.contains("burst.hidscript:4:1: expected no"), "\(done.errorText)")
          let told = done.errors.filter { $0.contains(": output ") }
          #expect(told.count == 1 && told[0].contains("output 03 (as 00 03)"), "\(done.errorText)")
        }
      }
    }

    @Test(
      "a program's second report right after the expected one fails an expectation of no event",
      arguments: TestBus.available)
    func program(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let script = try bench.file(
          "program.hidscript",
          "expect event output bytes 02 within 30s\nexpect nothing for 10m\n")
        // On the kernel bus, a shell writes both reports within a few microseconds.
        let write =
          bus == .kernel
          ? "printf '\\0\\2' >$HIDSIM_HIDRAW; printf '\\0\\3' >$HIDSIM_HIDRAW; sleep 600"
          : "'\(Bench.binary)' set 'hidsim keyboard' output 02; '\(Bench.binary)' set 'hidsim keyboard' output 03"
        let done = try await bench.finish(
          program: Bench.binary,
          ["run", "keyboard.json", "--script", script, "--", "sh", "-c", write])
        #expect(done.status == 1)
        #expect(
          done.errorText.contains(
            "program.hidscript:2:1: expected nothing for 600s, and this came"),
          "\(done.errorText)")
        #expect(done.errors.contains { $0.contains("output 03 (as 00 03)") })
      }
    }

    @Test(
      "--expect-all fails a script at its end with the events that met no expectation",
      arguments: TestBus.available)
    func expectAll(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let sends = "needs keyboard.json\nhost send output bytes 01\nhost send output bytes 02\n"
        let script = try bench.file(
          "all.hidscript", sends + "expect event output bytes 02 within 20s\n")
        #expect(try await bench.finish("run", "--script", script, "--strict").status == 0)
        let done = try await bench.finish("run", "--script", script, "--expect-all")
        #expect(done.status == 1)
        #expect(
          done.errorText.contains(
            "all.hidscript:4:1: expected nothing else of the host until the end of the script (--expect-all), and this came"
          ), "\(done.errorText)")
        let told = done.errors.filter { $0.contains(": output ") }
        #expect(told.count == 1 && told[0].contains("output 01 (as 00 01)"), "\(done.errorText)")
        let whole = try bench.file(
          "whole.hidscript",
          sends
            + "expect only event output bytes 01 within 20s\nexpect led.capsLock on within 20s\n")
        let suite = try await bench.finish("test", script, whole, "--expect-all")
        #expect(suite.status == 1)
        #expect(suite.output.last?.hasPrefix("2 scripts: 1 passed, 1 failed, 0 skipped") == true)
        #expect(try await bench.finish("run", "mouse.json", "--expect-all").status == 64)
      }
    }

    @Test(
      "a driver's requests at plugging need no expectation for --expect-all, but can have one",
      arguments: TestBus.available)
    func drivers(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let script = try bench.file(
          "driver.hidscript",
          """
          \(bus == .kernel ? "expect event get feature within 1ms" : "# no driver")
          unplug ; plug
          expect nothing for 50ms
          """)
        let done = try await bench.finish(
          "run", "dualsense.json", "--script", script, "--expect-all")
        #expect(done.status == 0, "\(done.errorText)\n\(done.output)")
      }
    }

    @Test(
      "a failed expectation of a lamp shows the report that changed the lamp",
      arguments: TestBus.available)
    func cause(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let script = try bench.file(
          "cause.hidscript",
          """
          host send output bytes 03
          expect led.capsLock on within 20s
          expect led.numLock off
          """)
        let done = try await bench.finish("run", "keyboard.json", "--script", script)
        #expect(done.status == 1)
        let text = done.errorText
        #expect(text.contains("cause.hidscript:3:1: expected led.numLock off, and it is on\n"))
        #expect(text.contains("output 03 (as 00 03)  led.numLock on, led.capsLock on"), "\(text)")
        #expect(!text.contains("nothing came instead"))
      }
    }
  }
}
