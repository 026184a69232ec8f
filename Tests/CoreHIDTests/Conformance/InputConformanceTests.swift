// SPDX-License-Identifier: Apache-2.0

// These tests of `ConformanceTests` do not apply here:
// - A batch with a bad report in it is refused whole, and a batch of 63 arrives whole: here reports
//   are dispatched one by one. The part of each that applies is below.
// - A device that may do so sends reports longer than declared: virtual devices may not.
// - A report that is too short is refused: here it is filled up.
// - The first stream begins where its client opened: here a client opens the device when it first
//   needs it. A stream begins with the call that makes it.

import CoreHID
import Testing

extension OnBothBuses {
  /// Reports from the device to its clients.
  @Suite("Conformance: input")
  struct InputConformanceTests {
    @Test("unnumbered reports arrive in order, byte for byte", arguments: TestBus.all)
    func plain(bus: TestBus) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        let stream = await monitor(try rig.client())
        let sent: [[UInt8]] = (0..<20).map { [0, $0, 0xff, 0, 0x80, 1, 2, 3] }
        for report in sent { try await rig.send(report) }
        for expected in sent {
          guard case .inputReport(let id, let data, _)? = try await first(of: stream) else {
            Issue.record("no report")
            return
          }
          #expect(id == nil)
          #expect([UInt8](data) == expected)
        }
      }
    }

    @Test("numbered reports arrive in order, each with its ID", arguments: TestBus.all)
    func numbered(bus: TestBus) async throws {
      try await withDevice(bus, TestDescriptor.numbered) { rig in
        let stream = await monitor(try rig.client())
        let sent: [[UInt8]] = [
          [1, 10, 11, 12, 13], [2, 20, 21], [2, 0, 0], [1, 0, 0, 0, 0], [2, 22, 23],
        ]
        for report in sent { try await rig.send(report) }
        for expected in sent {
          guard case .inputReport(let id, let data, _)? = try await first(of: stream) else {
            Issue.record("no report")
            return
          }
          #expect(id?.rawValue == expected[0])
          #expect([UInt8](data) == expected)
        }
      }
    }

    private func first(
      of stream: Notifications
    ) async throws -> HIDDeviceClient.Notification? {
      for try await notification in stream { return notification }
      return nil
    }

    @Test("every client and every stream gets every report", arguments: TestBus.all)
    func everybody(bus: TestBus) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        let clients = [try rig.client(), try rig.client()]
        var streams: [Notifications] = []
        var fast: [HIDReportStream] = []
        for client in clients {
          streams.append(await monitor(client))
          streams.append(await monitor(client))
          fast.append(try await client.hidsim.reports(policy: .lossless))
          fast.append(try await client.hidsim.reports(policy: .dropNewest))
        }
        let sent = [report(1), report(2)]
        for report in sent { try await rig.send(report) }
        for stream in streams { #expect(try await take(2, from: stream) == sent) }
        for stream in fast { #expect(await take(2, from: stream) == sent) }
      }
    }

    @Test("a stream begins when it is asked for", arguments: TestBus.all)
    func fromNowOn(bus: TestBus) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        let client = try rig.client()
        // No client has a stream.
        try await rig.send(report(1))
        let early = await monitor(client)
        try await rig.send(report(2))
        #expect(try await take(1, from: early) == [report(2)])
        let late = await monitor(client)
        let fast = try await client.hidsim.reports()
        try await rig.send(report(3))
        #expect(try await take(1, from: late) == [report(3)])
        #expect(await take(1, from: fast) == [report(3)])
        #expect(try await take(1, from: early) == [report(3)])
      }
    }

    @Test(
      "a client that made a request first gets the reports since its stream began",
      arguments: TestBus.all)
    func afterRequest(bus: TestBus) async throws {
      let delegate = Answerer(onGet: { _, _ in .yes(report(7)) })
      try await withDevice(bus, TestDescriptor.plain, delegate: delegate) { rig in
        let client = try rig.client()
        _ = try await client.dispatchGetReportRequest(type: .feature)
        let stream = await monitor(client)
        try await rig.send(report(1))
        try await rig.send(report(2))
        #expect(try await take(2, from: stream) == [report(1), report(2)])
      }
    }

    @Test(
      "a report that does not fit its descriptor is refused, and nothing is sent",
      arguments: TestBus.all)
    func mismatch(bus: TestBus) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        let stream = await monitor(try rig.client())
        await #expect(throws: HIDDeviceError.messageTooLarge) { try await rig.send(Array(1...9)) }
        await #expect(throws: HIDDeviceError.messageTooLarge) {
          try await rig.send([UInt8](repeating: 1, count: 20_000))
        }
        await #expect(throws: HIDDeviceError.badArgument) { try await rig.send([]) }
        try await rig.send(Array(1...3))
        try await rig.send(report(9))
        #expect(try await take(2, from: stream) == [[1, 2, 3, 0, 0, 0, 0, 0], report(9)])
      }
    }

    @Test(
      "a report whose ID is not declared is refused, and nothing is sent", arguments: TestBus.all)
    func undeclared(bus: TestBus) async throws {
      try await withDevice(bus, TestDescriptor.numbered) { rig in
        let stream = await monitor(try rig.client())
        // 3 is an output report.
        for id in [7, 0, 3] as [UInt8] {
          await #expect(throws: HIDDeviceError.badArgument) { try await rig.send([id, 1, 2, 3]) }
        }
        await #expect(throws: HIDDeviceError.messageTooLarge) {
          try await rig.send([2, 1, 2, 3, 4])
        }
        try await rig.send([2])
        try await rig.send([1, 1, 2])
        #expect(try await take(2, from: stream) == [[2, 0, 0], [1, 1, 2, 0, 0]])
      }
    }

    @Test("63 reports that no client reads meanwhile arrive whole", arguments: TestBus.all)
    func unread(bus: TestBus) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        let client = try rig.client()
        let stream = await monitor(client)
        let fast = try await client.hidsim.reports(capacity: 64)
        let sent = (0..<63).map(report)
        for report in sent { try await rig.send(report) }
        #expect(try await take(63, from: stream) == sent)
        #expect(await take(63, from: fast) == sent)
        #expect(fast.lost == 0)
      }
    }

    @Test("10,000 reports arrive whole when they are read meanwhile", arguments: TestBus.all)
    func many(bus: TestBus) async throws {
      try await withDevice(bus, TestDescriptor.numbered) { rig in
        let stream = await monitor(try rig.client())
        for round in 0..<200 {
          let sent = (0..<50 as Range<UInt8>).map { number -> [UInt8] in
            number % 3 == 0 ? [2, number, UInt8(round)] : [1, number, UInt8(round), 0, 1]
          }
          for report in sent { try await rig.send(report) }
          try #require(try await take(50, from: stream) == sent, "round \(round)")
        }
      }
    }

    @Test(
      "the reports of a device wait for a slow reader, however many they are",
      arguments: TestBus.all)
    func slowReader(bus: TestBus) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        let client = try rig.client()
        let stream = try await client.hidsim.reports(capacity: 64)
        let sending = Task { for number in 0..<5000 { try await rig.send(report(number)) } }
        var reports = stream.makeAsyncIterator()
        for number in 0..<5000 {
          // This is long enough for hidraw to drop hundreds of reports.
          if number % 500 == 0 { for _ in 0..<2000 { await Task.yield() } }
          let next = try #require(await reports.next())
          try #require(Array(next.bytes) == report(number))
        }
        try await sending.value
        #expect(stream.lost == 0)
        withExtendedLifetime(client) {}
      }
    }

    @Test("a reader that is slow and steady loses nothing", arguments: TestBus.all)
    func steadyReader(bus: TestBus) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        let client = try rig.client()
        let stream = try await client.hidsim.reports(capacity: 64)
        let sending = Task { for number in 0..<1000 { try await rig.send(report(number)) } }
        var reports = stream.makeAsyncIterator()
        for number in 0..<1000 {
          // The client reads ten reports a second, for longer than a device waits for a client that
          // reads none.
          if number < 30 { try await Task.sleep(for: .milliseconds(100)) }
          let next = try #require(await reports.next())
          try #require(Array(next.bytes) == report(number))
        }
        try await sending.value
        #expect(stream.lost == 0)
        withExtendedLifetime(client) {}
      }
    }

    @Test(
      "reports of up to 4,096 bytes arrive whole", arguments: TestBus.all,
      [(64, 0), (64, 1), (65, 0), (255, 1), (1024, 0), (4095, 0), (4095, 1)] as [(Int, UInt8)])
    func long(bus: TestBus, sample: (byteCount: Int, id: UInt8)) async throws {
      let descriptor = TestDescriptor.input(byteCount: sample.byteCount, id: sample.id)
      try await withDevice(bus, descriptor) { rig in
        let client = try rig.client()
        let stream = await monitor(client)
        let fast = try await client.hidsim.reports(capacity: 16)
        let payload = (0..<sample.byteCount).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let report = (sample.id == 0 ? [] : [sample.id]) + payload
        for _ in 0..<10 { try await rig.send(report) }
        #expect(try await take(10, from: stream) == Array(repeating: report, count: 10))
        #expect(await take(10, from: fast) == Array(repeating: report, count: 10))
      }
    }

    @Test(
      "a reader that does not read blocks no other reader, and its lost reports are counted",
      arguments: TestBus.all)
    func standstill(bus: TestBus) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        let client = try rig.client()
        let slow = try await client.hidsim.reports(capacity: 4, policy: .dropNewest)
        let quick = await monitor(client)
        for number in 0..<40 {
          try await rig.send(report(number))
          #expect(try await take(1, from: quick) == [report(number)])
        }
        #expect(slow.lost == 36)
        #expect(await take(4, from: slow) == (0..<4).map(report))
      }
    }

    @Test("timestamps never go back", arguments: TestBus.all)
    func times(bus: TestBus) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        let stream = await monitor(try rig.client())
        let start = SuspendingClock.now
        for _ in 0..<10 { try await rig.send(Array(1...8)) }
        var times: [SuspendingClock.Instant] = []
        for try await case .inputReport(_, _, let time) in stream {
          times.append(time)
          if times.count == 10 { break }
        }
        #expect(times.count == 10)
        #expect(times == times.sorted())
        #expect(times.allSatisfy { $0 >= start && $0 <= .now })
      }
    }

    @Test("a cancelled reader ends", arguments: TestBus.all)
    func cancelled(bus: TestBus) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        let client = try rig.client()
        let stream = await monitor(client)
        let fast = try await client.hidsim.reports()
        let readers = [
          Task { try await take(.max, from: stream).count },
          Task { await take(.max, from: fast).count },
        ]
        try await rig.send(Array(1...8))
        for reader in readers {
          reader.cancel()
          #expect(try await reader.value <= 1)
        }
      }
    }
  }
}
