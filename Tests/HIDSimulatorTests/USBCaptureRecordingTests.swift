// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDTraces
import Testing

@testable import HIDSessions
@testable import HIDSimulator

@Suite("A capture of USB transfers, while it is made", .timeLimit(.minutes(1)))
struct USBCaptureRecordingTests {
  private func step(_ data: [UInt8]) -> USBTransferStep {
    USBTransferStep(
      isEnd: true, id: 1, microseconds: 1_700_000_000_000_000, bus: 1, device: 2, endpoint: 0x81,
      kind: .interrupt, setup: nil, status: 0, byteCount: data.count, data: data, flags: 0,
      interval: 1)
  }

  @Test("the bytes wait for the file within a limit, and further packets are counted as lost")
  func bound() async throws {
    let recording = USBCaptureRecording()
    let data = [UInt8](repeating: 7, count: 60_000)
    for _ in 0..<1_000 { recording.record(step(data)) }
    #expect(recording.lostCount > 0)
    #expect(recording.packetCount + recording.lostCount == 1_000)
    let bytes = try #require(await recording.take())
    #expect(bytes.count <= USBCaptureRecording.capacity + 61_000)
    // There is room again.
    let count = recording.packetCount
    recording.record(step([1]))
    #expect(recording.packetCount == count + 1)
    recording.finish()
    let rest = try #require(await recording.take())
    #expect(await recording.take() == nil)
    let error = #expect(throws: HIDTraceError.self) {
      try HIDTrace(bytes + rest, name: "a.pcapng")
    }
    // The packets are read to the end; they have no report descriptor.
    #expect(error?.description.contains("descriptor") == true)
  }

  @Test("a device that is plugged gets the next number, 2 to 127")
  func numbers() {
    let recording = USBCaptureRecording()
    let numbers = (0..<127).map { _ in recording.nextDeviceNumber() }
    #expect(numbers.first == 2 && numbers[125] == 127 && numbers[126] == 2)
  }
}
