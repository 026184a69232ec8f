// SPDX-License-Identifier: Apache-2.0

import CoreHID
import Dispatch
import Testing

/// An executor whose jobs run one after the other, so that a test can wait until they have run.
private final class QueueExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "hidsim test")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Waits until all jobs that are enqueued have run.
  func drain() { queue.sync {} }
}

extension OnBothBuses {
  @Suite("Streams of notifications")
  struct StreamTests {
    private typealias Notification = HIDDeviceClient.Notification

    private func monitor(
      _ client: HIDDeviceClient
    ) async -> AsyncThrowingStream<HIDDeviceClient.Notification, any Error> {
      await client.monitorNotifications(reportIDsToMonitor: [], elementsToMonitor: [])
    }

    private func report(_ number: Int) -> Data {
      Data(
        [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
          + [UInt8](repeating: 0, count: 6))
    }

    @Test("a hundred clients get every report, in order", arguments: TestBus.all)
    func hundred(bus: TestBus) async throws {
      try await bus.run {
        let (device, first) = try await plug(TestDescriptor.plain)
        var streams = [await monitor(first)]
        for _ in 1..<100 {
          let client = try #require(HIDDeviceClient(deviceReference: device.deviceReference))
          streams.append(await monitor(client))
        }
        for number in 0..<50 {
          try await device.dispatchInputReport(data: report(number), timestamp: .now)
        }
        for stream in streams {
          var numbers: [Int] = []
          for try await case .inputReport(_, let data, _) in stream {
            numbers.append(Int(data[0]))
            if numbers.count == 50 { break }
          }
          #expect(numbers == Array(0..<50))
        }
      }
    }

    @Test("a stream has only the reports with the requested IDs", arguments: TestBus.all)
    func filter(bus: TestBus) async throws {
      try await bus.run {
        let (device, client) = try await plug(TestDescriptor.numbered)
        let two = try #require(HIDReportID(rawValue: 2))
        let elements = await client.elements.filter { $0.type == .input }
        let only = await client.monitorNotifications(
          reportIDsToMonitor: [two...two], elementsToMonitor: [])
        let both = await client.monitorNotifications(
          reportIDsToMonitor: [HIDReportID.allReports], elementsToMonitor: elements)
        try await device.dispatchInputReport(data: Data([1, 10, 11, 12, 13]), timestamp: .now)
        try await device.dispatchInputReport(data: Data([2, 20, 21]), timestamp: .now)
        for try await case .inputReport(let id, let data, _) in only {
          #expect(id == two)
          #expect(data == Data([2, 20, 21]))
          break
        }
        var seen: [String] = []
        for try await notification in both {
          switch notification {
          case .inputReport(let id, _, _): seen.append("report \(id?.rawValue ?? 0)")
          case .elementUpdates(let values):
            seen.append(
              "values "
                + values.map { "\($0.integerValue(asTypeTruncatingIfNeeded: Int.self))" }
                .joined(separator: " "))
          default: seen.append("other")
          }
          if seen.count == 4 { break }
        }
        #expect(seen == ["report 1", "values 10 11 12 13", "report 2", "values 20 21"])
      }
    }

    @Test("a stream of another client's elements alone has no reports", arguments: TestBus.all)
    func elementsOfAnotherClient(bus: TestBus) async throws {
      try await bus.run {
        var device: HIDVirtualDevice?
        let client: HIDDeviceClient
        (device, client) = try await plug(TestDescriptor.plain)
        let reference = try #require(device?.deviceReference)
        let other = try #require(HIDDeviceClient(deviceReference: reference))
        let elements = await other.elements
        let stream = await client.monitorNotifications(
          reportIDsToMonitor: [], elementsToMonitor: elements)
        // An element does not keep its client alive.
        withExtendedLifetime(other) {}
        try await device?.dispatchInputReport(data: report(1), timestamp: .now)
        device = nil
        var notifications: [Notification] = []
        for try await notification in stream { notifications.append(notification) }
        guard notifications.count == 1, case .deviceRemoved = notifications[0] else {
          Issue.record("the stream had \(notifications)")
          return
        }
      }
    }

    @Test("a stream ends without an error when its task is cancelled", arguments: TestBus.all)
    func cancellation(bus: TestBus) async throws {
      try await bus.run {
        let (device, client) = try await plug(TestDescriptor.plain)
        let stream = await monitor(client)
        let (heard, hear) = AsyncStream<Void>.makeStream()
        let task = Task {
          var count = 0
          for try await _ in stream {
            count += 1
            hear.yield()
          }
          return count
        }
        try await device.dispatchInputReport(data: report(1), timestamp: .now)
        for await _ in heard { break }
        task.cancel()
        #expect(try await task.value == 1)
        // The other task is cancelled before its stream has returned an element.
        let other = await monitor(client)
        let early = Task {
          withUnsafeCurrentTask { $0?.cancel() }
          for try await _ in other { return 1 }
          return 0
        }
        #expect(try await early.value == 0)
        withExtendedLifetime(device) {}
      }
    }

    @Test(
      "a slow reader loses the newest reports, and does not block the device",
      arguments: TestBus.all)
    func slow(bus: TestBus) async throws {
      try await bus.run {
        let (device, client) = try await plug(TestDescriptor.plain)
        let slow = await monitor(client)
        for number in 0..<3000 {
          try await device.dispatchInputReport(data: report(number), timestamp: .now)
        }
        var numbers: [Int] = []
        for try await case .inputReport(_, let data, _) in slow {
          numbers.append(Int(data[0]) | Int(data[1]) << 8)
          if numbers.count == 1024 { break }
        }
        #expect(numbers == Array(0..<1024))
      }
    }

    @Test(
      "a stream has the capacity it asks for, although a withdrawn request opened the device",
      arguments: TestBus.all)
    func withdrawn(bus: TestBus) async throws {
      try await bus.run {
        let properties = HIDVirtualDevice.Properties(
          descriptor: TestDescriptor.plain, vendorID: 0x1209)
        let device = try #require(HIDVirtualDevice(properties: properties))
        let client = try #require(HIDDeviceClient(deviceReference: device.deviceReference))
        // The next request removes the requests of these released streams, because 64 wait.
        for _ in 0..<64 { _ = await monitor(client) }
        let executor = QueueExecutor()
        let request = Task(executorPreference: executor) {
          try await client.hidsim.reports(capacity: 4, policy: .dropNewest)
        }
        executor.drain()
        await device.activate(delegate: Recorder())
        let small = try await request.value
        let other = try await client.hidsim.reports()
        for number in 0..<10 {
          try await device.dispatchInputReport(data: report(number), timestamp: .now)
        }
        var count = 0
        for await _ in other {
          count += 1
          if count == 10 { break }
        }
        #expect(small.lost.count == 6)
      }
    }

    @Test(
      "a wait for a device that is not plugged ends when its task is cancelled",
      arguments: TestBus.all)
    func cancelledWait(bus: TestBus) async throws {
      try await bus.run {
        let properties = HIDVirtualDevice.Properties(
          descriptor: TestDescriptor.plain, vendorID: 0x1209)
        let device = try #require(HIDVirtualDevice(properties: properties))
        let client = try #require(HIDDeviceClient(deviceReference: device.deviceReference))
        let executor = QueueExecutor()
        let request = Task(executorPreference: executor) { try await client.hidsim.reports() }
        executor.drain()
        request.cancel()
        await #expect(throws: HIDDeviceError.aborted) { try await request.value }
        // The other task is cancelled before it waits.
        let early = Task {
          withUnsafeCurrentTask { $0?.cancel() }
          _ = try await client.hidsim.handleReports { _ in }
        }
        await #expect(throws: HIDDeviceError.aborted) { try await early.value }
        await device.activate(delegate: Recorder())
        let stream = try await client.hidsim.reports()
        try await device.dispatchInputReport(data: report(1), timestamp: .now)
        for await _ in stream { break }
      }
    }

    @Test(
      "a device that is released ends its pending requests and its streams", arguments: TestBus.all)
    func removal(bus: TestBus) async throws {
      try await bus.run {
        let leaver = Leaver()
        var device: HIDVirtualDevice?
        let client: HIDDeviceClient
        (device, client) = try await plug(TestDescriptor.plain, leaver)
        let stream = await monitor(client)
        let blob = try #require(await client.elements.last)
        let requests = (0..<3).map { _ in
          HIDDeviceClient.RequestElementUpdate(elements: [blob])
        }
        async let results = client.updateElements(requests)
        await leaver.waitUntilAsked()
        withExtendedLifetime(device) {}
        device = nil
        await leaver.leave()
        let outcome = await results
        #expect(throws: HIDDeviceError.self) { try outcome[requests[0]]?.get() }
        for request in requests.dropFirst() {
          #expect(throws: HIDDeviceError.self) { try outcome[request]?.get() }
        }
        var last: Notification?
        for try await notification in stream { last = notification }
        guard case .deviceRemoved? = last else {
          Issue.record("the stream ended with \(String(describing: last))")
          return
        }
      }
    }

    /// A delegate that answers a get-report request with an error, and only after `leave()`.
    private actor Leaver: HIDVirtualDeviceDelegate {
      private var asked: CheckedContinuation<Void, Never>?
      private var leaving: CheckedContinuation<Void, Never>?
      private var isAsked = false
      private var hasLeft = false

      func hidVirtualDevice(
        _ device: HIDVirtualDevice, receivedSetReportRequestOfType type: HIDReportType,
        id: HIDReportID?, data: Data
      ) {}

      func hidVirtualDevice(
        _ device: HIDVirtualDevice, receivedGetReportRequestOfType type: HIDReportType,
        id: HIDReportID?, maxSize: Int
      ) async throws -> Data {
        isAsked = true
        asked?.resume()
        asked = nil
        if !hasLeft { await withCheckedContinuation { leaving = $0 } }
        throw HIDDeviceError.notReady
      }

      func waitUntilAsked() async {
        if !isAsked { await withCheckedContinuation { asked = $0 } }
      }

      func leave() {
        hasLeft = true
        leaving?.resume()
        leaving = nil
      }
    }
  }
}
