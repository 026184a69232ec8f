// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import HIDReportDescriptor
import HIDTraces
import HIDUsages
import Testing

extension EndToEndTests {
  @Suite("proxy") struct ProxyTests {
    @Test(
      "the proxy passes input to the twin and requests to the original, recorded byte for byte",
      arguments: TestBus.available)
    func both(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let run = try await bench.start("drive", try bench.proxied("vendor"))
        let original = try #require(try await run.event("plugged").node)
        let path = bench.folder.appending(path: "a.hid").path
        let (proxy, twin) = try await bench.proxy(original, "-o", path)
        #expect(twin != original)
        // The twin has the same identity and the same report descriptor, but is another device.
        let listed = try await bench.devices()
        #expect(listed.count == 2)
        #expect(listed.map(\.name) == ["vendor", "vendor"])
        #expect(listed.map(\.serialNumber) == ["V-1", "V-1"])
        #expect(Set(listed.compactMap(\.id)).count == 2)
        #expect(
          try await bench.finish("describe", twin, "--as", "hex").output
            == bench.finish("describe", original, "--as", "hex").output)
        let monitor = try await bench.start("monitor", twin, "--raw")
        try await bench.waitForReader(ofTwin: twin, path)
        try await run.command(#"{"command": "report", "bytes": "01 01 02 03", "token": 1}"#)
        #expect(try await monitor.line { _ in true } == "01 01 02 03")
        #expect(try await bench.finish("set", twin, "output", "2", "12", "13").status == 0)
        #expect(try await run.event("output").bytes == "02 12 13")
        #expect(try await bench.finish("get", twin, "feature", "3").output.first == "03 0a 0b")
        #expect(try await bench.finish("set", twin, "feature", "3", "22", "23").status == 0)
        #expect(try await bench.finish("get", twin, "feature", "3").output.first == "03 22 23")
        // The twin refuses the requests that the original refuses.
        #expect(try await bench.finish("get", twin, "feature", "4").status == 1)
        #expect(try await bench.finish("set", twin, "feature", "4", "09").status == 1)
        let sent = (0..<200 as Range<UInt8>).map { number -> [UInt8] in [1, number, 7, 9] }
        try await run.command(
          sent.map { #"{"command": "report", "bytes": "\#($0.hexText)"}"# }.joined()
            + #"{"command": "sync", "token": 2}"#)
        for report in sent {
          #expect(try await monitor.line { _ in true } == report.hexText)
        }
        // When the original is unplugged, so is the twin.
        try await run.closeInput()
        #expect(try await run.status == 0)
        #expect(try await proxy.status == 0)
        #expect(try await monitor.status == 0)
        let trace = try bench.trace(path)
        #expect(trace.devices.map(\.name) == ["vendor"])
        #expect(
          trace.words.filter { !["opened", "closed"].contains($0) && !$0.contains("get input") }
            == [
              "0 input 01 01 02 03", "0 output 02 12 13", "0 get feature 03 0a 0b",
              "0 set feature 03 22 23 acknowledged", "0 get feature 03 22 23",
              "0 get feature error",
              "0 set feature 04 09 error",
            ] + sent.map { "0 input \($0.hexText)" } + ["unplugged"])
        // The original answers after 50 ms, and so hosts of the twin wait as long.
        let latencies = trace.events.compactMap { event in
          switch event.kind {
          case .getReport(let get) where get.type == .feature && get.answer != .error: get.latency
          case .setReport(let set) where set.answer == .acknowledged: set.latency
          default: nil
          }
        }
        #expect(latencies.count == 3 && latencies.allSatisfy { $0 >= 50_000 }, "\(latencies)")
      }
    }

