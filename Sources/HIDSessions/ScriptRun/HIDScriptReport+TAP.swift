// SPDX-License-Identifier: Apache-2.0

import HIDSimulator
import HIDText

extension HIDScriptReport {
  /// The report as lines of the Test Anything Protocol, version 13, which harnesses such as `prove`
  /// read.
  public var tap: String { Self.tap(of: [self], naming: { $1.name }) }

  /// Formats the reports of several scripts as one TAP output; each title has the script's name.
  public static func tap(of reports: [HIDScriptReport]) -> String {
    tap(of: reports) { $1.name == $0.script ? $1.name : "\($0.script): \($1.name)" }
  }

  private static func tap(
    of reports: [HIDScriptReport], naming: (HIDScriptReport, Case) -> String
  ) -> String {
    let tests = reports.flatMap { report in report.cases.map { (report, $0) } }
    var lines = ["TAP version 13", "1..\(tests.count)"]
    for (index, (report, test)) in tests.enumerated() {
      lines += report.lines(test, "\(index + 1) - \(report.description(naming(report, test)))")
      if test.outcome.problem != nil {
        lines += report.details.split(separator: "\n").map { "# \(report.description(String($0)))" }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func lines(_ test: Case, _ title: String) -> [String] {
    if case .skipped = test.outcome { return ["ok \(title) # SKIP \(description(reasonToSkip))"] }
    guard let problem = test.outcome.problem else {
      return ["ok \(title)", "  ---", "  duration_ms: \(milliseconds(test.duration))", "  ..."]
    }
    let summary = Self.summary(of: problem.message)
    var lines = ["not ok \(title)", "  ---", "  message: \(json(summary))"]
    if summary != problem.message { lines.append("  text: \(json(problem.message))") }
    if let file = problem.file, let location = problem.location {
      lines += [
        "  at:", "    file: \(json(file))", "    line: \(location.line)",
        "    column: \(location.column)",
      ]
    }
    if case .failed(let failure) = test.outcome, !failure.instead.isEmpty {
      lines.append("  instead:")
      lines += failure.instead.map { "    - \(json(String($0.drop { $0 == " " })))" }
    }
    return lines + ["  duration_ms: \(milliseconds(test.duration))", "  ..."]
  }

  /// Formats a text as one line, with escapes so that no part of the text is a directive.
  private func description(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\", "#": result += "\\\(scalar)"
      default:
        if scalar.isControl {
          result += " "
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result
  }

  /// Formats a text as a JSON string, which is also a YAML string.
  private func json(_ text: String) -> String { JSONText.string(text).text }

  private func milliseconds(_ duration: Duration) -> String {
    String(HIDEventText.milliseconds(duration).dropLast(3))
  }
}
