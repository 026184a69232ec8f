// SPDX-License-Identifier: Apache-2.0

/// The rules of the usage pages.
extension EvdevRule {
  static func keyboard(_ id: UInt16) -> Self {
    let rule: Self =
      switch id {
      case 0...3: .ignored  // no event, and errors
      case 4..<256: .shared(.key, EvdevKeyTable.keyboard[id] ?? unknownKey)
      default: .exclusive(.key, Int(unknownKey))
      }
    return rule.with(.autorepeat)
  }

  private static let unknownKey: UInt16 = 240

  static func button(_ id: UInt16, _ field: EvdevField) -> Self {
    let number = id == 0 ? 0xffff : Int(id) - 1
    switch field.around.application {
    case EvdevUsage.mouse, EvdevUsage.pointer: return .exclusive(.key, 0x110 + number)
    case EvdevUsage.joystick:
      return .exclusive(.key, number < 0x10 ? 0x120 + number : 0x2c0 - 0x10 + number)
    case EvdevUsage.gamepad:
      return .exclusive(.key, number < 0x10 ? 0x130 + number : 0x2c0 - 0x10 + number)
    case EvdevUsage.consumerControl where field.hasProgrammableButtons:
      return .exclusive(.key, number < 0x1e ? 0x290 + number : 0x2c0 - 0x1e + number)
    default: break
    }
    let first =
      switch field.around.physical {
      case EvdevUsage.mouse, EvdevUsage.pointer: 0x110
      case EvdevUsage.joystick: 0x120
      case EvdevUsage.gamepad: 0x130
      default: 0x100
      }
    return .exclusive(.key, first + number)
  }

  static func simulation(_ id: UInt16) -> Self {
    switch id {
    case 0xba: .exclusive(.absolute, 0x07)  // rudder
    case 0xbb: .exclusive(.absolute, 0x06)  // throttle
    case 0xc4: .exclusive(.absolute, 0x09)  // accelerator
    case 0xc5: .exclusive(.absolute, 0x0a)  // brake
    case 0xc8: .exclusive(.absolute, 0x08)  // steering
    default: .ignored
    }
  }

  static func led(_ id: UInt16) -> Self {
    switch id {
    case 0x01...0x05: .exclusive(.led, Int(id) - 1)  // Num Lock to Kana
    case 0x27: .exclusive(.led, 5)  // stand-by
    case 0x4c: .exclusive(.led, 6)  // suspended
    case 0x09: .exclusive(.led, 7)  // mute
    case 0x4b: .exclusive(.led, 8)  // generic
    case 0x19: .exclusive(.led, 9)  // message waiting
    case 0x4d: .exclusive(.led, 10)  // external power
    default: .ignored
    }
  }

  static func consumer(_ id: UInt16) -> Self {
    switch id {
    case 0x000: .ignored
    case 0x0e0: .shared(.absolute, 0x20)  // volume
    case 0x238: .exclusive(.relative, 0x0c).with(.horizontalWheel)
    default: .shared(.key, EvdevKeyTable.consumer[id] ?? unknownKey)
    }
  }

  // MARK: Generic desktop

  static func genericDesktop(_ id: UInt16, at index: Int, _ field: EvdevField) -> Self {
    switch id & 0xf0 {
    case 0x80:  // high bytes do not count here
      guard id & 0xf != 0 else { return unknown(at: index, field) }
      return .key(EvdevKeyTable.systemControls[0x80 | id & 0xf])
    case 0x90:
      switch id {
      case 0x90...0x93:  // the first direction of a D-pad gets the hat for itself
        var rule = Self.exclusive(.absolute, 0x10)
        rule.isHat = true
        return rule
      case 0x9b: return .shared(.key, 0x24f)  // do not disturb
      default: return unknown(at: index, field)
      }
    case 0xa0:
      switch id & 0xf {
      case 0x9: return .shared(.key, 248)  // microphone mute
      case 0xa: return .shared(.key, 0x24e)  // accessibility
      default: return .ignored
      }
    case 0xb0: return id & 0xf == 5 ? .shared(.key, 227) : .ignored  // the next display
    default: break
    }
    // Some devices list 255 usages as system controls, and are no joysticks for it.
    if field.around.application == EvdevUsage.systemControl { return .ignored }
    return axis(id, at: index, field)
  }

