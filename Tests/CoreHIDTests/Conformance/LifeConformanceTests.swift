// SPDX-License-Identifier: Apache-2.0

// These tests of `ConformanceTests` do not apply here:
// - start has the types of report that are numbered; the first client opens the device, and the
//   last one closes it. A delegate receives none of these events.
// - Closing a port ends its streams: a client cannot be closed, and lives as long as its streams.
// - An unplugged device takes no more reports: a virtual device is unplugged when its last
//   reference is released, so no caller is left.
// - A device can be plugged again at the same path: each virtual device is a new one. A test with
//   equal properties is below.

import CoreHID
import Testing

extension OnBothBuses {
  /// Plugging, finding, opening and releasing.
  @Suite("Conformance: lifetime")
  struct LifeConformanceTests {
    private typealias Criteria = HIDDeviceManager.DeviceMatchingCriteria

    @Test("a ready device is listed with its identity", arguments: TestBus.all)
    func listed(bus: TestBus) async throws {
      let properties = HIDVirtualDevice.Properties(
        descriptor: TestDescriptor.keyboard, vendorID: 0x1209, productID: 0xbeef,
        transport: .bluetooth, product: "hidsim test keyboard", manufacturer: "The hidsim authors",
        versionNumber: 0x0123, serialNumber: "hidsim test 7")
      try await bus.run {
        let rig = try await Rig(properties, Answerer())
        let device = rig.device
        let listed = try await HIDDeviceManager().hidsim.devices()
        #expect(listed.filter { $0 == device.deviceReference }.count == 1)
        let found = try #require(listed.first { $0 == device.deviceReference })
        let client = try hidsimClient(of: found)
        #expect(await client.descriptor == TestDescriptor.keyboard)
        #expect(await client.vendorID == 0x1209)
        #expect(await client.productID == 0xbeef)
        #expect(await client.transport == .bluetooth)
        #expect(await client.product == "hidsim test keyboard")
        #expect(await client.manufacturer == "The hidsim authors")
        #expect(await client.versionNumber == 0x0123)
        #expect(await client.serialNumber == "hidsim test 7")
        #expect(await client.primaryUsage == .genericDesktop(.keyboard))
        #expect(client.hidsim.node == device.hidsim.node)
        #expect(client.hidsim.node != nil)
        #expect(client.hidsim.eventNodes == device.hidsim.eventNodes)
        #expect(client.hidsim.eventNodes.isEmpty == (bus == .loopback))
      }
    }

    @Test("a descriptor of 4,096 bytes is listed whole", arguments: TestBus.all)
    func longDescriptor(bus: TestBus) async throws {
      // The descriptor is filled up before End Collection with Unit items that have no effect, of 3
      // and of 2 bytes.
      var descriptor = TestDescriptor.plain
      descriptor.removeLast()
      if descriptor.count % 2 == 0 { descriptor += [0x66, 0, 0] }
      while descriptor.count < 4095 { descriptor += [0x65, 0] }
      descriptor.append(0xc0)
      try #require(descriptor.count == 4096)
      try await withDevice(bus, descriptor) { rig in
        let listed = try await HIDDeviceManager().hidsim.devices()
        let found = try #require(listed.first { $0 == rig.device.deviceReference })
        let client = try hidsimClient(of: found)
        #expect(await client.descriptor == descriptor)
        let stream = await monitor(client)
        try await rig.send(report(1))
        #expect(try await take(1, from: stream) == [report(1)])
      }
    }

    @Test(
      "a manager is notified of a device's arrival and removal, and a client of its removal",
      arguments: TestBus.all)
    func watched(bus: TestBus) async throws {
      try await bus.run {
        var notifications = await HIDDeviceManager().monitorNotifications(
          matchingCriteria: [Criteria(serialNumber: "hidsim test watched")]
        ).makeAsyncIterator()
        for _ in 0..<3 {
          var rig: Rig? = try await Rig(
            properties(TestDescriptor.plain, serialNumber: "hidsim test watched"), Answerer())
          let reference = try #require(rig?.device.deviceReference)
          guard case .deviceMatched(let found)? = try await notifications.next(),
            found == reference
          else {
            Issue.record("the device was not found")
            return
          }
          let stream = await monitor(try hidsimClient(of: found))
          rig = nil
          guard case .deviceRemoved(reference)? = try await notifications.next() else {
            Issue.record("the device is still there")
            return
          }
          #expect(HIDDeviceClient(deviceReference: found) == nil)
          #expect(try await !HIDDeviceManager().hidsim.devices().contains(reference))
          #expect(try await rest(of: stream) == ["removed"])
        }
      }
    }

