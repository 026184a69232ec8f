// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import SystemPackage
import Testing

@testable import IOLoop

@Suite(.timeLimit(.minutes(1))) struct IOLoopTests {
  /// An actor whose executor is a loop, like a port.
  private actor Inhabitant {
    let loop: IOLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private(set) var steps: [String] = []

    init(_ loop: IOLoop) { self.loop = loop }

    func note(_ step: String) { steps.append(step) }
    var isOnLoop: Bool { loop.isCurrent }

    /// Calls `other` and then waits; no other job of the loop may run between the two steps.
    func checkAndWait(_ other: @Sendable () -> Void) async {
      other()
      steps.append("checked")
      await withCheckedContinuation { continuation in
        steps.append("waits")
        continuation.resume()
      }
      steps.append("waited")
    }
  }

  private static func pipe() throws -> (reader: FileDescriptor, writer: FileDescriptor) {
    let ends = try FileDescriptor.pipe()
    return (ends.readEnd, ends.writeEnd)
  }

  @Test("a handler is called on the loop when its descriptor can be read")
  func watch() async throws {
    let loop = IOLoop(name: "test-loop")
    let (reader, writer) = try Self.pipe()
    let watch = Mutex<IOLoop.WatchID?>(nil)
    let bytes = await withCheckedContinuation {
      (continuation: CheckedContinuation<[UInt8], Never>) in
      let once = Mutex<CheckedContinuation<[UInt8], Never>?>(continuation)
      watch.withLock { watch in
        watch = try? loop.watch(reader, for: .read) { readiness in
          #expect(loop.isCurrent)
          #expect(readiness.contains(.read))
          var buffer = [UInt8](repeating: 0, count: 8)
          let count = buffer.withUnsafeMutableBytes { try? reader.read(into: $0) } ?? 0
          once.withLock { waiting in
            waiting?.resume(returning: Array(buffer[..<count]))
            waiting = nil
          }
        }
      }
      _ = try? writer.writeAll([1, 2, 3])
    }
    #expect(bytes == [1, 2, 3])
    loop.stopWatching(try #require(watch.withLock { $0 }), reader)
    try reader.close()
    try writer.close()
  }

  @Test("a watch that was ended is not called again, and its descriptor can be watched again")
  func unwatch() async throws {
    let loop = IOLoop(name: "test-loop")
    let (reader, writer) = try Self.pipe()
    let calls = Mutex(0)
    let first = try loop.watch(reader, for: .read) { _ in calls.withLock { $0 += 1 } }
    loop.stopWatching(first, reader)
    _ = try writer.writeAll([1])
    let second = Mutex<IOLoop.WatchID?>(nil)
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let once = Mutex<CheckedContinuation<Void, Never>?>(continuation)
      second.withLock { watch in
        watch = try? loop.watch(reader, for: .read) { _ in
          once.withLock { waiting in
            waiting?.resume()
            waiting = nil
          }
        }
      }
    }
    #expect(calls.withLock { $0 } == 0)
    // The watch fires repeatedly while data can be read.
    loop.stopWatching(try #require(second.withLock { $0 }), reader)
    try reader.close()
    try writer.close()
  }

  @Test("a handler can end its own watch and another one that is ready, also twice")
  func unwatchEachOther() async throws {
    let loop = IOLoop(name: "test-loop")
    let pipes = try (0..<2).map { _ in try Self.pipe() }
    let watches = Mutex<[IOLoop.WatchID]>([])
    let calls = Mutex(0)
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      // Both pipes are ready when the loop returns to its wait, so it gets them in one batch.
      loop.perform {
        let made = pipes.compactMap { pipe in
          _ = try? pipe.writer.writeAll([1])
          return try? loop.watch(pipe.reader, for: .read) { _ in
            calls.withLock { $0 += 1 }
            for _ in 0..<2 {
              for (watch, pipe) in zip(watches.withLock { $0 }, pipes) {
                loop.stopWatching(watch, pipe.reader)
              }
            }
            // The continuation resumes after all events of the batch.
            loop.schedule(at: .now) { continuation.resume() }
          }
        }
        watches.withLock { $0 = made }
      }
    }
    #expect(calls.withLock { $0 } == 1)
    for pipe in pipes {
      try pipe.reader.close()
      try pipe.writer.close()
    }
  }

  @Test(
    "watches can be ended by other threads while their handlers run, and the handlers are released")
  func unwatchUnderLoad() async throws {
    let loop = IOLoop(name: "test-loop")
    weak var held: Token?
    for _ in 0..<200 {
      let (reader, writer) = try Self.pipe()
      _ = try writer.writeAll([1])
      let token = Token()
      held = token
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        let once = Mutex<CheckedContinuation<Void, Never>?>(continuation)
        let watch = try? loop.watch(reader, for: .read) { [token] _ in
          _ = token
          once.withLock { $0.take() }?.resume()
        }
        if let watch {
          Thread.run(name: "test-stop") {
            while once.withLock({ $0 != nil }) { sched_yield() }
            loop.stopWatching(watch, reader)
            loop.stopWatching(watch, reader)
            try? reader.close()
            try? writer.close()
          }
        }
      }
    }
    while held != nil { await Task.yield() }
  }

  private final class Token: Sendable {}

  @Test("a task that prefers the loop runs on it, also after a wait for another thread")
  func taskExecutor() async {
    let loop = IOLoop(name: "test-loop")
    #expect(!IOLoop.isAnyCurrent)
    await withTaskExecutorPreference(loop.taskExecutor) {
      #expect(loop.isCurrent && IOLoop.isAnyCurrent)
      await withCheckedContinuation { continuation in
        Thread.run(name: "test-other") { continuation.resume() }
      }
      #expect(loop.isCurrent)
    }
    #expect(!loop.isCurrent)
  }

  @Test("hasRested is true after a loop waited, and false while it is busy")
  func rests() async {
    let loop = IOLoop(name: "test-loop", notesRests: true)
    for wanted in [true, false, true] {
      var isSo = false
      // If the machine stalls in between, the attempt is repeated.
      while !isSo {
        isSo = await withCheckedContinuation { continuation in
          if wanted {
            loop.schedule(at: .now.advanced(by: .milliseconds(5))) {
              continuation.resume(returning: loop.hasRested)
            }
          } else {
            loop.perform { loop.perform { continuation.resume(returning: !loop.hasRested) } }
          }
        }
      }
    }
  }

  @Test("a regular file cannot be watched")
  func file() throws {
    let loop = IOLoop(name: "test-loop")
    let file = try FileDescriptor.open("/proc/self/exe", .readOnly)
    defer { try? file.close() }
    #expect(throws: Errno.notPermitted) { try loop.watch(file, for: .read) { _ in } }
  }

  @Test("a hang-up is reported to a watch that asks for no readiness")
  func hangUp() async throws {
    let loop = IOLoop(name: "test-loop")
    let (reader, writer) = try Self.pipe()
    let watch = Mutex<IOLoop.WatchID?>(nil)
    let readiness = await withCheckedContinuation {
      (continuation: CheckedContinuation<IOLoop.Readiness, Never>) in
      let once = Mutex<CheckedContinuation<IOLoop.Readiness, Never>?>(continuation)
      watch.withLock { watch in
        watch = try? loop.watch(reader, for: []) { readiness in
          once.withLock { waiting in
            waiting?.resume(returning: readiness)
            waiting = nil
          }
        }
      }
      try? writer.close()
    }
    loop.stopWatching(try #require(watch.withLock { $0 }), reader)
    try reader.close()
    #expect(!readiness.isDisjoint(with: .hangUp))
  }

  @Test("deadlines are called in order of time, whatever the order of their creation")
  func deadlines() async {
    let loop = IOLoop(name: "test-loop")
    let start = MonotonicTime.now
    let order = Mutex<[Int]>([])
    await withCheckedContinuation { continuation in
      for (number, delay) in [(3, 30), (1, 10), (4, 40), (2, 20)] {
        loop.schedule(at: start.advanced(by: .milliseconds(delay))) {
          #expect(loop.isCurrent)
          #expect(MonotonicTime.now >= start.advanced(by: .milliseconds(delay)))
          order.withLock { $0.append(number) }
          if number == 4 { continuation.resume() }
        }
      }
    }
    #expect(order.withLock { $0 } == [1, 2, 3, 4])
  }

  @Test("a cancelled deadline is not called, and one in the past is called at once")
  func cancelled() async {
    let loop = IOLoop(name: "test-loop")
    let calls = Mutex<[String]>([])
    let id = loop.schedule(at: .now.advanced(by: .milliseconds(20))) {
      calls.withLock { $0.append("cancelled") }
    }
    loop.cancel(id)
    await withCheckedContinuation { continuation in
      loop.schedule(at: MonotonicTime(nanoseconds: 0)) { calls.withLock { $0.append("past") } }
      loop.schedule(at: .now.advanced(by: .milliseconds(40))) { continuation.resume() }
    }
    #expect(calls.withLock { $0 } == ["past"])
  }

  @Test("deadlines that many threads create at once are all called")
  func racingDeadlines() async {
    let loop = IOLoop(name: "test-loop")
    for _ in 0..<50 {
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<16 {
          group.addTask {
            await withCheckedContinuation { continuation in
              loop.schedule(at: .now.advanced(by: .microseconds(16 - number))) {
                continuation.resume()
              }
            }
          }
        }
      }
    }
  }

  @Test("an actor of the loop runs on it, and a handler of the loop calls it synchronously")
  func executor() async {
    let loop = IOLoop(name: "test-loop")
    let actor = Inhabitant(loop)
    #expect(!loop.isCurrent)
    #expect(await actor.isOnLoop)
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      loop.schedule(at: .now) {
        actor.assumeIsolated { $0.note("entered") }
        continuation.resume()
      }
    }
    #expect(await actor.steps == ["entered"])
  }

  @Test("no other job runs between an actor's check and its wait")
  func noHop() async {
    let loop = IOLoop(name: "test-loop")
    let actor = Inhabitant(loop)
    await actor.checkAndWait { Task { await actor.note("other") } }
    while await !actor.steps.contains("other") { await Task.yield() }
    let steps = await actor.steps
    #expect(steps.firstIndex(of: "waits") == steps.firstIndex(of: "checked").map { $0 + 1 })
  }

  @Test("an actor that is always busy does not block deadlines")
  func fairness() async {
    let loop = IOLoop(name: "test-loop")
    let actor = Inhabitant(loop)
    let busy = Task { while !Task.isCancelled { await actor.note("busy") } }
    await withCheckedContinuation { continuation in
      loop.schedule(at: .now.advanced(by: .milliseconds(5))) { continuation.resume() }
    }
    busy.cancel()
    await busy.value
  }
}

