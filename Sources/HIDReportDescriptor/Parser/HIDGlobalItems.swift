// SPDX-License-Identifier: Apache-2.0

/// The global items in force; Push saves all of them, and Pop restores them, the report ID
/// included.
///
/// Source: HID 1.11, section 6.2.2.7.
struct HIDGlobalItems: BitwiseCopyable {
  var usagePage: UInt32 = 0
  var logicalMinimum: Int32 = 0
  var logicalMaximum: Int32 = 0
  var physicalMinimum: Int32 = 0
  var physicalMaximum: Int32 = 0
  var unitExponent: Int32 = 0
  var unit: UInt32 = 0
  var reportSize: UInt16 = 0
  var reportCount: UInt16 = 0
  // The report ID in force; 0 if there is none.
  var reportID: UInt8 = 0
}

extension HIDShortItem {
  /// Returns the logical or physical maximum in this item.
  ///
  /// Linux reads the bytes as signed only if the minimum before them is negative. By HID 1.11, one
  /// byte ff is -1, but devices mean 255.
  @inline(__always)
  func maximum(_ minimum: Int32, _ reading: HIDReading) -> Int32 {
    minimum < 0 || reading == .specification ? signedData : Int32(bitPattern: data)
  }

  /// Returns the exponent of ten in this Unit Exponent item.
  ///
  /// HID 1.11 uses only a nibble, but many devices write a whole signed byte: 0d and fd are both
  /// -3.
  func exponent(_ reading: HIDReading) -> Int32 {
    let value = reading == .linux ? signedData : Int32(data & 0xf)
    return (8...15).contains(value) ? value - 16 : value
  }
}
