// SPDX-License-Identifier: Apache-2.0

/// A rule that report descriptors should follow, and its reason.
///
/// ``all`` lists the rules. A rule's code is the same in all versions; two rules with the same code
/// are equal.
public struct HIDLintRule: Sendable {
  /// The short name: lower-case words with hyphens.
  public let code: String
  /// The severity of breaking the rule.
  public let severity: HIDLintFinding.Severity
  /// The hosts that refuse or misread a descriptor that breaks the rule; at least one.
  public let hosts: [HIDLintHost]
  /// The content that breaks the rule, in a few words.
  public let title: String
  /// The reason for the rule, with the section of HID 1.11 or another source.
  public let explanation: String

  init(
    _ code: String, _ severity: HIDLintFinding.Severity, _ hosts: [HIDLintHost], _ title: String,
    _ explanation: String
  ) {
    self.code = code
    self.severity = severity
    self.hosts = hosts
    self.title = title
    self.explanation = explanation
  }

  /// All rules: first the rules that Linux enforces, then rules about structure, fields and usages,
  /// and about the settings of a USB device in a device file.
  public static let all: [HIDLintRule] = refusals + structure + fields + usages + usb

  /// Finds a rule by its code.
  ///
  /// - Parameter code: The code, as in ``code``.
  /// - Returns: The rule, or `nil` if there is none.
  public init?(code: String) {
    guard let rule = Self.all.first(where: { $0.code == code }) else { return nil }
    self = rule
  }
}

extension HIDLintRule: Hashable, CustomStringConvertible {
  /// Returns whether the codes are equal.
  public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }

  /// The same as ``code``.
  public var description: String { code }
}
