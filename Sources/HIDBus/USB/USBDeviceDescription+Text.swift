// SPDX-License-Identifier: Apache-2.0

import HIDText

extension USBDeviceDescription {
  /// The text that `lsusb -v` prints of the descriptors, without the names from lists of lsusb.
  ///
  /// Blanks at the ends of lines are left out. Report descriptors are not part of the text, and
  /// descriptors that only a class defines are bytes.
  package var text: String {
    var printer = DescriptorPrinter(device: self)
    printer.printDevice()
    printer.printConfiguration()
    // lsusb asks only devices of USB 2.00 for the qualifier.
    if usbVersion == 0x0200, let qualifier { printer.printQualifier(qualifier) }
    printer.printStatus()
    return printer.text
  }
}

/// The writer of the text of one device.
private struct DescriptorPrinter {
  let device: USBDeviceDescription
  var text = ""
  /// The indentation of descriptors of a class: they are parts of the interface or endpoint before.
  private var classIndent = 4

  init(device: USBDeviceDescription) { self.device = device }

  private typealias DescriptorType = USBDeviceDescription.DescriptorType

  /// The width of a label, without the indentation.
  private static let labelWidth = 20

  private mutating func line(_ indent: Int, _ words: String) {
    var line = String(repeating: " ", count: indent) + words
    while line.last == " " { line.removeLast() }
    text += line + "\n"
  }

  /// Prints a label and a number, right-aligned in five columns.
  private mutating func field(_ indent: Int, _ label: String, _ number: Int, _ name: String = "") {
    value(indent, label, "\(number)", name)
  }

  /// Prints a label and a value, right-aligned in five columns.
  private mutating func value(
    _ indent: Int, _ label: String, _ value: String, _ name: String = ""
  ) {
    let label = label.padded(to: Self.labelWidth)
    let blanks = String(repeating: " ", count: max(5 - value.utf8.count, 0))
    line(indent, label + blanks + value + (name.isEmpty ? "" : " " + name))
  }

  private mutating func version(_ indent: Int, _ label: String, _ bytes: [UInt8], at index: Int) {
    value(indent, label, "\(bytes[index + 1].hexDigits(1)).\(bytes[index].hexDigits())")
  }

  private mutating func string(_ indent: Int, _ label: String, _ index: UInt8) {
    field(indent, label, Int(index), index == 0 ? "" : Self.text(device.stringDescriptor(index)))
  }

