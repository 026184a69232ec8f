// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A rule about the options and arguments of a command: one of them excludes others, or needs one.
///
/// Every command checks its rules by ``check(_:)``, so that all refusals have one form: what
/// contradicts what, why, and what to do.
struct OptionRule {
  /// The message of the refusal; nil if the command line keeps the rule.
  private let refusal: String?

  /// Makes a rule that refuses an option together with one of several others.
  ///
  /// - Parameters:
  ///   - name: The option as the user writes it, or what an argument is called.
  ///   - isGiven: Whether the option is given.
  ///   - others: The others, each with whether it is given.
  ///   - reason: Why they do not go together, as a clause.
  ///   - remedy: What to do.
  static func excludes(
    _ name: String, _ isGiven: Bool, _ others: KeyValuePairs<String, Bool>, because reason: String,
    remedy: String = "leave one of them out"
  ) -> OptionRule {
    guard isGiven, let other = others.first(where: \.value)?.key else {
      return OptionRule(refusal: nil)
    }
    return OptionRule(refusal: "\(name) excludes \(other): \(reason); \(remedy)")
  }

  /// Why standard input cannot be two files.
  static let oneStandardInput = "standard input can be read only once"

  /// Makes a rule that refuses an option without another.
  ///
  /// - Parameters:
  ///   - name: The option as the user writes it, or what an argument is called.
  ///   - isGiven: Whether the option is given.
  ///   - other: What the option needs.
  ///   - hasOther: Whether that is given.
  ///   - reason: Why the option does nothing without it, as a clause.
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
  ///   - reason: Why it starts no program, as a clause.
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
