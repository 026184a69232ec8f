// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDReportDescriptor
import HIDSessions
import HIDSimulator
import Testing

@Suite("HIDProxy", .timeLimit(.minutes(1)))
struct HIDProxyTests {
  /// A device with two interfaces, whose reports have three bytes of each type.
  private static let file = """
    {"hidsim": 1, "name": "two", "vendorID": 1, "productID": 2, "interfaces": [
      {"name": "a", "reportDescriptor": {"hex": "06 00 ff 09 01 a1 01 15 00 26 ff 00 75 08 95 03 09 01 81 02 09 01 91 02 09 01 b1 02 c0"},
       "reports": [{"type": "feature", "initial": "0a 0b 0c"}]},
      {"name": "b", "reportDescriptor": {"hex": "06 00 ff 09 01 a1 01 15 00 26 ff 00 75 08 95 03 09 01 81 02 09 01 91 02 09 01 b1 02 c0"}}]}
    """

  @Test(
    "a host of the twin gets the original's reports and answers, and no interface blocks another")
  func both() async throws {
    try await HIDBus.isolated {
      let bus = try #require(HIDBus.current)
      let definition = try HIDDeviceFile.parse(Array(Self.file.utf8), name: "two") { _ in [] }
      let originalLog = HIDEventLog()
      let original = SimulatedDevice.make([definition], log: originalLog)[0]
      try await original.plug(into: bus)
      let proxy = try await HIDProxy.open(original.records, on: bus.clients)
      let log = HIDEventLog()
      let twin = SimulatedDevice.make([proxy.definition], log: log)[0]
      proxy.serve(twin, log: log)
      try await twin.plug(into: bus)
      let forwarding = Task { await proxy.forwardInput(to: twin) }
      #expect(twin.records.count == 2)
      #expect(Set(twin.records.map(\.id)).isDisjoint(with: original.records.map(\.id)))

      let (a, reports) = try await bus.clients.open(
        twin.records[0], capacity: 64, policy: .lossless)
      let b = try await bus.clients.open(twin.records[1])
      try await original.send([[1, 2, 3], [4, 5, 6]])
      var iterator = reports.makeAsyncIterator()
      #expect(await iterator.next().map { [UInt8]($0.bytes) } == [1, 2, 3])
      #expect(await iterator.next().map { [UInt8]($0.bytes) } == [4, 5, 6])

      // The second interface waits for an answer that the test gives only after the first interface
      // has answered.
      original.delegate(HIDDelegation(setsReports: false, deadline: .seconds(30)))
      async let late = b.getReport(.feature, nil, timeout: nil)
      let request = try await Self.request(originalLog)
      original.delegate(nil)
      #expect(try await a.getReport(.feature, nil, timeout: nil) == [10, 11, 12])
      try await a.setReport(.feature, [7, 8, 9], timeout: nil)
      #expect(try await a.getReport(.feature, nil, timeout: nil) == [7, 8, 9])
      original.answer(request, with: .report([31, 32, 33]))
      #expect(try await late == [31, 32, 33])
      await #expect(throws: HIDBusError.self) {
        try await a.getReport(.feature, HIDReportID(rawValue: 9), timeout: nil)
      }
      try await a.write([0, 21, 22, 23])
      var next = 0
      var output: [UInt8]?
      while output == nil, await originalLog.wait(for: next) {
        for event in originalLog.read(from: &next).events {
          if case .output(let report) = event.kind { output = report.bytes }
        }
      }
      #expect(output == [21, 22, 23])

      await original.unplug()
      await forwarding.value
      await twin.unplug()
      log.finish()
      await proxy.close()
      #expect(proxy.lostReports == 0 && proxy.refusedOutputs == 0)
      #expect(proxy.paddedReports == 0 && proxy.unsendableReports == 0)
      #expect(log.totals.inputs == 2 && log.totals.outputs == 1)
    }
  }

  @Test("after the proxy is closed, its twin answers hosts itself")
  func closed() async throws {
    try await HIDBus.isolated {
      let bus = try #require(HIDBus.current)
      let definition = try HIDDeviceFile.parse(Array(Self.file.utf8), name: "two") { _ in [] }
      let original = SimulatedDevice.make([definition], log: HIDEventLog())[0]
      try await original.plug(into: bus)
      let proxy = try await HIDProxy.open(original.records, on: bus.clients)
      let log = HIDEventLog()
      let twin = SimulatedDevice.make([proxy.definition], log: log)[0]
      proxy.serve(twin, log: log)
      try await twin.plug(into: bus)
      let client = try await bus.clients.open(twin.records[0])
      #expect(try await client.getReport(.feature, nil, timeout: nil) == [10, 11, 12])
      await proxy.close()
      #expect(try await client.getReport(.feature, nil, timeout: nil) == [0, 0, 0])
      client.close()
      await twin.unplug()
      await original.unplug()
    }
  }

  @Test("the log has short reports before they are filled up, and reports that cannot be sent")
  func own() async throws {
    try await HIDBus.isolated {
      let bus = try #require(HIDBus.current)
      let definition = try HIDDeviceFile.parse(Array(Self.file.utf8), name: "two") { _ in [] }
      let log = HIDEventLog()
      let twin = SimulatedDevice.make([definition], log: log)[0]
      try await twin.plug(into: bus)
      let (port, reports) = try await bus.clients.open(
        twin.records[0], capacity: 64, policy: .lossless)
      var sent = HIDReportBatch()
      var own = HIDReportBatch()
      for count in 1...40 as ClosedRange<UInt8> {
        sent.append([count, 0, 0])
        own.append([count])
      }
      try await twin.send(sent, interface: 0, own: own)
      twin.noteUnsent([1, 2, 3, 4, 5], interface: 0)
      var iterator = reports.makeAsyncIterator()
      for count in 1...40 as ClosedRange<UInt8> {
        #expect(await iterator.next().map { [UInt8]($0.bytes) } == [count, 0, 0])
      }
      var next = 0
      let inputs = log.read(from: &next).events.compactMap { event in
        if case .input(let report) = event.kind { report.bytes } else { nil }
      }
      #expect(inputs == (1...40).map { [UInt8($0)] } + [[1, 2, 3, 4, 5]])
      port.close()
      await twin.unplug()
    }
  }

  /// Waits for a request that the device leaves to the test, and returns its number.
  private static func request(_ log: HIDEventLog) async throws -> UInt64 {
    var next = 0
    while await log.wait(for: next) {
      for event in log.read(from: &next).events {
        if case .request(let request) = event.kind { return request.number }
      }
    }
    throw CancellationError()
  }
}
