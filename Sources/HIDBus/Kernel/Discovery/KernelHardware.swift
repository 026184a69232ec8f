// SPDX-License-Identifier: Apache-2.0

/// The properties of a real device's hardware, as far as sysfs has them.
struct KernelHardware: Hashable, Sendable {
  /// The manufacturer's name; `nil` if it is not known.
  let manufacturer: String?
  /// The release number; 0 if it is not known.
  let version: UInt32
  /// The other properties of the hardware.
  private(set) var details: HIDDeviceDetails

  private static let attributes = [
    "manufacturer", "bcdDevice", "product", "removable", "busnum", "devpath",
  ]

  /// Reads the properties; `nil` for a device that is not on USB, I2C or SPI, or whose USB device
  /// is not found.
  ///
  /// - Parameters:
  ///   - folder: The HID device's folder.
  ///   - tree: The devices.
  ///   - bus: The kernel's number for its bus.
  init?(of folder: String, in tree: DeviceTree, bus: UInt16) {
    // A device on Bluetooth is also below a USB device: the adapter.
    if HIDTransport(busType: bus) == .usb,
      let attributes = tree.usbAttributes(Self.attributes, of: folder)
    {
      self.init(usb: attributes)
      return
    }
    // A touchpad or a sensor on a bus of the board: a user cannot plug it.
    guard [HIDTransport.i2c, .spi].contains(HIDTransport(busType: bus)) else { return nil }
    self.init()
    details.isBuiltIn = true
  }

  /// Makes the properties of hardware that reports none.
  private init() {
    manufacturer = nil
    version = 0
    details = HIDDeviceDetails()
  }

  private init(usb attributes: [String: String]) {
    func line(_ name: String) -> String? {
      attributes[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    manufacturer = line("manufacturer")
    version = line("bcdDevice").flatMap { UInt32($0, radix: 16) } ?? 0
    var details = HIDDeviceDetails()
    details.product = line("product")
    details.isBuiltIn = line("removable") == "fixed"
    if let bus = line("busnum").flatMap({ UInt8($0) }) {
      details.locationID = Self.locationID(bus: bus, path: line("devpath") ?? "")
    }
    self.details = details
  }

  /// Returns the number that macOS uses for a location on USB.
  ///
  /// The highest eight of 32 bits are the bus. Then come four bits for each port from the root on,
  /// for six ports. A port above 15 counts as 15.
  ///
  /// - Parameters:
  ///   - bus: The number of the bus.
  ///   - path: The ports from the root hub on, as in `devpath`: `2.1.4`; `0` for the root hub
  ///     itself.
  static func locationID(bus: UInt8, path: String) -> UInt64 {
    var location = UInt64(bus) << 24
    var shift: UInt64 = 20
    for port in path.split(separator: ".").prefix(6) {
      location |= UInt64(min(UInt8(port) ?? 0, 15)) << shift
      // The sixth port has the lowest bits.
      if shift >= 4 { shift -= 4 }
    }
    return location
  }
}
