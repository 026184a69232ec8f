// SPDX-License-Identifier: Apache-2.0
// This is what the page of hidsim bench records: Tests/Browser compares it with the lines below.

import HIDTesting
import Testing

@Test("recorded", .virtualDevice("keyboard.json"))
func recorded() async throws {
  let hidsimKeyboard = try HIDTestDevice.named("hidsim keyboard")
  try await hidsimKeyboard.play("tap a")
  try await hidsimKeyboard.play("host set led.capsLock on")
  try await hidsimKeyboard.play("expect event output bytes 02 within 1s")
}
