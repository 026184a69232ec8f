// SPDX-License-Identifier: Apache-2.0

/// How many packets a stick still treats wrongly on purpose, to test clients.
package struct StickFaults: Hashable, Sendable {
  /// A number of packets that are still to come.
  package struct Count: Hashable, Sendable {
    private var rest = 0

    /// Makes a count.
    package init(_ count: Int = 0) { rest = max(0, count) }

    /// Whether the next packet is one of them; it is counted.
    package mutating func take() -> Bool {
      guard rest > 0 else { return false }
      rest -= 1
      return true
    }
  }

  /// Packets of the client that the stick does not take, as if they had never arrived.
  package var dropped = Count()
  /// Packets to the client in which a bit is wrong.
  package var corrupted = Count()
  /// Packets to the client whose second half is missing.
  package var truncated = Count()
  /// Packets with reports that the stick refuses as if its buffers were full.
  package var overflowing = Count()

  /// Makes faults: none.
  package init() {}
}
