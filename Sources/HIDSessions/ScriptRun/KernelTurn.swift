// SPDX-License-Identifier: Apache-2.0

import HIDBus
package import HIDSimulator
import Synchronization

/// The right of one test to plug its devices into the kernel's bus, among all tests on this
/// machine.
///
/// The kernel has 64 nodes for hidraw devices, and a program that looks for a vendor and product ID
/// finds every device with them. So a test takes one node for each interface and the IDs of its
/// devices, and other tests wait for these. The locks are on `/dev/uhid` itself, which every
/// program that plugs devices there can open.
package final class KernelTurn: Sendable {
  /// The number of nodes that tests may use at a time; the remaining 16 are for other devices.
  static let nodeCount = 48

  /// The time limit for a further turn of a test that has a turn already.
  ///
  /// Another test may hold the resources of the further turn, and wait for those of the first turn.
  private static let longestNestedWait = Duration.seconds(30)

  /// The vendor and product IDs that the turn holds, each vendor ID in bits 16 to 31.
  private let identities: [Int]
  private let path: String
  private let locks: FileLocks
  private let isOver = Atomic(false)

  private init(_ identities: [Int], _ path: String, _ locks: FileLocks) {
    self.identities = identities
    self.path = path
    self.locks = locks
  }

  deinit { end() }

  /// Waits for a turn.
  ///
  /// The first turn of a test has no time limit, since other tests may take long.
  ///
  /// - Parameters:
  ///   - definitions: The devices.
  ///   - held: The turns that the test has already.
  ///   - path: The file with the locks.
  /// - Throws: `HIDBusError` if the devices have more than ``nodeCount`` interfaces, if the file
  ///   for the locks cannot be used, or if a further turn was not available within 30 s;
  ///   `CancellationError`.
  package static func take(
    for definitions: [HIDDeviceDefinition], besides held: [KernelTurn] = [],
    at path: String = "/dev/uhid"
  ) async throws -> KernelTurn {
    let nodes = definitions.reduce(0) { $0 + $1.interfaces.count }
    guard nodes <= nodeCount else {
      throw HIDBusError(
        .limitReached,
        """
        the test's devices have \(nodes) interfaces; tests may use \(nodeCount) of the kernel's 64 nodes: \
        use fewer, or use the loopback bus
        """)
    }
    let identities = Set(definitions.map { Int($0.vendorID) << 16 | Int($0.productID) })
      .subtracting(held.flatMap(\.identities)).sorted()
    guard !held.isEmpty else { return try await take(identities, nodes, at: path) }
    return try await withThrowingTaskGroup(of: KernelTurn.self) { group in
      group.addTask { try await take(identities, nodes, at: path) }
      group.addTask {
        try await Task.sleep(for: longestNestedWait)
        throw HIDBusError(
          .timedOut,
          """
          the devices could not be plugged within \(longestNestedWait.components.seconds) s: \
          their vendor and product IDs, or too many nodes, are in use by tests \
          that may wait for this one; \
          plug all devices of a test at once, as .virtualDevice("a.json", "b.json") does
          """)
      }
      defer { group.cancelAll() }
      guard let turn = try await group.next() else { throw CancellationError() }
      return turn
    }
  }

  private static func take(
    _ identities: [Int], _ nodes: Int, at path: String
  ) async throws -> KernelTurn {
    let queues = TurnQueues.shared
    var entered: [TurnQueues.Key] = []
    var opened: FileLocks?
    do {
      // All processes take the IDs in ascending order, so that no two wait for each other.
      for identity in identities {
        let key = TurnQueues.Key(path: path, identity: identity)
        try await queues.enter(key)
        entered.append(key)
        let locks = try opened ?? FileLocks.open(path)
        opened = locks
        try await locks.take(identity)
      }
      let key = TurnQueues.Key(path: path, identity: nil)
      try await queues.enter(key)
      defer { queues.leave(key) }
      let locks = try opened ?? FileLocks.open(path)
      opened = locks
      try await locks.take(nodes, anyOf: nodeCount)
      return KernelTurn(identities, path, locks)
    } catch {
      opened?.release()
      for key in entered { queues.leave(key) }
      throw error
    }
  }

  /// Releases the turn for other tests; a second call does nothing.
  package func end() {
    guard !isOver.exchange(true, ordering: .relaxed) else { return }
    locks.release()
    for identity in identities {
      TurnQueues.shared.leave(TurnQueues.Key(path: path, identity: identity))
    }
  }
}
