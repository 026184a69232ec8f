// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEndTests {
  @Suite("clone") struct CloneTests {
    @Test(
      "a clone has all interfaces of its device, with the same descriptors when it is plugged",
      arguments: TestBus.available)
    func composite(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let run = try await bench.start("run", "inputstick.json", "--json")
        var nodes: [String] = []
        for _ in 0..<4 { nodes.append(try #require(try await run.event("plugged").node)) }
        let copy = bench.folder.appending(path: "copy.json").path
        // The result is the same for each of the nodes.
        let done = try await bench.finish("clone", nodes[2], "-o", copy)
        #expect(done.status == 0, "\(done.errorText)")
        #expect(done.errorText.contains("copy.json: \"InputStick\", 4 interfaces; hidsim run"))
        #expect(done.output.isEmpty)
        var originals: [[String]] = []
        for node in nodes {
          originals.append(try await bench.finish("describe", node, "--as", "hex").output)
        }
        try await bench.end(run)
        let again = try await bench.start("run", copy, "--json")
        for original in originals {
          let event = try await again.event("plugged")
          #expect(event.name == "InputStick" && event.serialNumber == "IS-1")
          let node = try #require(event.node)
          #expect(try await bench.finish("describe", node, "--as", "hex").output == original)
        }
        try await bench.end(again)
      }
    }

    @Test(
      "clone --features reads the feature reports, and the copy starts with their values",
      arguments: TestBus.available)
    func features(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let file = try bench.file(
          "vendor.json",
          """
          {"hidsim": 1, "name": "vendor", "vendorID": "0x1209", "productID": 7,
           "reportDescriptor": {"hex": "06 00 ff 09 01 a1 01 15 00 26 ff 00 75 08 85 01 95 03 09 01 b1 02 85 02 95 02 09 02 b1 02 85 03 95 01 09 03 81 02 c0"},
           "reports": [{"type": "feature", "id": 1, "initial": "0a 0b 0c"}],
           "behaviours": [{"on": {"get": "feature", "id": 2}, "error": true}]}
          """)
        let (run, node) = try await bench.plug(file)
        #expect(
          try await !bench.finish("clone", node).output.contains { $0.contains("\"initial\"") })
        let done = try await bench.finish("clone", node, "--features")
        #expect(done.status == 0)
        #expect(done.errorText.contains("feature report 2 is left out: "))
        #expect(
          done.output.filter { $0.contains("\"initial\"") } == [
            #"    {"type": "feature", "id": 1, "initial": "0a 0b 0c"}"#
          ])
        try await bench.end(run)
        let copy = try bench.file("copy.json", done.output.joined(separator: "\n"))
        let (again, other) = try await bench.plug(copy)
        #expect(try await bench.finish("get", other, "feature", "1").output.first == "01 0a 0b 0c")
        try await bench.end(again)
      }
    }

    @Test(
      "schema prints the schema that a clone names, and fails with a remedy without the library")
    func schema() async throws {
      try await Bench.run(.loopback) { bench in
        let schema = try await bench.finish("schema").output.joined(separator: "\n")
        let file = try #require(
          try JSONSerialization.jsonObject(with: Data(schema.utf8)) as? [String: Any])
        let (run, node) = try await bench.plug("mouse.json")
        let copy = try await bench.finish("clone", node).output.joined(separator: "\n")
        #expect(copy.contains("\"$schema\": \"\(try #require(file["$id"] as? String))\""))
        try await bench.end(run)
        // This is a copy of the program: no folder above it has the library.
        let alone = bench.folder.appending(path: "hidsim").path
        try FileManager.default.copyItem(atPath: Bench.binary, toPath: alone)
        let missing = try await bench.finish(program: alone, ["schema"])
        #expect(missing.status == 69)
        #expect(
          missing.errorText.contains("set HIDSIM_LIBRARY to the folder Descriptors of hidsim"))
      }
    }

    @Test("clone --pick writes one device of a recording")
    func recording() async throws {
      try await Bench.run(.loopback) { bench in
        let recording = "\(Bench.fixtures)/two-devices.hid"
        let several = try await bench.finish("clone", recording)
        #expect(several.status == 64)
        #expect(several.errorText.contains("2 devices; say which with --pick:\n  1  "))
        #expect(try await bench.finish("clone", recording, "--pick", "3").status == 66)
        let done = try await bench.finish("clone", recording, "--pick", "2")
        #expect(done.status == 0)
        let copy = try bench.file("copy.json", done.output.joined(separator: "\n"))
        #expect(
          try await bench.finish("describe", copy, "--as", "hex").output
            == bench.finish("describe", recording, "--pick", "2", "--as", "hex").output)
      }
    }

    @Test(
      "clone keeps an existing file without --force, and refuses a device file and an unknown name")
    func refused() async throws {
      try await Bench.run(.loopback) { bench in
        let (run, node) = try await bench.plug("mouse.json")
        let file = try bench.file("mine.json", "mine")
        let refused = try await bench.finish("clone", node, "-o", file)
        #expect(refused.status == 64)
        #expect(refused.errorText.contains("mine.json: the file exists; add --force to"))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
        #expect(try await bench.finish("clone", node, "-o", file, "--force").status == 0)
        #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("{\n"))
        let nowhere = try await bench.finish("clone", node, "-o", "/nowhere/mine.json")
        #expect(nowhere.status == 74)
        #expect(nowhere.errorText.contains("/nowhere/mine.json: cannot be written: "))
        let other = try await bench.finish("clone", "keyboard.json")
        #expect(other.status == 65)
        #expect(other.errorText.contains("copy the file instead"))
        #expect(try await bench.finish("clone", "nothing").status == 66)
        #expect(try await bench.finish("clone", node, "--pick", "1").status == 64)
        try await bench.end(run)
      }
    }
  }
}
