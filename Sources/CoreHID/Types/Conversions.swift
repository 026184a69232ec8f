// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import IOLoop

extension SuspendingClock.Instant {
  /// Makes an instant from a time of the kernel's monotonic clock, which is the suspending clock
  /// here.
  init(_ time: MonotonicTime) {
    self = SuspendingClock().systemEpoch.advanced(by: .nanoseconds(time.nanoseconds))
  }
}

extension Data {
  /// Copies a report.
  init(_ bytes: HIDReportBytes) {
    self = bytes.withSpan { span in span.withUnsafeBytes { Data($0) } }
  }
}
