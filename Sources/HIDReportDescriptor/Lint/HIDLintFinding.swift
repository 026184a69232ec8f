// SPDX-License-Identifier: Apache-2.0

/// A problem or an unusual part of a descriptor.
public struct HIDLintFinding: Hashable, Sendable {
  /// The severity of a finding.
  public enum Severity: String, Hashable, Sendable, CaseIterable {
    /// The device works, but the descriptor is unusual, or a host may ignore or misread a part.
    case note
    /// The device starts on Linux, but part of it cannot work; or another host refuses or misreads
    /// the descriptor.
    case warning
    /// Linux refuses the device, on every bus unless the rule names uhid; or the kernel crashes.
    case error
  }

  /// The rule that was broken, with its severity, hosts and background.
  public let rule: HIDLintRule
  /// The position of the item at fault, in bytes from the start of the descriptor.
  ///
  /// `nil` if the finding is about the whole descriptor.
  public let offset: Int?
  /// The fault and its consequence.
  public let explanation: String
  /// The correction, in one sentence; `nil` if it depends on the author's intention.
  ///
  /// It is also `nil` for a finding that only gives the number of further findings of its rule.
  public let fix: String?

  init(rule: HIDLintRule, offset: Int?, explanation: String, fix: String?) {
    self.rule = rule
    self.offset = offset
    self.explanation = explanation
    self.fix = fix
  }

  /// Makes a finding that is not about an item.
  package init(_ rule: HIDLintRule, _ explanation: String, fix: String?) {
    self.init(rule: rule, offset: nil, explanation: explanation, fix: fix)
  }

  /// A short, stable name to look up or to silence the rule: `report-over-uhid`.
  public var code: String { rule.code }
  /// The severity of the rule.
  public var severity: Severity { rule.severity }
  /// The hosts that refuse or misread the descriptor.
  public var hosts: [HIDLintHost] { rule.hosts }
}

extension HIDLintFinding: CustomStringConvertible {
  /// The severity, position, explanation and code on one line, without the fix.
  public var description: String {
    "\(severity): \(offset.map { "byte \($0): " } ?? "")\(explanation) [\(code)]"
  }
}

extension HIDLintFinding.Severity: Comparable {
  /// Returns whether a severity is less than another, in the order note, warning, error.
  public static func < (left: Self, right: Self) -> Bool { left.order < right.order }

  private var order: Int {
    switch self {
    case .note: 0
    case .warning: 1
    case .error: 2
    }
  }
}
