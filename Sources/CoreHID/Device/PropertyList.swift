// SPDX-License-Identifier: Apache-2.0

/// Properties of devices that CoreHID has no name for, on their way between processes.
enum PropertyList {
  /// The properties in bytes, without those that are neither text, number, truth, date, data, nor lists of such.
  static func encode(_ properties: [String: AnyObject]?) -> [UInt8] {
    guard let properties, !properties.isEmpty else { return [] }
    let plain = properties.filter {
      PropertyListSerialization.propertyList($0.value, isValidFor: .binary)
    }
    let data = try? PropertyListSerialization.data(
      fromPropertyList: plain, format: .binary, options: 0)
    return data.map { Array($0) } ?? []
  }

  /// The properties that bytes hold; none where they make no sense.
  static func decode(_ bytes: [UInt8]) -> [String: AnyObject] {
    guard !bytes.isEmpty,
      let list = try? PropertyListSerialization.propertyList(from: Data(bytes), format: nil),
      let properties = list as? [String: Any]
    else { return [:] }
    return properties.mapValues { $0 as AnyObject }
  }

  /// Whether two values are the same.
  static func areEqual(_ first: AnyObject, _ second: AnyObject) -> Bool {
    if first === second { return true }
    guard let first = first as? AnyHashable, let second = second as? AnyHashable else {
      return false
    }
    return first == second
  }
}
