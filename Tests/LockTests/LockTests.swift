// SPDX-License-Identifier: Apache-2.0

import CoreHID
import HIDBus
import Testing

@Test("a client that reverses the challenge opens the lock", .timeLimit(.minutes(1)))
func opens() async throws {
  try await HIDBus.isolated {
    let bus = try #require(HIDBus.current)
    let lock = try Lock()
    let serving = Task { try await lock.serve(on: bus) }
    defer { serving.cancel() }
    let manager = HIDDeviceManager()
    let found = await manager.monitorNotifications(
      matchingCriteria: [HIDDeviceManager.DeviceMatchingCriteria(product: "lock")])
    for try await case .deviceMatched(let reference) in found {
      let client = try #require(HIDDeviceClient(deviceReference: reference))
      let challenge = try await client.dispatchGetReportRequest(type: .feature, id: nil)
      await #expect(throws: HIDDeviceError.self) {
        try await client.dispatchSetReportRequest(type: .feature, id: nil, data: challenge)
      }
      let again = try await client.dispatchGetReportRequest(type: .feature, id: nil)
      try await client.dispatchSetReportRequest(
        type: .feature, id: nil, data: Data(again.reversed()))
      break
    }
  }
}
