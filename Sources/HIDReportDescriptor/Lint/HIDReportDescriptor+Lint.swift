// SPDX-License-Identifier: Apache-2.0

extension HIDReportDescriptor {
  /// Checks a descriptor, which Linux may accept or refuse, for faults and oddities.
  ///
  /// The items are read to the end, past faults if possible, in time linear in the bytes. Without
  /// silenced rules, there is a finding with severity ``HIDLintFinding/Severity/error`` exactly if
  /// uhid refuses the device, or if it makes Linux crash: ``HIDLintRule/multiplierStopsLinux``.
  /// After 20 findings of one rule, one more gives the number of omitted findings. A descriptor of
  /// more than 65,535 bytes has only the finding about its length.
  ///
  /// - Parameter bytes: The descriptor.
  /// - Parameter rules: The rules to silence.
  /// - Returns: The findings, sorted by offset; findings about the whole descriptor come first. An
  ///   ordinary device has none.
  public static func lint(
    _ bytes: [UInt8], silencing rules: Set<HIDLintRule> = []
  ) -> [HIDLintFinding] {
    var linter = HIDLinter(silencing: rules)
    linter.walk(bytes)
    return linter.findings
  }

  /// Checks this descriptor for faults and oddities.
  ///
  /// - Parameter rules: The rules to silence.
  /// - Returns: The findings of ``lint(_:silencing:)`` for the bytes of this descriptor.
  public func lint(silencing rules: Set<HIDLintRule> = []) -> [HIDLintFinding] {
    Self.lint(bytes, silencing: rules)
  }
}
