// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEndTests {
  /// The shipped DualSense and DualShock 4 with hid-playstation of Linux.
  @Suite("shipped DualSense", .enabled(if: TestBus.testsKernel, TestBus.kernelReason))
  struct LibraryDualSenseTests {
    static let files = ["dualsense.json", "dualsense-bluetooth.json"]
    private static let name = "DualSense Wireless Controller"

    /// Plugs the pad with a script that runs until it is stopped.
    private func plug(
      _ bench: Bench, _ file: String, _ lines: String = ""
    ) async throws -> (run: HidsimProcess, device: KernelDevice) {
      let script = try bench.file(
        "pad.hidscript", "\(lines)\nwait 1m")
      let run = try await bench.start("run", file, "--json", "--script", script)
      return (run, KernelDevice(node: try #require(try await run.event("plugged").node)))
    }

    private func end(_ run: HidsimProcess) async throws {
      run.signal(SIGINT)
      _ = try await run.status
    }

    @Test(
      "the driver binds with gamepad, motion sensors, touchpad, lamps, battery and versions",
      arguments: files)
    func taken(_ file: String) async throws {
      try await Bench.run(.kernel) { bench in
        let (run, device) = try await plug(bench, file)
        #expect(device.driver == "playstation")
        #expect(
          try device.eventNodes().keys.sorted() == [
            Self.name, "\(Self.name) Motion Sensors", "\(Self.name) Touchpad",
          ])
        #expect(
          try device.lamps().sorted() == [
            "rgb:indicator", "white:player-1", "white:player-2", "white:player-3", "white:player-4",
            "white:player-5",
          ])
        #expect(try device.text("firmware_version") == "0x0110002a")
        #expect(try device.text("hardware_version") == "0x00000617")
        // The driver knows the status only after the first input report.
        let sensors = try device.open("\(Self.name) Motion Sensors")
        try sensors.wait(for: [EvdevEvent(type: 0, code: 0, value: 0)])
        #expect(try device.battery("capacity") == "85")
        let status = file == "dualsense.json" ? "Charging" : "Discharging"
        #expect(try device.battery("status") == status)
        try await end(run)
      }
    }

    @Test(
      "programs find the gamepad by the version of a real one",
      arguments: [
        (files[0], "kernel", "8111"), (files[0], "usb", "8111"), (files[1], "kernel", "8100"),
      ])
    func version(file: String, bus: String, version: String) async throws {
      try await Bench.run(.kernel) { bench in
        let run = try await bench.start("run", file, "--bus", bus, "--json")
        let device = KernelDevice(node: try #require(try await run.event("plugged").node))
        // On USB the name begins with the manufacturer.
        let nodes = try device.eventNodes()
        let node = try #require(nodes.first { $0.key.hasSuffix(Self.name) }).value
        // The driver sets the highest bit. The rest is the version of HID on USB.
        let path = "/sys/class/input/\(URL(filePath: node).lastPathComponent)/device/id/version"
        let found = try String(contentsOfFile: path, encoding: .utf8)
        #expect(found == "\(version)\n")
        try await end(run)
      }
    }

    @Test(
      "the buttons, axes and touches of a script are events of the three nodes", arguments: files)
    func input(_ file: String) async throws {
      try await Bench.run(.kernel) { bench in
        let (run, device) = try await plug(
          bench, file,
          """
          expect green 7 within 20s
          press cross ; axis leftX 255 ; axis dpad 2 ; axis gyroX 160 ; axis accelerationZ -8192
          axis touch1.x 960 ; axis touch1.y 540 ; axis touch1.lifted 0 ; press touchpad
          axis battery 3 ; axis charging 0
          """)
        let pad = try device.open(Self.name)
        let sensors = try device.open("\(Self.name) Motion Sensors")
        let touchpad = try device.open("\(Self.name) Touchpad")
        // All three nodes are open. The light bar's report lets the script go on.
        let bar = try device.lamp(":rgb:indicator")
        try bar.appending(path: "multi_intensity").write("0 7 0")
        try bar.appending(path: "brightness").write("255")
        // BTN_SOUTH, ABS_X, ABS_HAT0X.
        try pad.wait(for: [.key(0x130, 1), .absolute(0, 255), .absolute(16, 1)])
        // ABS_RX in 1/1024 degree per second, ABS_Z in 1/8192 standard gravity.
        try sensors.wait(for: [.absolute(3, 10 * 1024), .absolute(2, -8192)])
        try touchpad.wait(for: [.absolute(0x35, 960), .absolute(0x36, 540), .key(0x110, 1)])
        #expect(Array(try sensors.axis(0)[1...]) == [-32768, 32768, 16, 0, 8192])
        // The driver reports the middle of the step: 3 means 30 to 39 percent, and becomes 35.
        try await eventually { try device.battery("capacity") == "35" }
        try await eventually { try device.battery("status") == "Discharging" }
        try await end(run)
      }
    }

    @Test(
      "the light bar, a player lamp and rumble of the host are named outputs of the pad",
      arguments: files)
    func output(_ file: String) async throws {
      try await Bench.run(.kernel) { bench in
        let (run, device) = try await plug(bench, file)
        let bar = try device.lamp(":rgb:indicator")
        try bar.appending(path: "multi_intensity").write("255 128 0")
        try bar.appending(path: "brightness").write("255")
        let light = try await run.event("output") { $0.changes?["red"] == 255 }
        #expect(light.changes?["green"] == 128 && light.changes?["blue"] == 0)
        try device.lamp(":white:player-1").appending(path: "brightness").write("1")
        let lamps = try await run.event("output") { $0.changes?["means.playerLamps"] == 1 }
        // The kernel counts this pad as player 1, whose lamp is the middle one.
        #expect(lamps.changes?["playerLamps"] == 0b00101)
        let pad = try device.open(Self.name)
        try pad.rumble(strong: 0xc000, weak: 0x4000)
        let rumble = try await run.event("output") { $0.changes?["rumbleLeft"] != nil }
        #expect(rumble.changes?["rumbleLeft"] == 0xc0 && rumble.changes?["rumbleRight"] == 0x40)
        // The driver uses the second kind of rumble, since the pad's update version is new enough.
        #expect(rumble.changes?["means.haptics"] == 1 && rumble.changes?["means.rumble2"] == 1)
        try await end(run)
        #expect(
          !run.output.lines.contains { $0.contains("\"fidelity\"") && $0.contains("message") })
      }
    }

    @Test("the driver binds to a DualShock 4, whose events arrive and whose outputs are named")
    func dualShock() async throws {
      try await Bench.run(.kernel) { bench in
        let (run, device) = try await plug(
          bench, "dualshock4.json",
          """
          expect green 7 within 20s
          press cross ; axis leftX 255 ; axis dpad 2 ; axis gyroX 160
          axis touch1.x 960 ; axis touch1.y 471 ; axis touch1.lifted 0 ; press touchpad
          axis battery 3 ; axis cable 0
          """)
        let name = "Wireless Controller"
        #expect(device.driver == "playstation")
        #expect(try device.text("firmware_version") == "0x00000313")
        let pad = try device.open(name)
        let sensors = try device.open("\(name) Motion Sensors")
        let touchpad = try device.open("\(name) Touchpad")
        try await eventually { try device.battery("status") == "Charging" }
        #expect(try device.battery("capacity") == "85")
        try device.lamp(":green").appending(path: "brightness").write("7")
        // BTN_SOUTH, ABS_X, ABS_HAT0X. ABS_RX in 1/1024 degree per second.
        try pad.wait(for: [.key(0x130, 1), .absolute(0, 255), .absolute(16, 1)])
        try sensors.wait(for: [.absolute(3, 10 * 1024)])
        try touchpad.wait(for: [.absolute(0x35, 960), .absolute(0x36, 471), .key(0x110, 1)])
        try await eventually { try device.battery("capacity") == "35" }
        try await eventually { try device.battery("status") == "Discharging" }
        try pad.rumble(strong: 0xc000, weak: 0x4000)
        let rumble = try await run.event("output") { $0.changes?["rumbleLeft"] != nil }
        #expect(rumble.changes?["rumbleLeft"] == 0xc0 && rumble.changes?["rumbleRight"] == 0x40)
        try await end(run)
      }
    }

    @Test("the driver lights the microphone's lamp when its button is pressed")
    func microphone() async throws {
      try await Bench.run(.kernel) { bench in
        let (run, _) = try await plug(
          bench, "dualsense.json", "press mute ; expect microphoneLamp 1 within 20s ; release mute")
        let lamp = try await run.event("output") { $0.changes?["microphoneLamp"] == 1 }
        #expect(lamp.changes?["microphoneOff"] == 1)
        try await end(run)
      }
    }

    @Test("feature reports in hidraw have an address for each pad, and a checksum on Bluetooth")
    func features() async throws {
      try await Bench.run(.kernel) { bench in
        let run = try await bench.start(
          "run", "dualsense.json", "dualsense-bluetooth.json", "--json")
        let wired = KernelDevice(node: try #require(try await run.event("plugged").node))
        let wireless = KernelDevice(node: try #require(try await run.event("plugged").node))
        let one = try wired.feature(9, byteCount: 20)
        let two = try wireless.feature(9, byteCount: 20)
        #expect(one.count == 20 && two.count == 20)
        #expect(one[1..<7] != two[1..<7])
        #expect(Array(one[4..<7]) == [0, 0, 2])
        #expect(Array(one[16...]) == [0, 0, 0, 0])
        // CRC-32 of a3, 09 and the rest of the report. Over a report with its checksum, the result
        // is always the same.
        #expect(crc32([0xa3] + two) == 0x2144_df1c)
        try await bench.end(run)
      }
    }

    /// Computes the CRC-32 of IEEE 802.3, bit by bit.
    private func crc32(_ bytes: [UInt8]) -> UInt32 {
      var crc: UInt32 = ~0
      for byte in bytes {
        crc ^= UInt32(byte)
        for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1 == 1 ? 0xedb8_8320 : 0) }
      }
      return ~crc
    }
  }
}
