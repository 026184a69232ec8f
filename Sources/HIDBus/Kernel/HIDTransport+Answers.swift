// SPDX-License-Identifier: Apache-2.0

extension HIDTransport {
  /// True if the answer to a get-report request for an unnumbered report starts with a 0.
  ///
  /// The kernel's drivers for USB and I2C add the 0; the driver for Bluetooth does not (6.12).
  var numbersAnswers: Bool { self == .usb || self == .i2c }
}
