// SPDX-License-Identifier: Apache-2.0

import CoreHID
import CoreHIDSamples
import Testing

extension OnBothBuses {
  @Suite("Code written for macOS")
  struct SampleTests {
    @Test(
      "the code of Apple's keyboard articles toggles Caps Lock and reads Shift",
      arguments: TestBus.all)
    func article(bus: TestBus) async throws {
      try await bus.run {
        let device = try #require(await makeKeyboard(descriptor: TestDescriptor.keyboard))
        let seen = try await toggleCapsLock(onKeyboardNamed: "Magic Keyboard with Numeric Keypad")
        #expect(seen.product == "Magic Keyboard with Numeric Keypad")
        #expect(seen.wasDownBefore == true)
        #expect(seen.isDownAfter == true)
        withExtendedLifetime(device) {}
      }
    }

    @Test("short input reports are filled up", arguments: TestBus.all)
    func short(bus: TestBus) async throws {
      try await bus.run {
        let device = try #require(await makeKeyboard(descriptor: TestDescriptor.keyboard))
        let client = try #require(HIDDeviceClient(deviceReference: device.deviceReference))
        var stream = await client.monitorNotifications(
          reportIDsToMonitor: [HIDReportID.allReports], elementsToMonitor: []
        ).makeAsyncIterator()
        try await tapA(device)
        for expected in [Data([0, 0, 4, 0, 0, 0, 0, 0]), Data(count: 8)] {
          guard case .inputReport(nil, let data, _) = try await stream.next() else {
            Issue.record("no report")
            return
          }
          #expect(data == expected)
        }
      }
    }

    @Test("a vendor's tool finds its device, seizes it and gets an answer", arguments: TestBus.all)
    func tool(bus: TestBus) async throws {
      try await bus.run {
        let bridged = try #require(
          await BridgedDevice(descriptor: TestDescriptor.plain) { Data($0.reversed()) })
        try await bridged.device.hidsim.waitUntilReady()
        let criteria = HIDDeviceManager.DeviceMatchingCriteria(
          deviceUsages: [HIDUsage(page: 0xff00, usage: 1)], vendorID: 0x1209, productID: 0x0002,
          serialNumber: "B-1")
        let found = try await enumerate([criteria]) { $0 == 1 }
        #expect(Array(found.keys) == [bridged.device.deviceReference])
        let reference = try #require(found.keys.first)
        let answer = try await exclusively(reference, Data(1...8))
        #expect(answer == Data((1...8).reversed()))
      }
    }

    @Test("a game adds up a mouse's movement until the mouse is removed", arguments: TestBus.all)
    func mouse(bus: TestBus) async throws {
      try await bus.run {
        var device: HIDVirtualDevice? = HIDVirtualDevice(
          properties: HIDVirtualDevice.Properties(
            descriptor: TestDescriptor.mouse, vendorID: 0x1209, productID: 3, transport: .usb))
        await device?.activate(delegate: KeyboardDelegate())
        try await device?.hidsim.waitUntilReady()
        let reader = MouseReader()
        async let end: Void = reader.run()
        await reader.waitUntilReading()
        for step in 1...10 as ClosedRange<Int8> {
          try await device?.dispatchInputReport(
            data: Data([0, UInt8(bitPattern: step), UInt8(bitPattern: -2 * step)]), timestamp: .now)
        }
        device = nil
        await end
        #expect(await reader.x == 55)
        #expect(await reader.y == -110)
      }
    }

    @Test(
      "a client reads the keys that are down, and sets a lamp and reads it back",
      arguments: TestBus.all)
    func keys(bus: TestBus) async throws {
      try await bus.run {
        let recorder = Recorder()
        let (device, client) = try await plug(TestDescriptor.keyboard, recorder)
        await recorder.answer(with: Data([0x02, 0, 0x04, 0x05, 0, 0, 0, 0]))
        #expect(await keysDown(client) == [0xe1, 0x04, 0x05])
        let lamp = try #require(await Lamp(client, .led(.numLock)))
        #expect(try await lamp.set(1) == 1)
        await #expect(throws: HIDDeviceError.badArgument) { try await lamp.set(2) }
        #expect(await !isSynthetic(client))
        withExtendedLifetime(device) {}
      }
    }
  }
}
