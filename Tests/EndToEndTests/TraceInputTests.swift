// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

extension EndToEndTests {
  @Suite("traces where a descriptor or a device is expected") struct TraceInputTests {
    /// A trace of two devices, each with its report descriptor.
    struct Example: Sendable, CustomTestStringConvertible {
      let name: String
      let bytes: [UInt8]
      /// The name of the format in the messages of clone.
      let title: String

      var testDescription: String { name }
    }

    private static let keyboard = CaptureDeviceFixture.keyboardDescriptor
    private static let vendor = CaptureDeviceFixture.vendorDescriptor

    private static func hex(_ bytes: [UInt8], _ separator: String = " ") -> String {
      bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: separator)
    }

    private static func capture(
      _ container: CaptureBuilder.Container, _ link: CaptureBuilder.Link, isBigEndian: Bool = false
    ) -> [UInt8] {
      var builder = CaptureBuilder(container, link, isBigEndian: isBigEndian)
      builder.plug(.board)
      builder.input(0x81, [0, 0, 4, 0, 0, 0, 0, 0])
      return builder.bytes
    }

    static let examples: [Example] = [
      Example(
        name: "a.pcap", bytes: capture(.pcap, .usbmon), title: "a capture of USB packets"),
      Example(
        name: "b.pcap", bytes: capture(.pcapNanoseconds, .usbpcap),
        title: "a capture of USB packets"
      ),
      Example(
        name: "c.pcapng", bytes: capture(.pcapng, .usbmonMapped), title: "a capture of USB packets"),
      Example(
        name: "d.pcapng", bytes: capture(.pcapng, .usbmon, isBigEndian: true),
        title: "a capture of USB packets"),
      Example(
        name: "e.yml",
        bytes: Array(
          """
          version: 1
          ndevices: 2
          libinput:
            version: "1.26.0"
          devices:
          - node: /dev/input/event0
            evdev:
              name: "keyboard"
              id: [3, 4617, 1, 273]
            hid: [\(hex(keyboard).split(separator: " ").map { "0x\($0)" }.joined(separator: ", "))]
            events:
            - hid:
                time: [  0, 0]
                hidraw0: [0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00]
          - node: /dev/input/event1
            evdev:
              name: "vendor"
              id: [3, 4617, 2, 273]
            hid: [\(hex(vendor).split(separator: " ").map { "0x\($0)" }.joined(separator: ", "))]
            events:

          """.utf8), title: "a recording of libinput"),
      Example(
        name: "f.umockdev",
        bytes: Array(
          """
          P: /devices/a/0003:1209:0001.0001
          E: HID_ID=0003:00001209:00000001
          E: HID_NAME=keyboard
          H: report_descriptor=\(hex(keyboard, ""))

          P: /devices/a/0003:1209:0002.0002
          E: HID_ID=0003:00001209:00000002
          E: HID_NAME=vendor
          H: report_descriptor=\(hex(vendor, ""))

          """.utf8), title: "a recording of umockdev"),
      Example(
        name: "g.json",
        bytes: Array(
          """
          # two devices
          {"id": 1, "command": "register", "name": "keyboard", "vid": 4617, "pid": 1, "bus": "usb",
           "descriptor": [\(keyboard.map { "\($0)" }.joined(separator: ", "))]}
          {"id": 2, "command": "register", "name": "vendor", "vid": 4617, "pid": 2, "bus": "usb",
           "descriptor": [\(vendor.map { "\($0)" }.joined(separator: ", "))]}
          {"id": 2, "command": "set_get_report_response", "report": [2, 0, 0, 0]}
          {"id": 1, "command": "report", "report": [0, 0, 4, 0, 0, 0, 0, 0]}

          """.utf8), title: "commands of Android's hid program"),
      Example(
        name: "h.hid",
        bytes: Array(
          """
          D: 0
          R: \(keyboard.count) \(hex(keyboard))
          N: keyboard
          I: 3 1209 0001
          D: 1
          R: \(vendor.count) \(hex(vendor))
          N: vendor
          I: 3 1209 0002
          E: 000000.000000 4 02 01 02 03

          """.utf8), title: "hid-recorder's text"),
    ]

