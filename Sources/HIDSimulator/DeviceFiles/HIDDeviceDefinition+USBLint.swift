// SPDX-License-Identifier: Apache-2.0

internal import HIDBus
package import HIDReportDescriptor
internal import HIDText

extension HIDDeviceDefinition {
  /// Checks the settings of the USB device; a device without settings has no findings.
  ///
  /// - Returns: The findings of each interface in order; the first also has those about the device.
  package func usbFindings() -> [[HIDLintFinding]] {
    guard hasUSBSettings, let device = try? usbDescription() else {
      return interfaces.map { _ in [] }
    }
    var findings = zip(interfaces, device.interfaces).map { interface, usb in
      Self.bootFinding(interface) + Self.slowFindings(interface.descriptor, usb, at: device.speed)
    }
    if transport != .usb, !findings.isEmpty {
      findings[0].append(
        HIDLintFinding(
          .usbTransport,
          "the file has \"usb\", and its transport is \(transport.name)",
          fix: "write \"transport\": \"usb\", or remove \"usb\""))
    }
    return findings
  }

  private static func bootFinding(_ interface: HIDInterfaceDefinition) -> [HIDLintFinding] {
    let lengths: ClosedRange<Int>
    switch interface.usb.boot {
    case .none: return []
    case .keyboard: lengths = 8...8
    case .mouse: lengths = 3...Int.max
    }
    let reports = interface.descriptor.reports(of: .input)
    let isNumbered = reports.contains { $0.id != nil }
    let longest = reports.map(\.byteCount).max() ?? 0
    guard isNumbered || !lengths.contains(longest) else { return [] }
    let expected = lengths.upperBound == lengths.lowerBound ? "8 bytes" : "at least 3 bytes"
    let found =
      isNumbered ? "input reports have IDs" : "the input report has \(longest.counting("byte"))"
    return [
      HIDLintFinding(
        .usbBootReport,
        "\(found); the boot report of a \(interface.usb.boot) has \(expected) and no ID",
        fix: "remove \"boot\", or declare the boot report")
    ]
  }

  private static func slowFindings(
    _ descriptor: HIDReportDescriptor, _ usb: USBInterfaceDescription, at speed: USBSpeed
  ) -> [HIDLintFinding] {
    guard speed != .high else { return [] }
    let lengths = HIDReportLengths(descriptor)
    let endpoints: [(HIDReportType, USBInterfaceDescription.Endpoint?)] = [
      (.input, usb.input), (.output, usb.output),
    ]
    return endpoints.compactMap { type, endpoint in
      guard let endpoint, endpoint.interval > 1 else { return nil }
      let longest = lengths.longest(type)
      let packetCount = (longest + endpoint.packetByteCount - 1) / endpoint.packetByteCount
      guard packetCount > 1 else { return nil }
      let interval = Int(endpoint.interval)
      return HIDLintFinding(
        .usbSlowReport,
        "an \(type) report of \(longest) bytes is \(packetCount) packets of "
          + "\(endpoint.packetByteCount): it takes \(packetCount * interval) ms with the interval "
          + "of \(interval) ms", fix: nil)
    }
  }
}
