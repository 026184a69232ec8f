// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

extension EndToEndTests {
  /// hidsim's devices and replay in the kernel's own self-tests: tools/testing/selftests/hid of
  /// Linux.
  ///
  /// The device is made from the recording and plugged as by `hidsim replay`. The kernel chooses
  /// the driver, and a replay sends the reports.
  @Suite(
    "the kernel's HID self-tests",
    .enabled(if: TestBus.testsKernel, TestBus.kernelReason),
    .enabled(if: DescriptorCorpus.isPresent, "the corpus is not there"))
  struct KernelSelfTests {
    /// The names of the self-tests, by device.
    private static let tests = Dictionary(grouping: SelfTest.names, by: SelfTest.device(of:))
    private static let devices = tests.keys.sorted()

    @Test("the list has all 275 self-tests")
    func all() {
      #expect(SelfTest.names.count == 275)
    }

    @Test("a replay makes the events that the self-test accepted", arguments: devices)
    func events(device: String) async throws {
      for name in Self.tests[device] ?? [] {
        let difference = try await SelfTestRun(SelfTest(name)).difference()
        #expect(difference == nil, "\(name)")
      }
    }
  }
}
