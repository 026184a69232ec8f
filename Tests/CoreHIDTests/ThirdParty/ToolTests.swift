// SPDX-License-Identifier: Apache-2.0

import CoreHID
import Testing

extension OnBothBuses.ThirdParty {
  /// Tests with programs that print the events of a device.
  @Suite("A virtual device, watched by evtest and hid-recorder")
  struct ToolTests {
    private func eventNode(_ device: HIDVirtualDevice) throws -> String {
      try #require(device.hidsim.eventNodes.first)
    }

    /// Waits for the next events of a type, as evtest prints them, without keys that repeat.
    private func events(
      _ count: Int, of type: String, _ evtest: Program
    ) async throws -> [String] {
      var events: [String] = []
      while events.count < count {
        let line = try await evtest.line {
          $0.hasPrefix("Event: ") && $0.contains("(\(type))") && !$0.hasSuffix("value 2")
        }
        events.append(String(line[try #require(line.firstRange(of: "code ")).lowerBound...]))
      }
      return events
    }

    private static let needsEvtest: Comment = "needs evtest: apt-get install evtest"

    @Test("evtest shows keys as EV_KEY events", .enabled(if: Tools.evtest != nil, needsEvtest))
    func keys() async throws {
      let evtest = try #require(Tools.evtest)
      try await TestBus.kernel.run {
        let (device, _) = try await plug(TestDescriptor.keyboard)
        let node = try eventNode(device)
        try await Program.run([evtest, node]) { program in
          try await program.line("Input device name: \"hidsim test device\"")
          try await program.line { $0.contains("Event code 30 (KEY_A)") }
          try await program.line { $0.contains("Event code 1 (LED_CAPSL)") }
          try await program.line("Testing ... (interrupt to exit)")
          try await device.dispatchInputReport(data: Data([0x02, 0, 0x04]), timestamp: .now)
          #expect(
            try await events(2, of: "EV_KEY", program) == [
              "code 42 (KEY_LEFTSHIFT), value 1", "code 30 (KEY_A), value 1",
            ])
          // evtest's exit status is 10 if the key is held, 0 if not.
          let query = [evtest, "--query", node, "EV_KEY"]
          #expect(try await Program.finish(query + ["KEY_A"]).status == 10)
          #expect(try await Program.finish(query + ["KEY_B"]).status == 0)
          try await device.dispatchInputReport(data: Data(count: 8), timestamp: .now)
          #expect(
            try await events(2, of: "EV_KEY", program) == [
              "code 42 (KEY_LEFTSHIFT), value 0", "code 30 (KEY_A), value 0",
            ])
          #expect(try await Program.finish(query + ["KEY_A"]).status == 0)
        }
      }
    }

    @Test(
      "evtest shows motion as EV_REL events, and buttons as EV_KEY events",
      .enabled(if: Tools.evtest != nil, needsEvtest))
    func motion() async throws {
      let evtest = try #require(Tools.evtest)
      try await TestBus.kernel.run {
        let (device, _) = try await plug(TestDescriptor.mouse)
        try await Program.run([evtest, try eventNode(device)]) { program in
          try await program.line("Testing ... (interrupt to exit)")
          try await device.dispatchInputReport(data: Data([0x01, 0xfb, 0x07]), timestamp: .now)
          #expect(
            try await events(1, of: "EV_KEY", program) == ["code 272 (BTN_LEFT), value 1"])
          #expect(
            try await events(2, of: "EV_REL", program) == [
              "code 0 (REL_X), value -5", "code 1 (REL_Y), value 7",
            ])
          withExtendedLifetime(device) {}
        }
      }
    }

    @Test(
      "hid-recorder prints the descriptor, the name, the IDs and every report",
      .enabled(
        if: Tools.recorder != nil,
        "needs hid-recorder: scripts/test installs it, or pip install hid-tools"),
      arguments: [
        (TestDescriptor.keyboard, [Data([2, 0, 4, 0, 0, 0, 0, 0]), Data(count: 8)]),
        (TestDescriptor.numbered, [Data([1, 10, 11, 12, 13]), Data([2, 20, 21])]),
      ])
    func recorder(descriptor: Data, reports: [Data]) async throws {
      let recorder = try #require(Tools.recorder)
      try await TestBus.kernel.run {
        let (device, _) = try await plug(descriptor)
        let node = try #require(device.hidsim.node)
        try await Program.run([recorder, node]) { program in
          #expect(
            try await program.line(beginning: "R: ")
              == "R: \(descriptor.count) \(descriptor.words)")
          #expect(try await program.line(beginning: "N: ") == "N: hidsim test device")
          #expect(try await program.line(beginning: "I: ") == "I: 3 1209 0042")
          for report in reports {
            try await device.dispatchInputReport(data: report, timestamp: .now)
          }
          for report in reports {
            let event = try await program.line(beginning: "E: ").split(separator: " ")
            #expect(event.dropFirst(2).joined(separator: " ") == "\(report.count) \(report.words)")
          }
        }
      }
    }
  }
}
