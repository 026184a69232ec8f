// SPDX-License-Identifier: Apache-2.0

extension DeviceFacts {
  /// Returns a property by its name on macOS, or by the name that the device's creator gave it.
  ///
  /// Source: `IOHIDKeys.h`.
  func property(_ key: String, _ model: DeviceModel?) -> AnyObject? {
    switch key {
    case "VendorID": return number(vendorID)
    case "ProductID": return number(productID)
    case "Product": return text(product)
    case "Manufacturer": return text(manufacturer)
    case "ModelNumber": return text(modelNumber)
    case "SerialNumber": return text(serialNumber)
    case "UniqueID": return text(uniqueID)
    case "VersionNumber": return versionNumber.map(number)
    case "LocationID": return locationID.map(number)
    case "CountryCode": return number(localizationCode.countryCode)
    case "Transport": return text(transport?.propertyName)
    case "Built-In": return NSNumber(value: isBuiltIn)
    default: return model.flatMap { property(key, of: $0) } ?? extraProperties[key]
    }
  }

  /// Returns a property that comes from the report descriptor.
  private func property(_ key: String, of model: DeviceModel) -> AnyObject? {
    switch key {
    case "PrimaryUsagePage": return number(model.primaryUsage.page)
    case "PrimaryUsage": return number(model.primaryUsage.usage ?? 0)
    case "DeviceUsagePairs":
      let pairs = model.deviceUsages.map { usage -> NSDictionary in
        ["DeviceUsagePage": number(usage.page), "DeviceUsage": number(usage.usage ?? 0)]
      }
      return pairs as NSArray
    case "ReportDescriptor": return Data(model.descriptor.bytes) as NSData
    case "MaxInputReportSize": return number(model.lengths.longest(.input))
    case "MaxOutputReportSize": return number(model.lengths.longest(.output))
    case "MaxFeatureReportSize": return number(model.lengths.longest(.feature))
    default: return nil
    }
  }

  private func text(_ value: String?) -> AnyObject? { value.map { $0 as NSString } }

  private func number(_ value: some BinaryInteger) -> AnyObject {
    NSNumber(value: Int64(truncatingIfNeeded: value))
  }
}
