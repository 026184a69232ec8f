// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import HIDBus
import HIDReportDescriptor
import IOLoop

@testable import HIDSessions
@testable import HIDSimulator

/// Report descriptors of the runtime's tests, by hand from HID 1.11, section 6.2.2.
enum RuntimeDescriptor {
  /// Unnumbered reports: 4 bytes of input, 2 of output, 3 of feature.
  static let plain: [UInt8] = [
    0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08, 0x95, 0x04,
    0x09, 0x01, 0x81, 0x02, 0x95, 0x02, 0x09, 0x01, 0x91, 0x02, 0x95, 0x03, 0x09, 0x01, 0xb1, 0x02,
    0xc0,
  ]
  /// Input 1 (2 bytes), output 2 (2 bytes), feature 3 (3 bytes); the ID not counted.
  static let numbered: [UInt8] = [
    0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08, 0x85, 0x01,
    0x95, 0x02, 0x09, 0x01, 0x81, 0x02, 0x85, 0x02, 0x09, 0x01, 0x91, 0x02, 0x85, 0x03, 0x95, 0x03,
    0x09, 0x01, 0xb1, 0x02, 0xc0,
  ]
  /// The boot keyboard of HID 1.11, appendix B.1: 8 bytes of input, 1 byte of output for the LEDs.
  static let keyboard: [UInt8] = [
    0x05, 0x01, 0x09, 0x06, 0xa1, 0x01, 0x05, 0x07, 0x19, 0xe0, 0x29, 0xe7, 0x15, 0x00, 0x25, 0x01,
    0x75, 0x01, 0x95, 0x08, 0x81, 0x02, 0x95, 0x01, 0x75, 0x08, 0x81, 0x01, 0x95, 0x05, 0x75, 0x01,
    0x05, 0x08, 0x19, 0x01, 0x29, 0x05, 0x91, 0x02, 0x95, 0x01, 0x75, 0x03, 0x91, 0x01, 0x95, 0x06,
    0x75, 0x08, 0x15, 0x00, 0x25, 0x65, 0x05, 0x07, 0x19, 0x00, 0x29, 0x65, 0x81, 0x00, 0xc0,
  ]
}

/// Makes an interface with a descriptor.
func interface(
  _ bytes: [UInt8], initial: [HIDInitialReport] = [], _ behaviours: [HIDBehaviour] = []
) throws -> HIDInterfaceDefinition {
  HIDInterfaceDefinition(
    descriptor: try HIDReportDescriptor(parsing: bytes), initialReports: initial,
    behaviours: behaviours)
}

extension HIDInterfaceModel {
  /// Returns the input reports that release every pressed control.
  mutating func inputReportsAtRest() -> [[UInt8]] {
    beginRelease().compactMap { inputReportAtRest($0) }
  }
}

/// A device that is plugged into a new bus, and the log of its events.
final class Stage: Sendable {
  let bus: HIDBus
  let log: HIDEventLog
  let device: SimulatedDevice
  private let path: String
  let base: MonotonicTime

  init(
    _ interface: HIDInterfaceDefinition, timeline: Timeline = .real, keepsInput: Bool = true
  ) throws {
    log = HIDEventLog(keepsInput: keepsInput, timeline: timeline)
    base = timeline.now
    var name = Array((NSTemporaryDirectory() + "hidsim-test-XXXXXX").utf8CString)
    guard mkdtemp(&name) != nil else { throw HIDBusError(.unavailable, "mkdtemp") }
    path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    bus = HIDBus(loopbackIn: try BusDirectory(path: path))
    device =
      SimulatedDevice.make(
        [HIDDeviceDefinition(name: "d", vendorID: 1, productID: 2, interfaces: [interface])],
        log: log
      )[0]
  }

  deinit {
    unlink("\(path)/counter")
    rmdir(path)
  }

  /// Plugs the device, runs a body, and unplugs the device even if the body throws.
  func plugged(_ body: () async throws -> Void) async throws {
    try await device.plug(into: bus)
    let result: Result<Void, any Error>
    do {
      try await body()
      result = .success(())
    } catch { result = .failure(error) }
    await device.unplug()
    try result.get()
  }

  /// Opens the device with a new client.
  func client() async throws -> any HIDClientPort {
    guard let record = device.records.first else { throw HIDBusError(.gone, "not plugged") }
    return try await bus.clients.open(record)
  }

  /// Runs a script on the device.
  func run(_ text: String) async throws {
    let script = try HIDScript.parse(Array(text.utf8), name: "s")
      .resolved(for: [device.definition])
    try await HIDScriptRunner(script, devices: [device], bus: bus, log: log, base: base).run()
  }

  /// The kinds of all events so far.
  var kinds: [HIDDeviceEvent.Kind] {
    var index = 0
    return log.read(from: &index).events.map(\.kind)
  }

  /// The events so far as lines with their times; without the names that the bus gives.
  var lines: [String] {
    var index = 0
    return log.read(from: &index).events.map { event in
      if case .plugged = event.kind { return "plugged" }
      let event = HIDDeviceEvent(
        time: event.time, device: event.device, kind: event.kind, client: nil)
      return HIDEventText.line(event, base: base)
    }
  }

  /// The input reports sent so far.
  var inputs: [[UInt8]] {
    kinds.compactMap { if case .input(let report) = $0 { report.bytes } else { nil } }
  }

  /// Waits up to 20 s for an event.
  ///
  /// - Returns: True if the event came.
  func wait(for matches: (HIDDeviceEvent.Kind) -> Bool) async -> Bool {
    var index = 0
    let deadline = MonotonicTime.now.advanced(by: .seconds(20))
    while await log.wait(for: index, until: deadline) {
      if log.read(from: &index).events.contains(where: { matches($0.kind) }) { return true }
    }
    return false
  }
}
