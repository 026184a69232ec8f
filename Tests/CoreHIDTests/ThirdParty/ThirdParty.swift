// SPDX-License-Identifier: Apache-2.0

import CoreHID
import Testing

extension OnBothBuses {
  /// Tests of third-party devices with hidsim's client, and of hidsim's devices with third-party
  /// programs.
  @Suite(
    "Third-party devices and programs",
    .enabled(
      if: HIDBus.kernelTakesDevices, "/dev/uhid cannot be opened: run the tests in scripts/vm"),
    .enabled(if: TestBus.all.contains(.kernel), "HIDSIM_TEST_BUS names another bus"))
  struct ThirdParty {}
}
