// SPDX-License-Identifier: Apache-2.0

import CoreHID
import Glibc
import Synchronization
import Testing

extension OnBothBuses {
  @Suite("Handlers of reports and the reading thread")
  struct FastWayTests {
    private func send(_ numbers: Range<Int>, by device: HIDVirtualDevice) async throws {
      for number in numbers {
        try await device.dispatchInputReport(
          data: Data([UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]),
          timestamp: .now)
      }
    }

    @Test(
      "a handler is called with every report, in order, until it is released",
      arguments: TestBus.all)
    func handler(bus: TestBus) async throws {
      try await bus.run {
        let (device, client) = try await plug(TestDescriptor.plain)
        let heard = Log()
        var handling: HIDReportHandling? = try await client.hidsim.handleReports(capacity: 64) {
          for index in $0.indices { heard.append($0[index]) }
        }
        let stream = try await client.hidsim.reports()
        var reports = stream.makeAsyncIterator()
        // Single reports and bursts. A burst has no more reports than the kernel keeps for a
        // reader: on a machine that stalls, the device may stop waiting for this client.
        for burst in [0..<1, 1..<50, 50..<51, 51..<110, 110..<150, 150..<200] {
          try await send(burst, by: device)
          await heard.wait(for: burst.upperBound)
        }
        #expect(heard.numbers == Array(0..<200))
        #expect(handling?.lost == 0)
        handling = nil
        try await send(200..<201, by: device)
        var count = 0
        while count < 201, await reports.next() != nil { count += 1 }
        #expect(heard.numbers.count == 200)
      }
    }

    @Test(
      "a task on the reading thread gets reports there, and can send requests to the device",
      arguments: TestBus.all)
    func executor(bus: TestBus) async throws {
      try await bus.run {
        let (device, client) = try await plug(TestDescriptor.plain)
        let reader = Log()
        let handling = try await client.hidsim.handleReports {
          for index in $0.indices { reader.append($0[index]) }
        }
        let stream = try await client.hidsim.reports()
        try await withThrowingTaskGroup { group in
          group.addTask(executorPreference: try await client.hidsim.executor()) {
            var number = 0
            for await report in stream {
              #expect(Int(report.bytes[0]) == number)
              number += 1
              // Another thread answers while this thread goes on reading.
              if number == 50 {
                let answer = try await client.dispatchGetReportRequest(type: .feature)
                #expect(answer.count == 8)
              }
              #expect(pthread_self() == reader.thread)
              if number == 100 { break }
            }
          }
          try await send(0..<100, by: device)
          try await group.waitForAll()
        }
        withExtendedLifetime(handling) {}
      }
    }

    @Test(
      "a task that waits on the reading thread ends when it is cancelled", arguments: TestBus.all)
    func cancelled(bus: TestBus) async throws {
      try await bus.run {
        let (device, client) = try await plug(TestDescriptor.plain)
        let stream = try await client.hidsim.reports()
        let heard = Log()
        let task = Task(executorPreference: try await client.hidsim.executor()) {
          for await report in stream { heard.append(report) }
        }
        try await send(0..<1, by: device)
        // The task waits for another report by now, or soon will.
        await heard.wait(for: 1)
        task.cancel()
        await task.value
        withExtendedLifetime(device) {}
      }
    }
  }
}

/// The reports that a handler received: the numbers in their first two bytes, and the handler's
/// thread.
private final class Log: Sendable {
  private struct State {
    var numbers: [Int] = []
    var thread: pthread_t?
    var waiter: (count: Int, continuation: CheckedContinuation<Void, Never>)?
  }

  private let state = Mutex(State())

  var numbers: [Int] { state.withLock { $0.numbers } }
  var thread: pthread_t? { state.withLock { $0.thread } }

  func append(_ report: HIDReport) {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.numbers.append(Int(report.bytes[0]) | Int(report.bytes[1]) << 8)
      state.thread = pthread_self()
      guard let waiter = state.waiter, waiter.count <= state.numbers.count else { return nil }
      state.waiter = nil
      return waiter.continuation
    }
    waiter?.resume()
  }

  func wait(for count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.numbers.count < count { state.waiter = (count, continuation) }
        return state.numbers.count >= count
      }
      if isThere { continuation.resume() }
    }
  }
}
