// SPDX-License-Identifier: Apache-2.0

/// The captured data of a device, from the time it is plugged until it is unplugged.
struct USBDeviceRecord {
  /// A report descriptor, as far as it was captured.
  struct ReportDescriptor {
    var bytes: [UInt8]
    /// The number of bytes that the device sent.
    var byteCount: Int
    /// The number of the packet with the descriptor.
    var number: Int

    var isWhole: Bool { bytes.count >= byteCount }
  }
  /// A serial number in one of the device's languages.
  struct SerialNumber {
    var text: String
    var language: UInt16
  }
  private static let maximumConfigurationCount = 4

  let address: USBAddress
  var descriptor: USBDeviceDescriptor?
  var product: String?
  var serialNumber: SerialNumber?
  var configurations: [USBConfiguration] = []
  /// The value of the configuration that the host chose last; nil if the capture does not have it.
  var chosen: UInt8?
  /// The report descriptors by the number of the interface.
  var reportDescriptors: [UInt8: ReportDescriptor] = [:]
  /// The interrupt endpoints that sent data, each with the number of the first packet with its
  /// data.
  var inputs: [UInt8: Int] = [:]
  /// The interrupt endpoints that received data, each with the number of the first packet with its
  /// data.
  var outputs: [UInt8: Int] = [:]
  /// The interfaces with valid report requests, each with the number of the packet of the first.
  var requested: [UInt8: Int] = [:]
  /// True if a packet showed that the device was unplugged.
  var isGone = false
  /// True if a request showed that the device is not a HID device.
  var isForeign = false

  init(at address: USBAddress) { self.address = address }

  /// The configuration that the host chose, or else the first one; nil if none was captured.
  var configuration: USBConfiguration? {
    configurations.first { $0.value == chosen } ?? configurations.first
  }

  /// True if the device can have a HID interface, as far as is known.
  var canHaveHID: Bool { !isForeign && descriptor?.canHaveHID != false }

  /// The name for a device without a product name.
  var fallbackName: String {
    guard let descriptor else { return "usb device \(address.bus).\(address.device)" }
    func digits(_ number: UInt16) -> String {
      let text = String(number, radix: 16)
      return String(repeating: "0", count: 4 - text.count) + text
    }
    return "usb device \(digits(descriptor.vendorID)):\(digits(descriptor.productID))"
  }

  /// Adds a configuration, or replaces an incomplete one; a fifth one is left out.
  ///
  /// - Returns: True if the configuration belongs to another device, because this device has a
  ///   different configuration with the same value.
  mutating func take(_ configuration: USBConfiguration) -> Bool {
    guard let place = configurations.firstIndex(where: { $0.value == configuration.value }) else {
      if configurations.count < Self.maximumConfigurationCount {
        configurations.append(configuration)
      }
      return false
    }
    if !configurations[place].isWhole {
      configurations[place] = configuration
    } else if configuration.isWhole, configurations[place] != configuration {
      return true
    }
    return false
  }
}
