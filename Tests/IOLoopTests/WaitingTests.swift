// SPDX-License-Identifier: Apache-2.0

import Glibc
import IOLoop
import Synchronization
import Testing

@Suite("A promise", .timeLimit(.minutes(1)))
struct PromiseTests {
  @Test("is fulfilled once, for each task that waits")
  func manyTasks() async {
    let promise = Promise<Int>()
    async let first = promise.get()
    async let second = promise.get()
    let called = Promise<Int>()
    promise.whenFulfilled { called.fulfill($0) }
    #expect(promise.value == nil)
    #expect(promise.fulfill(1))
    #expect(!promise.fulfill(2))
    #expect(await [first, second] == [1, 1])
    #expect(await called.get() == 1)
    #expect(await promise.get() == 1, "a later wait ends at once")
  }

  @Test("calls back at once if it has a value")
  func lateCall() {
    let promise = Promise<Int>()
    promise.fulfill(3)
    let seen = ConditionMutex<Int?>(nil)
    promise.whenFulfilled { value in seen.withLock { $0 = value } }
    #expect(seen.withLock { $0 } == 3)
  }

  @Test("lets a cancelled task give up, before and during its wait")
  func cancellation() async {
    for isEarly in [true, false] {
      let promise = Promise<String>()
      let task = Task { await promise.get(onCancel: { promise.fulfill("given up") }) }
      if !isEarly { await Task.yield() }
      task.cancel()
      #expect(await task.value == "given up")
    }
  }

  @Test("keeps a virtual time from moving until the resumed task waits again")
  func work() async {
    let time = Timeline.virtual()
    let begun = time.now
    time.beginWork()
    time.start()
    let promise = Promise<Void>(worksOn: time)
    time.schedule(at: begun.advanced(by: .seconds(1))) { promise.fulfill() }
    // Without the work that the promise begins, the time would move on to this call.
    time.schedule(at: begun.advanced(by: .seconds(9))) {}
    await promise.get()
    #expect(time.now == begun.advanced(by: .seconds(1)))
    time.endWork()
  }
}

@Suite("A list of waiters", .timeLimit(.minutes(1)))
struct WaiterListTests {
  @Test("gives out its tasks in order of arrival")
  func order() {
    var list = WaiterList<Int>()
    let promises = (0..<4).map { list.append($0) }
    let meant = list.takeAll { $0 == 2 }
    #expect(meant.map(ObjectIdentifier.init) == [ObjectIdentifier(promises[2])])
    let removals = [list.remove(promises[3]), list.remove(promises[3])]
    #expect(removals == [true, false])
    let rest = list.takeAll()
    #expect(rest.map(ObjectIdentifier.init) == promises[0...1].map(ObjectIdentifier.init))
    #expect(list.isEmpty)
  }

  @Test("resumes a task whose promise is fulfilled before the task awaits it")
  func early() async {
    var list = WaiterList<Void>()
    let promise = list.append()
    list.takeAll().fulfill()
    await promise.get()
  }
}

@Suite("A condition mutex", .timeLimit(.minutes(1)))
struct ConditionMutexTests {
  @Test("resumes a task when its condition is met, and only then")
  func condition() async {
    let count = ConditionMutex(0)
    let task = Task { await count.wait { $0 >= 3 ? $0 * 10 : nil } }
    for _ in 0..<2 { count.withLock { $0 += 1 } }
    #expect(count.waiterCount <= 1)
    count.withLock { $0 += 1 }
    #expect(await task.value == 30)
    #expect(count.waiterCount == 0)
  }

  @Test("gives each element of a queue to one task, in order of arrival")
  func elements() async {
    let queue = ConditionMutex<[Int]>([])
    var tasks: [Task<Int, Never>] = []
    for number in 1...3 {
      tasks.append(Task { await queue.wait { $0.isEmpty ? nil : $0.removeFirst() } })
      await until { queue.waiterCount == number }
    }
    queue.withLock { $0 = [1, 2, 3] }
    var values: [Int] = []
    for task in tasks { values.append(await task.value) }
    #expect(values == [1, 2, 3])
  }

  @Test("resumes the tasks for which another task's condition has made room")
  func chain() async {
    struct State {
      var isFull = true
      var done = 0
    }
    let state = ConditionMutex(State())
    let second = Task { await state.wait { $0.isFull ? nil : $0.done } }
    await until { state.waiterCount == 1 }
    let first = Task {
      await state.wait { state -> Void? in
        guard state.done == 1 else { return nil }
        state.isFull = false
        return ()
      }
    }
    await until { state.waiterCount == 2 }
    state.withLock { $0.done = 1 }
    await first.value
    #expect(await second.value == 1)
  }

  @Test("ends the wait of a cancelled task without a value")
  func cancellation() async {
    let state = ConditionMutex(0)
    let task = Task { await state.wait(until: nil) { $0 == 0 ? nil : $0 } }
    await until { state.waiterCount == 1 }
    task.cancel()
    #expect(await task.value == nil)
    #expect(state.waiterCount == 0)
    let early = Task {
      await Task { withUnsafeCurrentTask { $0?.cancel() } }.value
      withUnsafeCurrentTask { $0?.cancel() }
      return await state.wait(until: nil) { $0 == 0 ? nil : $0 }
    }
    #expect(await early.value == nil)
    #expect(state.waiterCount == 0)
  }

