// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension EndToEndTests {
  @Suite("list, show, get, set, monitor") struct ClientTests {
    @Test(
      "a device is found by node, number, name, a word of the name, and vendor:product",
      arguments: TestBus.available)
    func names(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let (run, node) = try await bench.plug("keyboard.json")
        let listed = try #require(try await bench.devices().first)
        let number = try #require(listed.index)
        for name in [node, "\(number)", "hidsim keyboard", "Keyboard", "1209:0001"] {
          let shown = try await bench.finish("show", name)
          #expect(shown.status == 0, "\(name)")
          #expect(shown.output.first?.hasPrefix("\"hidsim keyboard\"  1209:0001  usb") == true)
          #expect(shown.output.contains { $0.contains("node") && $0.contains(node) })
        }
        let line = try #require(
          try await bench.finish("list").output.first { $0.contains(node) })
        #expect(line.contains("1209:0001  usb  keyboard  \"hidsim keyboard\"  KB-1  (simulated)"))
        try await bench.end(run)
      }
    }

    @Test(
      "a name that several devices have is refused (64) with the candidates",
      arguments: TestBus.available)
    func ambiguous(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let run = try await bench.start("run", "keyboard.json", "keyboard.json", "--json")
        let nodes = [try await run.event("plugged").node, try await run.event("plugged").node]
        for name in ["hidsim keyboard", "keyboard", "1209:0001"] {
          let shown = try await bench.finish("show", name)
          #expect(shown.status == 64)
          #expect(shown.output.isEmpty)
          for node in nodes { #expect(shown.errorText.contains(try #require(node))) }
        }
        try await bench.end(run)
      }
    }

    @Test(
      "show lists short names and the control names of the device file, which scripts accept",
      arguments: TestBus.available)
    func controlNames(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let own = try bench.file(
          "own.json",
          """
          {"hidsim": 1, "name": "own", "vendorID": "0x1209", "productID": 9,
           "reportDescriptor": {"hex": "06 00 ff 09 01 a1 01 85 03 09 02 15 00 26 ff 00 75 08 95 01 81 02 09 03 81 02 c0"},
           "controls": {"level": "0xff00.0x0003", "lamp": {"type": "input", "id": 3, "bit": 3}}}
          """)
        let run = try await bench.start("run", "gamepad.json", "mouse.json", own, "--json")
        for _ in 0..<3 { _ = try await run.event("plugged") }
        func names(_ device: String) async throws -> [String] {
          Array(
            try await bench.finish("show", device).output.drop { $0 != "names of the device file" })
        }
        let gamepad = try await names("gamepad")
        for line in [
          "  south          button 1", "  leftX          genericDesktop.x",
          "  axes    x y z rz hat",
        ] {
          #expect(gamepad.contains(line), "\(gamepad)")
        }
        #expect(
          try await names("own") == [
            "names of the device file", "  lamp   input report 3, bit 3", "  level  0xff00.0x0003",
          ])
        let mouse = try await bench.finish("show", "mouse").output
        #expect(
          mouse.suffix(3) == [
            "short names", "  axes    x y wheel", "  buttons left right middle back forward",
          ])
        let json = try await bench.finish("show", "gamepad", "--json").output.last
        #expect(
          json?.hasPrefix(
            #"{"event":"names","device":"hidsim gamepad","controls":{"south":"button 1","#) == true)
        // Scripts accept each of the listed names.
        let lines = gamepad.dropFirst().prefix { $0 != "short names" }.compactMap {
          $0.split(separator: " ").first
        }
        #expect(lines.count == 20)
        for name in lines {
          let done = try await bench.finish(
            "script", try bench.file("s", "set \(name) 0"), "--to", "gamepad")
          #expect(done.status == 0, "\(done.errorText)")
        }
        try await bench.end(run)
      }
    }

    private func named(_ name: String, _ productID: Int, _ bench: Bench) throws -> String {
      try bench.file(
        "\(productID).json",
        """
        {"hidsim": 1, "name": "\(name)", "vendorID": "0x1209", "productID": \(productID),
         "reportDescriptor": {"hex": "06 00 ff 09 01 a1 01 09 02 15 00 26 ff 00 75 08 95 02 81 02 c0"}}
        """)
    }

    @Test(
      "a device is not found by a part of a word, nor by a number in its name",
      arguments: TestBus.available)
    func parts(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let (run, _) = try await bench.plug(try named("Pad 77", 0x51, bench))
        #expect(try await bench.finish("show", "pad").status == 0)
        #expect(try await bench.finish("show", "pad-77").status == 0)
        for word in ["77", "a", "pads", "pad 7", "-", ""] {
          #expect(try await bench.finish("show", "--", word).status == 66, "\(word)")
        }
        try await bench.end(run)
      }
    }

    @Test(
      "a whole name finds its device, also where another name contains it",
      arguments: TestBus.available)
    func whole(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let run = try await bench.start(
          "run", try named("Pad", 0x51, bench), try named("Pad Pro", 0x52, bench), "--json")
        for _ in 0..<2 { _ = try await run.event("plugged") }
        #expect(try await bench.finish("show", "Pad").output.first?.contains("1209:0051") == true)
        #expect(try await bench.finish("show", "pro").output.first?.contains("1209:0052") == true)
        #expect(try await bench.finish("show", "pad").status == 64)
        try await bench.end(run)
      }
    }

    @Test(
      "an unknown device is refused (66) with a list of the devices", arguments: TestBus.available)
    func unknown(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let (run, node) = try await bench.plug("keyboard.json")
        let shown = try await bench.finish("get", "no such thing", "input")
        #expect(shown.status == 66)
        #expect(shown.errorText.contains("no such thing"))
        #expect(shown.errorText.contains(node))
        try await bench.end(run)
      }
    }

    @Test("an unknown device is refused (66) with hidsim run as the remedy if none is plugged")
    func nothing() async throws {
      try await Bench.run(.loopback) { bench in
        let shown = try await bench.finish("show", "1")
        #expect(shown.status == 66)
        #expect(shown.errorText.contains("hidsim run"))
        let list = try await bench.finish("list")
        #expect(list.status == 0)
        #expect(list.output.isEmpty)
        #expect(list.errors == ["no HID devices"])
        #expect(try await bench.finish("list", "--json").output.isEmpty)
      }
    }

    /// Shell commands that make a bus directory with an error at the path `$0`.
    private static let broken = [
      "mkdir -m 755 \"$0\"", "mkdir -m 700 \"$0.d\"; ln -s \"$0.d\" \"$0\"", ": > \"$0\"",
    ]

    @Test(
      "an unusable bus directory fails client commands as it fails run (77), also with --bus auto",
      .enabled(if: !TestBus.kernelIsThere, "the kernel bus can be used here"), arguments: broken)
    func brokenDirectory(make: String) async throws {
      try await Bench.run(.loopback) { bench in
        let folder = bench.folder.appending(path: "broken").path
        func ask(_ words: String) async throws -> Finished {
          try await bench.finish(
            program: "sh",
            ["-c", "HIDSIM_BUS_DIR=\"$0\" exec \"$1\" \(words)", folder, Bench.binary])
        }
        #expect(try await bench.finish(program: "sh", ["-c", make, folder]).status == 0)
        let run = try await ask("run keyboard.json --bus loopback --for 1ms")
        #expect(run.status == 77)
        let text = try #require(run.errors.last)
        #expect(text.contains(folder))
        for command in ["list", "show 1", "monitor 1", "get 1 input", "set 1 output 00"] {
          for bus in ["loopback", "auto"] {
            let done = try await ask("\(command) --bus \(bus)")
            #expect(done.status == 77, "\(command) --bus \(bus)")
            #expect(done.errors == [text])
          }
        }
      }
    }

    @Test(
      "an unusable bus directory is only a warning where the kernel bus works",
      .enabled(if: TestBus.testsKernel, TestBus.kernelReason))
    func brokenDirectoryBesideKernel() async throws {
      try await Bench.run(.kernel) { bench in
        let (run, node) = try await bench.plug("keyboard.json")
        let list = try await bench.finish(
          program: "sh",
          [
            "-c", "mkdir -m 755 \"$0\"; HIDSIM_BUS_DIR=\"$0\" exec \"$1\" list --bus auto",
            bench.folder.appending(path: "broken").path, Bench.binary,
          ])
        #expect(list.status == 0)
        #expect(list.output.contains { $0.contains(node) })
        let warning = "warning: devices of the loopback bus are left out: "
        #expect(list.errors.first?.hasPrefix(warning) == true)
        try await bench.end(run)
      }
    }

    @Test(
      "list succeeds without a warning if the bus directory is missing",
      arguments: ["auto", "loopback"])
    func noDirectory(bus: String) async throws {
      try await Bench.run(.loopback) { bench in
        let list = try await bench.finish(
          program: "sh",
          [
            "-c", "HIDSIM_BUS_DIR=\"$0\" exec \"$1\" list --bus \"$2\"",
            bench.folder.appending(path: "no/such").path, Bench.binary, bus,
          ])
        #expect(list.status == 0)
        #expect(!list.errorText.contains("warning"))
      }
    }

    @Test(
      "a set of Caps Lock is one event with led.capsLock, bytes 02 and raw 00 02",
      arguments: TestBus.available)
    func capsLock(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let (run, node) = try await bench.plug("keyboard.json")
        #expect(try await bench.finish("set", node, "output", "02").status == 0)
        let on = try await run.event("output") { $0.changes?.isEmpty == false }
        #expect(on.changes == ["led.capsLock": 1])
        #expect(on.report == nil)
        #expect(on.bytes == "02")
        #expect(on.raw == "00 02")
        #expect(try await bench.finish("set", node, "output", "00").status == 0)
        let off = try await run.event("output")
        #expect(off.changes == ["led.capsLock": 0])
        #expect(off.bytes == "00")
        #expect(off.raw == "00 00")
        try await bench.end(run)
        let events = run.output.lines.compactMap(Event.init)
        #expect(events.filter { $0.changes?["led.capsLock"] == 1 }.count == 1)
      }
    }

    @Test("get input returns the last input report", arguments: TestBus.available)
    func getInput(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let (run, node) = try await bench.plug("keyboard.json", "--input", "--send", "-")
        try await run.write("02 00 04\n")
        try await run.event("input")
        let got = try await bench.finish("get", node, "input", "--json")
        #expect(got.status == 0)
        let answer = try #require(got.output.first.flatMap(Event.init))
        #expect(answer.bytes == "02 00 04 00 00 00 00 00")
        #expect(answer.values?["keyboardOrKeypad.keyboardLeftShift"] == 1)
        #expect(answer.values?["keyboardOrKeypad.keyboardA"] == 1)
        #expect(try await run.event("get").bytes == "02 00 04 00 00 00 00 00")
        try await run.closeInput()
        #expect(try await run.status == 0)
      }
    }

    @Test(
      "a feature report that was set is read back, with the bytes that were not set unchanged",
      arguments: TestBus.available)
    func feature(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let (run, node) = try await bench.plug("gamepad.json")
        let first = try await bench.finish("get", node, "feature", "3", "--json")
        let before = try #require(first.output.first.flatMap(Event.init)?.bytes)
        #expect(before.hasPrefix("03 "))
        #expect(try await bench.finish("set", node, "feature", "3", "05").status == 0)
        #expect(try await run.event("set").bytes == "03 05")
        let second = try await bench.finish("get", node, "feature", "3")
        // Bytes that were not sent keep their values.
        #expect(second.output.first == "03 05" + before.dropFirst(5))
        let missing = try await bench.finish("get", node, "feature")
        #expect(missing.status == 64)
        #expect(missing.errorText.contains("3"))
        try await bench.end(run)
      }
    }

    @Test(
      "a set of another length than declared is a warning on both sides, and fails run --strict",
      arguments: TestBus.available)
    func lengths(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let run = try await bench.start(
          "run", "keyboard.json", "gamepad.json", "--json", "--strict")
        let keyboard = try #require(try await run.event("plugged").node)
        let gamepad = try #require(try await run.event("plugged").node)
        let long = try await bench.finish("set", keyboard, "output", "02 03")
        #expect(long.status == 0)
        let cut =
          "output report has 2 bytes, and is declared with 1: hardware would receive 02 03, and might cut"
        #expect(long.errors.first?.hasPrefix("warning: \(cut)") == true, "\(long.errors)")
        #expect(try await run.event("fidelity").message?.hasPrefix(cut) == true)
        let short = try await bench.finish("set", gamepad, "feature", "3", "05")
        #expect(short.status == 0)
        let kept = "feature report 3 has 1 byte, and is declared with "
        #expect(short.errors.first?.hasPrefix("warning: \(kept)") == true, "\(short.errors)")
        #expect(short.errors.first?.contains("hardware would receive only 03 05") == true)
        #expect(try await run.event("fidelity").message?.hasPrefix(kept) == true)
        let exact = try await bench.finish("set", keyboard, "output", "02")
        #expect(exact.errors == [])
        run.signal(SIGINT)
        #expect(try await run.status == 1)
      }
    }

    @Test("a set without a byte after the ID is refused (64), and one not declared is a warning")
    func nothingToSend() async throws {
      try await Bench.run(.loopback) { bench in
        let (run, node) = try await bench.plug("gamepad.json")
        for words in [["feature", "3"], ["output", "2", ""], ["feature", "--id", "3", ""]] {
          let done = try await bench.finish(program: Bench.binary, ["set", node] + words)
          #expect(done.status == 64)
          #expect(done.errorText.contains("nothing to send"), "\(done.errors)")
        }
        let unknown = try await bench.finish("set", node, "output", "9", "01")
        let told = "warning: the descriptor declares no output report 9"
        #expect(unknown.errors.first?.hasPrefix(told) == true)
        run.signal(SIGINT)
        #expect(try await run.status == 0)
        #expect(!run.output.lines.contains { $0.contains("\"set\"") })
      }
    }

    @Test(
      "monitor prints reports as they come, and ends with status 0 when the device is unplugged",
      arguments: TestBus.available)
    func monitor(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let (run, node) = try await bench.plug("keyboard.json", "--send", "-")
        let monitor = try await bench.start("monitor", node, "--json")
        try await bench.waitForReader(run, node)
        try await run.write("00 00 04\n00 00 00\n")
        let press = try await monitor.event("input")
        #expect(press.bytes == "00 00 04 00 00 00 00 00")
        #expect(press.changes == ["keyboardOrKeypad.keyboardA": 1])
        #expect(try await monitor.event("input").changes == ["keyboardOrKeypad.keyboardA": 0])
        try await run.closeInput()
        #expect(try await run.status == 0)
        #expect(try await monitor.status == 0)
        #expect(try #require(monitor.errors.lines.last).hasPrefix("2 reports, 0 lost"))
      }
    }

    @Test(
      "monitor shows the release of a key that was down in a report with ErrorRollOver",
      arguments: TestBus.available)
    func rollOver(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let (run, node) = try await bench.plug("keyboard.json", "--send", "-")
        let monitor = try await bench.start("monitor", node, "--json")
        try await bench.waitForReader(run, node)
        try await run.write("00 00 04\n00 00 01 01 01 01 01 01\n00 00 00\n")
        #expect(
          try await monitor.event("input").changes == ["keyboardOrKeypad.keyboardA": 1])
        #expect(try await monitor.event("input").bytes == "00 00 01 01 01 01 01 01")
        #expect(
          try await monitor.event("input").changes == ["keyboardOrKeypad.keyboardA": 0])
        try await run.closeInput()
        #expect(try await monitor.status == 0)
      }
    }

    @Test(
      "monitor notes that another program seizes and releases the device, and then continues",
      arguments: TestBus.available)
    func seized(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let (run, node) = try await bench.plug("keyboard.json", "--send", "-")
        let monitor = try await bench.start("monitor", node, "--raw")
        try await bench.waitForReader(run, node)
        let owner = try await bench.start(program: Bench.client, ["KB-1"])
        try await owner.write("seize\n")
        _ = try await owner.line { $0 == "mine" }
        _ = try await monitor.note(containing: "another program has seized the device")
        try await owner.closeInput()
        #expect(try await owner.status == 0)
        _ = try await monitor.note(containing: "the other program has released the device")
        try await run.write("00 00 05\n")
        #expect(try await monitor.line { _ in true } == "00 00 05 00 00 00 00 00")
        try await run.closeInput()
        #expect(try await monitor.status == 0)
      }
    }

    @Test("a request to a device whose program is stopped ends at --timeout, 5 s by default")
    func stopped() async throws {
      try await Bench.run(.loopback) { bench in
        let (run, node) = try await bench.plug("gamepad.json")
        try await run.stop()
        let begun = ContinuousClock.now
        let get = try await bench.finish("get", node, "feature", "3", "--timeout", "10ms")
        #expect(get.status == 1)
        #expect(get.errors.count == 1)
        let set = try await bench.finish("set", node, "feature", "3", "05", "--timeout", "10ms")
        #expect(set.status == 1)
        let show = try await bench.finish("show", node, "--read", "--timeout", "10ms")
        #expect(show.status == 0)
        func count(_ reason: String) -> Int {
          show.output.filter { $0.contains("no value known: \(reason)") }.count
        }
        #expect(count("the device did not answer") == 1)
        #expect(count("not requested, because the device did not answer before") > 0)
        #expect(ContinuousClock.now - begun < .seconds(15))
        for command in ["get", "set", "show"] {
          let help = try await bench.finish(command, "--help")
          #expect(help.output.contains { $0.contains("--timeout") })
          #expect(help.output.contains { $0.contains("(default: 5s)") })
        }
        run.signal(SIGCONT)
        try await bench.end(run)
      }
    }

    @Test("set --json prints the values of the report under the key values")
    func setValues() async throws {
      try await Bench.run(.loopback) { bench in
        let (run, node) = try await bench.plug("keyboard.json")
        let done = try await bench.finish("set", node, "output", "02", "--json")
        let set = try #require(done.output.first.flatMap(Event.init))
        #expect(set.changes == nil)
        #expect(set.values?["led.capsLock"] == 1)
        #expect(set.values?["led.numLock"] == 0)
        try await bench.end(run)
      }
    }

    @Test("every --json key of run, list, devices, show, get and set is on the page JSONOutput")
    func keys() async throws {
      try await Bench.run(.loopback) { bench in
        let (run, node) = try await bench.plug("gamepad.json", "--input", "--send", "-")
        try await run.write("01 01\n")
        try await run.event("input")
        var lines: [String] = []
        for words in [
          ["list"], ["devices"], ["show", node, "--read"], ["show", node, "--listen", "1ms"],
          ["get", node, "feature", "3"], ["set", node, "feature", "3", "05"],
        ] {
          let done = try await bench.finish(program: Bench.binary, words + ["--json"])
          #expect(done.status == 0)
          #expect(!done.output.isEmpty)
          lines += done.output
        }
        try await run.closeInput()
        #expect(try await run.status == 0)
        lines += run.output.lines
        let page = try String(
          contentsOf: URL(filePath: Bench.descriptors).appending(
            path: "../Documentation/hidsim.docc/JSONOutput.md"),
          encoding: .utf8)
        for key in try Set(lines.flatMap(Self.keys)) {
          #expect(page.contains("`\(key)`"), "\(key)")
        }
      }
    }

    /// Returns the keys of a line, and of the objects in it, except names of controls.
    private static func keys(_ line: String) throws -> [String] {
      func keys(_ value: Any) -> [String] {
        if let list = value as? [Any] { return list.flatMap(keys) }
        guard let object = value as? [String: Any] else { return [] }
        return object.flatMap { key, value in
          ["changes", "values", "controls", "keys", "axes", "buttons"].contains(key)
            ? [key] : [key] + keys(value)
        }
      }
      return keys(try JSONSerialization.jsonObject(with: Data(line.utf8)))
    }

    @Test("the event of a request says whether its report is declared")
    func declared() async throws {
      try await Bench.run(.loopback) { bench in
        let (run, node) = try await bench.plug("gamepad.json")
        for (words, isDeclared) in [
          (["get", node, "feature", "3"], true), (["get", node, "feature", "77"], false),
          (["set", node, "feature", "3", "05"], true),
          (["set", node, "feature", "77", "05"], false),
        ] {
          _ = try await bench.finish(program: Bench.binary, words)
          let line = try await run.line { $0.contains("\"\(words[0])\"") }
          #expect(line.contains("\"declared\":\(isDeclared)"), "\(line)")
          #expect(line.components(separatedBy: "\"declared\"").count == 2, "\(line)")
        }
        try await bench.end(run)
      }
    }

    @Test(
      "show --read requests every report, and show without it requests none",
      arguments: TestBus.available)
    func read(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let (run, node) = try await bench.plug("gamepad.json")
        #expect(
          try await bench.finish("show", node).output.contains { $0.hasSuffix(", no value known") })
        let shown = try await bench.finish("show", node, "--read")
        #expect(shown.status == 0)
        #expect(shown.output.contains { $0.hasPrefix("feature report 3: ") && $0.contains("read") })
        // Elements that repeat one usage are shown as one name and a value for each.
        let repeated = try #require(
          shown.output.first { $0.contains(" (") && $0.contains(" times): ") })
        let count = try #require(repeated.firstMatch(of: /\(([0-9]+) times\): ([0-9 -]+)$/))
        #expect(count.2.split(separator: " ").count == Int(count.1))
        try await bench.end(run)
        let requests = run.output.lines.compactMap(Event.init).filter { $0.event == "get" }
        #expect(
          requests.count
            == shown.output.filter { $0.contains(" report ") && $0.contains("bytes,") }.count)
      }
    }
  }
}

