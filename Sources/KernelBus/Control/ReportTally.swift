// SPDX-License-Identifier: Apache-2.0

/// How many of a device's reports have come, and how many have not.
struct ReportTally: Sendable {
  /// How many the device had sent, how many had come, and how many were missed, when counting began.
  private var base: (sent: UInt64, received: UInt64, lost: UInt64)?
  private var received: UInt64 = 0
  /// How many reports were missed.
  private(set) var lost: UInt64 = 0

  /// Counts reports that came.
  mutating func note(_ count: Int) { received &+= UInt64(count) }

  /// Compares, when all there was has been read.
  ///
  /// What came since the device has counted hides as many that were missed, until it has counted again.
  ///
  /// - Parameter question: What the device says.
  /// - Returns: How many were missed that were not known to be.
  mutating func settle(_ question: ControlClient.Question) -> Int {
    guard let base, !question.isFirst else {
      base = (question.sent, received, lost)
      return 0
    }
    let expected = question.sent &- base.sent
    let known = (received &- base.received) &+ (lost &- base.lost)
    guard expected > known, expected - known <= UInt64(Int32.max) else { return 0 }
    lost += expected - known
    return Int(expected - known)
  }
}
