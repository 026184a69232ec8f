// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor
public import IOLoop

/// The destination of a played trace: a device for each device of the trace, by its index.
public protocol HIDTraceSink: Sendable {
  /// Sends input reports of one device in their order: at least one, at most as many as the bus
  /// takes at once.
  ///
  /// The function waits only until the first report can be sent. The player calls again for the
  /// remaining reports.
  ///
  /// - Parameters:
  ///   - reports: Reports of any of the devices, with their ID as first byte if they are numbered.
  ///   - range: The reports to send; not empty.
  ///   - device: The index of their device.
  ///   - due: The time on the player's timeline before which no report may be sent. It is at most
  ///     0.1 ms in the future. For the best accuracy, the sink polls the clock until then.
  /// - Returns: The number of reports that were sent, and the time.
  /// - Throws: An error, which ends playing and becomes ``HIDTracePlayback/failure``.
  func send(
    _ reports: HIDReportBatch, in range: Range<Int>, device: Int, notBefore due: MonotonicTime
  ) async throws -> HIDTraceSending

  /// Plugs a device, and returns when it can be used.
  ///
  /// The device can be plugged already, because the player does not check the trace. An error ends
  /// playing.
  func plug(device: Int) async throws

  /// Unplugs a device, which can be unplugged already; an error ends playing.
  func unplug(device: Int) async throws
}

/// The result of sending reports.
public struct HIDTraceSending: Hashable, Sendable {
  /// The number of reports that were sent, from the first.
  public var count: Int
  /// The time just before the reports were sent, on the player's timeline.
  public var time: MonotonicTime

  /// Creates a result from its parts.
  public init(count: Int, time: MonotonicTime) {
    self.count = count
    self.time = time
  }
}
