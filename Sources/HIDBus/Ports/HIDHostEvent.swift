// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor
public import IOLoop

/// The ID of a get-report or set-report request, used to answer it.
public struct HIDRequestID: Hashable, Sendable {
  /// The number that the bus gave to the request.
  public let rawValue: UInt32

  /// Makes an ID from the bus' number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// The report types whose reports start with a report ID.
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

/// One action of a host on a device, as the device receives it.
///
/// The bytes are exactly those that were received. Numbered reports start with their ID. Unnumbered
/// reports may start with a `00` that their writer added: hidraw clients add it, the kernel's LED
/// path does not. `HIDReportLengths.normalized(_:type:)` separates the ID from the report.
///
/// The corresponding structure is `struct uhid_event`.
public enum HIDHostEvent: Hashable, Sendable {
  /// A driver was bound; on the loopback bus, the device was plugged.
  ///
  /// Clients may still be unable to open the device.
  case start(HIDNumberedReports)
  /// The driver was unbound; another start may follow.
  case stop
  /// The first client opened the device.
  ///
  /// The kernel's own drivers count as clients.
  case open
  /// The last client closed the device.
  case close
  /// An output report, sent without waiting for an answer.
  case output(HIDReportBytes)
  /// A get-report request: its ID, the report's type, and the report's ID, `nil` for none.
  ///
  /// The client is blocked until ``HIDDevicePort/answerGet(_:_:)`` or a timeout.
  case getReport(HIDRequestID, HIDReportType, HIDReportID?)
  /// A set-report request: its ID, the report's type, the report's ID, `nil` for none, and the
  /// bytes.
  ///
  /// The client is blocked until ``HIDDevicePort/answerSet(_:accepted:)`` or a timeout.
  case setReport(HIDRequestID, HIDReportType, HIDReportID?, HIDReportBytes)
  /// An event of a USB host that is not about a report, on the USB bus only.
  case usb(USBHostEvent)
}

/// A host event with its time and, if known, the client that caused it.
public struct HIDHostEventRecord: Sendable {
  /// The time at which the device's port took the event from the bus.
  ///
  /// For a request that had to wait for other requests, it is the time at which its turn came.
  public let time: MonotonicTime
  /// The event.
  public let event: HIDHostEvent
  /// The client that caused the event; `nil` if no client did, or the bus cannot identify it.
  public let client: HIDClientName?
  /// The way by which the host has sent a report; `nil` for another event, and on the other buses.
  public let route: USBReportRoute?

  /// Makes a record.
  public init(
    time: MonotonicTime, event: HIDHostEvent, client: HIDClientName? = nil,
    route: USBReportRoute? = nil
  ) {
    self.time = time
    self.event = event
    self.client = client
    self.route = route
  }
}

/// The name of a client: its program's short name and its process ID.
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
