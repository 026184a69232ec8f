// SPDX-License-Identifier: Apache-2.0

/// The conversion between logical and physical values.
///
/// Source: HID 1.11, section 6.2.2.7.
struct PhysicalScale {
  private let logicalMinimum: Double
  private let logicalExtent: Double
  private let physicalMinimum: Double
  private let physicalExtent: Double
  private let exponent: Int

  /// Makes the scale of an element.
  ///
  /// If both physical bounds are 0, the physical range is equal to the logical range.
  init(
    logical: (minimum: Int64, maximum: Int64), physical: (minimum: Int64, maximum: Int64),
    exponent: Int
  ) {
    let physical = physical.minimum == 0 && physical.maximum == 0 ? logical : physical
    logicalMinimum = Double(logical.minimum)
    logicalExtent = Double(logical.maximum) - Double(logical.minimum)
    physicalMinimum = Double(physical.minimum)
    physicalExtent = Double(physical.maximum) - Double(physical.minimum)
    self.exponent = exponent
  }

  /// Returns the physical value of a logical value, in the unit.
  ///
  /// If the logical range has only one value, the result is the physical minimum.
  func physicalValue(of logical: Double) -> Double {
    guard logicalExtent != 0 else { return Self.scaled(physicalMinimum, exponent) }
    return Self.scaled(
      (logical - logicalMinimum) * (physicalExtent / logicalExtent) + physicalMinimum, exponent)
  }

  /// Returns the logical value that is nearest to a physical value.
  ///
  /// The result is `nil` if it does not fit in an `Int64`, or if the logical or the physical range
  /// has only one value.
  func logicalValue(ofPhysical physical: Double) -> Int64? {
    guard logicalExtent != 0, physicalExtent != 0 else { return nil }
    let number = Self.scaled(physical, 0 - exponent) - physicalMinimum
    return Int64(exactly: (number * (logicalExtent / physicalExtent) + logicalMinimum).rounded())
  }

  private static func scaled(_ number: Double, _ exponent: Int) -> Double {
    guard number != 0 else { return 0 }
    var power = 1.0
    for _ in 0..<abs(exponent) { power *= 10 }
    return exponent < 0 ? number / power : number * power
  }
}
