// SPDX-License-Identifier: Apache-2.0

import CoreHID
import Testing

extension OnBothBuses {
  @Suite("A virtual keyboard and its client")
  struct KeyboardTests {
    private func keyboard() throws -> HIDVirtualDevice {
      let properties = HIDVirtualDevice.Properties(
        descriptor: TestDescriptor.keyboard, vendorID: 0x05ac, productID: 0x029f,
        transport: .bluetooth,
        product: "Magic Keyboard with Numeric Keypad", manufacturer: "Apple Inc.",
        modelNumber: "A1843", versionNumber: 0x0123, serialNumber: "F0T", uniqueID: "u-1",
        locationID: 0x1410_0000, localizationCode: .germany,
        extraProperties: ["Answer": NSNumber(value: 42)])
      return try #require(HIDVirtualDevice(properties: properties))
    }

    @Test("a manager finds a keyboard, and a client has all its properties", arguments: TestBus.all)
    func properties(bus: TestBus) async throws {
      try await bus.run {
        let device = try keyboard()
        await device.activate(delegate: Recorder())
        let manager = HIDDeviceManager()
        let criteria = HIDDeviceManager.DeviceMatchingCriteria(
          primaryUsage: .genericDesktop(.keyboard), product: "Magic Keyboard with Numeric Keypad")
        for try await notification in await manager.monitorNotifications(matchingCriteria: [
          criteria
        ]) {
          guard case .deviceMatched(let reference) = notification else { continue }
          #expect(reference == device.deviceReference)
          let client = try #require(HIDDeviceClient(deviceReference: reference))
          #expect(await client.vendorID == 0x05ac)
          #expect(await client.productID == 0x029f)
          #expect(await client.primaryUsage == .genericDesktop(.keyboard))
          #expect(await client.transport == .bluetooth)
          #expect(await client.manufacturer == "Apple Inc.")
          #expect(await client.modelNumber == "A1843")
          #expect(await client.versionNumber == 0x0123)
          #expect(await client.serialNumber == "F0T")
          #expect(await client.uniqueID == "u-1")
          #expect(await client.locationID == 0x1410_0000)
          #expect(await client.localizationCode == .germany)
          #expect(await client.descriptor == TestDescriptor.keyboard)
          #expect(await client["Answer"]?.unsafeObject as? NSNumber == 42)
          break
        }
      }
    }

    @Test("reports and values of elements reach every stream", arguments: TestBus.all)
    func input(bus: TestBus) async throws {
      try await bus.run {
        let device = try keyboard()
        await device.activate(delegate: Recorder())
        let client = try #require(HIDDeviceClient(deviceReference: device.deviceReference))
        let shift = try #require(
          await client.elements.first { $0.usage == .keyboardOrKeypad(.keyboardLeftShift) })
        let a = try #require(
          await client.elements.first { $0.usage == .keyboardOrKeypad(.keyboardA) })
        let reports = await client.monitorNotifications(
          reportIDsToMonitor: [HIDReportID.allReports], elementsToMonitor: [])
        let values = await client.monitorNotifications(
          reportIDsToMonitor: [], elementsToMonitor: [shift, a])
        try await device.dispatchInputReport(data: Data([0x02, 0, 0x04]), timestamp: .now)
        for try await notification in reports {
          guard case .inputReport(let id, let data, _) = notification else { continue }
          #expect(id == nil)
          #expect(data == Data([0x02, 0, 0x04, 0, 0, 0, 0, 0]))
          break
        }
        for try await notification in values {
          guard case .elementUpdates(let values) = notification else { continue }
          #expect(values.map(\.element) == [shift, a])
          #expect(values.map { $0.integerValue(asTypeTruncatingIfNeeded: Int.self) } == [1, 1])
          break
        }
      }
    }

    @Test("a client sets the Caps Lock lamp and reads the Shift key", arguments: TestBus.all)
    func elements(bus: TestBus) async throws {
      try await bus.run {
        let device = try keyboard()
        let recorder = Recorder()
        await recorder.answer(with: Data([0x02, 0, 0, 0, 0, 0, 0, 0]))
        await device.activate(delegate: recorder)
        let client = try #require(HIDDeviceClient(deviceReference: device.deviceReference))
        let capsLock = try #require(await client.elements.first { $0.usage == .led(.capsLock) })
        let shift = try #require(
          await client.elements.first { $0.usage == .keyboardOrKeypad(.keyboardLeftShift) })
        let on = HIDDeviceClient.ProvideElementUpdate(values: [
          HIDElement.Value(element: capsLock, fromIntegerTruncatingIfNeeded: 1, timestamp: .now)
        ])
        let state = HIDDeviceClient.RequestElementUpdate(elements: [shift])
        let results = await client.updateElements([on, state])
        try results[on]?.get()
        let values = try #require(try results[state]?.get())
        #expect(values[0].logicalValue(asTypeTruncatingIfNeeded: Int.self) == 1)
        await recorder.waitForReports(1)
        #expect(await recorder.received.map(\.data) == [Data([0x02])])
      }
    }

    @Test("a stream ends when its device is released", arguments: TestBus.all)
    func removal(bus: TestBus) async throws {
      try await bus.run {
        var device: HIDVirtualDevice? = try keyboard()
        await device?.activate(delegate: Recorder())
        let reference = try #require(device?.deviceReference)
        let client = try #require(HIDDeviceClient(deviceReference: reference))
        let stream = await client.monitorNotifications(
          reportIDsToMonitor: [HIDReportID.allReports], elementsToMonitor: [])
        try await device?.dispatchInputReport(data: Data([1]), timestamp: .now)
        device = nil
        var seen: [String] = []
        for try await notification in stream {
          switch notification {
          case .inputReport: seen.append("report")
          case .deviceRemoved: seen.append("removed")
          default: seen.append("other")
          }
        }
        #expect(seen == ["report", "removed"])
        await #expect(throws: HIDDeviceError.notReady) {
          try await client.dispatchGetReportRequest(type: .input)
        }
      }
    }
  }
}
