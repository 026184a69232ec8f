// SPDX-License-Identifier: Apache-2.0

package import HIDBus

extension HIDDeviceDefinition {
  /// The identity with which the device is plugged.
  package var identity: HIDDeviceIdentity {
    HIDDeviceIdentity(
      name: name, vendorID: UInt32(vendorID), productID: UInt32(productID),
      versionNumber: UInt32(versionNumber), countryCode: UInt32(countryCode), transport: transport,
      manufacturer: manufacturer ?? "", serialNumber: serialNumber ?? "")
  }

  /// Returns the USB device that the USB bus makes of the device.
  ///
  /// - Throws: `invalidArgument` if the device has more interfaces than a USB device can have.
  package func usbDescription() throws(HIDBusError) -> USBDeviceDescription {
    try USBDeviceDescription(
      identity, usb, interfaces: interfaces.map { ($0.descriptor, $0.usb) })
  }

  /// Returns the number of an interface in its path: that of a captured USB device on the USB bus,
  /// else its index.
  func pathNumber(ofInterface index: Int, on bus: HIDBusKind) -> Int {
    guard bus == .usb, let layout = usb.layout, layout.interfaces.count == interfaces.count else {
      return index
    }
    return Int(layout.interfaces[index].number)
  }

  /// True if the device file has settings of the USB device or of an interface.
  package var hasUSBSettings: Bool {
    usb != USBSettings() || interfaces.contains { $0.usb != USBInterfaceSettings() }
  }
}
