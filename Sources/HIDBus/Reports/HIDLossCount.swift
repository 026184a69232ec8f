// SPDX-License-Identifier: Apache-2.0

/// The number of input reports that a reader did not get, as far as it is known.
///
/// `losses == 0` is true if no report was lost and the count is complete.
public struct HIDLossCount: Hashable, Sendable, ExpressibleByIntegerLiteral,
  CustomStringConvertible
{
  /// The number of reports that are known to be lost.
  public var count: Int
  /// True if ``count`` includes every loss; false if there may be others.
  public var isComplete: Bool

  /// Makes a count.
  public init(_ count: Int, isComplete: Bool = true) {
    self.count = count
    self.isComplete = isComplete
  }

  /// Makes a complete count.
  public init(integerLiteral count: Int) { self.init(count) }

  /// Adds two counts; the sum is complete only if both are.
  public static func + (left: HIDLossCount, right: HIDLossCount) -> HIDLossCount {
    HIDLossCount(left.count + right.count, isComplete: left.isComplete && right.isComplete)
  }

  /// The count as text: `3`, `at least 3`, or `unknown`.
  public var description: String {
    if isComplete { return "\(count)" }
    return count > 0 ? "at least \(count)" : "unknown"
  }
}
