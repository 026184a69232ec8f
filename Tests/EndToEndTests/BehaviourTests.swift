// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEndTests {
  @Suite("behaviours") struct BehaviourTests {
    /// Input report 1, output report 2, feature reports 3 and 4: each 2 bytes after its ID.
    private static let head = """
      {"hidsim": 1, "name": "vendor", "vendorID": "0x1209", "productID": 7,
       "reportDescriptor": {"hex": "06 00 ff 09 01 a1 01 15 00 26 ff 00 75 08 95 02 85 01 09 01 81 02 85 02 09 02 91 02 85 03 09 03 b1 02 85 04 09 04 b1 02 c0"},
      """

    @Test(
      "a device answers with its state, which a host changes, and sends reports by itself",
      arguments: TestBus.available)
    func state(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let file = try bench.file(
          "vendor.json",
          Self.head + """
             "state": {"mode": {"type": "u8", "initial": 1}, "beat": {"type": "u8"}},
             "behaviours": [
               {"on": {"get": "feature", "id": 3}, "reply": "${mode:u8} ${instance:u8}"},
               {"on": {"set": "feature", "id": 3, "bytes": "?? 00"}, "error": true},
               {"on": {"set": "feature", "id": 3}, "set": {"mode": "${request[1]:u8}"}},
               {"on": {"output": "05 ??", "id": 2}, "send": {"id": 1, "bytes": "${request[2]:u8} ${mode:u8}"}},
               {"on": {"timer": "2ms"}, "when": {"mode": 9}, "set": {"beat": "+1", "mode": 10},
                "send": {"id": 1, "bytes": "bb ${beat:u8}"}}]}
            """)
        let run = try await bench.start("run", file, file, "--json", "--input")
        var nodes: [String] = []
        for _ in 0..<2 { nodes.append(try #require(try await run.event("plugged").node)) }
        #expect(try await bench.finish("get", nodes[0], "feature", "3").output.first == "03 01 01")
        #expect(try await bench.finish("get", nodes[1], "feature", "3").output.first == "03 01 02")
        #expect(try await bench.finish("set", nodes[0], "feature", "3", "07 00").status != 0)
        #expect(try await bench.finish("set", nodes[0], "feature", "3", "07 01").status == 0)
        #expect(try await bench.finish("get", nodes[0], "feature", "3").output.first == "03 07 01")
        #expect(try await bench.finish("set", nodes[0], "output", "2", "05 aa").status == 0)
        #expect(try await run.event("input").bytes == "01 aa 07")
        #expect(try await bench.finish("set", nodes[0], "feature", "3", "09 01").status == 0)
        #expect(try await run.event("input").bytes == "01 bb 01")
        #expect(
          try await bench.finish("show", nodes[0]).output.suffix(3) == [
            "state", "  mode 10", "  beat 1",
          ])
        #expect(try await bench.finish("get", nodes[0], "feature", "3").output.first == "03 0a 01")
        #expect(try await bench.finish("get", nodes[1], "feature", "3").output.first == "03 01 02")
        try await bench.end(run)
      }
    }

    @Test(
      "a device answers short, long or never, and is plugged again after it unplugs itself",
      arguments: TestBus.available)
    func faults(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let file = try bench.file(
          "vendor.json",
          Self.head + """
             "state": {"asked": {"type": "u8"}},
             "behaviours": [
               {"on": {"get": "feature", "id": 3}, "when": {"asked": 0}, "set": {"asked": "+1"},
                "reply": "03", "exact": true},
               {"on": {"get": "feature", "id": 3}, "when": {"asked": 1}, "set": {"asked": "+1"},
                "reply": "03 01 02 03 04", "exact": true},
               {"on": {"get": "feature", "id": 3}, "none": true},
               {"on": {"output": "any"}, "detach": "1ms"}]}
            """)
        let run = try await bench.start("run", file, "--json")
        let node = try #require(try await run.event("plugged").node)
        #expect(try await bench.finish("get", node, "feature", "3").output.first == "03")
        #expect(
          try await bench.finish("get", node, "feature", "3").output.first == "03 01 02 03 04")
        let silent = try await bench.finish("get", node, "feature", "3", "--timeout", "200ms")
        #expect(silent.status != 0)
        #expect(silent.errorText.contains("no answer"), "\(silent.errorText)")
        #expect(try await bench.finish("set", node, "output", "2", "01 02").status == 0)
        _ = try await run.event("unplugged")
        let again = try #require(try await run.event("plugged").node)
        #expect(try await bench.finish("get", again, "output", "2").output.first == "02 01 02")
        try await bench.end(run)
      }
    }

    @Test("the host of a script opens a device again after the device has unplugged itself")
    func anew() async throws {
      try await Bench.run(.loopback) { bench in
        let file = try bench.file(
          "vendor.json",
          Self.head + """
             "behaviours": [{"on": {"output": "07 ??", "id": 2}, "detach": "200ms"}]}
            """)
        let script = try bench.file(
          "anew.hidscript",
          """
          host send output 2 bytes 07 01
          wait 1s
          host set feature 3 bytes 05 06
          host get feature 3 bytes 05 06
          """)
        let run = try await bench.finish(
          "run", file, "--script", script, "--timeline", "virtual")
        #expect(run.status == 0, "\(run.errorText)")
        #expect(run.output.count { $0.contains("opened") } == 2)
      }
    }

    @Test(
      "a driver whose probe waits for replies binds again to a device that sends by itself",
      .enabled(if: TestBus.testsKernel, TestBus.kernelReason))
    func rebinding() async throws {
      try await Bench.run(.kernel) { bench in
        let (run, node) = try await bench.plug("switch-pro.json")
        let name = URL(filePath: node).lastPathComponent
        let link = try FileManager.default.destinationOfSymbolicLink(
          atPath: "/sys/class/hidraw/\(name)/device")
        let device = URL(filePath: link).lastPathComponent
        for file in ["unbind", "bind"] {
          try Data(device.utf8).write(to: URL(filePath: "/sys/bus/hid/drivers/nintendo/\(file)"))
        }
        #expect(try await run.event("driver").driver == "nintendo")
        try await bench.end(run)
      }
    }
  }
}
