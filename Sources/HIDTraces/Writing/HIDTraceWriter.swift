// SPDX-License-Identifier: Apache-2.0

/// A writer that turns a trace into bytes, event by event.
///
/// Each call appends bytes to an array of the caller.
public struct HIDTraceWriter: Sendable {
  /// The formats that can be written.
  public static let formats: [HIDTraceFormat] = [.recorder, .android]

  /// The counts of data that could not be written, by kind: for example 3 `get-report requests`.
  public var leftOut: [String: Int] { encoder.leftOut }
  /// The format.
  public let format: HIDTraceFormat
  private var encoder: any TraceEncoder

  /// Creates a writer; nil if the format cannot be written.
  ///
  /// - Parameters:
  ///   - format: One of ``formats``.
  ///   - devices: The devices, which events name by their index.
  public init?(_ format: HIDTraceFormat, devices: [HIDTraceDevice]) {
    self.format = format
    switch format {
    case .recorder: encoder = RecorderTraceEncoder(devices)
    case .android: encoder = AndroidTraceEncoder(devices)
    case .libinput, .umockdev, .usb: return nil
    }
  }

  /// Writes the data before the first event; must be called once, before other output.
  public mutating func begin(into output: inout [UInt8]) { encoder.begin(into: &output) }

  /// Adds a device after the existing ones, at any time after the beginning.
  ///
  /// Later events can name the device.
  ///
  /// - Returns: True if the device was added; false if the format cannot add devices later, or has
  ///   no number left for it.
  public mutating func add(_ device: HIDTraceDevice, into output: inout [UInt8]) -> Bool {
    encoder.add(device, into: &output)
  }

  /// Writes an event as whole lines, so that the output is a trace at any time.
  ///
  /// An event that the format cannot hold is not written, and is counted in ``leftOut``. The format
  /// `recorder` ignores an event of an unknown device.
  public mutating func write(_ event: HIDTraceEvent, into output: inout [UInt8]) {
    encoder.write(event, into: &output)
  }
}

/// An encoder of one format.
package protocol TraceEncoder: Sendable {
  /// The counts of data that could not be written, by kind.
  var leftOut: [String: Int] { get }
  /// Writes the data before the first event.
  mutating func begin(into output: inout [UInt8])
  /// Adds a device after `begin`; returns whether the format could add it.
  mutating func add(_ device: HIDTraceDevice, into output: inout [UInt8]) -> Bool
  /// Writes an event.
  mutating func write(_ event: HIDTraceEvent, into output: inout [UInt8])
}

extension TraceEncoder {
  package mutating func add(_ device: HIDTraceDevice, into output: inout [UInt8]) -> Bool { false }
}

extension HIDTrace {
  /// Returns the trace in a format; nil if that format cannot be written.
  public func written(as format: HIDTraceFormat = .recorder) -> [UInt8]? {
    guard var writer = HIDTraceWriter(format, devices: devices) else { return nil }
    var output: [UInt8] = []
    writer.begin(into: &output)
    for event in events { writer.write(event, into: &output) }
    return output
  }
}
