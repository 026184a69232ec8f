// SPDX-License-Identifier: Apache-2.0

public import HIDText

/// A whole trace in memory: devices and their events.
///
/// A ``HIDTraceReader`` reads traces that are too long for memory.
public struct HIDTrace: Hashable, Sendable {
  /// The largest number of events that ``init(reading:options:)`` reads into memory.
  public static let maximumEventCount = 4 << 20

  /// The devices, in the order in which the trace first names them.
  public var devices: [HIDTraceDevice]
  /// The events, in the order in which a ``HIDTraceReader`` reads them.
  public var events: [HIDTraceEvent]
  /// The warnings about the trace.
  public var warnings: [HIDTextProblem]

  /// Creates a trace from its parts.
  public init(
    devices: [HIDTraceDevice], events: [HIDTraceEvent] = [], warnings: [HIDTextProblem] = []
  ) {
    self.devices = devices
    self.events = events
    self.warnings = warnings
  }
}

/// A clock for the times of events in replays and comparisons.
///
/// The times of one device never decrease. Timestamps can go back if a clock was set, or if a
/// recorder mixed up its devices. An event whose timestamp goes back has the time of the previous
/// event of its device.
public struct HIDTraceClock: Sendable {
  private var latest: [Int64] = []

  /// Creates a clock before the first event.
  public init() {}

  /// Returns the time of an event in microseconds.
  ///
  /// It is the timestamp, or the time of the previous event of the same device if that is later. It
  /// is always the timestamp if the index of the device is negative, or is
  /// ``HIDTraceReader/maximumDeviceCount`` or more.
  public mutating func time(of event: HIDTraceEvent) -> Int64 {
    time(ofStamp: event.microseconds, device: event.device)
  }

  /// Returns the time of an event from its timestamp and the index of its device.
  mutating func time(ofStamp microseconds: Int64, device: Int) -> Int64 {
    if !latest.indices.contains(device) {
      guard (0..<HIDTraceReader.maximumDeviceCount).contains(device) else { return microseconds }
      while latest.count <= device { latest.append(.min) }
    }
    latest[device] = max(latest[device], microseconds)
    return latest[device]
  }
}
