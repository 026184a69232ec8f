// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDSimulator
import HIDTraces
import IOLoop

/// What a host did otherwise than a trace says, in words.
struct AssertionText: CustomStringConvertible {
  private let mismatch: HIDTraceAssertion.Mismatch
  private let label: String
  private let descriptor: HIDReportDescriptor?

  init(_ mismatch: HIDTraceAssertion.Mismatch, label: String, of devices: [HIDTraceDevice]) {
    self.mismatch = mismatch
    self.label = label
    descriptor = try? HIDReportDescriptor(parsing: devices[mismatch.event.device].descriptor)
  }

  /// `keyboard: expected output 02  led.capsLock on at 1.250000 (line 12): it did not come`.
  var description: String {
    let time = secondsText(mismatch.event.microseconds)
    switch mismatch.kind {
    case .missing:
      let place = mismatch.event.line > 0 ? " (line \(mismatch.event.line))" : ""
      return "\(label): expected \(event) at \(time)\(place): it did not come"
    case .unexpected: return "\(label): not expected: \(event) at \(time)"
    }
  }

  private var event: String {
    switch mismatch.event.kind {
    case .output(let report): "output \(report)\(values(.output, report))"
    case .setReport(let set): "set \(set.type) \(set.report)\(values(set.type, set.report))"
    case .getReport(let get): "get \(get.type)\(get.id.map { " \($0)" } ?? "")"
    default: "an event"
    }
  }

  private func values(_ type: HIDReportType, _ report: HIDReportBytes) -> String {
    let changes = descriptor?.namedChanges(type, from: nil, to: [UInt8](report)) ?? []
    return changes.isEmpty ? "" : "  " + changes.map(\.description).joined(separator: ", ")
  }
}
