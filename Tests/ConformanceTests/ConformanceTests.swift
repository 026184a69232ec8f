// SPDX-License-Identifier: Apache-2.0

import Testing

/// The rules that hold on every bus, and those of the kernel bus.
///
/// Each rule is a test. The tests of `Kernel` run on the kernel bus only, all others on each bus
/// of ``BusUnderTest/all``.
///
/// The tests run one at a time: on the kernel bus, one request without an answer delays every
/// device of the machine.
@Suite(.serialized, .timeLimit(.minutes(1)))
enum ConformanceTests {
  @Test(
    "the kernel bus is among the buses under test",
    .enabled(if: BusUnderTest.hasKernel, BusUnderTest.noKernel),
    .enabled(if: BusUnderTest.named != .usb, "HIDSIM_TEST_BUS names the USB bus"))
  static func hasKernel() {
    #expect(BusUnderTest.all.contains(.kernel))
  }
}
