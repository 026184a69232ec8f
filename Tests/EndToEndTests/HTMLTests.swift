// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEndTests {
  @Suite("reports in HTML") struct HTMLTests {
    /// A keyboard that sends A, and whose host lights a lamp.
    private static let trace = """
      # hid-recorder
      D: 0
      R: 65 05 01 09 06 a1 01 05 07 19 e0 29 e7 15 00 25 01 75 01 95 08 81 02 95 01 75 08 81 01 95 05 75 01 05 08 19 01 \
      29 05 91 02 95 01 75 03 91 01 95 06 75 08 15 00 26 ff 00 05 07 19 00 2a ff 00 81 00 c0
      N: </script><script>alert(1)</script>
      I: 3 1209 0001
      E: 000000.000000 8 00 00 04 00 00 00 00 00
      E: 000000.010000 8 00 00 00 00 00 00 00 00

      """

    /// Returns the data of a page, and checks that they are the only JSON in it.
    private func data(_ path: String) throws -> [String: Any] {
      let html = try String(contentsOfFile: path, encoding: .utf8)
      #expect(html.hasPrefix("<!doctype html>"))
      // Nothing is loaded from elsewhere, and no text of a device is markup.
      #expect(!html.contains("src="))
      #expect(!html.contains("<script>alert"))
      let begin = try #require(html.range(of: #"<script type="application/json" id="data">"#))
      let rest = html[begin.upperBound...]
      let end = try #require(rest.range(of: "</script>"))
      let json = try JSONSerialization.jsonObject(with: Data(rest[..<end.lowerBound].utf8))
      return try #require(json as? [String: Any])
    }

    private func events(_ part: [String: Any]) throws -> [[String: Any]] {
      let timeline = try #require(part["timeline"] as? [String: Any])
      return try #require(timeline["events"] as? [[String: Any]])
    }

    @Test("a report of tests has the failing line, the reason, the events and how to run it again")
    func test() async throws {
      try await Bench.run(.loopback) { bench in
        let script = try bench.file(
          "caps.hidscript",
          "needs keyboard.json\ntest one\ntap a\ntest two\nexpect led.capsLock on within 1ms\n")
        let page = bench.folder.appending(path: "report.html").path
        let done = try await bench.finish(
          "test", script, "--html", page, "--strict", "--timeout", "5s")
        #expect(done.status == 1)
        let report = try data(page)
        #expect(report["summary"] as? String == "1 script: 1 passed, 1 failed, 0 skipped")
        let parts = try #require(report["parts"] as? [[String: Any]])
        let part = try #require(parts.first)
        #expect(part["title"] as? String == script)
        #expect(part["outcome"] as? String == "failed")
        #expect(part["line"] as? Int == 5)
        #expect((part["script"] as? String)?.hasPrefix("needs keyboard.json\n") == true)
        #expect(part["again"] as? String == "hidsim test \(script) --timeout 5s --strict")
        let cases = try #require(part["cases"] as? [[String: Any]])
        #expect(cases.map { $0["outcome"] as? String } == ["passed", "failed"])
        let message = try #require(cases.last?["message"] as? String)
        #expect(message.contains("expected led.capsLock on within 1ms"))
        let inputs = try events(part).filter { $0["event"] as? String == "input" }
        #expect(
          inputs.map { $0["bytes"] as? String } == [
            "00 00 04 00 00 00 00 00", "00 00 00 00 00 00 00 00",
          ])
        let environment = try #require(report["environment"] as? [[String]])
        #expect(
          environment.contains([
            "Command", "hidsim test \(script) --html \(page) --strict --timeout 5s",
          ]))
      }
    }

    @Test("a page of a trace has its events, their changes and the elements of its devices")
    func stat() async throws {
      try await Bench.run(.loopback) { bench in
        let trace = try bench.file("keys.hid", Self.trace)
        let page = bench.folder.appending(path: "keys.html").path
        let done = try await bench.finish("stat", trace, "--html", page)
        #expect(done.status == 0, "\(done.errors)")
        let part = try #require((data(page)["parts"] as? [[String: Any]])?.first)
        let events = try events(part)
        #expect(events.map { $0["time"] as? Int } == [0, 10_000])
        #expect(events[0]["device"] as? String == "</script><script>alert(1)</script>")
        #expect(
          events.map { $0["changes"] as? [String: Int] } == [
            ["keyboardOrKeypad.keyboardA": 1], ["keyboardOrKeypad.keyboardA": 0],
          ])
        let timeline = try #require(part["timeline"] as? [String: Any])
        #expect((timeline["devices"] as? [Any])?.count == 1)
        #expect(timeline["after"] as? Int == 0)
      }
    }

    @Test("a page of two traces has both, and each difference names the event that shows it")
    func diff() async throws {
      try await Bench.run(.loopback) { bench in
        let first = try bench.file("first.hid", Self.trace)
        let second = try bench.file(
          "second.hid", Self.trace.replacing("00 00 04", with: "00 00 05"))
        let page = bench.folder.appending(path: "diff.html").path
        let done = try await bench.finish("diff", first, second, "--html", page)
        #expect(done.status == 1)
        let part = try #require((data(page)["parts"] as? [[String: Any]])?.first)
        #expect(
          try events(part).map { $0["side"] as? String } == ["first", "second", "first", "second"])
        let differences = try #require(part["differences"] as? [[String: Any]])
        #expect(differences.count == 1)
        #expect(differences.first?["text"] as? String == done.output.first)
        #expect(differences.first?["side"] as? String == "first")
        #expect(differences.first?["time"] as? Int == 0)
        #expect(differences.first?["line"] as? Int == 6)
      }
    }

    @Test("a page of a replay has the events of the devices and their hosts")
    func replay() async throws {
      try await Bench.run(.loopback) { bench in
        let trace = try bench.file("keys.hid", Self.trace)
        let page = bench.folder.appending(path: "replay.html").path
        let done = try await bench.finish("replay", trace, "--instant", "--html", page)
        #expect(done.status == 0, "\(done.errors)")
        let part = try #require((data(page)["parts"] as? [[String: Any]])?.first)
        #expect(part["outcome"] as? String == "passed")
        #expect(
          try events(part).map { $0["event"] as? String } == [
            "plugged", "input", "input", "unplugged",
          ])
      }
    }

    @Test(
      "Perfetto's JSON has an event and a counter for each change, on the threads of the device")
    func perfetto() async throws {
      try await Bench.run(.loopback) { bench in
        let trace = try bench.file("keys.hid", Self.trace)
        let done = try await bench.finish("convert", trace, "-", "--to", "perfetto")
        #expect(done.status == 0, "\(done.errors)")
        let json = try JSONSerialization.jsonObject(
          with: Data(done.output.joined(separator: "\n").utf8))
        let events = try #require((json as? [String: Any])?["traceEvents"] as? [[String: Any]])
        let reports = events.filter { $0["ph"] as? String == "i" }
        #expect(reports.map { $0["name"] as? String } == ["input", "input"])
        #expect(reports.map { $0["ts"] as? Int } == [0, 10_000])
        let counters = events.filter { $0["ph"] as? String == "C" }
        #expect(
          counters.map { $0["name"] as? String } == [
            "input keyboardOrKeypad.keyboardA", "input keyboardOrKeypad.keyboardA",
          ])
        #expect(counters.map { ($0["args"] as? [String: Int])?["value"] } == [1, 0])
      }
    }

    @Test("a page of a replay whose command fails says so")
    func failedReplay() async throws {
      try await Bench.run(.loopback) { bench in
        let trace = try bench.file("keys.hid", Self.trace)
        let page = bench.folder.appending(path: "replay.html").path
        let done = try await bench.finish(
          "replay", trace, "--instant", "--html", page, "--", "sh", "-c", "exit 3")
        #expect(done.status == 3)
        let part = try #require((data(page)["parts"] as? [[String: Any]])?.first)
        #expect(part["outcome"] as? String == "failed")
      }
    }

    @Test("Perfetto's JSON has a modifier that changes in a report with ErrorRollOver once")
    func rollOver() async throws {
      try await Bench.run(.loopback) { bench in
        let trace = try bench.file(
          "keys.hid",
          Self.trace + """
            E: 000000.020000 8 02 00 01 01 01 01 01 01
            E: 000000.030000 8 02 00 00 00 00 00 00 00
            E: 000000.040000 8 00 00 00 00 00 00 00 00

            """)
        let done = try await bench.finish("convert", trace, "-", "--to", "perfetto")
        #expect(done.status == 0, "\(done.errors)")
        let json = try JSONSerialization.jsonObject(
          with: Data(done.output.joined(separator: "\n").utf8))
        let events = try #require((json as? [String: Any])?["traceEvents"] as? [[String: Any]])
        let counters = events.filter { $0["ph"] as? String == "C" }
        #expect(
          counters.suffix(2).map { $0["name"] as? String } == [
            "input keyboardOrKeypad.keyboardLeftShift", "input keyboardOrKeypad.keyboardLeftShift",
          ])
        #expect(counters.map { ($0["args"] as? [String: Int])?["value"] } == [1, 0, 1, 0])
      }
    }

    /// Data of a report, as a page has them.
    private static let json =
      #"{"title":"t","summary":"s","environment":[],"parts":[{"title":"p","timeline":{"devices":"#
      + #"[{"device":"é","elements":{"elements":[{"name":"a","type":"input","report":null,"bit":0,"#
      + #""size":1,"array":false,"slots":0}]}}],"before":0,"after":0,"events":"#
      + #"[{"event":"input","time":1.5,"changes":{"a":-3}}]}}]}"#

    @Test("a page has strict JSON, also of data with comments and trailing commas")
    func strict() async throws {
      try await Bench.run(.loopback) { bench in
        let page = bench.folder.appending(path: "report.html").path
        let text =
          "// a report\n"
          + Self.json.replacing("}}]}}]}", with: "},},],},},],}")
          .replacing(#""time":1.5"#, with: #""time": 15e-1"#)
        let done = try await bench.finish("html", "-", page, input: text)
        #expect(done.status == 0, "\(done.errors)")
        let html = try String(contentsOfFile: page, encoding: .utf8)
        #expect(html.contains(#"id="data">"# + Self.json + "</script>"))
      }
    }

    @Test(
      "data that are not JSON in UTF-8, or have a key twice, are refused with the place",
      arguments: [
        ("{", "\u{FEFF}{", "1:1: the data begin with a byte order mark; write UTF-8 without one"),
        (#""title":"t","#, #""title":"t","title":"u","#, #"1:14: the key "title" appears twice"#),
        (#""summary":"s""#, ##""summary":"\ud800""##, "1:25: the escape is half of a surrogate"),
        (#""parts":["#, #""parts":[1e999,"#, #"1:54: the number "1e999" is out of range"#),
      ])
    func wrong(old: String, new: String, message: String) async throws {
      try await Bench.run(.loopback) { bench in
        let page = bench.folder.appending(path: "report.html").path
        let text = Self.json.replacing(old, with: new, maxReplacements: 1)
        let done = try await bench.finish("html", "-", page, input: text)
        #expect(done.status == 65)
        #expect(done.errorText.contains("standard input:\(message)"), "\(done.errors)")
        #expect(!FileManager.default.fileExists(atPath: page))
      }
    }

    @Test(
      "an element without a key that the page needs is refused",
      arguments: [
        (#""report":null,"#, "", #" has no key "report""#),
        (#""array":false,"#, "", #" has no key "array""#),
        (#","slots":0"#, "", #" has no key "slots""#),
        (#""report":null"#, #""report":"1""#, ".report: expected a number"),
        (#""array":false"#, #""array":0"#, ".array: expected true or false"),
      ])
    func element(old: String, new: String, message: String) async throws {
      try await Bench.run(.loopback) { bench in
        let page = bench.folder.appending(path: "report.html").path
        let text = Self.json.replacing(old, with: new)
        let done = try await bench.finish("html", "-", page, input: text)
        #expect(done.status == 65)
        let place = "standard input: parts[0].timeline.devices[0].elements.elements[0]"
        #expect(done.errorText.contains(place + message), "\(done.errors)")
        #expect(!FileManager.default.fileExists(atPath: page))
      }
    }

    @Test(
      "data in UTF-16 are refused",
      arguments: [
        (String.Encoding.utf16, "1:1: the data begin with a byte order mark"),
        (
          String.Encoding.utf16LittleEndian,
          "1:2: expected a key in double quotes or \"}\", found the byte 0x00"
        ),
      ])
    func utf16(encoding: String.Encoding, message: String) async throws {
      try await Bench.run(.loopback) { bench in
        let data = bench.folder.appending(path: "data.json")
        try #require(Self.json.data(using: encoding)).write(to: data)
        let page = bench.folder.appending(path: "report.html").path
        let done = try await bench.finish("html", data.path, page)
        #expect(done.status == 65)
        #expect(done.errorText.contains("\(data.path):\(message)"), "\(done.errors)")
      }
    }

    @Test(
      "a page is a file that is no input and no other output",
      arguments: [
        (["stat", "keys.hid", "--html", "-"], 64, "--html excludes -, standard output"),
        (["stat", "keys.hid", "--html", "keys.hid"], 64, "hidsim reads this file"),
        (["run", "keyboard.json", "--html", "x.html"], 64, "--html needs --script"),
        (
          ["stat", "keys.hid", "--html", "/nowhere/x.html"], 74,
          "/nowhere/x.html: cannot be written"
        ),
        (
          ["replay", "keys.hid", "--onto", "x", "--html", "x.html"], 64,
          "--onto excludes --html"
        ),
      ])
    func refused(words: [String], status: Int32, message: String) async throws {
      try await Bench.run(.loopback) { bench in
        let trace = try bench.file("keys.hid", Self.trace)
        let done = try await bench.finish(
          program: Bench.binary, words.map { $0 == "keys.hid" ? trace : $0 })
        #expect(done.status == status)
        #expect(done.errors.contains { $0.contains(message) }, "\(done.errors)")
        #expect(try String(contentsOfFile: trace, encoding: .utf8) == Self.trace)
      }
    }
  }
}
