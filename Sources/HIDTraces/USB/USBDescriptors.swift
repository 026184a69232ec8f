// SPDX-License-Identifier: Apache-2.0

/// The device descriptor of a USB device.
///
/// Source: USB 2.0, section 9.6.1.
struct USBDeviceDescriptor: Hashable {
  static let byteCount = 18

  var deviceClass: UInt8
  var vendorID: UInt16
  var productID: UInt16
  var release: UInt16
  var productString: UInt8
  var serialString: UInt8
  private let bytes: [UInt8]

  /// Reads the descriptor; nil if the bytes are not one, or only its start.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.byteCount, bytes[0] >= Self.byteCount, bytes[1] == 1 else {
      return nil
    }
    self.bytes = Array(bytes.prefix(Self.byteCount))
    let fields = CaptureBytes(bytes[...], isBigEndian: false)
    deviceClass = fields.byte(at: 4)
    vendorID = fields.half(at: 8)
    productID = fields.half(at: 10)
    release = fields.half(at: 12)
    productString = fields.byte(at: 15)
    serialString = fields.byte(at: 16)
  }

  /// True if the device can have HID interfaces.
  ///
  /// This is the case if it has no class of its own, or the class HID, Miscellaneous or
  /// vendor-specific.
  var canHaveHID: Bool { [0x00, 0x03, 0xEF, 0xFF].contains(deviceClass) }
}

/// A HID interface of a configuration, with all its alternate settings.
struct USBInterface: Hashable {
  var number: UInt8
  /// The interrupt endpoints that send to the host, with a bit for each number.
  var inputs: UInt16 = 0
  /// The interrupt endpoints that receive from the host, with a bit for each number.
  var outputs: UInt16 = 0
}

/// The HID interfaces of a configuration.
struct USBConfiguration: Hashable {
  private static let headerByteCount = 9
  /// The largest number of interfaces that Linux takes.
  private static let maximumInterfaceCount = 32
  private static let hidClass: UInt8 = 3

  var value: UInt8
  /// True if the host read all of the descriptor, and the capture has all of it.
  var isWhole: Bool
  var interfaces: [USBInterface] = []
  /// The number of all interfaces, whatever their class.
  private var interfaceCount: UInt8

  /// Reads a configuration descriptor and the descriptors after it; nil if the bytes are not one.
  ///
  /// Interfaces and endpoints beyond the end of the bytes, or after a wrong length, are missing.
  ///
  /// Source: USB 2.0, sections 9.6.3 to 9.6.6.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.headerByteCount, bytes[0] >= Self.headerByteCount, bytes[1] == 2
    else { return nil }
    let fields = CaptureBytes(bytes[...], isBigEndian: false)
    value = fields.byte(at: 5)
    interfaceCount = fields.byte(at: 4)
    let total = Int(fields.half(at: 2))
    isWhole = bytes.count >= total
    var offset = 0
    var current: Int?
    while offset + 1 < min(bytes.count, total) {
      let length = Int(bytes[offset])
      guard length >= 2, offset + length <= bytes.count else { break }
      let part = fields.part(at: offset, count: length)
      switch part.byte(at: 1) {
      case 4 where length >= 9: current = place(of: part)
      case 5 where length >= 7: add(endpoint: part, to: current)
      default: break
      }
      offset += length
    }
  }

  private mutating func place(of interface: CaptureBytes) -> Int? {
    guard interface.byte(at: 5) == Self.hidClass else { return nil }
    let number = interface.byte(at: 2)
    if let place = interfaces.firstIndex(where: { $0.number == number }) { return place }
    guard interfaces.count < Self.maximumInterfaceCount else { return nil }
    interfaces.append(USBInterface(number: number))
    return interfaces.count - 1
  }

  private mutating func add(endpoint: CaptureBytes, to place: Int?) {
    guard let place, endpoint.byte(at: 3) & 3 == 3 else { return }
    let bit = UInt16(1) << UInt16(endpoint.byte(at: 2) & 0x0F)
    if endpoint.byte(at: 2) & 0x80 != 0 {
      interfaces[place].inputs |= bit
    } else {
      interfaces[place].outputs |= bit
    }
  }
}

/// The text of a string descriptor.
enum USBString {
  /// Returns the text of a string descriptor; nil if it is not one, or has no text.
  ///
  /// Control characters, line separators and paragraph separators are left out, because names
  /// cannot have them. So are spaces at the start and at the end.
  ///
  /// Source: USB 2.0, section 9.6.7.
  static func text(_ bytes: [UInt8]) -> String? {
    guard bytes.count >= 2, bytes[1] == 3 else { return nil }
    let fields = CaptureBytes(bytes[..<min(bytes.count, Int(bytes[0]))], isBigEndian: false)
    guard fields.count > 2 else { return nil }
    let units = stride(from: 2, to: fields.count - 1, by: 2).map { fields.half(at: $0) }
    var text = ""
    for scalar in String(decoding: units, as: UTF16.self).unicodeScalars
    where ![.control, .lineSeparator, .paragraphSeparator].contains(
      scalar.properties.generalCategory)
    {
      text.unicodeScalars.append(scalar)
    }
    while text.last == " " { text.removeLast() }
    let trimmed = String(text.drop { $0 == " " })
    return trimmed.isEmpty ? nil : trimmed
  }
}
