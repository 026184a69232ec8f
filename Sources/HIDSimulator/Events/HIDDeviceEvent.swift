// SPDX-License-Identifier: Apache-2.0

public import HIDBus
public import HIDReportDescriptor
public import IOLoop

/// An event of a simulated device, or of one of its interfaces.
public struct HIDDeviceEvent: Sendable {
  /// The kind of an event, with its details.
  public enum Kind: Sendable {
    /// The device is plugged and ready; `after` is the time since plugging began.
    indirect case plugged(HIDDeviceRecord, HIDIsolation, after: Duration)
    /// The kernel has bound another driver, or the same driver again; the record has the nodes that
    /// the driver made.
    indirect case driverChanged(HIDDeviceRecord, HIDIsolation)
    /// The device cannot be used any more; the text is the reason.
    ///
    /// The kernel's driver released the device and no other driver is ready, plugging the device
    /// again failed, or a `plug` command that does not wait could not finish plugging the device.
    /// After a later `driverChanged` or `plugged`, the device can be used again.
    case unusable(String)
    /// The device is unplugged.
    case unplugged
    /// The first client opened the device; the kernel's own drivers count as clients.
    case opened
    /// The last client closed the device.
    case closed
    /// The host sent an output report.
    case output(HIDReceivedReport)
    /// The host requested a report, and the device answered or gave no answer.
    case getReport(HIDReportType, HIDReportID?, HIDAnswer)
    /// The host sent a request that is delegated to the program which drives the device.
    case request(HIDDelegatedRequest)
    /// The host set a report, and the device answered or gave no answer.
    case setReport(HIDReceivedReport, HIDAnswer)
    /// The device sends an input report, or cannot send it because the report descriptor does not
    /// declare it or declares it shorter.
    ///
    /// The event comes just before the report is sent. If the device is then unplugged, or the bus
    /// fails, a report can have an event and not be sent.
    case input(HIDSentReport)
    /// The device dropped this number of replies, because too many were waiting.
    ///
    /// Replies are the input reports that behaviours send.
    case lost(Int)
    /// Clients lost this number of the device's input reports, because they read too slowly.
    ///
    /// The event comes when the device is unplugged, before `unplugged`.
    case lostInput(Int)
    /// An event of a USB host that is not about a report, on the USB bus only.
    case usb(USBHostEvent)
    /// A report that a real device might have understood differently; the text is a sentence.
    case fidelity(String)
    /// A packet on the command link: the connection on which clients drive a device such as an
    /// InputStick.
    case packet(HIDLinkPacket)
    /// The command link opened, or a client of it connected, disconnected or was refused.
    case link(HIDLinkChange)

    /// True for an event that a client of the host caused, and for an event of the command link.
    ///
    /// Warnings about the host's reports and the loss of replies count, too. A change of the
    /// kernel's driver (`driverChanged`, `unusable`) does not count.
    package var isHosts: Bool {
      switch self {
      case .opened, .closed, .output, .request, .getReport, .setReport, .lost, .usb, .fidelity,
        .packet, .link:
        true
      case .plugged, .driverChanged, .unusable, .unplugged, .input, .lostInput: false
      }
    }

    /// True if the event makes `expect nothing` fail.
    ///
    /// These events are reports of the host, its requests once they are answered or left without an
    /// answer, and the loss of replies. Opening and closing are not among them: the loopback bus
    /// sees which clients have the device open, but the kernel's bus mostly does not, since its
    /// drivers keep the device open. Only the USB bus has events of USB hosts. So a script has the
    /// same result on all buses.
    package var breaksSilence: Bool {
      switch self {
      case .output, .getReport, .setReport, .lost: true
      case .plugged, .driverChanged, .unusable, .unplugged, .opened, .closed, .request, .input,
        .lostInput, .usb, .fidelity, .packet, .link:
        false
      }
    }

    /// The type, ID and bytes of an output report, an acknowledged set report or an input report;
    /// nil for another event.
    package var knownReport: (type: HIDReportType, id: HIDReportID?, bytes: [UInt8])? {
      switch self {
      case .output(let report): (report.type, report.id, report.arranged ?? report.bytes)
      case .setReport(let report, let answer) where answer.value == .acknowledged:
        (report.type, report.id, report.arranged ?? report.bytes)
      case .input(let report): (.input, report.id, report.change?.report ?? report.bytes)
      default: nil
      }
    }

