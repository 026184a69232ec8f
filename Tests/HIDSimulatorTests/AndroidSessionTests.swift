// SPDX-License-Identifier: Apache-2.0

import HIDBus
import Testing

@testable import HIDSessions
@testable import HIDSimulator

@Suite("AndroidSession", .timeLimit(.minutes(1)))
struct AndroidSessionTests {
  @Test("reports for a device that the bus has refused are skipped, and the session ends")
  func refusedDevice() async throws {
    let directory = try BusDirectory.temporary()
    // The bus cannot publish a device in a folder that is gone.
    directory.removeAll()
    let hub = DeviceHub([], on: HIDBus(loopbackIn: directory), log: HIDEventLog())
    let session = AndroidSession(hub, tell: { _ in }, rest: {}, complain: { _ in })
    let text = """
      {"id": 1, "command": "register", "name": "pad", "vid": 1, "pid": 2, "bus": "usb",
       "descriptor": \(RuntimeDescriptor.plain)}
      {"id": 1, "command": "report", "report": [1, 2, 3, 4]}
      """
    let chunks = AsyncStream<[UInt8]> { continuation in
      continuation.yield(Array(text.utf8))
      continuation.finish()
    }
    await session.run(chunks, file: "s")
    #expect(session.failureCount == 1, "the registration failed, and only it")
  }
}
