// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// One element of a device's reports: a usage and its location in a report of one type.
///
/// Elements come from ``HIDDeviceClient/elements``. A variable field gives one element for each of
/// its values. An array, such as the six key slots of a keyboard, gives one element for each usage
/// that it can select: 1 bit wide, and 1 while the usage is selected. Padding, constant fields and
/// values without a usage give none.
public struct HIDElement: Sendable {
  /// The client that made the element; the element does not keep it alive.
  public unowned var client: HIDDeviceClient
  /// The usage of the element.
  public var usage: HIDUsage
  /// The type of the report that holds the element.
  public var type: HIDReportType
  /// The ID of the report that holds the element; `nil` if the report is unnumbered.
  public var reportID: HIDReportID?
  /// The size of the element in bits.
  public var reportSize: UInt32
  /// The lowest valid logical value.
  public var logicalMinimum: Int64?
  /// The highest valid logical value.
  public var logicalMaximum: Int64?
  /// The physical value of the logical minimum, in ``unit`` × 10^``unitExponent``.
  ///
  /// If both physical bounds are 0, the physical range is the logical range.
  public var physicalMinimum: Int64?
  /// The physical value of the logical maximum, in ``unit`` × 10^``unitExponent``.
  public var physicalMaximum: Int64?
  /// The unit of physical values, as the code of HID 1.11, section 6.2.2.7; 0 for none.
  public var unit: UInt32?
  /// The exponent of ten that belongs to the unit: -8 to 7 by HID 1.11, decoded.
  public var unitExponent: Int8?

  /// The location of the element in the device's reports.
  let place: ElementPlace

  /// The collection that the element is in.
  ///
  /// For an element outside all collections, it is an application collection without a usage.
  public var parentCollection: HIDElementCollection {
    HIDElementCollection(client, client.model.collection(of: place))
  }
}

extension HIDElement: Equatable, Hashable {
  /// Returns whether two elements are the same element of the same client, with equal properties.
  public static func == (first: HIDElement, second: HIDElement) -> Bool {
    first.place == second.place && first.client === second.client && first.usage == second.usage
      && first.type == second.type && first.reportID == second.reportID
      && first.reportSize == second.reportSize && first.logicalMinimum == second.logicalMinimum
      && first.logicalMaximum == second.logicalMaximum
      && first.physicalMinimum == second.physicalMinimum
      && first.physicalMaximum == second.physicalMaximum && first.unit == second.unit
      && first.unitExponent == second.unitExponent
  }

  /// Feeds the client and the location of the element to `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(client))
    hasher.combine(place)
  }
}

extension HIDElement: CustomStringConvertible {
  /// The usage, the report that holds the element, and the size in bits.
  public var description: String {
    "HIDElement(\(usage), \(type) report\(reportID.map { " \($0)" } ?? ""), "
      + "\(reportSize) bit\(reportSize == 1 ? "" : "s"))"
  }
}

extension HIDElement {
  /// True if values have a sign: if the logical minimum is negative, the highest bit is the sign.
  var isSigned: Bool { (logicalMinimum ?? 0) < 0 }

  /// The number of bytes that hold a value.
  var byteCount: Int { (Int(reportSize) + 7) / 8 }
}
