// SPDX-License-Identifier: Apache-2.0

import Dispatch
@testable import HIDBus
import HIDReportDescriptor
import IOLoop
import Testing

/// A handler that sends many reports at once when the first client opens the device.
private final class Flood: HIDDeviceHandler {
  /// More reports than are kept for a client that has opened a device without a stream.
  static let reports = (0..<10_000).map { number in
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
  let isSent = DispatchSemaphore(value: 0)

  func receive(_ events: [HIDHostEventRecord], from port: any HIDDevicePort) {
    guard events.contains(where: { $0.event == .open }) else { return }
    var batch = HIDReportBatch()
    for report in Self.reports { batch.append(report) }
    let all = batch
    // The reports fit into the outbox of a client, so one call takes them all.
    _ = port.assumeIsolated { try? $0.sendInput(all, from: 0) }
    isSent.signal()
  }
}

@Suite("Opening a device", .timeLimit(.minutes(1)))
struct OpeningTests {
  @Test("a stream that is opened with its device misses no report")
  func withStream() async throws {
    let folder = try Folder()
    let flood = Flood()
    let port = try await folder.bus.plug(plain(), handler: flood)
    let record = try await port.ready(within: .seconds(10))
    // The client's loop blocks until the reports are sent, so they arrive before the client's open
    // call returns.
    await withCheckedContinuation { continuation in
      LoopbackClient.loop.schedule(at: .now) {
        continuation.resume()
        flood.isSent.wait()
      }
    }
    let (client, stream) = try await folder.bus.open(record, capacity: 64, policy: .lossless)
    var heard: [[UInt8]] = []
    for await report in stream {
      heard.append(Array(report.bytes))
      if heard.count == Flood.reports.count - stream.lost.count { break }
    }
    #expect(stream.lost == 0)
    #expect(heard == Flood.reports)
    client.close()
    await port.destroy()
  }
}
