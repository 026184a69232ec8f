// SPDX-License-Identifier: Apache-2.0

import CoreHID
import Testing

extension OnBothBuses {
  @Suite("Lifetime of clients and devices")
  struct LifetimeTests {
    /// Returns the targets of this process's open descriptors for nodes, sockets and lock files of
    /// the bus.
    ///
    /// The descriptors of threads that live as long as the process are left out.
    private func descriptors() -> [String] {
      let folder = "/proc/self/fd"
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return names.compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
      }
      .filter {
        $0.contains("hidraw") || $0.contains("uhid") || $0.contains(".seize")
          || $0.hasPrefix("socket:") || $0.contains("/event")
      }
      .sorted()
    }

    @Test("a released client and its device close their file descriptors", arguments: TestBus.all)
    func descriptors(bus: TestBus) async throws {
      try await bus.run {
        // The first round trip also opens descriptors that stay open.
        try await roundTrip()
        let before = descriptors()
        for _ in 0..<10 { try await roundTrip() }
        // Other threads close the nodes and destroy the devices, so the descriptors go some time
        // later.
        try await eventually { descriptors().count <= before.count }
      }
    }

    private func roundTrip() async throws {
      let (device, client) = try await plug(TestDescriptor.plain)
      let stream = await client.monitorNotifications(
        reportIDsToMonitor: [], elementsToMonitor: [])
      try await device.dispatchInputReport(data: Data([1]), timestamp: .now)
      for try await case .inputReport in stream { break }
      _ = try await client.dispatchGetReportRequest(type: .feature)
      let owner = try #require(HIDDeviceClient(deviceReference: device.deviceReference))
      try await owner.seizeDevice()
    }

    @Test("a manager is notified of the removal of a released device", arguments: TestBus.all)
    func released(bus: TestBus) async throws {
      try await bus.run {
        var device: HIDVirtualDevice?
        (device, _) = try await plug(TestDescriptor.plain)
        let reference = try #require(device?.deviceReference)
        var notifications = await HIDDeviceManager().monitorNotifications(
          matchingCriteria: [
            HIDDeviceManager.DeviceMatchingCriteria(vendorID: 0x1209, productID: 0x42)
          ]
        ).makeAsyncIterator()
        guard case .deviceMatched(reference) = try await notifications.next() else {
          Issue.record("the device was not found")
          return
        }
        device = nil
        guard case .deviceRemoved(reference) = try await notifications.next() else {
          Issue.record("the device is still there")
          return
        }
        #expect(HIDDeviceClient(deviceReference: reference) == nil)
      }
    }

    @Test(
      "a device that is not activated refuses reports, and a faulty descriptor makes no device",
      arguments: TestBus.all)
    func inactive(bus: TestBus) async throws {
      try await bus.run {
        let properties = HIDVirtualDevice.Properties(
          descriptor: TestDescriptor.plain, vendorID: 0x1209)
        let device = try #require(HIDVirtualDevice(properties: properties))
        await #expect(throws: HIDDeviceError.notReady) {
          try await device.dispatchInputReport(data: Data(count: 8), timestamp: .now)
        }
        #expect(
          HIDVirtualDevice(
            properties: HIDVirtualDevice.Properties(descriptor: Data([0xc0]), vendorID: 1)) == nil)
      }
    }

    @Test(
      "an input report that is undeclared, empty or longer than declared is refused",
      arguments: TestBus.all)
    func input(bus: TestBus) async throws {
      try await bus.run {
        let (device, _) = try await plug(TestDescriptor.numbered)
        await #expect(throws: HIDDeviceError.messageTooLarge) {
          try await device.dispatchInputReport(data: Data([1, 2, 3, 4, 5, 6]), timestamp: .now)
        }
        await #expect(throws: HIDDeviceError.badArgument) {
          try await device.dispatchInputReport(data: Data([9, 0]), timestamp: .now)
        }
        await #expect(throws: HIDDeviceError.badArgument) {
          try await device.dispatchInputReport(data: Data(), timestamp: .now)
        }
      }
    }
  }
}