    private func write(_ bytes: [UInt8], _ name: String, _ bench: Bench) throws -> String {
      let path = bench.folder.appending(path: name)
      try Data(bytes).write(to: path)
      return path.path
    }

    /// Returns the bytes of a report descriptor that a command has printed in hex.
    private func bytes(_ done: Finished) -> [UInt8] {
      done.output.joined(separator: " ").split(separator: " ").compactMap { UInt8($0, radix: 16) }
    }

    @Test(
      "describe, lint, decode and encode read the report descriptors of a trace",
      arguments: examples)
    func descriptors(example: Example) async throws {
      try await Bench.run(.loopback) { bench in
        let file = try write(example.bytes, example.name, bench)
        for (number, descriptor) in [("1", Self.keyboard), ("2", Self.vendor)] {
          let hex = try await bench.finish("describe", file, "--pick", number, "--as", "hex")
          #expect(bytes(hex) == descriptor, "\(hex.errorText)")
          #expect(hex.errors == [])
        }
        let tree = try await bench.finish("describe", file)
        #expect(tree.status == 0)
        #expect(tree.output.filter { $0.hasPrefix("# ") }.count == 2, "\(tree.output)")
        let lint = try await bench.finish("lint", file)
        #expect(lint.status == 0)
        #expect(lint.errors.last?.hasPrefix("2 descriptors: 0 errors, ") == true, "\(lint.errors)")
        let decoded = try await bench.finish(
          "decode", file, "--pick", "1", "00 00 04 00 00 00 00 00")
        #expect(decoded.output.contains { $0.contains("keyboardA on") }, "\(decoded)")
        let encoded = try await bench.finish("encode", file, "--pick", "1", "a")
        #expect(encoded.output == ["00 00 04 00 00 00 00 00"], "\(encoded)")
        let several = try await bench.finish("decode", file, "00")
        #expect(several.status == 64)
        #expect(several.errorText.contains("2 descriptors; say which with --pick:\n  1  "))
        let piped = try await bench.finish(
          program: "bash",
          ["-c", "exec \"$0\" describe - --pick 2 --as hex < \(file)", Bench.binary])
        #expect(bytes(piped) == Self.vendor, "\(piped.errorText)")
      }
    }

    @Test("describe and lint warn of a device that is cut off in the file, and not of answers")
    func cut() async throws {
      try await Bench.run(.loopback) { bench in
        let descriptor = Self.keyboard.map { "\($0)" }.joined(separator: ", ")
        let file = try bench.file(
          "cut.json",
          """
          {"id": 1, "command": "register", "descriptor": [\(descriptor)]}
          {"id": 1, "command": "set_get_report_response", "report": [0, 0, 0, 0, 0, 0, 0, 0]}
          {"id": 2, "command": "register", "descr
          """)
        let warning = "warning: \(file):3:1: the file ends inside a command, which is left out"
        let hex = try await bench.finish("describe", file, "--as", "hex")
        #expect(bytes(hex) == Self.keyboard)
        #expect(hex.errors == [warning])
        let lint = try await bench.finish("lint", file)
        #expect(lint.errors.first == warning, "\(lint.errors)")
      }
    }

