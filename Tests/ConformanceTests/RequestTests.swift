// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDBus
import IOLoop
import Synchronization
import Testing

extension ConformanceTests {
  /// Requests of a client that wait for an answer.
  @Suite(.serialized) struct Request {
    @Test(
      "a request to set a feature or input report gets the device's answer",
      arguments: BusUnderTest.all, [HIDReportType.feature, .input])
    func set(_ bus: BusUnderTest, _ type: HIDReportType) async throws {
      let handler = RecordingHandler(onSet: { _, _, bytes in bytes.last == 9 ? .no : .yes() })
      try await withDevice(bus, TestDescriptor.plain, handler: handler) { rig in
        let client = try await rig.client()
        try await client.setReport(type, [1, 2, 3, 4, 5, 6, 7, 8], timeout: nil)
        let (asked, id, bytes) = try await handler.nextSet()
        #expect(asked == type)
        #expect(id == nil)
        #expect(bytes == bus.mark + [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(
          await failure {
            try await client.setReport(type, [1, 2, 3, 4, 5, 6, 7, 9], timeout: nil)
          } == .ioError)
      }
    }

    @Test("setting a numbered report keeps its ID", arguments: BusUnderTest.all)
    func setNumbered(_ bus: BusUnderTest) async throws {
      try await withDevice(bus, TestDescriptor.numbered) { rig in
        let client = try await rig.client()
        try await client.setReport(.feature, [4, 1, 2, 3, 4], timeout: nil)
        let (type, id, bytes) = try await rig.handler.nextSet()
        #expect(type == .feature)
        #expect(id == HIDReportID(rawValue: 4))
        #expect(bytes == [4, 1, 2, 3, 4])
      }
    }

    @Test(
      "a request to get a report returns the device's answer without any byte before it",
      arguments: BusUnderTest.all,
      [
        (HIDReportType.feature, HIDTransport.usb), (.feature, .bluetooth), (.feature, .i2c),
        (.input, .usb), (.output, .usb),
      ])
    func get(_ bus: BusUnderTest, _ sample: (HIDReportType, HIDTransport)) async throws {
      let (type, transport) = sample
      let answers: [[UInt8]] = [
        [1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 0, 0, 0, 0, 0, 0], [0, 2, 0, 4, 0, 6, 0, 8],
      ]
      for answer in answers {
        let handler = RecordingHandler(onGet: { _, _ in .yes(answer) })
        let what = try description(TestDescriptor.plain, transport: transport)
        try await withDevice(bus, what, handler: handler) { rig in
          let client = try await rig.client()
          #expect(try await client.getReport(type, nil, timeout: nil) == answer)
          let asked = try await handler.nextGet()
          #expect(asked.type == type)
          #expect(asked.id == nil)
        }
      }
    }