extension Bench {
  /// Waits until a monitor that was started has the device open, and the device counts losses for
  /// it.
  func waitForReader(_ run: HidsimProcess, _ node: String) async throws {
    switch bus {
    case .loopback: try await run.event("opened")
    case .kernel:
      // The kernel reports only the first open of a device, which is the open by the kernel's own
      // driver.
      try await eventually { try NodeUsers.hasOpen(node) && hasCountedClient() }
    }
  }

  /// Returns whether a device of the kernel's bus has accepted a client at its control socket.
  func hasCountedClient() throws -> Bool {
    let names = try FileManager.default.contentsOfDirectory(atPath: busFolder.path)
    let sockets = try String(contentsOfFile: "/proc/net/unix", encoding: .utf8)
    return sockets.split(separator: "\n").contains { line in
      let fields = line.split(separator: " ")
      // Num: RefCount Protocol Flags Type St Inode Path. State 03 is connected, and accepted.
      return fields.count == 8 && fields[5] == "03"
        && names.contains { $0.hasPrefix("kernel-") && fields[7].hasSuffix("/\($0)") }
    }
  }
}

/// A check for processes that have a device node open.
enum NodeUsers {
  static func hasOpen(_ node: String) -> Bool {
    let files = FileManager.default
    for process in (try? files.contentsOfDirectory(atPath: "/proc")) ?? []
    where Int32(process) != nil {
      for file in (try? files.contentsOfDirectory(atPath: "/proc/\(process)/fd")) ?? []
      where (try? files.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/\(file)")) == node {
        return true
      }
    }
    return false
  }
}