    @Test(
      "clone writes a device file of each device of a trace, and run plugs all", arguments: examples
    )
    func devices(example: Example) async throws {
      try await Bench.run(.loopback) { bench in
        let file = try write(example.bytes, example.name, bench)
        let several = try await bench.finish("clone", file)
        #expect(several.status == 64)
        #expect(several.errorText.contains("2 devices; say which with --pick:\n  1  "))
        let copy = bench.folder.appending(path: "copy.json").path
        for (number, descriptor) in [("1", Self.keyboard), ("2", Self.vendor)] {
          let done = try await bench.finish("clone", file, "--pick", number, "-o", copy, "--force")
          #expect(done.status == 0, "\(done.errorText)")
          #expect(
            try String(contentsOfFile: copy, encoding: .utf8).contains(
              "\"A copy of a device in \(example.title), made by hidsim clone.\""))
          #expect(bytes(try await bench.finish("describe", copy, "--as", "hex")) == descriptor)
        }
        let run = try await bench.start("run", file, "--json")
        for descriptor in [Self.keyboard, Self.vendor] {
          let node = try #require(try await run.event("plugged").node)
          #expect(bytes(try await bench.finish("describe", node, "--as", "hex")) == descriptor)
        }
        try await bench.end(run)
      }
    }

    @Test("a recording of libinput with a wrong event is refused, with the place of the fault (65)")
    func wrongEvent() async throws {
      try await Bench.run(.loopback) { bench in
        let good = try #require(Self.examples.first { $0.name == "e.yml" })
        let text = String(decoding: good.bytes, as: UTF8.self)
        let wrong = "  - hid:\n      time: [  0, 0]\n      hidraw0: [0x00, 0x00, 256]\n"
        let file = try bench.file(
          "wrong.yml", text.replacing("  - hid:\n", with: wrong + "  - hid:\n"))
        for words in [
          ["describe", file], ["lint", file], ["clone", file], ["run", file, "--for", "1ms"],
        ] {
          let done = try await bench.finish(program: Bench.binary, words)
          #expect(done.status == 65, "\(words)")
          #expect(
            done.errorText.contains(
              "wrong.yml:14:29: expected a byte from 0 to 255, found \"256\""),
            "\(words): \(done.errorText)")
        }
      }
    }

    @Test("a capture without the report descriptor of its device is refused, with the remedy")
    func lateCapture() async throws {
      try await Bench.run(.loopback) { bench in
        var builder = CaptureBuilder()
        builder.input(0x81, [0, 0, 4, 0, 0, 0, 0, 0])
        let file = try write(builder.bytes, "late.pcapng", bench)
        for words in [
          ["describe", file], ["lint", file], ["decode", file, "00"], ["encode", file, "a"],
          ["clone", file], ["run", file, "--for", "1ms"],
        ] {
          let done = try await bench.finish(program: Bench.binary, words)
          #expect(done.status == 65, "\(words)")
          #expect(
            done.errorText.contains(
              "whose report descriptor is not in the capture; "
                + "the capture probably began after the device was plugged in; "
                + "plug the device in while the capture runs"), "\(done.errorText)")
          #expect(!done.errorText.contains("--descriptor"), "\(words): no such option")
        }
        let stat = try await bench.finish("stat", file)
        #expect(stat.errorText.contains("or give its report descriptor with --descriptor FILE"))
      }
    }

    @Test("a capture that cannot be read is refused, and not read as a binary report descriptor")
    func refusals() async throws {
      try await Bench.run(.loopback) { bench in
        let whole = Self.capture(.pcap, .usbmon)
        var network = CaptureBuilder(.pcap).header
        network.replaceSubrange(20..., with: [1, 0, 0, 0])
        let cases: [(String, [UInt8], String)] = [
          ("cut", Array(whole.prefix(20)), "ends after 20 of the 24 bytes of its header"),
          ("empty", CaptureBuilder(.pcapng).bytes, "the capture has no packets"),
          ("network", network, "packets of link type ETHERNET (1)"),
        ]
        for (name, bytes, words) in cases {
          let file = try write(bytes, name, bench)
          for command in ["describe", "lint", "clone"] {
            let done = try await bench.finish(command, file)
            #expect(done.status == 65, "\(command) \(name)")
            #expect(done.errorText.contains(words), "\(done.errorText)")
          }
        }
        let file = try write(whole, "whole.pcap", bench)
        let device = try bench.file(
          "device.json",
          #"{"hidsim": 1, "name": "x", "vendorID": 1, "productID": 1, "reportDescriptor": {"file": "whole.pcap"}}"#
        )
        for (words, told) in [
          (
            ["describe", file, "--from", "binary"],
            "expected a report descriptor, found a capture of packets"
          ),
          (
            ["run", device, "--for", "1ms"],
            "expected the bytes of a report descriptor, found a capture of USB packets in \"whole.pcap\""
          ),
        ] {
          let done = try await bench.finish(program: Bench.binary, words)
          #expect(done.status == 65)
          #expect(done.errorText.contains(told), "\(done.errorText)")
        }
      }
    }

    @Test("a capture may be longer than any report descriptor")
    func longCapture() async throws {
      try await Bench.run(.loopback) { bench in
        var builder = CaptureBuilder()
        builder.plug(.keyboard)
        for _ in 0..<6000 { builder.input(0x81, [0, 0, 4, 0, 0, 0, 0, 0]) }
        let bytes = builder.bytes
        #expect(bytes.count > 1 << 20)
        let file = try write(bytes, "long.pcapng", bench)
        let done = try await bench.finish("describe", file, "--as", "hex")
        #expect(self.bytes(done) == Self.keyboard, "\(done.errorText)")
        let piped = try await bench.finish(
          program: "bash", ["-c", "cat \(file) | \"$0\" describe - --as hex", Bench.binary])
        #expect(self.bytes(piped) == Self.keyboard, "\(piped.errorText)")
      }
    }

    @Test("clone refuses a file that is no trace, and states that it expects one")
    func noTrace() async throws {
      try await Bench.run(.loopback) { bench in
        let bare = try bench.file("mouse.hex", DescribeTests.hex)
        let done = try await bench.finish("clone", bare)
        #expect(done.status == 65)
        #expect(done.errorText.contains("only a report descriptor; a trace was expected"))
        let text = try await bench.finish("clone", try bench.file("text", "hello\n"))
        #expect(text.status == 65)
        #expect(text.errorText.contains("expected a trace, found \"hello\""), "\(text.errorText)")
      }
    }

    @Test(
      "report descriptors of real traces are those of the corpus",
      .enabled(if: DescriptorCorpus.isPresent, "the corpus is not there"),
      arguments: [
        ("android-cts/google_gamepad_usb_register.json", "google_gamepad_usb"),
        ("android-cts/sony_dualshock4_register.json", "sony_dualshock4"),
        ("umockdev/fido2.umockdev", nil), ("umockdev/fido2.script", nil),
      ])
    func corpus(trace: String, descriptor: String?) async throws {
      try await Bench.run(.loopback) { bench in
        let file = DescriptorCorpus.directory.appending(path: trace).path
        let expected =
          try descriptor.map { try DescriptorCorpus.bytes("android-cts/descriptors/\($0).hex") }
          ?? Self.described(in: "umockdev/fido2.umockdev")
        #expect(!expected.isEmpty)
        let described = try await bench.finish("describe", file, "--as", "hex")
        #expect(bytes(described) == expected, "\(described.errorText)")
        let cloned = try await bench.finish("clone", file)
        let copy = try bench.file("copy.json", cloned.output.joined(separator: "\n"))
        #expect(bytes(try await bench.finish("describe", copy, "--as", "hex")) == expected)
      }
    }

    /// Returns the report descriptor in a description of umockdev.
    private static func described(in file: String) throws -> [UInt8] {
      let mark = "H: report_descriptor="
      let lines = try DescriptorCorpus.text(file).split(separator: "\n")
      let digits = Array((lines.first { $0.hasPrefix(mark) } ?? "").dropFirst(mark.count).utf8)
      return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
        UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
      }
    }
  }
}
