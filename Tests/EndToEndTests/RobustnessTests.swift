// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import HIDBus
import HIDReportDescriptor
import SystemPackage
import Testing

extension EndToEndTests {
  @Suite("robustness and load") struct RobustnessTests {
    /// A device with a vendor usage and one unnumbered input report of eight bytes.
    static let counter = """
      {"hidsim": 1, "name": "hidsim test counter", "vendorID": "0x1209", "productID": "0x0002",
       "reportDescriptor":
         {"hex": "06 00 ff 09 01 a1 01 09 02 15 00 26 ff 00 75 08 95 08 81 02 c0"}}
      """

    /// Returns a report that holds its number, as `--raw` prints it.
    static func numbered(_ number: Int) -> String {
      (0..<8).map { byte in
        let text = String((number >> (8 * byte)) & 0xff, radix: 16)
        return text.count == 1 ? "0" + text : text
      }.joined(separator: " ")
    }

    @Test(
      "a run killed under load is unplugged within a second, ends its monitor, and leaves no file",
      arguments: TestBus.available)
    func killed(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let (run, node) = try await bench.plug(
          try bench.file("counter.json", Self.counter), "--send", "-")
        let monitor = try await bench.start("monitor", node, "--raw")
        try await bench.waitForReader(run, node)
        let feeder = Task {
          let chunk = String(repeating: Self.numbered(1) + "\n", count: 1000)
          // The write throws when the run has ended and no program reads any more.
          while !Task.isCancelled { try await run.write(chunk) }
        }
        for _ in 0..<500 { try await monitor.line { _ in true } }
        let killed = ContinuousClock.now
        run.signal(SIGKILL)
        #expect(try await monitor.status == 0)
        #expect(ContinuousClock.now - killed < .seconds(1))
        while try await bench.devices().contains(where: { $0.node == node }) {
          #expect(ContinuousClock.now - killed < .seconds(1))
        }
        feeder.cancel()
        _ = await feeder.result
        #expect(try await run.status == 128 + SIGKILL)
        #expect(try bench.leftovers() == [])
        // The closing line has an exact number of lost reports, not `lost here: unknown`.
        let closing = try #require(monitor.errors.lines.last)
        #expect(closing.wholeMatch(of: /\d+ reports, \d+ lost here/) != nil, "\(closing)")
      }
    }

    private final class Connection {
      let socket: SocketDescriptor
      init(_ socket: consuming SocketDescriptor) { self.socket = socket }

      /// Returns whether the next datagram is there and equals the message.
      func receives(_ message: [UInt8]) throws -> Bool {
        do {
          return try socket.receive(atMost: 64) == message
        } catch Errno.wouldBlock {
          return false
        }
      }
    }

    @Test("an invalid message of a device ends monitor, record and proxy with an error (65)")
    func malformed() async throws {
      for command in ["monitor", "record", "proxy"] {
        try await Bench.run(.loopback) { bench in
          let directory = try BusDirectory(path: bench.busFolder.path())
          let id = HIDDeviceID(rawValue: 1 << 63 | 0x1234 << 8)
          let device = HIDDeviceDescription(
            identity: HIDDeviceIdentity(name: "hidsim test liar", vendorID: 0x1209, productID: 1),
            physicalPath: HIDPhysicalPath(deviceID: id, interface: 0),
            descriptor: try HIDReportDescriptor(parsing: [
              0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x09, 0x01, 0x15, 0x00, 0x26, 0xff, 0x00,
              0x75, 0x08, 0x95, 0x01, 0x81, 0x02, 0xc0,
            ]))
          let entry = try DeviceEntry.publish(device, on: .loopback, in: directory)
          let client = try await bench.start(command, "hidsim test liar")
          // Connections that only check for the device stay open, and send no message.
          var connections: [Connection] = []
          var hasAnswered = false
          try await eventually {
            _ = entry.listener.acceptClients { socket, _ in connections.append(Connection(socket)) }
            for connection in connections where try connection.receives([1]) {
              // The device reports that it is open. Then it sends an invalid message.
              try connection.socket.send([18, 0, 0, 0, 0, 0].span)
              try connection.socket.send([99, 1, 2].span)
              hasAnswered = true
            }
            return hasAnswered
          }
          #expect(try await client.status == 65)
          let words = "an invalid message of the loopback bus"
          #expect(client.errors.lines.contains { $0.contains(words) })
          entry.withdraw()
        }
      }
    }

