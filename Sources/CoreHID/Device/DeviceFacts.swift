// SPDX-License-Identifier: Apache-2.0

import HIDBus

/// A device's properties in the form in which CoreHID gives them.
///
/// A text that the device or the kernel leaves empty is `nil`, and so is a version number of 0.
struct DeviceFacts: Sendable {
  private let identity: HIDDeviceIdentity

  init(_ identity: HIDDeviceIdentity) { self.identity = identity }

  private static func told(_ text: String) -> String? { text.isEmpty ? nil : text }

  var vendorID: UInt32 { identity.vendorID }
  var productID: UInt32 { identity.productID }
  var product: String? { Self.told(identity.details.product ?? identity.name) }
  var manufacturer: String? { Self.told(identity.manufacturer) }
  var modelNumber: String? { identity.details.modelNumber.flatMap(Self.told) }
  var serialNumber: String? { Self.told(identity.serialNumber) }
  var uniqueID: String? { identity.details.uniqueID.flatMap(Self.told) }
  var versionNumber: UInt64? { identity.versionNumber == 0 ? nil : UInt64(identity.versionNumber) }
  var locationID: UInt64? { identity.details.locationID }
  var isBuiltIn: Bool { identity.details.isBuiltIn }
  var localizationCode: HIDDeviceLocalizationCode {
    HIDDeviceLocalizationCode(countryCode: identity.countryCode)
  }
  var transport: HIDDeviceTransport? {
    identity.details.transportName.map { HIDDeviceTransport(propertyName: $0) }
      ?? HIDDeviceTransport(identity.transport)
  }
  /// The further properties of the device, by name.
  var extraProperties: [String: AnyObject] { PropertyList.decode(identity.details.properties) }
}
