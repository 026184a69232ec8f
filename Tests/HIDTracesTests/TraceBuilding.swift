// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDTraces
import TestSupport

extension HIDTrace {
  /// The trace without warnings, and without line numbers, which differ after writing because
  /// comments are not written.
  var withoutLines: HIDTrace {
    var trace = self
    for index in trace.devices.indices { trace.devices[index].line = 0 }
    for index in trace.events.indices { trace.events[index].line = 0 }
    trace.warnings = []
    return trace
  }
}

/// Devices and events for the tests of traces.
enum Sample {
  /// A keyboard with unnumbered reports: modifiers, a constant byte, six keys; LEDs as output.
  static let keyboard = HIDTraceDevice(
    descriptor: bytes(
      """
      05 01 09 06 a1 01 05 07 19 e0 29 e7 15 00 25 01 75 01 95 08 81 02 95 01 75 08 81 03 \
      95 05 75 01 05 08 19 01 29 05 91 02 95 01 75 03 91 03 95 06 75 08 15 00 25 65 05 07 19 00 29 65 \
      81 00 c0
      """), name: "keyboard",
    identity: HIDTraceDevice.Identity(busType: 3, vendorID: 0x1209, productID: 1))

  /// A pad with input report 1: a counter, X and Y; input report 2: two buttons; feature report 3
  /// of one byte.
  static let pad = HIDTraceDevice(
    number: 1,
    descriptor: bytes(
      """
      05 01 09 05 a1 01 85 01 06 00 ff 09 20 15 00 26 ff 00 75 08 95 01 81 02 05 01 09 30 09 31 15 81 25 7f \
      95 02 81 02 85 02 05 09 19 01 29 02 15 00 25 01 75 01 95 02 81 02 95 06 81 03 85 03 06 00 ff 09 21 \
      26 ff 00 75 08 95 01 b1 02 c0
      """), name: "pad",
    identity: HIDTraceDevice.Identity(busType: 5, vendorID: 0x1209, productID: 2))

  static func bytes(_ hex: String) -> [UInt8] {
    hex.split(separator: " ").compactMap { UInt8($0, radix: 16) }
  }

  static func input(_ microseconds: Int64, _ hex: String, device: Int = 0) -> HIDTraceEvent {
    HIDTraceEvent(
      microseconds: microseconds, device: device, kind: .input(HIDReportBytes(bytes(hex))))
  }

  static func output(_ microseconds: Int64, _ hex: String, device: Int = 0) -> HIDTraceEvent {
    HIDTraceEvent(
      microseconds: microseconds, device: device, kind: .output(HIDReportBytes(bytes(hex))))
  }

  static func get(
    _ microseconds: Int64, _ id: UInt8, _ answer: String?, latency: Int64 = 0, device: Int = 0
  ) -> HIDTraceEvent {
    HIDTraceEvent(
      microseconds: microseconds, device: device,
      kind: .getReport(
        HIDTraceGet(
          type: .feature, id: HIDReportID(rawValue: id),
          answer: answer.map { .report(HIDReportBytes(bytes($0))) } ?? .error, latency: latency)))
  }

  /// Returns a random trace of the two devices: input and output reports, requests, losses, opens
  /// and closes.
  static func random(_ random: inout SplitMix64, count: Int) -> HIDTrace {
    var time: Int64 = 0
    func report(_ most: Int, _ first: UInt8? = nil) -> HIDReportBytes {
      let length = Int.random(in: 1...most, using: &random)
      let rest = (0..<length).map { _ in UInt8.random(in: 0...3, using: &random) }
      return HIDReportBytes((first.map { [$0] } ?? []) + rest)
    }
    let events = (0..<count).map { _ in
      time += Int64.random(in: 0...20_000, using: &random)
      let device = Int.random(in: 0...1, using: &random)
      let id = device == 1 ? UInt8.random(in: 1...3, using: &random) : nil
      let latency = Int64.random(in: 0...5000, using: &random)
      let kind: HIDTraceEvent.Kind =
        switch Int.random(in: 0..<24, using: &random) {
        case 0: .output(report(1))
        case 1:
          .getReport(
            HIDTraceGet(
              type: .feature, id: HIDReportID(rawValue: 3), answer: .report(report(1, 3)),
              latency: latency))
        case 2:
          .getReport(
            HIDTraceGet(
              type: .feature, id: HIDReportID(rawValue: 3), answer: .error, latency: latency))
        case 3:
          .setReport(
            HIDTraceSet(
              type: .feature, id: HIDReportID(rawValue: 3), report: report(1, 3),
              answer: .acknowledged, latency: latency))
        case 4: .lost(Int.random(in: 1...9, using: &random))
        case 5: .opened
        case 6: .closed
        default: .input(report(8, id))
        }
      return HIDTraceEvent(microseconds: time, device: device, kind: kind)
    }
    return HIDTrace(devices: [keyboard, pad], events: events)
  }
}
