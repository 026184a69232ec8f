// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension EndToEndTests {
  /// The shipped devices whose drivers in Linux take only USB devices.
  @Suite(
    "shipped USB devices", .enabled(if: TestBus.testsKernel, TestBus.kernelReason),
    .enabled(if: USBBus.isThere, USBBus.reason))
  struct LibraryUSBTests {
    /// The names of the device files.
    static let names = ["corsair-k90", "g27-wheel", "huion-h1161", "u2f-zero"]

    /// Plugs a device with a script, and waits for the first of its interfaces.
    private func plug(
      _ bench: Bench, _ file: String, _ lines: String
    ) async throws -> (run: HidsimProcess, device: KernelDevice) {
      let script = try bench.file("usb.hidscript", lines)
      let run = try await bench.start(
        "run", file, "--bus", "usb", "--json", "--script", script)
      return (run, KernelDevice(node: try #require(try await run.event("plugged").node)))
    }

    /// Stops a run whose script still waits.
    private func stop(_ run: HidsimProcess) async throws {
      run.signal(SIGINT)
      _ = try await run.status
    }

    private func axes(_ device: KernelDevice, _ node: EvdevNode) throws -> Set<Int> {
      try device.bits("capabilities/abs", of: node.path)
    }

    @Test("hid-lg4ff makes a wheel with force feedback and lamps, and the script moves its axes")
    func wheel() async throws {
      try await Bench.run(.kernel) { bench in
        let (run, device) = try await plug(
          bench, "g27-wheel.json",
          """
          wait reader evdev within 20s
          set wheel 12000 throttle 100
          press "button 5"
          wait 1m
          """)
        #expect(device.driver == "logitech")
        #expect(try device.text("real_id") == "G27: G27 Racing Wheel")
        #expect(
          try device.lamps().map { $0.split(separator: ":").last ?? "" }.sorted()
            == ["RPM1", "RPM2", "RPM3", "RPM4", "RPM5"])
        let node = try device.open("G27 Racing Wheel")
        // ABS_X, ABS_Y, ABS_Z, ABS_RZ, ABS_HAT0X, ABS_HAT0Y; FF_CONSTANT, FF_AUTOCENTER.
        #expect(try axes(device, node) == [0, 1, 2, 5, 16, 17])
        #expect(try device.bits("capabilities/ff", of: node.path).isSuperset(of: [0x52, 0x61]))
        #expect(Array(try node.axis(0)[1...]) == [0, 16383, 0, 0, 0])
        // BTN_TRIGGER is button 1.
        try node.wait(for: [.absolute(0, 12000), .absolute(2, 100), .key(0x124, 1)])
        try await stop(run)
      }
    }

    @Test("the force, the spring, the range and the lamps that a host sets arrive at the wheel")
    func force() async throws {
      try await Bench.run(.kernel) { bench in
        let (run, device) = try await plug(
          bench, "g27-wheel.json",
          """
          expect range 900
          expect event output bytes 11 08 ?? 80 00 00 00 within 20s
          expect event output bytes 13 00 00 00 00 00 00 within 20s
          expect force 128
          expect event output bytes 14 00 00 00 00 00 00 within 20s
          expect spring 1
          expect range 270 within 20s
          expect lamps 5 within 20s
          """)
        let node = try device.open("G27 Racing Wheel")
        // Half of the force to the left, which is over after 100 ms.
        try node.force(0x4000, direction: 0x4000, milliseconds: 100)
        let force = try await run.event("output") { $0.bytes?.hasPrefix("11 08") == true }
        #expect(["11 08 bf 80 00 00 00", "11 08 c0 80 00 00 00"].contains(force.bytes))
        _ = try await run.event("output") { $0.bytes?.hasPrefix("13") == true }
        // EV_FF, FF_AUTOCENTER: the strongest spring.
        try node.write(EvdevEvent(type: 0x15, code: 0x61, value: 0xffff))
        let folder = URL(filePath: "/sys/bus/hid/devices/\(device.name)")
        try folder.appending(path: "range").write("270")
        #expect(try device.text("range") == "270")
        for lamp in ["RPM1", "RPM3"] {
          try device.lamp("::\(lamp)").appending(path: "brightness").write("1")
        }
        #expect(try await run.status == 0, "\(run.errors.lines)")
      }
    }

    @Test("hid-uclogic reads the tablet's limits, and a pen's stroke of the script arrives")
    func stroke() async throws {
      try await Bench.run(.kernel) { bench in
        let (run, device) = try await plug(
          bench, "huion-h1161.json",
          """
          @tablet wait reader evdev within 20s
          set near on penX 10000 penY 5000
          set tip on pressure 2000
          set penX 20000 penY 10000 pressure 8191
          set tip off pressure 0
          wait 1m
          """)
        let name = "HUION Huion Tablet"
        #expect(device.driver == "uclogic")
        #expect(
          try device.eventNodes().keys.sorted() == [
            "\(name) Dial", "\(name) Pad", "\(name) Pen", "\(name) Touch Strip",
          ])
        #expect(try device.text("uevent").contains("HID_UNIQ=HUION_T191_190619"))
        let pen = try device.open("\(name) Pen")
        // 5080 lines per inch are 200 per millimetre. The pressure has no unit.
        #expect(Array(try pen.axis(0)[1...]) == [0, 55880, 0, 0, 200])
        #expect(Array(try pen.axis(1)[1...]) == [0, 34925, 0, 0, 200])
        #expect(Array(try pen.axis(0x18)[1...3]) == [0, 8191, 0])
        // The driver reports that the pen has left (BTN_TOOL_PEN) after 100 ms without a report.
        let events = try pen.wait(for: [.key(0x140, 1), .key(0x140, 0)])
        func values(_ type: UInt16, _ code: UInt16) -> [Int32] {
          events.filter { $0.type == type && $0.code == code }.map(\.value)
        }
        #expect(values(3, 0) == [10000, 20000])
        #expect(values(3, 1) == [5000, 10000])
        // ABS_PRESSURE, BTN_TOUCH.
        #expect(values(3, 0x18) == [2000, 8191, 0])
        #expect(values(1, 0x14a) == [1, 0])
        try await stop(run)
      }
    }

    @Test("the buttons and the touch strip of the tablet have nodes of their own")
    func pad() async throws {
      try await Bench.run(.kernel) { bench in
        let (run, device) = try await plug(bench, "huion-h1161.json", "wait 1m")
        let pad = try device.open("HUION Huion Tablet Pad")
        let strip = try device.open("HUION Huion Tablet Touch Strip")
        // The second button is pressed, and a finger touches the fifth position.
        for report in ["08 e0 01 01 02", "08 f0 01 01 00 05"] {
          #expect(try await bench.finish("send", report, "--to", device.node).status == 0)
        }
        try pad.wait(for: [.key(0x101, 1)])  // BTN_1
        try strip.wait(for: [.absolute(3, 4)])  // ABS_RX
        try await stop(run)
      }
    }

    @Test("the lamp of a U2F Zero winks, and /dev/hwrng returns the bytes that the device answers")
    func randomNumbers() async throws {
      try await Bench.run(.kernel) { bench in
        let (run, device) = try await plug(
          bench, "u2f-zero.json",
          """
          expect winks 1 within 20s
          expect event output bytes ff ff ff ff 21 ... within 20s
          expect winks 2 within 20s
          """)
        #expect(device.driver == "hid-u2fzero")
        let number = URL(filePath: device.node).lastPathComponent.filter(\.isNumber)
        let lamp = try device.lamp("u2fzero\(number)").appending(path: "brightness")
        try lamp.write("1")
        let wink = try await run.event("output")
        #expect(wink.bytes?.hasPrefix("ff ff ff ff 24") == true)
        let current = URL(filePath: "/sys/class/misc/hw_random/rng_current")
        try current.write("u2fzero-rng\(number)")
        let random = try FileHandle(forReadingFrom: URL(filePath: "/dev/hwrng"))
        // The bytes of the device file that never change.
        let fixed = Data([0x8e, 0x31, 0xc4, 0x07, 0x5a, 0xf2, 0x69, 0xbd, 0x10, 0xe7, 0x43, 0x9c])
        // Bytes of another generator, which the kernel has kept, can be in front of the device's.
        var bytes = Data()
        while bytes.range(of: fixed) == nil, bytes.count < 2_000 {
          bytes += try #require(try random.read(upToCount: 96))
        }
        try random.close()
        #expect(bytes.range(of: fixed) != nil, "\(Array(bytes))")
        // The second wink ends the script, which unplugs the device.
        try lamp.write("1")
        #expect(try await run.status == 0)
      }
    }

    @Test(
      "hid-corsair reads and sets the K90's modes, and its special keys have codes of their own")
    func keyboard() async throws {
      try await Bench.run(.kernel) { bench in
        let (run, device) = try await plug(
          bench, "corsair-k90.json",
          """
          @special wait reader evdev within 20s
          @special press g1
          @special tap startRecording
          # SW for macro_mode, profile 2, brightness 1, and the LED of MR.
          expect event usb request 40 02 30 00 ... within 20s
          expect event usb request 40 14 02 00 ... within 20s
          expect event usb request 40 31 01 00 ... within 20s
          @keyboard expect led.capsLock on within 20s
          """)
        let consumer = KernelDevice(node: try #require(try await run.event("plugged").node))
        let keyboard = KernelDevice(node: try #require(try await run.event("plugged").node))
        #expect([device, consumer, keyboard].map(\.driver) == ["corsair", "corsair", "corsair"])
        #expect(try device.text("macro_mode") == "HW")
        #expect(try device.text("current_profile") == "1")
        let light = try device.lamp("::backlight").appending(path: "brightness")
        #expect(try String(contentsOf: light, encoding: .utf8) == "3\n")
        // Each write is a request of the vendor, which the script expects.
        let folder = URL(filePath: "/sys/bus/hid/devices/\(device.name)")
        try folder.appending(path: "macro_mode").write("SW")
        try folder.appending(path: "current_profile").write("2")
        try light.write("1")
        let node = try device.open("Corsair Vengeance K90")
        // BTN_TRIGGER_HAPPY1 and BTN_TRIGGER_HAPPY19.
        try node.wait(for: [.key(0x2c0, 1), .key(0x2d2, 1)])
        let record = try device.lamp("::record").appending(path: "brightness")
        #expect(try String(contentsOf: record, encoding: .utf8) == "1\n")
        // EV_LED, LED_CAPSL.
        try keyboard.open("Corsair Vengeance K90").write(EvdevEvent(type: 0x11, code: 1, value: 1))
        #expect(try await run.status == 0)
      }
    }
  }
}
