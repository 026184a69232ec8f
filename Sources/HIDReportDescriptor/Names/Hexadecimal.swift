// SPDX-License-Identifier: Apache-2.0

import HIDText

/// Returns a number in at least `digitCount` lower-case hex digits, with `0x` before them.
func hexadecimal(_ number: UInt32, digitCount: Int) -> String {
  "0x" + number.hexDigits(digitCount)
}
