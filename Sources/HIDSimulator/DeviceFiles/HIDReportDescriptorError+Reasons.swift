// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

extension HIDReportDescriptorError {
  /// A reason to refuse a descriptor.
  struct Reason {
    /// The offset in bytes from the start of the descriptor; `nil` for the whole descriptor.
    let offset: Int?
    /// The rule that is broken; `nil` where lint finds none.
    let rule: HIDLintRule?
    let explanation: String
    let fix: String?

    /// The offset, if there is one, and the explanation.
    var description: String { offset.map { "byte \($0): \(explanation)" } ?? explanation }
  }

  /// Returns every reason to refuse a descriptor; only this error if lint finds none.
  ///
  /// Lint errors about uhid or Linux alone are left out, because the loopback bus takes devices
  /// with these errors.
  ///
  /// - Parameter bytes: The descriptor. Beyond 65,535 bytes its length is the only reason.
  func reasons(in bytes: [UInt8]) -> [Reason] {
    let reasons = HIDReportDescriptor.lint(bytes).filter {
      $0.severity == .error && $0.rule != .reportOverUHID && $0.rule != .multiplierStopsLinux
    }.map { Reason(offset: $0.offset, rule: $0.rule, explanation: $0.explanation, fix: $0.fix) }
    return reasons.isEmpty
      ? [Reason(offset: offset, rule: nil, explanation: explanation, fix: nil)] : reasons
  }
}
