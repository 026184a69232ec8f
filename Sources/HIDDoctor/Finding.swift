// SPDX-License-Identifier: Apache-2.0

/// The result of one check, with the commands that repair a problem.
package struct Finding: Hashable, Sendable {
  /// The severity of a finding.
  package enum Severity: Int, Hashable, Sendable, Comparable {
    /// No problem.
    case fine
    /// No problem, but worth knowing.
    case note
    /// A part of hidsim may not work, or may not work for some programs.
    case warning
    /// The kernel's bus cannot be used, or its devices have no hidraw nodes.
    case problem
    /// No bus can be used, or `HIDSIM_BUS` names no bus.
    case fatal

    package static func < (first: Severity, second: Severity) -> Bool {
      first.rawValue < second.rawValue
    }

    /// The word that stands for the severity in output.
    package var word: String {
      switch self {
      case .fine: "ok"
      case .note: "note"
      case .warning: "warning"
      case .problem: "problem"
      case .fatal: "fatal"
      }
    }
  }

  /// The subject of the check: a word or two that never change.
  package let subject: String
  package let severity: Severity
  /// The result of the check.
  package let text: String
  /// The commands that repair the problem, in order.
  ///
  /// A command can end in a shell comment that says where, when or why to run it.
  package let fixes: [String]

  init(_ subject: String, _ severity: Severity, _ text: String, fixes: [String] = []) {
    self.subject = subject
    self.severity = severity
    self.text = text
    self.fixes = fixes
  }
}
