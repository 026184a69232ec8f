// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor
public import HIDText
public import HIDBus

/// A device as a file describes it: its identity and its interfaces.
public struct HIDDeviceDefinition: Hashable, Sendable {
  /// The product's name, 1 to 127 bytes of UTF-8.
  public var name: String
  /// The vendor ID.
  public var vendorID: UInt16
  /// The product ID.
  public var productID: UInt16
  /// The version in binary-coded decimal: 0x0110 is 1.10.
  public var versionNumber: UInt16
  /// The manufacturer's name, at most 127 bytes of UTF-8.
  public var manufacturer: String?
  /// The serial number, at most 63 bytes of UTF-8.
  public var serialNumber: String?
  /// The transport by which the device is attached.
  public var transport: HIDTransport
  /// The beginning of the physical path that the device reports, such as `usb-0000:00:14.0-2`.
  ///
  /// A text that `HIDPhysicalPath.isPlace(_:)` refuses is left out when the device is plugged.
  public var place: String?
  /// The country for which the hardware is made, 0 for none.
  ///
  /// Source: HID 1.11, section 6.2.1.
  public var countryCode: UInt8
  /// The interfaces, at least one; to the kernel each is a HID device of its own.
  public var interfaces: [HIDInterfaceDefinition]
  /// The parts of the USB device that differ from the derived ones.
  package var usb = USBSettings()

  /// Creates a device from its parts, without checking them.
  public init(
    name: String, vendorID: UInt16, productID: UInt16, versionNumber: UInt16 = 0,
    manufacturer: String? = nil, serialNumber: String? = nil, transport: HIDTransport = .usb,
    place: String? = nil, countryCode: UInt8 = 0, interfaces: [HIDInterfaceDefinition]
  ) {
    self.name = name
    self.vendorID = vendorID
    self.productID = productID
    self.versionNumber = versionNumber
    self.manufacturer = manufacturer
    self.serialNumber = serialNumber
    self.transport = transport
    self.place = place
    self.countryCode = countryCode
    self.interfaces = interfaces
  }
}

/// One interface of a device: its reports, and the behaviour that its descriptor cannot express.
public struct HIDInterfaceDefinition: Hashable, Sendable {
  /// The name by which scripts pick the interface.
  public var name: String?
  /// The report descriptor.
  public var descriptor: HIDReportDescriptor
  /// The initial contents of reports.
  ///
  /// An input report that is not listed begins as `HIDReportLayout.neutralReport`. All bits of an
  /// output or feature report that is not listed are 0, except its report ID.
  public var initialReports: [HIDInitialReport]
  /// The names that the device file gives to controls.
  ///
  /// Each value is a name by which `HIDReportDescriptor` finds the control.
  public var controls: [String: String]
  /// The names of the controls that were added to the descriptor, in their order there.
  public var addedControls: [String]
  /// The values that the interface remembers besides its reports.
  public var states: [HIDStateVariable]
  /// The stamps of input reports, in the order of report IDs and offsets.
  public var stamps: [HIDReportStamp]
  /// The output and feature reports that the hardware takes in any length, whatever is declared.
  public var anyLengthReports: [HIDReportName]
  /// The rules for actions that the descriptor cannot express.
  ///
  /// The first that matches an event applies; each timer is an event of its own.
  public var behaviours: [HIDBehaviour]
  /// The switches and the controls that they press.
  ///
  /// Of the rows that match and name a switch, the first applies to the switch.
  public var switches: [HIDSwitchRow]
  /// The rules for the strokes that switches send while they are down; the first rule that matches
  /// applies.
  public var switchRepeats: [HIDSwitchRepeat]
  /// The location in its file or trace at which the interface begins; the start if it has none.
  public var location: HIDTextLocation
  /// The added controls that are at different places in different reports.
  public var alternatives: [HIDControlAlternatives] = []
  /// The device nodes that the kernel makes for the interface.
  public var nodes = HIDDeviceNodes.any
  /// The parts of the USB interface that differ from the derived ones.
  package var usb = USBInterfaceSettings()

  /// Creates an interface from its parts, without checking them.
  public init(
    name: String? = nil, descriptor: HIDReportDescriptor, initialReports: [HIDInitialReport] = [],
    controls: [String: String] = [:], addedControls: [String] = [], states: [HIDStateVariable] = [],
    stamps: [HIDReportStamp] = [], anyLengthReports: [HIDReportName] = [],
    behaviours: [HIDBehaviour] = [], switches: [HIDSwitchRow] = [],
    switchRepeats: [HIDSwitchRepeat] = [],
    location: HIDTextLocation = .start
  ) {
    self.name = name
    self.descriptor = descriptor
    self.initialReports = initialReports
    self.controls = controls
    self.addedControls = addedControls
    self.states = states
    self.stamps = stamps
    self.anyLengthReports = anyLengthReports
    self.behaviours = behaviours
    self.switches = switches
    self.switchRepeats = switchRepeats
    self.location = location
  }
}

/// The type and ID that identify a report of a device.
public struct HIDReportName: Hashable, Sendable {
  /// The report's type.
  public var type: HIDReportType
  /// The report's ID; nil for an unnumbered report.
  public var id: HIDReportID?

  /// Creates a name from its parts.
  public init(_ type: HIDReportType, _ id: HIDReportID?) {
    self.type = type
    self.id = id
  }
}

/// The initial content of a report.
public struct HIDInitialReport: Hashable, Sendable {
  /// The report's type.
  public var type: HIDReportType
  /// The report's ID; nil for an unnumbered report.
  public var id: HIDReportID?
  /// The bytes, the report ID first if the report is numbered.
  ///
  /// A declared report has its declared length.
  public var bytes: [UInt8]

  /// Creates an initial report from its parts.
  public init(type: HIDReportType, id: HIDReportID?, bytes: [UInt8]) {
    self.type = type
    self.id = id
    self.bytes = bytes
  }
}

/// The error for a device file that is refused.
public struct HIDDeviceFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problems, in the order of the device file; never empty.
  public var problems: [HIDTextProblem]

  /// The problems, one a line.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}

extension HIDInterfaceDefinition {
  /// The names of the switches, in the order of the device file.
  public var switchNames: [String] {
    var seen: Set<String> = []
    return switches.flatMap(\.entries).map(\.name).filter { seen.insert($0).inserted }
  }

  package func hasSwitch(_ name: String) -> Bool {
    switches.contains { row in row.entries.contains { $0.name == name } }
  }
}