  /// Returns the text of a string descriptor, with `?` for control characters; empty for none.
  private static func text(_ descriptor: [UInt8]?) -> String {
    guard let bytes = descriptor?.dropFirst(2) else { return "" }
    let low = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2)
    let text = String(
      decoding: low.map { UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8 }, as: UTF16.self)
    // A terminal would obey control characters in the bytes of a string that is no text.
    return String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }))
  }

  private static func number(_ bytes: [UInt8], at index: Int) -> UInt16 {
    UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8
  }

  private mutating func head(_ indent: Int, _ title: String, _ bytes: [UInt8]) {
    line(indent, title)
    field(indent + 2, "bLength", Int(bytes[0]))
    field(indent + 2, "bDescriptorType", Int(bytes[1]))
  }

  private mutating func fields(
    _ indent: Int, _ bytes: [UInt8], from index: Int, _ labels: String...
  ) {
    for (offset, label) in labels.enumerated() { field(indent, label, Int(bytes[index + offset])) }
  }

  // MARK: The device

  mutating func printDevice() {
    let bytes = device.deviceDescriptor
    head(0, "Device Descriptor:", bytes)
    version(2, "bcdUSB", bytes, at: 2)
    fields(
      2, bytes, from: 4, "bDeviceClass", "bDeviceSubClass", "bDeviceProtocol", "bMaxPacketSize0")
    line(2, "idVendor".padded(to: 19) + Self.number(bytes, at: 8).hexadecimal)
    line(2, "idProduct".padded(to: 19) + Self.number(bytes, at: 10).hexadecimal)
    version(2, "bcdDevice", bytes, at: 12)
    string(2, "iManufacturer", bytes[14])
    string(2, "iProduct", bytes[15])
    string(2, "iSerial", bytes[16])
    fields(2, bytes, from: 17, "bNumConfigurations")
  }

  mutating func printQualifier(_ bytes: [UInt8]) {
    head(0, "Device Qualifier (for other device speed):", bytes)
    version(2, "bcdUSB", bytes, at: 2)
    fields(
      2, bytes, from: 4, "bDeviceClass", "bDeviceSubClass", "bDeviceProtocol", "bMaxPacketSize0",
      "bNumConfigurations")
  }

  mutating func printStatus() {
    line(0, "Device Status:".padded(to: 19) + (device.isSelfPowered ? 1 as UInt16 : 0).hexadecimal)
    line(2, device.isSelfPowered ? "Self Powered" : "(Bus Powered)")
  }

  // MARK: The configuration

  mutating func printConfiguration() {
    let bytes = device.configurationDescriptor
    head(2, "Configuration Descriptor:", bytes)
    line(4, "wTotalLength".padded(to: 19) + Self.number(bytes, at: 2).hexadecimal)
    fields(4, bytes, from: 4, "bNumInterfaces", "bConfigurationValue")
    string(4, "iConfiguration", bytes[6])
    line(4, "bmAttributes".padded(to: 21) + bytes[7].hexadecimal)
    line(6, bytes[7] & 0x40 != 0 ? "Self Powered" : "(Bus Powered)")
    if bytes[7] & 0x20 != 0 { line(6, "Remote Wakeup") }
    value(4, "MaxPower", "\(Int(bytes[8]) * 2)")
    text.removeLast()
    text += "mA\n"
    for descriptor in USBDescriptorList(bytes.dropFirst(Int(bytes[0]))) {
      printDescriptor(descriptor)
    }
  }

  private mutating func printDescriptor(_ bytes: [UInt8]) {
    switch bytes[1] {
    case DescriptorType.association where bytes.count >= 8: printAssociation(bytes)
    case DescriptorType.interface where bytes.count >= 9: printInterface(bytes)
    case DescriptorType.endpoint where bytes.count >= 7: printEndpoint(bytes)
    case DescriptorType.hid where bytes.count >= 9: printHID(bytes)
    default:
      let digits = bytes.map { String($0.hexadecimal.dropFirst(2)) }
      line(classIndent, "** UNRECOGNIZED:  " + digits.joined(separator: " "))
    }
  }

  private mutating func printAssociation(_ bytes: [UInt8]) {
    head(4, "Interface Association:", bytes)
    fields(
      6, bytes, from: 2, "bFirstInterface", "bInterfaceCount", "bFunctionClass",
      "bFunctionSubClass", "bFunctionProtocol")
    string(6, "iFunction", bytes[7])
  }

  private mutating func printInterface(_ bytes: [UInt8]) {
    classIndent = 6
    head(4, "Interface Descriptor:", bytes)
    fields(
      6, bytes, from: 2, "bInterfaceNumber", "bAlternateSetting", "bNumEndpoints",
      "bInterfaceClass", "bInterfaceSubClass", "bInterfaceProtocol")
    string(6, "iInterface", bytes[8])
  }

  private mutating func printHID(_ bytes: [UInt8]) {
    head(8, "HID Device Descriptor:", bytes)
    version(10, "bcdHID", bytes, at: 2)
    fields(10, bytes, from: 4, "bCountryCode", "bNumDescriptors", "bDescriptorType")
    field(10, "wDescriptorLength", Int(Self.number(bytes, at: 7)))
  }

  private mutating func printEndpoint(_ bytes: [UInt8]) {
    classIndent = 8
    head(6, "Endpoint Descriptor:", bytes)
    let (address, attributes) = (bytes[2], bytes[3])
    let direction = address & 0x80 != 0 ? "IN" : "OUT"
    line(
      8,
      "bEndpointAddress".padded(to: 21) + address.hexadecimal
        + "  EP \(address & 0x0F) \(direction)")
    field(8, "bmAttributes", Int(attributes))
    let transfers = ["Control", "Isochronous", "Bulk", "Interrupt"]
    let synchronisations = ["None", "Asynchronous", "Adaptive", "Synchronous"]
    let usages = ["Data", "Feedback", "Implicit feedback Data", "(reserved)"]
    line(10, "Transfer Type".padded(to: 25) + transfers[Int(attributes & 3)])
    line(10, "Synch Type".padded(to: 25) + synchronisations[Int(attributes >> 2 & 3)])
    line(10, "Usage Type".padded(to: 25) + usages[Int(attributes >> 4 & 3)])
    let packet = Self.number(bytes, at: 4)
    let transactions = ["1x", "2x", "3x", "(??)"][Int(packet >> 11 & 3)]
    line(
      8,
      "wMaxPacketSize".padded(to: 19) + packet.hexadecimal
        + "  \(transactions) \(packet & 0x7FF) bytes")
    field(8, "bInterval", Int(bytes[6]))
    if bytes.count >= 9 { fields(8, bytes, from: 7, "bRefresh", "bSynchAddress") }
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: Swift.max(width - utf8.count, 0))
  }
}

extension FixedWidthInteger {
  /// The number as `0x` and all its digits.
  fileprivate var hexadecimal: String { "0x" + hexDigits() }
}
