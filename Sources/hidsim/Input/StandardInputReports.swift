// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDSimulator

/// Reports from standard input, for `--send -`: one report per line, in hex.
enum StandardInputReports {
  /// The maximum number of reports that are sent together.
  ///
  /// It is large enough that the switch to the loop of the bus costs little per report. It is small
  /// enough that the kernel bus has sent a batch 32 ms after a Ctrl-C.
  private static let batchCount = 256

  /// Sends every report to a device when it arrives, until the end of standard input or the
  /// cancellation of the task.
  ///
  /// Short reports are filled up with zeros.
  ///
  /// - Throws: A failure for a line that is not valid, or a report longer than declared. The
  ///   reports before it were sent. The failures of ``StandardInput/chunks()``, and the error of
  ///   the bus if a report cannot be sent.
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

  /// Fills a batch, and sends it.
  ///
  /// If `fill` fails, the reports before the problem are still sent.
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
