// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDReportDescriptor
import HIDText
import HIDTraces
import TestSupport
import Testing

/// Tests with recordings that libinput 1.22.1 made of two uhid devices (Linux 6.12.117).
///
/// One device is a mouse with a keyboard, which has two evdev nodes and one hidraw node; the other
/// is a pad.
@Suite("Recordings that libinput made")
struct LibinputTraceFixtureTests {
  private func read(_ name: String) throws -> HIDTrace {
    let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Fixtures/\(name)")
    return try HIDTrace(Array(try Data(contentsOf: url)), name: name)
  }

  private func reports(_ trace: HIDTrace, of device: Int) -> [[UInt8]] {
    trace.events.compactMap { event in
      guard case .input(let report) = event.kind, event.device == device else { return nil }
      return Array(report)
    }
  }

  @Test("each report that was sent is read once, in order, though libinput has most of them twice")
  func threeNodes() throws {
    let trace = try read("libinput-three-nodes.yml")
    #expect(trace.devices.map(\.name) == ["Acme Combo Mouse", "Acme Pad"])
    #expect(trace.devices.map(\.number) == [0, 2])
    #expect(
      trace.devices.map(\.identity) == [
        .init(busType: 3, vendorID: 0x1209, productID: 1),
        .init(busType: 3, vendorID: 0x1209, productID: 2),
      ])
    #expect(trace.devices.map(\.hidVersion) == [0x0111, 0x0111])
    #expect(trace.devices.map(\.descriptor.count) == [77, 49])
    #expect(trace.devices.map(\.descriptor.last) == [0xC0, 0xC0])
    #expect(trace.warnings == [])
    // The reports are those that the recorded program sent.
    #expect(
      reports(trace, of: 0)
        == (0..<6 as Range<UInt8>).flatMap { index -> [[UInt8]] in
          [
            [1, index & 1, index, 255 - index], [2, 4 + index, 0, 0, 0, 0, 0],
            [2, 0, 0, 0, 0, 0, 0],
          ]
        })
    #expect(
      reports(trace, of: 1)
        == (0..<6 as Range<UInt8>).map { index -> [UInt8] in [index, index, index] + Array(0..<40) }
    )
    #expect(trace.events.prefix(4).map(\.device) == [0, 1, 0, 0])
    #expect(trace.events.first?.microseconds == 2_908_945)
    #expect(
      zip(trace.events, trace.events.dropFirst()).allSatisfy { $0.microseconds < $1.microseconds })
  }

  @Test("a recording of --autorestart, whose devices begin in comments, is read")
  func autorestart() throws {
    let trace = try read("libinput-autorestart.yml")
    #expect(trace.devices.map(\.name) == ["Acme Combo Mouse", "Acme Pad"])
    #expect(reports(trace, of: 0) == [[1, 0, 5, 1], [1, 1, 5, 1], [1, 0, 5, 1]])
    #expect(
      reports(trace, of: 1)
        == (0..<3 as Range<UInt8>).map { [$0, $0, $0] + Array(repeating: 7, count: 40) })
    #expect(trace.warnings == [])
  }

  @Test("a recording that was cut anywhere is refused, or gives the first of its reports")
  func cut() throws {
    let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Fixtures/libinput-three-nodes.yml")
    let bytes = Array(try Data(contentsOf: url))
    let whole = try HIDTrace(bytes, name: "whole")
    var random = SplitMix64(seed: 1)
    var readCount = 0
    for _ in 0..<100 {
      let end = Int.random(in: bytes.indices, using: &random)
      guard let trace = try? HIDTrace(Array(bytes[..<end]), name: "cut") else { continue }
      readCount += 1
      for device in trace.devices.indices {
        #expect(trace.devices[device].descriptor == whole.devices[device].descriptor)
        #expect(
          reports(whole, of: device).starts(with: reports(trace, of: device)), "cut at \(end)")
      }
      // A cut between two lines, after a list, or in a comment cannot be detected.
      let line = bytes[..<end].split(separator: 0x0A, omittingEmptySubsequences: false).last ?? []
      if let first = line.first(where: { $0 != 0x20 }), first != 0x23, line.last != 0x5D {
        #expect(trace.warnings.contains { $0.message.contains("it was cut") }, "cut at \(end)")
      }
    }
    #expect(readCount > 60)
  }
}
