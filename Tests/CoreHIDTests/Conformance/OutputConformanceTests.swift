// SPDX-License-Identifier: Apache-2.0

// These tests of `ConformanceTests` do not apply here:
// - A report that a host has written reaches the device before the device goes: a virtual device
//   goes when it is released. No delegate is left then to receive the report.
// - A write of one byte is an invalid argument: one byte is a whole report if reports are
//   unnumbered. In a numbered report it would be the ID alone; that test is below.

import CoreHID
import Testing

extension OnBothBuses {
  /// The output reports that a client sends, and the lengths of output and feature reports.
  @Suite("Conformance: output")
  struct OutputConformanceTests {
    @Test(
      "an unnumbered report arrives as it was sent", arguments: TestBus.all,
      [[0x02], [0x00]] as [[UInt8]])
    func plain(bus: TestBus, lamps: [UInt8]) async throws {
      try await withDevice(bus, TestDescriptor.keyboard) { rig in
        let client = try rig.client()
        try await client.dispatchSetReportRequest(type: .output, data: Data(lamps))
        #expect(try await rig.delegate.next() == .set(.output, nil, lamps))
      }
    }

    @Test("a numbered report keeps its ID", arguments: TestBus.all)
    func numbered(bus: TestBus) async throws {
      try await withDevice(bus, TestDescriptor.numbered) { rig in
        let client = try rig.client()
        let three = try reportID(3)
        for id in [three, nil] {
          try await client.dispatchSetReportRequest(
            type: .output, id: id, data: Data([3, 7, 8, 9]))
          #expect(try await rig.delegate.next() == .set(.output, three, [3, 7, 8, 9]))
        }
      }
    }

    @Test("numbered input does not make output numbered", arguments: TestBus.all)
    func mixed(bus: TestBus) async throws {
      let delegate = Answerer(onGet: { _, _ in .yes([5, 6]) })
      try await withDevice(bus, TestDescriptor.mixed, delegate: delegate) { rig in
        let client = try rig.client()
        let stream = await monitor(client)
        try await client.dispatchSetReportRequest(type: .output, data: Data([1, 2]))
        #expect(try await rig.delegate.next() == .set(.output, nil, [1, 2]))
        #expect(try await client.dispatchGetReportRequest(type: .feature) == Data([5, 6]))
        #expect(try await rig.delegate.next() == .get(.feature, nil, maxSize: 2))
        try await rig.send([1, 8, 9])
        #expect(try await take(1, from: stream) == [[1, 8, 9]])
      }
    }

    @Test("reports arrive in order", arguments: TestBus.all)
    func order(bus: TestBus) async throws {
      try await withDevice(bus, TestDescriptor.numbered) { rig in
        let client = try rig.client()
        let three = try reportID(3)
        // The kernel has room for 31 reports that the device has not taken (6.12).
        for burst in 0..<5 as Range<UInt8> {
          let sent = (0..<20 as Range<UInt8>).map { [3, burst, $0, 0] }
          for report in sent {
            try await client.dispatchSetReportRequest(type: .output, id: three, data: Data(report))
          }
          for report in sent {
            try #require(try await rig.delegate.next() == .set(.output, three, report))
          }
        }
      }
    }

    @Test("a report without data is a bad argument", arguments: TestBus.all)
    func tooShort(bus: TestBus) async throws {
      try await withDevice(bus, TestDescriptor.numbered) { rig in
        let client = try rig.client()
        // The data is empty, or it is an ID without a report.
        for data in [Data(), Data([3])] {
          await #expect(throws: HIDDeviceError.badArgument) {
            try await client.dispatchSetReportRequest(type: .output, data: data)
          }
        }
        try await client.dispatchSetReportRequest(type: .output, data: Data([3, 1]))
        #expect(try await rig.delegate.next() == .set(.output, try reportID(3), [3, 1]))
      }
    }

    @Test("a report of more than 16,384 bytes is too large", arguments: TestBus.all)
    func tooLong(bus: TestBus) async throws {
      try await withDevice(bus, TestDescriptor.keyboard) { rig in
        let client = try rig.client()
        await #expect(throws: HIDDeviceError.messageTooLarge) {
          try await client.dispatchSetReportRequest(type: .output, data: Data(count: 16_385))
        }
        #expect(rig.delegate.requests.isEmpty)
      }
    }

    @Test(
      "a numbered report longer or shorter than declared reaches the delegate as it is",
      arguments: TestBus.all, [HIDReportType.output, .feature])
    func otherLengths(bus: TestBus, type: HIDReportType) async throws {
      try await withDevice(bus, TestDescriptor.numbered) { rig in
        let client = try rig.client()
        let id = try reportID(type == .output ? 3 : 4)
        for payload in [[1], Array(1...20), [0, 0]] as [[UInt8]] {
          let report = [id.rawValue] + payload
          try await client.dispatchSetReportRequest(type: type, id: id, data: Data(report))
          #expect(try await rig.delegate.next() == .set(type, id, report))
        }
      }
    }

    // On the bus an unnumbered report has a 0 in front. Only the length shows whether a leading 0
    // is a part of the report.
    @Test(
      "a short unnumbered report reaches the delegate filled up, and a longer one as it is",
      arguments: TestBus.all, [HIDReportType.output, .feature])
    func otherPlainLengths(bus: TestBus, type: HIDReportType) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        let client = try rig.client()
        for report in [[1], Array(1...20), [0, 5]] as [[UInt8]] {
          try await client.dispatchSetReportRequest(type: type, data: Data(report))
          let missing = max(0, 8 - report.count)
          let whole = report + [UInt8](repeating: 0, count: missing)
          #expect(try await rig.delegate.next() == .set(type, nil, whole))
        }
        for report in [[5, 6, 7, 8, 9, 10, 11, 12], [0, 0, 0, 0, 0, 0, 0, 1]] as [[UInt8]] {
          try await client.dispatchSetReportRequest(type: type, data: Data(report))
          #expect(try await rig.delegate.next() == .set(type, nil, report))
        }
      }
    }

    @Test("setting an output report does not wait for the delegate", arguments: TestBus.all)
    func doesNotWait(bus: TestBus) async throws {
      for (descriptor, report) in [
        (TestDescriptor.plain, Array(1...8)), (TestDescriptor.numbered, [3, 1, 2, 3]),
      ] as [(Data, [UInt8])] {
        let delegate = Answerer(onSet: { _, _ in .later })
        try await withDevice(bus, descriptor, delegate: delegate) { rig in
          let client = try rig.client()
          // The call returns although the delegate does not answer.
          try await client.dispatchSetReportRequest(type: .output, data: Data(report))
          guard case .set(.output, _, report) = try await delegate.next() else {
            Issue.record("another request: \(delegate.requests)")
            return
          }
        }
      }
    }

    @Test("an output report that the delegate refuses is no error", arguments: TestBus.all)
    func refused(bus: TestBus) async throws {
      let delegate = Answerer(onSet: { _, _ in .no })
      try await withDevice(bus, TestDescriptor.plain, delegate: delegate) { rig in
        let client = try rig.client()
        for number in 1...3 {
          try await client.dispatchSetReportRequest(type: .output, data: Data(report(number)))
          #expect(try await delegate.next() == .set(.output, nil, report(number)))
        }
      }
    }
  }
}