    @Test(
      "a stopped monitor blocks neither the device nor another monitor",
      arguments: TestBus.available)
    func stopped(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let count = bus == .kernel ? 1000 : 50_000
        let (run, node) = try await bench.plug(
          try bench.file("counter.json", Self.counter), "--send", "-")
        let stopped = try await bench.start("monitor", node, "--raw")
        // For a monitor that was accepted before the first report, every loss is counted.
        try await bench.waitForReader(run, node)
        let other = try await bench.start("monitor", node, "--raw")
        // Reports with number 0 are sent until both monitors receive them.
        for monitor in [stopped, other] {
          while monitor.output.lines.isEmpty {
            try await run.write(Self.numbered(0) + "\n")
            try await Task.sleep(for: .milliseconds(2))
          }
        }
        try await stopped.stop()
        try await run.write((1...count).map { Self.numbered($0) + "\n" }.joined())
        try await run.closeInput()
        #expect(try await run.status == 0)
        #expect(try await other.status == 0)
        let heard = other.output.lines.filter { $0 != Self.numbered(0) }
        #expect(heard.last == Self.numbered(count))
        let all = (1...count).map(Self.numbered)
        #expect(heard == all, "\(heard.count) of \(count) heard")
        stopped.signal(SIGCONT)
        #expect(try await stopped.status == 0)
        // The closing line counts the reports that did not arrive.
        let arrived = stopped.output.lines.filter { $0 != Self.numbered(0) }.count
        #expect(arrived < count)
        #expect(
          stopped.errors.lines.last
            == "\(stopped.output.lines.count) reports, \(count - arrived) lost here")
        guard bus == .loopback else { return }
        let summary = try #require(run.output.lines.last.flatMap(Event.init))
        #expect(summary.lost == count - arrived)
        #expect(run.output.lines.contains { $0.contains("\"lost\"") && $0.contains("\"input\"") })
      }
    }

    @Test(
      "a stopped monitor gets the first 63 of 200 reports with --fidelity kernel, on either bus",
      arguments: TestBus.available)
    func asKernel(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let (run, node) = try await bench.plug(
          try bench.file("counter.json", Self.counter), "--send", "-", "--fidelity", "kernel")
        let monitor = try await bench.start("monitor", node, "--raw")
        try await bench.waitForReader(run, node)
        try await monitor.stop()
        try await run.write((0..<200).map { Self.numbered($0) + "\n" }.joined())
        try await run.closeInput()
        #expect(try await run.status == 0)
        monitor.signal(SIGCONT)
        #expect(try await monitor.status == 0)
        #expect(monitor.output.lines == (0..<63).map(Self.numbered))
        // No report shows the client its losses, on either bus. The counts of the device do.
        #expect(monitor.errors.lines.last == "63 reports, 137 lost here")
        let summary = try #require(run.output.lines.last.flatMap(Event.init))
        #expect(summary.lost == (bus == .kernel ? 0 : 137))
        // The kernel bus ignores the option, and a note says so.
        let isNoted = run.errors.lines.contains { $0.contains("--fidelity has no effect") }
        #expect(isNoted == (bus == .kernel))
      }
    }

    @Test("a lost report fails a run with --fidelity kernel --strict (1)")
    func strictAsKernel() async throws {
      try await Bench.run(.loopback) { bench in
        let (run, node) = try await bench.plug(
          try bench.file("counter.json", Self.counter), "--send", "-", "--fidelity", "kernel",
          "--strict")
        let monitor = try await bench.start("monitor", node, "--raw")
        try await bench.waitForReader(run, node)
        try await monitor.stop()
        try await run.write((0..<64).map { Self.numbered($0) + "\n" }.joined())
        try await run.closeInput()
        #expect(try await run.status == 1)
        monitor.signal(SIGCONT)
        #expect(try await monitor.status == 0)
      }
    }

    @Test("a monitor that keeps up loses no report with --fidelity kernel")
    func readsAsKernel() async throws {
      try await Bench.run(.loopback) { bench in
        let (run, node) = try await bench.plug(
          try bench.file("counter.json", Self.counter), "--send", "-", "--fidelity", "kernel")
        let monitor = try await bench.start("monitor", node, "--raw")
        try await bench.waitForReader(run, node)
        for number in 0..<300 {
          try await run.write(Self.numbered(number) + "\n")
          #expect(try await monitor.line { _ in true } == Self.numbered(number))
        }
        try await run.closeInput()
        #expect(try await run.status == 0)
        #expect(try await monitor.status == 0)
        let summary = try #require(run.output.lines.last.flatMap(Event.init))
        #expect(summary.lost == 0)
      }
    }

    @Test(
      "a monitor prints each report as it arrives, also when none follows",
      arguments: TestBus.available, ["--raw", "--json"])
    func atOnce(bus: TestBus, form: String) async throws {
      try await Bench.run(bus) { bench in
        let (run, node) = try await bench.plug(
          try bench.file("counter.json", Self.counter), "--send", "-")
        let monitor = try await bench.start("monitor", node, form)
        try await bench.waitForReader(run, node)
        for number in 1...20 {
          try await run.write(Self.numbered(number) + "\n")
          try await monitor.line { $0.contains(Self.numbered(number)) }
        }
        // The run prints no reports here, and the device still keeps the last report.
        #expect(try await bench.finish("get", node, "input").output.first == Self.numbered(20))
        try await run.closeInput()
        #expect(try await run.status == 0)
        #expect(try await monitor.status == 0)
      }
    }

    @Test("50,000 reports between two processes arrive in order without loss on the loopback bus")
    func throughput() async throws {
      try await Bench.run(.loopback) { bench in
        let count = 50_000
        let (run, node) = try await bench.plug(
          try bench.file("counter.json", Self.counter), "--send", "-")
        let heard = bench.folder.appending(path: "heard")
        let monitor = try await bench.start(
          program: "sh",
          ["-c", "exec \"$0\" monitor \"$1\" --raw > \"$2\"", Bench.binary, node, heard.path])
        try await run.event("opened")
        let text = (0..<count).map { Self.numbered($0) + "\n" }.joined()
        let begun = ContinuousClock.now
        try await run.write(text)
        try await run.closeInput()
        #expect(try await run.status == 0)
        #expect(try await monitor.status == 0)
        let seconds = (ContinuousClock.now - begun) / .seconds(1)
        let rate = Int(Double(count) / seconds)
        print("loopback bus, two processes: \(count) reports in \(seconds) s, \(rate) a second")
        let same = try String(contentsOf: heard, encoding: .utf8) == text
        #expect(same, "\(monitor.errors.lines)")
        #expect(try #require(monitor.errors.lines.last).hasPrefix("\(count) reports, 0 lost"))
        let summary = try #require(run.output.lines.last.flatMap(Event.init))
        #expect(summary.inputs == count)
        #expect(summary.lost == 0)
      }
    }

    @Test("a full standard output is one line on standard error, and ends a command with status 74")
    func fullDisk() async throws {
      try await Bench.run(.loopback) { bench in
        let (run, node) = try await bench.plug("keyboard.json")
        for words in ["show \(node)", "run keyboard.json", "run keyboard.json --json --for 1h"] {
          let done = try await bench.finish(
            program: "sh", ["-c", "exec \(Bench.binary) \(words) > /dev/full"])
          #expect(done.status == 74)
          #expect(
            done.errors == [
              "hidsim: standard output cannot be written to: No space left on device"
            ])
        }
        try await bench.end(run)
      }
    }

    @Test(
      "a limit of the system is status 71, not that of a failed script (1) or a missing bus (77)")
    func limits() async throws {
      try await Bench.run(.loopback) { bench in
        let many = Array(repeating: "keyboard.json", count: 100).joined(separator: " ")
        let script = try bench.file("a.hidscript", "wait 1ms\n")
        for words in ["run \(many)", "run \(many) --script \(script)", "run \(many) -- true"] {
          let done = try await bench.finish(
            program: "sh", ["-c", "ulimit -n 128 && exec \(Bench.binary) \(words)"])
          #expect(done.status == 71, "\(words)")
          #expect(done.errorText.contains("Too many open files"), "\(done.errorText)")
          #expect(try bench.leftovers() == [])
        }
      }
    }

    /// True if a file system can be mounted in a separate mount namespace.
    private static let mounts = runs("unshare -rm mount -t tmpfs tmpfs /mnt")

    private static func runs(_ command: String) -> Bool {
      let process = Process()
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = ["-c", "\(command) 2> /dev/null"]
      return (try? process.run()).map { process.waitUntilExit() } != nil
        && process.terminationStatus == 0
    }

    @Test(
      "a bus folder without space is status 71",
      .enabled(if: mounts, "nothing can be mounted here"))
    func noSpace() async throws {
      try await Bench.run(.loopback) { bench in
        for inodes in 2...3 {
          let done = try await bench.finish(
            program: "unshare",
            [
              "-rm", "sh", "-c",
              """
              mount -t tmpfs -o mode=700,nr_inodes=\(inodes) tmpfs "$HIDSIM_BUS_DIR" &&
              exec \(Bench.binary) run keyboard.json --for 1ms
              """,
            ])
          #expect(done.status == 71, "\(done.errorText)")
          #expect(done.errorText.contains("No space left on device"), "\(done.errorText)")
        }
      }
    }

    @Test(
      "commands whose standard files are closed at the start succeed",
      arguments: [">&-", "<&-", "2>&-", "<&- >&- 2>&-"])
    func closed(closing: String) async throws {
      try await Bench.run(.loopback) { bench in
        let (run, node) = try await bench.plug("keyboard.json")
        for words in ["show \(node) --read", "run keyboard.json --for 10ms", "get \(node) input"] {
          let done = try await bench.finish(
            program: "sh", ["-c", "exec \(Bench.binary) \(words) \(closing)"])
          #expect(done.status == 0, "\(words) \(closing): \(done.errors)")
        }
        let script = "exec \(Bench.binary) run keyboard.json \(closing) -- true"
        #expect(try await bench.finish(program: "sh", ["-c", script]).status == 0)
        try await bench.end(run)
        #expect(try bench.leftovers() == [])
      }
    }

    @Test("a command whose reader has closed standard output ends with status 0")
    func brokenPipe() async throws {
      try await Bench.run(.loopback) { bench in
        let run = try await bench.start("run", "inputstick.json", "--json")
        for _ in 0..<4 { try await run.event("plugged") }
        let done = try await bench.finish(
          program: "bash", ["-c", "\"$0\" show 1 | head -1; echo ${PIPESTATUS[0]}", Bench.binary])
        #expect(done.output.count == 2)
        #expect(done.output.last == "0")
        try await bench.end(run)
      }
    }

    @Test(
      "drive unplugs and ends with status 0 and a trace without losses when its reader leaves",
      arguments: TestBus.available)
    func readerLeaves(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let trace = try bench.file("nothing", "") + ".trace"
        // The waiting script ends with the other scripts when the reader has gone, and that is no
        // failure.
        let feed = #"""
          printf '{"command":"script","text":"wait 600s","beside":true,"token":1}\n';
          while printf '{"command":"script","text":"tap a","token":2}\n'; do :; done
          """#
        let done = try await bench.finish(
          program: "bash",
          [
            "-c",
            "{ \(feed); } | \"$0\" drive keyboard.json --record \"$1\" | head -n 4; echo ${PIPESTATUS[1]}",
            Bench.binary, trace,
          ])
        #expect(done.output.count == 5)
        #expect(done.output.last == "0", "\(done.errors)")
        #expect(done.errors.last?.contains(" reports, 0 lost") == true, "\(done.errors)")
        #expect(try bench.leftovers() == [])
      }
    }
  }
}
