// SPDX-License-Identifier: Apache-2.0

import CLinux

/// A point in time on the kernel's monotonic clock, in nanoseconds.
///
/// This is the clock of `SuspendingClock` on Linux, without its 128-bit arithmetic. The clock does
/// not run while the machine sleeps, and is the same in every process. Source: `clock_gettime(2)`,
/// `CLOCK_MONOTONIC`.
///
/// A virtual ``Timeline`` has times of this type too, which can be ahead of the clock.
public struct MonotonicTime: Comparable, Hashable, Sendable, BitwiseCopyable {
  /// Nanoseconds since an arbitrary point before the process began.
  public let nanoseconds: UInt64

  /// Makes a time from nanoseconds on the monotonic clock.
  public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  /// The time now.
  public static var now: MonotonicTime {
    var time = timespec()
    _ = clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(
      nanoseconds: UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec))
  }

  /// Returns whether the first time is earlier than the second.
  public static func < (first: MonotonicTime, second: MonotonicTime) -> Bool {
    first.nanoseconds < second.nanoseconds
  }

  /// Returns the time `duration` later, limited to the times of this type.
  public func advanced(by duration: Duration) -> MonotonicTime {
    let (seconds, attoseconds) = duration.components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (step, overflow2) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    if overflow || overflow2 {
      return MonotonicTime(nanoseconds: seconds < 0 ? 0 : .max)
    }
    if step < 0 {
      return MonotonicTime(
        nanoseconds: nanoseconds - min(nanoseconds, step.magnitude))
    }
    let (sum, overflow3) = nanoseconds.addingReportingOverflow(UInt64(step))
    return MonotonicTime(nanoseconds: overflow3 ? .max : sum)
  }

  /// Returns the time `count` nanoseconds later, limited to the last time of this type.
  ///
  /// A negative count adds nothing.
  package func advanced(byNanoseconds count: Int64) -> MonotonicTime {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(UInt64(clamping: count))
    return MonotonicTime(nanoseconds: overflow ? .max : sum)
  }

  /// Returns the time from an earlier point to this one; negative if that point is later.
  public func duration(since earlier: MonotonicTime) -> Duration {
    nanoseconds >= earlier.nanoseconds
      ? .nanoseconds(Int64(clamping: nanoseconds - earlier.nanoseconds))
      : .zero - .nanoseconds(Int64(clamping: earlier.nanoseconds - nanoseconds))
  }
}

extension timespec {
  /// Makes the kernel's form of a time.
  init(_ time: MonotonicTime) {
    self.init(
      tv_sec: Int(time.nanoseconds / 1_000_000_000), tv_nsec: Int(time.nanoseconds % 1_000_000_000))
  }
}
