// SPDX-License-Identifier: Apache-2.0

/// A report ID, 1 to 255.
///
/// An unnumbered report has none; 0 is not a report ID.
public struct HIDReportID: RawRepresentable, Hashable, Comparable, Sendable, BitwiseCopyable {
  /// The number, which is the first byte of a numbered report.
  public var rawValue: UInt8

  /// Makes a report ID; `nil` for 0.
  public init?(rawValue: UInt8) {
    guard rawValue != 0 else { return nil }
    self.rawValue = rawValue
  }

  /// All valid report IDs: 1 to 255.
  public static let allReports = Self(unchecked: 1)...Self(unchecked: 255)

  /// Returns whether the first number is less than the second.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  private init(unchecked rawValue: UInt8) { self.rawValue = rawValue }
}

extension HIDReportID: CustomStringConvertible {
  /// The number in decimal digits.
  public var description: String { String(rawValue) }
}
