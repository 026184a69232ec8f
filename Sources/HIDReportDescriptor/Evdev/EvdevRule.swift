// SPDX-License-Identifier: Apache-2.0

/// The rule of Linux for a usage, independent of the codes that the node already has.
///
/// Source: Linux 6.12, `hidinput_configure_usage` in `drivers/hid/hid-input.c`, with no quirks.
struct EvdevRule: Hashable, Sendable {
  /// The effects on the node besides the code; they apply even if the usage gets no code.
  struct Effects: OptionSet, Hashable, Sendable {
    let rawValue: UInt8
    static let autorepeat = Self(rawValue: 1 << 0)
    static let pointer = Self(rawValue: 1 << 1)
    static let direct = Self(rawValue: 1 << 2)
    /// Adds the touch key, because pressure shows that the surface is touched.
    static let touchKey = Self(rawValue: 1 << 3)
    static let rubberKey = Self(rawValue: 1 << 4)
    static let wheel = Self(rawValue: 1 << 5)
    static let horizontalWheel = Self(rawValue: 1 << 6)
  }

  /// The code; `nil` for a usage that Linux ignores, and for one of a battery.
  var code: EvdevCode?
  /// True if the usage gets the code even if another usage has it; else only the first usage has
  /// it.
  var isShared = false
  /// True if values are directions, for two axes of -1 to 1.
  var isHat = false
  /// True if the value is that of a battery, which sends no event.
  var isBattery = false
  var effects: Effects = []

  static let ignored = Self()

  /// Returns a rule by which only the first usage of the node gets the code.
  static func exclusive(_ code: EvdevCode) -> Self { Self(code: code) }

  /// Returns an exclusive rule for the code that is `offset` numbers after `first`.
  ///
  /// Past the last code of the type, the usage is ignored.
  static func exclusive(_ first: EvdevCode, plus offset: Int) -> Self {
    let number = Int(first.number) + offset
    guard (0...first.type.maximumNumber).contains(number) else { return .ignored }
    return Self(code: EvdevCode(first.type, UInt16(number)))
  }

  /// Returns a rule by which several usages of the node can have the code.
  static func shared(_ code: EvdevCode) -> Self { Self(code: code, isShared: true) }

  /// Returns the rule for a key of a table; without a key, the usage is ignored.
  static func key(_ code: EvdevCode?) -> Self { code.map(shared) ?? .ignored }

  func with(_ effects: Effects) -> Self {
    var rule = self
    rule.effects = effects
    return rule
  }

  /// Creates the rule for an element of a field.
  ///
  /// The rules for IDs from 0x400 up repeat every 0x100 on each page: this code compares no higher
  /// IDs, and some comparisons use only the low byte. The mapper relies on this repetition.
  init(for usage: UInt32, at index: Int, in field: EvdevField) {
    let page = usage >> 16
    guard field.isMapped, field.type == .input || page == 0x08 else {
      self = .ignored
      return
    }
    let id = UInt16(truncatingIfNeeded: usage)
    self =
      switch page {
      case 0x01: Self.genericDesktop(id, at: index, field)
      case 0x02: Self.simulation(id)
      case 0x07: Self.keyboard(id)
      case 0x08: Self.led(id)
      case 0x09: Self.button(id, field)
      case 0x0b: .key(EvdevKeyTable.telephony[id])
      case 0x0c: Self.consumer(id)
      case 0x0d: Self.digitizer(id, at: index, field)
      // A dead man's switch.
      case 0x0f: id == 0xa4 ? .shared(.dead) : .ignored
      case 0x90: .key(EvdevKeyTable.camera[id])
      case 0xff7f: .key(EvdevKeyTable.hewlettPackard[id]).with(.autorepeat)
      case 0xff01: .key(EvdevKeyTable.hewlettPackard2[id]).with(.autorepeat)
      case 0x00ff: .ignored.with(.autorepeat)
      case 0x00, 0xff00, 0xffbc, 0xff09, 0xff43: .ignored
      default:
        switch usage {
        case EvdevUsage.batteryStrength, EvdevUsage.chargeState, EvdevUsage.charging: .battery
        default: Self.unknown(at: index, field)
        }
      }
  }

  private init(
    code: EvdevCode? = nil, isShared: Bool = false, isHat: Bool = false, isBattery: Bool = false
  ) {
    self.code = code
    self.isShared = isShared
    self.isHat = isHat
    self.isBattery = isBattery
  }

  static let battery = Self(isBattery: true)

  /// Returns the rule for a usage without its own code: a button, an axis or a movement named MISC.
  static func unknown(at index: Int, _ field: EvdevField) -> Self {
    if field.bitSize == 1 { return .exclusive(.button0) }
    return .exclusive(field.isRelative(at: index) ? .relativeOther : .absoluteOther)
  }
}