    /// The approximate memory that the event's reports take, in bytes.
    var byteCount: Int {
      func size(_ report: HIDReceivedReport) -> Int {
        report.bytes.count + report.raw.count
          + report.changes.count * MemoryLayout<HIDNamedValue>.stride
      }
      return switch self {
      case .output(let report): size(report)
      case .setReport(let report, _): size(report)
      case .getReport(_, _, let answer): answer.value.report?.count ?? 0
      case .request(let request): request.bytes?.count ?? 0
      case .usb(.request(let bytes, _)): bytes.count
      case .packet(let packet): packet.bytes.count + (packet.content?.count ?? 0)
      // The report before is that of another event, too.
      case .input(let report): report.bytes.count
      default: 0
      }
    }

    /// The name of the event.
    public var name: HIDEventName {
      switch self {
      case .plugged: .plugged
      case .driverChanged: .driver
      case .unusable: .unusable
      case .unplugged: .unplugged
      case .opened: .opened
      case .closed: .closed
      case .output: .output
      case .request: .request
      case .getReport: .get
      case .setReport: .set
      case .input: .input
      case .lost, .lostInput: .lost
      case .usb: .usb
      case .fidelity: .fidelity
      case .packet: .packet
      case .link: .link
      }
    }

    /// True if the event is an input report.
    package var isInput: Bool { if case .input = self { true } else { false } }
  }

  /// The time of the event.
  public internal(set) var time: MonotonicTime
  /// The label of the device or interface, as messages show it.
  public let device: String
  /// The kind of the event.
  public let kind: Kind
  /// The client that caused the event; nil if no client did, or the bus cannot identify it.
  public let client: HIDClientName?
  /// The way by which the host sent a report or a request; nil for another event, and on all buses
  /// except the USB bus.
  public internal(set) var route: USBReportRoute?
  /// True if a driver of the kernel caused the event: it was taking the device, so that programs
  /// could not open it, or the event is a warning, and no program had the device open.
  package var isDrivers = false
}

/// A report that the host sent, as received and as understood.
public struct HIDReceivedReport: Sendable {
  /// The report's type.
  public let type: HIDReportType
  /// The report's ID; `nil` if reports of its type are unnumbered, and if the bytes do not begin
  /// with an ID.
  public let id: HIDReportID?
  /// The report, its ID first if it is numbered.
  public let bytes: [UInt8]
  /// The bytes exactly as received.
  public let raw: [UInt8]
  /// The report with each control where its field says; `nil` if that is ``bytes``.
  ///
  /// See ``HIDControlAlternatives``.
  var arranged: [UInt8]?
  /// The names and new values of the controls that differ from the previous report; empty if the
  /// report is not declared.
  ///
  /// A relative control is included if its value is not 0.
  public let changes: [HIDNamedValue]
  /// True if the report descriptor declares the report.
  public let isDeclared: Bool
  /// True if the device file has behaviours for such reports, and none of them matched this one.
  ///
  /// It is false if a script or another program answers the request.
  public internal(set) var isUnhandled = false
}

/// An input report that a device sent or could not send.
public struct HIDSentReport: Sendable {
  /// The report's ID; `nil` if input reports are unnumbered, and if the bytes do not begin with an
  /// ID.
  public let id: HIDReportID?
  /// The report, its ID first if it is numbered.
  public let bytes: [UInt8]
  /// The change from the report before; nil if the report was not sent.
  ///
  /// It is decoded when it is read, so that sending a report does not wait for that.
  let change: Change?

  /// The names and new values of the controls that differ from the previous report; empty if the
  /// report was not sent.
  ///
  /// A relative control is included if its value is not 0. The keys of an array with ErrorRollOver
  /// are left out. Each access decodes both reports.
  public var changes: [HIDNamedValue] { change?.values ?? [] }

  /// Two reports of which one follows the other.
  struct Change: Sendable {
    let names: HIDReportNames
    /// The report before, in its declared length; nil if the descriptor declares no such report.
    let previous: [UInt8]?
    /// The report, filled up to its declared length.
    let report: [UInt8]

    var values: [HIDNamedValue] { names.changes(.input, from: previous, to: report) }
  }
}

/// The device's answer to a request of the host.
///
/// A host that has stopped waiting does not get it.
public struct HIDAnswer: Sendable {
  /// The answer: a report only for a get request, an acceptance only for a set request.
  public let value: HIDRequestAnswer
  /// The time from the request to the answer, or to the decision to give no answer.
  public let latency: Duration
  /// True if the report descriptor declares the report.
  public let isDeclared: Bool
}
