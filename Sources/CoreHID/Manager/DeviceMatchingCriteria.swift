// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

extension HIDDeviceManager {
  /// The properties that a device must have to be found; properties that are `nil` do not matter.
  ///
  /// An empty text matches no device.
  public struct DeviceMatchingCriteria: Sendable {
    /// The device's primary usage, as ``HIDDeviceClient/primaryUsage`` gives it.
    public var primaryUsage: HIDUsage?
    /// The usages of which the device must have at least one; an empty list matches no device.
    public var deviceUsages: [HIDUsage]?
    /// The vendor ID.
    public var vendorID: UInt32?
    /// The product ID.
    public var productID: UInt32?
    /// The transport by which the device is attached.
    public var transport: HIDDeviceTransport?
    /// The product's name.
    public var product: String?
    /// The manufacturer's name.
    public var manufacturer: String?
    /// The model number.
    public var modelNumber: String?
    /// The release number; 0 matches no device.
    public var versionNumber: UInt64?
    /// The serial number.
    public var serialNumber: String?
    /// The ID that software has given the device.
    public var uniqueID: String?
    /// The location at which the device is attached.
    public var locationID: UInt64?
    /// The country or language of the device's legends.
    public var localizationCode: HIDDeviceLocalizationCode?
    /// True for devices that are part of the machine, false for all others.
    public var isBuiltIn: Bool?
    /// Further properties, by name.
    let extraProperties: ExtraProperties?

    /// Makes criteria; properties that are left out do not matter.
    ///
    /// - Parameters:
    ///   - primaryUsage: The device's primary usage.
    ///   - deviceUsages: The usages of which the device must have at least one; an empty list
    ///     matches no device.
    ///   - vendorID: The vendor ID.
    ///   - productID: The product ID.
    ///   - transport: The transport by which the device is attached.
    ///   - product: The product's name.
    ///   - manufacturer: The manufacturer's name.
    ///   - modelNumber: The model number.
    ///   - versionNumber: The release number.
    ///   - serialNumber: The serial number.
    ///   - uniqueID: The ID that software has given the device.
    ///   - locationID: The location at which the device is attached.
    ///   - localizationCode: The country or language of the device's legends.
    ///   - isBuiltIn: True for devices that are part of the machine, false for all others.
    ///   - extraProperties: Further properties, by name, with the values that they must have.
    public init(
      primaryUsage: HIDUsage? = nil, deviceUsages: [HIDUsage]? = nil, vendorID: UInt32? = nil,
      productID: UInt32? = nil, transport: HIDDeviceTransport? = nil, product: String? = nil,
      manufacturer: String? = nil, modelNumber: String? = nil, versionNumber: UInt64? = nil,
      serialNumber: String? = nil, uniqueID: String? = nil, locationID: UInt64? = nil,
      localizationCode: HIDDeviceLocalizationCode? = nil, isBuiltIn: Bool? = nil,
      extraProperties: [String: AnyObject]? = nil
    ) {
      self.primaryUsage = primaryUsage
      self.deviceUsages = deviceUsages
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
      self.isBuiltIn = isBuiltIn
      self.extraProperties = extraProperties.map(ExtraProperties.init)
    }
  }
}

/// Properties by name, as the caller gave them.
// The objects are those of property lists, which are immutable. A caller that passes any other
// object must not change it afterwards.
struct ExtraProperties: @unchecked Sendable {
  let values: [String: AnyObject]
}

extension DeviceTarget {
  /// Returns whether the device meets at least one of the criteria, or whether there are none.
  func meets(_ criteria: [HIDDeviceManager.DeviceMatchingCriteria]) -> Bool {
    guard !criteria.isEmpty else { return true }
    let facts = DeviceFacts(identity)
    // A device with an invalid report descriptor has no usages, and no client can open it. Its
    // other properties can still match.
    let model = (try? HIDReportDescriptor(parsing: descriptorBytes)).map(DeviceModel.init)
    return criteria.contains { $0.isMet(by: facts, model) }
  }
}

extension HIDDeviceManager.DeviceMatchingCriteria {
  fileprivate func isMet(by facts: DeviceFacts, _ model: DeviceModel?) -> Bool {
    func agrees<Value: Equatable>(_ wanted: Value?, _ found: @autoclosure () -> Value?) -> Bool {
      wanted.map { $0 == found() } ?? true
    }
    return agrees(vendorID, facts.vendorID) && agrees(productID, facts.productID)
      && agrees(primaryUsage, model?.primaryUsage) && agrees(transport, facts.transport)
      && agrees(product, facts.product) && agrees(manufacturer, facts.manufacturer)
      && agrees(modelNumber, facts.modelNumber) && agrees(versionNumber, facts.versionNumber)
      && agrees(serialNumber, facts.serialNumber) && agrees(uniqueID, facts.uniqueID)
      && agrees(locationID, facts.locationID) && agrees(localizationCode, facts.localizationCode)
      && agrees(isBuiltIn, facts.isBuiltIn) && hasUsage(of: model)
      && hasProperties(of: facts, model)
  }

  private func hasUsage(of model: DeviceModel?) -> Bool {
    guard let deviceUsages else { return true }
    let found = Set(model?.deviceUsages ?? [])
    return deviceUsages.contains { found.contains($0) }
  }

  private func hasProperties(of facts: DeviceFacts, _ model: DeviceModel?) -> Bool {
    guard let extraProperties else { return true }
    return extraProperties.values.allSatisfy { name, wanted in
      facts.property(name, model).map { PropertyList.areEqual($0, wanted) } ?? false
    }
  }
}
