// SPDX-License-Identifier: Apache-2.0

/// The numbers of packets that a simulated InputStick still treats wrongly on purpose, to test
/// clients.
package struct StickFaults: Hashable, Sendable {
  /// The number of packets that are still to be treated wrongly.
  package struct Count: Hashable, Sendable {
    private var rest = 0

    /// Makes a count.
    package init(_ count: Int = 0) { rest = max(0, count) }

    /// Returns whether the next packet is one of them, and counts it.
    package mutating func take() -> Bool {
      guard rest > 0 else { return false }
      rest -= 1
      return true
    }
  }

  /// The packets from the client that the stick ignores, as if they had not arrived.
  package var dropped = Count()
  /// The packets to the client in which one bit is wrong.
  package var corrupted = Count()
  /// The packets to the client whose second half is missing.
  package var truncated = Count()
  /// The packets with reports that the stick refuses as if its buffers were full.
  package var overflowing = Count()

  /// Makes a value without faults.
  package init() {}
}
