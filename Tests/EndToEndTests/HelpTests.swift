// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEndTests {
  @Suite("help and spellings") struct HelpTests {
    @Test(
      "an unknown command is refused (64) with the nearest name or another remedy",
      arguments: [
        ("runn", "did you mean \"run\"?"), ("mointor x", "did you mean \"monitor\"?"),
        ("help shwo", "did you mean \"show\"?"),
        ("keyboard.json", "hidsim run keyboard.json plugs a device file"),
        ("a.hidscript", "hidsim test a.hidscript plays a script"),
        ("something", "hidsim --help lists the commands"),
      ])
    func unknown(words: String, remedy: String) async throws {
      try await Bench.run(.loopback) { bench in
        let words = words.split(separator: " ").map(String.init)
        let done = try await bench.finish(program: Bench.binary, words)
        #expect(done.status == 64)
        #expect(done.output == [])
        let name = words[0] == "help" ? words[1] : words[0]
        #expect(done.errors == ["hidsim: unknown command \"\(name)\"; \(remedy)"])
      }
    }

    @Test("the options of version 0.1 work, with a message that names the new command")
    func oldSpellings() async throws {
      try await Bench.run(.loopback) { bench in
        let stream = try await bench.finish(
          "run", "--stdio", "--json", "keyboard.json",
          input: "{\"command\": \"report\", \"bytes\": \"00 00 04\", \"token\": 1}\n")
        #expect(stream.status == 0, "\(stream)")
        #expect(stream.output.contains { $0.contains("\"token\":1") }, "\(stream)")
        #expect(
          stream.errors == [
            "hidsim: hidsim run --stdio is now hidsim drive: use hidsim drive; "
              + "the next version will refuse --stdio"
          ])
        let android = try await bench.finish(
          "run", "--android", "-", input: "{\"id\": 1, \"command\": \"delay\", \"duration\": 1}\n")
        #expect(
          android.errors.first
            == "hidsim: hidsim run --android is now hidsim android play: use hidsim android play; "
            + "the next version will refuse --android")
      }
    }

    @Test("no line of any help is longer than 80 columns")
    func columns() async throws {
      try await Bench.run(.loopback) { bench in
        for (name, lines) in try await Self.pages(bench) {
          for line in lines { #expect(line.count <= 80, "\(name): \(line)") }
          #expect(lines.first?.hasPrefix("OVERVIEW: ") == true, "\(name)")
        }
      }
    }

    /// Returns the lines of `hidsim help COMMAND` for each command; `""` is the help of `hidsim`
    /// itself.
    static func pages(_ bench: Bench) async throws -> [(name: String, lines: [String])] {
      let help = try await bench.finish("--help").output
      var names: [String] = []
      for line in help.drop(while: { !$0.hasSuffix("SUBCOMMANDS:") })
      where line.wholeMatch(of: /\ \ \w+ +.+/) != nil {
        names += line.split(separator: " ").prefix(1).map(String.init)
      }
      names.removeAll { $0 == "See" }
      #expect(names.count > 25, "\(names)")
      var pages = [(name: "", lines: help)]
      for name in names + ["android play"] {
        let page = try await bench.finish(
          program: Bench.binary, ["help"] + name.split(separator: " ").map(String.init))
        #expect(page.status == 0, "\(name)")
        pages.append((name, page.output))
      }
      return pages
    }

    @Test("the page Commands matches the help of the program")
    func page() async throws {
      try await Bench.run(.loopback) { bench in
        let done = try await bench.finish(
          program: Bench.checkout("scripts/generate-commands"),
          ["--check", "--program", Bench.binary])
        #expect(done.status == 0, "\(done.errorText)")
      }
    }
  }
}