    @Test(
      "the proxy makes a twin of each interface, and the command gets all twins",
      arguments: TestBus.available)
    func composite(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let run = try await bench.start("drive", "inputstick.json")
        var nodes: [String] = []
        for _ in 0..<4 { nodes.append(try #require(try await run.event("plugged").node)) }
        let path = bench.folder.appending(path: "a.hid").path
        let done = try await bench.finish(
          "proxy", nodes[1], "-o", path, "--", "sh", "-c", "echo $HIDSIM_DEVICE; exit 3")
        #expect(done.status == 3)
        let twins = try #require(done.output.first).split(separator: " ")
        #expect(twins.count == 4)
        #expect(try bench.trace(path).devices.count == 4)
        // The twin is gone, and the original is still there.
        #expect(try await bench.devices().count == 4)
        try await bench.end(run)
      }
    }

    @Test(
      "the proxy seizes the original until the proxy ends, and not with --no-seize",
      arguments: TestBus.available)
    func seizes(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let run = try await bench.start("drive", try bench.proxied("vendor"))
        let original = try #require(try await run.event("plugged").node)
        let monitor = try await bench.start("monitor", original, "--raw")
        try await bench.waitForReader(run, original)
        let path = bench.folder.appending(path: "a.hid").path
        let (proxy, _) = try await bench.proxy(original, "-o", path)
        try await monitor.note(containing: "another program has seized the device")
        let second = try await bench.finish("proxy", original, "-o", path, "--force")
        #expect(second.status == 1)
        #expect(second.errorText.contains("add --no-seize to open it without seizing it"))
        proxy.signal(SIGINT)
        #expect(try await proxy.status == 0)
        try await monitor.note(containing: "the other program has released the device")
        let (open, _) = try await bench.proxy(original, "-o", path, "--force", "--no-seize")
        try await run.command(#"{"command": "report", "bytes": "01 05 05 05", "token": 1}"#)
        #expect(try await monitor.line { _ in true } == "01 05 05 05")
        // Either of the two readers may be the first. The trace is empty when the recording starts
        // again.
        try await eventually {
          (try? bench.trace(path))?.words.contains("0 input 01 05 05 05") == true
        }
        open.signal(SIGTERM)
        #expect(try await open.status == 0)
        try await bench.end(run)
      }
    }

    @Test("a proxy that cannot start or record is an error, and leaves no twin behind")
    func refused() async throws {
      try await Bench.run(.loopback) { bench in
        let run = try await bench.start("drive", try bench.proxied("vendor"))
        try await run.event("plugged")
        #expect(try await bench.finish("proxy", "nothing").status == 66)
        #expect(try await bench.finish("proxy", "vendor", "--", "true").status == 64)
        let file = try bench.file("mine.hid", "mine")
        #expect(try await bench.finish("proxy", "vendor", "-o", file).status == 64)
        #expect(
          try await bench.finish("proxy", "vendor", "-o", "\(file).b", "--", "/no/such").status
            == 127)
        for command in [[], ["--", "sleep", "3600"]] as [[String]] {
          let full = try await bench.finish(
            program: Bench.binary, ["proxy", "vendor", "-o", "/dev/full"] + command)
          #expect(full.status == 74)
          #expect(
            full.errors.filter { $0 == RunRecordTests.isFull }.count == 1, "\(full.errorText)")
        }
        #expect(try await bench.devices().count == 1)
        try await bench.end(run)
      }
    }
  }
}

extension Bench {
  /// Writes a device file with numbered reports: 1 input, 2 output, 3 and 4 feature.
  ///
  /// The device answers requests for report 3 after 50 ms, and refuses those for report 4.
  func proxied(_ name: String) throws -> String {
    try file(
      "\(name).json",
      """
      {"hidsim": 1, "name": "\(name)", "vendorID": "0x1209", "productID": 7, "serialNumber": "V-1",
       "reportDescriptor": {"hex": "06 00 ff 09 01 a1 01 15 00 26 ff 00 75 08 85 01 95 03 09 01 81 02 85 02 95 02 09 02 91 02 85 03 09 03 b1 02 85 04 95 01 09 04 b1 02 c0"},
       "reports": [{"type": "feature", "id": 3, "initial": "0a 0b"}],
       "behaviours": [{"on": {"get": "feature", "id": 4}, "error": true}, {"on": {"set": "feature", "id": 4}, "error": true},
                      {"on": {"get": "feature", "id": 3}, "delay": "50ms"}, {"on": {"set": "feature", "id": 3}, "delay": "50ms"}]}
      """)
  }

  /// Starts `hidsim proxy`, and waits until its twin is plugged.
  func proxy(_ arguments: String...) async throws -> (HidsimProcess, twin: String) {
    let proxy = try await start(program: Self.binary, ["proxy"] + arguments)
    let line = try await proxy.note(containing: "its twin is ")
    let twin = try #require(line.firstMatch(of: /its twin is ([^ ;]+)/))
    return (proxy, String(twin.1))
  }

  /// Waits until a program has the twin open.
  ///
  /// On the loopback bus only the trace shows that.
  func waitForReader(ofTwin node: String, _ path: String) async throws {
    switch bus {
    case .loopback: try await eventually { try trace(path).words.contains("opened") }
    case .kernel: try await eventually { try NodeUsers.hasOpen(node) && hasCountedClient() }
    }
  }
}
