// SPDX-License-Identifier: Apache-2.0

public import HIDUsages

/// The reason why a value cannot be written to a report.
public enum HIDReportValueError: Error, Hashable, Sendable {
  /// The report has no control with this usage, or the control belongs to another report.
  case noSuchUsage(HIDUsage)
  /// The value is outside the range that the control accepts.
  case valueOutOfRange(HIDUsage, value: Int64, range: ClosedRange<Int64>)
  /// All elements of the array hold other usages.
  ///
  /// In this state a keyboard sends ErrorRollOver in all elements.
  case arrayFull(HIDUsage, count: Int)
  /// The element has no bits, or more than 64.
  case unsupportedSize(HIDUsage, bitCount: Int)
  /// The report is shorter than its layout.
  case reportTooShort(HIDUsage, byteCount: Int, expectedByteCount: Int)
}

extension HIDReportValueError: CustomStringConvertible {
  /// The reason, with the refused value and the accepted values if the case has them.
  public var description: String {
    switch self {
    case .noSuchUsage(let usage): "the report has no \(usage)"
    case .valueOutOfRange(let usage, let value, let range):
      "\(usage) cannot be \(value); expected \(range.lowerBound) to \(range.upperBound)"
    case .arrayFull(let usage, let count):
      "no room for \(usage): its array holds \(count) usages at once"
    case .unsupportedSize(let usage, let bitCount):
      "\(usage) has \(bitCount) bits; expected 1 to 64"
    case .reportTooShort(let usage, let byteCount, let expectedByteCount):
      "the report ends before \(usage): it has \(byteCount) bytes, expected \(expectedByteCount)"
    }
  }
}
