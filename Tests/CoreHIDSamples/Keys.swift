// SPDX-License-Identifier: Apache-2.0

// The shape of tools that look at single elements: a counter of keys, a lamp that is set and read back.

import CoreHID

/// Which keys are down, asked for rather than waited for.
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

/// Sets an element to a logical value, and reads it back.
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

/// Usages as tests have them.
package let usages: [HIDUsage] = [
  .keyboardOrKeypad(nil), .consumer(.consumerControl), .button(1), .led(.capsLock),
  .generic(0xff00, 1), .genericDesktop(.gamepad), .digitizers(.touchPad),
]

/// A property that only some devices have.
package func isSynthetic(_ client: HIDDeviceClient) async -> Bool {
  await client["kIOHIDGCSyntheticDeviceKey"]?.unsafeObject as? Bool ?? false
}