  private static func axis(_ id: UInt16, at index: Int, _ field: EvdevField) -> Self {
    let isRelative = field.isRelative(at: index)
    switch id {
    case 0x32 where !isRelative && field.isOfPen: return .shared(.absolute, 0x19)  // distance
    case 0x30...0x35:
      return isRelative
        ? .exclusive(.relative, Int(id & 0xf)) : .shared(.absolute, id & 0xf)
    case 0x36, 0x37: return .exclusive(isRelative ? .relative : .absolute, Int(id & 0xf))
    case 0x38:
      return isRelative
        ? .exclusive(.relative, 0x0b).with(.wheel) : .exclusive(.absolute, 0x08)
    case 0x39:
      var rule = Self.exclusive(.absolute, 0x10)
      // The kernel has 16 bits for the ends, so that 0 to 65,535 is no range.
      rule.isHat =
        Int16(truncatingIfNeeded: field.logicalMinimum)
        < Int16(truncatingIfNeeded: field.logicalMaximum)
      return rule
    case 0x3d: return .shared(.key, 0x13b)  // start
    case 0x3e: return .shared(.key, 0x13a)  // select
    case 0xc6 where field.around.application == EvdevUsage.wirelessRadioControls:
      return .shared(.key, 247)
    default: return unknown(at: index, field)
    }
  }

  // MARK: Digitizers

  static func digitizer(_ id: UInt16, at index: Int, _ field: EvdevField) -> Self {
    // Only the low byte of the application counts: a consumer control has the property of a digitizer.
    let property: Effects =
      switch field.around.application & 0xff {
      case 0x01: .pointer
      case 0x02: .direct
      default: []
      }
    var rule: Self =
      switch id & 0xff {
      case 0x00: .ignored
      case 0x30: .shared(.absolute, 0x18).with(.touchKey)  // tip pressure
      case 0x32: inRange(field)
      case 0x3b: .battery
      case 0x3c: .shared(.key, 0x141)  // invert: the rubber
      case 0x3d: .shared(.absolute, 0x1a)  // tilts
      case 0x3e: .shared(.absolute, 0x1b)
      case 0x33, 0x42, 0x43: .shared(.key, 0x14a)  // touch and tip switches
      case 0x44: .shared(.key, 0x14b)  // barrel switch
      case 0x45: .shared(.key, 0x14a).with(.rubberKey)  // eraser
      case 0x46, 0x5a: .shared(.key, 0x14c)  // tablet pick, secondary barrel switch
      case 0x5b, 0x6e: .exclusive(.miscellaneous, 0x00)  // serial numbers
      default: unknown(at: index, field)
      }
    rule.effects.formUnion(property)
    return rule
  }

  /// The tool: what the field's physical collection says, else what the application does.
  private static func inRange(_ field: EvdevField) -> Self {
    switch field.around.physical {
    case EvdevUsage.puck: return .exclusive(.key, 0x146)
    case EvdevUsage.finger: return .exclusive(.key, 0x145)
    case 0:
      let isTouch = [EvdevUsage.touchscreen, EvdevUsage.touchpad].contains(
        field.around.application)
      return .shared(.key, isTouch ? 0x145 : 0x140)
    default: return .exclusive(.key, 0x140)
    }
  }
}

extension EvdevField {
  /// Whether Z is a distance from a surface.
  fileprivate var isOfPen: Bool {
    around.application == EvdevUsage.pen || around.physical == EvdevUsage.pen
      || around.logical == EvdevUsage.stylus || around.physical == EvdevUsage.stylus
      || around.application == EvdevUsage.digitizer
  }
}
