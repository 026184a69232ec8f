// SPDX-License-Identifier: Apache-2.0

internal import HIDBus
internal import HIDReportDescriptor
internal import HIDText

extension HIDDeviceFile {
  /// Writes a device as a device file that is easy to read.
  ///
  /// If the device is valid, reading the file gives the same device, except for the locations of
  /// its interfaces, the order of their `anyLengthReports`, and `allowsLongInput` of their
  /// descriptors. An empty manufacturer or serial number becomes `nil`. Initial reports that the
  /// descriptor does not declare are left out.
  ///
  /// - Parameters:
  ///   - device: The device, which is not checked.
  ///   - comment: The lines of a comment, such as the origin of the device.
  /// - Returns: The file in UTF-8; its last line ends with a line break.
  public static func write(_ device: HIDDeviceDefinition, comment: [String] = []) -> [UInt8] {
    var writer = DeviceFileWriter()
    writer.write(device, comment)
    return Array(writer.text.utf8)
  }
}

/// A device file that is being written.
struct DeviceFileWriter: JSONTextWriter {
  private(set) var text = ""

  mutating func write(_ device: HIDDeviceDefinition, _ comment: [String]) {
    var members = [
      member("$schema", quoted(HIDDeviceFile.schemaID)),
      member("hidsim", "\(HIDDeviceFile.version)"),
    ]
    if !comment.isEmpty { members.append(member("comment", list(comment.map(quoted), indent: 2))) }
    members.append(member("name", quoted(device.name)))
    members.append(
      [
        member("vendorID", hex(device.vendorID)), member("productID", hex(device.productID)),
        member("version", version(device.versionNumber)),
      ].joined(separator: ", "))
    if let manufacturer = device.manufacturer {
      members.append(member("manufacturer", quoted(manufacturer)))
    }
    if let serialNumber = device.serialNumber {
      members.append(member("serialNumber", quoted(serialNumber)))
    }
    members.append(member("transport", transport(device.transport)))
    if let place = device.place { members.append(member("physicalPath", quoted(place))) }
    if device.countryCode != 0 { members.append(member("country", "\(device.countryCode)")) }
    let usb = usbMembers(device.usb, indent: 2)
    if let only = device.interfaces.first, device.interfaces.count == 1, only.name == nil {
      members += section(usb + usbMembers(only.usb), indent: 2)
      members += self.members(only, indent: 2)
    } else {
      members += section(usb, indent: 2)
      let interfaces = device.interfaces.map { interface in
        let name = interface.name.map { [member("name", quoted($0))] } ?? []
        let usb = section(usbMembers(interface.usb), indent: 6)
        return object(name + usb + self.members(interface, indent: 6), indent: 4)
      }
      members.append(member("interfaces", list(interfaces, indent: 2)))
    }
    text = object(members, indent: 0) + "\n"
  }

  /// Returns the section `usb` with some keys; none without keys.
  private func section(_ members: [String], indent: Int) -> [String] {
    members.isEmpty ? [] : [member("usb", object(members, indent: indent))]
  }

  private func members(_ interface: HIDInterfaceDefinition, indent: Int) -> [String] {
    let descriptor = interface.descriptor
    let items = HIDDescriptorText.text(descriptor.bytes, as: .items) ?? "[]"
    // No string in the items contains a line break.
    let margin = "\n" + String(repeating: " ", count: indent)
    var members = [
      member("reportDescriptor", items.split(separator: "\n").joined(separator: margin))
    ]
    if interface.nodes != .any {
      members.append(member("nodes", quoted(interface.nodes.rawValue)))
    }
    let reports = self.reports(of: interface)
    if !reports.isEmpty {
      members.append(member("reports", list(reports, indent: indent)))
    }
    if !interface.controls.isEmpty {
      let added = Dictionary(
        zip(interface.addedControls, descriptor.addedFields),
        uniquingKeysWith: { first, _ in first })
      // Added controls keep their order, because it determines their usages and so their names.
      let aliases = interface.controls.filter { added[$0.key] == nil }.sorted { $0.key < $1.key }
      let controls =
        interface.addedControls.compactMap { name in
          added[name].map { member(name, line(self.added($0) + places(of: name, interface))) }
        }
        + aliases.map { member($0.key, quoted($0.value)) }
      members.append(member("controls", object(controls, indent: indent)))
    }
    if !interface.states.isEmpty {
      members.append(member("state", object(interface.states.map { state($0) }, indent: indent)))
    }
    if !interface.behaviours.isEmpty {
      let behaviours = interface.behaviours.map { behaviour($0, descriptor) }
      members.append(member("behaviours", list(behaviours, indent: indent)))
    }
    if !interface.switches.isEmpty {
      let rows = interface.switches.map { switchRow($0) }
      members.append(member("switches", list(rows, indent: indent)))
    }
    if !interface.switchRepeats.isEmpty {
      let rules = interface.switchRepeats.map { switchRepeat($0) }
      members.append(member("switchRepeats", list(rules, indent: indent)))
    }
    return members
  }

  private func added(_ field: HIDAddedField) -> [String] {
    var members = [member("type", quoted("\(field.type)"))] + id(field.reportID)
    members.append(member("bit", "\(field.bitOffset)"))
    if field.bitSize != 1 { members.append(member("bits", "\(field.bitSize)")) }
    if field.isSigned { members.append(member("signed", "true")) }
    if let range = field.range {
      members.append(member("minimum", "\(range.lowerBound)"))
      members.append(member("maximum", "\(range.upperBound)"))
    }
    if field.usage.page != 0xFFFF { members.append(member("usage", quoted(field.usage.name))) }
    return members
  }

  /// Returns the places of an added control that depend on the report or on the state.
  private func places(of control: String, _ interface: HIDInterfaceDefinition) -> [String] {
    guard let found = interface.alternatives.first(where: { $0.control == control }) else {
      return []
    }
    let places = found.places.map { place in
      let bytes = place.bytes.map {
        [member("bytes", pattern($0, isNumbered: found.field.reportID != nil))]
      }
      return line(
        (bytes ?? []) + when(place.conditions) + [member("bit", "\(place.bitOffset)")])
    }
    return [member("alternatives", "[\(places.joined(separator: ", "))]")]
  }

  // MARK: Values

  func hex<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number) -> String {
    quoted("0x" + number.hexDigits())
  }

  func id(_ id: HIDReportID?) -> [String] {
    id.map { [member("id", "\($0.rawValue)")] } ?? []
  }

  private func transport(_ transport: HIDTransport) -> String {
    if case .other(let busType) = transport { return hex(busType) }
    return quoted(transport.name)
  }

  /// Returns the bytes after the ID as JSON.
  func payload(_ report: [UInt8], _ id: HIDReportID?) -> String {
    JSONText.bytes(id == nil ? report : Array(report.dropFirst())).text
  }

  /// Returns `1.10` for 0x0110, and a number that is not binary-coded decimal in hexadecimal.
  func version(_ number: UInt16) -> String {
    let digits = [12, 8, 4, 0].map { number >> $0 & 0xF }
    guard digits.allSatisfy({ $0 <= 9 }) else { return hex(number) }
    return quoted(
      (digits[0] == 0 ? "" : "\(digits[0])") + "\(digits[1]).\(digits[2])\(digits[3])")
  }
}
