// SPDX-License-Identifier: Apache-2.0

import Testing

/// What holds on every bus.
///
/// Each statement is a test, run on each bus that is there.
///
/// Serialised: on the kernel bus one unanswered request holds up every device of the machine.
@Suite(.serialized, .timeLimit(.minutes(1)))
enum ConformanceTests {
  @Test(
    "the kernel bus is among the buses under test",
    .enabled(if: BusUnderTest.hasKernel, BusUnderTest.noKernel))
  static func hasKernel() {
    #expect(BusUnderTest.all.contains(.kernel))
  }
}
