// SPDX-License-Identifier: Apache-2.0

import HIDSimulator
import HIDSystem
import HIDWire
import IOLoop

/// Devices that are plugged for as long as a command runs, and the lines that tell about them.
final class RunSession: Sendable {
  let bus: HIDBus
  let log = HIDEventLog()
  let devices: [SimulatedDevice]
  /// The time that all times count from.
  let base = MonotonicTime.now
  private let printer: EventPrinter

  init(_ definitions: [HIDDeviceDefinition], on bus: HIDBus, printer: EventPrinter) {
    self.bus = bus
    self.printer = printer
    devices = SimulatedDevice.make(definitions, log: log)
  }

  /// Plugs the devices, runs `body`, unplugs them, and tells what happened.
  func run<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
    if let advice = bus.advice { Output.shared.note("hidsim: \(advice)") }
    let printing = Task { [printer, log, base, bus] in
      await printer.print(log, base: base, bus: bus)
    }
    do {
      for device in devices { try await device.plug(into: bus) }
      let value = try await body()
      await end(printing)
      return value
    } catch {
      await end(printing)
      throw error
    }
  }

  /// Waits until another program has one of the devices open.
  func waitForOpen(until deadline: MonotonicTime) async -> Bool {
    while !devices.contains(where: { $0.hasReader(on: bus.kind) }) {
      guard MonotonicTime.now < deadline else { return false }
      do {
        // Nothing tells who opens a node: it is looked up again and again.
        try await Timeline.real.sleep(for: .milliseconds(5))
      } catch {
        return false  // cancelled
      }
    }
    return true
  }

  private func end(_ printing: Task<Void, Never>) async {
    for device in devices { await device.unplug() }
    log.finish()
    await printing.value
  }

  /// What a program beside the devices finds in its environment.
  var environment: [String: String] {
    let records = devices.flatMap(\.records)
    return [
      "HIDSIM_HIDRAW": records.filter { $0.bus == .kernel }.map(\.address).joined(separator: " "),
      "HIDSIM_EVDEV": records.flatMap(\.eventNodes).joined(separator: " "),
      "HIDSIM_DEVICE": records.map(\.id.description).joined(separator: " "),
      "HIDSIM_BUS": bus.kind.description,
    ]
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
      scripts/70-hidsim.rules, or say --live)
      """
    }
  }
}

/// Prints what happens, a line an event, as text or as JSON.
struct EventPrinter: Sendable {
  let json: Bool
  /// Whether lines go to standard error, because standard output is another program's.
  let toStandardError: Bool
  /// Whether input reports are told too: the person at the terminal did not type them.
  let showsInput: Bool

  func print(_ log: HIDEventLog, base: MonotonicTime, bus: HIDBus) async {
    var index = 0
    while await log.wait(for: index) {
      let (events, missed) = log.read(from: &index)
      if missed > 0 { tellMissed(missed, at: MonotonicTime.now.microseconds(since: base)) }
      for event in events {
        if case .input = event.kind, !showsInput { continue }
        if json {
          put(EventJSON.line(event, base: base))
        } else if case .plugged(let record, let isolation, let duration) = event.kind {
          put(text: plugLine(event, record, duration, bus) + isolation.words)
        } else {
          put(text: HIDEventText.line(event, base: base))
        }
      }
    }
  }

  private func tellMissed(_ count: Int, at time: UInt64) {
    guard json else { return put(text: "\(count) events came too fast to be shown") }
    var line = JSONLine()
    line.add("event", "missed")
    line.add("device", nil)
    line.add("time", .integer(time))
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
      var line = JSONLine()
      line.add("event", "summary")
      line.add("device", nil)
      line.add("time", .integer(time))
      line.add("events", .integer(totals.events))
      line.add("inputs", .integer(totals.inputs))
      line.add("outputs", .integer(totals.outputs))
      line.add("requests", .integer(totals.requests))
      line.add("unexpected", .integer(totals.unexpected))
      line.add("lost", .integer(totals.lost))
      line.add("kernelLosses", bus == .kernel ? "unknown" : 0)
      line.add("fidelity", .integer(totals.fidelity))
      line.add("outcome", .optional(outcome) { .string($0) })
      return put(line)
    }
    var words = [
      "\(totals.events) events (\(totals.inputs) input, \(totals.outputs) output, "
        + "\(totals.requests) requests)",
      "\(totals.unexpected) unexpected", "\(totals.lost) lost",
    ]
    if bus == .kernel { words.append("kernel losses: unknown") }
    if totals.fidelity > 0 { words.append("\(totals.fidelity) fidelity warnings") }
    if let outcome { words.append(outcome) }
    put(text: words.joined(separator: ", "))
  }

  func put(text: String) {
    toStandardError ? Output.shared.note(text) : Output.shared.print(text)
  }

  private func put(_ line: JSONLine) {
    toStandardError ? Output.shared.note(line.text) : Output.shared.print(line)
  }
}
