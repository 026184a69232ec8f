// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension EndToEndTests {
  /// Tests that use the kernel's nodes and drivers as programs without hidsim do.
  @Suite("programs on the kernel bus", .enabled(if: TestBus.testsKernel, TestBus.kernelReason))
  struct KernelProgramTests {
    /// An event of linux/input.h.
    struct InputEvent: Equatable {
      static let byteCount = 24
      let type: UInt16
      let code: UInt16
      let value: Int32

      init(_ type: UInt16, _ code: UInt16, _ value: Int32) {
        self.type = type
        self.code = code
        self.value = value
      }

      /// Reads an event in host byte order, after 16 bytes of time.
      init(_ bytes: ArraySlice<UInt8>) {
        let raw = Array(bytes)
        type = UInt16(raw[16]) | UInt16(raw[17]) << 8
        code = UInt16(raw[18]) | UInt16(raw[19]) << 8
        value = Int32(
          truncatingIfNeeded: raw[20..<24].reversed().reduce(0) { $0 << 8 | Int64($1) })
      }

      var bytes: [UInt8] {
        Array(repeating: 0, count: 16)
          + [UInt8(type & 0xff), UInt8(type >> 8), UInt8(code & 0xff), UInt8(code >> 8)]
          + (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      }
    }

    /// Opens a node; the caller closes it.
    private func open(_ node: String) throws -> Int32 {
      let descriptor = Glibc.open(node, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else {
        throw EndToEndError("open \(node): \(String(cString: strerror(errno)))")
      }
      return descriptor
    }

    /// Reads a node until `count` key events have come, or until no event has come for ten seconds.
    private func keys(_ descriptor: Int32, _ count: Int) -> [InputEvent] {
      var keys: [InputEvent] = []
      var bytes = [UInt8](repeating: 0, count: 256 * InputEvent.byteCount)
      while keys.count < count {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, 10_000) == 1 else { break }
        let length = read(descriptor, &bytes, bytes.count)
        guard length > 0 else { break }
        keys += stride(from: 0, to: length, by: InputEvent.byteCount)
          .map { InputEvent(bytes[$0..<$0 + InputEvent.byteCount]) }.filter { $0.type == 1 }
      }
      return keys
    }

    @Test("each key of a report has its KEY_ code on the evdev node")
    func key() async throws {
      try await Bench.run(.kernel) { bench in
        let run = try await bench.start("run", "keyboard.json", "--json", "--send", "-")
        let node = try #require(try await run.event("plugged").eventNodes?.first)
        let descriptor = try open(node)
        defer { close(descriptor) }
        // The reports hold A, left Shift with B, Enter, and no key.
        try await run.write("00 00 04\n02 00 05\n00 00 28\n00\n")
        let expected = [
          InputEvent(1, 30, 1),  // KEY_A
          InputEvent(1, 42, 1), InputEvent(1, 30, 0), InputEvent(1, 48, 1),  // KEY_LEFTSHIFT, KEY_B
          InputEvent(1, 42, 0), InputEvent(1, 48, 0), InputEvent(1, 28, 1),  // KEY_ENTER
          InputEvent(1, 28, 0),
        ]
        let keys = keys(descriptor, expected.count)
        #expect(keys.count == expected.count)
        for event in expected { #expect(keys.contains(event)) }
        try await run.closeInput()
        #expect(try await run.status == 0)
      }
    }

    @Test("a driver that is bound again is reported as an event, and reports sent after it arrive")
    func rebound() async throws {
      try await Bench.run(.kernel) { bench in
        let run = try await bench.start("run", "keyboard.json", "--json", "--send", "-")
        let node = try #require(try await run.event("plugged").node)
        try change(["unbind", "bind"], of: node)
        let changed = try await run.event("driver")
        #expect(changed.driver == "hid-generic")
        let descriptor = try open(try #require(changed.eventNodes?.first))
        defer { close(descriptor) }
        try await run.write("00 00 04\n00\n")
        #expect(keys(descriptor, 2) == [InputEvent(1, 30, 1), InputEvent(1, 30, 0)])
        try await run.closeInput()
        #expect(try await run.status == 0)
      }
    }

    @Test("a device whose driver is unbound ends by SIGINT while input is still to be sent")
    func unbound() async throws {
      try await Bench.run(.kernel) { bench in
        let run = try await bench.start("run", "keyboard.json", "--json", "--send", "-")
        let node = try #require(try await run.event("plugged").node)
        try change(["unbind"], of: node)
        // The text is longer than a pipe holds. When the write returns, the run has read some of
        // the text, and is still sending a part that takes a second.
        try await run.write(String(repeating: "00\n", count: 30_000))
        try await bench.end(run)
      }
    }

    @Test("a device without a driver is reported as unusable, and sends again when a driver binds")
    func boundLate() async throws {
      try await Bench.run(.kernel) { bench in
        let run = try await bench.start("run", "keyboard.json", "--json", "--input", "--send", "-")
        let node = try #require(try await run.event("plugged").node)
        let device = try Self.kernelName(of: node)
        try change(["unbind"], device: device)
        _ = try await run.event("unusable")
        try change(["bind"], device: device)
        _ = try await run.event("driver")
        try await run.write("00 00 04\n")
        #expect(try await run.event("input").bytes == "00 00 04 00 00 00 00 00")
        try await run.closeInput()
        #expect(try await run.status == 0)
      }
    }

    /// Returns the kernel's name of the HID device that has a hidraw node.
    private static func kernelName(of node: String) throws -> String {
      let raw = try #require(node.split(separator: "/").last)
      let device = try FileManager.default.destinationOfSymbolicLink(
        atPath: "/sys/class/hidraw/\(raw)/device")
      return String(try #require(device.split(separator: "/").last))
    }

    private func change(_ actions: [String], of node: String) throws {
      try change(actions, device: try Self.kernelName(of: node))
    }

    /// Binds a device to the kernel's generic driver, or unbinds it.
    private func change(_ actions: [String], device: String) throws {
      for action in actions {
        let file = Glibc.open("/sys/bus/hid/drivers/hid-generic/\(action)", O_WRONLY)
        try #require(file >= 0)
        let name = Array(device.utf8)
        #expect(write(file, name, name.count) == name.count)
        close(file)
      }
    }

    @Test("Caps Lock set by EV_LED is one led.capsLock event on and one off, with raw 02 and 00")
    func lamp() async throws {
      try await Bench.run(.kernel) { bench in
        let run = try await bench.start("run", "keyboard.json", "--json")
        let node = try #require(try await run.event("plugged").eventNodes?.first)
        let descriptor = try open(node)
        defer { close(descriptor) }
        for value in [1, 0] as [Int32] {
          // EV_LED, LED_CAPSL; then EV_SYN.
          let bytes = InputEvent(0x11, 1, value).bytes + InputEvent(0, 0, 0).bytes
          #expect(write(descriptor, bytes, bytes.count) == bytes.count)
          let output = try await run.event("output") { $0.changes?["led.capsLock"] != nil }
          #expect(output.changes == ["led.capsLock": Int(value)])
          #expect(output.raw == (value == 1 ? "02" : "00"))
          #expect(output.bytes == output.raw)
        }
        try await bench.end(run)
        let changes = run.output.lines.compactMap(Event.init)
          .compactMap { $0.changes?["led.capsLock"] }
        #expect(changes == [1, 0])
      }
    }

    @Test("Caps Lock set by a hidraw write of 00 02 is led.capsLock, and a write of 02 is EINVAL")
    func hidraw() async throws {
      try await Bench.run(.kernel) { bench in
        let (run, node) = try await bench.plug("keyboard.json")
        let descriptor = try open(node)
        defer { close(descriptor) }
        #expect(write(descriptor, [0x02] as [UInt8], 1) == -1)
        #expect(errno == EINVAL)
        #expect(write(descriptor, [0x00, 0x02] as [UInt8], 2) == 2)
        let output = try await run.event("output") { $0.changes?["led.capsLock"] != nil }
        #expect(output.changes == ["led.capsLock": 1])
        #expect(output.bytes == "02")
        #expect(output.raw == "00 02")
        try await bench.end(run)
      }
    }

    // MARK: The README

    private static func readmeLines() throws -> [String] {
      let path = URL(filePath: Bench.descriptors).deletingLastPathComponent()
        .appending(path: "README.md")
      return try String(contentsOf: path, encoding: .utf8).components(separatedBy: "\n")
    }

    /// Returns the lines of the README's code block from the one after `first` to the block's end.
    private static func readme(after first: String) throws -> [String] {
      let lines = try readmeLines()
      let start = try #require(lines.firstIndex(of: first), "\(first)")
      return Array(lines[(start + 1)...].prefix { $0 != "```" })
    }

    @Test(
      "the README's program passes the README's script, and fails as shown there with the bug",
      .enabled(if: python, "needs python3"))
    func readme() async throws {
      try await Bench.run(.kernel) { bench in
        let program = try Self.readme(after: "```python").joined(separator: "\n")
        let shown = try Self.readme(after: "$ cat caps.hidscript")
        let script = "\(Bench.descriptors)/scripts/caps.hidscript"
        let lines = try String(contentsOfFile: script, encoding: .utf8).split(separator: "\n")
        #expect(shown.prefix(lines.count).elementsEqual(lines) { $0 == $1 })

        let good = try await bench.finish(
          "run", "keyboard.json", "--script", script, "--", "python3",
          try bench.file("my_led_app.py", program))
        #expect(good.status == 0, "\(good.errors)")
        let lamp = try #require(shown.first { $0.hasSuffix("  led.capsLock on") })
        #expect(good.errorText.contains(lamp.dropFirst("0.000000".count)))

        let bug = program.replacing("[0x00, 0x02]", with: "[0x00, 0x01]")
        #expect(bug != program)
        let bad = try await bench.finish(
          "run", "keyboard.json", "--script", script, "--", "python3",
          try bench.file("my_led_app.py", bug))
        #expect(bad.status == 1)
        let failure = try #require(bad.errors.first { $0.hasPrefix("hidsim: ") })
        let told = try #require(failure.split(separator: "/").last)
        #expect(try Self.readmeLines().contains("hidsim: \(told)"))
        #expect(bad.errorText.contains("output 01 (as 00 01)  led.numLock on"))
      }
    }

    // MARK: hidapi

    static let library = [
      "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib",
    ]
    .contains { access("\($0)/libhidapi-hidraw.so.0", R_OK) == 0 }
    static let header = access("/usr/include/hidapi/hidapi.h", R_OK) == 0
    static let compiler = found("cc")
    static let python = found("python3")

    private static func found(_ program: String) -> Bool {
      (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .contains { access("\($0)/\(program)", X_OK) == 0 }
    }

    @Test(
      "hidapi gets an unnumbered feature report with the leading 00 of USB hardware",
      .enabled(
        if: compiler && header, "needs cc and hidapi/hidapi.h: apt-get install gcc libhidapi-dev"))
    func featureReport() async throws {
      try await Bench.run(.kernel) { bench in
        let device = try bench.file(
          "feature.json",
          """
          {"hidsim": 1, "name": "hidsim test feature", "vendorID": "0x1209", "productID": "0x0003",
           "transport": "usb",
           "reportDescriptor":
             {"hex": "06 00 ff 09 01 a1 01 09 02 15 00 26 ff 00 75 08 95 02 b1 02 c0"},
           "reports": [{"type": "feature", "initial": "11 22"}]}
          """)
        let program = bench.folder.appending(path: "get_feature").path
        let compiled = try await bench.finish(
          program: "cc",
          ["-Wall", "-o", program, "\(Bench.fixtures)/get_feature.c", "-lhidapi-hidraw"])
        #expect(compiled.status == 0, "\(compiled.errors)")
        let done = try await bench.finish(
          "run", device, "--", "sh", "-c", "exec \(program) $HIDSIM_HIDRAW")
        #expect(done.status == 0, "\(done.errors)")
        #expect(done.output == ["00 11 22"])
        #expect(done.errorText.contains("get feature: answered 11 22"))
      }
    }

    @Test(
      "a hidapi program that lights Caps Lock passes, and with a bug fails at the script's line",
      .enabled(
        if: python && library,
        "needs python3 and libhidapi-hidraw.so.0: apt-get install python3 libhidapi-hidraw0"))
    func wrapped() async throws {
      try await Bench.run(.kernel) { bench in
        // A is pressed, not Caps Lock: the kernel's console also lights the LED for Caps Lock.
        let script = try bench.file(
          "caps.hidscript",
          """
          wait reader hidraw within 20s
          tap a
          expect led.capsLock on within 2s

          """)
        let program = "\(Bench.fixtures)/caps_hidapi.py"
        let good = try await bench.finish(
          "run", "keyboard.json", "--script", script, "--", "python3", program)
        #expect(good.status == 0, "\(good.errors)")
        #expect(good.errorText.contains("output 02 (as 00 02)  led.capsLock on"))
        let bad = try await bench.finish(
          "run", "keyboard.json", "--script", script, "--", "python3", program, "--forget-number")
        #expect(bad.status == 1, "\(bad.errors)")
        #expect(
          bad.errorText.contains(
            "caps.hidscript:3:1: expected led.capsLock on within 2s, and it is off"))
      }
    }
  }
}
