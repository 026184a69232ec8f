// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEndTests {
  /// A device of hid-tools through the stream, compared with the same device through uhid.
  ///
  /// `scripts/hid-selftests` compares whole suites in this way.
  @Suite("UHIDDevice by the stream", .enabled(if: TestBus.testsKernel, TestBus.kernelReason))
  struct ForeignSuiteTests {
    /// The Python for which scripts/test has installed hid-tools.
    private static let python: String? = {
      let folder = Bench.checkout(".build-tools/python/bin")
      return access("\(folder)/hid-recorder", X_OK) == 0 ? "\(folder)/python3" : nil
    }()

    @Test(
      "a device, its clients and its driver have the same results by the stream as by uhid",
      .enabled(if: python != nil, "needs Python with hid-tools: scripts/test installs it"))
    func calls() async throws {
      try await Bench.run(.kernel) { bench in
        let python = try #require(Self.python)
        let fixture = "\(Bench.fixtures)/uhid_calls.py"
        let byUHID = try await bench.finish(program: python, ["-B", fixture, "uhid"])
        let byStream = try await bench.finish(
          program: "env",
          [
            "HIDSIM_PROGRAM=\(Bench.binary)", python, "-B", fixture, "stream",
            Bench.checkout("Tests/Python"),
          ])
        #expect(byUHID.status == 0, "\(byUHID.errorText)")
        #expect(byStream.status == 0, "\(byStream.errorText)")
        #expect(byStream.output == byUHID.output)
        #expect(byUHID.output.contains("set 0 0 00 09 0a"))
        #expect(byUHID.output.last == "nintendo 2")
      }
    }
  }
}
