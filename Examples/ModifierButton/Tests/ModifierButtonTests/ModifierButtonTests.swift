// SPDX-License-Identifier: Apache-2.0

import HIDTesting
import ModifierButton
import Testing

@Test("The button follows the modifier keys", .virtualDevice("keyboard.json"))
@MainActor func modifiers() async throws {
  let keyboard = try HIDTestDevice.current
  let button = ModifierButton()
  try await until { button.hasKeyboard }
  try await keyboard.waitForReader()

  try await keyboard.press("leftAlt")
  try await until { button.action == .saveAs }
  try await keyboard.release("leftAlt")
  try await until { button.action == .save }
  try await keyboard.press("rightShift")
  try await until { button.action == .saveAll }

  // The keys of an unplugged keyboard count as released.
  await keyboard.unplug()
  try await until { !button.hasKeyboard }
  #expect(button.action == .save)
}

/// Waits until a condition is true, for at most 10 s.
@MainActor private func until(_ isSo: () -> Bool) async throws {
  let clock = ContinuousClock()
  let end = clock.now + .seconds(10)
  while !isSo() {
    try #require(clock.now < end, "it did not happen within 10 s")
    try await Task.sleep(for: .milliseconds(2))
  }
}
