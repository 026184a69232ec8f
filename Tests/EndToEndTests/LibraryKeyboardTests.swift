// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEndTests {
  /// The shipped keyboards and pedals with the kernel's drivers.
  @Suite("shipped keyboards", .enabled(if: TestBus.testsKernel, TestBus.kernelReason))
  struct LibraryKeyboardTests {
    @Test(
      "an n-key rollover keyboard is one node with LEDs, and ten keys at once are ten KEY_ codes")
    func rollover() async throws {
      try await Bench.run(.kernel) { bench in
        let run = try await bench.start("run", "nkro-keyboard.json", "--json", "--send", "-")
        let device = KernelDevice(node: try #require(try await run.event("plugged").node))
        #expect(device.driver == "hid-generic")
        let name = "hidsim n-key rollover keyboard Keyboard"
        #expect(Array(try device.eventNodes().keys) == [name])
        let node = try device.open(name)
        // Usages 0x04 to 0x0d, A to J: bits 4 to 13 after the byte of the modifiers.
        try await run.write("01 02 f0 3f\n01\n02 cd 00\n02\n")
        try node.wait(for: [
          .key(42, 1), .key(30, 1), .key(48, 1), .key(46, 1), .key(32, 1), .key(18, 1),
          .key(33, 1), .key(34, 1), .key(35, 1), .key(23, 1), .key(36, 1),
          .key(36, 0), .key(164, 1), .key(164, 0),  // KEY_PLAYPAUSE
        ])
        try node.write(EvdevEvent(type: 0x11, code: 1, value: 1))
        let output = try await run.event("output") { $0.changes?["led.capsLock"] == 1 }
        #expect(output.bytes == "01 02")
        try await run.closeInput()
        #expect(try await run.status == 0)
      }
    }

    @Test("hid-apple translates the keys of the Magic Keyboard, with and without Fn")
    func magic() async throws {
      try await Bench.run(.kernel) { bench in
        let run = try await bench.start("run", "magic-keyboard.json", "--json", "--send", "-")
        let device = KernelDevice(node: try #require(try await run.event("plugged").node))
        #expect(device.driver == "apple")
        let node = try device.open("Magic Keyboard with Numeric Keypad")
        // The reports hold F1, no key, Fn, F1 with Fn, Enter with Fn, and no key.
        try await run.write(
          """
          01 00 00 3a
          01
          01 00 00 00 00 00 00 00 00 02
          01 00 00 3a 00 00 00 00 00 02
          01 00 00 28 00 00 00 00 00 02
          01

          """)
        try node.wait(for: [
          .key(224, 1), .key(224, 0),  // KEY_BRIGHTNESSDOWN
          .key(0x1d0, 1), .key(59, 1), .key(59, 0),  // KEY_FN, KEY_F1
          .key(110, 1), .key(110, 0), .key(0x1d0, 0),  // KEY_INSERT
        ])
        try node.write(EvdevEvent(type: 0x11, code: 1, value: 1))
        let lamp = try await run.event("output") { $0.changes?["led.capsLock"] == 1 }
        #expect(lamp.bytes == "01 02")
        try await run.closeInput()
        #expect(try await run.status == 0)
      }
    }

    @Test(
      "the kernel's battery level is what the Magic Keyboard answers, and later what it reports")
    func battery() async throws {
      try await Bench.run(.kernel) { bench in
        let run = try await bench.start("run", "magic-keyboard.json", "--json", "--send", "-")
        let device = KernelDevice(node: try #require(try await run.event("plugged").node))
        #expect(try device.battery("capacity") == "87")
        #expect(try device.battery("status") == "Discharging")
        let node = try device.open("Magic Keyboard with Numeric Keypad")
        // The battery is at 41 percent, and charges. The key report after the battery's report
        // shows that both have arrived.
        try await run.write("90 03 29\n01 00 00 04\n")
        try node.wait(for: [.key(30, 1)])
        #expect(try device.battery("capacity") == "41")
        #expect(try device.battery("status") == "Charging")
        try await run.closeInput()
        #expect(try await run.status == 0)
      }
    }

    @Test(
      "an arrow key, a media key and a click of pedals are key codes of their nodes",
      arguments: ["wide", "narrow"])
    func pedals(_ kind: String) async throws {
      try await Bench.run(.kernel) { bench in
        let run = try await bench.start("run", "pedals-\(kind).json", "--json", "--send", "-")
        let device = KernelDevice(node: try #require(try await run.event("plugged").node))
        let name = "hidsim pedals (\(kind))"
        let mouse = try device.open("\(name) Mouse")
        let media = try device.open(
          kind == "wide" ? "\(name) Keyboard" : "\(name) Consumer Control")
        let keys = try device.open(kind == "wide" ? "\(name) Keyboard" : "\(name) Keypad")
        // The reports tap Up, Down, Play/Pause and the right button.
        try await run.write(
          kind == "wide"
            ? "01 00 00 52\n01\n01 00 00 51\n01\n02 cd 00\n02\n03 02\n03\n"
            : "01 01\n01\n01 04\n01\n02 10\n02\n03 02\n03\n")
        try keys.wait(for: [.key(103, 1), .key(103, 0), .key(108, 1), .key(108, 0)])
        try media.wait(for: [.key(164, 1), .key(164, 0)])
        try mouse.wait(for: [.key(0x111, 1), .key(0x111, 0)])
        try await run.closeInput()
        #expect(try await run.status == 0)
      }
    }

    @Test(
      "wide pedals have all keys 1 to 31, by which udev finds keyboards, and narrow pedals do not")
    func kinds() async throws {
      for (kind, isKeyboard) in [("wide", true), ("narrow", false)] {
        try await Bench.run(.kernel) { bench in
          let (run, node) = try await bench.plug("pedals-\(kind).json")
          let device = KernelDevice(node: node)
          let nodes = try device.eventNodes()
          let name = "hidsim pedals (\(kind)) \(isKeyboard ? "Keyboard" : "Keypad")"
          let keys = try device.bits("capabilities/key", of: try #require(nodes[name]))
          #expect(keys.contains(103) && keys.contains(104))
          #expect(keys.isSuperset(of: 1...31) == isKeyboard)
          try await bench.end(run)
        }
      }
    }
  }
}
