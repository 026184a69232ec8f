// SPDX-License-Identifier: Apache-2.0

import HIDText

extension HIDTrace {
  /// Reads a trace of any format.
  ///
  /// - Parameters:
  ///   - source: The bytes, which do not have to be trusted.
  ///   - options: The options for reading.
  /// - Throws: The problems of the trace, up to twenty; an unknown format; or more than
  ///   ``maximumEventCount`` events.
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
  ///   - bytes: The bytes, which do not have to be trusted.
  ///   - name: The name of the trace in messages.
  ///   - options: The options for reading.
  /// - Throws: As ``init(reading:options:)`` does.
  public init(
    _ bytes: [UInt8], name: String, options: HIDTraceReadingOptions = HIDTraceReadingOptions()
  ) throws(HIDTraceError) {
    try self.init(reading: HIDTraceSource(name: name, bytes: bytes), options: options)
  }
}
