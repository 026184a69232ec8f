// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEndTests {
  /// Reports that the kernel's own drivers send.
  @Suite(
    "reports of drivers", .enabled(if: TestBus.testsKernel, TestBus.kernelReason),
    .enabled(if: USBBus.isThere, USBBus.reason))
  struct DriverReportTests {
    /// The MCP2221 without the mark that it takes reports of any length: hid-mcp2221 sends a few
    /// bytes instead of 64.
    private func strictChip(_ bench: Bench) throws -> String {
      let text = try String(contentsOfFile: "\(Bench.descriptors)/mcp2221.json", encoding: .utf8)
      let mark = #""anyLength": true"#
      #expect(text.contains(mark))
      return try bench.file(
        "chip.json", text.replacingOccurrences(of: mark, with: #""initial": "00""#))
    }

    @Test(
      "a short report of a driver is an event, is not counted, and passes run --strict",
      arguments: ["kernel", "usb"])
    func short(bus: String) async throws {
      try await Bench.run(.kernel) { bench in
        let file = try strictChip(bench)
        let done = try await bench.finish(
          "run", file, "--bus", bus, "--strict", "--", "true")
        #expect(done.status == 0, "\(done.errorText)")
        #expect(
          done.errorText.contains(
            "by the kernel's driver: output report has 8 bytes, and is declared with 64"),
          "\(done.errorText)")
        #expect(!done.errorText.contains("fidelity warning"), "\(done.errorText)")
        #expect(done.errorText.contains("no nodes, driver mcp2221"), "\(done.errorText)")
      }
    }
  }
}
