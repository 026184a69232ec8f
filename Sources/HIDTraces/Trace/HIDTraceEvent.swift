// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor

/// An event of a device in a trace.
///
/// Reports have their ID as first byte if the device numbers reports of that type.
public struct HIDTraceEvent: Hashable, Sendable {
  /// The kinds of events, with their content.
  public enum Kind: Hashable, Sendable {
    /// The device sent an input report.
    case input(HIDReportBytes)
    /// The input report as the device sent it, before the recorder's kernel changed it.
    ///
    /// The changed report follows as `input`.
    case original(HIDReportBytes)
    /// The host sent an output report, to which there is no answer.
    case output(HIDReportBytes)
    /// The host asked for a report.
    case getReport(HIDTraceGet)
    /// The host set a report.
    case setReport(HIDTraceSet)
    /// The first client opened the device.
    case opened
    /// The last client closed the device.
    case closed
    /// The device was plugged, after it had been unplugged.
    case plugged
    /// The device was unplugged.
    case unplugged
    /// The recorder lost this number of input reports of the device.
    case lost(Int)
    /// A packet went over the command link, over which a client sends commands to the device.
    case packet(HIDTracePacket)
  }

  /// The timestamp in microseconds.
  ///
  /// It counts from a time that the recorder chose, such as the first event. In a capture it counts
  /// from the earliest packet, and in commands of Android and scripts of umockdev from their start.
  /// The timestamp of a request is the time of its answer, or the time at which it was given up.
  public var microseconds: Int64
  /// The index of the device among the devices of the trace.
  public var device: Int
  /// The kind of the event, with its content.
  public var kind: Kind
  /// The line of the file, or the number of the packet.
  ///
  /// It is 0 for an event that does not come from a file, or comes from umockdev's `.ioctl` file.
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
  /// The directions of packets.
  public enum Direction: String, Hashable, Sendable, CaseIterable {
    /// From the client of the link to the device.
    case received
    /// From the device to the client.
    case sent
  }

  /// The direction of the packet.
  public var direction: Direction
  /// True if the device could read the packet.
  public var isReadable: Bool
  /// The plain content with the command byte first; the raw bytes if the device could not read it.
  public var bytes: HIDReportBytes

  /// Creates a packet from its parts.
  public init(_ direction: Direction, isReadable: Bool = true, bytes: HIDReportBytes) {
    self.direction = direction
    self.isReadable = isReadable
    self.bytes = bytes
  }
}

/// A get-report request and its answer.
public struct HIDTraceGet: Hashable, Sendable {
  /// The type of the report.
  public var type: HIDReportType
  /// The report's ID; nil if reports of its type are unnumbered.
  public var id: HIDReportID?
  /// The answer that the host received: a report, an error, or none that the trace knows.
  public var answer: HIDRequestAnswer
  /// The time that the host waited, in microseconds.
  public var latency: Int64

  /// Creates a request from its parts.
  public init(type: HIDReportType, id: HIDReportID?, answer: HIDRequestAnswer, latency: Int64 = 0) {
    self.type = type
    self.id = id
    self.answer = answer
    self.latency = latency
  }
}

/// A set-report request and its answer.
public struct HIDTraceSet: Hashable, Sendable {
  /// The type of the report.
  public var type: HIDReportType
  /// The report's ID; nil if reports of its type are unnumbered.
  public var id: HIDReportID?
  /// The report.
  public var report: HIDReportBytes
  /// The answer that the host received: `acknowledged`, `error`, or `none` if the trace has none.
  ///
  /// Answers to set requests have no report: if one is assigned, the answer is an acknowledgement.
  public var answer: HIDRequestAnswer {
    get { outcome.answer }
    set { outcome = Outcome(newValue) }
  }
  /// The time that the host waited, in microseconds.
  public var latency: Int64
  private var outcome: Outcome

  /// An answer without room for a report, which would make every event of a trace larger.
  private enum Outcome: Hashable, Sendable {
    case acknowledged, error, none

    init(_ answer: HIDRequestAnswer) {
      self =
        switch answer {
        case .report, .acknowledged: .acknowledged
        case .error: .error
        case .none: .none
        }
    }

    var answer: HIDRequestAnswer {
      switch self {
      case .acknowledged: .acknowledged
      case .error: .error
      case .none: .none
      }
    }
  }

  /// Creates a request from its parts.
  public init(
    type: HIDReportType, id: HIDReportID?, report: HIDReportBytes, answer: HIDRequestAnswer,
    latency: Int64 = 0
  ) {
    self.type = type
    self.id = id
    self.report = report
    outcome = Outcome(answer)
    self.latency = latency
  }
}
