// SPDX-License-Identifier: Apache-2.0

import CoreHID
import Testing

extension OnBothBuses {
  /// Many devices at once, and many repetitions.
  @Suite("Conformance: limits")
  struct LimitConformanceTests {
    @Test(
      "a device that is plugged, used and released hundreds of times leaves no resources behind",
      arguments: TestBus.all)
    func leaks(bus: TestBus) async throws {
      try await bus.run {
        for _ in 0..<20 { try await cycle() }
        try await othersAreGone()
        let before = try await Held.settled()
        for _ in 0..<(bus == .kernel ? 200 : 1000) { try await cycle() }
        try await othersAreGone()
        let after = try await Held.settled(atMost: before)
        #expect(after.descriptors <= before.descriptors)
        #expect(after.threads <= before.threads)
        #expect(after.residentKiB - before.residentKiB < 2048)
      }
    }

    private func cycle() async throws {
      let rig = try await Rig(properties(TestDescriptor.plain), Answerer())
      let client = try rig.client()
      let stream = await monitor(client)
      try await rig.send(report(1))
      #expect(try await take(1, from: stream) == [report(1)])
      try await client.dispatchSetReportRequest(
        type: .feature, data: Data(1...8), timeout: .seconds(5))
    }

    /// Waits until no virtual device is left on the bus of the task, because each takes a node.
    private func othersAreGone() async throws {
      let manager = HIDDeviceManager()
      // The IDs of virtual devices have the top bit set.
      while try await manager.hidsim.devices().contains(where: { $0.deviceID >> 63 == 1 }) {
        try await Task.sleep(for: .milliseconds(10))
      }
    }

    @Test(
      "64 devices at once each have their own reports, and the kernel has room for no more",
      arguments: TestBus.all)
    func sixtyFour(bus: TestBus) async throws {
      try await bus.run {
        try await othersAreGone()
        var devices: [HIDVirtualDevice] = []
        for _ in 0..<64 { devices.append(try await device(TestDescriptor.plain)) }
        var nodes: Set<String> = []
        for (index, device) in devices.enumerated() {
          try await device.hidsim.waitUntilReady()
          nodes.insert(try #require(device.hidsim.node))
          let stream = await monitor(try hidsimClient(of: device.deviceReference))
          try await device.dispatchInputReport(data: Data(report(index)), timestamp: .now)
          #expect(try await take(1, from: stream) == [report(index)])
        }
        #expect(nodes.count == 64)
        #expect(Set(devices.map(\.deviceReference)).count == 64)
        for descriptor in [TestDescriptor.plain, TestDescriptor.keyboard] {
          try await oneMore(bus, descriptor)
        }
        // The kernel reuses the node of the released device for the next device.
        try await release(of: &devices)
        let next = try await device(TestDescriptor.plain)
        try await next.hidsim.waitUntilReady()
      }
    }

    private func device(_ descriptor: Data) async throws -> HIDVirtualDevice {
      let device = try #require(HIDVirtualDevice(properties: properties(descriptor)))
      await device.activate(delegate: Answerer())
      return device
    }

    /// Checks that one more device fails on the kernel bus, and works on the loopback bus.
    ///
    /// The kernel has 64 hidraw nodes (6.12); the loopback bus has no such limit.
    private func oneMore(_ bus: TestBus, _ descriptor: Data) async throws {
      let device = try await device(descriptor)
      guard bus == .kernel else { return try await device.hidsim.waitUntilReady() }
      await #expect(throws: HIDDeviceError.noResources) {
        try await device.hidsim.waitUntilReady()
      }
      await #expect(throws: HIDDeviceError.noResources) {
        try await device.dispatchInputReport(data: Data(count: 8), timestamp: .now)
      }
      #expect(device.hidsim.failure?.contains("64") == true)
      #expect(HIDDeviceClient(deviceReference: device.deviceReference) == nil)
    }

    /// Releases the last device, and waits until it is gone.
    private func release(of devices: inout [HIDVirtualDevice]) async throws {
      let last = try #require(devices.last?.deviceReference)
      for try await notification in await HIDDeviceManager().monitorNotifications(
        matchingCriteria: [])
      {
        switch notification {
        case .deviceMatched(last): devices.removeLast()
        case .deviceRemoved(last): return
        default: break
        }
      }
    }
  }
}
