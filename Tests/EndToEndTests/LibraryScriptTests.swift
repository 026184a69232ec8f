// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEndTests {
  /// Every shipped device with its own script, which acts as the device and as the host.
  @Suite("the shipped devices")
  struct LibraryScriptTests {
    private static func names(in folder: String, _ ending: String) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder)
        .filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }.sorted()
    }

    /// The devices that have a script.
    static let names =
      (try? names(in: "\(Bench.descriptors)/scripts", ".hidscript").filter { $0 != "caps" }) ?? []

    /// Returns the options that plug a device on a bus; nil if it cannot be plugged there.
    ///
    /// The drivers of some devices do not accept them on the kernel bus, but on the USB bus.
    private func options(_ bus: TestBus, _ name: String) -> [String]? {
      guard bus == .kernel, LibraryUSBTests.names.contains(name) else { return [] }
      return USBBus.isThere ? ["--bus", "usb"] : nil
    }

    @Test("every device has a script of its name, and every script a device")
    func complete() throws {
      #expect(Self.names == (try Self.names(in: Bench.descriptors, ".json")))
    }

    @Test(
      "a device's script passes, without unexpected requests or lost reports",
      arguments: TestBus.available, names)
    func script(_ bus: TestBus, _ name: String) async throws {
      try await Bench.run(bus) { bench in
        // The driver of this one makes no node on which the script could play the host.
        if bus == .kernel, name == "mcp2221" { return }
        guard let options = options(bus, name) else { return }
        let script = "\(Bench.descriptors)/scripts/\(name).hidscript"
        let done = try await bench.finish(
          program: Bench.binary, ["run", "\(name).json", "--script", script] + options)
        #expect(done.status == 0, "\(name): \(done.errors.suffix(20))")
        #expect(done.output.last?.contains(", 0 unexpected, 0 lost") == true, "\(done.output)")
      }
    }

    @Test("three copies of a device can be plugged at once", arguments: TestBus.available, names)
    func copies(_ bus: TestBus, _ name: String) async throws {
      try await Bench.run(bus) { bench in
        guard let options = options(bus, name) else { return }
        let file = "\(name).json"
        let run = try await bench.start(
          program: Bench.binary, ["run", file, file, file, "--json"] + options)
        var interfaces = 0
        let json = try String(contentsOfFile: "\(Bench.descriptors)/\(file)", encoding: .utf8)
        let perCopy = max(1, json.components(separatedBy: "\"reportDescriptor\"").count - 1)
        var withoutNodes = 0
        while interfaces < 3 * perCopy {
          let plugged = try await run.event("plugged")
          interfaces += 1
          if plugged.node == nil { withoutNodes += 1 }
        }
        let isWithout = #""nodes": "none""#
        let expected = bus == .kernel ? 3 * (json.components(separatedBy: isWithout).count - 1) : 0
        #expect(withoutNodes == expected)
        try await bench.end(run)
      }
    }
  }
}
