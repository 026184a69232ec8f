// SPDX-License-Identifier: Apache-2.0

// In `ConformanceTests`, a bus keeps 63 reports for a client that does not read its node, as the
// kernel does. A client of CoreHID reads ahead. Its streams of notifications hold 1,024 reports
// each, on both buses. The loopback bus's fidelity to the kernel does not apply here.

import CoreHID
import Testing

extension OnBothBuses {
  /// Streams of notifications with slow readers, for which the device does not wait.
  @Suite("Conformance: slow clients")
  struct SlowClientConformanceTests {
    /// A client with a slow stream that the test reads, and a quick stream that shows how far the
    /// reports have come.
    private struct Reader {
      let client: HIDDeviceClient
      let slow: Notifications
      private let quick: HIDReportStream

      init(_ rig: Rig) async throws {
        client = try rig.client()
        // A client's streams get reports in the order in which the streams were made.
        slow = await monitor(client)
        quick = try await client.hidsim.reports()
      }

      /// Sends reports, and waits until the slow stream has received them all.
      func send(_ numbers: Range<Int>, _ rig: Rig) async throws {
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 50) {
          let sent = (start..<min(start + 50, numbers.upperBound)).map(report)
          for report in sent { try await rig.send(report) }
          #expect(await take(sent.count, from: quick) == sent)
        }
      }

      /// Reads `count` reports from the slow stream, and returns their numbers.
      func read(_ count: Int) async throws -> [Int] {
        try await take(count, from: slow).map { Int($0[0]) | Int($0[1]) << 8 }
      }
    }

    @Test(
      "a client that does not read gets the first 1,024 of 1,500 reports, and then new ones",
      arguments: TestBus.all)
    func oldest(bus: TestBus) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        let reader = try await Reader(rig)
        try await reader.send(0..<1500, rig)
        #expect(try await reader.read(1024) == Array(0..<1024))
        try await reader.send(2000..<2001, rig)
        #expect(try await reader.read(1) == [2000])
      }
    }

    @Test("each report that a client reads makes room for one more", arguments: TestBus.all)
    func pace(bus: TestBus) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        let reader = try await Reader(rig)
        try await reader.send(0..<1100, rig)
        #expect(try await reader.read(10) == Array(0..<10))
        try await reader.send(1100..<1120, rig)
        #expect(try await reader.read(1) == [10])
        try await reader.send(1120..<1130, rig)
        #expect(
          try await reader.read(1024) == Array(11..<1024) + Array(1100..<1110) + [1120])
        try await reader.send(2000..<2001, rig)
        #expect(try await reader.read(1) == [2000])
      }
    }

    @Test("a client that does not read causes no losses for other clients", arguments: TestBus.all)
    func others(bus: TestBus) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        let slow = await monitor(try rig.client())
        let reader = try await Reader(rig)
        for round in 0..<30 {
          let numbers = round * 50..<(round + 1) * 50
          try await reader.send(numbers, rig)
          #expect(try await reader.read(50) == Array(numbers))
        }
        #expect(try await take(1024, from: slow) == (0..<1024).map(report))
      }
    }

    @Test("a device does not wait for clients that do not read", arguments: TestBus.all)
    func room(bus: TestBus) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        let streams = [await monitor(try rig.client()), await monitor(try rig.client())]
        // These are more than twice as many reports as a stream holds, and no client reads.
        for number in 0..<2500 { try await rig.send(report(number)) }
        for stream in streams {
          #expect(try await take(1024, from: stream) == (0..<1024).map(report))
        }
      }
    }
  }
}
