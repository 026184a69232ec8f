// SPDX-License-Identifier: Apache-2.0

import HIDSimulator
import HIDText
import HIDTraces
import HIDWire
import IOLoop
import Synchronization

/// Devices that other hidsims have plugged, as those of a trace: their hidsims send what the trace has.
struct RunningDevices: HIDTraceSink {
  /// What the devices are, each with the one interface that sends.
  let definitions: [HIDDeviceDefinition]
  private let lines: [Line]

  /// The way to a device: one command at a time.
  fileprivate final class Line: Sendable {
    let client: Mutex<DriveClient>
    let label: String

    init(_ client: DriveClient) {
      label = client.label
      self.client = Mutex(client)
    }
  }

  /// Finds devices.
  static func find(_ words: [String], on busOptions: BusOptions) async throws -> RunningDevices {
    var definitions: [HIDDeviceDefinition] = []
    var lines: [Line] = []
    for word in words {
      let (found, client) = try await DriveOptions.find(word, on: busOptions)
      definitions.append(try HIDDeviceDefinition(of: [found]))
      lines.append(Line(client))
    }
    return RunningDevices(definitions: definitions, lines: lines)
  }

  func send(
    _ reports: HIDReportBatch, in range: Range<Int>, device: Int, notBefore due: MonotonicTime
  ) async throws -> HIDTraceSending {
    let line = lines[device]
    // As many as a command can well hold.
    let range = range.lowerBound..<min(range.upperBound, range.lowerBound + 250)
    let bytes = reports.withBytes { span in
      range.map { report in reports.byteRange(ofReport: report).map { span[$0] } }
    }
    while MonotonicTime.now < due {}
    let time = MonotonicTime.now
    let error = await Blocking.run { line.send(bytes) }
    if let error { throw HIDWireError(.other, error) }
    return HIDTraceSending(count: range.count, time: time)
  }

  func plug(device: Int) async throws { try await command("plug", device) }

  func unplug(device: Int) async throws { try await command("unplug", device) }

  private func command(_ name: String, _ device: Int) async throws {
    let line = lines[device]
    let error = await Blocking.run { line.command(name) }
    if let error { throw HIDWireError(.other, error) }
  }
}

extension RunningDevices.Line {
  fileprivate func send(_ reports: [[UInt8]]) -> String? {
    command("report") { $0.add("reports", .array(reports.map { .bytes($0) })) }
  }

  /// Has the other hidsim carry out a command; what is wrong, or nil.
  fileprivate func command(
    _ name: String, _ fill: (inout JSONLine) -> Void = { _ in }
  ) -> String? {
    let answer = client.withLock { client in
      client.command(name) { line in
        line.add("device", .string(label))
        fill(&line)
      }
    }
    guard let answer else { return "the hidsim that had plugged \(label) has ended" }
    if case .string(let message)? = answer["error"]?.value { return message }
    return nil
  }
}
