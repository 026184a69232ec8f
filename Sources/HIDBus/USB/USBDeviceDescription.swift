// SPDX-License-Identifier: Apache-2.0

/// The speed of a USB device.
package enum USBSpeed: String, CaseIterable, Hashable, Sendable {
  /// 1.5 Mbit/s.
  case low
  /// 12 Mbit/s.
  case full
  /// 480 Mbit/s.
  case high

  /// The number of the speed in USB/IP.
  package var number: UInt32 {
    switch self {
    case .low: 1
    case .full: 2
    case .high: 3
    }
  }

  /// The largest packet of an interrupt endpoint, in bytes.
  ///
  /// Source: USB 2.0, section 5.7.3.
  package var longestPacket: Int {
    switch self {
    case .low: 8
    case .full: 64
    case .high: 1_024
    }
  }

  /// The largest packet of endpoint 0, in bytes.
  package var longestControlPacket: UInt8 { self == .low ? 8 : 64 }

  /// Returns the period of an interrupt endpoint.
  ///
  /// Source: USB 2.0, table 9-13. At high speed the number is an exponent of microframes of 125 µs.
  ///
  /// - Parameter interval: The endpoint's `bInterval`; 0 counts as 1, and more than 16 at high
  ///   speed as 16.
  package func period(_ interval: UInt8) -> Duration {
    switch self {
    case .low, .full: .milliseconds(Int(max(interval, 1)))
    case .high: .microseconds(125 << (min(max(Int(interval), 1), 16) - 1))
    }
  }
}

/// A USB device with HID interfaces.
package struct USBDeviceDescription: Hashable, Sendable {
  package var speed = USBSpeed.full
  /// The version of USB in binary-coded decimal: 0x0200 is 2.00.
  package var usbVersion: UInt16 = 0x0200
  /// The class, the subclass and the protocol of the device; 0 if each interface has its own.
  package var deviceClass: (UInt8, UInt8, UInt8) {
    get { (classCode, subclass, protocolCode) }
    set { (classCode, subclass, protocolCode) = newValue }
  }
  private var classCode: UInt8 = 0
  private var subclass: UInt8 = 0
  private var protocolCode: UInt8 = 0
  package var vendorID: UInt16
  package var productID: UInt16
  /// The device's version in binary-coded decimal: 0x0110 is 1.10.
  package var versionNumber: UInt16
  /// Texts of the device; the device has no string for an empty one.
  package var manufacturer = ""
  package var product = ""
  package var serialNumber = ""
  /// True if the device has a power supply of its own.
  package var isSelfPowered = false
  /// True if the device can wake a host that sleeps.
  package var wakesHosts = false
  /// The current that the device takes from the bus, in milliamperes: an even number up to 500.
  package var maximumPower = 100
  /// The interfaces, 1 to 15.
  package var interfaces: [USBInterfaceDescription]
  /// Strings by their indices, such as those that drivers of tablets ask for.
  package var strings: [UInt8: String] = [:]
  /// The bytes of strings that are no text, by their indices, without the length and the type; at
  /// most 253.
  package var rawStrings: [UInt8: [UInt8]] = [:]
  /// The answers to requests of vendors; the first that matches a request applies.
  package var requests: [USBVendorRequest] = []
  /// The descriptors of further interfaces, which follow the HID interfaces.
  package var extraInterfaces: [[UInt8]] = []
  /// The descriptors of a real device, in place of the derived ones; nil to derive them.
  package internal(set) var layout: USBLayout?

  package init(
    vendorID: UInt16, productID: UInt16, versionNumber: UInt16,
    interfaces: [USBInterfaceDescription]
  ) {
    self.vendorID = vendorID
    self.productID = productID
    self.versionNumber = versionNumber
    self.interfaces = interfaces
  }
}

/// A HID interface of a USB device.
package struct USBInterfaceDescription: Hashable, Sendable {
  /// An interrupt endpoint.
  package struct Endpoint: Hashable, Sendable {
    /// The largest packet, in bytes; a longer report comes in several packets.
    package var packetByteCount: Int
    /// The field `bInterval`: milliseconds, or at high speed an exponent of microframes.
    package var interval: UInt8

    package init(packetByteCount: Int, interval: UInt8) {
      self.packetByteCount = packetByteCount
      self.interval = interval
    }
  }

  /// The kind of device whose reports a host can read without a report descriptor.
  ///
  /// Source: HID 1.11, section 4.2 and appendix B.
  package enum Boot: UInt8, Sendable { case none, keyboard, mouse }

  /// The version of the HID specification that devices have without a setting: 1.11.
  package static let usualHIDVersion: UInt16 = 0x0111

  /// The version of the HID specification, in binary-coded decimal.
  package var hidVersion = Self.usualHIDVersion
  package var boot = Boot.none
  /// The text of the interface; it has no string if the text is empty.
  package var name = ""
  /// The country for which the hardware is made, 0 for none.
  package var countryCode: UInt8 = 0
  package var reportDescriptor: [UInt8]
  /// True if input reports begin with their report ID.
  package var numbersInput = false
  package var input: Endpoint
  /// The endpoint for output reports; nil if the host sends them by control transfers.
  package var output: Endpoint?

  package init(reportDescriptor: [UInt8], input: Endpoint, output: Endpoint? = nil) {
    self.reportDescriptor = reportDescriptor
    self.input = input
    self.output = output
  }
}
