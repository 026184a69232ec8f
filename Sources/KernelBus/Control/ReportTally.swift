// SPDX-License-Identifier: Apache-2.0

/// How many of a device's reports have come, and how many have not.
struct ReportTally: Sendable {
  /// How many the device had sent, and how many had come, when counting began.
  private var base: (sent: UInt64, received: UInt64)?
  private var received: UInt64 = 0
  /// How many reports were missed.
  private(set) var lost: UInt64 = 0

  /// Counts reports that came.
  mutating func note(_ count: Int) { received &+= UInt64(count) }

  /// Compares, when all there was has been read.
  ///
  /// What came since the device has counted hides as many that were missed, until it has counted again.
  ///
  /// - Parameter sent: How many reports the device says it has sent.
  /// - Returns: How many were missed that were not known to be.
  mutating func settle(sent: UInt64) -> Int {
    // The device waits for the first answer before it sends more, so that both begin at the same report.
    guard let base else {
      base = (sent, received)
      return 0
    }
    let expected = sent &- base.sent
    let known = (received &- base.received) &+ lost
    guard expected > known, expected - known <= UInt64(Int32.max) else { return 0 }
    lost += expected - known
    return Int(expected - known)
  }
}