    @Test("a request to get a numbered report returns it with its ID", arguments: BusUnderTest.all)
    func getNumbered(_ bus: BusUnderTest) async throws {
      let handler = RecordingHandler(onGet: { _, id in
        id?.rawValue == 4 ? .yes([4, 9, 8, 7, 6]) : .no
      })
      try await withDevice(bus, TestDescriptor.numbered, handler: handler) { rig in
        let client = try await rig.client()
        let four = try #require(HIDReportID(rawValue: 4))
        #expect(try await client.getReport(.feature, four, timeout: nil) == [4, 9, 8, 7, 6])
        let asked = try await handler.nextGet()
        #expect(asked.id == four)
        let five = HIDReportID(rawValue: 5)
        #expect(
          await failure { _ = try await client.getReport(.feature, five, timeout: nil) }
            == .ioError)
      }
    }

    @Test(
      "an answer longer or shorter than declared arrives as it is", arguments: BusUnderTest.all,
      [HIDTransport.usb, .bluetooth])
    func otherLengths(_ bus: BusUnderTest, _ transport: HIDTransport) async throws {
      for answer in [[7], [0, 1, 2], Array(1...12), []] as [[UInt8]] {
        let handler = RecordingHandler(onGet: { _, _ in .yes(answer) })
        let what = try description(TestDescriptor.plain, transport: transport)
        try await withDevice(bus, what, handler: handler) { rig in
          let client = try await rig.client()
          #expect(try await client.getReport(.feature, nil, timeout: nil) == answer)
        }
      }
    }

    @Test(
      "a request without an answer ends at its timeout, and the next one starts at once",
      arguments: BusUnderTest.all)
    func timeout(_ bus: BusUnderTest) async throws {
      let handler = RecordingHandler(onGet: { _, _ in .silence }, onSet: { _, _, _ in .silence })
      try await withDevice(bus, TestDescriptor.plain, handler: handler) { rig in
        let client = try await rig.client()
        let start = MonotonicTime.now
        #expect(
          await failure {
            _ = try await client.getReport(.feature, nil, timeout: .milliseconds(200))
          } == .timedOut)
        #expect(
          await failure {
            try await client.setReport(.feature, Array(1...8), timeout: .milliseconds(200))
          } == .timedOut)
        handler.answerGets { _, _ in .yes([1, 2, 3, 4, 5, 6, 7, 8]) }
        #expect(try await client.getReport(.feature, nil, timeout: nil) == Array(1...8))
        let passed = MonotonicTime.now.duration(since: start)
        #expect(passed >= .milliseconds(400))
        // The bus' own bound is 5 s. The kernel cannot interrupt a request to a USB device, so that
        // each of the two ends only then.
        #expect(passed < (bus == .usb ? .seconds(15) : .seconds(3)))
      }
    }

    @Test("a request without an answer fails after 5 s", arguments: BusUnderTest.all)
    func noAnswer(_ bus: BusUnderTest) async throws {
      let handler = RecordingHandler(onGet: { _, _ in .silence })
      try await withDevice(bus, TestDescriptor.plain, handler: handler) { rig in
        let client = try await rig.client()
        let start = MonotonicTime.now
        #expect(
          await failure { _ = try await client.getReport(.feature, nil, timeout: nil) }
            == (bus == .usb ? .timedOut : .ioError))
        let passed = MonotonicTime.now.duration(since: start)
        #expect(passed > .milliseconds(4900))
        #expect(passed < .seconds(8))
      }
    }

    @Test("an answer that comes too late is dropped", arguments: BusUnderTest.all)
    func late(_ bus: BusUnderTest) async throws {
      let handler = RecordingHandler(onGet: { _, _ in .silence })
      try await withDevice(bus, TestDescriptor.plain, handler: handler) { rig in
        let client = try await rig.client()
        // The timeout is long enough for the request to reach the device.
        async let late = failure {
          _ = try await client.getReport(.feature, nil, timeout: .seconds(1))
        }
        let first = try await handler.nextGet()
        #expect(await late == .timedOut)
        async let answer = client.getReport(.feature, nil, timeout: .seconds(5))
        let second = try await handler.nextGet()
        #expect(first.request != second.request)
        rig.port.answerGet(first.request, [9, 9, 9, 9, 9, 9, 9, 9])
        rig.port.answerGet(second.request, [1, 2, 3, 4, 5, 6, 7, 8])
        rig.port.answerGet(second.request, [8, 8, 8, 8, 8, 8, 8, 8])
        #expect(try await answer == [1, 2, 3, 4, 5, 6, 7, 8])
      }
    }

    @Test("a device gets one request at a time", arguments: BusUnderTest.all)
    func serialised(_ bus: BusUnderTest) async throws {
      let handler = RecordingHandler(onGet: { _, _ in .silence })
      try await withDevice(bus, TestDescriptor.plain, handler: handler) { rig in
        let one = try await rig.client()
        let other = try await rig.client()
        async let first = one.getReport(.feature, nil, timeout: .seconds(5))
        async let second = other.getReport(.feature, nil, timeout: .seconds(5))
        let asked = try await handler.nextGet()
        #expect(
          handler.events.filter { if case .getReport = $0 { true } else { false } }.count == 1)
        rig.port.answerGet(asked.request, [1, 1, 1, 1, 1, 1, 1, 1])
        let next = try await handler.nextGet()
        rig.port.answerGet(next.request, [2, 2, 2, 2, 2, 2, 2, 2])
        let answers = try await [first, second]
        #expect(Set(answers) == [[1, 1, 1, 1, 1, 1, 1, 1], [2, 2, 2, 2, 2, 2, 2, 2]])
      }
    }

    @Test("calls of one client run in the order they were made", arguments: BusUnderTest.all)
    func order(_ bus: BusUnderTest) async throws {
      try await withDevice(bus, TestDescriptor.numbered) { rig in
        let client = try await rig.client()
        for number in 0..<50 as Range<UInt8> {
          try await client.setReport(.feature, [5, number], timeout: nil)
        }
        let sets = rig.handler.events.compactMap { event -> UInt8? in
          if case .setReport(_, _, _, let bytes) = event { bytes[1] } else { nil }
        }
        #expect(sets == Array(0..<50))
      }
    }

    @Test("unplugging ends a request in flight", arguments: BusUnderTest.all)
    func unplug(_ bus: BusUnderTest) async throws {
      let handler = RecordingHandler(onGet: { _, _ in .silence })
      try await withDevice(bus, TestDescriptor.plain, handler: handler) { rig in
        let client = try await rig.client()
        let start = MonotonicTime.now
        async let kind = failure { _ = try await client.getReport(.feature, nil, timeout: nil) }
        _ = try await handler.nextGet()
        await rig.port.destroy()
        let ended = await kind
        // The kernel returns EIO, as for any other failure (6.12); for a USB device ENODEV.
        #expect(ended == (bus == .kernel ? .ioError : .gone))
        #expect(MonotonicTime.now.duration(since: start) < .seconds(3))
      }
    }

    @Test("closing the port ends a request in flight", arguments: BusUnderTest.all)
    func close(_ bus: BusUnderTest) async throws {
      let handler = RecordingHandler(onGet: { _, _ in .silence })
      try await withDevice(bus, TestDescriptor.plain, handler: handler) { rig in
        let client = try await rig.client()
        let start = MonotonicTime.now
        async let kind = failure { _ = try await client.getReport(.feature, nil, timeout: nil) }
        _ = try await handler.nextGet()
        client.close()
        // The kernel cannot interrupt a request to a USB device.
        #expect(await kind == (bus == .usb ? .timedOut : .gone))
        #expect(
          MonotonicTime.now.duration(since: start) < (bus == .usb ? .seconds(8) : .seconds(3)))
      }
    }

    @Test(
      "a device can be plugged and started while another device owes an answer",
      arguments: BusUnderTest.all)
    func plugMeanwhile(_ bus: BusUnderTest) async throws {
      let slow = RecordingHandler(onGet: { _, _ in .silence })
      try await withDevice(bus, TestDescriptor.plain, handler: slow) { rig in
        let client = try await rig.client()
        async let answer = client.getReport(.feature, nil, timeout: nil)
        let asked = try await slow.nextGet()
        // The kernel may delay the node until the answer. It must not delay the loop of the
        // devices.
        let other = RecordingHandler()
        let port = try await rig.bus.plug(description(TestDescriptor.plain), handler: other)
        try await other.next("start", within: .seconds(2)) { $0 == .start([]) }
        async let node = port.ready(within: .seconds(10))
        async let again = rig.client()
        rig.port.answerGet(asked.request, [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(try await answer == [1, 2, 3, 4, 5, 6, 7, 8])
        _ = try await node
        _ = try await again
        await port.destroy()
      }
    }
  }
}
