// SPDX-License-Identifier: Apache-2.0

/// One thing that was looked at, and what is to be done about it.
package struct Finding: Hashable, Sendable {
  /// How much is in the way.
  package enum Severity: Int, Hashable, Sendable, Comparable {
    /// Nothing.
    case fine
    /// Nothing, and worth knowing.
    case note
    /// Something works less well, or for fewer programs.
    case warning
    /// The kernel's bus cannot be used.
    case problem
    /// Nothing works.
    case fatal

    package static func < (first: Severity, second: Severity) -> Bool {
      first.rawValue < second.rawValue
    }

    /// The word for it.
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

  /// What was looked at: a word or two that stay the same.
  package let subject: String
  package let severity: Severity
  /// What was found.
  package let text: String
  /// The commands that would mend it, in order; where there are several ways, each says of which.
  package let fixes: [String]

  init(_ subject: String, _ severity: Severity, _ text: String, fixes: [String] = []) {
    self.subject = subject
    self.severity = severity
    self.text = text
    self.fixes = fixes
  }
}
