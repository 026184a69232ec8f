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
    let boot = interface.usb.boot
    guard boot != .none, !USBBootReports.canBeMade(of: interface.descriptor, boot) else {
      return []
    }
    let content = boot == .mouse ? "button 1, 2 or 3, or relative x or y" : "keys"
    return [
      HIDLintFinding(
        .usbBootReport,
        "no input report has \(content): a host that chooses the boot protocol gets no reports",
        fix: "remove \"boot\", or declare \(content)")
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
