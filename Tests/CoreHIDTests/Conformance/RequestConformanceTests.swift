// SPDX-License-Identifier: Apache-2.0

// These tests of `ConformanceTests` do not apply here:
// - Closing the port ends a request in flight: a client cannot be closed, and lives as long as its
//   requests.
// - Unplugging ends a request in flight at once: a device cannot be unplugged, and lives as long as
//   its delegate is at work. The part that applies is below.
//
// A delegate receives one request after the other. A request without an answer holds up the later
// ones on their way to the delegate, though not on their way to the device.

import CoreHID
import Testing

extension OnBothBuses {
  /// The requests of a client that wait for an answer.
  @Suite("Conformance: requests")
  struct RequestConformanceTests {
    @Test(
      "a request to set a feature or input report gets the delegate's answer",
      arguments: TestBus.all, [HIDReportType.feature, .input])
    func set(bus: TestBus, type: HIDReportType) async throws {
      let delegate = Answerer(onSet: { _, bytes in bytes.last == 9 ? .no : .yes() })
      try await withDevice(bus, TestDescriptor.plain, delegate: delegate) { rig in
        let client = try rig.client()
        try await client.dispatchSetReportRequest(type: type, data: Data(1...8))
        #expect(delegate.requests == [.set(type, nil, Array(1...8))])
        await #expect(throws: HIDDeviceError.ioError) {
          try await client.dispatchSetReportRequest(type: type, data: Data(2...9))
        }
        #expect(delegate.requests.last == .set(type, nil, Array(2...9)))
      }
    }

    @Test("setting a numbered report keeps its ID", arguments: TestBus.all)
    func setNumbered(bus: TestBus) async throws {
      try await withDevice(bus, TestDescriptor.numbered) { rig in
        let client = try rig.client()
        let four = try reportID(4)
        for id in [four, nil] {
          try await client.dispatchSetReportRequest(
            type: .feature, id: id, data: Data([4, 1, 2, 3, 4]))
          #expect(try await rig.delegate.next() == .set(.feature, four, [4, 1, 2, 3, 4]))
        }
      }
    }

    @Test(
      "a request to get a report returns exactly the bytes of the delegate's answer",
      arguments: TestBus.all,
      [
        (HIDReportType.feature, HIDDeviceTransport.usb), (.feature, .bluetooth), (.feature, .i2c),
        (.feature, .virtual), (.input, .usb), (.input, .bluetooth), (.output, .usb),
      ])
    func get(bus: TestBus, sample: (type: HIDReportType, transport: HIDDeviceTransport))
      async throws
    {
      let answers: [[UInt8]] = [
        [1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 0, 0, 0, 0, 0, 0], [0, 2, 0, 4, 0, 6, 0, 8],
      ]
      let delegate = Answerer(onGet: { _, _ in .later })
      try await withDevice(
        bus, TestDescriptor.plain, transport: sample.transport, delegate: delegate
      ) { rig in
        let client = try rig.client()
        for answer in answers {
          async let report = client.dispatchGetReportRequest(type: sample.type)
          #expect(try await delegate.next() == .get(sample.type, nil, maxSize: 8))
          delegate.answer(.yes(answer))
          #expect(try await [UInt8](report) == answer)
        }
      }
    }

