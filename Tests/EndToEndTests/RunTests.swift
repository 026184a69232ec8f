// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension EndToEndTests {
  @Suite("run") struct RunTests {
    @Test(
      "run prints the bus with its reason, the node and the time to ready, and counts at the end",
      arguments: TestBus.available)
    func lines(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let done = try await bench.finish("run", "keyboard.json", "--for", "50ms")
        #expect(done.status == 0)
        let first = try #require(done.output.first { $0.contains(": plugged into") })
        #expect(first.hasPrefix("hidsim keyboard: plugged into the \(bus) bus (asked for), "))
        #expect(first.contains(bus == .kernel ? "/dev/hidraw" : "loopback:"))
        #expect(first.contains(/ready in [0-9.]+ ms/))
        #expect(
          try #require(done.output.last).contains(
            /^[0-9]+ events \(0 input, [0-9]+ output, 0 requests\), 0 unexpected, 0 lost/))
        #expect(done.output.contains { $0.hasSuffix("hidsim keyboard: unplugged") })
        #expect(try await bench.devices().isEmpty)
      }
    }

    @Test(
      "Ctrl-C, Ctrl-\\ and SIGTERM end a run with status 0 and unplug the device",
      arguments: TestBus.available, [SIGINT, SIGQUIT, SIGTERM])
    func signals(bus: TestBus, signal: Int32) async throws {
      try await Bench.run(bus) { bench in
        let (run, node) = try await bench.plug("keyboard.json")
        #expect(try await bench.devices().map(\.node) == [node])
        run.signal(signal)
        #expect(try await run.status == 0)
        #expect(try await bench.devices().isEmpty)
        #expect(Event(try #require(run.output.lines.last))?.event == "summary")
      }
    }

    @Test("run warns of a field that cannot work on Linux, and not of one that is only unusual")
    func warnings() async throws {
      try await Bench.run(.loopback) { bench in
        // A gamepad: X with an exponent that is only unusual, and Y without an element.
        let file = try bench.file(
          "odd.json",
          """
          {"hidsim": 1, "name": "odd", "vendorID": 1, "productID": 2, "reportDescriptor": {"hex": "05 01 \
          09 05 a1 01 55 fd 09 30 15 00 25 7f 75 08 95 01 81 02 09 31 95 00 81 02 c0"}}
          """)
        let done = try await bench.finish("run", file, "--for", "10ms")
        #expect(done.status == 0)
        try #require(done.errors.count == 1)
        #expect(done.errors[0].hasPrefix("odd: warning: byte 24: "))
        #expect(done.errors[0].hasSuffix(" [empty-field]"))
        for shipped in ["keyboard.json", "mouse.json", "gamepad.json", "inputstick.json"] {
          #expect(try await bench.finish("run", shipped, "--for", "10ms").errors == [])
        }
      }
    }

    @Test(
      "a descriptor with errors is refused by the kernel bus, with all of its errors",
      .enabled(if: TestBus.testsKernel, TestBus.kernelReason))
    func refused() async throws {
      try await Bench.run(.kernel) { bench in
        // An output report of 4,096 bytes, and a feature report of 4,097.
        let file = try bench.file(
          "long.json",
          """
          {"hidsim": 1, "name": "long", "vendorID": 1, "productID": 2, "reportDescriptor": {"hex": "06 00 \
          ff 09 01 a1 01 15 00 26 ff 00 75 08 96 00 10 09 01 91 02 96 01 10 09 01 b1 02 c0"}}
          """)
        let done = try await bench.finish("run", file, "--for", "10ms")
        // The limit of a bus has the exit status of a missing resource.
        #expect(done.status == 71)
        try #require(done.errors.count == 5)
        #expect(done.errors[0].contains("--bus loopback"))
        #expect(done.errors[1].hasPrefix("  error: byte 19: "))
        #expect(done.errors[2].hasPrefix("    fix: "))
        #expect(done.errors[3].hasPrefix("  error: byte 26: "))
        #expect(
          try await bench.finish("run", file, "--bus", "loopback", "--for", "10ms").status == 0)
      }
    }

    @Test("short reports of --send and of a script are filled up with zeros, and counted")
    func short() async throws {
      try await Bench.run(.loopback) { bench in
        let script = try bench.file("short.hidscript", "report 00 00 04\nreport 00\n")
        let done = try await bench.finish(
          "run", "keyboard.json", "--script", script, "--send", "-", "--input", "--json",
          input: "00 00 05\n00 00 00 00 00 00 00 00\n")
        #expect(done.status == 0)
        let events = done.output.compactMap(Event.init)
        #expect(
          Set(events.filter { $0.event == "input" }.compactMap(\.bytes)) == [
            "00 00 04 00 00 00 00 00", "00 00 05 00 00 00 00 00", "00 00 00 00 00 00 00 00",
          ])
        #expect(events.last?.outcome == "3 short reports filled up")
      }
    }

    @Test(
      "every line of --json is an object with event, device and time", arguments: TestBus.available)
    func json(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let (run, node) = try await bench.plug("gamepad.json", "--input", "--send", "-")
        try await run.write("01 01\n")
        try await run.event("input")
        #expect(try await bench.finish("get", node, "feature", "3").status == 0)
        #expect(try await bench.finish("set", node, "feature", "3", "07").status == 0)
        #expect(try await bench.finish("set", node, "output", "2", "10 20").status == 0)
        let output = try await run.event("output")
        #expect(output.type == "output")
        #expect(output.report == 2)
        #expect(output.bytes == "02 10 20")
        #expect(output.raw == "02 10 20")
        #expect(output.changes?.values.sorted() == [0x10, 0x20])
        try await run.closeInput()
        #expect(try await run.status == 0)
        var names: Set<String> = []
        for line in run.output.lines {
          let object = try #require(
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
          names.insert(try #require(object["event"] as? String))
          #expect(object.keys.contains("device"), "\(line)")
          #expect(object["time"] is Int, "\(line)")
          if object["type"] != nil {
            #expect(object.keys.contains("report"), "\(line)")
            #expect(object["bytes"] is String, "\(line)")
          }
        }
        #expect(
          names.isSuperset(of: ["plugged", "opened", "input", "get", "set", "output", "summary"]))
      }
    }

    @Test(
      "event times count from the start of the run and never go back, also while drivers start",
      arguments: TestBus.available)
    func times(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let done = try await bench.finish(
          "run", "keyboard.json", "mouse.json", "--json", "--for", "50ms")
        let events = done.output.compactMap(Event.init)
        #expect(events.count == done.output.count)
        let times = events.compactMap(\.time)
        #expect(times.count == events.count)
        #expect(times == times.sorted())
        #expect(try #require(times.last) < 60_000_000)
      }
    }

    @Test(
      "--strict fails if no client reads the input, and passes if one does",
      arguments: TestBus.available)
    func unheard(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        // No driver of the kernel opens this device.
        let file = try bench.file("counter.json", RobustnessTests.counter)
        let alone = try await bench.finish(
          "run", file, "--send", "-", "--strict",
          input: "\(RobustnessTests.numbered(1))\n\(RobustnessTests.numbered(2))\n")
        #expect(alone.status == 1)
        let last = try #require(alone.output.last)
        #expect(last.contains(" 0 lost"))
        #expect(last.hasSuffix(", 2 input reports had no reader, strict: failed"), "\(last)")
        let single = try await bench.finish(
          "run", file, "--send", "-", input: "\(RobustnessTests.numbered(1))\n")
        #expect(single.status == 0)
        #expect(try #require(single.output.last).hasSuffix(", 1 input report had no reader"))
        let script = try bench.file("s.hidscript", "wait reader within 20s\nreport 01\n")
        let heard = try await bench.start("run", file, "--script", script, "--strict", "--json")
        let node = try #require(try await heard.event("plugged").node)
        let monitor = try await bench.start("monitor", node, "--raw")
        #expect(try await heard.status == 0, "\(heard.transcript)")
        #expect(try await monitor.status == 0)
        #expect(Event(try #require(heard.output.lines.last))?.withoutReader == 0)
      }
    }

    @Test(
      "a composite device has a line for each of its four interfaces", arguments: TestBus.available)
    func composite(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let run = try await bench.start("run", "inputstick.json", "--json")
        var labels: [String?] = []
        for _ in 0..<4 { labels.append(try await run.event("plugged").device) }
        #expect(
          labels == [
            "InputStick/keyboard", "InputStick/mouse", "InputStick/consumer", "InputStick/raw",
          ])
        let paths = try await bench.devices().compactMap(\.physicalPath)
        let parts = paths.map { $0.components(separatedBy: "/") }
        #expect(Set(parts.map(\.[0])).count == 1)
        #expect(Set(parts.map(\.[1])) == ["input0", "input1", "input2", "input3"])
        try await bench.end(run)
      }
    }

    @Test(
      "the physical path of a device file is reported, and its interfaces remain one device",
      arguments: TestBus.available)
    func physicalPath(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let descriptor =
          #"{"hex": "06 00 ff 09 01 a1 01 15 00 26 ff 00 75 08 95 01 09 02 81 02 c0"}"#
        let file = try bench.file(
          "placed.json",
          """
          {"hidsim": 1, "name": "placed", "vendorID": 1, "productID": 2,
           "physicalPath": "usb-0000:00:14.0-2", "interfaces": [
            {"name": "one", "reportDescriptor": \(descriptor)},
            {"name": "two", "reportDescriptor": \(descriptor)}]}
          """)
        let run = try await bench.start("run", file, "--json")
        let paths = [
          try #require(try await run.event("plugged").physicalPath),
          try #require(try await run.event("plugged").physicalPath),
        ]
        let parts = paths.map { $0.components(separatedBy: "/") }
        #expect(parts.map(\.count) == [3, 3])
        #expect(Set(parts.map(\.[0])) == ["usb-0000:00:14.0-2"])
        #expect(Set(parts.map(\.[1])).count == 1)
        #expect(try await bench.devices().compactMap(\.physicalPath).sorted() == paths)
        // A clone of one interface has both interfaces: the clone command finds that they belong to
        // one device.
        let clone = try await bench.finish("clone", "placed")
        #expect(clone.status == 0, "\(clone.errorText)")
        #expect(clone.output.filter { $0.contains("\"reportDescriptor\"") }.count == 2)
        #expect(!clone.output.joined().contains("hidsim-"))
        try await bench.end(run)
      }
    }

    @Test("two devices of one file differ in label, node and ID", arguments: TestBus.available)
    func twins(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let run = try await bench.start("run", "keyboard.json", "keyboard.json", "--json")
        let first = try await run.event("plugged")
        let second = try await run.event("plugged")
        #expect(first.device == "hidsim keyboard")
        #expect(second.device == "hidsim keyboard#2")
        #expect(first.node != second.node)
        #expect(first.id != second.id)
        let node = try #require(second.node)
        #expect(try await bench.finish("set", node, "output", "01").status == 0)
        #expect(
          try await run.event("output") { $0.changes == ["led.numLock": 1] }.device
            == "hidsim keyboard#2")
        try await bench.end(run)
      }
    }

    @Test(
      "devices that two hidsims plug at once, with a bus folder each, have distinct IDs",
      .enabled(if: TestBus.testsKernel, TestBus.kernelReason))
    func folders() async throws {
      try await Bench.run(.kernel) { first in
        try await Bench.run(.kernel) { second in
          async let one = first.plug(try first.vendor("one"))
          async let other = second.plug(try second.vendor("other"))
          let (runs, nodes) = try await ([one.run, other.run], [one.node, other.node])
          for (node, name) in zip(nodes, ["one", "other"]) {
            let uevent = "/sys/class/hidraw/\(URL(filePath: node).lastPathComponent)/device/uevent"
            let told = try String(contentsOfFile: uevent, encoding: .utf8).split(separator: "\n")
            #expect(told.contains("HID_NAME=\(name)"))
          }
          let list = try await first.devices()
          #expect(list.count == 2)
          #expect(Set(list.map(\.id)).count == 2)
          for (run, bench) in zip(runs, [first, second]) { try await bench.end(run) }
        }
      }
    }

    @Test("one run plugs a hundred devices on the loopback bus")
    func hundred() async throws {
      try await Bench.run(.loopback) { bench in
        let files = Array(repeating: "keyboard.json", count: 100)
        let run = try await bench.start(program: Bench.binary, ["run", "--json"] + files)
        for _ in 0..<100 { try await run.event("plugged") }
        let devices = try await bench.devices()
        #expect(Set(devices.compactMap(\.node)).count == 100)
        let last = try #require(devices.last?.node)
        #expect(try await bench.finish("set", last, "output", "02").status == 0)
        try await run.event("output") { $0.changes == ["led.capsLock": 1] }
        try await bench.end(run)
        #expect(try await bench.devices().isEmpty)
      }
    }

    @Test("a page whose port is in use is refused, and leaves no file in the bus folder")
    func usedPort() async throws {
      try await Bench.run(.loopback) { bench in
        let run = try await bench.start("bench", "keyboard.json")
        let line = try await run.line { $0.contains("the bench is at ") }
        let port = String(try #require(line.firstMatch(of: /127\.0\.0\.1:(\d+)/)).1)
        let refused = try await bench.finish("bench", "keyboard.json", "--port", port)
        #expect(refused.status == 64)
        #expect(refused.errorText.contains("--port \(port): "))
        #expect(refused.errorText.contains("another program listens there"))
        try await bench.end(run)
        #expect(try bench.leftovers() == [])
      }
    }
  }
}
