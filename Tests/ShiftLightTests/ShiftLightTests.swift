// SPDX-License-Identifier: Apache-2.0

import CoreHID
import ShiftLight
import Testing

@Test("Caps Lock is lit while Shift is held", .timeLimit(.minutes(1)))
func followsShift() async throws {
  let keyboard = try #require(await TestKeyboard())
  let client = try #require(HIDDeviceClient(deviceReference: keyboard.device.deviceReference))
  let light = Task { try await followShift(on: client) }
  defer { light.cancel() }
  var lamps = keyboard.lamps.makeAsyncIterator()
  // Until the code listens, reports go nowhere: the first one that is answered says that it does.
  let pressing = Task {
    while !Task.isCancelled {
      try await keyboard.setShift(true)
      await Task.yield()
    }
  }
  #expect(await lamps.next() == 0x02)
  pressing.cancel()
  _ = await pressing.result
  try await keyboard.setShift(false)
  while let lamp = await lamps.next(), lamp != 0 {}
}

@Test("a test that looks for devices has a bus of its own", .timeLimit(.minutes(1)))
func isolation() async throws {
  try await HIDBus.isolated {
    let keyboard = try #require(await TestKeyboard())
    let manager = HIDDeviceManager()
    for try await notification in await manager.monitorNotifications(matchingCriteria: []) {
      guard case .deviceMatched(let reference) = notification else { continue }
      #expect(reference == keyboard.device.deviceReference)
      break
    }
  }
}
