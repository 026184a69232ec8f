// SPDX-License-Identifier: Apache-2.0

import HIDText

extension HIDScriptReport {
  /// The report as lines of the Test Anything Protocol, version 14, which harnesses such as `prove` read.
  public var tap: String {
    var lines = ["TAP version 14", "1..\(cases.count)"]
    for (index, test) in cases.enumerated() {
      let title = "\(index + 1) - \(description(test.name))"
      if let problem = test.outcome.problem {
        lines.append("not ok \(title)")
        lines += ["  ---", "  message: \(json(problem.message))"]
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
        lines += ["  duration_ms: \(milliseconds(test.duration))", "  ..."]
      } else if case .skipped = test.outcome {
        lines.append("ok \(title) # SKIP \(description(reasonToSkip))")
      } else {
        lines += ["ok \(title)", "  ---", "  duration_ms: \(milliseconds(test.duration))", "  ..."]
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A text on one line in which nothing begins a directive.
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

  /// A text as a string of JSON, which is one of YAML.
  private func json(_ text: String) -> String { JSONText.string(text).text }

  private func milliseconds(_ duration: Duration) -> String {
    String(HIDEventText.milliseconds(duration).dropLast(3))
  }
}
