// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEndTests {
  /// The shipped pointing devices and the gamepad with the kernel's drivers.
  @Suite("shipped pointing devices", .enabled(if: TestBus.testsKernel, TestBus.kernelReason))
  struct LibraryPointerTests {
    @Test("the kernel turns on a mouse's high resolution, and an eighth of a detent is 15 of 120")
    func wheel() async throws {
      try await Bench.run(.kernel) { bench in
        let run = try await bench.start(
          "run", "high-resolution-mouse.json", "--json", "--send", "-")
        let set = try await run.event("set")
        #expect(set.report == 2 && set.bytes == "02 05")
        let device = KernelDevice(node: try #require(try await run.event("plugged").node))
        let node = try device.open("hidsim high-resolution mouse")
        // The wheel turns up by an eighth and seven eighths of a detent, and to the right by two
        // and six eighths.
        try await run.write(
          "01 00 00 00 00 00 01 00\n01 00 00 00 00 00 07 00\n01 00 00 00 00 00 00 02\n01 00 00 00 00 00 00 06\n"
        )
        let events = try node.wait(for: [
          // REL_WHEEL_HI_RES, REL_HWHEEL_HI_RES. REL_WHEEL and REL_HWHEEL come before them when a
          // detent is complete.
          .relative(0x0b, 15), .relative(0x0b, 105), .relative(0x0c, 30), .relative(0x0c, 90),
        ])
        #expect(
          events.filter { [0x06, 0x08].contains($0.code) } == [
            .relative(0x08, 1), .relative(0x06, 1),
          ])
        try await run.closeInput()
        #expect(try await run.status == 0)
      }
    }

    @Test(
      "a detent is 120 on every mouse", arguments: ["mouse.json", "high-resolution-mouse.json"])
    func detents(_ file: String) async throws {
      try await Bench.run(.kernel) { bench in
        let drive = try await bench.start("drive", file)
        let device = KernelDevice(node: try #require(try await drive.event("plugged").node))
        let name = try #require(try device.eventNodes().keys.first)
        let node = try device.open(name)
        try await drive.perform(script: "scroll -2 ; scroll 1 horizontal")
        // REL_WHEEL, REL_WHEEL_HI_RES, REL_HWHEEL, REL_HWHEEL_HI_RES.
        try node.wait(for: [
          .relative(0x08, -2), .relative(0x0b, -240), .relative(0x06, 1), .relative(0x0c, 120),
        ])
        try await drive.closeInput()
        #expect(try await drive.status == 0)
      }
    }

    @Test(
      "hid-multitouch requests a touchpad's features, sets its mode and makes a five-slot clickpad")
    func touchpad() async throws {
      try await Bench.run(.kernel) { bench in
        let run = try await bench.start("run", "precision-touchpad.json", "--json", "--send", "-")
        #expect(try await run.event("get").report == 2)
        #expect(try await run.event("get") { $0.report == 3 }.report == 3)
        let mode = try await run.event("set") { $0.report == 4 }
        #expect(mode.bytes == "04 03")
        let device = KernelDevice(node: try #require(try await run.event("plugged").node))
        #expect(device.driver == "hid-multitouch")
        #expect(
          try device.eventNodes().keys.sorted() == [
            "hidsim precision touchpad Mouse", "hidsim precision touchpad Touchpad",
          ])
        let node = try device.open("hidsim precision touchpad Touchpad")
        #expect(try device.bits("properties", of: node.path) == [0, 2])  // pointer, buttonpad
        #expect(try node.axis(0x2f) == [0, 0, 4, 0, 0, 0])
        #expect(Array(try node.axis(0x35)[1...]) == [0, 4399, 0, 0, 40])
        try await run.closeInput()
        #expect(try await run.status == 0)
      }
    }

    @Test("two fingers and a click on a touchpad are slot events, and a palm is MT_TOOL_PALM")
    func contacts() async throws {
      try await Bench.run(.kernel) { bench in
        let run = try await bench.start("run", "precision-touchpad.json", "--json", "--send", "-")
        let device = KernelDevice(node: try #require(try await run.event("plugged").node))
        let node = try device.open("hidsim precision touchpad Touchpad")
        let rest = "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
        try await run.write(
          """
          01 03 e8 03 e8 03 07 d0 07 b0 04 \(rest) 64 00 02
          01 03 10 04 e8 03 07 f8 07 b0 04 \(rest) c8 00 82
          01 01 10 04 e8 03 05 f8 07 b0 04 \(rest) 2c 01 02

          """)
        try node.wait(for: [
          .absolute(0x39, 0), .absolute(0x35, 1000), .absolute(0x36, 1000), .absolute(0x2f, 1),
          .absolute(0x39, 1), .absolute(0x35, 2000), .absolute(0x36, 1200), .key(0x14a, 1),
          .key(0x14d, 1),  // BTN_TOUCH, BTN_TOOL_DOUBLETAP
          .absolute(0x35, 1040), .key(0x110, 1),
          .absolute(0x39, -1), .absolute(0x39, -1), .key(0x110, 0), .key(0x14a, 0),
        ])
        // A contact without confidence becomes MT_TOOL_PALM.
        try await run.write("01 02 e8 03 e8 03 00 00 00 00 00 \(rest) 90 01 01\n")
        try node.wait(for: [.absolute(0x37, 2)])
        try await run.closeInput()
        #expect(try await run.status == 0)
      }
    }

    @Test(
      "a gamepad has 16 buttons, a hat, six axes and no force feedback, and gets rumble by hidraw")
    func gamepad() async throws {
      try await Bench.run(.kernel) { bench in
        let run = try await bench.start("run", "gamepad.json", "--json", "--send", "-")
        let device = KernelDevice(node: try #require(try await run.event("plugged").node))
        #expect(device.driver == "hid-generic")
        let node = try device.open("hidsim gamepad")
        #expect(try device.bits("capabilities/ff", of: node.path).isEmpty)
        #expect(try device.bits("capabilities/key", of: node.path) == Set(0x130...0x13f))
        #expect(try device.bits("capabilities/abs", of: node.path) == [0, 1, 2, 5, 9, 10, 16, 17])
        // The report holds South, the D-pad up and right, the left stick to the right, and the left
        // trigger half way.
        try await run.write("01 01 00 01 ff 7f 00 00 00 00 00 00 80 00\n")
        try node.wait(for: [.key(0x130, 1), .absolute(16, 1), .absolute(17, -1)])
        let hidraw = try #require(FileHandle(forUpdatingAtPath: device.node))
        try hidraw.write(contentsOf: [0x02, 0xc8, 0x10])
        let output = try await run.event("output")
        #expect(output.bytes == "02 c8 10")
        try await run.closeInput()
        #expect(try await run.status == 0)
      }
    }
  }
}
