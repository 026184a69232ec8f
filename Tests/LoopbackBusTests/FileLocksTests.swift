// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDBus
import Synchronization
import Testing

/// Tests of file locks that processes hold in turn.
@Suite("File locks of several processes", .timeLimit(.minutes(1)))
struct FileLocksTests {
  /// A counter of the locks that tasks hold at the same time, for each number, and of the turns.
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

  /// Lets eight tasks take turns, each 25 times.
  ///
  /// - Returns: The greatest numbers of locks that were held at the same time, and the number of
  ///   turns, as far as `body` has counted them.
  private func crowd(
    _ body: @escaping @Sendable (_ task: Int, FileLocks, Crowd) async throws -> Void
  ) async throws -> Crowd {
    let directory = try BusDirectory.temporary()
    defer { directory.removeAll() }
    let path = "\(directory.path)/turns"
    close(creat(path, 0o600))
    let crowd = Crowd()
    try await withThrowingTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for _ in 0..<25 {
            let locks = try FileLocks.open(path)
            defer { locks.release() }
            try await body(task, locks, crowd)
          }
        }
      }
      try await group.waitForAll()
    }
    return crowd
  }

  @Test("each number has one holder at a time, and every task gets its turns")
  func numbers() async throws {
    let crowd = try await crowd { task, locks, crowd in
      let number = task % 2
      try await locks.take(number)
      if task >= 4 { try await locks.take(4_294_967_295) }
      crowd.enter(number, 1)
      await Task.yield()
      crowd.leave(number, 1)
    }
    #expect(crowd.most == [0: 1, 1: 1])
    #expect(crowd.turns == 200)
  }

  @Test("holders of equal locks never exceed their number, and every task gets its turns")
  func alike() async throws {
    let crowd = try await crowd { task, locks, crowd in
      let count = 1 + task % 3
      try await locks.take(count, anyOf: 4)
      crowd.enter(0, count)
      await Task.yield()
      crowd.leave(0, count)
    }
    #expect((2...4).contains(crowd.most[0] ?? 0))
    #expect(crowd.turns == 200)
  }

  @Test("a task that is cancelled while it waits keeps neither its locks nor its place")
  func stopped() async throws {
    let directory = try BusDirectory.temporary()
    defer { directory.removeAll() }
    let path = "\(directory.path)/turns"
    close(creat(path, 0o600))
    let held = try FileLocks.open(path)
    try await held.take(7)
    try await held.take(2, anyOf: 2)
    for count in [0, 1] {
      let (begun, continuation) = AsyncStream<Void>.makeStream()
      let waiting = Task {
        let locks = try FileLocks.open(path)
        defer { locks.release() }
        try await locks.take(3)
        continuation.finish()
        if count > 0 { try await locks.take(count, anyOf: 2) } else { try await locks.take(7) }
      }
      for await _ in begun {}
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
      // The cancelled task's lock is free at once, while the other lock is still held.
      let next = try FileLocks.open(path)
      try await next.take(3)
      try await next.take(0, anyOf: 2)
      next.release()
    }
  }
}
