// SPDX-License-Identifier: Apache-2.0

/// The words for the units that devices use; all other units are numbers.
///
/// Source: HID 1.11, section 6.2.2.7: a nibble for the system, then one for the exponent of each of
/// length, mass, time, temperature, current and luminous intensity.
enum HIDUnitNames {
  static let all: [(name: String, unit: UInt32)] = [
    ("none", 0),
    ("centimeters", 0x11), ("radians", 0x12), ("inches", 0x13), ("degrees", 0x14),
    ("grams", 0x101), ("slugs", 0x103), ("seconds", 0x1001),
    ("kelvin", 0x1_0001), ("fahrenheit", 0x1_0003), ("amperes", 0x10_0001),
    ("candelas", 0x100_0001), ("hertz", 0xf001), ("centimetersPerSecond", 0xf011),
    ("centimetersPerSecondSquared", 0xe011), ("degreesPerSecond", 0xf014),
    ("radiansPerSecond", 0xf012), ("dynes", 0xe111), ("pascals", 0xe1f1), ("joules", 0xe121),
    ("watts", 0xd121), ("volts", 0xf0_d121), ("ampereSeconds", 0x10_1001),
  ]

  static func unit(named name: String) -> UInt32? { all.first { $0.name == name }?.unit }
  static func name(of unit: UInt32) -> String? { all.first { $0.unit == unit }?.name }
}
