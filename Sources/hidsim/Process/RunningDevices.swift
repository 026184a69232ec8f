// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
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
    let disconnect: @Sendable () -> Void
    let label: String
    /// Whether a command was given up because there was no answer.
    let isUnanswered = Atomic(false)

    init(_ client: DriveClient) {
      label = client.label
      disconnect = client.disconnect
      self.client = Mutex(client)
    }
  }

  /// The first device that does not send reports longer than declared, though a plan has some of it.
  func refusing(_ plan: ReplayPlan) -> String? {
    zip(definitions, plan.definitions).enumerated().first { _, both in
      zip(both.0.interfaces, both.1.interfaces).contains {
        $1.descriptor.allowsLongInput && !$0.descriptor.allowsLongInput
      }
    }.map { lines[$0.offset].label }
  }

  /// The first device whose hidsim did not answer when it was to end.
  var unanswered: String? {
    lines.first { $0.isUnanswered.load(ordering: .relaxed) }?.label
  }

  /// Finds devices.
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
    // As many as a command can well hold.
    let range = range.lowerBound..<min(range.upperBound, range.lowerBound + 250)
    let bytes = reports.withBytes { span in
      range.map { report in reports.byteRange(ofReport: report).map { span[$0] } }
    }
    while MonotonicTime.now < due {}
    let time = MonotonicTime.now
    try await line.command("report") { $0.add("reports", .array(bytes.map { .bytes($0) })) }
    return HIDTraceSending(count: range.count, time: time)
  }

  /// Does nothing: the device stays where its hidsim has plugged it.
  func plug(device: Int) async throws {}

  /// Does nothing: the device stays where its hidsim has plugged it.
  func unplug(device: Int) async throws {}
}

extension RunningDevices.Line {
  /// How long an answer is waited for when the task is cancelled: the other hidsim may have been stopped.
  private static let patience = Duration.milliseconds(500)

  /// Has the other hidsim carry out a command.
  ///
  /// - Throws: What is wrong.
  fileprivate func command(
    _ name: String, _ fill: @escaping @Sendable (inout JSONLine) -> Void
  ) async throws {
    let answer = try await withTaskCancellationHandler {
      try await Blocking.run { [self] in
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
      throw HIDWireError(.other, PluggedDeviceOptions.ended(label))
    }
    if case .string(let message)? = answer["error"]?.value { throw HIDWireError(.other, message) }
  }
}
