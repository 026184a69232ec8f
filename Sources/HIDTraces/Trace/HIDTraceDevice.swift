// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor
import HIDText
public import IOLoop

/// A report that a device gives to who asks for it, as far as is known when its trace begins.
public struct HIDTraceInitialReport: Hashable, Sendable {
  /// The type of the report.
  public var type: HIDReportType
  /// The report's ID; nil when reports of its type are un-numbered.
  public var id: HIDReportID?
  /// The report, its ID first where it has one.
  public var bytes: HIDReportBytes

  /// Creates an initial report from its parts.
  public init(type: HIDReportType, id: HIDReportID?, bytes: HIDReportBytes) {
    self.type = type
    self.id = id
    self.bytes = bytes
  }
}

/// A device that a trace tells of: one interface of it.
public struct HIDTraceDevice: Hashable, Sendable {
  /// The bus, vendor and product of a device.
  public struct Identity: Hashable, Sendable {
    /// The kernel's bus number: 3 for USB, 5 for Bluetooth.
    public var busType: UInt16
    /// The vendor ID.
    public var vendorID: UInt16
    /// The product ID.
    public var productID: UInt16

    /// Creates an identity from its numbers.
    public init(busType: UInt16, vendorID: UInt16, productID: UInt16) {
      self.busType = busType
      self.vendorID = vendorID
      self.productID = productID
    }
  }

  /// The number by which the trace's format calls the device, such as that of a `D:` line; 0 where it has none.
  ///
  /// Where no device has 0, hid-recorder's text is written with numbers from 0 on, since hid-replay wants that one.
  public var number: Int
  /// The bytes of the report descriptor.
  public var descriptor: [UInt8]
  /// The name; nil where there is none, or it is nothing but blanks.
  public var name: String? { didSet { name = Self.telling(name) } }
  /// The physical path; nil where there is none or it is empty.
  public var physicalPath: String?
  /// The serial number; nil where the trace has none.
  public var serialNumber: String?
  /// The bus, vendor and product.
  public var identity: Identity?
  /// The release number, binary-coded decimal: `0x0100` is 1.00; nil where the trace has none.
  public var versionNumber: UInt16?
  /// What it answers who asks for a report, before anything of the trace changes that.
  public var reports: [HIDTraceInitialReport]
  /// The line of the file that holds the descriptor, or the number of the packet; 0 for a device that comes from no file.
  public var line: Int

  /// Creates a device from its parts.
  public init(
    number: Int = 0, descriptor: [UInt8], name: String? = nil, physicalPath: String? = nil,
    serialNumber: String? = nil, identity: Identity? = nil, versionNumber: UInt16? = nil,
    reports: [HIDTraceInitialReport] = [], line: Int = 0
  ) {
    self.number = number
    self.descriptor = descriptor
    self.name = Self.telling(name)
    self.physicalPath = physicalPath
    self.serialNumber = serialNumber
    self.identity = identity
    self.versionNumber = versionNumber
    self.reports = reports
    self.line = line
  }

  private static func telling(_ name: String?) -> String? {
    name.flatMap { $0.isBlank ? nil : $0 }
  }
}
