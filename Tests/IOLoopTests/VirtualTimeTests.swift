// SPDX-License-Identifier: Apache-2.0

import IOLoop
import Synchronization
import Testing

@Suite("Virtual time", .timeLimit(.minutes(1)))
struct VirtualTimeTests {
  private final class Times: Sendable {
    let all = Mutex<[MonotonicTime]>([])
  }

  @Test("the time does not move until the timeline is started")
  func standing() async {
    let timeline = Timeline.virtual()
    let start = timeline.now
    let called = Mutex(false)
    timeline.schedule(at: start.advanced(by: .seconds(1))) { called.withLock { $0 = true } }
    timeline.beginWork()
    await timeline.settle()
    #expect(timeline.now == start)
    #expect(!called.withLock { $0 })
    timeline.endWork()
  }

  @Test("a sleep of hours moves the time by exactly its duration")
  func sleeping() async throws {
    let timeline = Timeline.virtual()
    let start = timeline.now
    timeline.beginWork()
    timeline.start()
    for _ in 0..<100 { try await timeline.sleep(for: .seconds(3600)) }
    #expect(timeline.now == start.advanced(by: .seconds(360_000)))
    timeline.stop()
    timeline.endWork()
  }

  @Test("deadlines are called in order of time, and those of one time in order of creation")
  func order() async throws {
    let timeline = Timeline.virtual()
    let start = timeline.now
    let seen = Mutex<[Int]>([])
    timeline.beginWork()
    for (index, seconds) in [3, 1, 2, 1, 3].enumerated() {
      timeline.schedule(at: start.advanced(by: .seconds(seconds))) {
        #expect(timeline.now == start.advanced(by: .seconds(seconds)))
        seen.withLock { $0.append(index) }
      }
    }
    timeline.start()
    try await timeline.sleep(for: .seconds(4))
    #expect(seen.withLock { $0 } == [1, 3, 2, 0, 4])
    timeline.endWork()
  }

  @Test("the time does not move during work, and the next deadline waits for the end of the work")
  func work() async throws {
    let timeline = Timeline.virtual()
    let start = timeline.now
    let times = Times()
    timeline.beginWork()
    timeline.schedule(at: start.advanced(by: .seconds(1))) {
      timeline.beginWork()
      Task {
        for _ in 0..<100 { await Task.yield() }
        times.all.withLock { $0.append(timeline.now) }
        timeline.endWork()
      }
    }
    timeline.schedule(at: start.advanced(by: .seconds(2))) {
      times.all.withLock { $0.append(timeline.now) }
    }
    timeline.start()
    try await timeline.sleep(for: .seconds(3))
    #expect(times.all.withLock { $0 } == [1, 2].map { start.advanced(by: .seconds($0)) })
    timeline.endWork()
  }

  @Test("a cancelled deadline does not move the time")
  func cancelling() async throws {
    let timeline = Timeline.virtual()
    let start = timeline.now
    timeline.beginWork()
    let ids = (1...9).map { second in
      timeline.schedule(at: start.advanced(by: .seconds(second))) { Issue.record("\(second)") }
    }
    timeline.schedule(at: start.advanced(by: .milliseconds(1500))) {
      for id in ids.reversed() { timeline.cancel(id) }
    }
    timeline.cancel(ids[0])
    timeline.start()
    try await timeline.sleep(for: .milliseconds(1700))
    #expect(timeline.now == start.advanced(by: .milliseconds(1700)))
    timeline.endWork()
  }

  @Test("a cancelled sleep ends, and does not move the time")
  func cancelled() async {
    let timeline = Timeline.virtual()
    let start = timeline.now
    let sleeper = Task {
      timeline.beginWork()
      defer { timeline.endWork() }
      try await timeline.sleep(for: .seconds(1))
    }
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
    #expect(timeline.now == start)
  }

  @Test("a scheduled end stops the time, and later deadlines are not called")
  func end() async {
    let timeline = Timeline.virtual()
    let start = timeline.now
    timeline.schedule(at: start.advanced(by: .seconds(6))) { Issue.record("after the end") }
    let end = timeline.scheduleEnd(at: start.advanced(by: .seconds(5)))
    timeline.start()
    await end()
    #expect(timeline.now == start.advanced(by: .seconds(5)))
    timeline.beginWork()
    await timeline.settle()
    timeline.endWork()
  }

  @Test("a real timeline ignores work and stops, and its scheduled end comes without a start")
  func real() async {
    let begun = MonotonicTime.now
    Timeline.real.endWork()
    Timeline.real.stop()
    await Timeline.real.settle()
    await Timeline.real.scheduleEnd(at: begun.advanced(by: .milliseconds(5)))()
    #expect(MonotonicTime.now.duration(since: begun) >= .milliseconds(5))
  }
}
