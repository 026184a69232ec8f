// SPDX-License-Identifier: Apache-2.0

extension HIDReportField {
  /// The unit of the field's physical values.
  public var physicalUnit: HIDUnit { HIDUnit(rawValue: unit) }

  /// The range of physical values, in ``physicalUnit`` × 10^``unitExponent``.
  ///
  /// If the descriptor gives no physical range (both ends 0), it is the logical range.
  ///
  /// Source: HID 1.11, section 6.2.2.7.
  public var physicalRange: (minimum: Int64, maximum: Int64) {
    physicalMinimum == 0 && physicalMaximum == 0
      ? (logicalMinimum, logicalMaximum) : (physicalMinimum, physicalMaximum)
  }

  /// The number of logical steps in one ``physicalUnit``.
  ///
  /// `nil` if the logical or the physical range is a single value. For a mouse with 400 counts per
  /// inch this is 400.
  ///
  /// Source: HID 1.11, section 6.2.2.7.
  public var resolution: Double? {
    let physical = physicalRange
    let logicalExtent = Double(logicalMaximum - logicalMinimum)
    let physicalExtent = Double(physical.maximum - physical.minimum)
    guard logicalExtent != 0, physicalExtent != 0 else { return nil }
    return logicalExtent / Self.scale(physicalExtent, byPowerOfTen: unitExponent)
  }

  /// Returns whether a value means "no value": it is outside the logical range, in a field with a
  /// null state.
  ///
  /// False for every value if the logical minimum is not below the logical maximum.
  ///
  /// - Parameter value: A logical value.
  ///
  /// Source: HID 1.11, section 6.2.2.5.
  public func isNull(_ value: Int64) -> Bool {
    hasNullState && logicalMinimum < logicalMaximum
      && (value < logicalMinimum || value > logicalMaximum)
  }

  /// Returns the physical value, in ``physicalUnit``, of a logical value.
  ///
  /// - Parameter value: A logical value, in or out of the logical range.
  /// - Returns: The physical value; `nil` for a value that means "no value", and if the logical
  ///   range is a single value.
  ///
  /// Source: HID 1.11, section 6.2.2.7.
  public func physicalValue(of value: Int64) -> Double? {
    guard !isNull(value), logicalMinimum != logicalMaximum else { return nil }
    let physical = physicalRange
    // Both ranges have 33 bits at most: nothing overflows, and the doubles of their lengths are
    // exact.
    let slope =
      Double(physical.maximum - physical.minimum) / Double(logicalMaximum - logicalMinimum)
    let number = (Double(value) - Double(logicalMinimum)) * slope + Double(physical.minimum)
    return Self.scale(number, byPowerOfTen: unitExponent)
  }

  /// Returns the logical value nearest to a physical value.
  ///
  /// - Parameter physical: A value in ``physicalUnit``.
  /// - Returns: A value in the logical range; `nil` if the result is outside it, and if either
  ///   range is a single value.
  public func logicalValue(ofPhysical physical: Double) -> Int64? {
    let range = physicalRange
    guard logicalMinimum != logicalMaximum, range.minimum != range.maximum else { return nil }
    let number = Self.scale(physical, byPowerOfTen: 0 - unitExponent) - Double(range.minimum)
    let slope = Double(logicalMaximum - logicalMinimum) / Double(range.maximum - range.minimum)
    let logical = number * slope + Double(logicalMinimum)
    // A number of at most 33 bits can be rounded without the C library, which some programs do not
    // link.
    guard abs(logical) < 0x2_0000_0000 else { return nil }
    let value = Int64(logical + (logical < 0 ? -0.5 : 0.5))
    guard value >= logicalMinimum, value <= logicalMaximum else { return nil }
    return value
  }

  /// Returns a number times a power of ten.
  ///
  /// For exponents that fit in a nibble, the result is exact if a `Double` can hold it.
  private static func scale(_ number: Double, byPowerOfTen exponent: Int) -> Double {
    // 0 × infinity would be NaN.
    guard number != 0 else { return 0 }
    // A descriptor can contain any 32 bits. Beyond 700 the result is 0 or infinite for every
    // number.
    var power = 1.0
    for _ in 0..<min(abs(exponent), 700) { power *= 10 }
    return exponent < 0 ? number / power : number * power
  }
}
