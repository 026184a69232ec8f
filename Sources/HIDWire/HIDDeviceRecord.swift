// SPDX-License-Identifier: Apache-2.0

/// Which of the buses a device is on.
public enum HIDBusKind: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
  /// `/dev/uhid` on the device's end, hidraw on the client's: every program sees the device.
  case kernel
  /// User space only: programs that use this library see the device.
  case loopback

  /// The name used on the command line.
  public var description: String { rawValue }
}

/// A number that names one device on this machine until the next boot, the same in every process.
public struct HIDDeviceID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible
{
  /// The number.
  ///
  /// The top bit is set for virtual devices of ours.
  public let rawValue: UInt64

  /// Makes an ID from its number.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Parses a number in the form of ``description``; `nil` for any other text.
  package init?(description: some StringProtocol) {
    let isHex = description.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x61...0x66).contains($0)
    }
    guard description.utf8.count == 16, isHex, let number = UInt64(description, radix: 16) else {
      return nil
    }
    rawValue = number
  }

  /// Whether the device was plugged by this library.
  public var isOurs: Bool { rawValue >> 63 == 1 }

  /// The order of the numbers.
  public static func < (first: HIDDeviceID, second: HIDDeviceID) -> Bool {
    first.rawValue < second.rawValue
  }

  /// Sixteen lower-case hex digits.
  public var description: String {
    let digits = String(rawValue, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// Who a device says it is.
public struct HIDDeviceIdentity: Hashable, Sendable {
  /// The product's name.
  public var name: String
  /// The vendor ID, of 16 bits on every real transport.
  public var vendorID: UInt32
  /// The product ID, of 16 bits on every real transport.
  public var productID: UInt32
  /// The device's release number, binary-coded decimal: `0x0100` is 1.00.
  public var versionNumber: UInt32
  /// The country code of HID 1.11, section 6.2.1; 0 when not localised.
  public var countryCode: UInt32
  /// How the device is attached, as it says.
  public var transport: HIDTransport
  /// The manufacturer's name.
  ///
  /// The kernel has no place for it.
  public var manufacturer: String
  /// The serial number; empty when there is none.
  ///
  /// Not a key: twins share it, drivers overwrite it.
  public var serialNumber: String
  /// What else is known of it.
  public var details = HIDDeviceDetails()

  /// Makes an identity.
  public init(
    name: String, vendorID: UInt32, productID: UInt32, versionNumber: UInt32 = 0,
    countryCode: UInt32 = 0, transport: HIDTransport = .usb, manufacturer: String = "",
    serialNumber: String = ""
  ) {
    self.name = name
    self.vendorID = vendorID
    self.productID = productID
    self.versionNumber = versionNumber
    self.countryCode = countryCode
    self.transport = transport
    self.manufacturer = manufacturer
    self.serialNumber = serialNumber
  }
}

/// A device that is there, as a client's end of the wire sees it.
public struct HIDDeviceRecord: Hashable, Sendable {
  /// The number that names the device.
  public let id: HIDDeviceID
  /// The bus it is on.
  public let bus: HIDBusKind
  /// Where to open it: `/dev/hidraw3`, or `loopback:` and the device ID.
  public let address: String
  /// Who it says it is.
  ///
  /// The manufacturer is empty where the bus does not know it.
  public let identity: HIDDeviceIdentity
  /// Its physical path, as the bus has it.
  public let physicalPath: String
  /// The kernel's evdev nodes of the device.
  public let eventNodes: [String]
  /// The driver bound to it, where there is one.
  public let driver: String?
  /// Its report descriptor: raw, and not yet known to be sound.
  public let descriptorBytes: [UInt8]

  /// Makes a record.
  public init(
    id: HIDDeviceID, bus: HIDBusKind, address: String, identity: HIDDeviceIdentity,
    physicalPath: String, eventNodes: [String] = [], driver: String? = nil,
    descriptorBytes: [UInt8]
  ) {
    self.id = id
    self.bus = bus
    self.address = address
    self.identity = identity
    self.physicalPath = physicalPath
    self.eventNodes = eventNodes
    self.driver = driver
    self.descriptorBytes = descriptorBytes
  }

  /// Whether the device was plugged by this library.
  public var isOurs: Bool { HIDPhysicalPath(physicalPath) != nil }

  /// Whether the device may send input reports longer than declared.
  ///
  /// Only devices of this library can promise not to: other programs and radio transports send what they like.
  public var allowsLongInput: Bool { HIDPhysicalPath(physicalPath)?.allowsLongInput ?? true }
}

/// A device that came or went.
public enum HIDArrival: Sendable {
  /// The device is there, and can be opened.
  case added(HIDDeviceRecord)
  /// The device is gone.
  case removed(HIDDeviceRecord)
  /// Everything that was there when watching began has been reported.
  case settled
}
