// SPDX-License-Identifier: Apache-2.0

import CoreHID
import Testing

extension OnBothBuses {
  @Suite("Requests")
  struct RequestTests {
    @Test("numbered reports have their ID in front in both directions", arguments: TestBus.all)
    func numbered(bus: TestBus) async throws {
      try await bus.run {
        let recorder = Recorder()
        let (device, client) = try await plug(TestDescriptor.numbered, recorder)
        let four = try #require(HIDReportID(rawValue: 4))
        await recorder.answer(with: Data([4, 1, 2, 3, 4]))
        let report = try await client.dispatchGetReportRequest(type: .feature, id: four)
        #expect(report == Data([4, 1, 2, 3, 4]))
        try await client.dispatchSetReportRequest(
          type: .feature, id: four, data: Data([4, 9, 8, 7, 6]))
        #expect(await recorder.received.map(\.id) == [four])
        #expect(await recorder.received.map(\.data) == [Data([4, 9, 8, 7, 6])])
        // There is only one output report, so its ID may be left out.
        try await client.dispatchSetReportRequest(type: .output, data: Data([3, 1, 1, 1]))
        await recorder.waitForReports(2)
        #expect(await recorder.received.last?.type == .output)
        withExtendedLifetime(device) {}
      }
    }

    @Test("unnumbered reports have no ID in either direction", arguments: TestBus.all)
    func plain(bus: TestBus) async throws {
      try await bus.run {
        let recorder = Recorder()
        let (device, client) = try await plug(TestDescriptor.plain, recorder)
        await recorder.answer(with: Data([1, 2, 3, 4, 5, 6, 7, 8]))
        let report = try await client.dispatchGetReportRequest(type: .feature)
        #expect(report == Data([1, 2, 3, 4, 5, 6, 7, 8]))
        try await client.dispatchSetReportRequest(type: .feature, data: Data(count: 8))
        try await client.dispatchSetReportRequest(
          type: .output, data: Data([0, 1, 0, 0, 0, 0, 0, 0]))
        await recorder.waitForReports(2)
        #expect(
          await recorder.received.map(\.data) == [Data(count: 8), Data([0, 1, 0, 0, 0, 0, 0, 0])])
        #expect(await recorder.received.map(\.id) == [nil, nil])
        withExtendedLifetime(device) {}
      }
    }

    @Test("an invalid request is refused before it reaches the device", arguments: TestBus.all)
    func badArguments(bus: TestBus) async throws {
      try await bus.run {
        let recorder = Recorder()
        let (device, client) = try await plug(TestDescriptor.numbered, recorder)
        let four = try #require(HIDReportID(rawValue: 4))
        await #expect(throws: HIDDeviceError.badArgument) {  // there are two feature reports
          try await client.dispatchGetReportRequest(type: .feature)
        }
        await #expect(throws: HIDDeviceError.badArgument) {  // the data begins with another ID
          try await client.dispatchSetReportRequest(type: .feature, id: four, data: Data([5, 0]))
        }
        await #expect(throws: HIDDeviceError.badArgument) {
          try await client.dispatchSetReportRequest(type: .feature, id: four, data: Data())
        }
        await #expect(throws: HIDDeviceError.messageTooLarge) {
          try await client.dispatchSetReportRequest(
            type: .feature, id: four, data: Data(repeating: 4, count: 20_000))
        }
        #expect(await recorder.received.isEmpty)
        withExtendedLifetime(device) {}
      }
    }

    @Test(
      "a request that the delegate refuses is an I/O error for the client", arguments: TestBus.all)
    func refusal(bus: TestBus) async throws {
      try await bus.run {
        let recorder = Recorder()
        await recorder.refuse(with: .unsupported)
        let (device, client) = try await plug(TestDescriptor.plain, recorder)
        await #expect(throws: HIDDeviceError.ioError) {
          try await client.dispatchGetReportRequest(type: .feature)
        }
        withExtendedLifetime(device) {}
      }
    }

    /// A delegate that answers the first get-report request only after `wake()`, and the others at
    /// once.
    private actor Sleeper: HIDVirtualDeviceDelegate {
      private var sleeping: CheckedContinuation<Void, Never>?
      private var hasSlept = false

      func hidVirtualDevice(
        _ device: HIDVirtualDevice, receivedSetReportRequestOfType type: HIDReportType,
        id: HIDReportID?, data: Data
      ) async throws {}

      func hidVirtualDevice(
        _ device: HIDVirtualDevice, receivedGetReportRequestOfType type: HIDReportType,
        id: HIDReportID?, maxSize: Int
      ) async throws -> Data {
        if !hasSlept {
          hasSlept = true
          await withCheckedContinuation { sleeping = $0 }
          return Data(repeating: 1, count: maxSize)
        }
        return Data(repeating: 2, count: maxSize)
      }

      func wake() { sleeping?.resume() }
    }

    @Test("a request ends at its timeout, and the late answer is dropped", arguments: TestBus.all)
    func timeout(bus: TestBus) async throws {
      try await bus.run {
        let sleeper = Sleeper()
        let (device, client) = try await plug(TestDescriptor.plain, sleeper)
        let clock = ContinuousClock()
        let begun = clock.now
        await #expect(throws: HIDDeviceError.timeout) {
          try await client.dispatchGetReportRequest(type: .feature, timeout: .milliseconds(50))
        }
        // The bus itself would wait for 5 s.
        #expect(clock.now - begun < .seconds(3))
        await sleeper.wake()
        let report = try await client.dispatchGetReportRequest(type: .feature)
        #expect(report == Data(repeating: 2, count: 8))
        withExtendedLifetime(device) {}
      }
    }

    /// A delegate that sends an input report from within its answer to a set-report request.
    private final class Echo: HIDVirtualDeviceDelegate {
      func hidVirtualDevice(
        _ device: HIDVirtualDevice, receivedSetReportRequestOfType type: HIDReportType,
        id: HIDReportID?, data: Data
      ) async throws {
        try await device.dispatchInputReport(data: data, timestamp: .now)
      }

      func hidVirtualDevice(
        _ device: HIDVirtualDevice, receivedGetReportRequestOfType type: HIDReportType,
        id: HIDReportID?, maxSize: Int
      ) throws -> Data { Data(count: maxSize) }
    }

    @Test(
      "a delegate can dispatch an input report while it handles a request", arguments: TestBus.all)
    func echo(bus: TestBus) async throws {
      try await bus.run {
        let (device, client) = try await plug(TestDescriptor.plain, Echo())
        let stream = await client.monitorNotifications(
          reportIDsToMonitor: [], elementsToMonitor: [])
        let sent = Data([7, 6, 5, 4, 3, 2, 1, 0])
        try await client.dispatchSetReportRequest(type: .feature, data: sent)
        for try await case .inputReport(let id, let data, _) in stream {
          #expect(id == nil)
          #expect(data == sent)
          break
        }
        withExtendedLifetime(device) {}
      }
    }
  }
}
