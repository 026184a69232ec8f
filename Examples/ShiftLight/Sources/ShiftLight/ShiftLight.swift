// SPDX-License-Identifier: Apache-2.0

import CoreHID

/// Lights Caps Lock while Left Shift is held, until the keyboard is disconnected.
public func followShift(on keyboard: HIDDeviceClient) async throws {
  let elements = await keyboard.elements
  let shift = elements.filter { $0.usage == .keyboardOrKeypad(.keyboardLeftShift) }
  guard let capsLock = elements.first(where: { $0.usage == .led(.capsLock) }) else {
    throw HIDDeviceError.unsupported
  }
  let notifications = await keyboard.monitorNotifications(
    reportIDsToMonitor: [], elementsToMonitor: shift)
  for try await notification in notifications {
    guard case .elementUpdates(let values) = notification else { continue }
    let isDown = values.contains { $0.integerValue(asTypeTruncatingIfNeeded: Int.self) == 1 }
    let lamp = HIDElement.Value(
      element: capsLock, fromIntegerTruncatingIfNeeded: isDown ? 1 : 0, timestamp: .now)
    let update = HIDDeviceClient.ProvideElementUpdate(values: [lamp])
    try await keyboard.updateElements([update])[update]?.get()
  }
}
