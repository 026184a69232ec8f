// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension EndToEndTests {
  @Suite("output files") struct OutputFileTests {
    private static let trace = """
      R: 21 06 00 ff 09 01 a1 01 09 02 15 00 26 ff 00 75 08 95 01 81 02 c0
      N: a
      I: 3 1209 0001
      #! hidsim trace 1
      E: 000000.000000 1 01

      """

    /// Inputs in the folder of a command: a trace, a script, and a script that it includes.
    ///
    /// Tests add links to them.
    private static let inputs = [
      "trace.hid": trace, "script.hidscript": "needs my.json\ninclude \"_more.hidscript\"\ntap a\n",
      "_more.hidscript": "tap b\n",
    ]
    /// The report descriptor of a keyboard with six keys at a time.
    private static let keys: [UInt8] = [
      0x05, 0x01, 0x09, 0x06, 0xa1, 0x01, 0x05, 0x07, 0x19, 0x00, 0x29, 0x65, 0x15, 0x00, 0x25,
      0x65, 0x75, 0x08,
      0x95, 0x06, 0x81, 0x00, 0xc0,
    ]

    /// Runs a shell in the folder with the inputs; `$hidsim` is the program.
    private func sh(_ bench: Bench, _ script: String) async throws -> Finished {
      try await bench.finish(
        program: "bash",
        ["-c", "cd \"$1\" && hidsim=$2 && \(script)", "-", bench.folder.path, Bench.binary])
    }

    private func fill(_ bench: Bench) throws {
      for (name, text) in Self.inputs { _ = try bench.file(name, text) }
      try Data(Self.keys).write(to: bench.folder.appending(path: "keys.bin"))
      let device = #"{"hidsim": 1, "name": "keys", "vendorID": "0x1209", "productID": "0x0001", "#
      _ = try bench.file(
        "my.json", device + #""interfaces": [{"reportDescriptor": {"file": "keys.bin"}}]}"# + "\n")
    }

    @Test(
      "a test report that exceeds the limit of file size leaves an empty file",
      arguments: ["junit", "tap"])
    func halfReport(form: String) async throws {
      try await Bench.run(.loopback) { bench in
        let name = String(repeating: "a", count: 200) + ".hidscript"
        _ = try bench.file(name, "needs keyboard.json\ntest \"\(name)\"\ntap a\n")
        let done = try await sh(
          bench,
          """
          for n in 1 2 3 4 5 6 7 8; do cp aaa*.hidscript b$n.hidscript; done
          ulimit -f 1; "$hidsim" test --bus loopback --\(form) report .
          """)
        #expect(done.errorText.contains("report: cannot be written: "), "\(done.errorText)")
        let path = bench.folder.appending(path: "report").path
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "")
      }
    }

    @Test(
      "an output that is also an input of the command is refused (64), by any name or link",
      arguments: [
        "run trace.hid --for 1ms --record trace.hid --force",
        "run trace.hid --for 1ms --record link --force",
        "run trace.hid --for 1ms --record ./hard --force",
        "drive trace.hid --record trace.hid --force < /dev/null",
        "run my.json --for 1ms --record my.json --force",
        "run my.json --for 1ms --record keys.bin --force",
        "run --script script.hidscript --record script.hidscript --force",
        "run --script script.hidscript --record _more.hidscript --force",
        "run --script script.hidscript --junit script.hidscript",
        "run --script script.hidscript --tap my.json",
        "run trace.hid --send - --record rest --force < rest",
        "android play trace.hid --record trace.hid --force",
        "run my.json --script script.hidscript --record my.json --force --junit new.xml",
        "replay trace.hid --record trace.hid --force",
        "replay - --record trace.hid --force < trace.hid",
        "replay - --record hard --force < link",
        "replay trace.hid --device my.json --record my.json --force",
        "clone trace.hid -o trace.hid --force", "clone link -o hard --force",
        "test script.hidscript --junit script.hidscript", "test . --tap _more.hidscript",
        "test . --junit keys.bin", "test . --junit my.json",
      ])
    func inputs(words: String) async throws {
      try await Bench.run(.loopback) { bench in
        try fill(bench)
        let done = try await sh(
          bench,
          """
          ln -s trace.hid link && ln trace.hid hard && cp trace.hid rest &&
          mkdir before && cp *.hid *.hidscript keys.bin my.json rest before &&
          "$hidsim" \(words); echo $?; cmp trace.hid hard
          for file in before/*; do cmp "$file" "${file#before/}"; done; ls -d new.xml 2> /dev/null
          """)
        #expect(done.output.suffix(1) == ["64"], "\(done.output) \(done.errorText)")
        #expect(done.errorText.contains("hidsim reads this file"), "\(done.errorText)")
      }
    }

    @Test(
      "two outputs to one file are refused (64), existing or not, and nothing is changed",
      arguments: [
        "run --script script.hidscript --junit there --record there --force",
        "run --script script.hidscript --tap link --record there --force",
        "run --script script.hidscript --junit new --record ./new",
        "run --script script.hidscript --junit dangling --record new",
        "run --script script.hidscript --junit new --tap folder/../new",
        "run --script script.hidscript --json --record there --force >> there",
        "run --script script.hidscript --record there --force 2>> there",
        "run --script script.hidscript --junit /dev/stdout | cat",
        "replay trace.hid --record there --force >> there",
        "run trace.hid --record there --force -- true >> there",
        "test . --junit there >> there", "test . --junit new --tap dangling",
        "replay trace.hid >> trace.hid", "convert trace.hid - >> trace.hid",
        "convert trace.hid there --force 2>> there",
        "stat trace.hid >> trace.hid",
      ])
    func outputs(words: String) async throws {
      try await Bench.run(.loopback) { bench in
        try fill(bench)
        let done = try await sh(
          bench,
          """
          echo mine > there && ln -s there link && ln -s new dangling && mkdir folder &&
          cp trace.hid before &&
          "$hidsim" \(words) ; echo ${PIPESTATUS[0]} >&2
          head -n 1 there; cmp trace.hid before; ls -d new 2> /dev/null
          """)
        let said = try String(
          contentsOf: bench.folder.appending(path: "there"), encoding: .utf8)
        #expect(done.output == ["mine"], "\(done.output) \(done.errorText)")
        #expect(done.errors.contains("64"), "\(done.errorText) \(said)")
        let words = done.errorText + said
        let isTold = ["name the same file", "goes to this file"].contains {
          words.contains($0)
        }
        #expect(isTold, "\(words)")
      }
    }

    @Test(
      "outputs to /dev/null and to separate files are accepted, and convert may replace its input")
    func harmless() async throws {
      try await Bench.run(.loopback) { bench in
        try fill(bench)
        let done = try await sh(
          bench,
          """
          all="--junit /dev/null --tap /dev/null --record /dev/null" &&
          "$hidsim" run --script script.hidscript $all > /dev/null &&
          all="--junit a.xml --tap a.tap --record a.hid" &&
          "$hidsim" run --script script.hidscript $all > a.log 2>&1 &&
          "$hidsim" test script.hidscript --junit a.xml --tap a.tap > a.log 2>&1 &&
          "$hidsim" convert trace.hid trace.hid --force &&
          "$hidsim" convert - trace.hid --force < trace.hid &&
          "$hidsim" convert trace.hid /dev/stdout | cmp - trace.hid &&
          "$hidsim" clone trace.hid -o /dev/stdout | head -n 1
          """)
        #expect(done.output == ["{"], "\(done.errorText)")
        #expect(done.status == 0)
      }
    }
  }
}
