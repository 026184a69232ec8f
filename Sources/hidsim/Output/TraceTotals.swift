// SPDX-License-Identifier: Apache-2.0

import HIDSimulator
import HIDTraces
import HIDWire

/// How much was recorded, in words.
struct TraceTotals {
  private let devices: [HIDTraceDevice]
  private let totals: [HIDTraceRecorder.Totals]

  init(_ recording: TraceRecording) {
    devices = recording.devices
    totals = recording.totals
  }

  /// How many input reports there were.
  var inputs: Int { totals.reduce(0) { $0 + $1.inputs } }

  /// `3 reports ("a keyboard" 2, "a mouse" 1), 1 output report, 2 requests, 0 lost here`.
  var words: String {
    var words = [inputs.counting("report") + perDevice]
    let outputs = totals.reduce(0) { $0 + $1.outputs }
    let requests = totals.reduce(0) { $0 + $1.requests }
    if outputs > 0 { words.append(outputs.counting("output report")) }
    if requests > 0 { words.append(requests.counting("request")) }
    words.append("\(totals.reduce(0) { $0 + $1.lost }) lost here")
    return words.joined(separator: ", ")
  }

  /// The reports of each device, where there are several.
  var perDevice: String {
    guard devices.count > 1 else { return "" }
    let parts = zip(devices, totals).map { "\"\($0.name ?? "")\" \($1.inputs)" }
    return " (\(parts.joined(separator: ", ")))"
  }
}
