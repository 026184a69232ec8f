// SPDX-License-Identifier: Apache-2.0

package import HIDBus
internal import HIDReportDescriptor

/// The USB device of a definition's interfaces, from which the definition takes its settings.
package struct ClonedUSBDevice: Sendable {
  /// The speed; nil if it is not known.
  package var speed: USBSpeed?
  /// The device descriptor, 18 bytes.
  package var device: [UInt8]
  /// The configuration descriptor with those of its interfaces.
  package var configuration: [UInt8]
  /// The product's text; nil if it is not known, and empty for none.
  package var product: String?
  /// The serial number; empty if it is not known, or if there is none.
  package var serialNumber: String
  /// The numbers of the definition's interfaces, in order, with their texts.
  package var interfaces: [(number: UInt8, name: String)]

  package init(
    speed: USBSpeed?, device: [UInt8], configuration: [UInt8], product: String?,
    serialNumber: String = "", interfaces: [(number: UInt8, name: String)]
  ) {
    self.speed = speed
    self.device = device
    self.configuration = configuration
    self.product = product
    self.serialNumber = serialNumber
    self.interfaces = interfaces
  }

  /// Makes the USB device of plugged HID devices; nil if they are not the interfaces of one.
  ///
  /// - Parameter records: The records of all interfaces of the definition, in order.
  package init?(of records: [HIDDeviceRecord]) {
    let found = records.filter { $0.bus == .kernel }
      .compactMap { KernelUSBInterface(ofNode: $0.address) }
    guard let first = found.first, found.count == records.count,
      found.allSatisfy({ $0.device == first.device && $0.configuration == first.configuration })
    else { return nil }
    self.init(
      speed: first.speed, device: first.device, configuration: first.configuration,
      product: first.product, serialNumber: first.serialNumber,
      interfaces: found.map { ($0.number, $0.name) })
  }
}

extension HIDDeviceDefinition {
  /// Takes the settings of a USB device that differ from those that hidsim derives.
  ///
  /// - Parameter cloned: The USB device.
  /// - Returns: Notes about what the settings cannot express.
  package mutating func takeUSBSettings(of cloned: ClonedUSBDevice) -> [String] {
    let layout: USBLayout
    do throws(USBLayout.Fault) {
      layout = try USBLayout(
        device: cloned.device, configuration: cloned.configuration,
        interfaces: cloned.interfaces.map(\.number), answers: [:])
    } catch {
      return ["the section usb is left out: \(error.message)"]
    }
    guard layout.interfaces.count == interfaces.count, let derived = try? usbDescription() else {
      return []
    }
    var notes: [String] = []
    takeSerialNumber(cloned.serialNumber, index: layout.device[16])
    let speed = cloned.speed ?? layout.speed(intervals: [:])
    if speed != derived.speed { usb.speed = speed }
    takeDevice(layout, derived, product: cloned.product)
    takeInterfaces(layout, cloned, at: speed)
    let numbers = layout.interfaces.map { Int($0.number) }
    let isRenumbered =
      numbers != Array(interfaces.indices)
      || (try? usbDescription())?.endpointAddresses != layout.endpointAddresses
    if isRenumbered {
      notes.append(
        "the file numbers interfaces from 0 and endpoints from 1, and the device has other numbers")
    }
    let extras = layout.otherInterfaces
    guard !extras.isEmpty else { return notes }
    if !isRenumbered, extras.count <= USBSettings.maximumExtraInterfaceCount,
      Self.areUsable(extras, after: interfaces.count, beside: layout.endpointAddresses)
    {
      usb.extraInterfaces = extras
    } else {
      notes.append("the \(extras.count) interfaces that are not HID are left out")
    }
    return notes
  }

  /// Takes the serial number of the USB device.
  ///
  /// A vendor's driver can give the HID device another one, such as an address for Bluetooth.
  private mutating func takeSerialNumber(_ text: String, index: UInt8) {
    if index == 0 {
      serialNumber = nil
    } else if !text.isEmpty {
      serialNumber = HIDDeviceFile.showable(
        text, maximumByteCount: HIDDeviceFile.maximumSerialNumberByteCount)
    }
  }

