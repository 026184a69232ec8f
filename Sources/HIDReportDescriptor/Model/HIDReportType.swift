// SPDX-License-Identifier: Apache-2.0

/// What kind of report this is: which way it goes, and when.
public enum HIDReportType: Hashable, Sendable, CaseIterable, BitwiseCopyable {
  /// From the device to the host, when something changes.
  case input
  /// From the host to the device.
  case output
  /// Either way, when the host asks.
  case feature
}

extension HIDReportType: Comparable, CustomStringConvertible {
  /// The order of the cases: input, output, feature.
  public static func < (left: Self, right: Self) -> Bool { left.order < right.order }

  /// `input`, `output` or `feature`.
  public var description: String {
    switch self {
    case .input: "input"
    case .output: "output"
    case .feature: "feature"
    }
  }

  /// 0, 1 or 2: the place among the cases.
  var order: Int {
    switch self {
    case .input: 0
    case .output: 1
    case .feature: 2
    }
  }
}
