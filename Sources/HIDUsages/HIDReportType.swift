// SPDX-License-Identifier: Apache-2.0

/// The type of a report: input, output or feature.
public enum HIDReportType: Hashable, Sendable, BitwiseCopyable {
  /// From the device to the host, when the device has new data or the host requests the report.
  case input
  /// From the host to the device.
  case output
  /// In either direction, at the request of the host.
  case feature
}

extension HIDReportType {
  /// The cases: input, output, feature.
  package static let allCases: [HIDReportType] = [.input, .output, .feature]

  /// The index among the cases: 0, 1 or 2.
  package var order: Int {
    switch self {
    case .input: 0
    case .output: 1
    case .feature: 2
    }
  }
}
