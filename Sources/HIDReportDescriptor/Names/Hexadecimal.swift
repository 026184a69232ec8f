// SPDX-License-Identifier: Apache-2.0

/// Returns a number in at least `digitCount` lower-case hex digits, with `0x` before them.
func hexadecimal(_ number: UInt32, digitCount: Int) -> String {
  let digits = String(number, radix: 16)
  return "0x" + String(repeating: "0", count: max(0, digitCount - digits.count)) + digits
}
