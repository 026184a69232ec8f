// SPDX-License-Identifier: Apache-2.0

/// The global items in force, each with the item that set it.
struct HIDLintGlobals {
  /// A minimum or maximum.
  struct Limit {
    /// The number as Linux keeps it.
    var value: Int32 = 0
    /// The item, `nil` when there was none: the number is 0 then.
    var item: HIDItem?
  }

  /// A Report Size or Report Count.
  struct Quantity {
    /// The number, `nil` when Linux refuses it.
    var value: Int? = 0
    var item: HIDItem?
  }

  /// A Report ID.
  enum ReportID {
    case none
    case valid(HIDReportID)
    case invalid
  }

  var usagePage: UInt32 = 0
  var logicalMinimum = Limit()
  var logicalMaximum = Limit()
  var physicalMinimum = Limit()
  var physicalMaximum = Limit()
  var unitExponent: HIDItem?
  var unit: HIDItem?
  var reportSize = Quantity()
  var reportCount = Quantity()
  var reportID = ReportID.none
  var reportIDItem: HIDItem?

  /// The ends of a range as Linux reads them: the upper is signed only if the lower is negative.
  static func range(_ minimum: Limit, _ maximum: Limit) -> (minimum: Int64, maximum: Int64) {
    minimum.value < 0
      ? (Int64(minimum.value), Int64(maximum.value))
      : (Int64(minimum.value), Int64(UInt32(bitPattern: maximum.value)))
  }

  /// The number of a maximum as Linux takes it, with the minimum that is in force at it.
  static func maximum(_ item: HIDItem, after minimum: Limit) -> Limit {
    Limit(value: minimum.value < 0 ? item.signedData : Int32(bitPattern: item.data), item: item)
  }
}
