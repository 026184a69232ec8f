// SPDX-License-Identifier: Apache-2.0

public import HIDWire
public import IOLoop

/// Where a trace is played to: a device for each of the trace's, by its place among them.
public protocol HIDTraceSink: Sendable {
  /// Sends input reports of one device in their order: at least one, and no more than can go out at once.
  ///
  /// Waits only until the first can go out. The player asks again for the rest.
  ///
  /// - Parameters:
  ///   - reports: Reports of any of the devices, their ID first if they are numbered.
  ///   - range: Which of them to send; not empty.
  ///   - device: The place of the device they are of.
  ///   - due: When the first of them is due, on the player's timeline: none may be sent before. That is now, or at most 0.1
  ///     ms from now, for which it is best to look at the clock.
  /// - Returns: How many were sent, and when.
  func send(
    _ reports: HIDReportBatch, in range: Range<Int>, device: Int, notBefore due: MonotonicTime
  ) async throws -> HIDTraceSending

  /// Plugs a device that has gone, and returns when it can be used.
  func plug(device: Int) async throws

  /// Unplugs a device.
  func unplug(device: Int) async throws
}

/// What came of sending reports.
public struct HIDTraceSending: Hashable, Sendable {
  /// How many of the reports were sent, from the first.
  public var count: Int
  /// The time just before they were, on the player's timeline.
  public var time: MonotonicTime

  /// Creates it from its parts.
  public init(count: Int, time: MonotonicTime) {
    self.count = count
    self.time = time
  }
}
