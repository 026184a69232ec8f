// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDSimulator
import HIDText
package import HIDTraces

/// A writer of a trace as JSON that Perfetto and Chrome's tracing show.
///
/// Each device is a process with two threads: one for the output reports, the requests, and the
/// opening and closing by hosts; one for all other events. Requests last as long as their answers
/// took. Each control that changes is a counter; that of a relative control has its last movement.
///
/// Source: Trace Event Format, "JSON Object Format".
package struct PerfettoWriter: Sendable {
  private let devices: [HIDTraceDevice]
  private var timeline: TraceTimeline
  private var isFirst = true

  package init(devices: [HIDTraceDevice]) {
    self.devices = devices
    timeline = TraceTimeline(devices)
  }

  /// Writes the lines before the first event.
  package mutating func begin(into output: inout [UInt8]) {
    output += Array(#"{"displayTimeUnit":"ms","traceEvents":["#.utf8)
    for device in devices.indices {
      add(name(timeline.label(of: device), "process_name", device, nil), to: &output)
      add(name("from the device", "thread_name", device, 1), to: &output)
      add(name("from hosts", "thread_name", device, 2), to: &output)
    }
  }

  /// Writes an event; leaves out an event of a device that is not in the trace's list.
  package mutating func write(_ event: HIDTraceEvent, into output: inout [UInt8]) {
    guard devices.indices.contains(event.device) else { return }
    let (time, changes) = timeline.take(event)
    let latency = max(0, event.kind.latency ?? 0)
    let line = JSONLine { line in
      line.add("name", .string(words(event)))
      line.add("cat", .string(event.kind.name.rawValue))
      if latency > 0 {
        line.add("ph", "X")
        line.add("dur", .integer(latency))
      } else {
        line.add("ph", "i")
        line.add("s", "t")
      }
      line.add("ts", .integer(time - latency))
      addPlace(event.device, isFromHost(event) ? 2 : 1, to: &line)
      line.add(
        "args",
        .object { arguments in
          if let bytes = event.kind.reportBytes {
            arguments.add("bytes", .bytes([UInt8](bytes)))
          }
          for change in changes { arguments.add(change.name, .integer(change.value)) }
          event.kind.addOutcome(to: &arguments)
          if event.line > 0 { arguments.add("line", .integer(event.line)) }
        })
    }
    add(line, to: &output)
    for change in changes {
      add(
        JSONLine { line in
          line.add("name", .string("\(event.kind.reportType.map { "\($0) " } ?? "")\(change.name)"))
          line.add("ph", "C")
          line.add("ts", .integer(time))
          addPlace(event.device, 1, to: &line)
          line.add("args", .object { $0.add("value", .integer(change.value)) })
        }, to: &output)
    }
  }

  /// Writes the end.
  package func end(into output: inout [UInt8]) { output += Array("\n]}\n".utf8) }

  private func name(_ text: String, _ kind: JSONText, _ device: Int, _ thread: Int?) -> JSONLine {
    JSONLine { line in
      line.add("name", kind)
      line.add("ph", "M")
      addPlace(device, thread, to: &line)
      line.add("args", .object { $0.add("name", .string(text)) })
    }
  }

  private func addPlace(_ device: Int, _ thread: Int?, to line: inout JSONLine) {
    line.add("pid", .integer(device + 1))
    if let thread { line.add("tid", .integer(thread)) }
  }

  private func isFromHost(_ event: HIDTraceEvent) -> Bool {
    switch event.kind {
    case .output, .getReport, .setReport, .opened, .closed: true
    case .input, .original, .plugged, .unplugged, .lost, .packet: false
    }
  }

  private func words(_ event: HIDTraceEvent) -> String {
    let type = event.kind.reportType.map { "\($0)" }
    let words =
      type == event.kind.name.rawValue || type == nil
      ? event.kind.name.rawValue : "\(event.kind.name.rawValue) \(type ?? "")"
    return timeline.reportID(of: event).map { "\(words) \($0)" } ?? words
  }

  private mutating func add(_ line: JSONLine, to output: inout [UInt8]) {
    output += Array(isFirst ? "\n".utf8 : ",\n".utf8)
    output += line.utf8
    isFirst = false
  }
}
