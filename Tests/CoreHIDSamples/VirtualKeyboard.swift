// SPDX-License-Identifier: Apache-2.0

// Code as programs for macOS have it, after Apple's article on creating virtual devices.

import CoreHID

/// The delegate of a keyboard; its synchronous methods satisfy the asynchronous requirements.
package final class KeyboardDelegate: HIDVirtualDeviceDelegate {
  package init() {}

  package func hidVirtualDevice(
    _ device: HIDVirtualDevice, receivedSetReportRequestOfType type: HIDReportType,
    id: HIDReportID?, data: Data
  ) throws {
    print("\(device) received a \(type) report: \(data as NSData)")
  }

  package func hidVirtualDevice(
    _ device: HIDVirtualDevice, receivedGetReportRequestOfType type: HIDReportType,
    id: HIDReportID?, maxSize: size_t
  ) throws -> Data {
    // Shorter than the declared report.
    Data([0x02, 0x00, 0x04, 0x00])
  }
}

/// Makes a keyboard with the name and the IDs of an Apple keyboard.
package func makeKeyboard(descriptor: Data) async -> HIDVirtualDevice? {
  let properties = HIDVirtualDevice.Properties(
    descriptor: descriptor, vendorID: 0x05ac, productID: 0x029f, transport: .bluetooth,
    product: "Magic Keyboard with Numeric Keypad", manufacturer: "Apple Inc.")
  guard let device = HIDVirtualDevice(properties: properties) else { return nil }
  await device.activate(delegate: KeyboardDelegate())
  return device
}

/// Presses and releases A, in reports of four bytes.
package func tapA(_ device: HIDVirtualDevice) async throws {
  let keyDown = Data([0x00, 0x00, 0x04, 0x00])
  try await device.dispatchInputReport(data: keyDown, timestamp: SuspendingClock().now)
  let keyUp = Data([0x00, 0x00, 0x00, 0x00])
  try await device.dispatchInputReport(data: keyUp, timestamp: .now)
}
