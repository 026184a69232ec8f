// SPDX-License-Identifier: Apache-2.0

/// The unit of physical values: a system, and the exponents of its base units.
///
/// Source: HID 1.11, section 6.2.2.7.
public struct HIDUnit: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
  /// A set of base units.
  public enum System: Hashable, Sendable {
    /// Centimetre, gram, second, kelvin, ampere, candela.
    case siLinear
    /// Radian, gram, second, kelvin, ampere, candela.
    case siRotation
    /// Inch, slug, second, Fahrenheit, ampere, candela.
    case englishLinear
    /// Degree, slug, second, Fahrenheit, ampere, candela.
    case englishRotation
  }

  /// The number in the descriptor: a nibble for the system, then one for each base unit.
  public let rawValue: UInt32

  /// Creates the unit with this number, which HID 1.11 may not define.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Creates the unit with this name; `nil` if no unit has it.
  ///
  /// - Parameter name: A name as ``name`` returns it.
  public init?(name: String) {
    guard let unit = HIDUnitNames.unit(named: name) else { return nil }
    rawValue = unit
  }

  /// True if the descriptor gives no unit.
  public var isNone: Bool { rawValue == 0 }

  /// The set of base units, given by the lowest nibble; `nil` if HID 1.11 defines none for it.
  public var system: System? {
    switch rawValue & 0xf {
    case 1: .siLinear
    case 2: .siRotation
    case 3: .englishLinear
    case 4: .englishRotation
    default: nil
    }
  }

  /// The exponent of the length, or of the angle.
  public var length: Int { exponent(1) }
  /// The exponent of the mass.
  public var mass: Int { exponent(2) }
  /// The exponent of the time.
  public var time: Int { exponent(3) }
  /// The exponent of the temperature.
  public var temperature: Int { exponent(4) }
  /// The exponent of the current.
  public var current: Int { exponent(5) }
  /// The exponent of the luminous intensity.
  public var luminousIntensity: Int { exponent(6) }

  /// The name, in device files, of a common unit: `degrees`; `none` for 0; `nil` for other units.
  public var name: String? { HIDUnitNames.name(of: rawValue) }

  /// The unit as people write it: `cm * s^-1`, `deg`.
  ///
  /// `nil` if there is no unit, if no base unit has an exponent, or if HID 1.11 does not define the
  /// number.
  public var symbol: String? { HIDUnitTitle.symbol(of: rawValue) }

  /// Returns the nibble with this index, read as two's complement.
  private func exponent(_ place: UInt32) -> Int {
    let nibble = Int(rawValue >> (4 * place) & 0xf)
    return nibble > 7 ? nibble - 16 : nibble
  }
}

extension HIDUnit: CustomStringConvertible {
  /// The symbol, `none`, or the number as `0x5`.
  public var description: String {
    isNone ? "none" : symbol ?? hexadecimal(rawValue, digitCount: 1)
  }
}
