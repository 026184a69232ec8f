// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

extension EndToEndTests {
  @Suite("pedals") struct PedalsTests {
    @Test("each stroke is printed, with the port and its label", arguments: TestBus.available)
    func prints(_ bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let drive = try await bench.start("drive", "pedals-wide.json")
        _ = try await drive.event("plugged")
        let pedals = try await bench.start("pedals")
        _ = try await pedals.note(containing: "waiting for pedals")
        _ = try await pedals.note(containing: "hidsim pedals (wide): found by their name")
        try await drive.perform(script: "wait reader within 10s")
        try await drive.perform(script: "tap leftPedal; set mode 3; tap rightPedal")
        for end in [
          "hidsim pedals (wide): port 1 (Left) down", "port 1 (Left) press", "port 1 (Left) up",
          "port 3 (Right) down", "port 3 (Right) press", "port 3 (Right) up",
        ] {
          #expect(try await pedals.line { _ in true }.hasSuffix(end))
        }
        try await drive.closeInput()
        #expect(try await drive.status == 0)
        _ = try await pedals.note(containing: "hidsim pedals (wide): unplugged")
      }
    }

    @Test(
      "a command runs for each press, with the port in its environment",
      arguments: TestBus.available)
    func runs(_ bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let drive = try await bench.start("drive", "pedals-narrow.json")
        _ = try await drive.event("plugged")
        let pedals = try await bench.start(
          "pedals", "--labels", "ports", "--", "sh", "-c",
          "echo port $PEDAL label $PEDAL_LABEL repeat $PEDAL_REPEAT; exit 3")
        _ = try await pedals.note(containing: "waiting for pedals")
        try await drive.perform(script: "wait reader within 10s")
        try await drive.perform(script: "tap rightPedal; tap leftPedal")
        #expect(try await pedals.line { _ in true } == "port 3 label 3 repeat 0")
        #expect(try await pedals.line { _ in true } == "port 1 label 1 repeat 0")
        _ = try await pedals.note(containing: "sh exited with 3")
        try await drive.closeInput()
        #expect(try await drive.status == 0)
      }
    }

    @Test("a missing command fails with 127, and --json with a command is refused (64)")
    func refusals() async throws {
      try await Bench.run(.loopback) { bench in
        let missing = try await bench.finish("pedals", "--", "no-such-program")
        #expect(missing.status == 127 && missing.errorText.contains("no-such-program"))
        let both = try await bench.finish("pedals", "--json", "--", "true")
        #expect(both.status == 64 && both.errorText.contains("--json excludes a command after --"))
      }
    }
  }
}
