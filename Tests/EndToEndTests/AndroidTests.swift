// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

extension EndToEndTests {
  @Suite("android play") struct AndroidTests {
    /// Unnumbered reports: input of 3 bytes, output of 2, feature of 2.
    private static let descriptor = """
      [6, 0, 255, 9, 1, 0xa1, 1, 21, 0, 38, 255, 0, 117, 8, 149, 3, 9, 1, 129, 2, 149, 2, 9, 2, 145, 2, 9, 3, 177, 2, 192]
      """

    @Test(
      "a host's reports are printed in Android's form, and its requests get the registered answers",
      arguments: TestBus.available)
    func host(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let run = try await bench.start("android", "play", "-")
        try await run.write(
          """
          {"id": 1, "command": "register", "name": "pad", "vid": "0x1209", "pid": 7, "bus": "USB", "other": [],
           "descriptor": \(Self.descriptor), "feature_reports": [{"id": 0, "data": [1, 2]}],
           "outputs": [{"description": "ask", "output": [5, 6], "response": [7]}]}
          { "id": 2, "command": "register", "name": "mute", "vid": 1, "pid": 2, "bus": "usb", "descriptor": \(Self.descriptor) }

          """)
        let pad = try await bench.appears("pad")
        let mute = try await bench.appears("mute")
        #expect(try await bench.finish("get", pad, "feature").output.first == "01 02")
        #expect(
          try await bench.finish("get", mute, "feature", "--timeout", "200ms").status != 0)
        let monitor = try await bench.start("monitor", pad)
        _ = try await monitor.note(containing: "monitoring")
        #expect(try await bench.finish("set", pad, "output", "05 06").status == 0)
        let output = try await run.line { $0.contains("\"eventId\":6,\"deviceId\":1") }
        #expect(output.hasSuffix("\"reportType\":1,\"reportData\":[0,5,6]}"))
        _ = try await monitor.line { $0.contains("07 00 00") }

        async let setting = bench.finish("set", pad, "feature", "08 09")
        let set = try await run.line { $0.contains("\"eventId\":13") }
        #expect(set.hasPrefix("{\"eventId\":13,\"deviceId\":1,\"reportType\":0,\"reportData\":["))
        try await run.write(
          """
          {"id": 1, "command": "send_set_report_reply", "success": "true"}
          {"id": 1, "command": "set_get_report_response", "report": [0, 4]}
          {"id": 1, "command": "delay", "duration": 1}
          {"id": 1, "command": "report", "report": [1, 2]}
          {"id": 9, "command": "report", "report": [1, 2]}

          """)
        #expect(try await setting.status == 0)
        _ = try await monitor.line { $0.contains("01 02 00") }
        _ = try await run.note(containing: "no device 9 is registered")
        #expect(try await bench.finish("get", pad, "feature").output.first == "00 04")
        try await run.closeInput()
        #expect(try await run.status == 1, "one command failed")
      }
    }

    @Test("several files are played one after the other, each with devices of its own")
    func severalFiles() async throws {
      try await Bench.run(.loopback) { bench in
        let files = try ["a", "b"].map { name in
          try bench.file(
            "\(name).txt",
            """
            {"id": 1, "command": "register", "name": "\(name)", "descriptor": \(Self.descriptor)}
            {"id": 1, "command": "report", "report": [7]}
            """)
        }
        let run = try await bench.start("android", "play", files[0], files[1])
        for name in ["a", "b"] {
          let node = try await bench.appears(name)
          let monitor = try await bench.start("monitor", node)
          _ = try await monitor.line { $0.contains("07 00 00") }
        }
        #expect(try await run.status == 0)
      }
    }

    /// The registrations of devices that the kernel's driver does not accept, with the reason.
    private static let refused = [
      "sony_dualshock4_register.json",  // requires a MAC address as serial number
      "nintendo_switchpro_register.json",  // the driver uses other packet numbers than the file
    ]

    @Test(
      "Android's registrations play unchanged where the bus accepts them, with their test reports",
      .enabled(if: DescriptorCorpus.isPresent, "the corpus is not there"),
      arguments: TestBus.available)
    func files(bus: TestBus) async throws {
      let folder = DescriptorCorpus.directory.appending(path: "android-cts")
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      let registrations = names.filter { $0.hasSuffix("_register.json") }
      #expect(registrations.count == 6)
      for name in registrations where bus == .loopback || !Self.refused.contains(name) {
        try await Bench.run(bus) { bench in
          let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
          let run = try await bench.start("android", "play", "-")
          try await run.write(text + "\n")
          let device = try await bench.appears(nil)
          let monitor = try await bench.start("monitor", device, "--json")
          let stem = String(name.dropLast("register.json".count))
          for test in names where test.hasPrefix(stem) && test.hasSuffix("eventtests.json") {
            let reports = try Self.reports(folder.appending(path: test))
            #expect(!reports.isEmpty)
            for report in reports {
              try await run.write("{\"id\": 1, \"command\": \"report\", \"report\": \(report)}\n")
            }
            for report in reports {
              let hex = report.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
              let seen = try #require(try await monitor.event("input").bytes)
              let rest = seen.split(separator: " ").dropFirst(hex.count)
              #expect(seen.hasPrefix(hex.joined(separator: " ")), "\(test)")
              #expect(rest.allSatisfy { $0 == "00" }, "short reports are filled up with zeros")
            }
          }
          try await run.closeInput()
          #expect(try await run.status == 0, "\(name): \(run.transcript)")
        }
      }
    }

    /// Returns the reports of all tests of a file, in order.
    private static func reports(_ file: URL) throws -> [[Int]] {
      struct Case: Decodable { var reports: [[Int]] }
      return try JSONDecoder().decode([Case].self, from: Data(contentsOf: file))
        .flatMap(\.reports)
    }
  }
}

extension Bench {
  /// Waits for a simulated device with this name, or for any device if the name is nil.
  ///
  /// - Returns: The node of the device.
  fileprivate func appears(_ name: String?) async throws -> String {
    try #require(try await device(name).node)
  }

  /// Waits for a simulated device that has a node and this name, or any name if `name` is nil.
  func device(_ name: String? = nil) async throws -> Event {
    while true {
      for device in try await devices() where name == nil || device.name == name {
        if device.node != nil { return device }
      }
      try Task.checkCancellation()
    }
  }
}
