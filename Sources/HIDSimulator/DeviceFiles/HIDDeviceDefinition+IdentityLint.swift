// SPDX-License-Identifier: Apache-2.0

internal import HIDBus
package import HIDReportDescriptor
internal import HIDText

extension HIDDeviceDefinition {
  /// Checks what a report descriptor does not have: the USB device, and the identity on Linux.
  ///
  /// - Returns: The findings of each interface in order; the first also has those about the device.
  package func fileFindings() -> [[HIDLintFinding]] {
    var findings = usbFindings()
    if let finding = identityFinding(), !findings.isEmpty { findings[0].append(finding) }
    return findings
  }

  private func identityFinding() -> HIDLintFinding? {
    let known = KnownController.all.first {
      $0.transport == transport && $0.vendorID == vendorID && $0.productID == productID
    }
    guard let known, let interface = interfaces.first else { return nil }
    let version = transport == .usb ? interface.usb.hidVersion : versionNumber
    guard !known.versions.contains(version), let usual = known.versions.last else { return nil }
    let key = transport == .usb ? "hidVersion" : "version"
    let digits = usual.hexDigits()
    let number = "\(Int(digits.prefix(2)) ?? 0).\(digits.suffix(2))"
    return HIDLintFinding(
      .evdevIdentity,
      "Linux gives this controller the version 0x\(version.hexDigits()) on \(transport.name), and SDL's "
        + "database knows the product with "
        + known.versions.map { "0x\($0.hexDigits())" }.joined(separator: " and "),
      fix: transport == .usb
        ? "write \"usb\": {\"\(key)\": \"\(number)\"}, or leave \"\(key)\" out"
        : "write \"\(key)\": \"\(number)\"")
  }
}

/// A game controller, and the versions with which SDL knows it on Linux.
///
/// Linux's own driver adds the highest bit, which is left out here.
///
/// Source: the mappings for Linux in SDL 2.32.10, whose IDs are bus, vendor, product and version.
private struct KnownController {
  let transport: HIDTransport
  let vendorID: UInt16
  let productID: UInt16
  let versions: [UInt16]

  static let all = [
    Self(transport: .usb, vendorID: 0x054C, productID: 0x0268, versions: [0x0110, 0x0111]),
    Self(transport: .usb, vendorID: 0x054C, productID: 0x05C4, versions: [0x0111]),
    Self(transport: .usb, vendorID: 0x054C, productID: 0x09CC, versions: [0x0100, 0x0111]),
    Self(transport: .usb, vendorID: 0x054C, productID: 0x0BA0, versions: [0x0111]),
    Self(transport: .usb, vendorID: 0x054C, productID: 0x0CE6, versions: [0x0111]),
    Self(transport: .usb, vendorID: 0x057E, productID: 0x2009, versions: [0x0111]),
    Self(transport: .bluetooth, vendorID: 0x054C, productID: 0x0268, versions: [0x0100]),
    Self(transport: .bluetooth, vendorID: 0x054C, productID: 0x05C4, versions: [0x0100]),
    Self(transport: .bluetooth, vendorID: 0x054C, productID: 0x09CC, versions: [0x0001, 0x0100]),
    Self(transport: .bluetooth, vendorID: 0x054C, productID: 0x0CE6, versions: [0x0100]),
    Self(transport: .bluetooth, vendorID: 0x054C, productID: 0x0DF2, versions: [0x0100]),
    Self(transport: .bluetooth, vendorID: 0x057E, productID: 0x2006, versions: [0x0001]),
    Self(transport: .bluetooth, vendorID: 0x057E, productID: 0x2007, versions: [0x0001]),
    Self(transport: .bluetooth, vendorID: 0x057E, productID: 0x2009, versions: [0x0001]),
  ]
}
