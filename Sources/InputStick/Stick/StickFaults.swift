// SPDX-License-Identifier: Apache-2.0

/// The numbers of packets that a simulated InputStick still treats wrongly on purpose, to test
/// clients.
package struct StickFaults: Hashable, Sendable {
  /// The number of packets that the stick still treats wrongly.
  package struct Count: Hashable, Sendable {
    private var rest = 0

    /// Makes a count.
    package init(_ count: Int = 0) { rest = max(0, count) }

    /// Returns whether the next packet must be treated wrongly; if so, decrements the count.
    package mutating func take() -> Bool {
      guard rest > 0 else { return false }
      rest -= 1
      return true
    }
  }

  /// The number of packets from the client that the stick will ignore, as if they had not arrived.
  package var dropped = Count()
  /// The number of packets to the client in which the stick will invert one bit.
  package var corrupted = Count()
  /// The number of packets to the client of which the stick will leave out the second half.
  package var truncated = Count()
  /// The number of packets with reports for the queues that the stick will refuse as if its buffers
  /// were full.
  package var overflowing = Count()

  /// Makes a value without faults.
  package init() {}
}
