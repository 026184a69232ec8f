// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A rule about the options and arguments of a command: one of them excludes others, or needs one.
///
/// Every command checks its rules with ``check(_:)``, so that all refusals have one form: the two
/// options, the reason, and the remedy.
struct OptionRule {
  /// The message of the refusal; nil if the command line follows the rule.
  private let refusal: String?

  /// Makes a rule that refuses an option together with one of several others.
  ///
  /// - Parameters:
  ///   - name: The option as the user writes it, or the name of an argument.
  ///   - isGiven: True if the option is given.
  ///   - others: The other options, each with true if it is given.
  ///   - reason: The reason of the conflict, as a clause.
  ///   - remedy: The remedy for the user.
  static func excludes(
    _ name: String, _ isGiven: Bool, _ others: KeyValuePairs<String, Bool>, because reason: String,
    remedy: String = "leave one of them out"
  ) -> OptionRule {
    guard isGiven, let other = others.first(where: \.value)?.key else {
      return OptionRule(refusal: nil)
    }
    return OptionRule(refusal: "\(name) excludes \(other): \(reason); \(remedy)")
  }

  /// The reason of the conflict if two files are standard input.
  static let oneStandardInput = "standard input can be read only once"

  /// Makes a rule that refuses an option if another option that it needs is missing.
  ///
  /// - Parameters:
  ///   - name: The option as the user writes it, or the name of an argument.
  ///   - isGiven: True if the option is given.
  ///   - other: The option that `name` needs.
  ///   - hasOther: True if `other` is given.
  ///   - reason: The reason why the option has no effect without `other`, as a clause.
  static func needs(
    _ name: String, _ isGiven: Bool, _ other: String, _ hasOther: Bool, because reason: String
  ) -> OptionRule {
    guard isGiven, !hasOther else { return OptionRule(refusal: nil) }
    return OptionRule(
      refusal: "\(name) needs \(other): \(reason); add \(other), or leave \(name) out")
  }

  /// Makes a rule that refuses words after `--`.
  ///
  /// - Parameters:
  ///   - name: The command of hidsim.
  ///   - reason: The reason why the command starts no program, as a clause.
  static func excludesCommand(_ name: String, because reason: String) -> OptionRule {
    .excludes(
      name, true, ["a command after --": Passthrough.words != nil], because: reason,
      remedy: "start the command in another terminal, or use hidsim run")
  }

  /// Refuses a command line that breaks a rule.
  ///
  /// - Throws: A `ValidationError` about the first rule that is broken. The exit status is 64.
  static func check(_ rules: OptionRule...) throws {
    for rule in rules {
      if let refusal = rule.refusal { throw ValidationError(refusal) }
    }
  }
}
