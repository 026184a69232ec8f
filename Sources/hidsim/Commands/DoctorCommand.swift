// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDDoctor
import HIDText

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Check what works on this machine, and how to fix it.",
    discussion: """
      Checks /dev/uhid, hidraw nodes, permissions, udevd, namespaces, the desktop, the kernel, and the needs of hidsim vm. \
      Changes nothing. Below each problem stand the commands that fix it.

      Exit status: 0 without a problem; 1 for a warning: less works, or for fewer programs; 2 if the kernel bus cannot be \
      used; 3 if no bus can be used.
      """)

  @Flag(help: "Print one JSON object.") var json = false

  func run() async throws {
    Output.shared.ignoreWriteErrors()
    let findings = Doctor(vmScript: VMCommand.script).findings()
    let worst = findings.map(\.severity).max() ?? .fine
    if json {
      Output.shared.print(text(of: findings, worst))
    } else {
      for finding in findings { print(finding) }
    }
    let status: Int32 =
      switch worst {
      case .fine, .note: 0
      case .warning: 1
      case .problem: 2
      case .fatal: 3
      }
    if status != 0 { throw ExitCode(status) }
  }

  private func print(_ finding: Finding) {
    let word = finding.severity.word.padded(to: 8)
    let style: TextStyle? =
      switch finding.severity {
      case .fine: .good
      case .note: nil
      case .warning: .warning
      case .problem, .fatal: .bad
      }
    Output.shared.print("\(word, style)\(finding.subject.padded(to: 16))\(finding.text)")
    for fix in finding.fixes { Output.shared.print("\("".padded(to: 24))\("$ \(fix)", .accent)") }
  }

  private func text(of findings: [Finding], _ worst: Finding.Severity) -> JSONLine {
    JSONLine { line in
      line.add("severity", .string(worst.word))
      line.add(
        "findings",
        .array(
          findings.map { finding in
            .object { line in
              line.add("subject", .string(finding.subject))
              line.add("severity", .string(finding.severity.word))
              line.add("text", .string(finding.text))
              line.add("fixes", .array(finding.fixes.map { .string($0) }))
            }
          }))
    }
  }
}

extension String {
  fileprivate func padded(to count: Int) -> String {
    self + String(repeating: " ", count: max(1, count - self.count))
  }
}
