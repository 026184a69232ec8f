// SPDX-License-Identifier: Apache-2.0

/// The descriptors of a USB device, as a host reads them.
///
/// Sources: USB 2.0, section 9.6; HID 1.11, section 6.2.1.
extension USBDeviceDescription {
  /// The types of descriptors.
  package enum DescriptorType {
    package static let device: UInt8 = 1
    package static let configuration: UInt8 = 2
    package static let string: UInt8 = 3
    package static let interface: UInt8 = 4
    package static let endpoint: UInt8 = 5
    package static let qualifier: UInt8 = 6
    package static let association: UInt8 = 11
    package static let hid: UInt8 = 0x21
    package static let report: UInt8 = 0x22
  }

  /// The number of the only configuration.
  package static let configurationValue: UInt8 = 1
  /// The class of HID interfaces.
  private static let hidClass: UInt8 = 3
  /// The largest number of UTF-16 code units in a string descriptor.
  package static let longestString = 126
  /// The largest number of bytes in a string descriptor, after the length and the type.
  package static let longestRawString = 253

  /// The texts that the device's own descriptors name, in the order of their indices, from 1.
  private var texts: [String] {
    [manufacturer, product, serialNumber] + interfaces.map(\.name)
  }

  /// The addresses of the endpoints of the HID interfaces, in order.
  package var endpointAddresses: [UInt8] {
    if let layout { return layout.endpointAddresses }
    return interfaces.enumerated().flatMap { number, interface in
      let address = UInt8(number + 1)
      return [0x80 | address] + (interface.output == nil ? [] : [address])
    }
  }

  /// The number of strings that the device's own descriptors name; their indices begin at 1.
  package var textCount: Int { texts.count { !$0.isEmpty } }

  /// Returns the index of a text; 0 for an empty one, for which there is no string.
  private func index(ofText position: Int) -> UInt8 {
    guard !texts[position].isEmpty else { return 0 }
    return UInt8(texts[...position].count { !$0.isEmpty })
  }

  /// The device descriptor, 18 bytes.
  package var deviceDescriptor: [UInt8] {
    if let layout { return layout.device }
    var bytes: [UInt8] = [18, DescriptorType.device]
    bytes.append(littleEndian: usbVersion)
    bytes += [deviceClass.0, deviceClass.1, deviceClass.2, speed.longestControlPacket]
    for number in [vendorID, productID, versionNumber] { bytes.append(littleEndian: number) }
    return bytes + [index(ofText: 0), index(ofText: 1), index(ofText: 2), 1]
  }

  /// The device qualifier of a high-speed device, 10 bytes; nil for other devices, which have none.
  package var qualifier: [UInt8]? {
    let request = USBLayout.Request(
      requestType: 0x80, value: UInt16(DescriptorType.qualifier) << 8, index: 0)
    if let answer = layout?.answer(request) { return answer }
    guard speed == .high else { return nil }
    var bytes: [UInt8] = [10, DescriptorType.qualifier]
    bytes.append(littleEndian: usbVersion)
    let packet = USBSpeed.full.longestControlPacket
    return bytes + [deviceClass.0, deviceClass.1, deviceClass.2, packet, 1, 0]
  }

  /// The configuration descriptor with those of its interfaces.
  package var configurationDescriptor: [UInt8] {
    if let layout { return layout.configuration }
    var rest: [UInt8] = []
    for number in interfaces.indices { rest += interfaceDescriptors(number) }
    for interface in extraInterfaces { rest += interface }
    var bytes: [UInt8] = [9, DescriptorType.configuration]
    bytes.append(littleEndian: UInt16(9 + rest.count))
    let attributes: UInt8 = 0x80 | (isSelfPowered ? 0x40 : 0) | (wakesHosts ? 0x20 : 0)
    bytes += [
      UInt8(interfaces.count + extraInterfaces.count), Self.configurationValue, 0, attributes,
      UInt8(maximumPower / 2),
    ]
    return bytes + rest
  }

  private func interfaceDescriptors(_ number: Int) -> [UInt8] {
    let interface = interfaces[number]
    let endpointCount: UInt8 = interface.output == nil ? 1 : 2
    let subclass: UInt8 = interface.boot == .none ? 0 : 1
    var bytes: [UInt8] = [
      9, DescriptorType.interface, UInt8(number), 0, endpointCount, Self.hidClass, subclass,
      interface.boot.rawValue, index(ofText: 3 + number),
    ]
    bytes += hidDescriptor(number)
    let address = UInt8(number + 1)
    bytes += Self.descriptor(of: interface.input, address: 0x80 | address)
    if let output = interface.output { bytes += Self.descriptor(of: output, address: address) }
    return bytes
  }

  private static func descriptor(
    of endpoint: USBInterfaceDescription.Endpoint, address: UInt8
  ) -> [UInt8] {
    let interrupt: UInt8 = 3
    var bytes = [7, DescriptorType.endpoint, address, interrupt]
    bytes.append(littleEndian: UInt16(endpoint.packetByteCount))
    return bytes + [endpoint.interval]
  }

  /// Returns the HID descriptor of an interface, 9 bytes.
  package func hidDescriptor(_ number: Int) -> [UInt8] {
    if let hid = layout?.interfaces[number].hid, !hid.isEmpty { return hid }
    var bytes: [UInt8] = [9, DescriptorType.hid]
    bytes.append(littleEndian: interfaces[number].hidVersion)
    bytes += [interfaces[number].countryCode, 1, DescriptorType.report]
    bytes.append(littleEndian: UInt16(interfaces[number].reportDescriptor.count))
    return bytes
  }

  /// Returns the string descriptor with an index; nil if the device has none.
  ///
  /// Index 0 is the list of languages, which has US English only. A text is cut after 126 UTF-16
  /// code units, and a string that is no text after 253 bytes.
  package func stringDescriptor(_ index: UInt8) -> [UInt8]? {
    if let layout {
      let answer = layout.answer(
        USBLayout.Request(
          requestType: 0x80, value: UInt16(DescriptorType.string) << 8 | UInt16(index), index: 0))
      if answer != nil || index != 0 { return answer }
    }
    if index == 0 { return [4, DescriptorType.string, 0x09, 0x04] }
    if let bytes = rawStrings[index] {
      let bytes = bytes.prefix(Self.longestRawString)
      return [UInt8(2 + bytes.count), DescriptorType.string] + bytes
    }
    let named = texts.filter { !$0.isEmpty }
    guard let text = strings[index] ?? (Int(index) <= named.count ? named[Int(index) - 1] : nil)
    else { return nil }
    var units = Array(text.utf16.prefix(Self.longestString))
    // A code point is not cut in half.
    if let last = units.last, UTF16.isLeadSurrogate(last) { units.removeLast() }
    var bytes = [UInt8(2 + 2 * units.count), DescriptorType.string]
    for unit in units { bytes.append(littleEndian: unit) }
    return bytes
  }
}

extension [UInt8] {
  fileprivate mutating func append(littleEndian number: UInt16) {
    append(UInt8(truncatingIfNeeded: number))
    append(UInt8(number >> 8))
  }
}
