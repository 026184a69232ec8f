// SPDX-License-Identifier: Apache-2.0

// The shape of tools that use single elements: one counts keys, one sets a lamp and reads it back.

import CoreHID

/// Polls the device for its keys, and returns the usages of those that are down; none if that
/// fails.
package func keysDown(_ client: HIDDeviceClient) async -> Set<UInt16> {
  let keys = await client.elements.filter {
    guard case .keyboardOrKeypad(let usage?) = $0.usage else { return false }
    return usage.rawValue >= 4 && $0.type == .input
  }
  let request = HIDDeviceClient.RequestElementUpdate(elements: keys, pollDevice: true)
  let result = await client.updateElements([request], timeout: .seconds(2))
  switch result[request] {
  case .success(let values):
    return Set(
      values.filter { $0.integerValue(asTypeTruncatingIfNeeded: Int.self) != 0 }
        .compactMap { $0.element.usage.usage })
  case .failure(let error):
    print("\(error)")
    return []
  case nil: return []
  }
}

/// A lamp whose element is set to a logical value and then read back.
package struct Lamp: Sendable {
  let client: HIDDeviceClient
  let element: HIDElement

  package init?(_ client: HIDDeviceClient, _ usage: HIDUsage) async {
    let found = await client.elements.first { $0.usage == usage && $0.type != .input }
    guard let found else { return nil }
    self.client = client
    element = found
  }

  package func set(_ level: Int) async throws -> Int? {
    guard
      let value = HIDElement.Value(
        element: element, fromLogicalValueTruncatingIfNeeded: level, timestamp: .now)
    else { throw HIDDeviceError.badArgument }
    let write = HIDDeviceClient.ProvideElementUpdate(values: [value])
    let read = HIDDeviceClient.RequestElementUpdate(elements: [element], pollDevice: false)
    let results = await client.updateElements([write, read], timeout: .milliseconds(250))
    try results[write]?.get()
    let values = try results[read]?.get()
    return values?.first { $0.element == element }?.logicalValue(asTypeTruncatingIfNeeded: Int.self)
  }
}

/// Usages in the spellings that the tests use.
package let usages: [HIDUsage] = [
  .keyboardOrKeypad(nil), .consumer(.consumerControl), .button(1), .led(.capsLock),
  .generic(0xff00, 1), .genericDesktop(.gamepad), .digitizers(.touchPad),
]

/// Returns whether a property marks the device as synthetic; only some devices have the property.
package func isSynthetic(_ client: HIDDeviceClient) async -> Bool {
  await client["kIOHIDGCSyntheticDeviceKey"]?.unsafeObject as? Bool ?? false
}
