// SPDX-License-Identifier: Apache-2.0

/// Writes a trace, event by event, as bytes to be put one after the other.
public struct HIDTraceWriter: Sendable {
  /// The formats that are written.
  public static let formats: [HIDTraceFormat] = [.recorder, .android]

  /// What could not be written in the format, by what it is: such as 3 `get-report requests`.
  public var leftOut: [String: Int] { encoder.leftOut }
  /// The format.
  public let format: HIDTraceFormat
  private var encoder: any TraceEncoder

  /// Begins a trace.
  ///
  /// - Parameters:
  ///   - format: One of ``formats``; nil is returned for any other.
  ///   - devices: The devices, which events name by their place among them.
  public init?(_ format: HIDTraceFormat, devices: [HIDTraceDevice]) {
    self.format = format
    switch format {
    case .recorder: encoder = RecorderTraceEncoder(devices)
    case .android: encoder = AndroidTraceEncoder(devices)
    case .libinput, .umockdev, .usb: return nil
    }
  }

  /// Writes what stands before the first event: once, first.
  public mutating func begin(into output: inout [UInt8]) { encoder.begin(into: &output) }

  /// Adds a device behind those that are there, at any time after the beginning: events name it from then on.
  ///
  /// - Returns: Whether the format has a place for it there.
  public mutating func add(_ device: HIDTraceDevice, into output: inout [UInt8]) -> Bool {
    encoder.add(device, into: &output)
  }

  /// Writes an event: whole lines, so that what was written so far is a trace at any time.
  public mutating func write(_ event: HIDTraceEvent, into output: inout [UInt8]) {
    encoder.write(event, into: &output)
  }
}

/// The writer of one format.
package protocol TraceEncoder: Sendable {
  /// What could not be written in the format, by what it is.
  var leftOut: [String: Int] { get }
  /// Writes what stands before the first event.
  mutating func begin(into output: inout [UInt8])
  /// Adds a device, if the format has a place for it behind events.
  mutating func add(_ device: HIDTraceDevice, into output: inout [UInt8]) -> Bool
  /// Writes an event.
  mutating func write(_ event: HIDTraceEvent, into output: inout [UInt8])
}

extension TraceEncoder {
  package mutating func add(_ device: HIDTraceDevice, into output: inout [UInt8]) -> Bool { false }
}

extension HIDTrace {
  /// The trace in a format; nil for one that is not written.
  public func written(as format: HIDTraceFormat = .recorder) -> [UInt8]? {
    guard var writer = HIDTraceWriter(format, devices: devices) else { return nil }
    var output: [UInt8] = []
    writer.begin(into: &output)
    for event in events { writer.write(event, into: &output) }
    return output
  }
}
