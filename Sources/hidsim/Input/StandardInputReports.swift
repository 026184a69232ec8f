// SPDX-License-Identifier: Apache-2.0

import HIDSimulator
import HIDWire

/// Reports from standard input, for `--send -`: a line a report, in hex.
enum StandardInputReports {
  /// How many reports are sent together at most: enough that a hop to the bus' loop costs each next to
  /// nothing, and few enough that the kernel bus has sent them 32 ms after a Ctrl-C.
  private static let batchCount = 256

  /// Sends every report to a device as it comes, to the end of standard input.
  ///
  /// Short reports are filled up with zeros; longer ones than declared are an error, after those before them
  /// were sent.
  static func send(to device: SimulatedDevice) async throws {
    var lines = HIDHexLines(HIDReportLengths(device.definition.interfaces[0].descriptor))
    var batch = HIDReportBatch()
    defer { device.countPadded(lines.padded) }
    for await chunk in try StandardInput.chunks() {
      var position = 0
      while position < chunk.count, !Task.isCancelled {
        try await send(&batch, to: device) { batch throws(HIDHexLines.Problem) in
          try lines.read(chunk, from: &position, into: &batch, limit: batchCount)
        }
      }
    }
    guard !Task.isCancelled else { return }
    try await send(&batch, to: device) { batch throws(HIDHexLines.Problem) in
      try lines.finish(into: &batch)
    }
  }

  /// Fills a batch, and sends it, also where there was a problem with what follows it.
  private static func send(
    _ batch: inout HIDReportBatch, to device: SimulatedDevice,
    _ fill: (inout HIDReportBatch) throws(HIDHexLines.Problem) -> Void
  ) async throws {
    batch.removeAll()
    var problem: HIDHexLines.Problem?
    do throws(HIDHexLines.Problem) { try fill(&batch) } catch { problem = error }
    if !batch.isEmpty { try await device.send(batch) }
    if let problem { throw Failure(.wrongData, "standard input, \(problem)") }
  }
}
