// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

extension SimulatedDevice {
  /// How many lines ``descriptorWarnings`` has at most for an interface.
  private static let maximumWarningCount = 10

  /// What of the device cannot work on Linux, by its report descriptors: a line for each warning of lint.
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
