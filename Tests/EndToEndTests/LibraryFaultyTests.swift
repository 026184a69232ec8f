// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEndTests {
  /// The shipped device with every fault, and the results of a client: the same on both buses.
  @Suite("shipped faulty device")
  struct LibraryFaultyTests {
    private static let device = "1209:0009"

    /// Requests a feature report, and returns the first line of output, which has its bytes, or the
    /// error.
    private func get(
      _ bench: Bench, _ id: Int, _ more: String...
    ) async throws -> (status: Int32, text: String) {
      let done = try await bench.finish(
        program: Bench.binary, ["get", Self.device, "feature", "\(id)"] + more)
      return (done.status, done.status == 0 ? done.output.first ?? "" : done.errorText)
    }

    @Test(
      "an answer that is short, long, empty or of another report arrives unchanged",
      arguments: TestBus.available)
    func answers(_ bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let (run, _) = try await bench.plug("faulty.json")
        for (id, expected) in [
          (1, "01 11 22 33 44 55 66 77 88"), (2, "02 aa"),
          (3, "03 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10"),
          (7, "01 77 77 77 77 77 77 77 77"), (8, ""),
          (10, "0a 01 00 00 00 00 00 00 00"), (10, "0a 02 00 00 00 00 00 00 00"),
          (12, "0c de ad 00 00 00 00 00 00"),
        ] {
          let answer = try await get(bench, id)
          #expect(answer == (0, expected), "\(id)")
        }
        try await bench.end(run)
      }
    }

    @Test(
      "an error fails a request, a missing answer ends at the timeout, and a late one arrives",
      arguments: TestBus.available)
    func errors(_ bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let (run, _) = try await bench.plug("faulty.json")
        for id in [4, 9] {
          let answer = try await get(bench, id)
          #expect(answer.status == 1 && answer.text.contains("refused"), "\(id): \(answer)")
        }
        let well = try await get(bench, 9)
        #expect(well.status == 0)
        let refused = try await bench.finish(
          "set", Self.device, "feature", "--id", "4", "00 00 00 00 00 00 00 00")
        #expect(refused.status == 1)
        let silent = try await get(bench, 5, "--timeout", "200ms")
        #expect(silent.status == 1 && silent.text.contains("no answer came in time"), "\(silent)")
        let late = try await get(bench, 6)
        #expect(late == (0, "06 00 00 00 00 00 00 00 00"))
        try await bench.end(run)
      }
    }

    @Test(
      "the device sends 64 reports at once, a value out of range, and a report three times",
      arguments: TestBus.available)
    func input(_ bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let (run, _) = try await bench.plug("faulty.json")
        let monitor = try await bench.start("monitor", Self.device, "--raw")
        _ = try await run.event("opened")
        for order in ["01", "02", "03"] {
          let done = try await bench.finish("set", Self.device, "output", "--id", "32", order)
          #expect(done.status == 0)
        }
        for number in 0..<64 {
          let line = try await monitor.line { _ in true }
          #expect(line == [1, UInt8(number), 0x32].hex)
        }
        // The counter continues. Only it distinguishes the three equal reports.
        for (number, level) in [(64, 0xff), (65, 7), (66, 7), (67, 7)] {
          let line = try await monitor.line { _ in true }
          #expect(
            line == [1, UInt8(number), UInt8(level)].hex || line == [1, 0, UInt8(level)].hex)
        }
        monitor.signal(SIGINT)
        #expect(try await monitor.status == 0)
        try await bench.end(run)
      }
    }

    @Test(
      "the device unplugs instead of an answer and is plugged again, or unplugs for good",
      arguments: TestBus.available)
    func pulledOut(_ bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let (run, _) = try await bench.plug("faulty.json")
        let gone = try await get(bench, 11)
        #expect(gone.status == 1)
        _ = try await run.event("unplugged")
        _ = try await run.event("plugged")
        let back = try await get(bench, 1)
        #expect(back == (0, "01 11 22 33 44 55 66 77 88"))
        let order = try await bench.finish("set", Self.device, "output", "--id", "32", "06")
        #expect(order.status == 0)
        _ = try await run.event("unplugged")
        #expect(try await bench.devices().isEmpty)
        try await bench.end(run)
      }
    }
  }
}

extension [UInt8] {
  /// Two hex digits per byte, with spaces between the bytes.
  fileprivate var hex: String {
    map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
  }
}
