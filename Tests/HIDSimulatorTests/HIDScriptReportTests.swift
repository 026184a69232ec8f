// SPDX-License-Identifier: Apache-2.0

import Foundation
#if canImport(FoundationXML)
  import FoundationXML
#endif
import HIDText
import IOLoop
import Testing

@testable import HIDSessions
@testable import HIDSimulator

@Suite("Tests in scripts, and their reports", .timeLimit(.minutes(1)))
struct HIDScriptReportTests {
  private func play(_ text: String) async throws -> HIDScriptReport {
    let stage = try Stage(interface(RuntimeDescriptor.keyboard), timeline: .virtual())
    let script = try HIDScript.parse(Array(text.utf8), name: "dir/s.hidscript")
      .resolved(for: [stage.device.definition])
    var report = HIDScriptReport(of: script)
    try await stage.plugged {
      report = await HIDScriptRunner(
        script, devices: [stage.device], bus: stage.bus, log: stage.log, base: stage.base
      ).play().report
    }
    return report
  }

  private func outcomes(_ report: HIDScriptReport) -> [String] {
    report.cases.map { test in
      switch test.outcome {
      case .passed: "\(test.name) passed"
      case .failed(let failure): "\(test.name) failed at \(failure.problem.location)"
      case .stopped(let stop): "\(test.name) stopped at \(stop.location)"
      case .broken(let message): "\(test.name) \(message)"
      case .skipped: "\(test.name) skipped"
      }
    }
  }

