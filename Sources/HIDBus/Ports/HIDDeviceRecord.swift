// SPDX-License-Identifier: Apache-2.0

package import HIDReportDescriptor
import HIDText

/// The kind of bus that a device is plugged into.
public enum HIDBusKind: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
  /// `/dev/uhid` on the device's end, hidraw on the client's: every program sees the device.
  case kernel
  /// User space only: programs that use this library see the device.
  case loopback
  /// A whole USB device on a virtual host controller of the kernel: every program sees the USB
  /// device, and the HID devices of its interfaces.
  ///
  /// Clients find its interfaces on the ``kernel`` bus, as those of a real USB device.
  case usb

  /// The name used on the command line.
  public var description: String { rawValue }

  /// True if the kernel's drivers take the devices of the bus, and every program sees them.
  package var usesKernel: Bool { self != .loopback }
}

/// A number that names one device of a bus on this machine until the next boot, the same in every
/// process.
public struct HIDDeviceID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible
{
  /// The number.
  ///
  /// The top bit is set for devices that this library plugged.
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

  /// True if the top bit is set: this library plugged the device.
  public var isOurs: Bool { rawValue >> 63 == 1 }

  /// Returns whether the first number is less than the second.
  public static func < (first: HIDDeviceID, second: HIDDeviceID) -> Bool {
    first.rawValue < second.rawValue
  }

  /// Sixteen lower-case hex digits.
  public var description: String { rawValue.hexDigits() }
}

/// The name, the IDs and the other identifying properties that a device reports.
public struct HIDDeviceIdentity: Hashable, Sendable {
  /// The device's name, often the manufacturer's name and the product's.
  public var name: String
  /// The vendor ID, of 16 bits on every real transport.
  public var vendorID: UInt32
  /// The product ID, of 16 bits on every real transport.
  public var productID: UInt32
  /// The device's release number, binary-coded decimal: `0x0100` is 1.00; 0 if it is not known.
  public var versionNumber: UInt32
  /// The country code of HID 1.11, section 6.2.1; 0 if the device is not localised, or the code is
  /// not known.
  public var countryCode: UInt32
  /// The transport that the device reports.
  public var transport: HIDTransport
  /// The manufacturer's name; empty if it is not known.
  ///
  /// The kernel has no field for it in a HID device.
  public var manufacturer: String
  /// The serial number; empty if there is none.
  ///
  /// It is not a key: two devices can share it, and drivers may overwrite it.
  public var serialNumber: String
  /// The other properties that are known.
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

/// The description of a present device that a bus gives to clients.
public struct HIDDeviceRecord: Hashable, Sendable {
  /// The number that names the device.
  public let id: HIDDeviceID
  /// The bus of the device.
  public let bus: HIDBusKind
  /// The address to open: `/dev/hidraw3`, or `loopback:` and the device ID.
  ///
  /// A device whose driver makes no hidraw node cannot be opened. Its address is its folder in
  /// sysfs: `/sys/bus/hid/devices/0003:04D8:00DD.0001`.
  public let address: String
  /// The identity that the device reports.
  ///
  /// The manufacturer is empty if the bus does not report it.
  public let identity: HIDDeviceIdentity
  /// The device's physical path, as the bus reports it.
  public let physicalPath: String
  /// The paths of the device's evdev nodes; empty on the loopback bus.
  public let eventNodes: [String]
  /// The kernel's driver that is bound to the device, if there is one.
  public let driver: String?
  /// The device's report descriptor: the raw bytes, not validated.
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

  /// The path of the device's hidraw node; `nil` on the loopback bus, and without a node.
  public var hidrawNode: String? {
    bus == .kernel && address.hasPrefix("/dev/") ? address : nil
  }

  /// The paths to open: the hidraw node, or the ``address`` on another bus; then the evdev nodes.
  ///
  /// It is empty if the driver makes no node.
  public var nodes: [String] { (node.map { [$0] } ?? []) + eventNodes }

  /// The ``nodes``, separated by blanks; `no nodes` without any.
  package var nodeWords: String {
    nodes.isEmpty ? "no nodes" : nodes.joined(separator: " ")
  }

  /// The ``address``, unless the device cannot be opened.
  package var node: String? { bus == .kernel ? hidrawNode : address }

  /// True if this library plugged the device: the physical path is one of this library, or the bus
  /// directory names the device.
  public var isOurs: Bool { id.isOurs || HIDPhysicalPath(physicalPath) != nil }

  /// True if the device may send input reports longer than declared.
  ///
  /// Only devices of this library can promise not to: it is true for all others.
  public var allowsLongInput: Bool {
    HIDPhysicalPath(physicalPath)?.allowsLongInput ?? !id.isOurs
  }

  /// Returns the device's report descriptor, with the record's ``allowsLongInput``.
  ///
  /// - Throws: The error of ``HIDBusError/invalidDescriptor(of:_:)``.
  package func parsedDescriptor() throws(HIDBusError) -> HIDReportDescriptor {
    do throws(HIDReportDescriptorError) {
      var descriptor = try HIDReportDescriptor(parsing: descriptorBytes)
      descriptor.allowsLongInput = allowsLongInput
      return descriptor
    } catch {
      throw HIDBusError.invalidDescriptor(of: address, error)
    }
  }
}

/// A change in the list of devices.
public enum HIDArrival: Sendable {
  /// The device is present and ready.
  ///
  /// Opening it can still fail, for example without the permission.
  case added(HIDDeviceRecord)
  /// The device is gone, or cannot be used at present, for example while its driver changes.
  ///
  /// In the latter case, another ``added(_:)`` follows once it can be used again.
  case removed(HIDDeviceRecord)
  /// All devices that were ready when watching began have been reported.
  case settled
}
