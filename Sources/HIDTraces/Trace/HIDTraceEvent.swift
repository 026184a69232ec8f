// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor
public import IOLoop

/// Something that happened to a device of a trace.
///
/// Reports have their ID as first byte where the device numbers reports of that type, and none otherwise.
public struct HIDTraceEvent: Hashable, Sendable {
  /// What happened.
  public enum Kind: Hashable, Sendable {
    /// The device sent an input report.
    case input(HIDReportBytes)
    /// What the device sent before the recorder's kernel changed it into the input report that follows.
    case original(HIDReportBytes)
    /// The host sent an output report, which nobody answers.
    case output(HIDReportBytes)
    /// The host asked for a report.
    case getReport(HIDTraceGet)
    /// The host set a report.
    case setReport(HIDTraceSet)
    /// The first client opened the device.
    case opened
    /// The last client closed the device.
    case closed
    /// The device came, after it had gone.
    case plugged
    /// The device went.
    case unplugged
    /// So many input reports of the device are missing here: the recorder lost them.
    case lost(Int)
    /// A packet went over the command link of the device.
    case packet(HIDTracePacket)
  }

  /// The stamp in microseconds, as the trace has it: since its first event, or since a moment of the recorder's.
  ///
  /// That of a request is when it was answered, or was given up.
  public var microseconds: Int64
  /// The place of the device among those of the trace, from 0.
  public var device: Int
  /// What happened.
  public var kind: Kind
  /// The line of the file, or the number of the packet; 0 for an event that comes from no file.
  public var line: Int

  /// Creates an event from its parts.
  public init(microseconds: Int64, device: Int = 0, kind: Kind, line: Int = 0) {
    self.microseconds = microseconds
    self.device = device
    self.kind = kind
    self.line = line
  }
}

/// A packet on the command link of a device, such as an InputStick.
public struct HIDTracePacket: Hashable, Sendable {
  /// Which way a packet went.
  public enum Direction: String, Hashable, Sendable, CaseIterable {
    /// From the client of the link to the device.
    case received
    /// From the device to the client.
    case sent
  }

  /// Which way it went.
  public var direction: Direction
  /// Whether the device could read it.
  public var isReadable: Bool
  /// The content in the clear, the command's byte first; the bytes on the link if it could not be
  /// read.
  public var bytes: HIDReportBytes

  /// Creates a packet from its parts.
  public init(_ direction: Direction, isReadable: Bool = true, bytes: HIDReportBytes) {
    self.direction = direction
    self.isReadable = isReadable
    self.bytes = bytes
  }
}

/// A get-report request, and what came of it.
public struct HIDTraceGet: Hashable, Sendable {
  /// What a host got that asked for a report.
  public enum Answer: Hashable, Sendable {
    /// The report.
    case report(HIDReportBytes)
    /// An error.
    case refused
    /// Nothing, as far as the trace goes.
    case unanswered
  }

  /// The type of the report.
  public var type: HIDReportType
  /// The report's ID; nil when reports of its type are un-numbered.
  public var id: HIDReportID?
  /// What the host got.
  public var answer: Answer
  /// How long the host waited, in microseconds.
  public var latency: Int64

  /// Creates a request from its parts.
  public init(type: HIDReportType, id: HIDReportID?, answer: Answer, latency: Int64 = 0) {
    self.type = type
    self.id = id
    self.answer = answer
    self.latency = latency
  }
}

/// A set-report request, and what came of it.
public struct HIDTraceSet: Hashable, Sendable {
  /// What a host got that set a report.
  public enum Answer: String, Hashable, Sendable {
    /// The device took the report.
    case accepted
    /// An error.
    case refused
    /// Nothing, as far as the trace goes.
    case unanswered = "none"
  }

  /// The type of the report.
  public var type: HIDReportType
  /// The report's ID; nil when reports of its type are un-numbered.
  public var id: HIDReportID?
  /// The report.
  public var report: HIDReportBytes
  /// What the host got.
  public var answer: Answer
  /// How long the host waited, in microseconds.
  public var latency: Int64

  /// Creates a request from its parts.
  public init(
    type: HIDReportType, id: HIDReportID?, report: HIDReportBytes, answer: Answer,
    latency: Int64 = 0
  ) {
    self.type = type
    self.id = id
    self.report = report
    self.answer = answer
    self.latency = latency
  }
}
