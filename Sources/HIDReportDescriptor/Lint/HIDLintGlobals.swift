// SPDX-License-Identifier: Apache-2.0

/// The global items in force, each with the item that set it, except the Usage Page.
struct HIDLintGlobals {
  /// A minimum or maximum.
  struct Limit {
    /// The number as Linux stores it.
    var value: Int32 = 0
    /// The item; `nil` if there was none, and the number is then 0.
    var item: HIDItem?
  }

  /// A Report Size or Report Count.
  struct Quantity {
    /// The number, 0 if there was no item; `nil` if Linux refuses it.
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

  /// Returns the ends of a range as Linux reads them: the maximum is signed only if the minimum is
  /// negative.
  static func range(_ minimum: Limit, _ maximum: Limit) -> (minimum: Int64, maximum: Int64) {
    minimum.value < 0
      ? (Int64(minimum.value), Int64(maximum.value))
      : (Int64(minimum.value), Int64(UInt32(bitPattern: maximum.value)))
  }

  /// Returns a maximum as Linux reads it; `minimum` is the minimum in force at the item.
  static func maximum(_ item: HIDItem, after minimum: Limit) -> Limit {
    Limit(value: minimum.value < 0 ? item.signedData : Int32(bitPattern: item.data), item: item)
  }
}
