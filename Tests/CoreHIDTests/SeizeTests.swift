// SPDX-License-Identifier: Apache-2.0

import CoreHID
import Testing

extension OnBothBuses {
  @Suite("Seizing")
  struct SeizeTests {
    @Test(
      "a seized device refuses the requests of other clients, which are notified of start and end",
      arguments: TestBus.all)
    func seize(bus: TestBus) async throws {
      try await bus.run {
        let (device, client) = try await plug(TestDescriptor.plain)
        var notifications = await client.monitorNotifications(
          reportIDsToMonitor: [], elementsToMonitor: []
        ).makeAsyncIterator()
        try await device.dispatchInputReport(data: Data([1]), timestamp: .now)
        guard case .inputReport = try await notifications.next() else {
          Issue.record("no report")
          return
        }
        var owner = HIDDeviceClient(deviceReference: device.deviceReference)
        try await owner?.seizeDevice()
        guard case .deviceSeized = try await notifications.next() else {
          Issue.record("not told of the seizing")
          return
        }
        await #expect(throws: HIDDeviceError.exclusiveAccess) {
          try await client.dispatchGetReportRequest(type: .feature)
        }
        let third = try #require(HIDDeviceClient(deviceReference: device.deviceReference))
        await #expect(throws: HIDDeviceError.exclusiveAccess) { try await third.seizeDevice() }
        _ = try await owner?.dispatchGetReportRequest(type: .feature)
        owner = nil
        guard case .deviceUnseized = try await notifications.next() else {
          Issue.record("not told that it is free")
          return
        }
        try await device.dispatchInputReport(data: Data([2]), timestamp: .now)
        guard case .inputReport(_, let data, _) = try await notifications.next() else {
          Issue.record("no report after it was free")
          return
        }
        #expect(data.first == 2)
      }
    }

    @Test(
      "a client that has not opened a seized device gets no values of elements, either",
      arguments: TestBus.all)
    func values(bus: TestBus) async throws {
      try await bus.run {
        let (device, client) = try await plug(TestDescriptor.plain)
        let owner = try #require(HIDDeviceClient(deviceReference: device.deviceReference))
        try await owner.seizeDevice()
        let update = HIDDeviceClient.RequestElementUpdate(
          elements: await client.elements, pollDevice: false)
        let results = await client.updateElements([update])
        #expect(throws: HIDDeviceError.exclusiveAccess) { try results[update]?.get() }
        let own = HIDDeviceClient.RequestElementUpdate(
          elements: await owner.elements, pollDevice: false)
        let ownResults = await owner.updateElements([own])
        #expect(try ownResults[own]?.get().isEmpty == false)
        withExtendedLifetime((device, owner)) {}
      }
    }

    @Test(
      "a client with a stream gets the error busy when it seizes the device",
      arguments: TestBus.all)
    func busy(bus: TestBus) async throws {
      try await bus.run {
        let (device, client) = try await plug(TestDescriptor.plain)
        var stream: AsyncThrowingStream<HIDDeviceClient.Notification, any Error>? =
          await client.monitorNotifications(reportIDsToMonitor: [], elementsToMonitor: [])
        await #expect(throws: HIDDeviceError.busy) { try await client.seizeDevice() }
        withExtendedLifetime(stream) {}
        stream = nil
        try await client.seizeDevice()
        withExtendedLifetime(device) {}
      }
    }
  }
}
