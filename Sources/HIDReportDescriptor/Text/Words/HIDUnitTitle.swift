// SPDX-License-Identifier: Apache-2.0

/// The titles of units: `SI Linear: cm^2 * g * s^-3`.
///
/// Source: HID 1.11, section 6.2.2.7.
enum HIDUnitTitle {
  private static let systems = ["SI Linear", "SI Rotation", "English Linear", "English Rotation"]
  /// The symbols of the base units, from the second nibble on, for each system.
  private static let symbols: [[String]] = [
    ["cm", "rad", "in", "deg"], ["g", "g", "slug", "slug"], ["s", "s", "s", "s"],
    ["K", "K", "F", "F"], ["A", "A", "A", "A"], ["cd", "cd", "cd", "cd"],
  ]

  /// Returns the title of a unit, `None` for 0.
  ///
  /// It is a number if HID 1.11 does not define the unit, or if no base unit has an exponent.
  static func title(of unit: UInt32) -> String {
    if unit == 0 { return "None" }
    let system = Int(unit & 0xf) - 1
    guard systems.indices.contains(system), unit >> 28 == 0, unit > 0xf else {
      return hexadecimal(unit, digitCount: 1)
    }
    return "\(systems[system]): \(product(of: unit) ?? "")"
  }

  /// Returns the unit as people write it, without its system: `cm * s^-1`.
  ///
  /// `nil` if no base unit has an exponent, and for a number that HID 1.11 does not define.
  static func symbol(of unit: UInt32) -> String? {
    let system = Int(unit & 0xf) - 1
    guard systems.indices.contains(system), unit >> 28 == 0 else { return nil }
    return product(of: unit)
  }

  private static func product(of unit: UInt32) -> String? {
    let system = Int(unit & 0xf) - 1
    var factors: [String] = []
    for (index, names) in symbols.enumerated() {
      let nibble = Int(unit >> UInt32(4 * (index + 1)) & 0xf)
      let exponent = nibble > 7 ? nibble - 16 : nibble
      if exponent == 0 { continue }
      factors.append(exponent == 1 ? names[system] : "\(names[system])^\(exponent)")
    }
    return factors.isEmpty ? nil : factors.joined(separator: " * ")
  }

  /// Returns the unit with a title or another known name; `nil` for other text.
  static func unit(titled title: String) -> UInt32? {
    if let known = others[HIDUsage.plainTitle(title)] { return known }
    let parts = title.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, let system = system(titled: parts[0]) else { return nil }
    if let known = quantities[HIDUsage.plainTitle(parts[1])] {
      return known | UInt32(system + 1)
    }
    var unit = UInt32(system + 1)
    for factor in parts[1].split(separator: "*") {
      guard let (index, exponent) = self.factor(factor, system: system) else { return nil }
      let nibble = unit >> UInt32(4 * (index + 1)) & 0xf
      guard nibble == 0 else { return nil }
      unit |= (UInt32(bitPattern: Int32(exponent)) & 0xf) << UInt32(4 * (index + 1))
    }
    return unit
  }

  /// Reads one factor, `s^-2` or `s⁻²`; `nil` for other text.
  ///
  /// - Returns: The index of its base unit, and its exponent.
  private static func factor(_ text: Substring, system: Int) -> (index: Int, exponent: Int)? {
    let superscripts: [Character: Character] = [
      "⁻": "-", "⁰": "0", "¹": "1", "²": "2", "³": "3", "⁴": "4", "⁵": "5", "⁶": "6", "⁷": "7",
      "⁸": "8",
    ]
    let letters = text.filter { $0 != " " }
    let symbol = letters.prefix { $0.isLetter }
    let power = String(
      letters.dropFirst(symbol.count).filter { $0 != "^" }.map { superscripts[$0] ?? $0 })
    guard let index = symbols.firstIndex(where: { $0[system].lowercased() == symbol.lowercased() }),
      let exponent = power.isEmpty ? 1 : Int(power), (-8...7).contains(exponent)
    else { return nil }
    return (index, exponent)
  }

  private static func system(titled title: some StringProtocol) -> Int? {
    switch HIDUsage.plainTitle(title) {
    case "silinear", "silin": 0
    case "sirotation", "sirot": 1
    case "englishlinear", "englin": 2
    case "englishrotation", "engrot": 3
    default: nil
    }
  }

  /// The other names of whole units: the words of device files, and of the specification's
  /// examples.
  private static let others: [String: UInt32] = {
    var units: [String: UInt32] = ["nosystem": 0, "unitnone": 0]
    for (name, unit) in HIDUnitNames.all {
      units[HIDUsage.plainTitle(name)] = unit
      if name.hasSuffix("s"), unit & 0xffff_ff00 == 0 || name == "seconds" {
        units[String(HIDUsage.plainTitle(name).dropLast())] = unit
      }
    }
    units["inch"] = 0x13
    units["gram"] = 0x101
    units["cm"] = 0x11
    units["deg"] = 0x14
    units["rad"] = 0x12
    return units
  }()

  /// The quantities, with the nibble of their base unit, as in the HID Descriptor Tool:
  /// `Eng Rot:Angular Pos`.
  private static let quantities: [String: UInt32] = [
    "length": 0x10, "distance": 0x10, "angularpos": 0x10, "angularposition": 0x10,
    "degree": 0x10, "degrees": 0x10, "centimeter": 0x10, "centimeters": 0x10, "radians": 0x10,
    "inch": 0x10, "inches": 0x10, "mass": 0x100, "time": 0x1000, "seconds": 0x1000,
    "temperature": 0x1_0000, "current": 0x10_0000, "luminousintensity": 0x100_0000,
  ]
}
