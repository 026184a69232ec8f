// SPDX-License-Identifier: Apache-2.0

import CoreHID
import HIDTesting
import ShiftLight
import Testing

@Test("Caps Lock is lit while Shift is held", .virtualDevice("keyboard.json"))
func light() async throws {
  let keyboard = try HIDTestDevice.current
  let following = Task { try await followShift(on: keyboard.client) }
  defer { following.cancel() }
  try await keyboard.waitForReader()
  try await keyboard.press("leftShift")
  try await keyboard.expect(.led(.capsLock), is: 1, within: .seconds(1))
  try await keyboard.release("leftShift")
  try await keyboard.expect(.led(.capsLock), is: 0, within: .seconds(1))
}
