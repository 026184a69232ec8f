// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEndTests {
  @Suite("diff, stat and convert") struct TraceCommandTests {
    /// A mouse: three buttons, x and y.
    private static let header = """
      R: 45 05 01 09 02 a1 01 05 09 19 01 29 03 15 00 25 01 95 03 75 01 81 02 95 01 75 05 81 01 05 01 09 30 09 31 \
      15 81 25 7f 75 08 95 02 81 06 c0
      N: mouse
      I: 3 1209 0001

      """
    private static let events = [
      "E: 000000.000000 3 00 01 02", "E: 000000.008000 3 01 00 00",
      "E: 000000.016000 3 01 05 ff", "E: 000000.024000 3 00 00 00",
    ]
    private static let whole = header + events.joined(separator: "\n") + "\n"

    private func files(_ bench: Bench) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: bench.folder.path)
        .filter { $0 != "bus" }.sorted()
    }

    @Test("diff prints each difference with its time and device, and is status 1 if there is one")
    func diff() async throws {
      try await Bench.run(.loopback) { bench in
        let first = try bench.file("first.hid", Self.whole)
        let late = Self.whole.replacing("000000.024", with: "000000.424")
        let second = try bench.file("second.hid", late)
        var done = try await bench.finish("diff", first, second)
        #expect(done.status == 0 && done.output.isEmpty, "\(done.errors)")
        #expect(done.errors == ["no difference in 4 events"])
        done = try await bench.finish("diff", first, second, "--times", "5ms")
        #expect(done.status == 1)
        #expect(
          done.output == [
            "~ 0.024000  mouse: input 00 00 00  time 0.024000 -> 0.424000"
          ])
        let third = try bench.file(
          "third.hid",
          Self.header.replacing("N: mouse", with: "N: rat")
            + [Self.events[0], Self.events[1].replacing("01 00", with: "02 00"), Self.events[3]]
            .joined(separator: "\n") + "\nE: 000000.030000 3 04 00 00\n")
        done = try await bench.finish("diff", first, third)
        #expect(done.status == 1)
        #expect(
          done.output == [
            "~ mouse: name mouse -> rat",
            "~ 0.008000  mouse: input 01 00 00 -> input 02 00 00  button 1 on -> off, button 2 off -> on",
            "- 0.016000  mouse: input 01 05 ff  genericDesktop.x 5, genericDesktop.y -1",
            "+ 0.030000  rat: input 04 00 00  button 3 on",
          ])
        #expect(
          done.errors == [
            "4 differences: 1 missing, 1 added, 1 changed, 1 about devices; 2 events the same"
          ])
      }
    }

    @Test("diff --json prints one object per line, the last with the counts")
    func diffJSON() async throws {
      try await Bench.run(.loopback) { bench in
        let first = try bench.file("first.hid", Self.whole)
        let second = try bench.file(
          "second.hid", Self.whole.replacing("01 05 ff", with: "01 07 ff"))
        let done = try await bench.finish("diff", first, second, "--json")
        #expect(done.status == 1 && done.errors.isEmpty)
        #expect(
          done.output == [
            #"{"event":"difference","change":"changed","device":"mouse","subject":"event","kind":"input","#
              + #""first":{"time":16000,"line":6,"type":"input","bytes":"01 05 ff"},"#
              + #""second":{"time":16000,"line":6,"type":"input","bytes":"01 07 ff"},"#
              + #""differs":{},"changes":{"genericDesktop.x":[5,7]},"more":0}"#,
            #"{"event":"diff","differences":1,"missing":0,"added":0,"changed":1,"devices":0,"same":3,"notCompared":0}"#,
          ])
      }
    }

    @Test(
      "--ignore leaves out differences, and diff prints a hundred of them unless --all is given")
    func diffOptions() async throws {
      try await Bench.run(.loopback) { bench in
        let first = try bench.file("first.hid", Self.whole)
        let second = try bench.file(
          "second.hid", Self.whole.replacing("01 05 ff", with: "01 07 ff"))
        for what in ["genericDesktop.x", "input bytes 1-2", "input byte 1", "input"] {
          #expect(try await bench.finish("diff", first, second, "--ignore", what).status == 0)
        }
        #expect(try await bench.finish("diff", first, second, "--ignore", "button 1").status == 1)
        let none = try bench.file("none.hid", Self.header)
        let many = try bench.file(
          "many.hid",
          Self.header + (0..<250).map { "E: 000000.\(100_000 + $0) 3 00 01 02\n" }.joined())
        let done = try await bench.finish("diff", none, many)
        #expect(done.status == 1 && done.output.count == 100)
        #expect(
          done.errors == [
            "250 differences: 0 missing, 250 added, 0 changed, 0 about devices; 0 events the same; "
              + "the first 100 are printed, --all prints them all"
          ])
        #expect(try await bench.finish("diff", none, many, "--all").output.count == 250)
      }
    }

    @Test("diff, stat and convert read a trace from standard input")
    func standardInput() async throws {
      try await Bench.run(.loopback) { bench in
        let first = try bench.file("first.hid", Self.whole)
        #expect(try await bench.finish("diff", first, "-", input: Self.whole).status == 0)
        let stat = try await bench.finish("stat", "-", input: Self.whole)
        #expect(stat.status == 0)
        #expect(stat.output.last == "hid-recorder's text: 1 device, 4 events in 0.024000 s")
        let out = bench.folder.appending(path: "out.hid").path
        let convert = try await bench.finish("convert", "-", out, input: Self.whole)
        #expect(convert.status == 0)
        #expect(try await bench.finish("diff", first, out, "--times", "0s").status == 0)
      }
    }

    @Test("a trace that cannot be read, or a wrong option, is an error with a status above 1")
    func trouble() async throws {
      try await Bench.run(.loopback) { bench in
        let good = try bench.file("good.hid", Self.whole)
        let empty = try bench.file("empty.hid", "")
        let bad = try bench.file("bad.hid", Self.header + "E: 000000.000000 9 00 01 02\n")
        let zipped = bench.folder.appending(path: "zipped.hid.gz").path
        try Data([0x1F, 0x8B, 8, 0]).write(to: URL(filePath: zipped))
        let table: [(words: [String], status: Int32, told: String)] = [
          (["diff", good, "nowhere/x.hid"], 66, "nowhere/x.hid: there is no such file"),
          (["diff", "no-such.hid", good], 66, "none of this name in the library"),
          (
            ["stat", bench.folder.path], 66, "this is a folder; expected a regular file: a trace"
          ),
          (
            ["stat", "/dev/zero"], 66, "this is a device node; expected a regular file: a trace"
          ),
          (["stat", empty], 65, "empty.hid: this is empty; a trace was expected"),
          (["stat", zipped], 65, "compressed with gzip; unpack it first: gunzip -k"),
          (["diff", good, bad], 65, "bad.hid:4:"),
          (
            ["convert", "keyboard.json", "-"], 65, "this is a device file, and a trace was expected"
          ),
          (
            ["diff", good, good, "--ignore", "genericDesktop.wheel"], 64,
            "no device that is in both traces"
          ),
          (["diff", good, good, "--ignore", "input 999"], 64, "is not a report ID"),
          (
            ["diff", "-", "-"], 64,
            "- as the first trace excludes - as the second: standard input can be read only once"
          ),
          (["convert", good, "-", "--device", "2"], 66, "there is no device 2; there are:"),
        ]
        for (words, status, told) in table {
          let done = try await bench.finish(program: Bench.binary, words)
          #expect(done.status == status, "\(words)")
          #expect(done.errorText.contains(told), "\(words): \(done.errors)")
          #expect(!done.output.contains { $0.hasPrefix("~") }, "\(words)")
        }
      }
    }

    @Test("a --descriptor that no device needs is refused with the list of devices (64)")
    func uselessDescriptor() async throws {
      try await Bench.run(.loopback) { bench in
        let trace = try bench.file("a.hid", Self.whole)
        let other = try bench.file("other.hex", "06 00 ff 09 01 a1 01 c0")
        for words in [
          ["stat", trace], ["convert", trace, "-"], ["diff", trace, trace], ["replay", trace],
        ] {
          let done = try await bench.finish(
            program: Bench.binary, words + ["--descriptor", other])
          #expect(done.status == 64, "\(words)")
          #expect(
            done.errorText.contains("--descriptor: no device needs a report descriptor of 8 bytes"))
          #expect(done.errorText.contains("\n  1  \"mouse\", report descriptor of 45 bytes"))
        }
        // One descriptor is enough for a device of each trace, and a second one is too many.
        let mouse = try bench.file(
          "mouse.hex",
          """
          05 01 09 02 a1 01 05 09 19 01 29 03 15 00 25 01 95 03 75 01 81 02 95 01 75 05 81 01 05 01
          09 30 09 31 15 81 25 7f 75 08 95 02 81 06 c0
          """)
        let words = ["diff", trace, trace, "--descriptor", mouse]
        var done = try await bench.finish(program: Bench.binary, words)
        #expect(done.status == 0, "\(done.errors)")
        done = try await bench.finish(program: Bench.binary, words + ["--descriptor", mouse])
        #expect(done.status == 64)
        #expect(
          done.errorText.contains("--descriptor: no device needs a report descriptor of 45 bytes"))
      }
    }

    @Test("--force without a file to overwrite is refused (64)")
    func useless() async throws {
      try await Bench.run(.loopback) { bench in
        let trace = try bench.file("a.hid", Self.whole)
        for words in [
          ["convert", trace, "-"], ["record", "x"], ["proxy", "x"], ["record", "x", "-o", "-"],
        ] {
          let done = try await bench.finish(program: Bench.binary, words + ["--force"])
          #expect(done.status == 64, "\(words)")
          #expect(done.errorText.contains("--force overwrites "), "\(done.errorText)")
        }
      }
    }

    @Test("convert writes a file only when it is whole, and overwrites one only with --force")
    func convert() async throws {
      try await Bench.run(.loopback) { bench in
        let input = try bench.file("in.hid", Self.whole)
        let bad = try bench.file("bad.hid", Self.whole + "E: 000000.100000 9 00 01 02\n")
        let out = bench.folder.appending(path: "out.hid").path
        var done = try await bench.finish("convert", bad, out)
        #expect(done.status == 65)
        #expect(try files(bench) == ["bad.hid", "in.hid"])
        done = try await bench.finish("convert", input, out)
        #expect(done.status == 0 && done.output.isEmpty)
        #expect(
          done.errors == [
            "\(out): hid-recorder's text, 1 device, from 4 events of hid-recorder's text"
          ])
        #expect(try files(bench) == ["bad.hid", "in.hid", "out.hid"])
        let written = try String(contentsOfFile: out, encoding: .utf8)
        #expect(written == Self.whole)
        _ = try bench.file("out.hid", "mine")
        done = try await bench.finish("convert", input, out)
        #expect(done.status == 64)
        #expect(done.errors == ["hidsim: \(out): the file exists; add --force to overwrite it"])
        #expect(try String(contentsOfFile: out, encoding: .utf8) == "mine")
        #expect(try await bench.finish("convert", bad, out, "--force").status == 65)
        #expect(try String(contentsOfFile: out, encoding: .utf8) == "mine")
        #expect(try await bench.finish("convert", input, out, "--force").status == 0)
        #expect(try String(contentsOfFile: out, encoding: .utf8) == written)
        #expect(try files(bench) == ["bad.hid", "in.hid", "out.hid"])
        done = try await bench.finish("convert", out, out, "--force")
        #expect(done.status == 0)
        #expect(try String(contentsOfFile: out, encoding: .utf8) == written)
        #expect(
          try await bench.finish("convert", input, "-").output
            == written.split(separator: "\n").map(String.init))
        #expect(try await bench.finish("convert", input, "/dev/full").status == 74)
        #expect(try await bench.finish("convert", input, "/nowhere/x.hid").status == 74)
        #expect(try await bench.finish("convert", input, bench.folder.path).status == 74)
      }
    }

    @Test("convert lists the events that the format cannot hold, with their counts")
    func convertLeavesOut() async throws {
      try await Bench.run(.loopback) { bench in
        let text =
          "#! hidsim trace 1\n" + Self.whole
          + "#! output 000001.000000 1 02\n#! open 000001.100000\n"
        let out = bench.folder.appending(path: "out.json").path
        let done = try await bench.finish("convert", bench.file("in.hid", text), out)
        #expect(done.status == 0)
        #expect(
          done.errors == [
            "left out: open and close events (1), output reports (1)",
            "\(out): commands of Android's hid program, 1 device, from 6 events of hid-recorder's text",
          ])
      }
    }

    @Test(
      "convert refuses names of formats that it cannot write, and names the format that it wrote")
    func convertNames() async throws {
      try await Bench.run(.loopback) { bench in
        let input = try bench.file("in.hid", Self.whole)
        for (end, title) in [
          ("pcapng", "a capture of USB packets"), ("PCAP", "a capture of USB packets"),
          ("yml", "a recording of libinput"), ("yaml", "a recording of libinput"),
          ("umockdev", "a recording of umockdev"), ("ioctl", "a recording of umockdev"),
        ] {
          let out = bench.folder.appending(path: "out.\(end)").path
          let done = try await bench.finish("convert", input, out)
          #expect(done.status == 64)
          #expect(
            done.errors == [
              "hidsim: \(out): the name means \(title), which hidsim reads, but does not write; it writes "
                + "hid-recorder's text (.hid) and commands of Android's hid program (.json): choose one with --to"
            ])
        }
        #expect(try files(bench) == ["in.hid"])
        let odd = bench.folder.appending(path: "out.odd").path
        let done = try await bench.finish("convert", input, odd)
        #expect(done.status == 0)
        #expect(done.errors.last?.hasPrefix("\(odd): hid-recorder's text, ") == true)
        #expect(try String(contentsOfFile: odd, encoding: .utf8) == Self.whole)
        let asked = bench.folder.appending(path: "out.yml").path
        #expect(try await bench.finish("convert", input, asked, "--to", "recorder").status == 0)
        #expect(try String(contentsOfFile: asked, encoding: .utf8) == Self.whole)
      }
    }

    @Test("convert --device converts only the chosen device")
    func devices() async throws {
      try await Bench.run(.loopback) { bench in
        let done = try await bench.finish(
          "convert", "\(Bench.fixtures)/two-devices.hid", "-", "--device", "2")
        #expect(done.status == 0)
        #expect(done.output.filter { $0.hasPrefix("N: ") } == ["N: End-to-end two"])
        #expect(done.output.filter { $0.hasPrefix("E: ") }.count == 3)
        #expect(!done.output.contains { $0.hasPrefix("D: ") })
      }
    }

    @Test("stat prints the reports, intervals and values of each device")
    func stat() async throws {
      try await Bench.run(.loopback) { bench in
        let file = try bench.file("mouse.hid", Self.whole)
        let done = try await bench.finish("stat", file)
        #expect(done.status == 0 && done.errors.isEmpty)
        #expect(
          done.output == [
            "mouse (0003:1209:0001)", "  0.000000 to 0.024000 s: 4 input",
            "  input: 4 reports of 3 bytes",
            "  every 8.000 ms (median): 8.000 ms to 8.000 ms, mean 8.000 ms, 99 % up to 8.000 ms; 125.0 a second",
            "    off by 0 us to 10 us      ######################################## 3",
            "  button 1: 0...1, 2 changes", "  genericDesktop.x: 1...5, 2 changes",
            "  genericDesktop.y: -1...2, 2 changes", "  2 controls never moved",
            "hid-recorder's text: 1 device, 4 events in 0.024000 s",
          ])
        let json = try await bench.finish("stat", file, "--json")
        let objects = try json.output.map {
          try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(objects.map { $0["event"] as? String } == ["device", "stat"])
        #expect((objects[0]["intervals"] as? [String: Any])?["median"] as? Int == 8000)
        #expect((objects[0]["moved"] as? [String: Any])?.count == 3)
        #expect(objects[1]["events"] as? Int == 4 && objects[1]["format"] as? String == "recorder")
      }
    }

    @Test("convert --redact replaces typed keys, and notes the redaction in the file")
    func redacted() async throws {
      try await Bench.run(.loopback) { bench in
        let hex = "05 01 09 06 a1 01 05 07 19 00 29 65 15 00 25 65 75 08 95 01 81 00 c0"
        let file = try bench.file(
          "typed.hid",
          "R: 23 \(hex)\nI: 3 1209 0001\n#! hidsim trace 1\n#! serial S-1\nE: 000000.000000 1 1f\nE: 000000.100000 1 00\n"
        )
        let done = try await bench.finish("convert", file, "-", "--redact")
        #expect(done.status == 0, "\(done.errorText)")
        #expect(
          done.output == [
            "# redacted by hidsim", "R: 23 \(hex)", "I: 3 1209 0001", "E: 000000.000000 1 04",
            "E: 000000.100000 1 00",
          ])
      }
    }
  }
}