  @Test("a test ends at the next test line, and the first failed test skips the rest of the script")
  func cases() async throws {
    let report = try await play(
      """
      test one
        wait 1500ms ; tap a
      test "number two"
        repeat 2
          expect led.capsLock on within 10s
        end
      test three
        wait 1s
      """)
    #expect(outcomes(report) == ["one passed", "number two failed at 5:5", "three skipped"])
    #expect(report.cases.map(\.duration) == [.milliseconds(1500), .seconds(10), .zero])
    #expect(report.cases.map(\.location.line) == [1, 3, 7])
    guard case .failed(let failure) = report.cases[1].outcome else { return }
    #expect(
      failure.problem.message
        == "expected led.capsLock on within 10s, and it is off, in turn 1 of 2, in test \"number two\""
    )
  }

  @Test("a script that is cancelled after its last line counts as stopped, also with --expect-all")
  func cancelledAtEnd() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.keyboard), timeline: .virtual())
    let script = try HIDScript.parse(Array("".utf8), name: "dir/s.hidscript")
      .resolved(for: [stage.device.definition])
    try await stage.plugged {
      let runner = HIDScriptRunner(
        script, devices: [stage.device], bus: stage.bus, log: stage.log, base: stage.base,
        expectsAll: true)
      let run = Task {
        while !Task.isCancelled { await Task.yield() }
        return await runner.play().report
      }
      run.cancel()
      let report = await run.value
      #expect(outcomes(report) == ["dir/s.hidscript stopped at 1:1"])
    }
  }

  @Test("a script without tests is one test, and commands before the first test are another")
  func implicit() async throws {
    #expect(outcomes(try await play("wait 1s")) == ["dir/s.hidscript passed"])
    #expect(outcomes(try await play("")) == ["dir/s.hidscript passed"])
    #expect(
      outcomes(try await play("tap a; test a; test b")) == [
        "before the first test passed", "a passed", "b passed",
      ])
    #expect(
      outcomes(try await play("expect led.capsLock on; test a")) == [
        "before the first test failed at 1:1", "a skipped",
      ])
  }

  @Test(
    "a mistake in a test line is an error with its place",
    arguments: [
      ("test", "1:5: expected the name of the test, found the end of the command; such as test"),
      ("test \"\"", "1:6: expected the name of the test, found an empty string"),
      ("test a b", "1:8: expected the end of the command, found \"b\""),
      ("repeat 2; test a; end", "1:11: a test cannot begin in a block; write test before repeat"),
    ])
  func errors(_ text: String, _ expected: String) {
    #expect { try HIDScript.parse(Array(text.utf8), name: "s") } throws: {
      "\($0)".hasPrefix("s:" + expected)
    }
  }

  /// Returns a report with one test of each outcome, whose names have characters that need escapes.
  private func hostile() throws -> HIDScriptReport {
    let script = try HIDScript.parse(
      Array("test a; test b; test c; test d; test e".utf8), name: "a<b>&\"'.hidscript")
    var report = HIDScriptReport(of: script)
    let location = HIDTextLocation(line: 7, column: 3)
    let names = ["ok # SKIP \\", "]]><x/>\u{1B}[2J", "\u{FFFE}\n\t\0", "é\u{202E}日本", "\"'"]
    let failure = HIDScriptFailure(
      problem: HIDTextProblem(file: "s", location: location, message: "<&> ]]> \u{8} \"off\""),
      instead: ["  1.000000  d]]>: \u{1} output"], hasAwaited: true)
    let outcomes: [HIDScriptReport.Outcome] = [
      .passed, .failed(failure), .stopped(HIDScriptStop(file: "s", location: location)),
      .broken("\u{0}broken\r\nnot ok"), .skipped,
    ]
    report.cases = zip(names, outcomes).map { name, outcome in
      HIDScriptReport.Case(
        name: name, file: "s", location: location, duration: .microseconds(1_000_001),
        outcome: outcome)
    }
    return report
  }

  private final class Reader: NSObject, XMLParserDelegate {
    var elements: [String] = []
    var names: [String] = []
    var text = ""

    func parser(
      _ parser: XMLParser, didStartElement element: String, namespaceURI: String?,
      qualifiedName: String?, attributes: [String: String]
    ) {
      elements.append(element)
      if element == "testcase" { names.append(attributes["name"] ?? "") }
      if element == "failure" { names.append(attributes["message"] ?? "") }
    }

    func parser(_ parser: XMLParser, foundCharacters characters: String) { text += characters }
  }

  @Test("JUnit XML is well-formed and has every test, whatever characters the names contain")
  func jUnit() throws {
    let text = try hostile().jUnit
    let parser = XMLParser(data: Data(text.utf8))
    let reader = Reader()
    parser.delegate = reader
    #expect(parser.parse(), "\(parser.parserError.map { "\($0)" } ?? "")\n\(text)")
    #expect(
      reader.elements == [
        "testsuites", "testsuite", "testcase", "testcase", "failure", "testcase", "error",
        "testcase", "error", "testcase", "skipped",
      ])
    #expect(
      reader.names == [
        "ok # SKIP \\", "]]><x/>\\u{1b}[2J", "<&> ]]> \\u{8} \"off\"", "\\u{fffe}\n\t\\u{0}",
        "é\\u{202e}日本", "\"'",
      ])
    #expect(reader.text.contains("s:7:3: <&> ]]> \\u{8} \"off\"\n  1.000000  d]]>: \\u{1} output"))
    // The message of a problem with several lines is the first line; the text has all lines.
    #expect(text.contains(#"<error message="\u{0}broken">\u{0}broken\u{d}"# + "\nnot ok</error>"))
    #expect(
      text.contains(
        #"<testsuites tests="5" failures="1" errors="2" skipped="1" time="5.000005">"#))
  }

  @Test("TAP has one line for each test, in which no name begins a directive, and details below it")
  func tap() throws {
    let lines = try hostile().tap.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.prefix(2) == ["TAP version 13", "1..5"])
    #expect(
      lines.filter { $0.hasPrefix("ok") || $0.hasPrefix("not ok") } == [
        "ok 1 - ok \\# SKIP \\\\", "not ok 2 - ]]><x/> [2J", "not ok 3 - \u{FFFE}   ",
        "not ok 4 - é 日本", "ok 5 - \"' # SKIP s:7:3 did not pass",
      ])
    #expect(lines.contains("  message: \"<&> ]]> \\u0008 \\\"off\\\"\""))
    #expect(lines.contains("    - \"1.000000  d]]>: \\u0001 output\""))
    #expect(lines.contains("    line: 7"))
    #expect(lines.contains("  message: \"\\u0000broken\""))
    #expect(lines.contains("  text: \"\\u0000broken\\r\\nnot ok\""))
    #expect(lines.filter { $0 == "  duration_ms: 1000.001" }.count == 4)
    #expect(lines.last == "")
  }

  @Test("all tests of a script that has not begun are skipped")
  func unbegun() throws {
    let script = try HIDScript.parse(Array("test a".utf8), name: "s")
    let report = HIDScriptReport(of: script)
    #expect(report.tap == "TAP version 13\n1..1\nok 1 - a # SKIP the script did not begin\n")
    #expect(report.jUnit.contains("skipped=\"1\""))
  }
}
