// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDReportDescriptor
import IOLoop
import Testing

extension ConformanceTests {
  /// Reports from the device to its clients.
  @Suite(.serialized) struct Input {
    @Test("unnumbered reports arrive in order, byte for byte", arguments: BusUnderTest.all)
    func plain(_ bus: BusUnderTest) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        let client = try await rig.client()
        let stream = client.reports(capacity: 64, policy: .lossless)
        let sent: [[UInt8]] = (0..<20).map { [0, $0, 0xff, 0, 0x80, 1, 2, 3] }
        for report in sent { try await rig.send(report) }
        #expect(await take(20, from: stream) == sent)
      }
    }

    @Test("numbered reports arrive in order, each with its ID", arguments: BusUnderTest.all)
    func numbered(_ bus: BusUnderTest) async throws {
      try await withDevice(bus, TestDescriptor.numbered) { rig in
        let client = try await rig.client()
        let stream = client.reports(capacity: 64, policy: .lossless)
        let sent: [[UInt8]] = [
          [1, 10, 11, 12, 13], [2, 20, 21], [2, 0, 0], [1, 0, 0, 0, 0], [2, 22, 23],
        ]
        for report in sent { try await rig.send(report) }
        #expect(await take(5, from: stream) == sent)
      }
    }

    @Test("every client gets every report", arguments: BusUnderTest.all)
    func everybody(_ bus: BusUnderTest) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        let first = try await rig.client()
        let second = try await rig.client()
        let streams = [
          first.reports(capacity: 64, policy: .lossless),
          first.reports(capacity: 64, policy: .dropNewest),
          second.reports(capacity: 64, policy: .lossless),
        ]
        try await rig.send([1, 2, 3, 4, 5, 6, 7, 8])
        for stream in streams {
          #expect(await take(1, from: stream) == [[1, 2, 3, 4, 5, 6, 7, 8]])
        }
      }
    }

    @Test(
      "the first stream of a client has the reports since the client opened the device",
      arguments: BusUnderTest.all)
    func sinceOpened(_ bus: BusUnderTest) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        let client = try await rig.client()
        let other = try await rig.client()
        let heard = other.reports(capacity: 64, policy: .lossless)
        try await rig.send([1, 1, 1, 1, 1, 1, 1, 1])
        #expect(await take(1, from: heard).count == 1)  // the report has arrived here
        let first = client.reports(capacity: 64, policy: .lossless)
        try await rig.send([2, 2, 2, 2, 2, 2, 2, 2])
        #expect(
          await take(2, from: first) == [[1, 1, 1, 1, 1, 1, 1, 1], [2, 2, 2, 2, 2, 2, 2, 2]])
      }
    }

    @Test("a later stream begins when it is asked for", arguments: BusUnderTest.all)
    func fromNowOn(_ bus: BusUnderTest) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        try await rig.send([1, 1, 1, 1, 1, 1, 1, 1])  // no client has the device open
        let client = try await rig.client()
        let early = client.reports(capacity: 64, policy: .lossless)
        try await rig.send([2, 2, 2, 2, 2, 2, 2, 2])
        #expect(await take(1, from: early) == [[2, 2, 2, 2, 2, 2, 2, 2]])
        let late = client.reports(capacity: 64, policy: .lossless)
        try await rig.send([3, 3, 3, 3, 3, 3, 3, 3])
        #expect(await take(1, from: late) == [[3, 3, 3, 3, 3, 3, 3, 3]])
        #expect(await take(1, from: early) == [[3, 3, 3, 3, 3, 3, 3, 3]])
      }
    }

    @Test(
      "reports without a client do not count as lost for later ones", arguments: BusUnderTest.all)
    func withoutClient(_ bus: BusUnderTest) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        for _ in 0..<2 {
          for _ in 0..<100 { try await rig.send([1, 1, 1, 1, 1, 1, 1, 1]) }
          let client = try await rig.client()
          let stream = client.reports(capacity: 256, policy: .lossless)
          for _ in 0..<100 { try await rig.send([2, 2, 2, 2, 2, 2, 2, 2]) }
          let sent = [[UInt8]](repeating: [2, 2, 2, 2, 2, 2, 2, 2], count: 100)
          #expect(await take(100, from: stream) == sent)
          #expect(stream.lost == 0)
          client.close()
        }
      }
    }

    @Test(
      "a report that does not fit its descriptor is refused, and nothing of its batch is sent",
      arguments: BusUnderTest.all)
    func mismatch(_ bus: BusUnderTest) async throws {
      let good: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
      let bad: [([UInt8], HIDReportLengths.Mismatch)] = [
        ([1, 2, 3], .short(declared: 8, found: 3)),
        ([1, 2, 3, 4, 5, 6, 7, 8, 9], .long(declared: 8, found: 9)),
        ([], .empty),
      ]
      try await withDevice(bus, TestDescriptor.plain) { rig in
        let client = try await rig.client()
        let stream = client.reports(capacity: 64, policy: .lossless)
        for (report, mismatch) in bad {
          var batch = HIDReportBatch()
          batch.append(good)
          batch.append(report)
          #expect(
            await failure { try await rig.port.send(batch) } == .reportMismatch(mismatch))
        }
        try await rig.send([9, 9, 9, 9, 9, 9, 9, 9])
        #expect(await take(1, from: stream) == [[9, 9, 9, 9, 9, 9, 9, 9]])
      }
    }

    @Test(
      "a device with long input sends reports longer than declared whole, between others",
      arguments: BusUnderTest.all)
    func longerThanDeclared(_ bus: BusUnderTest) async throws {
      var descriptor = try HIDReportDescriptor(parsing: TestDescriptor.plain)
      descriptor.allowsLongInput = true
      try await withDevice(bus, try description(descriptor)) { rig in
        let client = try await rig.client()
        if bus == .usb {
          // A host asks a USB device for as many bytes as the descriptor declares.
          let mismatch = HIDReportLengths.Mismatch.long(declared: 8, found: 9)
          #expect(
            await failure { try await rig.send(Array(1...9)) } == .reportMismatch(mismatch))
          return
        }
        #expect(client.lengths.allowsLongInput)
        let streams = [
          client.reports(capacity: 128, policy: .lossless),
          client.reports(capacity: 128, policy: .lossless),
        ]
        // Reports of the declared length come first, and many at once: a client that has seen a few
        // of them may go on to read in batches.
        for round in 0..<3 {
          var sent: [[UInt8]] = (0..<20).map { [$0, 1, 2, 3, 4, 5, 6, 7] }
          sent.insert(Array(1...9), at: 7 + round)
          sent.insert([UInt8](repeating: 7, count: 4096), at: 12)
          sent.append(Array(1...65))
          var batch = HIDReportBatch()
          for report in sent { batch.append(report) }
          try await rig.port.send(batch)
          for stream in streams { #expect(await take(sent.count, from: stream) == sent) }
        }
        var batch = HIDReportBatch()
        batch.append([UInt8](repeating: 7, count: 4097))
        #expect(
          await failure { try await rig.port.send(batch) }
            == .reportMismatch(.long(declared: 8, found: 4097)))
        #expect(
          await failure { try await rig.send([1, 2, 3]) }
            == .reportMismatch(.short(declared: 8, found: 3)))
      }
    }

    @Test("a report whose ID is not declared is refused", arguments: BusUnderTest.all)
    func undeclared(_ bus: BusUnderTest) async throws {
      try await withDevice(bus, TestDescriptor.numbered) { rig in
        #expect(
          await failure { try await rig.send([7, 1, 2, 3, 4]) }
            == .reportMismatch(.undeclared(HIDReportID(rawValue: 7))))
        #expect(
          await failure { try await rig.send([0, 1, 2, 3, 4]) }
            == .reportMismatch(.undeclared(nil)))
        #expect(
          await failure { try await rig.send([1, 1, 2]) }
            == .reportMismatch(.short(declared: 5, found: 3)))
      }
    }

    @Test("a batch of 63 reports arrives whole", arguments: BusUnderTest.all)
    func batch(_ bus: BusUnderTest) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        let client = try await rig.client()
        let stream = client.reports(capacity: 64, policy: .lossless)
        let sent: [[UInt8]] = (0..<63).map { [$0, 1, 2, 3, 4, 5, 6, 7] }
        var batch = HIDReportBatch()
        for report in sent { batch.append(report) }
        try await rig.port.send(batch)
        #expect(await take(63, from: stream) == sent)
        #expect(stream.lost == 0)
      }
    }

    @Test("10,000 reports arrive whole when they are read meanwhile", arguments: BusUnderTest.all)
    func many(_ bus: BusUnderTest) async throws {
      try await withDevice(bus, TestDescriptor.numbered) { rig in
        let client = try await rig.client()
        let stream = client.reports(capacity: 64, policy: .lossless)
        var reports = stream.makeAsyncIterator()
        for round in 0..<200 {
          let sent = (0..<50 as Range<UInt8>).map { number -> [UInt8] in
            number % 3 == 0 ? [2, number, UInt8(round)] : [1, number, UInt8(round), 0, 1]
          }
          var batch = HIDReportBatch()
          for report in sent { batch.append(report) }
          try await rig.port.send(batch)
          var arrived: [[UInt8]] = []
          while arrived.count < 50, let report = await reports.next() {
            arrived.append(Array(report.bytes))
          }
          try #require(arrived == sent, "round \(round)")
        }
      }
    }

    /// Returns the report that holds a number.
    private static func numbered(_ number: Int) -> [UInt8] {
      [UInt8(number & 0xff), UInt8(number >> 8), 0, 0, 0, 0, 0, 0]
    }

    /// Returns the reports with the numbers from 0 to `count` - 1.
    private static func numbered(_ count: Int) -> HIDReportBatch {
      var batch = HIDReportBatch()
      for number in 0..<count { batch.append(numbered(number)) }
      return batch
    }

    @Test(
      "a batch of 5,000 reports waits for a slow reader",
      arguments: BusUnderTest.all)
    func slowReader(_ bus: BusUnderTest) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        let client = try await rig.client()
        let stream = client.reports(capacity: 64, policy: .lossless)
        let sending = Task { try await rig.port.send(Self.numbered(5000)) }
        var reports = stream.makeAsyncIterator()
        for number in 0..<5000 {
          // Without the wait of the device, hidraw would drop hundreds of reports in this pause.
          // The pause is well under a second, also beside many other tests: a device stops waiting
          // for a reader that reads nothing for a second.
          if number % 500 == 0 {
            let end = MonotonicTime.now.advanced(by: .milliseconds(100))
            for _ in 0..<2000 where MonotonicTime.now < end { await Task.yield() }
          }
          let report = try #require(
            await reports.next(), "report \(number) did not come, \(stream.lost) were lost")
          try #require(Array(report.bytes) == Self.numbered(number))
        }
        try await sending.value
        #expect(stream.lost == 0)
      }
    }

    @Test("a reader that is slow and steady loses nothing", arguments: BusUnderTest.all)
    func steadyReader(_ bus: BusUnderTest) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        let client = try await rig.client()
        let stream = client.reports(capacity: 64, policy: .lossless)
        let sending = Task { try await rig.port.send(Self.numbered(1000)) }
        var reports = stream.makeAsyncIterator()
        for number in 0..<1000 {
          // The client reads ten reports a second, for longer than a device waits for a client that
          // reads none.
          if number < 30 { try await Task.sleep(for: .milliseconds(100)) }
          let report = try #require(
            await reports.next(), "report \(number) did not come, \(stream.lost) were lost")
          try #require(Array(report.bytes) == Self.numbered(number))
        }
        try await sending.value
        #expect(stream.lost == 0)
      }
    }

    @Test("a device's record has the name of its manufacturer", arguments: BusUnderTest.all)
    func manufacturer(_ bus: BusUnderTest) async throws {
      var what = try description(TestDescriptor.plain)
      what.identity.manufacturer = "The hidsim authors"
      try await withDevice(bus, what) { rig in
        #expect(rig.record.identity.manufacturer == "The hidsim authors")
      }
    }

    @Test(
      "reports of up to 4,096 bytes arrive whole", arguments: BusUnderTest.all,
      [(64, 0), (64, 1), (65, 0), (255, 1), (1024, 0), (4095, 0), (4095, 1)] as [(Int, UInt8)])
    func long(_ bus: BusUnderTest, _ sample: (byteCount: Int, id: UInt8)) async throws {
      let descriptor = TestDescriptor.input(byteCount: sample.byteCount, id: sample.id)
      try await withDevice(bus, descriptor) { rig in
        let client = try await rig.client()
        let stream = client.reports(capacity: 64, policy: .lossless)
        let payload = (0..<sample.byteCount).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let report = (sample.id == 0 ? [] : [sample.id]) + payload
        for _ in 0..<10 { try await rig.send(report) }
        #expect(await take(10, from: stream) == Array(repeating: report, count: 10))
      }
    }

    @Test(
      "a reader that does not read blocks no other reader, and its lost reports are counted",
      arguments: BusUnderTest.all)
    func slow(_ bus: BusUnderTest) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        let client = try await rig.client()
        let slow = client.reports(capacity: 4, policy: .dropNewest)
        let quick = client.reports(capacity: 64, policy: .lossless)
        for number in 0..<40 as Range<UInt8> {
          try await rig.send([number, 0, 0, 0, 0, 0, 0, 0])
          #expect(await take(1, from: quick) == [[number, 0, 0, 0, 0, 0, 0, 0]])
        }
        #expect(slow.lost == 36)
        #expect(await take(4, from: slow).map { $0[0] } == [0, 1, 2, 3])
      }
    }

    @Test("the arrival times of reports never go back", arguments: BusUnderTest.all)
    func times(_ bus: BusUnderTest) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        let client = try await rig.client()
        let stream = client.reports(capacity: 64, policy: .lossless)
        let start = MonotonicTime.now
        for _ in 0..<10 { try await rig.send([1, 2, 3, 4, 5, 6, 7, 8]) }
        var times: [MonotonicTime] = []
        for await report in stream {
          times.append(report.time)
          if times.count == 10 { break }
        }
        #expect(times == times.sorted())
        #expect(times.allSatisfy { $0 >= start && $0 <= .now })
      }
    }

    @Test("a cancelled reader ends", arguments: BusUnderTest.all)
    func cancelled(_ bus: BusUnderTest) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        let client = try await rig.client()
        let stream = client.reports(capacity: 64, policy: .lossless)
        let reader = Task {
          var count = 0
          for await _ in stream { count += 1 }
          return count
        }
        try await rig.send([1, 2, 3, 4, 5, 6, 7, 8])
        reader.cancel()
        #expect(await reader.value <= 1)
      }
    }
  }
}
