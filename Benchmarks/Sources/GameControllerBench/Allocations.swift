// SPDX-License-Identifier: Apache-2.0

import CoreHID
import GameController
import Glibc
import Synchronization

/// The measurement of the memory allocations of this process for each report.
///
/// `scripts/bench.d/allocations.c`, loaded before the C library, counts the calls.
struct Allocations {
  private typealias Count = @Sendable @convention(c) () -> UInt64

  /// The number of calls of a handler.
  private final class Calls: Sendable {
    let count = Atomic(0)
  }

  let reports: Int

  func run() async throws {
    guard let symbol = dlsym(nil, "hidsim_bench_allocations") else {
      fatalError("load scripts/bench.d/allocations.c by LD_PRELOAD")
    }
    let count = unsafeBitCast(symbol, to: Count.self)
    let device = try await BenchDevice(BenchDevice.keyboard, serialNumber: "allocations")
    let calls = Calls()

    let client = try await device.client()
    var handling = Optional(
      try await client.hidsim.handleReports { _ in calls.count.add(1, ordering: .relaxed) })
    try await measure("handler", device, calls, count)
    withExtendedLifetime(handling) {}
    handling = nil

    let input = try await benchKeyboard()
    input.keyChangedHandler = { _, _, _, _ in calls.count.add(1, ordering: .relaxed) }
    try await measure("key-changed-main", device, calls, count)
    GCKeyboard.coalesced?.handlerQueue = handlerQueue
    try await measure("key-changed", device, calls, count)
    await device.port.destroy()
  }

  /// Measures and prints the number of allocations for each report.
  // The first run fills caches. The second run sends no reports: it counts the allocations of the
  // benchmark itself.
  private func measure(
    _ bench: String, _ device: BenchDevice, _ calls: Calls, _ count: Count
  ) async throws {
    _ = try await allocations(device, calls, count, sends: true)
    let without = try await allocations(device, calls, count, sends: false)
    let with = try await allocations(device, calls, count, sends: true)
    let figure = (Double(with) - Double(without)) / Double(reports)
    print(#"{"bench":"\#(bench)","n":\#(reports),"allocations":\#(figure)}"#)
  }

  // This function must not run on the main actor: it blocks its thread while it waits for handlers
  // on the main queue.
  @concurrent private func allocations(
    _ device: BenchDevice, _ calls: Calls, _ count: Count, sends: Bool
  ) async throws -> UInt64 {
    let reports = [BenchDevice.keys(isDown: true), BenchDevice.keys(isDown: false)]
    let before = count()
    var wanted = calls.count.load(ordering: .relaxed)
    for number in 0..<self.reports {
      _ = try await device.send(reports[number % 2], if: sends)
      if sends { wanted += 1 }
      while calls.count.load(ordering: .relaxed) < wanted { usleep(20) }
    }
    return count() - before
  }
}
