// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension EndToEndTests {
  @Suite("invalid descriptors") struct DescriptorErrorTests {
    /// Files with an error, each with the position at the start of the message, and other words of
    /// the message.
    static let wrong: [(text: String, place: String, words: String)] = [
      ("", ":1:1: ", "expected a report descriptor, found an empty file"),
      ("hello\n", ":1:1: ", "expected a byte in hex, found \"hello\""),
      ("05 01\n09 zz\n", ":2:4: ", "found \"zz\""),
      ("05 01 09 02 a1 01\n", ":1:13: ", "End Collection"),
      ("05 01 09 02 a1\n", ":1:13: ", "ends inside this item"),
      ("Usage Page (Generic Desktop)\nUsage (Mouze)\n", ":2:8: ", "did you mean \"Mouse\"?"),
      ("static const uint8_t d[] = { 0x05, 0x101 };", ":1:36: ", "from 0 to 255"),
      ("static const uint8_t d[] = { 0x05, USAGE };", ":1:36: ", "gcc -E -P"),
      ("[{\"usagePage\": \"genericDesktop\"}, {\"usagge\": 1}]", ":1:36: ", "\"usage\""),
      ("{\"name\": 3}", ":1:1: ", "found an object without one"),
      ("N: mouse\nR: 3 05 01\n", ":2:4: ", "expected 3 bytes"),
    ]

    @Test(
      "an invalid file is refused (65) with the position of its error and the reason",
      arguments: wrong)
    func file(text: String, place: String, words: String) async throws {
      try await Bench.run(.loopback) { bench in
        let file = try bench.file("d", text)
        for command in [["describe", file], ["decode", file, "00"], ["encode", file, "a"]] {
          let done = try await bench.finish(program: Bench.binary, command)
          #expect(done.status == 65, "\(done.errorText)")
          #expect(done.output == [])
          #expect(done.errors.count == 1)
          #expect(done.errorText.hasPrefix("hidsim: \(file)\(place)"), "\(done.errorText)")
          #expect(done.errorText.contains(words), "\(done.errorText)")
        }
        let piped = try await bench.finish("describe", "-", input: text)
        #expect(piped.status == 65)
        #expect(piped.errorText.hasPrefix("hidsim: standard input\(place)"), "\(piped.errorText)")
      }
    }

    @Test("an invalid device file is refused (65) with every mistake and its position")
    func deviceFile() async throws {
      try await Bench.run(.loopback) { bench in
        let file = try bench.file("d", "{\"hidsim\": 1,\n \"name\": 3, \"vendorID\": \"0x1234\"}")
        for command in [["describe", file], ["decode", file, "00"], ["encode", file, "a"]] {
          let done = try await bench.finish(program: Bench.binary, command)
          #expect(done.status == 65, "\(done.errorText)")
          #expect(done.output == [])
          #expect(done.errorText.hasPrefix("hidsim: \(file):1:1: "), "\(done.errorText)")
          #expect(done.errorText.contains("no \"productID\""), "\(done.errorText)")
          #expect(done.errorText.contains("\(file):2:10: expected the name"), "\(done.errorText)")
        }
      }
    }

    @Test("an invalid descriptor is printed as bytes and items only, and the error names lint")
    func refused() async throws {
      try await Bench.run(.loopback) { bench in
        let file = try bench.file("d", "05 01 09 02 a1 01 81 02")
        let tree = try await bench.finish("describe", file)
        #expect(tree.status == 65)
        #expect(tree.errorText.hasSuffix("hidsim lint \(file) says more"))
        for form in ["text", "c", "items", "lines", "hex", "recording"] {
          let done = try await bench.finish("describe", file, "--as", form)
          #expect(done.status == 0, "\(form)")
          #expect(!done.output.isEmpty)
        }
        for form in ["json", "evdev"] {
          #expect(try await bench.finish("describe", file, "--as", form).status == 65)
        }
        #expect(try await bench.finish("lint", file).status == 1)
      }
    }

    @Test("a missing file, a folder and a pipe without data are refused (66)")
    func noFile() async throws {
      try await Bench.run(.loopback) { bench in
        let pipe = bench.folder.appending(path: "pipe").path
        #expect(mkfifo(pipe, 0o600) == 0)
        let folder = bench.folder.path
        for (word, words) in [
          ("\(folder)/missing", "no file or device"), (folder, "this is a folder"),
          (pipe, "the pipe ended without any data"),
        ] {
          for command in [["describe", word], ["lint", word], ["decode", word, "00"]] {
            let done = try await bench.finish(program: Bench.binary, command)
            #expect(done.status == 66, "\(done.errorText)")
            #expect(done.errorText.contains(word) && done.errorText.contains(words))
          }
        }
        // `hidsim run` plugs devices from files only.
        let run = try await bench.finish("run", pipe, "--for", "1ms")
        #expect(run.status == 66)
        #expect(run.errorText.contains("this is a pipe"))
      }
    }

    @Test("input that is endless or too long is refused (65) with the limit")
    func endless() async throws {
      try await Bench.run(.loopback) { bench in
        for words in ["<(yes)", "- < <(yes)", "/dev/stdin < <(yes)"] {
          let done = try await bench.finish(
            program: "bash", ["-c", "exec \"$0\" describe \(words)", Bench.binary])
          #expect(done.status == 65)
          #expect(done.errorText.contains("more than 1048576 bytes"), "\(done.errorText)")
        }
        let zeros = bench.folder.appending(path: "zeros").path
        try Data(count: 70_000).write(to: URL(filePath: zeros))
        let done = try await bench.finish("describe", zeros)
        #expect(done.status == 65)
        #expect(done.errorText.contains("70000 bytes long, and the limit is 65536"))
      }
    }

    @Test("a recording may be longer than any descriptor")
    func longRecording() async throws {
      try await Bench.run(.loopback) { bench in
        let events = String(repeating: "E: 000001.000000 2 01 02\n", count: 60_000)
        let marks = ["I: 3 0000 0000", "#! hidsim trace 1", "#! unidentified"]
        let file = try bench.file(
          "long.hid",
          "R: 21 \(DescribeTests.hex)\n# a comment\n\(events)N: late\n\(marks.joined(separator: "\n"))\n"
        )
        let done = try await bench.finish("describe", file, "--as", "recording")
        #expect(done.status == 0, "\(done.errorText)")
        #expect(done.output == ["R: 21 \(DescribeTests.hex)", "N: late"] + marks)
      }
    }

    @Test("--from accepts only the named format, and refuses (65) a file in another format")
    func from() async throws {
      try await Bench.run(.loopback) { bench in
        let file = try bench.file("d", DescribeTests.hex)
        for (format, status, words) in [
          ("hex", 0, nil), ("text", 0, nil),
          ("c", 65, ":1:1: expected an array such as"), ("items", 65, ":1:1: "),
          ("recording", 65, ":1:1: expected a recording, found no R: line"),
          ("toast", 64, "the format is \"toast\": expected one of binary, hex"),
        ] as [(String, Int32, String?)] {
          let done = try await bench.finish("describe", file, "--from", format)
          #expect(done.status == status, "\(format): \(done.errorText)")
          if let words { #expect(done.errorText.contains(words), "\(done.errorText)") }
        }
      }
    }

    @Test("invalid arguments of describe, lint, decode and encode are refused (64) with the reason")
    func arguments() async throws {
      try await Bench.run(.loopback) { bench in
        let file = try bench.file("d", DescribeTests.hex)
        for (command, words) in [
          (["describe"], "<file|device>"),
          (["describe", file, "--as", "diff"], "add another file or device"),
          (["describe", file, file], " needs --as diff: "),
          (["describe", file, "--as", "toast"], "tree"),
          (["lint"], "no file or device"),
          (["lint", file, "--silence", "toast"], "no rule has the code \"toast\""),
          (["decode", file], "<report>"),
          (["decode", file, "zz"], "\"zz\" is not a byte: expected hex"),
          (["decode", file, "--type", "both", "00"], "expected input, output or feature"),
          (["encode", file], "<name=value>"),
          (["encode", file, "--id", "0", "x=1"], "expected 1 to 255"),
        ] {
          let done = try await bench.finish(program: Bench.binary, command)
          #expect(done.status == 64, "\(command)")
          #expect(done.errorText.contains(words), "\(done.errorText)")
          #expect(!done.errorText.contains("<subcommand>"), "\(done.errorText)")
        }
      }
    }

    @Test("run refuses a bare descriptor (65) with the command that makes a recording of it")
    func bareDescriptor() async throws {
      try await Bench.run(.loopback) { bench in
        for (_, text) in DescribeTests.dialects.prefix(10) {
          let file = try bench.file("mouse", text)
          let done = try await bench.finish("run", file, "--for", "1ms")
          #expect(done.status == 65)
          #expect(
            done.errorText.contains("hidsim describe \(file) --as recording makes a recording"),
            "\(done.errorText)")
          let recording = try await bench.finish("describe", file, "--as", "recording")
          let other = try bench.file("m.hid", recording.output.joined(separator: "\n") + "\n")
          #expect(try await bench.finish("run", other, "--for", "1ms").status == 0)
        }
      }
    }
  }
}
