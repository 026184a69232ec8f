// SPDX-License-Identifier: Apache-2.0

import HIDTesting
import PageTurner
import Testing

@Test("Pedals turn the pages, and nothing while the user types", .virtualDevice("pedals-wide.json"))
@MainActor func pages() async throws {
  let pedals = try HIDTestDevice.current
  let reader = PageTurner(pageCount: 3)
  await reader.open()
  try await until { reader.hasPedals }
  try await pedals.waitForReader()

  try await pedals.tap("rightPedal")
  try await until { reader.page == 2 }
  try await pedals.tap("rightPedal")
  try await until { reader.page == 3 }
  // There is no page after the last one.
  try await pedals.tap("rightPedal")
  try await pedals.tap("leftPedal")
  try await until { reader.page == 2 }

  // The reader shows its keyboard on the screen, although the pedals have the report descriptor of
  // a complete keyboard. Pedals turn no pages during a search.
  await reader.beginSearch()
  try await until { reader.showsKeyboard }
  try await pedals.tap("rightPedal")
  await pedals.unplug()
  try await until { !reader.hasPedals }
  #expect(reader.page == 2)
  await reader.endSearch()
  try await until { !reader.showsKeyboard }
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
