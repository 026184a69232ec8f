// SPDX-License-Identifier: Apache-2.0

import CoreHID
import Dispatch
import GameController
import IOLoop

/// The measurement of the time from sending a report to the call of a handler.
///
/// Each report is sent after the previous one was handled.
struct Latency {
  private static let ignored = 20
  let reports: Int

  func run() async throws {
    let device = try await BenchDevice(BenchDevice.keyboard, serialNumber: "latency")
    let (times, log) = AsyncStream<MonotonicTime>.makeStream()
    var iterator = times.makeAsyncIterator()

    try await coreHID(device, &iterator, log)

    let input = try await benchKeyboard()
    input.keyChangedHandler = { _, _, _, _ in log.yield(.now) }
    try await measure("key-changed-main", device, &iterator)
    GCKeyboard.coalesced?.handlerQueue = handlerQueue
    try await measure("key-changed", device, &iterator)
    await device.port.destroy()
  }

  /// Measures CoreHID's handlers, and closes their client.
  ///
  /// If the client stayed open, each report of the next measurements would be read twice.
  private func coreHID(
    _ device: BenchDevice, _ times: inout AsyncStream<MonotonicTime>.Iterator,
    _ log: AsyncStream<MonotonicTime>.Continuation
  ) async throws {
    let client = try await device.client()
    var handling = Optional(try await client.hidsim.handleReports { _ in log.yield(.now) })
    try await measure("handler", device, &times)
    for (name, queue) in [
      ("handler-queue-main", DispatchQueue.main), ("handler-queue", handlerQueue),
    ] {
      handling = try await client.hidsim.handleReports { _ in
        queue.async { log.yield(.now) }
      }
      try await measure(name, device, &times)
    }
    withExtendedLifetime(handling) {}
  }

  private func measure(
    _ bench: String, _ device: BenchDevice, _ times: inout AsyncStream<MonotonicTime>.Iterator
  ) async throws {
    var figures: [UInt64] = []
    for number in 0..<(reports + Self.ignored) {
      let sent = try await device.send(BenchDevice.keys(isDown: number.isMultiple(of: 2)))
      guard let handled = await times.next(isolation: #isolation) else { return }
      if number >= Self.ignored { figures.append(handled.nanoseconds - sent.nanoseconds) }
      // Wait until the threads of the reader and the handler are idle again.
      try await Task.sleep(for: .milliseconds(1))
    }
    let median = figures.sorted()[figures.count / 2]
    print(#"{"bench":"\#(bench)","n":\#(figures.count),"instructions":\#(median)}"#)
  }
}
