// SPDX-License-Identifier: Apache-2.0

import HIDSimulator
import HIDSystem
import HIDWire
import IOLoop

/// Devices that are plugged for as long as a command runs, and the lines that tell about them.
final class RunSession: Sendable {
  let bus: HIDBus
  let log: HIDEventLog
  let devices: [SimulatedDevice]
  /// The time that all times count from.
  let base = MonotonicTime.now
  private let printer: EventPrinter

  /// Makes the devices.
  ///
  /// - Parameter keepsInput: Whether anybody looks at the input reports that were sent.
  init(
    _ definitions: [HIDDeviceDefinition], on bus: HIDBus, printer: EventPrinter, keepsInput: Bool
  ) {
    self.bus = bus
    self.printer = printer
    log = HIDEventLog(keepsInput: keepsInput)
    devices = SimulatedDevice.make(definitions, log: log)
  }

  /// Plugs the devices, runs `body`, unplugs them, and tells what happened.
  func run<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
    if let advice = bus.advice { Output.shared.note("hidsim: \(advice)") }
    for warning in devices.flatMap(\.descriptorWarnings) { Output.shared.note(warning) }
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
