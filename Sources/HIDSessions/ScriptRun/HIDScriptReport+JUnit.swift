// SPDX-License-Identifier: Apache-2.0

import HIDText

extension HIDScriptReport {
  /// The report as JUnit XML, which CI systems read: a suite with a case for each test.
  ///
  /// Times are in seconds. A failed command, or an event of a host that met no expectation, is a
  /// `failure`. A test that did not begin is `skipped`. Any other reason why a test did not pass is
  /// an `error`.
  public var jUnit: String { Self.jUnit(of: [self]) }

  /// Formats the reports of several scripts as JUnit XML, with a suite for each.
  public static func jUnit(of reports: [HIDScriptReport]) -> String {
    var lines = [
      #"<?xml version="1.0" encoding="UTF-8"?>"#,
      "<testsuites \(figures(reports.flatMap(\.cases)))>",
    ]
    for report in reports { lines += report.suite }
    lines += ["</testsuites>", ""]
    return lines.joined(separator: "\n")
  }

  private var suite: [String] {
    ["  <testsuite name=\(attribute(script)) \(Self.figures(cases))>"] + cases.flatMap(element)
      + (details.isEmpty ? [] : ["    <system-out>\(content(details))</system-out>"])
      + ["  </testsuite>"]
  }

  private static func figures(_ cases: [Case]) -> String {
    let failures = cases.count { if case .failed = $0.outcome { true } else { false } }
    let skipped = cases.count { if case .skipped = $0.outcome { true } else { false } }
    let passed = cases.count { if case .passed = $0.outcome { true } else { false } }
    return """
      tests="\(cases.count)" failures="\(failures)" errors="\(cases.count - failures - skipped - passed)" \
      skipped="\(skipped)" time="\(seconds(cases.reduce(.zero) { $0 + $1.duration }))"
      """
  }

  private func element(_ test: Case) -> [String] {
    let head = """
          <testcase name=\(attribute(test.name)) classname=\(attribute(script)) file=\(attribute(test.file)) \
      line="\(test.location.line)" time="\(Self.seconds(test.duration))"
      """
    if let problem = test.outcome.problem {
      var tag = "error"
      if case .failed = test.outcome { tag = "failure" }
      return [
        "\(head)>",
        "      <\(tag) message=\(attribute(Self.summary(of: problem.message)))>"
          + "\(content(problem.text))</\(tag)>",
        "    </testcase>",
      ]
    }
    guard case .skipped = test.outcome else { return ["\(head)/>"] }
    return ["\(head)>", "      <skipped message=\(attribute(reasonToSkip))/>", "    </testcase>"]
  }

  /// Returns the first line of a message.
  static func summary(of message: String) -> String { String(message.prefix { !$0.isNewline }) }

  private func attribute(_ text: String) -> String { "\"\(escaped(text, lineEnd: "&#10;"))\"" }

  private func content(_ text: String) -> String { escaped(text, lineEnd: "\n") }

  private func escaped(_ text: String, lineEnd: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      // Escaped because of the "]]>" that ends a CDATA section; a `>` alone would be valid.
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n": result += lineEnd
      case "\t": result += "&#9;"
      default:
        // XML 1.0 cannot hold most of these characters, not even as a reference (section 2.2). The
        // others would change the display of the text.
        if scalar.isControl || scalar.value & 0xFFFE == 0xFFFE {
          result += scalar.escaped
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result
  }

  private static func seconds(_ duration: Duration) -> String {
    duration.wholeMicroseconds.decimalText(places: 6)
  }
}
