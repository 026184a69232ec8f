// SPDX-License-Identifier: Apache-2.0

public import HIDText
import SystemPackage

/// How a trace is to be read.
public struct HIDTraceReadingOptions: Sendable {
  /// The format; nil to find out by content.
  public var format: HIDTraceFormat?
  /// Whether a wrong byte count, an odd stamp and lines that nobody knows are warnings instead of errors.
  public var isLenient: Bool
  /// The report descriptors of devices whose descriptors the trace does not hold, in the order of those devices.
  public var descriptors: [[UInt8]]
  /// Whether the caller can give ``descriptors``: if so, a message about a missing one suggests it.
  public var canGiveDescriptors: Bool
  /// Reads a file beside the trace, whose name has this end instead: `.umockdev` beside `pad.script`; nil without it.
  public var sibling: (@Sendable (_ end: String) -> [UInt8]?)?

  /// Creates options.
  public init(
    format: HIDTraceFormat? = nil, isLenient: Bool = false, descriptors: [[UInt8]] = [],
    canGiveDescriptors: Bool = true, sibling: (@Sendable (_ end: String) -> [UInt8]?)? = nil
  ) {
    self.format = format
    self.isLenient = isLenient
    self.descriptors = descriptors
    self.canGiveDescriptors = canGiveDescriptors
    self.sibling = sibling
  }
}

/// Reads a trace of any format: its devices at once, its events one after the other, in constant memory.
///
/// The bytes are gone over twice: for the devices, when the reader is made, and for the events. They can be hostile.
public struct HIDTraceReader: Sendable {
  /// The most devices one trace can hold.
  public static let maximumDeviceCount = 256
  /// The message about a trace with more devices.
  static let tooManyDevices = "the trace has more than \(maximumDeviceCount) devices"
  /// The longest report descriptor the kernel takes, in bytes.
  public static let maximumDescriptorByteCount = 4096
  /// The longest report that exists anywhere in the kernel, in bytes.
  public static let maximumReportByteCount = 16384

  /// The format of the trace.
  public let format: HIDTraceFormat
  /// The devices, in the order in which the trace first names them; at least one.
  public let devices: [HIDTraceDevice]
  var decoder: any TraceDecoder

  /// Begins to read a trace.
  ///
  /// - Throws: What is wrong with it, up to twenty problems; that it is in no format that is read.
  public init(
    _ source: HIDTraceSource, options: HIDTraceReadingOptions = HIDTraceReadingOptions()
  ) throws(HIDTraceError) {
    if let known = options.format { format = known } else { format = try .detect(source) }
    decoder = try format.decoder(source, options)
    devices = decoder.devices
  }

  /// Reads a trace that is in memory already.
  public init(_ trace: HIDTrace) {
    format = .recorder
    devices = trace.devices
    decoder = MemoryTraceDecoder(trace)
  }

  /// Reads the next event, in the order of time as far as the trace's own format keeps that; nil at the end.
  ///
  /// - Throws: What is wrong with the rest of the trace, up to twenty problems; then nothing more can be read.
  public mutating func next() throws(HIDTraceError) -> HIDTraceEvent? { try decoder.next() }

  /// What is odd in the trace as far as it was read, without making it unusable.
  public var warnings: [HIDTextProblem] { decoder.warnings.problems }
}

/// The reader of one format.
package protocol TraceDecoder: Sendable {
  /// The devices, in the order in which the trace first names them; at least one.
  var devices: [HIDTraceDevice] { get }
  /// What is odd in what was read so far.
  var warnings: TraceWarnings { get }
  /// Reads the next event; nil at the end.
  mutating func next() throws(HIDTraceError) -> HIDTraceEvent?
  /// Hands events to a visitor for as long as it wants more, and says whether there may be more.
  mutating func visit(_ visitor: inout some TraceVisitor) throws(HIDTraceError) -> Bool
}

/// A trace in memory, event by event.
private struct MemoryTraceDecoder: TraceDecoder {
  let devices: [HIDTraceDevice]
  private(set) var warnings = TraceWarnings()
  private let events: [HIDTraceEvent]
  private var position = 0

  init(_ trace: HIDTrace) {
    devices = trace.devices
    events = trace.events
    for problem in trace.warnings { warnings.add(problem) }
  }

  mutating func next() throws(HIDTraceError) -> HIDTraceEvent? {
    guard position < events.count else { return nil }
    defer { position += 1 }
    return events[position]
  }

  mutating func visit(_ visitor: inout some TraceVisitor) throws(HIDTraceError) -> Bool {
    var next = position
    defer { position = next }
    while visitor.wantsMore {
      guard next < events.count else { return false }
      visitor.take(events[next])
      next += 1
    }
    return true
  }
}

extension HIDTraceSource {
  /// The bytes from a place on, with an error that says what could not be read.
  package func bytes(at offset: Int, count: Int) throws(HIDTraceError) -> [UInt8] {
    do throws(Errno) {
      return try read(at: offset, count: count)
    } catch {
      throw HIDTraceError(
        HIDTextProblem(file: name, location: .start, message: "cannot be read: \(error)"))
    }
  }
}
