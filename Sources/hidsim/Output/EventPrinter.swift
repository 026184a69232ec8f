// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDSessions
import HIDSimulator
import HIDText
import IOLoop

/// A printer of events, with one line per event, as text or as JSON.
struct EventPrinter: Sendable {
  let json: Bool
  /// True to write lines to standard error, because a program or a report uses standard output.
  let toStandardError: Bool
  /// True to print input reports, too.
  let showsInput: Bool

  /// The time between two writes: events within this time are written together.
  private static let interval = Duration.milliseconds(5)
  /// The time between two writes while events are frequent.
  private static let busyInterval = Duration.milliseconds(20)
  /// The number of events in one write at which events count as frequent.
  private static let busyCount = 8

  func print(_ log: HIDEventLog, base: MonotonicTime, bus: HIDBus) async {
    let timeline = log.timeline
    var index = 0
    var lastStatus: [UInt8]?
    var lines = OutputBuffer()
    // In virtual time, events happen faster than they can be printed, so the clock waits for this
    // work.
    timeline.beginWork()
    defer { timeline.endWork() }
    while await log.workWaits(for: index) {
      let start = timeline.now
      let (events, missed) = log.read(from: &index)
      if missed > 0 { addMissed(missed, at: timeline.now.microseconds(since: base), to: &lines) }
      for event in events {
        if case .input = event.kind, !showsInput { continue }
        if !json, case .packet(let packet) = event.kind, packet.command == "status" {
          // A stick (a simulated InputStick) sends its status several times a second: the text has
          // only the changes.
          if packet.content == lastStatus { continue }
          lastStatus = packet.content
        }
        if json {
          add(EventJSON.line(event, base: base), to: &lines)
        } else if case .plugged(let record, let isolation, let duration) = event.kind {
          add("\(plugLine(event, record, duration, bus) + isolation.words)", to: &lines)
        } else {
          let line = HIDEventText.line(event, base: base)
          add(styled(line, isHosts: event.kind.isHosts), to: &lines)
        }
      }
      lines.flush()
      await Output.shared.settle()
      // Waits until the log ends, or until it is time for the next write.
      if !timeline.isVirtual {
        let interval = events.count < Self.busyCount ? Self.interval : Self.busyInterval
        let next = start.advanced(by: interval)
        _ = await log.workWaits(for: index, until: next) { _ in false }
      }
    }
  }

  /// Makes the time of an event faint, and gives a colour to actions of a host.
  private func styled(_ line: String, isHosts: Bool) -> StyledText {
    let terminal = toStandardError ? Terminal.standardError : Terminal.standardOutput
    guard terminal.hasColours, let space = line.firstIndex(of: " "), line.first?.isNumber == true
    else { return "\(line)" }
    return "\(String(line[..<space]), .faint)\(String(line[space...]), isHosts ? .accent : nil)"
  }

  private func addMissed(_ count: Int, at time: UInt64, to lines: inout OutputBuffer) {
    guard json else {
      return add("\(count.counting("event")) came faster than hidsim could print them", to: &lines)
    }
    var line = line("missed", at: time)
    line.add("count", .integer(count))
    add(line, to: &lines)
  }

  private func plugLine(
    _ event: HIDDeviceEvent, _ record: HIDDeviceRecord, _ duration: Duration, _ bus: HIDBus
  ) -> String {
    let driver = record.driver.map { ", driver \($0)" } ?? ""
    let milliseconds = Double(duration.wholeMicroseconds) / 1000
    return """
      \(event.device): plugged into the \(bus.kind) bus (\(bus.reason)), \(record.nodeWords)\(driver), \
      ready in \(milliseconds) ms
      """
  }

  /// Prints the last line, with the totals of the run and its outcome.
  func summary(
    _ totals: HIDEventLog.Totals, bus: HIDBusKind, at time: UInt64, outcome: String?
  ) {
    guard !json else {
      var line = line("summary", at: time)
      line.add("events", .integer(totals.events))
      line.add("inputs", .integer(totals.inputs))
      line.add("outputs", .integer(totals.outputs))
      line.add("requests", .integer(totals.requests))
      line.add("unexpected", .integer(totals.unexpected))
      line.add("lost", .integer(totals.lost))
      line.add("withoutReader", .integer(totals.unheard))
      line.add("kernelLosses", bus.usesKernel ? "unknown" : 0)
      line.add("fidelity", .integer(totals.fidelity))
      line.add("outcome", .optional(outcome) { .string($0) })
      return put(line)
    }
    var words = [
      "\(totals.events.counting("event")) (\(totals.inputs) input, \(totals.outputs) output, "
        + "\(totals.requests.counting("request")))",
      "\(totals.unexpected) unexpected", "\(totals.lost) lost",
    ]
    if bus.usesKernel { words.append(TraceTotals.kernelLosses) }
    if totals.unheard > 0 {
      let count = totals.unheard.counting("input report")
      words.append("\(count) had no reader")
    }
    if totals.fidelity > 0 { words.append(totals.fidelity.counting("fidelity warning")) }
    if let outcome { words.append(outcome) }
    put(text: words.joined(separator: ", "))
  }

  /// Prints the figures of a replay as JSON.
  func figures(_ replay: ReplayResult, at time: UInt64) {
    var line = line("replayed", at: time)
    line.add(contentsOf: replay.json)
    put(line)
  }

  /// Prints the result of an assertion as JSON.
  func verdict(_ verdict: ReplayWatch.Verdict, at time: UInt64) {
    var line = line("asserted", at: time)
    line.add("total", .integer(verdict.expected))
    line.add("matched", .integer(verdict.matched))
    line.add("mismatches", .integer(verdict.count))
    line.add("missed", .integer(verdict.missed))
    put(line)
  }

  /// Makes the beginning of an object that concerns no device.
  private func line(_ event: JSONText, at time: UInt64) -> JSONLine {
    var line = JSONLine()
    line.add("event", event)
    line.add("device", nil)
    line.add("time", .integer(time))
    return line
  }

  func put(text: String) {
    toStandardError ? Output.shared.note(text) : Output.shared.print(text)
  }

  private func add(_ line: StyledText, to lines: inout OutputBuffer) {
    toStandardError ? Output.shared.note(line) : lines.add(line)
  }

  private func add(_ line: JSONLine, to lines: inout OutputBuffer) {
    toStandardError ? Output.shared.note(line.text) : lines.add(line)
  }

  func put(_ line: JSONLine) {
    toStandardError ? Output.shared.note(line.text) : Output.shared.print(line)
  }
}

extension HIDIsolation {
  /// The words about the isolation, for the line of a plugged device.
  fileprivate var words: String {
    switch self {
    case .notNeeded, .live: ""
    case .rule: "; kept from desktops by the udev rule"
    case .grabbed:
      """
      ; kept from desktops by holding its evdev nodes: other evdev clients see no input (install \
      scripts/70-hidsim.rules, or give --live)
      """
    }
  }
}
