// SPDX-License-Identifier: Apache-2.0

import HIDTraces
import Testing

@testable import HIDSessions
@testable import HIDSimulator

@Suite("Recordings of a run", .timeLimit(.minutes(1)))
struct LogTapTests {
  @Test("events that the recorder missed are a comment in the trace, and no lost input reports")
  func missed() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.plain))
    let hub = DeviceHub([stage.device.definition], on: stage.bus, log: stage.log)
    let tap = LogTap(hub)
    // The log keeps 65,536 events.
    for _ in 0..<65_540 {
      stage.log.append(HIDDeviceEvent(time: stage.base, device: "d", kind: .opened, client: nil))
    }
    stage.log.finish()
    await tap.run()
    var bytes: [UInt8] = []
    while let more = await tap.recording.take() { bytes += more }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    #expect(lines.contains("# 4 events are missing about here: hidsim was too slow"))
    #expect(lines.count { $0.hasPrefix("#! open ") } == 65_536)
    #expect(!lines.contains { $0.hasPrefix("#! lost ") })
    #expect(tap.recording.missing == 4)
    #expect(tap.recording.totals.map(\.lost) == [0])
  }
}
