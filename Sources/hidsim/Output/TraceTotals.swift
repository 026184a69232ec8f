// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDSessions
import HIDSimulator
import HIDText
import HIDTraces

extension HIDLossCount {
  /// Returns the count for a closing line: `3 lost here`, `lost here: at least 3`, or
  /// `lost here: unknown`.
  ///
  /// The kernel bus drops reports without an error. A count that is not complete there reads
  /// `0 lost here, kernel losses: unknown`.
  func words(on bus: HIDBusKind) -> String {
    if isComplete { return "\(count) lost here" }
    if bus.usesKernel { return "\(count) lost here, \(TraceTotals.kernelLosses)" }
    return "lost here: \(self)"
  }
}

/// The totals of a recording, as text.
struct TraceTotals {
  private let devices: [HIDTraceDevice]
  private let totals: [HIDTraceRecorder.Totals]
  private let missing: Int
  private let buses: Set<HIDBusKind>

  /// Makes the totals of a recording.
  ///
  /// - Parameter buses: The buses whose losses are not completely known.
  init(_ recording: TraceRecording, unknownLossesOn buses: Set<HIDBusKind> = []) {
    self.buses = buses
    devices = recording.devices
    totals = recording.totals
    missing = recording.missing
  }

  /// The words for reports that the kernel may have dropped.
  static let kernelLosses = "kernel losses: unknown"

  /// The number of input reports.
  var inputs: Int { totals.reduce(0) { $0 + $1.inputs } }

  /// The totals as text.
  ///
  /// `3 reports ("a keyboard" 2, "a mouse" 1), 1 output report, 2 requests, 0 lost here`. If events
  /// of any kind were not recorded, their number follows: `4 events missed`. For the kernel bus,
  /// ``kernelLosses`` comes last.
  var words: String {
    var words = [inputs.counting("report") + perDevice]
    let outputs = totals.reduce(0) { $0 + $1.outputs }
    let requests = totals.reduce(0) { $0 + $1.requests }
    if outputs > 0 { words.append(outputs.counting("output report")) }
    if requests > 0 { words.append(requests.counting("request")) }
    // Each count can be the largest number.
    let lost = totals.reduce(0) { Int(clamping: Int64($0).added(Int64($1.lost))) }
    let isComplete = !buses.contains(.loopback)
    words.append(HIDLossCount(lost, isComplete: isComplete).words(on: .loopback))
    if missing > 0 { words.append("\(missing.counting("event")) missed") }
    if buses.contains(where: \.usesKernel) { words.append(Self.kernelLosses) }
    return words.joined(separator: ", ")
  }

  /// The number of input reports of each device, in parentheses; empty for a single device.
  var perDevice: String {
    guard devices.count > 1 else { return "" }
    let parts = zip(devices, totals).map { "\"\($0.name ?? "")\" \($1.inputs)" }
    return " (\(parts.joined(separator: ", ")))"
  }
}
