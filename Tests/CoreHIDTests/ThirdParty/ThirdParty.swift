// SPDX-License-Identifier: Apache-2.0

import CoreHID
import Testing

extension OnBothBuses {
  /// Devices of others with our client, and our devices with the programs of others.
  @Suite(
    "Devices and programs of others",
    .enabled(
      if: HIDBus.kernelTakesDevices, "/dev/uhid cannot be opened: run the tests in scripts/vm"),
    .enabled(if: TestBus.all.contains(.kernel), "HIDSIM_TEST_BUS names another bus"))
  struct ThirdParty {}
}
