// SPDX-License-Identifier: Apache-2.0

import CoreHID
import HIDBus
import Testing

extension OnBothBuses {
  @Suite("Seizing across processes")
  struct SeizeProcessTests {
    /// Runs a client of the device in another process, on the bus of the test.
    private func withClient(
      of serialNumber: String, _ body: (Program) async throws -> Void
    ) async throws {
      let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appendingPathComponent("CoreHIDClient").path
      let bus = try #require(HIDBus.current)
      var environment = ["HIDSIM_BUS": "\(bus.kind)"]
      environment["HIDSIM_BUS_DIR"] = bus.directoryPath
      try await Program.run([program, serialNumber], environment: environment) { client in
        #expect(try await client.ask("watch") == "watching")
        try await body(client)
      }
    }

    private func plug(_ serialNumber: String) async throws -> HIDVirtualDevice {
      let properties = HIDVirtualDevice.Properties(
        descriptor: TestDescriptor.plain, vendorID: 0x1209, productID: 0x0042, transport: .usb,
        serialNumber: serialNumber)
      let device = try #require(HIDVirtualDevice(properties: properties))
      await device.activate(delegate: Recorder())
      try await device.hidsim.waitUntilReady()
      return device
    }

    @Test(
      "another process is notified of a seizure, gets no report until it ends, and then goes on",
      arguments: TestBus.all)
    func ours(bus: TestBus) async throws {
      try await bus.run {
        let device = try await plug("S-1")
        try await withClient(of: "S-1") { other in
          var owner = HIDDeviceClient(deviceReference: device.deviceReference)
          try await owner?.seizeDevice()
          #expect(try await other.line() == "seized")
          #expect(try await other.ask("get") == "exclusiveAccess")
          #expect(try await other.ask("seize") == "exclusiveAccess")
          try await device.dispatchInputReport(data: Data([1]), timestamp: .now)
          #expect(try await owner?.dispatchGetReportRequest(type: .feature).count == 8)
          owner = nil
          #expect(try await other.line() == "unseized")
          #expect(try await other.ask("get") == "00 00 00 00 00 00 00 00")
          try await device.dispatchInputReport(data: Data([2]), timestamp: .now)
          #expect(try await other.line() == "report 2")
        }
        withExtendedLifetime(device) {}
      }
    }

    @Test(
      "a seized device is free again when the process that seized it is killed",
      arguments: TestBus.all)
    func theirs(bus: TestBus) async throws {
      try await bus.run {
        let device = try await plug("S-2")
        let client = try #require(HIDDeviceClient(deviceReference: device.deviceReference))
        var heard = await client.monitorNotifications(
          reportIDsToMonitor: [], elementsToMonitor: []
        ).makeAsyncIterator()
        try await withClient(of: "S-2") { other in
          try await other.write("seize")
          try await other.line("mine")
          guard case .deviceSeized = try await heard.next() else {
            Issue.record("not told of the seizing")
            return
          }
          await #expect(throws: HIDDeviceError.exclusiveAccess) {
            try await client.dispatchGetReportRequest(type: .feature)
          }
          try await device.dispatchInputReport(data: Data([1]), timestamp: .now)
          try other.kill()
        }
        guard case .deviceUnseized = try await heard.next() else {
          Issue.record("not told that it is free")
          return
        }
        _ = try await client.dispatchGetReportRequest(type: .feature)
        try await device.dispatchInputReport(data: Data([2]), timestamp: .now)
        guard case .inputReport(_, let data, _) = try await heard.next() else {
          Issue.record("no report after it was free")
          return
        }
        #expect(data.first == 2)
      }
    }
  }
}
