// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDBusDirectory
import HIDWire
import IOLoop
import Synchronization
import Testing

/// Locks of files that are held in turn.
@Suite("Turns of processes", .timeLimit(.minutes(1)))
struct FileLocksTests {
  /// What several threads hold at the same time.
  private final class Crowd: Sendable {
    private let state = Mutex((now: [Int: Int](), most: [Int: Int](), turns: 0))

    func enter(_ number: Int, _ count: Int) {
      state.withLock { state in
        state.now[number, default: 0] += count
        state.most[number] = max(state.most[number] ?? 0, state.now[number] ?? 0)
      }
    }

    func leave(_ number: Int, _ count: Int) {
      state.withLock { state in
        state.now[number, default: 0] -= count
        state.turns += 1
      }
    }

    var most: [Int: Int] { state.withLock { $0.most } }
    var turns: Int { state.withLock { $0.turns } }
  }

  /// Lets eight threads take turns, each 25 times, and returns how many held what at the same time.
  private func crowd(
    _ body: @escaping @Sendable (_ thread: Int, _ path: String, Crowd) throws -> Void
  ) async throws -> Crowd {
    let directory = try BusDirectory.temporary()
    defer { directory.removeAll() }
    let path = "\(directory.path)/turns"
    close(creat(path, 0o600))
    let crowd = Crowd()
    try await withThrowingTaskGroup { group in
      for thread in 0..<8 {
        group.addTask {
          let result: Result<Void, any Error> = await withCheckedContinuation { continuation in
            Thread.run(name: "turns") {
              continuation.resume(
                returning: Result {
                  for _ in 0..<25 { try body(thread, path, crowd) }
                })
            }
          }
          try result.get()
        }
      }
      try await group.waitForAll()
    }
    return crowd
  }

  @Test("who asks for the same number waits, who asks for another does not")
  func numbers() async throws {
    let crowd = try await crowd { thread, path, crowd in
      let numbers = [thread % 2, 4_294_967_295]
      let locks = try FileLocks.waiting(
        at: path, of: thread < 4 ? [numbers[0]] : numbers, anyOf: 8, count: 0)
      crowd.enter(numbers[0], 1)
      sched_yield()
      crowd.leave(numbers[0], 1)
      locks.release()
    }
    #expect(crowd.most == [0: 1, 1: 1])
    #expect(crowd.turns == 200)
  }

  @Test("those that are alike are never more than there are, and nobody waits for ever")
  func alike() async throws {
    let crowd = try await crowd { thread, path, crowd in
      let count = 1 + thread % 3
      let locks = try FileLocks.waiting(
        at: path, of: [], anyOf: 4, count: count)
      crowd.enter(0, count)
      sched_yield()
      crowd.leave(0, count)
      locks.release()
    }
    #expect((2...4).contains(crowd.most[0] ?? 0))
    #expect(crowd.turns == 200)
  }
}
