// SPDX-License-Identifier: Apache-2.0

import HIDText
import HIDTimeline
import Synchronization

/// The room for timelines in a report of many tests.
///
/// A test that fails has its latest 20,000 events, a test that passes its latest 1,000. Once the
/// timelines of failed tests have 128 MiB, further failed tests have none. Once those of passed
/// tests have 16 MiB, further passed tests have none.
final class TimelineRoom: Sendable {
  private let passed = Atomic(0)
  private let failed = Atomic(0)

  /// Returns the timeline of a test that has ended; nil if there is no room.
  func timeline(of session: RunSession, hasPassed: Bool) -> JSONLine? {
    let used = hasPassed ? passed.load(ordering: .relaxed) : failed.load(ordering: .relaxed)
    guard used < (hasPassed ? 16 : 128) << 20 else { return nil }
    let timeline = TimelineJSON.timeline(
      of: session.log, base: session.base, devices: session.devices,
      limit: hasPassed ? 1000 : 20_000)
    let count = timeline.utf8.count
    if hasPassed {
      passed.wrappingAdd(count, ordering: .relaxed)
    } else {
      failed.wrappingAdd(count, ordering: .relaxed)
    }
    return timeline
  }
}
