// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDReportDescriptor
import HIDSimulator
import HIDBus
import HIDTraces
import IOLoop
import TestSupport
import Testing

/// A trace of the corpus, and the evdev events that Linux 6.12.117 made from it.
struct OracleTrace: Decodable, Sendable {
  /// The file in the corpus, and the index of its device: `file#device`.
  var trace: String
  var driver: String
  /// The events after each report: index of the node, type, code and value.
  var events: [[[Int]]]

  /// Returns the traces without those of Android, each with the driver that takes its device:
  /// hid-multitouch before hid-generic.
  static func all() throws -> [OracleTrace] {
    var traces: [String: OracleTrace] = [:]
    for file in ["oracle-kernel-traces.jsonl.gz", "oracle-kernel-traces-multitouch.jsonl.gz"] {
      for trace in try DescriptorCorpus.objects(file, as: OracleTrace.self) {
        traces[trace.trace] = trace
      }
    }
    // The traces of Android are compared in `AndroidEventTests`.
    return traces.values.filter { !$0.trace.hasSuffix(".json") }.sorted { $0.trace < $1.trace }
  }

  /// The longest replay that counts.
  ///
  /// hid-multitouch lifts a finger 100 ms after its last report, so a difference in a slower replay
  /// proves nothing.
  private static let patience = Duration.milliseconds(80)
  private static let attempts = 5
  /// The event type `EV_REP`.
  private static let repeating = 0x14

  /// Returns the event, with the value 0 if it is `MSC_TIMESTAMP`: the time since the previous
  /// report, which varies.
  private static func timeless(_ event: [Int]) -> [Int] {
    event.prefix(2) == [4, 5] ? [4, 5, 0] : event
  }

  /// Plays the trace on a device of the kernel's bus.
  ///
  /// A replay that differs but was too slow is repeated, up to five attempts in all.
  ///
  /// - Returns: A description of the first report that made other events; nil if there is none.
  func difference() async throws -> String? {
    var last: (text: String?, duration: Duration) = (nil, .zero)
    for _ in 1...Self.attempts {
      last = try await play()
      if last.text == nil || last.duration < Self.patience { break }
    }
    return last.text
  }

  private func play() async throws -> (text: String?, duration: Duration) {
    let parts = trace.split(separator: "#")
    let place = parts.count > 1 ? try #require(Int(parts[1])) : 0
    let recorded = try HIDTrace(
      Array(DescriptorCorpus.text(unpacking: String(parts[0])).utf8), name: trace)
    // As in the oracle's run: no vendor's driver, no quirk, and every request for a report is
    // refused.
    var definition = try HIDDeviceDefinition.devices(of: [recorded.devices[place]], name: trace)[
      0]
    definition.name = "oracle"
    (definition.vendorID, definition.productID, definition.transport) = (0x1209, 1, .usb)
    let device = SimulatedDevice.make([definition], log: HIDEventLog(keepsInput: false))[0]
    device.answer(as: answers(of: definition.interfaces[0].descriptor))
    try await device.plug(into: HIDBus(.kernel))
    let result: Result<(String?, Duration), any Error>
    do {
      result = .success(try await play(recorded.inputs(of: place), definition, on: device))
    } catch {
      result = .failure(error)
    }
    await device.unplug()
    return try result.get()
  }

  /// The one trace in which the oracle's device refused the resolution multiplier that the kernel
  /// sets.
  ///
  /// In the two other traces of the same device, the device accepted the multiplier.
  private static let withoutMultiplier =
    "kernel-selftests/traces/test_mouse_TestResolutionMultiplierHWheelMouse_test_wheel.hid#0"

  private func answers(of descriptor: HIDReportDescriptor) -> HIDTraceAnswers {
    let takes: HIDRequestAnswer = trace == Self.withoutMultiplier ? .error : .acknowledged
    var answers = HIDTraceAnswers()
    for type in HIDReportType.allCases {
      for layout in descriptor.reports(of: type) {
        for request: HIDTraceEvent.Kind in [
          .getReport(HIDTraceGet(type: type, id: layout.id, answer: .error)),
          .setReport(
            HIDTraceSet(type: type, id: layout.id, report: HIDReportBytes(), answer: takes)),
        ] {
          answers.add(HIDTraceEvent(microseconds: 0, kind: request))
        }
      }
    }
    return answers
  }

  private func play(
    _ reports: [[UInt8]], _ definition: HIDDeviceDefinition, on device: SimulatedDevice
  ) async throws -> (String?, Duration) {
    let record = try #require(device.records.first)
    #expect(record.driver == driver)
    let nodes = try record.eventNodes.sorted {
      $0.localizedStandardCompare($1) == .orderedAscending
    }
    .map { try EventNode($0) }
    for node in nodes { node.stopRepeating() }
    let descriptor = definition.interfaces[0].descriptor
    let start = MonotonicTime.now
    for (index, report) in reports.prefix(events.count).enumerated() {
      let id =
        descriptor.numbersReports(.input) ? report.first.flatMap(HIDReportID.init(rawValue:)) : nil
      // The kernel drops a report that is short or not declared. A player would pad a short report,
      // and skip an undeclared report.
      let isWhole = descriptor.report(.input, id: id).map { report.count == $0.byteCount } ?? false
      if isWhole { try await device.send([report]) }
      // The write of a report returns when the kernel has processed it: all its events are there.
      let made = try nodes.enumerated().flatMap { place, node in
        // The events of turning autorepeat off are left out. The end of their packet stays.
        try node.take().filter { $0[0] != Self.repeating }.map { [place] + Self.timeless($0) }
      }
      if made != events[index].map({ [$0[0]] + Self.timeless(Array($0.dropFirst())) }) {
        return (
          "report \(index + 1), \(report.hexText): \(made), expected \(events[index])",
          MonotonicTime.now.duration(since: start)
        )
      }
    }
    return (nil, MonotonicTime.now.duration(since: start))
  }
}

extension HIDTrace {
  /// Returns the input reports of one device, in order.
  func inputs(of device: Int) -> [[UInt8]] {
    events.compactMap { event in
      guard event.device == device, case .input(let report) = event.kind else { return nil }
      return [UInt8](report)
    }
  }
}
