// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDReportDescriptor
import HIDSessions
import HIDSimulator
import HIDText
import HIDTraces
import IOLoop
import Synchronization

/// Devices that other hidsim processes have plugged, used as the devices of a replay.
///
/// Those processes send the reports of the trace.
struct RunningDevices: HIDTraceSink {
  /// The definitions of the devices, each with only the interface that sends.
  let definitions: [HIDDeviceDefinition]
  private let lines: [Line]

  /// The connection to the process of one device.
  ///
  /// It carries one command at a time.
  fileprivate final class Line: Sendable {
    let client: Mutex<DriveClient>
    let disconnect: @Sendable () -> Void
    let label: String
    /// True if a command had no answer after the task was cancelled.
    let isUnanswered = Atomic(false)

    init(_ client: DriveClient) {
      label = client.label
      disconnect = client.disconnect
      self.client = Mutex(client)
    }
  }

  /// Returns the label of the first device that must not send reports longer than declared,
  /// although the plan has such reports for it; nil if there is none.
  func refusing(_ plan: ReplayPlan) -> String? {
    zip(definitions, plan.definitions).enumerated().first { _, both in
      zip(both.0.interfaces, both.1.interfaces).contains {
        $1.descriptor.allowsLongInput && !$0.descriptor.allowsLongInput
      }
    }.map { lines[$0.offset].label }
  }

  /// The label of the first device whose process did not answer before the task ended; nil if there
  /// is none.
  var notResponding: String? {
    lines.first { $0.isUnanswered.load(ordering: .relaxed) }?.label
  }

  /// Finds the plugged devices that the words name, and connects to their processes.
  static func find(_ words: [String], on busOptions: BusOptions) async throws -> RunningDevices {
    var definitions: [HIDDeviceDefinition] = []
    var lines: [Line] = []
    for word in words {
      let (found, client) = try await PluggedDeviceOptions.find(word, on: busOptions)
      definitions.append(try HIDDeviceDefinition(of: [found]))
      lines.append(Line(client))
    }
    return RunningDevices(definitions: definitions, lines: lines)
  }

  func send(
    _ reports: HIDReportBatch, in range: Range<Int>, device: Int, notBefore due: MonotonicTime
  ) async throws -> HIDTraceSending {
    let line = lines[device]
    // One command carries at most 250 reports.
    let range = range.lowerBound..<min(range.upperBound, range.lowerBound + 250)
    let bytes = reports.withBytes { span in
      range.map { report in reports.byteRange(ofReport: report).map { span[$0] } }
    }
    while MonotonicTime.now < due {}
    let time = MonotonicTime.now
    try await line.command("report") { $0.add("reports", .array(bytes.map { .bytes($0) })) }
    return HIDTraceSending(count: range.count, time: time)
  }

  /// Does nothing: the process that plugged the device keeps it plugged.
  func plug(device: Int) async throws {}

  /// Does nothing: the process that plugged the device keeps it plugged.
  func unplug(device: Int) async throws {}
}

extension RunningDevices.Line {
  /// The time to wait for an answer after the task is cancelled.
  ///
  /// The other process may be stopped.
  private static let patience = Duration.milliseconds(500)

  /// Sends a command to the other process, and waits for its answer.
  ///
  /// - Throws: A `HIDBusError` with the error in the answer, or if the connection ended first; an
  ///   `Errno` if no thread could be started for the wait.
  fileprivate func command(
    _ name: String, _ fill: @escaping @Sendable (inout JSONLine) -> Void
  ) async throws {
    let answer = try await withTaskCancellationHandler {
      try await Thread.call { [self] in
        client.withLock { client in
          client.command(name) { line in
            line.add("device", .string(label))
            fill(&line)
          }
        }
      }
    } onCancel: {
      Timeline.real.schedule(at: .now.advanced(by: Self.patience), disconnect)
    }
    guard let answer else {
      if Task.isCancelled { isUnanswered.store(true, ordering: .relaxed) }
      throw HIDBusError(.other, PluggedDeviceOptions.ended(label))
    }
    if case .string(let message)? = answer["error"]?.value { throw HIDBusError(.other, message) }
  }
}
