// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDBus
import HIDSimulator
import HIDReportDescriptor
import HIDTraces
import Testing

extension Bench {
  /// Writes the device file of `RecordTests.vendor`, and returns its path.
  func vendor(_ name: String) throws -> String {
    try file(
      "\(name).json", EndToEndTests.RecordTests.vendor.replacingOccurrences(of: "NAME", with: name))
  }

  /// Starts `hidsim record`, and waits until it records.
  func record(_ arguments: String...) async throws -> HidsimProcess {
    let recorder = try await start(program: Self.binary, ["record"] + arguments)
    try await recorder.note(containing: "recording ")
    return recorder
  }

  /// Plugs a device of `RecordTests.vendor` from this process, which reports no events of it.
  func plugHere(_ name: String) async throws -> SimulatedDevice {
    let definition = try HIDDeviceFile.parse(
      Array(
        EndToEndTests.RecordTests.vendor.replacingOccurrences(of: "NAME", with: name).utf8),
      name: name, loading: { _ in [] })
    let device = try #require(
      SimulatedDevice.make([definition], log: HIDEventLog(keepsInput: false)).first)
    let hidBus =
      switch bus {
      case .loopback: HIDBus(loopbackIn: try BusDirectory(path: busFolder.path))
      case .kernel: try HIDBus(.kernel)
      }
    try await device.plug(into: hidBus)
    return device
  }

  /// Reads a recorded trace.
  func trace(_ path: String) throws -> HIDTrace {
    try HIDTrace(Array(Data(contentsOf: URL(filePath: path))), name: path)
  }

  /// Expects the redacted trace of "Pq" and Escape on the shipped keyboard, with an `a` for every
  /// letter.
  func expectRedacted(
    _ path: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.hasPrefix("# redacted by hidsim\n"), sourceLocation: sourceLocation)
    #expect(!text.contains("KB-1"), sourceLocation: sourceLocation)
    let inputs = try trace(path).words.filter { $0.hasPrefix("0 input") }
    #expect(
      inputs.map { String($0.dropFirst(8).prefix(8)) } == [
        "02 00 00", "02 00 04", "02 00 00", "00 00 00", "00 00 04", "00 00 00", "00 00 29",
        "00 00 00",
      ], sourceLocation: sourceLocation)
  }
}

extension HidsimProcess {
  /// Writes a command of a stream, and waits for the result with its token.
  func command(_ text: String) async throws {
    try await write(text + "\n")
    try await line { $0.contains("\"token\"") }
  }
}

extension LineLog {
  var text: String { lines.map { $0 + "\n" }.joined() }
}

extension HIDTrace {
  /// The events as text, without their times.
  var words: [String] {
    events.map { event in
      switch event.kind {
      case .input(let bytes): return "\(event.device) input \(bytes)"
      case .output(let bytes): return "\(event.device) output \(bytes)"
      case .getReport(let get):
        if case .report(let bytes) = get.answer {
          return "\(event.device) get \(get.type) \(bytes)"
        }
        return "\(event.device) get \(get.type) \(get.answer)"
      case .setReport(let set):
        return "\(event.device) set \(set.type) \(set.report) \(set.answer)"
      default: return "\(event.kind)"
      }
    }
  }
}
