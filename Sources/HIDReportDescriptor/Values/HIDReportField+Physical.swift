// SPDX-License-Identifier: Apache-2.0

extension HIDReportField {
  /// The unit of the field's physical values.
  public var physicalUnit: HIDUnit { HIDUnit(rawValue: unit) }

  /// What the logical range is in ``physicalUnit`` × 10^``unitExponent``.
  ///
  /// A descriptor that gives no physical range, both ends 0, means the logical one.
  ///
  /// Source: HID 1.11, section 6.2.2.7.
  public var physicalRange: (minimum: Int64, maximum: Int64) {
    physicalMinimum == 0 && physicalMaximum == 0
      ? (logicalMinimum, logicalMaximum) : (physicalMinimum, physicalMaximum)
  }

  /// How many logical steps make one ``physicalUnit``; `nil` where the logical or the physical range is a point.
  ///
  /// A mouse of 400 counts per inch has 400 here.
  ///
  /// Source: HID 1.11, section 6.2.2.7.
  public var resolution: Double? {
    let physical = physicalRange
    let logicalExtent = Double(logicalMaximum - logicalMinimum)
    let physicalExtent = Double(physical.maximum - physical.minimum)
    guard logicalExtent != 0, physicalExtent != 0 else { return nil }
    return logicalExtent / Self.scale(physicalExtent, byPowerOfTen: unitExponent)
  }

  /// Whether a value says that there is none: outside the logical range, in a field with a null state.
  ///
  /// - Parameter value: A logical value.
  ///
  /// Source: HID 1.11, section 6.2.2.5.
  public func isNull(_ value: Int64) -> Bool {
    hasNullState && logicalMinimum < logicalMaximum
      && (value < logicalMinimum || value > logicalMaximum)
  }

  /// What a logical value is in ``physicalUnit``.
  ///
  /// - Parameter value: A logical value, in or out of the logical range.
  /// - Returns: The physical value; `nil` for one that says there is none, and where the logical range is a point.
  ///
  /// Source: HID 1.11, section 6.2.2.7.
  public func physicalValue(of value: Int64) -> Double? {
    guard !isNull(value), logicalMinimum != logicalMaximum else { return nil }
    let physical = physicalRange
    // Both ranges have 33 bits at most: nothing overflows, and doubles are exact.
    let slope =
      Double(physical.maximum - physical.minimum) / Double(logicalMaximum - logicalMinimum)
    let number = (Double(value) - Double(logicalMinimum)) * slope + Double(physical.minimum)
    return Self.scale(number, byPowerOfTen: unitExponent)
  }

  /// The logical value nearest to a physical one.
  ///
  /// - Parameter physical: A value in ``physicalUnit``.
  /// - Returns: A value in the logical range; `nil` for one outside it, and where either range is a point.
  public func logicalValue(ofPhysical physical: Double) -> Int64? {
    let range = physicalRange
    guard logicalMinimum != logicalMaximum, range.minimum != range.maximum else { return nil }
    let number = Self.scale(physical, byPowerOfTen: 0 - unitExponent) - Double(range.minimum)
    let slope = Double(logicalMaximum - logicalMinimum) / Double(range.maximum - range.minimum)
    let logical = number * slope + Double(logicalMinimum)
    // Within 33 bits, so that it can be rounded without the C library, which not every program links.
    guard abs(logical) < 0x2_0000_0000 else { return nil }
    let value = Int64(logical + (logical < 0 ? -0.5 : 0.5))
    guard value >= logicalMinimum, value <= logicalMaximum else { return nil }
    return value
  }

  /// A number times a power of ten; exact for the exponents that a nibble holds where the result is.
  private static func scale(_ number: Double, byPowerOfTen exponent: Int) -> Double {
    guard number != 0 else { return 0 }  // also times what is infinite
    // Any 32 bits can stand in a descriptor; beyond 700 the result is 0 or infinite whatever the number.
    var power = 1.0
    for _ in 0..<min(abs(exponent), 700) { power *= 10 }
    return exponent < 0 ? number / power : number * power
  }
}
