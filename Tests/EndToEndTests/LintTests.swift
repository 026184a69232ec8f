// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEndTests {
  @Suite("lint") struct LintTests {
    /// A mouse without its End Collection, which is an error.
    private static let bad = "05 01 09 02 a1 01 09 30 15 81 25 7f 75 08 95 01 81 06"
    /// A report of five bits, which is a warning.
    private static let odd = "05 01 09 02 a1 01 09 30 15 f1 25 0f 75 05 95 01 81 06 c0"

    @Test(
      "lint has no finding in the shipped device files, except in copies of real hardware")
    func library() async throws {
      try await Bench.run(.loopback) { bench in
        let logitech = ["hidpp-mouse.json", "hidpp-receiver.json", "unifying-receiver.json"]
        let copies = ["dualshock4.json", "huion-h1161.json", "switch-pro.json"] + logitech
        let names = try FileManager.default.contentsOfDirectory(atPath: Bench.descriptors)
          .filter { $0.hasSuffix(".json") && !copies.contains($0) }
        let done = try await bench.finish(
          program: Bench.binary, ["lint", "--strict"] + names.map { "\(Bench.descriptors)/\($0)" })
        #expect(done.status == 0)
        #expect(done.output == [])
        // The InputStick has four report descriptors, the K90 three, and the VIA keyboard two.
        #expect(done.errors == ["\(names.count + 6) descriptors: 0 errors, 0 warnings, 0 notes"])
        // Reports of HID++ are arrays of one usage.
        for name in logitech {
          let done = try await bench.finish("lint", "--strict", name)
          #expect(done.status == 0)
          let codes = done.output.filter { $0.contains(": note: ") }
            .map { $0.split(separator: "[").last }
          #expect(!codes.isEmpty)
          #expect(Set(codes) == ["array-of-one-usage]"], "\(name)")
        }
        let real = try await bench.finish("lint", "--strict", "switch-pro.json")
        #expect(real.status == 0)
        let rules = real.output.filter { $0.contains(": note: ") }
          .compactMap { $0.split(separator: "[").last }
        #expect(rules == ["hat-switch-without-null-state]", "unit-of-buttons]"])
        // A counter of six bits has a logical maximum of 127.
        let older = try await bench.finish("lint", "dualshock4.json")
        #expect(older.status == 0)
        #expect(
          older.output.filter { $0.contains(": warning: ") }.map { $0.hasSuffix("-over-bits]") }
            == [true])
        // Neither interface has the boot report that it claims. The one for the driver declares a
        // field of 88 bits.
        let tablet = try await bench.finish("lint", "huion-h1161.json")
        #expect(tablet.status == 0)
        let found = tablet.output.filter { $0.hasSuffix("]") }
          .compactMap { $0.split(separator: "[").last }
        #expect(
          Set(found)
            == [
              "usb-boot-report]", "field-over-32-bits]", "logical-range-missing]",
              "fewer-usages-than-elements]",
            ])
      }
    }

    @Test(
      "a finding has position, rule and fix; an error fails lint, and a warning lint --strict")
    func text() async throws {
      try await Bench.run(.loopback) { bench in
        let bad = try bench.file("bad.hex", Self.bad)
        let done = try await bench.finish("lint", bad)
        #expect(done.status == 1)
        #expect(
          done.output.first?.hasPrefix("\(bad):1:13: error: byte 4: ") == true, "\(done.output)")
        #expect(done.output.first?.hasSuffix("[unclosed-collection]") == true, "\(done.output)")
        #expect(done.output.contains { $0.hasPrefix("  fix: ") })
        #expect(done.errors.last?.hasPrefix("1 descriptor: 1 error, ") == true)
        let odd = try bench.file("odd.hex", Self.odd)
        #expect(try await bench.finish("lint", odd).status == 0)
        #expect(try await bench.finish("lint", "--strict", odd).status == 1)
        let silent = try await bench.finish(
          "lint", "--strict", "--quiet", "--silence", "unaligned-report", odd)
        #expect(silent.status == 0)
        #expect(silent.output == [])
      }
    }

    @Test("a mistake in a device file is an error with its place, once, and all of them are found")
    func deviceFile() async throws {
      try await Bench.run(.loopback) { bench in
        let descriptor = #""reportDescriptor": {"hex": "\#(DescribeTests.hex)"}"#
        let head = #"{"hidsim": 1, "name": "x", "vendorID": 1, "productID": 2, "#
        let file = try bench.file(
          "wrong.json",
          "\(head)\n\(descriptor),\n\"behaviours\": [{\"on\": \"opn\"}],\n\"foo\": 1}")
        let done = try await bench.finish("lint", file)
        #expect(done.status == 1)
        #expect(
          done.output.prefix(2) == [
            "\(file):3:23: error: unknown event \"opn\" [device-file]",
            "  fix: did you mean \"open\"?",
          ], "\(done.output)")
        #expect(done.output.contains { $0.hasPrefix("\(file):4:1: error: unknown key \"foo\"") })
        #expect(done.errors == ["1 descriptor: 2 errors, 0 warnings, 0 notes"])
        // Other objects in JSON are descriptors, and no device files.
        let plain = try bench.file("plain.json", "{\(descriptor)}")
        #expect(try await bench.finish("lint", plain).status == 0)
        // Without a descriptor that can be read, all mistakes are still named.
        let lost = try bench.file(
          "lost.json", "\(head)\"foo\": 1, \"reportDescriptor\": {\"file\": \"no.hex\"}}")
        let unread = try await bench.finish("lint", lost)
        #expect(unread.status == 65)
        #expect(unread.errorText.contains("foo") && unread.errorText.contains("no.hex"))
        // A fault of the report descriptor is no problem of the file beside it.
        let open = try bench.file(
          "open.json", "\(head)\"reportDescriptor\": [{\"hex\": \"05 01 09 06 a1 01\"}]}")
        #expect(
          try await bench.finish("lint", "--json", open).output.filter { $0.contains("\"error\"") }
            .count == 1)
      }
    }

    @Test("the settings of a USB device have findings of their own, which can be silenced")
    func usb() async throws {
      try await Bench.run(.loopback) { bench in
        let file = try bench.file(
          "usb.json",
          #"{"hidsim": 1, "name": "x", "vendorID": 1, "productID": 2, "transport": "bluetooth", "#
            + #""usb": {"boot": "keyboard"}, "reportDescriptor": {"hex": "\#(DescribeTests.hex)"}}"#
        )
        let done = try await bench.finish("lint", file)
        #expect(done.status == 0)
        #expect(
          done.output.filter { !$0.hasPrefix("  fix: ") } == [
            "\(file) (x): warning: no input report has keys: a host that chooses the boot protocol "
              + "gets no reports [usb-boot-report]",
            "\(file) (x): note: the file has \"usb\", and its transport is bluetooth [usb-transport]",
          ])
        #expect(done.errors == ["1 descriptor: 0 errors, 1 warning, 1 note"])
        #expect(try await bench.finish("lint", "--strict", file).status == 1)
        let silent = try await bench.finish(
          "lint", "--strict", "--quiet", "--silence", "usb-boot-report", file)
        #expect(silent.status == 0 && silent.output == [])
      }
    }

    @Test("a finding in a binary descriptor has the offset of its byte")
    func binary() async throws {
      try await Bench.run(.loopback) { bench in
        let file = bench.folder.appending(path: "bad.bin").path
        let bytes = Self.bad.split(separator: " ").compactMap { UInt8($0, radix: 16) }
        try Data(bytes).write(to: URL(filePath: file))
        let done = try await bench.finish("lint", file)
        #expect(done.status == 1)
        #expect(done.output.first?.hasPrefix("\(file): error: byte 4: ") == true, "\(done.output)")
      }
    }

    @Test(
      "lint checks the other files if some cannot be read, and ends with the first one's status")
    func unread() async throws {
      try await Bench.run(.loopback) { bench in
        let bad = try bench.file("bad.hex", Self.bad)
        let empty = try bench.file("empty.hex", "")
        let missing = "\(bench.folder.path)/missing.hex"
        let done = try await bench.finish("lint", missing, bad, empty, "keyboard.json")
        #expect(done.status == 66)
        #expect(done.output.first?.hasPrefix("\(bad):1:13: error: ") == true)
        #expect(done.errors.first == "hidsim: no file or device \"\(missing)\"")
        #expect(done.errors.contains { $0.hasPrefix("hidsim: \(empty):1:1: ") })
        #expect(done.errors.last?.hasSuffix("; 2 files could not be read") == true)
        #expect(done.errors.last?.hasPrefix("2 descriptors: 1 error, ") == true)
        #expect(try await bench.finish("lint", empty, missing).status == 65)
      }
    }

    /// The keys of each kind of line, in order.
    private static let keys = [
      "finding": [
        "event", "file", "descriptor", "line", "column", "offset", "severity", "code", "hosts",
        "explanation", "fix",
      ],
      "unread": ["event", "file", "status", "message"],
      "lint": ["event", "descriptors", "errors", "warnings", "notes", "unread"],
      "rule": ["event", "code", "severity", "hosts", "title", "explanation"],
    ]

    @Test("--json prints one object per line, with fixed keys for each kind of line")
    func json() async throws {
      try await Bench.run(.loopback) { bench in
        let bad = try bench.file("bad.hex", Self.bad)
        let odd = try bench.file("odd.hex", Self.odd)
        let done = try await bench.finish(
          "lint", "--json", bad, "missing.hex", odd, "keyboard.json")
        #expect(done.status == 66)
        let rules = try await bench.finish("lint", "--list", "--json")
        #expect(rules.output.count > 20)
        var kinds: [String] = []
        for line in done.output + rules.output {
          let object = try #require(
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
          let event = try #require(object["event"] as? String)
          #expect(Set(object.keys) == Set(Self.keys[event] ?? []), "\(line)")
          // The order is fixed: each key comes after the one before it in the list.
          let places = (Self.keys[event] ?? []).compactMap {
            line.range(of: "\"\($0)\":")?.lowerBound
          }
          #expect(places == places.sorted())
          if kinds.last != event { kinds.append(event) }
        }
        #expect(kinds == ["finding", "unread", "finding", "lint", "rule"])
        let counts = try #require(done.output.last)
        #expect(counts.hasPrefix(#"{"event":"lint","descriptors":3,"errors":1,"#), "\(counts)")
        #expect(counts.hasSuffix(#""unread":1}"#))
      }
    }
  }
}
