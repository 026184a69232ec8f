// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor
public import HIDWire
public import IOLoop

/// Something that happened to a simulated device.
public struct HIDDeviceEvent: Sendable {
  /// What happened.
  public enum Kind: Sendable {
    /// The device is plugged, and can be used: so long after it was begun.
    case plugged(HIDDeviceRecord, HIDIsolation, after: Duration)
    /// The kernel has bound another driver, which made other nodes.
    case driverChanged(HIDDeviceRecord, HIDIsolation)
    /// The kernel took the driver away, and the device cannot be used any more: a sentence.
    case unusable(String)
    /// The device is unplugged.
    case unplugged
    /// The first client opened the device; the kernel's own drivers count as clients.
    case opened
    /// The last client closed the device.
    case closed
    /// The host sent an output report.
    case output(HIDReceivedReport)
    /// The host asked for a report, and got an answer.
    case getReport(HIDReportType, HIDReportID?, HIDAnswer)
    /// The host asked something that was left to whoever drives the device, and waits for that one's answer.
    case request(HIDDelegatedRequest)
    /// The host set a report, and got an answer.
    case setReport(HIDReceivedReport, HIDAnswer)
    /// The device sent an input report.
    case input(HIDSentReport)
    /// The bus lost so many events of the host before the device could take them.
    case lost(Int)
    /// Clients have lost so many input reports of the device, because they read too slowly.
    case lostInput(Int)
    /// Something that a real device would have understood differently: a sentence.
    case fidelity(String)
    /// A packet on the device's command link.
    case packet(HIDLinkPacket)
    /// A client of the device's command link came, went or was refused.
    case link(HIDLinkChange)

    /// Whether the host did it, or its bus, or a client of the command link.
    package var isHosts: Bool {
      switch self {
      case .opened, .closed, .output, .request, .getReport, .setReport, .lost, .fidelity, .packet,
        .link:
        true
      case .plugged, .driverChanged, .unusable, .unplugged, .input, .lostInput: false
      }
    }

    /// Whether the event breaks the silence that `expect nothing` asks for.
    ///
    /// Reports of the host do, its requests once they are answered, and events of it that were
    /// lost. Opening and closing do not: the loopback bus sees which clients have the device open,
    /// but the kernel's bus mostly does not, since its drivers keep the device open. So a script
    /// means the same on both.
    var breaksSilence: Bool {
      switch self {
      case .output, .getReport, .setReport, .lost: true
      default: false
      }
    }

    /// The report that the device keeps from this event on, as the last one of its type and ID.
    var knownReport: (type: HIDReportType, id: HIDReportID?, bytes: [UInt8])? {
      switch self {
      case .output(let report): (report.type, report.id, report.bytes)
      case .setReport(let report, let answer) where answer.report != nil:
        (report.type, report.id, report.bytes)
      case .input(let report): (.input, report.id, report.bytes)
      default: nil
      }
    }

    /// How much memory its reports take, about.
    var byteCount: Int {
      func size(_ report: HIDReceivedReport) -> Int {
        report.bytes.count + report.raw.count
          + report.changes.count * MemoryLayout<HIDNamedValue>.stride
      }
      return switch self {
      case .output(let report): size(report)
      case .setReport(let report, let answer): size(report) + (answer.report?.count ?? 0)
      case .getReport(_, _, let answer): answer.report?.count ?? 0
      case .request(let request): request.bytes?.count ?? 0
      case .packet(let packet): packet.bytes.count + (packet.content?.count ?? 0)
      case .input(let report):
        report.bytes.count + report.changes.count * MemoryLayout<HIDNamedValue>.stride
      default: 0
      }
    }

    /// Whether it is an input report.
    var isInput: Bool { if case .input = self { true } else { false } }
  }

  /// When it happened.
  public internal(set) var time: MonotonicTime
  /// Which device and interface, as people are told.
  public let device: String
  /// What happened.
  public let kind: Kind
  /// Who did it, where the bus can tell.
  public let client: HIDClientName?
  /// Whether a driver of the kernel caused it while it took the device, before any program could
  /// open the device.
  var isDrivers = false
}

/// A report of the host, as it came and as it is understood.
public struct HIDReceivedReport: Sendable {
  /// The report's type.
  public let type: HIDReportType
  /// The report's ID; `nil` when reports of its type are un-numbered.
  public let id: HIDReportID?
  /// The report, its ID first if it is numbered.
  public let bytes: [UInt8]
  /// The bytes as they came.
  public let raw: [UInt8]
  /// What it says that the report before it did not: names of controls and their values.
  public let changes: [HIDNamedValue]
  /// Whether the descriptor declares the report.
  public let isDeclared: Bool
}

/// An input report that a device sent.
public struct HIDSentReport: Sendable {
  /// The report's ID; `nil` when input reports are un-numbered.
  public let id: HIDReportID?
  /// The report, its ID first if it is numbered.
  public let bytes: [UInt8]
  /// What it says that the report before it did not.
  public let changes: [HIDNamedValue]
}

/// What a host was answered.
public struct HIDAnswer: Sendable {
  /// The report, its ID first if it is numbered; empty for a set-report request; `nil` for an error.
  public let report: [UInt8]?
  /// How long the host waited for it.
  public let latency: Duration
  /// Whether the descriptor declares the report.
  public let isDeclared: Bool
  /// Whether there is no answer, not even an error: the host waits until its own time is over.
  public let isSilent: Bool
}