  @Test("lets a cancelled task wait on if it asks for that")
  func uncancellable() async {
    let state = ConditionMutex(0)
    let task = Task { await state.wait { $0 == 0 ? nil : $0 } }
    await until { state.waiterCount == 1 }
    task.cancel()
    state.withLock { $0 = 5 }
    #expect(await task.value == 5)
  }

  @Test("ends a wait at its deadline")
  func deadline() async {
    let state = ConditionMutex(0)
    let end = MonotonicTime.now.advanced(by: .milliseconds(5))
    #expect(await state.wait(until: end) { $0 == 0 ? nil : $0 } == nil)
    #expect(MonotonicTime.now >= end)
    #expect(state.waiterCount == 0)
    #expect(await state.wait(until: end) { $0 + 1 } == 1, "a condition that is met needs no time")
  }

  @Test("loses no element to a task that is cancelled at the same time")
  func race() async {
    let queue = ConditionMutex<[Int]>([])
    var taken = 0
    for round in 1...500 {
      let task = Task { await queue.wait(until: nil) { $0.isEmpty ? nil : $0.removeFirst() } }
      let other = Task { queue.withLock { $0.append(round) } }
      task.cancel()
      await other.value
      if await task.value != nil { taken += 1 }
    }
    #expect(queue.withLock { $0.count } + taken == 500)
    #expect(queue.waiterCount == 0)
  }
}

@Suite("A lock for tasks", .timeLimit(.minutes(1)))
struct AsyncLockTests {
  @Test("admits one task at a time, in order of arrival")
  func order() async {
    let lock = AsyncLock()
    let log = ConditionMutex<[Int]>([])
    let inside = ConditionMutex(0)
    #expect(await lock.enter())
    var tasks: [Task<Void, Never>] = []
    for number in 1...20 {
      tasks.append(
        Task {
          await lock.withLock {
            let count = inside.withLock { inside in
              inside += 1
              return inside
            }
            #expect(count == 1)
            log.withLock { $0.append(number) }
            await Task.yield()
            inside.withLock { $0 -= 1 }
          }
        })
      await until { lock.waiterCount == number }
    }
    lock.leave()
    for task in tasks { await task.value }
    #expect(log.withLock { $0 } == Array(1...20))
  }

  @Test("withLockIfFree runs its closure if the lock is free, and else returns nil at once")
  func free() async {
    let lock = AsyncLock()
    #expect(lock.withLockIfFree { 1 } == 1)
    #expect(await lock.enter())
    #expect(lock.withLockIfFree { 1 } == nil)
    lock.leave()
    #expect(lock.withLockIfFree { 1 } == 1)
  }

  @Test("is passed over by a task that was cancelled, or whose time is over")
  func givenUp() async {
    let lock = AsyncLock()
    #expect(await lock.enter())
    let cancelled = Task { await lock.enter() }
    await until { lock.waiterCount == 1 }
    let last = Task { await lock.enter(isCancellable: false) }
    await until { lock.waiterCount == 2 }
    #expect(await !lock.enter(until: .now.advanced(by: .milliseconds(1))))
    cancelled.cancel()
    last.cancel()
    #expect(await !cancelled.value)
    lock.leave()
    #expect(await last.value)
    lock.leave()
    #expect(lock.withLockIfFree { true } == true)
  }
}

@Suite("A bounded queue", .timeLimit(.minutes(1)))
struct BoundedQueueTests {
  @Test("gives all elements that wait, and keeps its order")
  func order() async {
    let queue = BoundedQueue<Int>(capacity: 10)
    queue.put([1, 2], weight: 2)
    queue.put([3], weight: 1)
    #expect(await queue.take() == [1, 2, 3])
  }

  @Test("makes the task that adds wait while it is full")
  func room() async {
    let queue = BoundedQueue<Int>(capacity: 2)
    queue.put([1, 2], weight: 2)
    let writer = Task { await queue.room() }
    await until { queue.waiterCount == 1 }
    #expect(await queue.take() == [1, 2])
    #expect(await writer.value)
  }

  @Test("ends: what is in it can be taken, and nothing can be added")
  func end() async {
    let queue = BoundedQueue<Int>(capacity: 1)
    queue.put([1], weight: 1)
    let writer = Task { await queue.room() }
    await until { queue.waiterCount == 1 }
    queue.end()
    #expect(await !writer.value)
    queue.put([2], weight: 1)
    #expect(await queue.take() == [1])
    #expect(await queue.take() == nil)
  }
}

@Suite("A blocking call", .timeLimit(.minutes(1)))
struct BlockingCallTests {
  @Test("runs on a thread of its own, and returns its result")
  func result() async throws {
    let caller = UInt(pthread_self())
    let thread = try await Thread.call { UInt(pthread_self()) }
    #expect(thread != caller)
  }
}

/// Lets other tasks run until a condition is met.
private func until(_ isMet: () -> Bool) async {
  while !isMet() { await Task.yield() }
}
