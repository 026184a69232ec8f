// SPDX-License-Identifier: Apache-2.0

/// Something about a descriptor that a person should know.
public struct HIDLintFinding: Hashable, Sendable {
  /// How bad it is.
  public enum Severity: String, Hashable, Sendable, CaseIterable {
    /// Merely odd.
    case note
    /// The device starts on Linux, but part of it cannot work, or another host refuses or misreads it.
    case warning
    /// Linux refuses the device, over uhid and unless the rule says so on every bus; or stops at it.
    case error
  }

  /// What was broken, with its severity, hosts and background.
  public let rule: HIDLintRule
  /// Where, in bytes from the start of the descriptor; `nil` for the whole.
  ///
  /// It is the first byte of the item at fault.
  public let offset: Int?
  /// What was found, and what follows from it.
  public let explanation: String
  /// What to do about it, in one sentence; `nil` where that depends on what was meant.
  public let fix: String?

  /// A short name that stays the same, to look up or to silence: `report-over-uhid`.
  public var code: String { rule.code }
  /// How bad it is.
  public var severity: Severity { rule.severity }
  /// Who minds.
  public var hosts: [HIDLintHost] { rule.hosts }
}

extension HIDLintFinding: CustomStringConvertible {
  /// Severity, place, explanation and code on one line, without the fix.
  public var description: String {
    "\(severity): \(offset.map { "byte \($0): " } ?? "")\(explanation) [\(code)]"
  }
}

extension HIDLintFinding.Severity: Comparable {
  /// The order of the cases: note, warning, error.
  public static func < (left: Self, right: Self) -> Bool { left.order < right.order }

  private var order: Int {
    switch self {
    case .note: 0
    case .warning: 1
    case .error: 2
    }
  }
}
