// SPDX-License-Identifier: Apache-2.0

extension HIDReportDescriptor {
  /// Looks for what a descriptor should not have, in descriptors that Linux takes or refuses.
  ///
  /// The items are read to the end, past faults where that is possible, in time linear in the bytes.
  /// There is a finding with severity ``HIDLintFinding/Severity/error`` exactly where uhid refuses the
  /// device, and where Linux stops at it: ``HIDLintRule/multiplierStopsLinux``. After 20 findings of one
  /// rule, one more says how many are left out.
  ///
  /// - Parameter bytes: The descriptor.
  /// - Parameter rules: The rules that are not wanted.
  /// - Returns: The findings by place, those of the whole first; none for an ordinary device.
  public static func lint(
    _ bytes: [UInt8], silencing rules: Set<HIDLintRule> = []
  ) -> [HIDLintFinding] {
    var linter = HIDLinter(silencing: rules)
    linter.walk(bytes)
    return linter.findings
  }

  /// Looks for what an accepted descriptor should not have.
  ///
  /// - Parameter rules: The rules that are not wanted.
  /// - Returns: The findings of ``lint(_:silencing:)`` for the bytes of this descriptor.
  public func lint(silencing rules: Set<HIDLintRule> = []) -> [HIDLintFinding] {
    Self.lint(bytes, silencing: rules)
  }
}
