// SPDX-License-Identifier: Apache-2.0

import IOLoop
import Synchronization

/// The clocks of an interface's behaviours, which run while it is plugged and ready.
final class BehaviourClocks: Sendable {
  private let timeline: Timeline
  /// Which start is the last one; even while the clocks stand still.
  private let run = Mutex(0)

  init(on timeline: Timeline = .real) { self.timeline = timeline }

  /// Lets the clocks run.
  ///
  /// - Parameters:
  ///   - timers: Which behaviours, and how long each waits.
  ///   - tick: Is called with the position of a behaviour each time its clock has run, on the timeline's loop.
  func start(
    _ timers: [(behaviour: Int, period: Duration)], _ tick: @escaping @Sendable (Int) -> Void
  ) {
    guard !timers.isEmpty else { return }
    let number = run.withLock { run in
      run += run.isMultiple(of: 2) ? 1 : 2
      return run
    }
    for timer in timers {
      wait(for: timer.period, since: timeline.now, behaviour: timer.behaviour, in: number, tick)
    }
  }

  /// Stops the clocks: what was waited for does not come any more.
  func stop() {
    run.withLock { run in
      if !run.isMultiple(of: 2) { run += 1 }
    }
  }

  private func wait(
    for period: Duration, since last: MonotonicTime, behaviour: Int, in number: Int,
    _ tick: @escaping @Sendable (Int) -> Void
  ) {
    var due = last.advanced(by: period)
    let now = timeline.now
    // A machine that stood still is not made to catch up: the beat is kept, what was missed is not.
    if due < now {
      let missed = Int(now.duration(since: due) / period) + 1
      due = due.advanced(by: period * missed)
    }
    timeline.schedule(at: due) { [weak self, due] in
      guard let self, run.withLock({ $0 == number }) else { return }
      tick(behaviour)
      wait(for: period, since: due, behaviour: behaviour, in: number, tick)
    }
  }
}
