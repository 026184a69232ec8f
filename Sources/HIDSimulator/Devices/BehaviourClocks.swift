// SPDX-License-Identifier: Apache-2.0

import IOLoop
import Synchronization

/// The timers of an interface's behaviours.
///
/// They run from the time when the plugged interface becomes ready until it is unplugged, even
/// while the kernel changes its driver.
final class BehaviourClocks: Sendable {
  private let timeline: Timeline
  /// The number of the current run of the timers: odd while the timers run, otherwise even.
  private let run = Mutex(0)

  init(on timeline: Timeline = .real) { self.timeline = timeline }

  /// Starts the timers.
  ///
  /// Timers of an earlier start are stopped first, as by ``stop()``.
  ///
  /// - Parameters:
  ///   - timers: The behaviours by index, and the period of each timer.
  ///   - tick: Called on the timeline's loop with the index of a behaviour each time its period is
  ///     over. A timer that is late calls it once for all periods that have ended meanwhile.
  func start(
    _ timers: [(behaviour: Int, period: Duration)], _ tick: @escaping @Sendable (Int) -> Void
  ) {
    let number = run.withLock { run in
      run += run.isMultiple(of: 2) ? 1 : 2
      return run
    }
    for timer in timers {
      wait(for: timer.period, since: timeline.now, behaviour: timer.behaviour, in: number, tick)
    }
  }

  /// Stops the timers: `tick` is not called any more, except for a timer that is ending just now.
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
    // After a pause of the machine, the periods that were missed are skipped and the phase is kept.
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