    @Test("a client that is released closes the device", arguments: TestBus.all)
    func dropped(bus: TestBus) async throws {
      let delegate = Answerer(onGet: { _, _ in .yes(report(1)) })
      try await withDevice(bus, TestDescriptor.plain, delegate: delegate) { rig in
        func open() async throws -> HIDDeviceClient {
          let client = try rig.client()
          _ = try await client.dispatchGetReportRequest(type: .feature, timeout: .seconds(5))
          return client
        }
        // The first client also opens descriptors that stay open.
        var client: HIDDeviceClient? = try await open()
        client = nil
        let before = try await Held.settled()
        client = try await open()
        withExtendedLifetime(client) { #expect(Held.now().descriptors > before.descriptors) }
        client = nil
        let after = try await Held.settled(atMost: before)
        #expect(after.descriptors <= before.descriptors)
        #expect(after.threads <= before.threads)
      }
    }

    @Test("a stream keeps the device open when its client is released", arguments: TestBus.all)
    func streamsKeep(bus: TestBus) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        var client: HIDDeviceClient? = try rig.client()
        let stream = await monitor(try #require(client))
        client = try rig.client()
        let fast = try #require(try await client?.hidsim.reports())
        client = nil
        for number in 0..<20 {
          try await rig.send(report(number))
          try #require(try await take(1, from: stream) == [report(number)])
          try #require(await take(1, from: fast) == [report(number)])
        }
      }
    }

    @Test(
      "a device that is released ends a client's streams, and the client's later calls fail",
      arguments: TestBus.all)
    func unplugged(bus: TestBus) async throws {
      try await bus.run {
        var rig: Rig? = try await Rig(properties(TestDescriptor.plain), Answerer())
        let client = try #require(try rig?.client())
        let idle = try #require(try rig?.client())
        let stream = await monitor(client)
        let fast = try await client.hidsim.reports()
        try await rig?.send(report(1))
        rig = nil
        #expect(try await rest(of: stream) == ["report 1", "removed"])
        #expect(await take(.max, from: fast) == [report(1)])
        for client in [client, idle] {
          for type in [HIDReportType.output, .feature, .input] {
            await #expect(throws: HIDDeviceError.notReady) {
              try await client.dispatchSetReportRequest(type: type, data: Data(1...8))
            }
            await #expect(throws: HIDDeviceError.notReady) {
              try await client.dispatchGetReportRequest(type: type)
            }
          }
          await #expect(throws: HIDDeviceError.notReady) { try await client.seizeDevice() }
        }
        // A client that had the device open is notified of its removal; a client that never had it
        // open cannot open it.
        #expect(try await rest(of: monitor(client)) == ["removed"])
        await #expect(throws: HIDDeviceError.notReady) { try await rest(of: monitor(idle)) }
        #expect(await take(.max, from: try client.hidsim.reports()).isEmpty)
        await #expect(throws: HIDDeviceError.notReady) { try await idle.hidsim.reports() }
        #expect(HIDDeviceClient(deviceReference: client.deviceReference) == nil)
      }
    }

    @Test("a device can be plugged again", arguments: TestBus.all)
    func again(bus: TestBus) async throws {
      try await bus.run {
        let properties = properties(TestDescriptor.plain, serialNumber: "hidsim test again")
        var references: Set<HIDDeviceClient.DeviceReference> = []
        for _ in 0..<3 {
          let rig = try await Rig(properties, Answerer())
          references.insert(rig.device.deviceReference)
          let stream = await monitor(try rig.client())
          try await rig.send(report(1))
          #expect(try await take(1, from: stream) == [report(1)])
        }
        #expect(references.count == 3)
      }
    }

    @Test("two devices with one serial number are distinct", arguments: TestBus.all)
    func twins(bus: TestBus) async throws {
      try await bus.run {
        let properties = properties(TestDescriptor.plain, serialNumber: "hidsim test twin")
        let first = try await Rig(properties, Answerer(onGet: { _, _ in .yes(report(1)) }))
        let second = try await Rig(properties, Answerer(onGet: { _, _ in .yes(report(2)) }))
        #expect(first.device.deviceReference != second.device.deviceReference)
        #expect(first.device.hidsim.node != second.device.hidsim.node)
        var matched: Set<HIDDeviceClient.DeviceReference> = []
        for try await case .deviceMatched(let reference) in await HIDDeviceManager()
          .monitorNotifications(matchingCriteria: [Criteria(serialNumber: "hidsim test twin")])
        {
          matched.insert(reference)
          if matched.count == 2 { break }
        }
        #expect(matched == [first.device.deviceReference, second.device.deviceReference])
        let (one, other) = (try first.client(), try second.client())
        let (stream, otherStream) = (await monitor(one), await monitor(other))
        try await first.send(report(1))
        try await second.send(report(2))
        #expect(try await take(1, from: stream) == [report(1)])
        #expect(try await take(1, from: otherStream) == [report(2)])
        #expect(try await [UInt8](one.dispatchGetReportRequest(type: .feature)) == report(1))
        #expect(try await [UInt8](other.dispatchGetReportRequest(type: .feature)) == report(2))
      }
    }
  }
}