@Suite struct DeadlineQueueTests {
  @Test("a cancelled call is not due, and another call of the same time is")
  func cancelledTie() {
    var queue = DeadlineQueue()
    let time = MonotonicTime(nanoseconds: 5)
    let first = queue.insert(time) {}
    let second = queue.insert(time) {}
    #expect(first.isEarliest)
    #expect(!second.isEarliest)
    queue.cancel(first.0)
    #expect(queue.earliest == time)
    #expect(queue.removeFirst(dueBy: MonotonicTime(nanoseconds: 4)) == nil)
    #expect(queue.removeFirst(dueBy: time) != nil)
    #expect(queue.removeFirst(dueBy: time) == nil)
    #expect(queue.earliest == nil)
  }

  @Test("a call that was not cancelled is the only one due among thousands of cancelled calls")
  func cancelled() {
    var queue = DeadlineQueue()
    _ = queue.insert(MonotonicTime(nanoseconds: 1)) {}
    let ids = (2..<10_000).map { queue.insert(MonotonicTime(nanoseconds: $0)) {}.0 }
    for id in ids { queue.cancel(id) }
    #expect(queue.removeFirst(dueBy: MonotonicTime(nanoseconds: .max)) != nil)
    #expect(queue.removeFirst(dueBy: MonotonicTime(nanoseconds: .max)) == nil)
  }
}

@Suite struct MonotonicTimeTests {
  @Test("a time stays within its range")
  func clamps() {
    let zero = MonotonicTime(nanoseconds: 0)
    let last = MonotonicTime(nanoseconds: .max)
    #expect(zero.advanced(by: .seconds(-1)) == zero)
    #expect(last.advanced(by: .seconds(1)) == last)
    #expect(zero.advanced(by: .seconds(Int64.max)) == last)
    #expect(last.advanced(by: .seconds(Int64.min)) == zero)
    #expect(MonotonicTime(nanoseconds: 5).advanced(by: .nanoseconds(-7)) == zero)
    #expect(last.duration(since: zero) == .nanoseconds(Int64.max))
    #expect(zero.duration(since: last) == .nanoseconds(-Int64.max))
  }

  @Test("durations between two times have a sign")
  func durations() {
    let start = MonotonicTime(nanoseconds: 1_000_000_000)
    let end = start.advanced(by: .milliseconds(1500))
    #expect(end.nanoseconds == 2_500_000_000)
    #expect(end.duration(since: start) == .milliseconds(1500))
    #expect(start.duration(since: end) == .milliseconds(-1500))
    #expect(end.advanced(by: .milliseconds(-1500)) == start)
    #expect(start < end)
  }
}
