// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDSimulator
import HIDText

/// A report descriptor that a user types, as the page shows it.
enum DescriptorJSON {
  /// Returns the bytes of a text's first report descriptor, what it describes, and the findings of
  /// lint; or the problem of a text that cannot be read.
  ///
  /// - Parameter text: The text, in any format of `HIDDescriptorFormat`.
  static func line(of text: [UInt8]) -> JSONLine {
    let found: HIDDescriptorText
    do throws(HIDTextProblem) {
      let all = try HIDDescriptorText.read(text, name: "the text")
      // A text that can be read has at least one.
      found = all[0]
    } catch {
      return JSONLine { line in
        line.add("message", .string(error.message))
        line.add("help", .optional(error.help) { .string($0) })
        addPlace(error.location, to: &line)
      }
    }
    let descriptor = try? HIDReportDescriptor(parsing: found.bytes)
    return JSONLine { line in
      line.add("bytes", .bytes(found.bytes))
      line.add("byteCount", .integer(found.bytes.count))
      line.add("kind", .optional(descriptor?.primaryUsage) { .string($0.title ?? $0.name) })
      line.add("reports", .array(descriptor.map { Array($0.reports).map(report) } ?? []))
      line.add(
        "findings",
        .array(HIDReportDescriptor.lint(found.bytes).map { .object(finding($0, in: found)) }))
    }
  }

  private static func report(_ report: HIDReportLayout) -> JSONText {
    .object { line in
      line.add("type", .string("\(report.type)"))
      line.add("report", .optional(report.id) { .integer($0.rawValue) })
      line.add("byteCount", .integer(report.byteCount))
    }
  }

  private static func finding(_ finding: HIDLintFinding, in text: HIDDescriptorText) -> JSONLine {
    JSONLine { line in
      line.add("severity", .string(finding.severity.rawValue))
      line.add("code", .string(finding.code))
      line.add("explanation", .string(finding.explanation))
      line.add("fix", .optional(finding.fix) { .string($0) })
      line.add("offset", .optional(finding.offset) { .integer($0) })
      if let location = finding.offset.flatMap({ text.location(ofByte: $0) }) {
        addPlace(location, to: &line)
      }
    }
  }

  private static func addPlace(_ location: HIDTextLocation, to line: inout JSONLine) {
    line.add("line", .integer(location.line))
    line.add("column", .integer(location.column))
  }
}
