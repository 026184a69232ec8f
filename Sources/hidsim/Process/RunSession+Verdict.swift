// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDBus
import HIDSessions
import HIDSimulator
import HIDText
import HIDTimeline
import IOLoop

extension RunSession {
  /// Writes the test reports, and prints the outcome of a run and the totals of its recording.
  ///
  /// - Parameters:
  ///   - script: The script that was played; nil for none.
  ///   - reports: The files for the results of its tests.
  /// - Throws: The exit status, unless it is 0; a failure if a report cannot be written.
  func conclude(
    _ outcome: RunWork.Outcome, of script: HIDScript?, reports: [ReportFile],
    printer: EventPrinter, isStrict: Bool
  ) throws {
    if let script {
      let report = outcome.report ?? HIDScriptReport(of: script)
      var result = ScriptResult(report: report)
      if reports.contains(where: \.hasTimelines) {
        result.timeline = TimelineJSON.timeline(of: log, base: base, devices: devices)
      }
      for file in reports { try file.write(result) }
    }
    let totals = log.totals
    let verdict = outcome.judged(by: totals, isStrict: isStrict, isCutShort: isCutShort)
    if let complaint = verdict.complaint { Output.shared.complain(complaint) }
    let padded = devices.reduce(0) { $0 + $1.padded }
    let filledUp = padded > 0 ? "\(padded.counting("short report")) filled up" : nil
    let words = [filledUp, verdict.words].compactMap(\.self).joined(separator: ", ")
    printer.summary(
      totals, bus: bus.kind, at: log.timeline.now.microseconds(since: base),
      outcome: words.isEmpty ? nil : words)
    let traceStatus = tellTrace()
    // A failure of the run takes precedence over a failure of its trace.
    let status = verdict.status != 0 ? verdict.status : traceStatus
    if status != 0 { throw ExitCode(status) }
  }
}
