// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import HIDDoctor
import HIDSessions
import HIDText
import HIDTimeline

/// The results of a script's tests, and its events.
struct ScriptResult: Sendable {
  var report: HIDScriptReport
  /// The events; nil if no report shows them or has room for them, or if the script did not run.
  var timeline: JSONLine?
  /// The duration in milliseconds; nil if it is not known.
  var milliseconds: Int?
  /// The command that runs the script again; nil if it is that of the whole report.
  var again: String?

  init(report: HIDScriptReport) { self.report = report }
}

extension [HIDScriptReport] {
  /// The numbers of scripts, and of their tests by outcome:
  /// `2 scripts: 1 passed, 1 failed, 0 skipped`.
  var words: String {
    let outcomes = flatMap(\.cases).map(\.outcome.word)
    let (passed, skipped) = (outcomes.count { $0 == "passed" }, outcomes.count { $0 == "skipped" })
    return "\(count.counting("script")): \(passed) passed, "
      + "\(outcomes.count - passed - skipped) failed, \(skipped) skipped"
  }
}

extension HTMLReport {
  /// Makes the report of scripts.
  init(of results: [ScriptResult], title: String = "hidsim test") {
    self.init(title: title, summary: results.map(\.report).words)
    parts = results.map { .object($0.part) }
  }
}

extension ScriptResult {
  /// The script's part of an HTML report, as a JSON object.
  fileprivate var part: JSONLine {
    JSONLine { line in
      line.add("title", .string(report.script))
      line.add("outcome", .string(outcome))
      line.add("duration", .optional(milliseconds) { .integer($0 * 1000) })
      line.add("cases", .array(report.cases.map { .object($0.json) }))
      let text = try? String(contentsOfFile: report.script, encoding: .utf8)
      line.add("script", .optional(text) { .string($0) })
      line.add("line", .optional(failedLine) { .integer($0) })
      line.add("output", report.details.isEmpty ? .null : .string(report.details))
      line.add("again", .optional(again) { .string($0) })
      line.add("timeline", .optional(timeline) { .object($0) })
    }
  }

  private var outcome: String {
    let words = report.cases.map(\.outcome.word)
    return words.first { !["passed", "skipped"].contains($0) }
      ?? (words.contains("passed") ? "passed" : "skipped")
  }

  /// The line of the first failure in the script's own file; nil if there is none.
  private var failedLine: Int? {
    for test in report.cases {
      if let problem = test.outcome.problem, problem.file == report.script {
        return problem.location?.line
      }
    }
    return nil
  }
}

extension HIDScriptReport.Case {
  fileprivate var json: JSONLine {
    JSONLine { line in
      line.add("name", .string(name))
      line.add("outcome", .string(outcome.word))
      line.add("place", .string("\(file):\(location.line)"))
      line.add("message", .optional(outcome.problem?.text) { .string($0) })
    }
  }
}

extension HIDScriptReport.Outcome {
  fileprivate var word: String {
    switch self {
    case .passed: "passed"
    case .failed: "failed"
    case .stopped: "stopped"
    case .broken: "broken"
    case .skipped: "skipped"
    }
  }
}
