// SPDX-License-Identifier: Apache-2.0

public import HIDText

/// A whole trace in memory: devices, and what happened to them.
///
/// What is longer than memory is read by a ``HIDTraceReader``.
public struct HIDTrace: Hashable, Sendable {
  /// The most events that are kept in memory.
  public static let maximumEventCount = 4 << 20

  /// The devices, in the order in which the trace first names them.
  public var devices: [HIDTraceDevice]
  /// The events, in order.
  public var events: [HIDTraceEvent]
  /// What is odd in the trace without making it unusable.
  public var warnings: [HIDTextProblem]

  /// Creates a trace from its parts.
  public init(
    devices: [HIDTraceDevice], events: [HIDTraceEvent] = [], warnings: [HIDTextProblem] = []
  ) {
    self.devices = devices
    self.events = events
    self.warnings = warnings
  }

  /// Reads a trace of any format.
  ///
  /// - Parameters:
  ///   - source: The bytes. They can be hostile.
  ///   - options: How to read them.
  /// - Throws: What is wrong with it, up to twenty problems; that it has too many events for memory.
  public init(
    reading source: HIDTraceSource, options: HIDTraceReadingOptions = HIDTraceReadingOptions()
  ) throws(HIDTraceError) {
    var reader = try HIDTraceReader(source, options: options)
    devices = reader.devices
    events = []
    while let event = try reader.next() {
      guard events.count < Self.maximumEventCount else {
        throw HIDTraceError(
          HIDTextProblem(
            file: source.name, location: HIDTextLocation(line: max(1, event.line), column: 1),
            message: "the trace has more than \(Self.maximumEventCount) events"))
      }
      events.append(event)
    }
    warnings = reader.warnings
  }

  /// Reads a trace of any format from memory.
  ///
  /// - Parameters:
  ///   - bytes: The bytes. They can be hostile.
  ///   - name: What messages call them.
  ///   - options: How to read them.
  public init(
    _ bytes: [UInt8], name: String, options: HIDTraceReadingOptions = HIDTraceReadingOptions()
  ) throws(HIDTraceError) {
    try self.init(reading: HIDTraceSource(name: name, bytes: bytes), options: options)
  }
}

/// The times of a trace's events as they are replayed and compared: none before the one before it.
///
/// Stamps can go back where a clock was set or a recorder mixed up its devices. An event whose stamp does has the time
/// of the event of its device before it.
public struct HIDTraceClock: Sendable {
  private var latest: [Int64] = []

  /// Creates a clock that has seen no event.
  public init() {}

  /// The time of an event, in microseconds: its stamp, or that of its device's event before it.
  public mutating func time(of event: HIDTraceEvent) -> Int64 {
    time(ofStamp: event.microseconds, device: event.device)
  }

  /// The time of an event, from its stamp and the place of its device.
  mutating func time(ofStamp microseconds: Int64, device: Int) -> Int64 {
    while latest.count <= device { latest.append(.min) }
    latest[device] = max(latest[device], microseconds)
    return latest[device]
  }
}
