// SPDX-License-Identifier: Apache-2.0

import HIDText

/// The messages by which a host lists and imports the devices of a server, before a connection
/// carries transfers.
///
/// Source: Documentation/usb/usbip_protocol.rst of Linux 6.12.
package enum USBIPExport {
  /// The length of a request without a device, in bytes.
  package static let requestByteCount = 8
  /// The length of the name of a device, in bytes.
  package static let nameByteCount = 32
  private static let pathByteCount = 256

  /// A request of a host.
  package enum Request: Hashable, Sendable {
    /// The list of devices.
    case list
    /// A device; its name follows in ``nameByteCount`` bytes.
    case importDevice
  }

  private enum Code {
    static let list: UInt16 = 0x8005
    static let listReply: UInt16 = 0x0005
    static let importDevice: UInt16 = 0x8003
    static let importReply: UInt16 = 0x0003
  }

  /// The status of a refused import.
  package enum Refusal: UInt32, Sendable {
    /// Another host has the device.
    case busy = 2
    /// The server has no such device.
    case noDevice = 4
  }

  /// Reads a request.
  ///
  /// - Parameter bytes: ``requestByteCount`` bytes.
  /// - Throws: The reason why the bytes are no request: the version, or the code.
  package static func request(_ bytes: [UInt8]) throws(USBIPError) -> Request {
    let version = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
    let code = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    guard version == USBIP.version else {
      throw USBIPError(
        "expected version 0x\(USBIP.version.hexDigits()) of USB/IP, found 0x\(version.hexDigits())")
    }
    switch code {
    case Code.list: return .list
    case Code.importDevice: return .importDevice
    default:
      throw USBIPError("expected a request for a list or a device, found 0x\(code.hexDigits())")
    }
  }

  /// Returns the name of a device in a request.
  ///
  /// - Parameter bytes: ``nameByteCount`` bytes: the name, and zeros after it.
  package static func name(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// A device in a list.
  package struct Device: Sendable {
    /// The name by which hosts import the device: `1-1`.
    package let name: String
    /// The number of the device on its bus, from 1.
    package let number: UInt32
    /// The device, whose descriptors give the rest.
    package let description: USBDeviceDescription

    package init(name: String, number: UInt32, _ description: USBDeviceDescription) {
      self.name = name
      self.number = number
      self.description = description
    }

    /// Appends the 312 bytes that describe the device without its interfaces.
    fileprivate func write(to bytes: inout [UInt8]) {
      bytes.append("/sys/devices/hidsim/\(name)", paddedTo: USBIPExport.pathByteCount)
      bytes.append(name, paddedTo: USBIPExport.nameByteCount)
      for number in [1, number, description.speed.number] { bytes.append(bigEndian: number) }
      for number in [description.vendorID, description.productID, description.versionNumber] {
        bytes.append(bigEndian: number)
      }
      let (deviceClass, subclass, protocolCode) = description.deviceClass
      bytes += [
        deviceClass, subclass, protocolCode, description.chosenConfiguration, 1,
        UInt8(clamping: interfaces.count),
      ]
    }

    /// The class, the subclass and the protocol of each interface, as the configuration descriptor
    /// has them.
    fileprivate var interfaces: [[UInt8]] {
      USBDescriptorList(description.configurationDescriptor[...]).compactMap { fields in
        let isInterface =
          fields[1] == USBDeviceDescription.DescriptorType.interface && fields.count >= 9
        return isInterface && fields[3] == 0 ? Array(fields[5...7]) : nil
      }
    }
  }

  /// Returns the reply with a list of devices and their interfaces.
  package static func list(_ devices: [Device]) -> [UInt8] {
    var bytes = header(Code.listReply, 0)
    bytes.append(bigEndian: UInt32(devices.count))
    for device in devices {
      device.write(to: &bytes)
      for codes in device.interfaces { bytes += codes + [0] }
    }
    return bytes
  }

  /// Returns the reply that gives a device to a host.
  package static func accepted(_ device: Device) -> [UInt8] {
    var bytes = header(Code.importReply, 0)
    device.write(to: &bytes)
    return bytes
  }

  /// Returns the reply that refuses a device.
  package static func refused(_ refusal: Refusal) -> [UInt8] {
    header(Code.importReply, refusal.rawValue)
  }

  private static func header(_ code: UInt16, _ status: UInt32) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(bigEndian: USBIP.version)
    bytes.append(bigEndian: code)
    bytes.append(bigEndian: status)
    return bytes
  }
}

extension [UInt8] {
  fileprivate mutating func append(bigEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }

  /// Appends a text, cut or filled with zeros to a number of bytes; the last byte is always 0.
  fileprivate mutating func append(_ text: String, paddedTo count: Int) {
    let bytes = text.utf8.prefix(count - 1)
    append(contentsOf: bytes)
    append(contentsOf: repeatElement(0, count: count - bytes.count))
  }
}
