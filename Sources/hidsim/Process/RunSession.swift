// SPDX-License-Identifier: Apache-2.0

import HIDSimulator
import HIDSystem
import HIDWire
import IOLoop
import Synchronization

/// Devices that are plugged for as long as a command runs, and the lines that tell about them.
final class RunSession: Sendable {
  let hub: DeviceHub
  private let printer: EventPrinter?
  /// What records the devices, and where.
  private let trace: (tap: LogTap, file: RecordingFile)?
  private let traceEnding = Mutex<RecordingFile.Ending?>(nil)

  var bus: HIDBus { hub.bus }
  var log: HIDEventLog { hub.log }
  var devices: [SimulatedDevice] { hub.devices }
  /// The time that all times count from.
  var base: MonotonicTime { hub.base }

  /// Makes the devices.
  ///
  /// - Parameters:
  ///   - printer: Who tells what happens; `nil` where somebody else does.
  ///   - keepsInput: Whether anybody looks at the input reports that were sent.
  ///   - timeline: The time that the devices go by.
  ///   - trace: Where what happens is recorded.
  ///   - isRedacted: Whether what is typed is left out there.
  init(
    _ definitions: [HIDDeviceDefinition], on bus: HIDBus, printer: EventPrinter?, keepsInput: Bool,
    timeline: Timeline = .real, trace: RecordingFile? = nil, isRedacted: Bool = false
  ) {
    self.printer = printer
    let log = HIDEventLog(keepsInput: keepsInput, timeline: timeline)
    let hub = DeviceHub(definitions, on: bus, log: log, base: timeline.now)
    self.hub = hub
    self.trace = trace.map { (LogTap(hub, isRedacted: isRedacted), $0) }
  }

  /// Plugs the devices, runs `body`, unplugs them, and tells what happened.
  func run<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
    if let advice = bus.advice { Output.shared.note("hidsim: \(advice)") }
    for warning in devices.flatMap(\.descriptorWarnings) { Output.shared.note(warning) }
    let printing = Task<Void, Never> { [printer, log, base, bus] in
      await printer?.print(log, base: base, bus: bus)
    }
    let recording = trace.map { trace in
      Task {
        async let tapping: Void = trace.tap.run()
        let ending = await trace.file.write(trace.tap.recording)
        await tapping
        traceEnding.withLock { $0 = ending }
      }
    }
    do {
      for device in devices { try await device.plug(into: bus) }
      let server = DriveServer(hub, readFile: InputFiles.devices(named:))
      let result: Result<Value, any Error>
      do { result = .success(try await body()) } catch { result = .failure(error) }
      await server?.close()
      let value = try result.get()
      await end(printing)
      await recording?.value
      return value
    } catch {
      await end(printing)
      await recording?.value
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
    await hub.unplugAll()
    log.finish()
    await printing.value
  }

  /// Tells what was recorded, once the devices are unplugged.
  ///
  /// - Throws: That it could not be written.
  func tellTrace() throws(Failure) {
    guard let trace else { return }
    if case .failed(let failure)? = traceEnding.withLock({ $0 }) { throw failure }
    let recording = trace.tap.recording
    Output.shared.note("\(trace.file.name): \(TraceTotals(recording).words)")
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
