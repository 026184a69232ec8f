// SPDX-License-Identifier: Apache-2.0

/// What a capture tells of a device, from when it is plugged in until it is unplugged.
struct USBDeviceRecord {
  /// A report descriptor, as far as it was captured.
  struct ReportDescriptor {
    var bytes: [UInt8]
    /// How many bytes the device sent.
    var byteCount: Int
    /// The packet that has it.
    var number: Int

    var isWhole: Bool { bytes.count >= byteCount }
  }
  /// A serial number in one of the languages of the device.
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
  /// The value of the configuration that the host chose.
  var chosen: UInt8?
  /// The report descriptors by the number of the interface.
  var reportDescriptors: [UInt8: ReportDescriptor] = [:]
  /// The interrupt endpoints that sent something, with the packet of the first time.
  var inputs: [UInt8: Int] = [:]
  /// The interrupt endpoints that the host sent something to.
  var outputs: [UInt8: Int] = [:]
  /// The interfaces of which the host asked for reports, or that it sent some to on the control pipe.
  var requested: [UInt8: Int] = [:]
  /// Whether it was seen to be unplugged.
  var isGone = false
  /// Whether it is something other than a HID device, by what is asked of it.
  var isForeign = false

  init(at address: USBAddress) { self.address = address }

  /// The configuration that counts, where one was captured.
  var configuration: USBConfiguration? {
    configurations.first { $0.value == chosen } ?? configurations.first
  }

  /// Whether there can be a HID interface as far as is known.
  var canHaveHID: Bool { !isForeign && descriptor?.canHaveHID != false }

  /// Its name where it has none of its own.
  var fallbackName: String {
    guard let descriptor else { return "usb device \(address.bus).\(address.device)" }
    func digits(_ number: UInt16) -> String {
      let text = String(number, radix: 16)
      return String(repeating: "0", count: 4 - text.count) + text
    }
    return "usb device \(digits(descriptor.vendorID)):\(digits(descriptor.productID))"
  }

  /// Takes a configuration; returns whether it cannot be this device's, which has another one of that value.
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
