// SPDX-License-Identifier: Apache-2.0

import HIDBus

extension HIDVirtualDevice {
  /// The identity of a virtual device.
  public struct Properties: Sendable {
    /// The report descriptor.
    public let descriptor: Data
    /// The vendor ID.
    public let vendorID: UInt32
    /// The product ID.
    public let productID: UInt32?
    /// The transport by which the device says it is attached.
    public let transport: HIDDeviceTransport?
    /// The product's name.
    public let product: String?
    /// The manufacturer's name.
    public let manufacturer: String?
    /// The model number.
    public let modelNumber: String?
    /// The release number, binary-coded decimal: `0x0100` is 1.00.
    public let versionNumber: UInt64?
    /// The serial number.
    public let serialNumber: String?
    /// An ID that software gives the device.
    public let uniqueID: String?
    /// The location at which the device says it is attached.
    public let locationID: UInt64?
    /// The country or language of the device's legends.
    public let localizationCode: HIDDeviceLocalizationCode?
    /// Further properties, by name.
    let extraProperties: ExtraProperties?

    /// Makes properties.
    ///
    /// - Parameters:
    ///   - descriptor: The report descriptor.
    ///   - vendorID: The vendor ID.
    ///   - productID: The product ID; 0 by default.
    ///   - transport: The transport by which the device says it is attached; virtual by default.
    ///   - product: The product's name.
    ///   - manufacturer: The manufacturer's name.
    ///   - modelNumber: The model number.
    ///   - versionNumber: The release number.
    ///   - serialNumber: The serial number.
    ///   - uniqueID: An ID that software gives the device.
    ///   - locationID: The location at which the device says it is attached.
    ///   - localizationCode: The country or language of the device's legends.
    ///   - extraProperties: Further properties that clients can read, by name: text, numbers,
    ///     Booleans, dates, data, and lists and dictionaries of these. Values of other types are
    ///     left out.
    public init(
      descriptor: Data, vendorID: UInt32, productID: UInt32? = nil,
      transport: HIDDeviceTransport? = nil, product: String? = nil, manufacturer: String? = nil,
      modelNumber: String? = nil, versionNumber: UInt64? = nil, serialNumber: String? = nil,
      uniqueID: String? = nil, locationID: UInt64? = nil,
      localizationCode: HIDDeviceLocalizationCode? = nil,
      extraProperties: [String: AnyObject]? = nil
    ) {
      self.descriptor = descriptor
      self.vendorID = vendorID
      self.productID = productID
      self.transport = transport
      self.product = product
      self.manufacturer = manufacturer
      self.modelNumber = modelNumber
      self.versionNumber = versionNumber
      self.serialNumber = serialNumber
      self.uniqueID = uniqueID
      self.locationID = locationID
      self.localizationCode = localizationCode
      self.extraProperties = extraProperties.map(ExtraProperties.init)
    }
  }
}

extension HIDVirtualDevice.Properties {
  /// The properties in the form that the buses use; `nil` if the version number needs over 32 bits.
  var identity: HIDDeviceIdentity? {
    guard let version = UInt32(exactly: versionNumber ?? 0) else { return nil }
    let transport = transport ?? .virtual
    var identity = HIDDeviceIdentity(
      name: product ?? "", vendorID: vendorID, productID: productID ?? 0, versionNumber: version,
      countryCode: localizationCode?.countryCode ?? 0, transport: transport.wireTransport,
      manufacturer: manufacturer ?? "", serialNumber: serialNumber ?? "")
    identity.details.product = product
    identity.details.modelNumber = modelNumber
    identity.details.uniqueID = uniqueID
    identity.details.locationID = locationID
    identity.details.transportName = transport.propertyName
    identity.details.properties = PropertyList.encode(extraProperties?.values)
    return identity
  }
}
