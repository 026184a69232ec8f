// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor
public import IOLoop

/// The name of a get- or set-report request, to answer it by.
public struct HIDRequestID: Hashable, Sendable {
  /// The number, as the bus gave it.
  public let rawValue: UInt32

  /// Makes a name from the bus' number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// Which types of report carry a report ID as first byte.
public struct HIDNumberedReports: OptionSet, Hashable, Sendable {
  /// The bits of `UHID_START`'s `dev_flags`.
  public let rawValue: UInt64

  /// Makes a set from the bits of `UHID_START`.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Feature reports are numbered.
  public static let feature = HIDNumberedReports(rawValue: 1)
  /// Output reports are numbered.
  public static let output = HIDNumberedReports(rawValue: 2)
  /// Input reports are numbered.
  public static let input = HIDNumberedReports(rawValue: 4)
}

/// What a host does to a device, as the device's end of the wire sees it.
///
/// The bytes are exactly those that came: numbered reports start with their ID; un-numbered ones
/// may start with a `00` that their writer put there (hidraw clients do, the kernel's LED path does
/// not). ``HIDReportLengths/normalized(_:type:)`` says what the device should make of them.
///
/// The corresponding structure is `struct uhid_event`.
public enum HIDHostEvent: Hashable, Sendable {
  /// A driver was bound. Not a sign that anybody can open the device yet.
  case start(HIDNumberedReports)
  /// The driver was unbound; it may be started again.
  case stop
  /// The first client opened the device. The kernel's own drivers count as clients.
  case open
  /// The last client closed the device.
  case close
  /// An output report, sent without waiting for an answer.
  case output(HIDReportBytes)
  /// A get-report request: the client is blocked until ``HIDPeripheralPort/answerGet(_:_:)``.
  case getReport(HIDRequestID, HIDReportType, HIDReportID?)
  /// A set-report request: the client is blocked until ``HIDPeripheralPort/answerSet(_:accepted:)``.
  case setReport(HIDRequestID, HIDReportType, HIDReportID?, HIDReportBytes)
}

/// A host event, when it was taken from the bus, and from whom.
public struct HIDHostEventRecord: Sendable {
  /// When the device's end took the event from the bus.
  public let time: MonotonicTime
  /// What happened.
  public let event: HIDHostEvent
  /// The program that did it, where the bus can tell: its name and process ID.
  public let client: HIDClientName?

  /// Makes a record.
  public init(time: MonotonicTime, event: HIDHostEvent, client: HIDClientName? = nil) {
    self.time = time
    self.event = event
    self.client = client
  }
}

/// Who a client is: the program's short name and process ID.
public struct HIDClientName: Hashable, Sendable, CustomStringConvertible {
  /// The program's short name, as in `/proc/PID/comm`.
  public let program: String
  /// The process ID.
  public let processID: Int32

  /// Makes a name.
  public init(program: String, processID: Int32) {
    self.program = program
    self.processID = processID
  }

  /// The program and its process ID: `python3 (1234)`.
  public var description: String { "\(program) (\(processID))" }
}
