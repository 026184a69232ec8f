// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

extension SimulatedDevice {
  /// The maximum number of warnings for an interface in ``descriptorWarnings``.
  private static let maximumWarningCount = 10

  /// Lint's warnings about parts of the report descriptors that do not work on Linux.
  ///
  /// Each interface has at most ten warnings, and one more text with the number of the others.
  package var descriptorWarnings: [String] {
    interfaces.flatMap { interface in
      let warnings = interface.definition.descriptor.lint().filter {
        $0.severity == .warning && $0.hosts.contains(.linux)
      }
      let rest = warnings.count - Self.maximumWarningCount
      return warnings.prefix(Self.maximumWarningCount).map { "\(interface.label): \($0)" }
        + (rest > 0 ? ["\(interface.label): \(rest) more; see hidsim lint"] : [])
    }
  }
}
