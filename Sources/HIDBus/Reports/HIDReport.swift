// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor
public import IOLoop

/// An input report, with the time at which it arrived.
public struct HIDReport: Hashable, Sendable {
  /// The time at which this process took the report from the bus.
  ///
  /// On the loopback bus, a report that found a lossless stream full has the time at which there
  /// was room for it.
  public internal(set) var time: MonotonicTime
  /// The bytes, the report ID first if the device numbers its input reports.
  public internal(set) var bytes: HIDReportBytes

  /// Makes a report.
  public init(time: MonotonicTime, bytes: HIDReportBytes) {
    self.time = time
    self.bytes = bytes
  }
}
