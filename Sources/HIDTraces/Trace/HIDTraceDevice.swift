// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor
import HIDText

/// A report that a device returns to get-report requests, with its bytes when the trace begins.
public struct HIDTraceInitialReport: Hashable, Sendable {
  /// The type of the report.
  public var type: HIDReportType
  /// The report's ID; nil if reports of its type are unnumbered.
  public var id: HIDReportID?
  /// The report, with its ID as first byte if it has one.
  public var bytes: HIDReportBytes

  /// Creates an initial report from its parts.
  public init(type: HIDReportType, id: HIDReportID?, bytes: HIDReportBytes) {
    self.type = type
    self.id = id
    self.bytes = bytes
  }
}

/// A device of a trace: one HID interface.
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

  /// The number of the device in the trace's format.
  ///
  /// This is the number of a `D:` line, the `id` of an Android command, the number of a hidraw node
  /// of umockdev, or the index of libinput's evdev node. In a capture, it is the index of the
  /// device. It is 0 if the trace has no number.
  ///
  /// hid-recorder's text is written with these numbers if they are different, from 0 to 65535, and
  /// one of them is 0, which hid-replay needs. Otherwise, it is written with numbers from 0. A
  /// device that is added to a writer later gets the number after the largest one.
  public var number: Int
  /// The bytes of the report descriptor.
  public var descriptor: [UInt8]
  /// The name; nil if there is none or it has only blanks.
  public var name: String? { didSet { name = Self.meaningful(name) } }
  /// The physical path; nil if the trace has none or an empty one.
  public var physicalPath: String?
  /// The serial number; nil if the trace has none.
  public var serialNumber: String?
  /// The bus, vendor and product; nil if the trace does not have them.
  public var identity: Identity?
  /// The release number in binary-coded decimal, `0x0100` for 1.00; nil if the trace has none.
  public var versionNumber: UInt16?
  /// The version of the HID specification in binary-coded decimal, for a device on USB; nil if the
  /// trace has none.
  public var hidVersion: UInt16?
  /// The reports that the device returns until an event of the trace changes them.
  public var reports: [HIDTraceInitialReport]
  /// The line of the descriptor in the file, or the number of its packet.
  ///
  /// For a script of umockdev, the file is the description beside it. If the descriptor is not in
  /// the file, it is the first line of the device, or the number of the first packet with its
  /// reports or requests. It is 0 if there is none of these, for a device of umockdev that no
  /// description has, and for a device that does not come from a file.
  public var line: Int
  /// The place in a USB device of a capture; it does not count in comparisons.
  ///
  /// It is nil if the trace is not a capture, or if it does not have the descriptors of the USB
  /// device.
  package var usb: CapturedUSBInterface? {
    get { captured.value }
    set { captured.value = newValue }
  }
  private var captured = Uncompared<CapturedUSBInterface?>(value: nil)

  /// Creates a device from its parts.
  public init(
    number: Int = 0, descriptor: [UInt8], name: String? = nil, physicalPath: String? = nil,
    serialNumber: String? = nil, identity: Identity? = nil, versionNumber: UInt16? = nil,
    reports: [HIDTraceInitialReport] = [], line: Int = 0
  ) {
    self.number = number
    self.descriptor = descriptor
    self.name = Self.meaningful(name)
    self.physicalPath = physicalPath
    self.serialNumber = serialNumber
    self.identity = identity
    self.versionNumber = versionNumber
    self.reports = reports
    self.line = line
  }

  private static func meaningful(_ name: String?) -> String? {
    name.flatMap { $0.isBlank ? nil : $0 }
  }
}

/// A value that is equal to any other one of its type.
private struct Uncompared<Value: Sendable>: Hashable, Sendable {
  var value: Value

  static func == (first: Self, second: Self) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}
