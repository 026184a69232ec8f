// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDReportDescriptor
import Testing

extension ConformanceTests {
  /// Reports that a client sends without waiting for the device.
  @Suite(.serialized) struct Output {
    @Test(
      "an unnumbered write arrives with the bus' leading 0, which is not part of the report",
      arguments: BusUnderTest.all, [[0x02], [0x00]] as [[UInt8]])
    func plain(_ bus: BusUnderTest, _ leds: [UInt8]) async throws {
      try await withDevice(bus, TestDescriptor.keyboard) { rig in
        let client = try await rig.client()
        try await client.write([0x00] + leds)
        let raw = try await rig.handler.nextOutput()
        #expect(Array(raw) == bus.mark + leds)
        let (id, dropping) = rig.port.lengths.normalized(raw, type: .output)
        #expect(id == nil)
        #expect(Array(raw.droppingFirst(dropping)) == leds)
      }
    }

    @Test("a write keeps its report ID", arguments: BusUnderTest.all)
    func numbered(_ bus: BusUnderTest) async throws {
      try await withDevice(bus, TestDescriptor.numbered) { rig in
        let client = try await rig.client()
        try await client.write([3, 7, 8, 9])
        let raw = try await rig.handler.nextOutput()
        #expect(Array(raw) == [3, 7, 8, 9])
        let (id, dropping) = rig.port.lengths.normalized(raw, type: .output)
        #expect(id == HIDReportID(rawValue: 3))
        #expect(dropping == 0)
      }
    }

    @Test(
      "numbered input does not make output numbered", arguments: BusUnderTest.all)
    func mixed(_ bus: BusUnderTest) async throws {
      try await withDevice(bus, TestDescriptor.mixed) { rig in
        let client = try await rig.client()
        let stream = client.reports(capacity: 64, policy: .lossless)
        try await client.write([0, 1, 2])
        let raw = try await rig.handler.nextOutput()
        #expect(Array(raw) == bus.mark + [1, 2])
        #expect(rig.port.lengths.normalized(raw, type: .output).dropping == bus.mark.count)
        try await rig.send([1, 8, 9])
        #expect(await take(1, from: stream) == [[1, 8, 9]])
      }
    }

    @Test(
      "a report that a host has written reaches the device before catchUp returns",
      arguments: BusUnderTest.all)
    func catchUp(_ bus: BusUnderTest) async throws {
      for number in 0..<20 as Range<UInt8> {
        try await withDevice(bus, TestDescriptor.plain) { rig in
          let client = try await rig.client()
          let report = [number, 0, 0, 0, 0, 0, 0, 0]
          try await client.write([0] + report)
          client.close()
          await rig.port.catchUp()
          let arrived = HIDHostEvent.output(HIDReportBytes(bus.mark + report))
          #expect(rig.handler.events.contains(arrived))
        }
      }
    }

    @Test("writes arrive in order", arguments: BusUnderTest.all)
    func order(_ bus: BusUnderTest) async throws {
      try await withDevice(bus, TestDescriptor.numbered) { rig in
        let client = try await rig.client()
        for number in 0..<100 as Range<UInt8> {
          try await client.write([3, number, 0, 0])
          #expect(Array(try await rig.handler.nextOutput()) == [3, number, 0, 0])
        }
      }
    }

    @Test("a write of one byte, or of none, is an invalid argument", arguments: BusUnderTest.all)
    func tooShort(_ bus: BusUnderTest) async throws {
      try await withDevice(bus, TestDescriptor.keyboard) { rig in
        let client = try await rig.client()
        #expect(await failure { try await client.write([0x02]) } == .invalidArgument)
        #expect(await failure { try await client.write([]) } == .invalidArgument)
        try await client.write([0, 1])
        #expect(Array(try await rig.handler.nextOutput()) == bus.mark + [1])
      }
    }

    @Test("a write of more than 16,384 bytes is an invalid argument", arguments: BusUnderTest.all)
    func tooLong(_ bus: BusUnderTest) async throws {
      try await withDevice(bus, TestDescriptor.keyboard) { rig in
        let client = try await rig.client()
        let report = [UInt8](repeating: 0, count: 16_385)
        #expect(await failure { try await client.write(report) } == .invalidArgument)
      }
    }

    @Test(
      "a write longer or shorter than declared reaches the device as it is",
      arguments: BusUnderTest.all)
    func otherLengths(_ bus: BusUnderTest) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        let client = try await rig.client()
        for report in [[0, 1], [0] + Array(1...20), [5, 6, 7, 8, 9, 10, 11, 12]] as [[UInt8]] {
          try await client.write(report)
          let raw = try await rig.handler.nextOutput()
          #expect(Array(raw) == (report[0] == 0 ? bus.mark + report.dropFirst() : report))
          // The write does not have exactly one byte more than declared, so nothing shows that the
          // first byte is not part of the report.
          #expect(rig.port.lengths.normalized(raw, type: .output).dropping == 0)
        }
      }
    }

    @Test("setting an output report does not wait for the device", arguments: BusUnderTest.all)
    func setOutput(_ bus: BusUnderTest) async throws {
      let handler = RecordingHandler(onSet: { _, _, _ in .silence })
      try await withDevice(bus, TestDescriptor.plain, handler: handler) { rig in
        let client = try await rig.client()
        try await client.setReport(.output, [1, 2, 3, 4, 5, 6, 7, 8], timeout: nil)
        #expect(Array(try await handler.nextOutput()) == bus.mark + [1, 2, 3, 4, 5, 6, 7, 8])
      }
      try await withDevice(bus, TestDescriptor.numbered) { rig in
        let client = try await rig.client()
        try await client.setReport(.output, [3, 1, 2, 3], timeout: nil)
        #expect(Array(try await rig.handler.nextOutput()) == [3, 1, 2, 3])
      }
    }
  }
}