  private mutating func takeDevice(
    _ layout: USBLayout, _ derived: USBDeviceDescription, product: String?
  ) {
    let fields = layout.device
    let version = UInt16(fields[2]) | UInt16(fields[3]) << 8
    if version != derived.usbVersion { usb.usbVersion = version }
    if fields[4...6] != [0, 0, 0] {
      usb.deviceClass = USBSettings.Class(
        code: fields[4], subclass: fields[5], protocolCode: fields[6])
    }
    if let product, product != derived.product,
      product.utf16.count <= USBDeviceDescription.longestString
    {
      usb.product = HIDDeviceFile.showable(product, maximumByteCount: .max) ?? ""
    }
    let power = Int(layout.configuration[8]) * 2
    if power != derived.maximumPower, power <= USBSettings.greatestPower {
      usb.maximumPower = power
    }
    usb.isSelfPowered = layout.isSelfPowered
    usb.wakesHosts = layout.wakesHosts
  }

  private mutating func takeInterfaces(
    _ layout: USBLayout, _ cloned: ClonedUSBDevice, at speed: USBSpeed
  ) {
    for (index, interface) in layout.interfaces.enumerated() {
      let name = cloned.interfaces[index].name
      if name.utf16.count <= USBDeviceDescription.longestString {
        interfaces[index].usb.name = HIDDeviceFile.showable(name, maximumByteCount: .max) ?? ""
      }
      if let version = interface.hidVersion { interfaces[index].usb.hidVersion = version }
      if interface.subclass == 1, !interfaces[index].descriptor.reports(of: .input).isEmpty {
        interfaces[index].usb.boot =
          USBInterfaceDescription.Boot(rawValue: interface.protocolCode) ?? .none
      }
    }
    // The endpoints that hidsim derives depend on the speed.
    guard let derived = try? usbDescription() else { return }
    for (index, interface) in layout.interfaces.enumerated() {
      let own = derived.interfaces[index]
      if let input = interface.input {
        let (interval, packet) = Self.differences(input, own.input, at: speed)
        interfaces[index].usb.interval = interval
        interfaces[index].usb.packetByteCount = packet
      }
      guard let output = interface.output else {
        if own.output != nil { interfaces[index].usb.output = .control }
        continue
      }
      // An endpoint that hidsim would not derive has the values that fit the reports.
      interfaces[index].usb.output = .endpoint(interval: nil, packetByteCount: nil)
      let fitting = (try? usbDescription())?.interfaces[index].output ?? own.input
      let (interval, packet) = Self.differences(output, fitting, at: speed)
      let differs = interval != nil || packet != nil
      interfaces[index].usb.output =
        differs || own.output == nil
        ? .endpoint(interval: interval, packetByteCount: packet) : nil
    }
  }

  /// Returns the interval and the packet size of an endpoint, each nil if it is the derived one or
  /// is not allowed at the speed.
  private static func differences(
    _ endpoint: USBLayout.Endpoint, _ derived: USBInterfaceDescription.Endpoint, at speed: USBSpeed
  ) -> (interval: UInt8?, packetByteCount: Int?) {
    let interval =
      endpoint.interval != derived.interval && speed.intervals.contains(Int(endpoint.interval))
      ? endpoint.interval : nil
    let packet =
      endpoint.packetByteCount != derived.packetByteCount
        && (1...speed.longestPacket).contains(endpoint.packetByteCount)
      ? endpoint.packetByteCount : nil
    return (interval, packet)
  }

  /// Returns whether interfaces that are not HID can follow the HID interfaces as they are.
  private static func areUsable(
    _ extras: [[UInt8]], after count: Int, beside addresses: [UInt8]
  ) -> Bool {
    var taken = Set(addresses)
    for (index, bytes) in extras.enumerated() {
      guard let interface = try? USBExtraInterface(bytes, number: count + index),
        taken.isDisjoint(with: interface.endpoints)
      else { return false }
      taken.formUnion(interface.endpoints)
    }
    return true
  }
}

extension USBLayout {
  /// The descriptors of the interfaces that are none of ``interfaces``, each with its alternate
  /// settings, and with an interface association before it.
  fileprivate var otherInterfaces: [[UInt8]] {
    typealias DescriptorType = USBDeviceDescription.DescriptorType
    var found: [(number: UInt8, bytes: [UInt8])] = []
    var association: [UInt8] = []
    var isOther = false
    for fields in USBDescriptorList(configuration.dropFirst(9)) {
      switch fields[1] {
      case DescriptorType.association: association += fields
      case DescriptorType.interface where fields.count >= 9:
        isOther = !interfaces.contains { $0.number == fields[2] }
        if isOther {
          if found.last?.number != fields[2] { found.append((fields[2], association)) }
          found[found.count - 1].bytes += fields
        }
        association = []
      default: if isOther { found[found.count - 1].bytes += fields }
      }
    }
    return found.map(\.bytes)
  }
}
