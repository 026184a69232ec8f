// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDReportDescriptor
import IOLoop
import Synchronization
import Testing

@testable import HIDSimulator

/// A descriptor in which input 1 has 8 buttons and X of 16 bits, and output 2 has 4 bytes.
private let descriptor = """
  "reportDescriptor": [{"usagePage": "genericDesktop", "usage": "gamepad"},
    {"collection": "application", "items": [
      {"reportID": 1, "usagePage": "button", "usageMinimum": 1, "usageMaximum": 8},
      {"logicalMaximum": 1, "reportSize": 1, "reportCount": 8, "input": ["data", "variable"]},
      {"usagePage": "genericDesktop", "usage": "x", "logicalMaximum": 32767},
      {"reportSize": 16, "reportCount": 1, "input": ["data", "variable"]},
      {"reportID": 2, "usagePage": "0xff00", "usage": 1, "logicalMaximum": 255},
      {"reportSize": 8, "reportCount": 4, "output": ["data", "variable"]}
    ]}]
  """

private func interface(_ rest: String) throws -> HIDInterfaceDefinition {
  let text = #"{"hidsim": 1, "name": "x", "vendorID": 1, "productID": 2, \#(descriptor), \#(rest)}"#
  return try HIDDeviceFile.parse(Array(text.utf8), name: "a") { _ in [] }.interfaces[0]
}

@Suite("Reports that a device makes itself")
struct OwnReportTests {
  @Test("a value that a script sets stays while a timer sends the present report")
  func timer() async throws {
    let stage = try Stage(
      try interface(
        #""behaviours": [{"on": {"timer": "1ms"}, "send": {"id": 1}}]"#))
    try await stage.plugged {
      let steps = (1...150).map { "axis x \($0) ; wait 2ms ; expect genericDesktop.x \($0)" }
      try await stage.run(steps.joined(separator: "\n"))
    }
    // No report has an older value than the report before it.
    let values = stage.inputs.map { Int($0[2]) | Int($0[3]) << 8 }
    #expect(values == values.sorted())
    #expect(values.count > 150)
  }

  @Test(
    "replies that come after the device was unplugged take no room when it is plugged again",
    .timeLimit(.minutes(1)))
  func lateReplies() async throws {
    let stage = try Stage(
      try interface(#""behaviours": [{"on": "plug", "send": {"id": 1, "bytes": "07 00 00"}}]"#))
    let simulated = stage.device.interfaces[0]
    var pluggedPort: (any HIDDevicePort)?
    try await stage.plugged {
      pluggedPort = simulated.port
      let isSent = await stage.wait { if case .input = $0 { true } else { false } }
      #expect(isSent)
    }
    let port = try #require(pluggedPort)
    for _ in 0..<ReplyQueue.capacity {
      simulated.reply(.report([1, 0, 0, 0]), .zero, port, .own)
    }
    try await stage.plugged {
      var count = 0
      _ = await stage.wait { kind in
        switch kind {
        case .input, .lost: count += 1
        default: break
        }
        return count == 2
      }
    }
    #expect(stage.inputs == [[1, 7, 0, 0], [1, 7, 0, 0]])
  }

  @Test("a release of all controls keeps the buttons that are on in the initial report")
  func atRest() throws {
    var model = HIDInterfaceModel(
      try interface(#""reports": [{"type": "input", "id": 1, "initial": "81"}]"#))
    #expect(model.inputReportsAtRest().isEmpty)
    _ = model.noteInput([1, 0x0f, 5, 0])
    #expect(model.inputReportsAtRest() == [[1, 0x81, 5, 0]])
  }

  @Test("an added control replaces the declared fields that it overlaps, and no others")
  func hidden() throws {
    let descriptor = try interface(
      #""controls": {"level": {"type": "input", "id": 1, "bit": 6, "bits": 4}}"#
    ).descriptor
    #expect(descriptor.controls(named: "button 1").isEmpty)
    #expect(descriptor.controls(named: "genericDesktop.x").isEmpty)
    #expect(descriptor.report(.input, id: HIDReportID(rawValue: 1))?.byteCount == 4)
    #expect(!descriptor.controls(named: "0xff00.0x0001").isEmpty)
  }

  @Test("a short output report is a warning, unless the file declares that it has any length")
  func anyLength() throws {
    func warnings(_ rest: String) throws -> Int {
      var model = HIDInterfaceModel(try interface(rest))
      let reaction = model.receive(
        HIDHostEventRecord(time: .now, event: .output(HIDReportBytes([2, 7]))))
      return reaction.happenings.count {
        if case .fidelity = $0.kind { true } else { false }
      }
    }
    #expect(try warnings(#""reports": [{"type": "output", "id": 2, "anyLength": true}]"#) == 0)
    #expect(try warnings(#""reports": [{"type": "output", "id": 2, "initial": "00"}]"#) == 1)
  }
}
