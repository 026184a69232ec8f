// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDReportDescriptor
import HIDSessions
import HIDSimulator
import HIDTraces
import Testing
import TestSupport

extension EndToEndTests {
  @Suite(
    "traces of real devices", .enabled(if: DescriptorCorpus.isPresent, "the corpus is not there"))
  struct TraceCorpusTests {
    /// Returns the paths of the recordings in the corpus.
    private static func files() throws -> [String] {
      try DescriptorCorpus.rows("index.tsv").filter { $0[2] == "trace" }.map { String($0[0]) }
    }

    @Test(
      "a client of a replay receives the reports of the trace in order, byte for byte",
      arguments: TestBus.available)
    func arrives(bus: TestBus) async throws {
      let files = try Self.files()
      #expect(files.count >= 282)
      var count = 0
      for file in files {
        let trace = try HIDTrace(
          Array(DescriptorCorpus.text(unpacking: file).utf8), name: file)
        let received = try await replay(trace, file, bus)
        for device in trace.devices.indices {
          let descriptor = try HIDReportDescriptor(parsing: trace.devices[device].descriptor)
          let expected = trace.inputs(of: device).compactMap { Self.carried($0, descriptor) }
          #expect(received[device] == expected, "\(file)")
          count += expected.count
        }
      }
      #expect(count > 3_000)
    }

    /// Returns the report as a bus carries it: padded if it is short; nil if it is not declared.
    private static func carried(_ report: [UInt8], _ descriptor: HIDReportDescriptor) -> [UInt8]? {
      let id =
        descriptor.numbersReports(.input) ? report.first.flatMap(HIDReportID.init(rawValue:)) : nil
      guard let layout = descriptor.report(.input, id: id) else { return nil }
      return report + Array(repeating: 0, count: max(0, layout.byteCount - report.count))
    }

    /// Plays a trace as fast as the bus accepts it, and returns the reports that came from each
    /// device.
    private func replay(
      _ trace: HIDTrace, _ file: String, _ bus: TestBus
    ) async throws -> [[[UInt8]]] {
      var pace = HIDTracePace()
      pace.isInstant = true
      // The device also answers requests of a vendor's driver that no trace contains.
      let name = String(file.split(separator: "/").last?.split(separator: ".").first ?? "")
      let definitions = SelfTestModel.complete(
        try HIDDeviceDefinition.devices(of: trace.devices, name: file), for: name)
      let plan = try ReplayPlan(
        HIDTraceReader(trace), definitions, file: file, isStrict: false, pace: pace)
      let log = HIDEventLog(keepsInput: false)
      let devices = SimulatedDevice.make(plan.definitions, log: log)
      let bus = try HIDBus(bus == .kernel ? .kernel : .loopback)
      do {
        for device in devices { try await device.plug(into: bus) }
        let received = try await withThrowingTaskGroup(of: (Int, [[UInt8]]).self) { group in
          for (place, device) in devices.enumerated() {
            let record = try #require(device.records.first)
            let (port, reports) = try await bus.clients.open(
              record, capacity: 1024, policy: .lossless)
            group.addTask {
              var all: [[UInt8]] = []
              for await report in reports { all.append([UInt8](report.bytes)) }
              port.close()
              return (place, all)
            }
          }
          let result = await plan.play(on: devices)
          #expect(result.isComplete, "\(file): \(result.words)")
          // A stream delivers all pending reports before it ends with its device.
          for device in devices { await device.unplug() }
          var received = Array(repeating: [[UInt8]](), count: devices.count)
          for try await (place, reports) in group { received[place] = reports }
          return received
        }
        #expect(log.totals.lost == 0, "\(file)")
        return received
      } catch {
        for device in devices { await device.unplug() }
        throw error
      }
    }
  }
}
