// SPDX-License-Identifier: Apache-2.0

/// How logical values become physical ones.
///
/// Source: HID 1.11, section 6.2.2.7.
struct PhysicalScale {
  private let logicalMinimum: Double
  private let logicalExtent: Double
  private let physicalMinimum: Double
  private let physicalExtent: Double
  private let exponent: Int

  /// Makes the scale of an element; without a physical range, both ends 0, that is the logical one.
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

  /// What a logical value is in the unit; where the logical range is a point, what that is.
  func physicalValue(of logical: Double) -> Double {
    guard logicalExtent != 0 else { return Self.scaled(physicalMinimum, exponent) }
    return Self.scaled(
      (logical - logicalMinimum) * (physicalExtent / logicalExtent) + physicalMinimum, exponent)
  }

  /// The logical value that is nearest to a physical one; `nil` where there is none, or where all are the same.
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
