// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEndTests {
  /// The shipped Switch Pro Controller with hid-nintendo of Linux.
  @Suite("shipped Switch Pro Controller", .enabled(if: TestBus.testsKernel, TestBus.kernelReason))
  struct LibrarySwitchTests {
    private func plug(
      _ bench: Bench, _ lines: String = ""
    ) async throws -> (run: HidsimProcess, device: KernelDevice) {
      let script = try bench.file(
        "pad.hidscript", "\(lines)\nwait 1m")
      let run = try await bench.start("run", "switch-pro.json", "--json", "--script", script)
      return (run, KernelDevice(node: try #require(try await run.event("plugged").node)))
    }

    private func end(_ run: HidsimProcess) async throws {
      run.signal(SIGINT)
      _ = try await run.status
    }

    @Test("the driver's handshake is answered, and no subcommand is repeated")
    func handShake() async throws {
      try await Bench.run(.kernel) { bench in
        let (run, device) = try await plug(bench)
        #expect(device.driver == "nintendo")
        let outputs = run.output.lines.compactMap(Event.init).filter { $0.event == "output" }
        // The driver sends the command without an answer (04) twice.
        #expect(
          outputs.filter { $0.report == 0x80 }.compactMap(\.bytes)
            == ["80 02", "80 03", "80 02", "80 04", "80 04"])
        // Each text is a subcommand and its data.
        let subcommands = outputs.filter { $0.report == 1 }.compactMap { output in
          output.bytes?.split(separator: " ").dropFirst(10).joined(separator: " ")
        }
        #expect(
          subcommands == [
            "02", "10 10 80 00 00 02", "10 1b 80 00 00 02", "10 3d 60 00 00 09",
            "10 46 60 00 00 09", "10 26 80 00 00 02", "10 20 60 00 00 18", "40 01", "03 30",
            "48 01", "30 01", "38 01 00 00 11 11",
          ])
        #expect(
          try device.eventNodes().keys.sorted() == ["Pro Controller", "Pro Controller (IMU)"])
        #expect(
          try device.lamps().sorted() == [
            "blue:player-5", "green:player-1", "green:player-2", "green:player-3", "green:player-4",
          ])
        try await end(run)
      }
    }

    @Test(
      "a script's buttons and axes are calibrated events, and its battery level is the kernel's")
    func input() async throws {
      try await Bench.run(.kernel) { bench in
        let (run, device) = try await plug(
          bench,
          """
          expect argument 9 within 20s
          press a ; axis leftX 100% ; axis leftY 1n ; press up
          axis gyroX 1000 ; axis accelerationY 4096
          axis battery 1 ; axis charging 0
          """)
        let pad = try device.open("Pro Controller")
        let motion = try device.open("Pro Controller (IMU)")
        // Both nodes are open. The lamp's report ends the wait of `expect argument 9`.
        try device.lamp(":green:player-4").appending(path: "brightness").write("1")
        // BTN_EAST; ABS_HAT0Y. The end of the stick is the end of the axis, and up is negative.
        try pad.wait(for: [.key(0x131, 1)])
        try pad.wait(for: [.absolute(17, -1)])
        #expect(try pad.axis(0)[0] == 32767)
        #expect(try pad.axis(1)[0] == -32767)
        try motion.wait(for: [.absolute(3, 1_000_000), .absolute(1, 4096)])
        for (value, expected) in [("capacity_level", "Low"), ("status", "Discharging")] {
          try await eventually { try device.battery(value) == expected }
        }
        try await end(run)
      }
    }

    @Test("the host's lamps and rumble reach the controller as subcommands and rumble reports")
    func output() async throws {
      try await Bench.run(.kernel) { bench in
        let (run, device) = try await plug(bench)
        try device.lamp(":green:player-3").appending(path: "brightness").write("1")
        let lamps = try await run.event("output") { $0.bytes?.contains(" 30 05") == true }
        #expect(lamps.report == 1)
        try device.lamp(":blue:player-5").appending(path: "brightness").write("15")
        let home = try await run.event("output") { $0.bytes?.contains(" 38 01 f0 ff") == true }
        #expect(home.report == 1)
        let pad = try device.open("Pro Controller")
        try pad.rumble(strong: 0xffff, weak: 0)
        // The strong motor is the left one. Only its bytes differ from 00 01 40 40, the value of a
        // motor at rest.
        let rumble = try await run.event("output") {
          $0.report == 0x10 && $0.bytes?.hasSuffix("00 01 40 40") == true
            && $0.bytes?.hasSuffix("00 01 40 40 00 01 40 40") == false
            && $0.bytes?.hasSuffix("00 00 00 00 00 00 00 00") == false
        }
        let bytes = try #require(rumble.bytes).split(separator: " ").compactMap {
          UInt8($0, radix: 16)
        }
        #expect(Array(bytes[2..<6]) == [0x00, 0xc9, 0x40, 0x72])
        try await end(run)
      }
    }

    @Test("two controllers have different addresses and different player lamps")
    func two() async throws {
      try await Bench.run(.kernel) { bench in
        let run = try await bench.start("run", "switch-pro.json", "switch-pro.json", "--json")
        var devices: [KernelDevice] = []
        for _ in 0..<2 {
          devices.append(KernelDevice(node: try #require(try await run.event("plugged").node)))
        }
        let addresses = try devices.map { device in
          let node = try #require(try device.eventNodes()["Pro Controller"])
          let event = URL(filePath: node).lastPathComponent
          return try String(
            contentsOfFile: "/sys/class/input/\(event)/device/uniq", encoding: .utf8)
        }
        #expect(addresses[0].hasPrefix("02:00:00:") && addresses[0] != addresses[1])
        let lamps = try devices.map { device in
          try (1...4).map { number in
            try String(
              contentsOf: device.lamp(":green:player-\(number)").appending(path: "brightness"),
              encoding: .utf8
            ).first
          }
        }
        #expect(lamps[0] != lamps[1])
        try await bench.end(run)
      }
    }
  }
}
