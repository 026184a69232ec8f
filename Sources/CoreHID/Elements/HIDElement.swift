// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// One item of data in a device's reports: a usage with its place in a report of one type.
///
/// Elements come from ``HIDDeviceClient/elements``. A field with several elements gives one for each; an array, such as
/// the six key slots of a keyboard, one for each usage that it can select, a bit wide, 1 while it is selected.
/// Padding gives none.
public struct HIDElement: Sendable {
  /// The client that the element came from, which it does not keep alive.
  public unowned var client: HIDDeviceClient
  /// What the element is for.
  public var usage: HIDUsage
  /// The type of the report that holds the element.
  public var type: HIDReportType
  /// The ID of that report; `nil` where the device does not number its reports.
  public var reportID: HIDReportID?
  /// How many bits the element has.
  public var reportSize: UInt32
  /// The lowest value that is logically valid.
  public var logicalMinimum: Int64?
  /// The highest value that is logically valid.
  public var logicalMaximum: Int64?
  /// What the logical minimum is in the unit; both physical bounds are 0 where they are the logical ones.
  public var physicalMinimum: Int64?
  /// What the logical maximum is in the unit.
  public var physicalMaximum: Int64?
  /// The unit of physical values, as the code of HID 1.11, section 6.2.2.7; 0 for none.
  public var unit: UInt32?
  /// The power of ten that goes with the unit: -8 to 7 by HID 1.11, decoded.
  public var unitExponent: Int8?

  /// Where the element lies.
  let place: ElementPlace

  /// The collection that the element is in.
  public var parentCollection: HIDElementCollection {
    HIDElementCollection(client, client.model.collection(of: place))
  }
}

extension HIDElement: Equatable, Hashable {
  /// Whether two elements are the same one, of the same client.
  public static func == (first: HIDElement, second: HIDElement) -> Bool {
    first.place == second.place && first.client === second.client && first.usage == second.usage
      && first.type == second.type && first.reportID == second.reportID
      && first.reportSize == second.reportSize && first.logicalMinimum == second.logicalMinimum
      && first.logicalMaximum == second.logicalMaximum
      && first.physicalMinimum == second.physicalMinimum
      && first.physicalMaximum == second.physicalMaximum && first.unit == second.unit
      && first.unitExponent == second.unitExponent
  }

  /// Feeds what tells elements apart to `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(client))
    hasher.combine(place)
  }
}

extension HIDElement: CustomStringConvertible {
  /// The usage, and the report that holds the element.
  public var description: String {
    "HIDElement(\(usage), \(type) report\(reportID.map { " \($0)" } ?? ""), "
      + "\(reportSize) bit\(reportSize == 1 ? "" : "s"))"
  }
}

extension HIDElement {
  /// Whether values are read with their sign, as the specification has it: from the highest bit.
  var isSigned: Bool { (logicalMinimum ?? 0) < 0 }

  /// How many bytes hold a value.
  var byteCount: Int { (Int(reportSize) + 7) / 8 }
}
