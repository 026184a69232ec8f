// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDSimulator
import HIDText
import HIDTraces

/// A difference between the actions of a host and a trace, as text and as JSON.
struct AssertionText: CustomStringConvertible {
  private let mismatch: HIDTraceAssertion.Mismatch
  private let label: String
  private let descriptor: HIDReportDescriptor?

  init(_ mismatch: HIDTraceAssertion.Mismatch, label: String, of devices: [HIDTraceDevice]) {
    self.mismatch = mismatch
    self.label = label
    descriptor = try? HIDReportDescriptor(parsing: devices[mismatch.event.device].descriptor)
  }

  /// The difference as text.
  ///
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

  /// The difference as a JSON object.
  var line: JSONLine {
    let event = mismatch.event
    // The bytes of a get request are the answer of the device, and not an action of the host.
    var report = event.kind.reportBytes.map { JSONText.bytes([UInt8]($0)) } ?? .null
    if case .getReport = event.kind { report = .null }
    var line = JSONLine()
    line.add("event", "mismatch")
    line.add("device", .string(label))
    line.add("time", .integer(event.microseconds))
    line.add("change", mismatch.kind == .missing ? "missing" : "unexpected")
    line.add("kind", .string(event.kind.name.rawValue))
    line.add("type", .optional(event.kind.reportType) { .string("\($0)") })
    line.add(
      "report", .optional(event.kind.reportID(on: descriptor)) { .integer($0.rawValue) })
    line.add("expected", mismatch.kind == .missing ? report : .null)
    line.add("actual", mismatch.kind == .missing ? .null : report)
    line.add("line", event.line > 0 ? .integer(event.line) : .null)
    return line
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
