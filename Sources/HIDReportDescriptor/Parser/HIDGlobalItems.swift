// SPDX-License-Identifier: Apache-2.0

/// What lasts until it is overwritten; Push saves it, Pop restores it, the report ID included.
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
  var reportID: UInt8 = 0  // 0 where there is none
}

extension HIDShortItem {
  /// The upper end of a range.
  ///
  /// For Linux its bytes are signed only if the minimum before it is negative: HID 1.11 calls one byte ff -1,
  /// and devices do not mean that.
  @inline(__always)
  func maximum(_ minimum: Int32, _ reading: HIDReading) -> Int32 {
    minimum < 0 || reading == .specification ? signedData : Int32(bitPattern: data)
  }

  /// The power of ten: a nibble by HID 1.11, a whole signed byte by many devices; 0d and fd are both -3.
  func exponent(_ reading: HIDReading) -> Int32 {
    let value = reading == .linux ? signedData : Int32(data & 0xf)
    return (8...15).contains(value) ? value - 16 : value
  }
}
