// SPDX-License-Identifier: Apache-2.0

import HIDBusDirectory
import HIDWire
import IOLoop
import Synchronization

/// The right of one test to plug its devices into the kernel's bus, among all tests on this machine.
///
/// The kernel has 64 nodes for hidraw devices, and a program that looks for a vendor and product ID finds every device
/// that has them: a test takes as many nodes as its devices need, and the identities that they have, and others wait. The locks
/// are on `/dev/uhid` itself, which whoever plugs devices there can open.
package struct KernelTurn: Sendable {
  /// How many nodes tests may have at a time; the others are for devices that are not theirs.
  static let nodeCount = 48

  /// How long a test that has a turn waits for another, which others may wait for that wait for it.
  private static let longestNestedWait = Duration.seconds(30)

  /// The vendor and product IDs that it holds.
  private let identities: Set<Int>
  private let locks: FileLocks

  /// Waits for a turn: the first of a test without a limit, since others may take as long as their tests do.
  ///
  /// - Parameters:
  ///   - definitions: The devices.
  ///   - held: The turns that the test has already.
  ///   - path: The file with the locks.
  /// - Throws: `HIDWireError` where there are too many devices, no file for the locks, or another turn was not to be had within
  ///   30 s; `CancellationError`.
  package static func take(
    for definitions: [HIDDeviceDefinition], besides held: [KernelTurn] = [],
    at path: String = "/dev/uhid"
  ) async throws -> KernelTurn {
    let nodes = definitions.reduce(0) { $0 + $1.interfaces.count }
    guard nodes <= nodeCount else {
      throw HIDWireError(
        .limitReached,
        """
        the test's devices have \(nodes) interfaces, and of the kernel's 64 nodes tests may have \(nodeCount): \
        take fewer, or the loopback bus
        """)
    }
    let identities = Set(definitions.map { Int($0.vendorID) << 16 | Int($0.productID) })
      .subtracting(held.flatMap(\.identities))
    let wait = Wait()
    let limit = held.isEmpty ? nil : Task { try await wait.end(after: longestNestedWait) }
    defer { limit?.cancel() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        wait.begin(continuation)
        Thread.run(name: "hidsim-turn") {
          wait.end(
            Result {
              KernelTurn(
                identities: identities,
                locks: try FileLocks.waiting(
                  at: path, of: identities.sorted(), anyOf: nodeCount, count: nodes))
            })
        }
      }
    } onCancel: {
      wait.end(.failure(CancellationError()))
    }
  }

  /// A wait, which ends with the turn or before; a turn that comes too late is let go of.
  private final class Wait: Sendable {
    private enum State: Sendable {
      case new
      case waiting(CheckedContinuation<KernelTurn, any Error>)
      case over
    }

    private let state = Mutex(State.new)

    func begin(_ continuation: CheckedContinuation<KernelTurn, any Error>) {
      let isOver = state.withLock { state in
        if case .over = state { return true }
        state = .waiting(continuation)
        return false
      }
      if isOver { continuation.resume(throwing: CancellationError()) }
    }

    func end(_ result: Result<KernelTurn, any Error>) {
      let before = state.withLock { state in
        defer { state = .over }
        return state
      }
      if case .waiting(let continuation) = before { continuation.resume(with: result) }
    }

    func end(after span: Duration) async throws {
      try await Task.sleep(for: span)
      end(
        .failure(
          HIDWireError(
            .timedOut,
            """
            another test has devices like these, and may wait for those that this test has: \
            plug all that a test needs at once, as .virtualDevice("a.json", "b.json") does
            """)))
    }
  }

  /// Lets others have it.
  package func end() { locks.release() }
}
