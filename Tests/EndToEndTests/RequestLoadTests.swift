// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEndTests {
  @Suite(
    "requests under load", .enabled(if: TestBus.testsKernel, TestBus.kernelReason))
  struct RequestLoadTests {
    /// A device that sends a report every millisecond, and has a feature report.
    private static let device = """
      {"hidsim": 1, "name": "busy", "vendorID": "0x1209", "productID": 9,
       "reportDescriptor": {"hex": "06 00 ff 09 01 a1 01 15 00 26 ff 00 75 08 95 02 09 01 81 02 09 02 b1 02 c0"},
       "reports": [{"type": "input", "stamp": {"0": "${counter:u16le}"}}],
       "behaviours": [{"on": {"timer": "1ms"}, "send": {}}]}
      """

    @Test("10,000 get-feature requests beside 1,000 input reports a second are all answered")
    func answered() async throws {
      try await Bench.run(.kernel) { bench in
        let (run, node) = try await bench.plug(try bench.file("busy.json", Self.device))
        // The buffer of HIDIOCGFEATURE(3) begins with the report number. The kernel's own limit is
        // 5 s.
        let asker = """
          import fcntl, sys, time
          node = open(sys.argv[1], "r+b", buffering=0)
          times, failed = [], 0
          for _ in range(10000):
              start = time.monotonic()
              try:
                  answer = fcntl.ioctl(node, 0xC0034807, bytes(3))
                  if answer[:2] != bytes(2): failed += 1
              except OSError:
                  failed += 1
              times.append(time.monotonic() - start)
          times.sort()
          print(failed, *("%.3f" % (1000 * times[len(times) * part // 1000]) for part in (500, 990, 999)),
                "%.3f" % (1000 * times[-1]))
          """
        let done = try await bench.finish(program: "python3", ["-c", asker, node])
        let words = try #require(done.output.first).split(separator: " ")
        print("get-feature in ms, median, 99 %, 99.9 %, most: \(words.dropFirst())")
        #expect(words.first == "0", "\(done.errorText)")
        try await bench.end(run)
        let summary = try #require(run.output.lines.last.flatMap(Event.init))
        #expect(try #require(summary.requests) >= 10_000)
        #expect(try #require(summary.inputs) > 0)
        #expect(summary.lost == 0)
      }
    }
  }
}
