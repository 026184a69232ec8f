// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEndTests {
  @Suite("describe") struct DescribeTests {
    /// X and Y of a mouse, by hand from HID 1.11, section 6.2.2.
    static let hex = "05 01 09 02 a1 01 09 30 09 31 15 81 25 7f 75 08 95 02 81 06 c0"
    private static let bytes = hex.split(separator: " ").compactMap { UInt8($0, radix: 16) }
    private static let commaSeparated = hex.split(separator: " ").map { "0x\($0)" }
      .joined(separator: ", ")

    /// The same report descriptor in the forms that people and tools write.
    static let dialects: [(name: String, text: String)] = [
      ("hex", hex + "\n"),
      ("hex without blanks", hex.replacingOccurrences(of: " ", with: "")),
      ("hex with commas", "[\(commaSeparated)]"),
      (
        "escapes",
        "b\"" + hex.split(separator: " ").map { "\\x\($0)" }.joined() + "\""
      ),
      ("decimal numbers", bytes.map(String.init).joined(separator: ", ")),
      ("C", "/* mouse */\nstatic const unsigned char mouse[] = {\n  \(commaSeparated)\n};\n"),
      ("Rust", "const MOUSE: [u8; 21] = [\(commaSeparated)];"),
      (
        "words",
        """
        Usage Page (Generic Desktop)
        Usage (Mouse)
        Collection (Application)
          Usage (X)
          Usage (Y)
          Logical Minimum (-127)
          Logical Maximum (127)
          Report Size (8)
          Report Count (2)
          Input (Data,Var,Rel)
        End Collection
        """
      ),
      (
        "hid-decode",
        """
        0x05, 0x01,  // Usage Page (Generic Desktop)        0
        0x09, 0x02,  // Usage (Mouse)                       2
        0xa1, 0x01,  // Collection (Application)            4
        0x09, 0x30,  //  Usage (X)                          6
        0x09, 0x31,  //  Usage (Y)                          8
        0x15, 0x81, 0x25, 0x7f, 0x75, 0x08, 0x95, 0x02, 0x81, 0x06, 0xc0,
        """
      ),
      (
        "items",
        """
        [{"usagePage": "genericDesktop"}, {"usage": "mouse"}, {"collection": "application", "items": [
          {"usage": "x"}, {"usage": "y"}, {"logicalMinimum": -127}, {"logicalMaximum": 127},
          {"reportSize": 8}, {"reportCount": 2}, {"input": ["data", "variable", "relative"]}]}]
        """
      ),
      ("a recording", "# a comment\nR: 21 \(hex)\nN: mouse\nI: 3 1209 0001\nE: 0.0 2 00 01\n"),
      (
        "the kernel's rdesc",
        "\(hex) \n\n  INPUT[INPUT]\n    Field(0)\n      Usage(2)\n        GenericDesktop.X\n"
      ),
    ]

    @Test("a descriptor is read in every dialect, from a file, a pipe and standard input")
    func dialects() async throws {
      try await Bench.run(.loopback) { bench in
        let binary = bench.folder.appending(path: "mouse").path
        try Data(Self.bytes).write(to: URL(filePath: binary))
        var files = [("bytes", binary)]
        for (index, (name, text)) in Self.dialects.enumerated() {
          files.append((name, try bench.file("mouse-\(index)", text)))
        }
        let expected = [
          "05 01 09 02 a1 01 09 30 09 31 15 81 25 7f 75 08", "95 02 81 06 c0",
        ]
        for (name, file) in files {
          let done = try await bench.finish("describe", file, "--as", "hex")
          #expect(done.status == 0, "\(name): \(done.errorText)")
          #expect(done.output == expected, "\(name)")
          // The file is read through a pipe, whose writer waits before it writes.
          for word in ["<(sleep 0.02; cat '\(file)')", "- < '\(file)'", "/dev/stdin < '\(file)'"] {
            let piped = try await bench.finish(
              program: "bash", ["-c", "exec \"$0\" describe \(word) --as hex", Bench.binary])
            #expect(piped.output == expected, "\(name), \(word): \(piped.errorText)")
          }
        }
      }
    }

    @Test("a recording of a device file has its IDs, also if another file has the descriptor")
    func identityOfDeviceFile() async throws {
      try await Bench.run(.loopback) { bench in
        try Data([0x05, 0x01, 0x09, 0x06, 0xA1, 0x01, 0x75, 0x08, 0x95, 0x01, 0x81, 0x01, 0xC0])
          .write(to: bench.folder.appending(path: "keys.bin"))
        let file = try bench.file(
          "my.json",
          #"{"hidsim": 1, "name": "keys", "vendorID": "0x1209", "productID": "0x0007", "#
            + #""reportDescriptor": {"file": "keys.bin"}}"#)
        let done = try await bench.finish("describe", file, "--as", "recording")
        #expect(done.output.contains("I: 3 1209 0007"), "\(done.output)\(done.errorText)")
        #expect(!done.output.contains("unidentified"))
      }
    }

    @Test("every text form of describe except evdev, usb and diff is read back as the same bytes")
    func forms() async throws {
      try await Bench.run(.loopback) { bench in
        let file = try bench.file("mouse.hex", Self.hex)
        for form in ["tree", "text", "c", "items", "lines", "hex", "recording", "json"] {
          let done = try await bench.finish("describe", file, "--as", form)
          #expect(done.status == 0)
          let other = try bench.file("again", done.output.joined(separator: "\n") + "\n")
          let again = try await bench.finish("describe", file, "--as", "diff", other)
          #expect(again.status == 0, "\(form): \(again.errorText)")
          #expect(again.errors == ["the bytes are the same"], "\(form)")
        }
        #expect(
          try await bench.finish("describe", file).output == [
            "Application (Generic Desktop: Mouse)",
            "  input report, 2 bytes",
            "    bits 0-15  2 x 8 bits  -127 to 127  Generic Desktop: X, Y [relative]",
            "",
            "report descriptor, 21 bytes:",
            "  05 01 09 02 a1 01 09 30 09 31 15 81 25 7f 75 08",
            "  95 02 81 06 c0",
          ])
        let evdev = try await bench.finish("describe", file, "--as", "evdev").output
        #expect(evdev.contains("    genericDesktop.x  REL_X"))
      }
    }

    @Test("usb prints the USB device of a device file, also from standard input")
    func usb() async throws {
      try await Bench.run(.loopback) { bench in
        let file = try bench.file(
          "usb.json",
          #"{"hidsim": 1, "name": "my mouse", "vendorID": "0x1209", "productID": 7, "#
            + #""manufacturer": "my", "usb": {"speed": "low", "boot": "mouse", "power": 50}, "#
            + #""reportDescriptor": {"hex": "\#(Self.hex)"}}"#)
        let done = try await bench.finish("describe", file, "--as", "usb")
        #expect(done.status == 0, "\(done.errorText)")
        #expect(
          done.output.starts(with: [
            "Device Descriptor:", "  bLength                18", "  bDescriptorType         1",
          ]))
        for line in [
          "  bMaxPacketSize0         8", "  idVendor           0x1209",
          "  iProduct                2 mouse",
          "    MaxPower               50mA", "      bInterfaceSubClass      1",
          "          wDescriptorLength      21", "        bInterval              10",
        ] {
          #expect(done.output.contains(line), "\(line)")
        }
        let piped = try await bench.finish(
          program: "bash", ["-c", "exec \"$0\" describe - --as usb < '\(file)'", Bench.binary])
        #expect(piped.output == done.output)
        let picked = try await bench.finish("describe", file, "--as", "usb", "--pick", "1")
        #expect(picked.status == 64)
        #expect(picked.errorText.contains("--as usb prints whole devices"))
      }
    }

    @Test("usb prints derived values for a bare descriptor, a trace and a plugged device")
    func derivedUSB() async throws {
      try await Bench.run(.loopback) { bench in
        let hex = try bench.file("mouse.hex", Self.hex)
        let bare = try await bench.finish("describe", hex, "--as", "usb")
        #expect(bare.status == 0, "\(bare.errorText)")
        #expect(bare.output.contains("  iProduct                1 mouse.hex"))
        let trace = try bench.file(
          "two.hid",
          "D: 0\nR: 21 \(Self.hex)\nN: one\nI: 3 1209 0001\n"
            + "D: 1\nR: 21 \(Self.hex)\nN: two\nI: 3 1209 0002\n")
        let two = try await bench.finish("describe", trace, "--as", "usb")
        #expect(two.output.filter { $0.hasPrefix("# ") } == ["# one", "# two"], "\(two.errorText)")
        #expect(two.output.contains("  idProduct          0x0002"))
        let run = try await bench.start("run", "inputstick.json", "--json")
        var node = ""
        for _ in 0..<4 { node = try #require(try await run.event("plugged").node) }
        let plugged = try await bench.finish("describe", node, "--as", "usb")
        #expect(plugged.status == 0, "\(plugged.errorText)")
        #expect(plugged.output.contains("    bNumInterfaces          4"))
        try await bench.end(run)
      }
    }

    @Test("diff prints the changes for a host, with exit status 1 for a change and 0 for none")
    func diff() async throws {
      try await Bench.run(.loopback) { bench in
        let file = try bench.file("old.hex", Self.hex)
        let wide = try bench.file(
          "new.hex",
          Self.hex.replacingOccurrences(of: "15 81 25 7f 75 08", with: "16 01 f8 26 ff 07 75 10"))
        let done = try await bench.finish("describe", file, "--as", "diff", wide)
        #expect(done.status == 1)
        #expect(
          done.output == [
            "~ input report: length 2 bytes -> 4 bytes",
            "~ input report, genericDesktop.x ... genericDesktop.y: size 8 bits -> 16 bits, "
              + "logical range -127...127 -> -2047...2047",
          ])
        // The file has another order of items, and sets a usage page twice.
        let same = try bench.file(
          "same.hex", Self.hex.replacingOccurrences(of: "15 81 25 7f", with: "05 01 25 7f 15 81"))
        let equal = try await bench.finish("describe", file, "--as", "diff", same)
        #expect(equal.status == 0)
        #expect(equal.output == [])
        #expect(
          equal.errors == ["the bytes differ, but a host reads both descriptors in the same way"])
      }
    }

    @Test("--reading specification prints ranges as HID 1.11 defines them, and excludes evdev")
    func reading() async throws {
      try await Bench.run(.loopback) { bench in
        // The file has a logical maximum of one byte, ff.
        let file = try bench.file(
          "x", "05 01 09 02 a1 01 09 30 15 00 25 ff 75 08 95 01 81 02 c0")
        let linux = try await bench.finish("describe", file)
        let letter = try await bench.finish("describe", file, "--reading", "specification")
        #expect(linux.output[2] == "    bits 0-7  1 x 8 bits  0 to 255  Generic Desktop: X")
        #expect(letter.output[2] == "    bits 0-7  1 x 8 bits  0 to -1  Generic Desktop: X")
        let json = try await bench.finish(
          "describe", file, "--as", "json", "--reading", "specification")
        #expect(json.output[3].contains("\"logicalMaximum\":-1,"))
        let wrong = try await bench.finish(
          "describe", file, "--as", "evdev", "--reading", "specification")
        #expect(wrong.status == 64)
        #expect(wrong.errorText.contains("--as evdev always reads as Linux does"))
      }
    }

    @Test("several descriptors are printed with their names, and --pick selects one")
    func several() async throws {
      try await Bench.run(.loopback) { bench in
        let text = Self.dialects[5].text
        let file = try bench.file(
          "two.c", text + text.replacingOccurrences(of: "mouse[]", with: "other[]"))
        let tree = try await bench.finish("describe", file)
        #expect(tree.output.filter { $0.hasPrefix("# ") } == ["# mouse", "# other"])
        let c = try await bench.finish("describe", file, "--as", "c")
        #expect(c.output.filter { $0.hasPrefix("static") }.count == 2)
        for form in ["hex", "bin"] {
          let refused = try await bench.finish("describe", file, "--as", form)
          #expect(refused.status == 64)
          #expect(
            refused.errors == [
              "hidsim: \(file): 2 descriptors; say which with --pick:",
              "  1  mouse, 21 bytes", "  2  other, 21 bytes",
            ])
        }
        for pick in ["2", "other"] {
          let picked = try await bench.finish("describe", file, "--as", "hex", "--pick", pick)
          #expect(picked.status == 0)
          #expect(picked.output.count == 2)
        }
        let none = try await bench.finish("describe", file, "--pick", "third")
        #expect(none.status == 66)
        #expect(
          none.errors.first
            == "hidsim: \(file): no descriptor has the number or name \"third\"; there are:")
        // Two descriptors have the same name. The listed numbers are their positions in the file.
        let other = text.replacingOccurrences(of: "mouse[]", with: "other[]")
        let twins = try bench.file("three.c", text + other + text)
        let ambiguous = try await bench.finish(
          "describe", twins, "--as", "hex", "--pick", "mouse")
        #expect(ambiguous.errors[1] == "  1  mouse, 21 bytes")
        #expect(ambiguous.errors[2] == "  3  mouse, 21 bytes")
        // A recording of several devices is one file, and says which report descriptor belongs to
        // which device.
        let recording = try await bench.finish("describe", file, "--as", "recording")
        let again = try bench.file("two.hid", recording.output.joined(separator: "\n") + "\n")
        #expect(recording.output.filter { $0.hasPrefix("D: ") } == ["D: 0", "D: 1"])
        #expect(try await bench.finish("run", again, "--for", "1ms").status == 0)
      }
    }

    @Test("describe finds a plugged device by node, number and name", arguments: TestBus.available)
    func device(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let (run, node) = try await bench.plug("keyboard.json")
        let file = try await bench.finish("describe", "keyboard.json", "--as", "hex")
        #expect(file.output.count == 4)
        let list = try await bench.finish("list").output
        let line = try #require(list.first { $0.contains("\"hidsim keyboard\"") })
        let number = String(line.prefix { $0 != " " })
        for word in [node, number, "hidsim keyboard"] {
          let done = try await bench.finish("describe", word, "--as", "hex")
          #expect(done.status == 0, "\(done.errorText)")
          #expect(done.output == file.output, "\(word)")
        }
        let diff = try await bench.finish("describe", node, "--as", "diff", "keyboard.json")
        #expect(diff.errors == ["the bytes are the same"])
        #expect(try await bench.finish("lint", node).status == 0)
        let recording = try await bench.finish("describe", node, "--as", "recording")
        #expect(recording.output.suffix(2) == ["N: hidsim keyboard", "I: 3 1209 0001"])
        let missing = try await bench.finish("describe", "\(node)99")
        #expect(missing.status == 66)
        #expect(
          missing.errorText.contains("no file or device \"\(node)99\"; the devices are:"))
        try await bench.end(run)
      }
    }

    @Test(
      "the kernel's descriptor files of a device are read as the device's descriptor",
      .enabled(if: TestBus.testsKernel, TestBus.kernelReason))
    func kernelFiles() async throws {
      try await Bench.run(.kernel) { bench in
        let (run, node) = try await bench.plug("keyboard.json")
        let name = URL(filePath: node).lastPathComponent
        let device = "/sys/class/hidraw/\(name)/device"
        let identity = URL(filePath: device).resolvingSymlinksInPath().lastPathComponent
        var files = ["\(device)/report_descriptor"]
        let debug = "/sys/kernel/debug/hid/\(identity)/rdesc"
        if FileManager.default.isReadableFile(atPath: debug) { files.append(debug) }
        for file in files {
          let done = try await bench.finish("describe", file, "--as", "diff", node)
          #expect(done.status == 0, "\(file): \(done.errorText)")
          #expect(done.errors == ["the bytes are the same"], "\(file)")
        }
        try await bench.end(run)
      }
    }
  }
}
