// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEndTests {
  @Suite("bad input") struct BadInputTests {
    /// A file with an error, its position, and a word of the message.
    struct Case: Sendable, CustomTestStringConvertible {
      let name: String
      let text: String
      let place: String
      let word: String
      var testDescription: String { name }

      init(_ name: String, _ text: String, at place: String, _ word: String) {
        self.name = name
        self.text = text
        self.place = place
        self.word = word
      }
    }

    private static func device(_ name: String = "x", _ rest: String) -> String {
      """
      {"hidsim": 1, "name": "\(name)", "vendorID": "0x1209", "productID": "0x0001",
       \(rest)}
      """
    }

    private static let plain =
      "\"reportDescriptor\": {\"hex\": \"05 01 09 06 a1 01 09 01 15 00 25 7f 75 08 95 01 81 02 c0\"}"

    static let cases = [
      Case("truncated JSON", "{\"hidsim\": 1,\n \"name\": \"x", at: "2:10", "cut short"),
      Case(
        "an unknown item", device("x", "\"reportDescriptor\": [{\"reportSzie\": 8}]"), at: "2:24",
        "did you mean \"reportSize\"?"),
      Case(
        "an unbalanced collection",
        device("x", "\"reportDescriptor\": {\"hex\": \"05 01 09 06 a1 01 75 08 95 01 81 02\"}"),
        at: "2:30", "no End Collection"),
      Case(
        "a descriptor of 5,000 bytes",
        device(
          "x",
          "\"reportDescriptor\": {\"hex\": \"\(Array(repeating: "05 01", count: 2500).joined(separator: " "))\"}"
        ),
        at: "2:30", "at most 4096"),
      Case(
        "an initial report longer than declared",
        device("x", plain + ", \"reports\": [{\"type\": \"input\", \"initial\": \"01 02\"}]"),
        at: "2:132", "declared with 1 byte"),
      Case(
        "a name with a control character", device("x\\u0007y", plain), at: "1:23", "U+0007"),
      Case("an empty file", "", at: "1:1", "the end of the file"),
      Case("neither JSON nor a recording", "hello\n", at: "1:1", "found the word \"hello\""),
      Case("a key twice", device("x", plain + ", \"name\": \"y\""), at: "2:91", "name"),
      Case("an unknown key", device("x", plain + ", \"serial\": \"y\""), at: "2:91", "unknown key"),
    ]

    @Test(
      "an invalid file is refused (65) with the position of its error, and nothing is plugged",
      arguments: cases)
    func file(_ bad: Case) async throws {
      try await Bench.run(.loopback) { bench in
        let file = try bench.file("bad.json", bad.text)
        // The good file comes first. Its device must not be plugged either.
        let done = try await bench.finish("run", "keyboard.json", file, "--for", "1ms")
        #expect(done.status == 65)
        #expect(done.output.isEmpty)
        #expect(done.errorText.contains("bad.json:\(bad.place)"), "\(done.errorText)")
        #expect(done.errorText.contains(bad.word), "\(done.errorText)")
        #expect(try bench.leftovers() == [])
      }
    }

    @Test("a missing file and a folder are refused (66), and nothing is plugged")
    func noFile() async throws {
      try await Bench.run(.loopback) { bench in
        for name in ["\(bench.folder.path)/missing.json", "missing.json", bench.folder.path] {
          let done = try await bench.finish("run", "keyboard.json", name, "--for", "1ms")
          #expect(done.status == 66)
          #expect(done.output.isEmpty)
          #expect(done.errorText.contains(name))
        }
        #expect(try bench.leftovers() == [])
      }
    }

    @Test(
      "an argument that is not UTF-8 is refused (64), and no file is created",
      arguments: [
        "convert trace.hid $'o\\xff'", "convert $'o\\xff' out", "test suite --junit $'\\xc0\\xaf'",
        "run keyboard.json --for 1ms --record=$'o\\xff'", "describe $'\\xed\\xa0\\x80'",
      ])
    func invalidWord(words: String) async throws {
      try await Bench.run(.loopback) { bench in
        _ = try bench.file("trace.hid", "R: 2 c0 c0\nN: a\nI: 3 1209 0001\n")
        // The name of this file is the bad word with U+FFFD in place of the invalid byte. hidsim
        // must not use the file.
        _ = try bench.file("o\u{fffd}", "R: 2 c0 c0\nN: a\nI: 3 1209 0001\n")
        let before = try FileManager.default.contentsOfDirectory(atPath: bench.folder.path).sorted()
        let done = try await bench.finish(
          program: "bash", ["-c", "cd \"$0\" && exec \(Bench.binary) \(words)", bench.folder.path])
        #expect(done.status == 64, "\(done.errorText)")
        #expect(done.output.isEmpty)
        #expect(done.errorText.contains("is not UTF-8; hidsim takes names and texts in UTF-8 only"))
        let after = try FileManager.default.contentsOfDirectory(atPath: bench.folder.path).sorted()
        #expect(after == before)
      }
    }

    @Test("a command after -- may have an argument that is not UTF-8")
    func invalidForeignWord() async throws {
      try await Bench.run(.loopback) { bench in
        let done = try await bench.finish(
          program: "bash",
          ["-c", "\(Bench.binary) run keyboard.json -- sh -c 'printf %s \"$0\" | wc -c' $'\\xff'"])
        #expect(done.status == 0, "\(done.errorText)")
        #expect(done.output.contains("1"), "\(done.output)")
      }
    }

    @Test("a path that is no regular file is refused (66) with its kind or the reading error")
    func noRegularFile() async throws {
      try await Bench.run(.loopback) { bench in
        let pipe = bench.folder.appending(path: "pipe").path
        let loop = bench.folder.appending(path: "loop").path
        #expect(
          try await bench.finish(
            program: "sh", ["-c", "mkfifo \"$0\" && ln -s \"$1\" \"$1\"", pipe, loop]
          ).status == 0)
        let folder = bench.folder.path
        let expected = "expected a regular file: a device file or a trace"
        for (words, told) in [
          (["run", "/dev/zero"], "/dev/zero: this is a device node; \(expected)"),
          (["run", pipe], "\(pipe): this is a pipe; \(expected)"),
          (["run", folder], "\(folder): this is a folder; \(expected)"),
          (
            ["replay", folder], "\(folder): this is a folder; expected a regular file: a trace"
          ),
          (
            ["run", "keyboard.json", "--script", folder],
            "\(folder): this is a folder; expected a regular file: a script"
          ),
          (["run", loop], "\(loop): cannot be read: Too many levels of symbolic links"),
          (["run", "keyboard.json", "--script", loop], "\(loop): cannot be read: Too many levels"),
        ] {
          let done = try await bench.finish(program: Bench.binary, words)
          #expect(done.status == 66)
          #expect(done.errors.count == 1)
          #expect(done.errors.first?.hasPrefix("hidsim: \(told)") == true, "\(done.errors)")
        }
      }
    }

    @Test(
      "a file in a folder that cannot be entered is refused (66) with the permission error",
      .enabled(if: geteuid() != 0, "root may read everything"))
    func noPermission() async throws {
      try await Bench.run(.loopback) { bench in
        let folder = bench.folder.appending(path: "closed").path
        #expect(try await bench.finish(program: "mkdir", ["-m", "000", folder]).status == 0)
        for words in [["run"], ["replay"], ["run", "keyboard.json", "--script"]] {
          let done = try await bench.finish(program: Bench.binary, words + ["\(folder)/x"])
          #expect(done.status == 66)
          #expect(done.errors == ["hidsim: \(folder)/x: cannot be read: Permission denied"])
        }
      }
    }

    @Test("a device file or script that is too large is refused (65) with the limit")
    func tooLarge() async throws {
      try await Bench.run(.loopback) { bench in
        for (size, words) in [
          ("257M", ["run"]), ("5M", ["run", "keyboard.json", "--script"]),
        ] {
          // A sparse file: it needs no space on the disk, but reading it would need as much memory.
          let path = bench.folder.appending(path: "large").path
          #expect(try await bench.finish(program: "truncate", ["-s", size, path]).status == 0)
          let done = try await bench.finish(program: Bench.binary, words + [path])
          #expect(done.status == 65)
          #expect(done.errors.count == 1)
          #expect(done.errorText.contains(" bytes; the limit of a "), "\(done.errors)")
        }
        // A recording of any length is read in pieces. This one is invalid from its first line.
        let path = bench.folder.appending(path: "large").path
        #expect(try await bench.finish(program: "truncate", ["-s", "1T", path]).status == 0)
        let done = try await bench.finish(program: Bench.binary, ["replay", path])
        #expect(done.status == 65)
        #expect(done.errors.count == 1)
        #expect(
          done.errorText.contains(
            "\(path):1:1: expected a trace, found"),
          "\(done.errors)")
      }
    }

    @Test(
      "an invalid report on standard input fails (65) with its line, and those before it are sent",
      arguments: [
        ("00 00 04 00 00 00 00 00 00", "9 bytes"), ("0x", "not a byte"), ("zz", "not a byte"),
      ])
    func standardInput(line: String, word: String) async throws {
      try await Bench.run(.loopback) { bench in
        let done = try await bench.finish(
          "run", "keyboard.json", "--send", "-", "--json", "--input",
          input: "00 00 04\n# a comment\n\n\(line)\n00 00 05\n")
        #expect(done.status == 65)
        #expect(done.errorText.contains("standard input, line 4: "), "\(done.errorText)")
        #expect(done.errorText.contains(word))
        let inputs = done.output.compactMap(Event.init).filter { $0.event == "input" }
        #expect(inputs.map(\.bytes) == ["00 00 04 00 00 00 00 00"])
      }
    }

    @Test("--help lists the exit statuses, and --version prints the version")
    func statuses() async throws {
      try await Bench.run(.loopback) { bench in
        #expect(try await bench.finish("--version").output == ["0.1.0, unreleased"])
        let help = try await bench.finish("--help").output
        for status in [0, 1, 64, 65, 66, 69, 70, 71, 74, 77] {
          let line = "  \(status) "
          #expect(help.contains { $0.hasPrefix(line) }, "\(status)")
        }
      }
    }

    @Test(
      "invalid arguments are refused (64)",
      arguments: [
        ["run"], ["run", "keyboard.json", "--for", "5"],
        ["run", "keyboard.json", "--bus", "bluetooth"],
        ["run", "keyboard.json", "--send", "file"], ["set", "1", "input", "00"],
        ["get", "1", "report"], ["get", "1", "input", "256"], ["nonsense"],
        ["run", "keyboard.json", "--send", "-", "--", "true"],
        ["run", "keyboard.json", "--fidelity", "usb"], ["replay", "x.hid", "--fidelity", ""],
      ])
    func usage(words: [String]) async throws {
      try await Bench.run(.loopback) { bench in
        let done = try await bench.finish(program: Bench.binary, words)
        #expect(done.status == 64)
        #expect(done.output.isEmpty)
        #expect(!done.errors.isEmpty)
      }
    }

    @Test(
      "--bus kernel is refused (77) and names /dev/uhid where the kernel bus is unavailable",
      .enabled(if: !TestBus.kernelIsThere, "the kernel bus can be used here"))
    func noKernel() async throws {
      try await Bench.run(.loopback) { bench in
        let done = try await bench.finish("run", "keyboard.json", "--bus", "kernel")
        #expect(done.status == 77)
        #expect(done.errorText.contains("/dev/uhid"))
        #expect(done.output.isEmpty)
      }
    }
  }
}
