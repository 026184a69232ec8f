// SPDX-License-Identifier: Apache-2.0

import HIDSimulator
import HIDSystem
import HIDText
import HIDWire
import IOLoop

/// Prints what happens, a line an event, as text or as JSON.
struct EventPrinter: Sendable {
  let json: Bool
  /// Whether lines go to standard error, because standard output is another program's.
  let toStandardError: Bool
  /// Whether input reports are told too: the person at the terminal did not type them.
  let showsInput: Bool

  func print(_ log: HIDEventLog, base: MonotonicTime, bus: HIDBus) async {
    var index = 0
    var lastStatus: [UInt8]?
    // In a virtual time far more happens than can be printed meanwhile: it is waited for.
    log.timeline.beginWork()
    defer { log.timeline.endWork() }
    while await log.workWaits(for: index) {
      let (events, missed) = log.read(from: &index)
      if missed > 0 { tellMissed(missed, at: log.timeline.now.microseconds(since: base)) }
      for event in events {
        if case .input = event.kind, !showsInput { continue }
        if !json, case .packet(let packet) = event.kind, packet.command == "status" {
          // A stick sends its status several times a second: for people only what changes is news.
          if packet.content == lastStatus { continue }
          lastStatus = packet.content
        }
        if json {
          put(EventJSON.line(event, base: base))
        } else if case .plugged(let record, let isolation, let duration) = event.kind {
          put(text: plugLine(event, record, duration, bus) + isolation.words)
        } else {
          put(styled(HIDEventText.line(event, base: base), isHosts: event.kind.isHosts))
        }
      }
      await Output.shared.settle()
    }
  }

  /// Makes the time of an event faint, and gives what a host does a colour.
  private func styled(_ line: String, isHosts: Bool) -> StyledText {
    guard let space = line.firstIndex(of: " "), line.first?.isNumber == true else {
      return "\(line)"
    }
    return "\(String(line[..<space]), .faint)\(String(line[space...]), isHosts ? .accent : nil)"
  }

  private func tellMissed(_ count: Int, at time: UInt64) {
    guard json else {
      return put(text: "\(count.counting("event")) came faster than hidsim could print them")
    }
    var line = line("missed", at: time)
    line.add("count", .integer(count))
    put(line)
  }

  private func plugLine(
    _ event: HIDDeviceEvent, _ record: HIDDeviceRecord, _ duration: Duration, _ bus: HIDBus
  ) -> String {
    let nodes = ([record.address] + record.eventNodes).joined(separator: " ")
    let driver = record.driver.map { ", driver \($0)" } ?? ""
    let milliseconds = Double(duration.wholeMicroseconds) / 1000
    return """
      \(event.device): plugged into the \(record.bus) bus (\(bus.reason)), \(nodes)\(driver), \
      ready in \(milliseconds) ms
      """
  }

  /// The last line: how much there was of everything.
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
      line.add("kernelLosses", bus == .kernel ? "unknown" : 0)
      line.add("fidelity", .integer(totals.fidelity))
      line.add("outcome", .optional(outcome) { .string($0) })
      return put(line)
    }
    var words = [
      "\(totals.events.counting("event")) (\(totals.inputs) input, \(totals.outputs) output, "
        + "\(totals.requests.counting("request")))",
      "\(totals.unexpected) unexpected", "\(totals.lost) lost",
    ]
    if bus == .kernel { words.append(TraceTotals.kernelLosses) }
    if totals.unheard > 0 {
      let count = totals.unheard.counting("input report")
      words.append("\(count) had no reader")
    }
    if totals.fidelity > 0 { words.append(totals.fidelity.counting("fidelity warning")) }
    if let outcome { words.append(outcome) }
    put(text: words.joined(separator: ", "))
  }

  /// The figures of a replay, as JSON.
  func figures(_ replay: ReplayResult, at time: UInt64) {
    var line = line("replayed", at: time)
    line.add(contentsOf: replay.json)
    put(line)
  }

  /// How much of what was asserted came, as JSON.
  func verdict(_ verdict: ReplayWatch.Verdict, at time: UInt64) {
    var line = line("asserted", at: time)
    line.add("total", .integer(verdict.expected))
    line.add("matched", .integer(verdict.matched))
    line.add("mismatches", .integer(verdict.count))
    line.add("missed", .integer(verdict.missed))
    put(line)
  }

  /// The beginning of what is of no device.
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

  private func put(_ line: StyledText) {
    toStandardError ? Output.shared.note(line) : Output.shared.print(line)
  }

  func put(_ line: JSONLine) {
    toStandardError ? Output.shared.note(line.text) : Output.shared.print(line)
  }
}

extension HIDIsolation {
  /// What the line of a plugged device says of it.
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