    @Test("a request to get a numbered report returns it with its ID", arguments: TestBus.all)
    func getNumbered(bus: TestBus) async throws {
      let delegate = Answerer(onGet: { _, id in id?.rawValue == 4 ? .yes([4, 9, 8, 7, 6]) : .no })
      try await withDevice(bus, TestDescriptor.numbered, delegate: delegate) { rig in
        let client = try rig.client()
        let (four, five) = (try reportID(4), try reportID(5))
        let report = try await client.dispatchGetReportRequest(type: .feature, id: four)
        #expect([UInt8](report) == [4, 9, 8, 7, 6])
        #expect(try await delegate.next() == .get(.feature, four, maxSize: 5))
        await #expect(throws: HIDDeviceError.ioError) {
          try await client.dispatchGetReportRequest(type: .feature, id: five)
        }
        #expect(try await delegate.next() == .get(.feature, five, maxSize: 2))
      }
    }

    @Test(
      "an answer shorter than declared arrives as it is, and a longer one is cut",
      arguments: TestBus.all,
      [HIDDeviceTransport.usb, .bluetooth])
    func otherLengths(bus: TestBus, transport: HIDDeviceTransport) async throws {
      for answer in [[7], [0, 1, 2], [0] + Array(1...8), Array(1...12), []] as [[UInt8]] {
        let delegate = Answerer(onGet: { _, _ in .yes(answer) })
        try await withDevice(
          bus, TestDescriptor.plain, transport: transport, delegate: delegate
        ) { rig in
          let client = try rig.client()
          #expect(
            try await [UInt8](client.dispatchGetReportRequest(type: .feature))
              == Array(answer.prefix(8)))
        }
      }
    }

    @Test(
      "a request without an answer ends at its timeout, and the next one starts at once",
      arguments: TestBus.all)
    func timeout(bus: TestBus) async throws {
      let delegate = Answerer(onGet: { _, _ in .later })
      try await withDevice(bus, TestDescriptor.plain, delegate: delegate) { rig in
        let client = try rig.client()
        let start = ContinuousClock.now
        await #expect(throws: HIDDeviceError.timeout) {
          try await client.dispatchGetReportRequest(type: .feature, timeout: .milliseconds(200))
        }
        // This request is behind the first, which the delegate has not answered.
        await #expect(throws: HIDDeviceError.timeout) {
          try await client.dispatchSetReportRequest(
            type: .feature, data: Data(1...8), timeout: .milliseconds(200))
        }
        #expect(ContinuousClock.now - start >= .milliseconds(400))
        async let answer = client.dispatchGetReportRequest(type: .input)
        // The answer comes after the timeout, and is dropped.
        delegate.answer(.yes(report(9)))
        #expect(try await delegate.next() == .get(.feature, nil, maxSize: 8))
        #expect(try await delegate.next() == .set(.feature, nil, Array(1...8)))
        #expect(try await delegate.next() == .get(.input, nil, maxSize: 8))
        delegate.answer(.yes(Array(1...8)))
        #expect(try await [UInt8](answer) == Array(1...8))
        #expect(ContinuousClock.now - start < .seconds(3), "the bus' own bound is 5 s")
      }
    }

    @Test("a request without an answer fails after 5 s", arguments: TestBus.all)
    func noAnswer(bus: TestBus) async throws {
      let delegate = Answerer(onGet: { _, _ in .later })
      try await withDevice(bus, TestDescriptor.plain, delegate: delegate) { rig in
        let client = try rig.client()
        let start = ContinuousClock.now
        await #expect(throws: HIDDeviceError.ioError) {
          try await client.dispatchGetReportRequest(type: .feature)
        }
        let passed = ContinuousClock.now - start
        #expect(passed > .milliseconds(4900))
        #expect(passed < .seconds(8))
      }
    }

    @Test("an answer that comes too late is dropped", arguments: TestBus.all)
    func late(bus: TestBus) async throws {
      let delegate = Answerer(onGet: { _, _ in .later })
      try await withDevice(bus, TestDescriptor.plain, delegate: delegate) { rig in
        let client = try rig.client()
        // The timeout is long enough for the delegate to receive the request.
        async let late = failure {
          _ = try await client.dispatchGetReportRequest(type: .feature, timeout: .seconds(1))
        }
        _ = try await delegate.next()
        #expect(await late == .timeout)
        async let answer = client.dispatchGetReportRequest(type: .feature)
        delegate.answer(.yes(report(9)))
        _ = try await delegate.next()
        delegate.answer(.yes(report(1)))
        #expect(try await [UInt8](answer) == report(1))
      }
    }

    @Test("a delegate gets one request at a time", arguments: TestBus.all)
    func serialised(bus: TestBus) async throws {
      let delegate = Answerer(onGet: { _, _ in .later })
      try await withDevice(bus, TestDescriptor.plain, delegate: delegate) { rig in
        let (one, other) = (try rig.client(), try rig.client())
        async let first = one.dispatchGetReportRequest(type: .feature)
        async let second = other.dispatchGetReportRequest(type: .feature)
        for number in 1...2 {
          _ = try await delegate.next()
          #expect(delegate.requests.count == number)
          delegate.answer(.yes(report(number)))
        }
        #expect(try await Set([first, second].map { [UInt8]($0) }) == [report(1), report(2)])
      }
    }

    @Test("requests of one client run in the order they were made", arguments: TestBus.all)
    func order(bus: TestBus) async throws {
      try await withDevice(bus, TestDescriptor.numbered) { rig in
        let client = try rig.client()
        let five = try reportID(5)
        for number in 0..<50 as Range<UInt8> {
          try await client.dispatchSetReportRequest(
            type: .feature, id: five, data: Data([5, number]))
        }
        #expect(
          rig.delegate.requests
            == (0..<50 as Range<UInt8>).map { .set(.feature, five, [5, $0]) })
      }
    }

    @Test(
      "a device that is released ends its current request, and the request behind it fails",
      arguments: TestBus.all)
    func release(bus: TestBus) async throws {
      let delegate = Answerer(onGet: { _, _ in .later })
      try await bus.run {
        defer { delegate.refuseTheRest() }
        var rig: Rig? = try await Rig(properties(TestDescriptor.plain), delegate)
        let one = try #require(try rig?.client())
        let other = try #require(try rig?.client())
        let stream = await monitor(other)
        async let first = failure {
          let answer = try await one.dispatchGetReportRequest(type: .feature)
          #expect([UInt8](answer) == report(1))
        }
        _ = try await delegate.next()
        async let second = failure {
          _ = try await other.dispatchGetReportRequest(type: .feature)
        }
        rig = nil
        let start = ContinuousClock.now
        delegate.answer(.yes(report(1)))
        // When a device goes, the kernel returns EIO to a client that waits, answered or not
        // (6.12). A request behind it is refused, or finds no device any more.
        let errors = await [first, second]
        #expect(errors[0] == nil || bus == .kernel && errors[0] == .ioError)
        #expect(errors[1] == .notReady || errors[1] == .ioError)
        #expect(ContinuousClock.now - start < .seconds(3), "the bus' own bound is 5 s")
        #expect(delegate.requests.count == 1)
        #expect(try await rest(of: stream) == ["removed"])
      }
    }

    @Test("a device can be plugged while another device owes an answer", arguments: TestBus.all)
    func plugMeanwhile(bus: TestBus) async throws {
      let slow = Answerer(onGet: { _, _ in .later })
      try await withDevice(bus, TestDescriptor.plain, delegate: slow) { rig in
        let client = try rig.client()
        async let answer = client.dispatchGetReportRequest(type: .feature)
        _ = try await slow.next()
        // The kernel may delay the node until the answer, but not the activation.
        let device = try #require(HIDVirtualDevice(properties: properties(TestDescriptor.plain)))
        await device.activate(delegate: Answerer(onGet: { _, _ in .yes(report(2)) }))
        async let ready: Void = device.hidsim.waitUntilReady()
        let again = try rig.client()
        async let stream = again.hidsim.reports()
        slow.answer(.yes(report(1)))
        #expect(try await [UInt8](answer) == report(1))
        try await ready
        let other = try hidsimClient(of: device.deviceReference)
        #expect(
          try await [UInt8](other.dispatchGetReportRequest(type: .feature)) == report(2))
        let reports = try await stream
        try await rig.send(report(3))
        #expect(await take(1, from: reports) == [report(3)])
        withExtendedLifetime(again) {}
      }
    }
  }
}
