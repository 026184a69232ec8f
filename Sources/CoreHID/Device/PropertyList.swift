// SPDX-License-Identifier: Apache-2.0

/// The encoding of properties for which CoreHID has no name, as they pass between processes.
enum PropertyList {
  /// Returns properties as bytes, without properties that a property list cannot hold.
  ///
  /// A property list can hold text, numbers, Booleans, dates, data, and lists and dictionaries of
  /// these.
  static func encode(_ properties: [String: AnyObject]?) -> [UInt8] {
    guard let properties, !properties.isEmpty else { return [] }
    let plain = properties.filter {
      PropertyListSerialization.propertyList($0.value, isValidFor: .binary)
    }
    let data = try? PropertyListSerialization.data(
      fromPropertyList: plain, format: .binary, options: 0)
    return data.map { Array($0) } ?? []
  }

  /// Returns the properties that bytes hold; none if the bytes are not a valid property list.
  static func decode(_ bytes: [UInt8]) -> [String: AnyObject] {
    guard !bytes.isEmpty,
      let list = try? PropertyListSerialization.propertyList(from: Data(bytes), format: nil),
      let properties = list as? [String: Any]
    else { return [:] }
    return properties.mapValues { $0 as AnyObject }
  }

  /// Returns whether two values are equal.
  static func areEqual(_ first: AnyObject, _ second: AnyObject) -> Bool {
    if first === second { return true }
    guard let first = first as? AnyHashable, let second = second as? AnyHashable else {
      return false
    }
    return first == second
  }
}
