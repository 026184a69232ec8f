// SPDX-License-Identifier: Apache-2.0

public import HIDText
import SystemPackage

/// The options for reading a trace.
public struct HIDTraceReadingOptions: Sendable {
  /// The format; nil to detect it from the content.
  public var format: HIDTraceFormat?
  /// True to accept doubtful parts of the trace with a warning; otherwise, they are errors.
  ///
  /// Examples are a wrong byte count, an unusual timestamp, and a line or a command that is not
  /// valid and can be left out.
  public var isLenient: Bool
  /// The report descriptors for devices whose descriptors the trace lacks, in the order of these
  /// devices.
  ///
  /// More of them than devices without one are an error in a capture of USB packets, and a warning
  /// in the formats `libinput` and `umockdev`. The formats `recorder` and `android` do not use
  /// them.
  public var descriptors: [[UInt8]]
  /// True if the caller can give ``descriptors``, so that messages about a missing one suggest it.
  public var canGiveDescriptors: Bool
  /// False to leave out the warnings about answers that a trace cannot hold.
  ///
  /// Only the format `android` has such warnings.
  package var warnsOfAnswers = true
  /// Reads a file beside the trace; called with its name extension, `.umockdev` or `.ioctl`.
  ///
  /// The name of the file is that of the trace with this extension: `pad.umockdev` beside
  /// `pad.script`. If the function is nil or returns nil, there is no such file. Only the format
  /// `umockdev` calls it.
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

/// A reader of a trace in any format, which reads devices first and then events one by one.
///
/// The needed memory does not grow with the length of the trace. The reader reads the bytes of a
/// source at least twice if the trace has events: for the devices when it is created, and for the
/// events. If the file has the events of one device after the events of another, the bytes can be
/// read once for each device. The bytes do not have to be trusted.
///
/// A copy of a reader continues at the same event, independently of the original. So a copy that is
/// made before the first event reads the events again, without another search for the devices.
public struct HIDTraceReader: Sendable {
  /// The largest number of devices in one trace.
  public static let maximumDeviceCount = 256
  /// The message about a trace with more than ``maximumDeviceCount`` devices.
  static let tooManyDevices = "the trace has more than \(maximumDeviceCount) devices"
  /// The longest report descriptor that the kernel takes, in bytes.
  public static let maximumDescriptorByteCount = 4096
  /// The longest report that the kernel takes on any bus, in bytes.
  public static let maximumReportByteCount = 16384

  /// The format of the trace.
  public let format: HIDTraceFormat
  /// The devices, in the order in which the trace first names them.
  ///
  /// There is at least one, except in a trace in memory without devices.
  public let devices: [HIDTraceDevice]
  var decoder: any TraceDecoder

  /// Starts to read a trace.
  ///
  /// - Parameters:
  ///   - source: The bytes of the trace.
  ///   - options: The options for reading.
  /// - Throws: The problems that the first reading of the bytes finds, up to twenty, or an unknown
  ///   format.
  public init(
    _ source: HIDTraceSource, options: HIDTraceReadingOptions = HIDTraceReadingOptions()
  ) throws(HIDTraceError) {
    if let known = options.format { format = known } else { format = try .detect(source) }
    decoder = try format.decoder(source, options)
    devices = decoder.devices
  }

  /// Creates a reader of a trace in memory, with the format `recorder`.
  ///
  /// The reader leaves out the events of devices that the trace does not declare.
  public init(_ trace: HIDTrace) {
    format = .recorder
    devices = trace.devices
    decoder = MemoryTraceDecoder(trace)
  }

  /// Reads the next event; nil at the end.
  ///
  /// The events of one device come in the order of the trace. If a file has the events of one
  /// device after those of another, they are merged by time; in hid-recorder's text, this holds for
  /// up to 16 devices. The events of a trace in memory keep their order.
  ///
  /// - Throws: The problems in the rest of the trace, up to twenty. After that, nothing can be
  ///   read.
  public mutating func next() throws(HIDTraceError) -> HIDTraceEvent? { try decoder.next() }

  /// The warnings about the trace, as far as it was read.
  public var warnings: [HIDTextProblem] { decoder.warnings.problems }
}

/// A decoder of one format.
package protocol TraceDecoder: Sendable {
  /// The devices, in the order in which the trace first names them.
  ///
  /// There is at least one, except in a trace in memory without devices.
  var devices: [HIDTraceDevice] { get }
  /// The warnings about the trace, as far as it was read.
  var warnings: TraceWarnings { get }
  /// Reads the next event; nil at the end.
  mutating func next() throws(HIDTraceError) -> HIDTraceEvent?
  /// Passes events to a visitor while it wants more, and returns whether there may be more.
  mutating func visit(_ visitor: inout some TraceVisitor) throws(HIDTraceError) -> Bool
}

/// A decoder of a trace in memory.
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
    while position < events.count {
      defer { position += 1 }
      if devices.indices.contains(events[position].device) { return events[position] }
    }
    return nil
  }

  mutating func visit(_ visitor: inout some TraceVisitor) throws(HIDTraceError) -> Bool {
    var next = position
    defer { position = next }
    while visitor.wantsMore {
      guard next < events.count else { return false }
      if devices.indices.contains(events[next].device) { visitor.take(events[next]) }
      next += 1
    }
    return true
  }
}

extension HIDTraceSource {
  /// Reads bytes from an offset.
  ///
  /// - Throws: The failure of the source, as a problem with the name of the source.
  package func bytes(at offset: Int, count: Int) throws(HIDTraceError) -> [UInt8] {
    do throws(Errno) {
      return try read(at: offset, count: count)
    } catch {
      throw HIDTraceError(
        HIDTextProblem(file: name, location: .start, message: "cannot be read: \(error)"))
    }
  }
}
