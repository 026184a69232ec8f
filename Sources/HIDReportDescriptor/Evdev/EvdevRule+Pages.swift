// SPDX-License-Identifier: Apache-2.0

/// The rules of the usage pages.
extension EvdevRule {
  static func keyboard(_ id: UInt16) -> Self {
    let rule: Self =
      switch id {
      // "No event" and the error codes of a keyboard.
      case 0...3: .ignored
      case 4..<256: .shared(EvdevKeyTable.keyboard[id] ?? .unknownKey)
      default: .exclusive(.unknownKey)
      }
    return rule.with(.autorepeat)
  }

  static func button(_ id: UInt16, _ field: EvdevField) -> Self {
    let number = id == 0 ? 0xffff : Int(id) - 1
    switch field.around.application {
    case EvdevUsage.mouse, EvdevUsage.pointer: return .exclusive(.left, plus: number)
    case EvdevUsage.joystick:
      return number < 0x10
        ? .exclusive(.trigger, plus: number) : .exclusive(.triggerHappy1, plus: number - 0x10)
    case EvdevUsage.gamepad:
      return number < 0x10
        ? .exclusive(.south, plus: number) : .exclusive(.triggerHappy1, plus: number - 0x10)
    case EvdevUsage.consumerControl where field.hasProgrammableButtons:
      return number < 0x1e
        ? .exclusive(.macro1, plus: number) : .exclusive(.triggerHappy1, plus: number - 0x1e)
    default: break
    }
    let first: EvdevCode =
      switch field.around.physical {
      case EvdevUsage.mouse, EvdevUsage.pointer: .left
      case EvdevUsage.joystick: .trigger
      case EvdevUsage.gamepad: .south
      default: .button0
      }
    return .exclusive(first, plus: number)
  }

  static func simulation(_ id: UInt16) -> Self {
    switch id {
    case 0xba: .exclusive(.rudder)
    case 0xbb: .exclusive(.throttle)
    case 0xc4: .exclusive(.gas)
    case 0xc5: .exclusive(.brake)
    case 0xc8: .exclusive(.steering)
    default: .ignored
    }
  }

  static func led(_ id: UInt16) -> Self {
    switch id {
    case 0x01...0x05: .exclusive(EvdevCode(.led, id - 1))  // Num Lock to Kana
    case 0x27: .exclusive(EvdevCode(.led, 5))  // stand-by
    case 0x4c: .exclusive(EvdevCode(.led, 6))  // suspended
    case 0x09: .exclusive(EvdevCode(.led, 7))  // mute
    case 0x4b: .exclusive(EvdevCode(.led, 8))  // generic
    case 0x19: .exclusive(EvdevCode(.led, 9))  // message waiting
    case 0x4d: .exclusive(EvdevCode(.led, 10))  // external power
    default: .ignored
    }
  }

  static func consumer(_ id: UInt16) -> Self {
    switch id {
    case 0x000: .ignored
    case 0x0e0: .shared(.volume)
    case 0x238: .exclusive(.fineHorizontalWheel).with(.horizontalWheel)
    default: .shared(EvdevKeyTable.consumer[id] ?? .unknownKey)
    }
  }

  // MARK: Generic desktop

  static func genericDesktop(_ id: UInt16, at index: Int, _ field: EvdevField) -> Self {
    switch id & 0xf0 {
    // The kernel compares only the low byte of the ID here.
    case 0x80:
      guard id & 0xf != 0 else { return unknown(at: index, field) }
      return .key(EvdevKeyTable.systemControls[id & 0xff])
    case 0x90:
      switch id {
      // Only the first direction of a D-pad on a node gets the hat axis.
      case 0x90...0x93:
        var rule = Self.exclusive(.hat0X)
        rule.isHat = true
        return rule
      case 0x9b: return .shared(.doNotDisturb)
      default: return unknown(at: index, field)
      }
    case 0xa0, 0xb0: return .key(EvdevKeyTable.systemControls[id & 0xff])
    default: break
    }
    // Some devices list 255 usages as system controls, but are no joysticks.
    if field.around.application == EvdevUsage.systemControl { return .ignored }
    return axis(id, at: index, field)
  }

  private static func axis(_ id: UInt16, at index: Int, _ field: EvdevField) -> Self {
    let isRelative = field.isRelative(at: index)
    switch id {
    case 0x32 where !isRelative && field.isOfPen: return .shared(.distance)
    case 0x30...0x35:
      return isRelative
        ? .exclusive(EvdevCode(.relative, id & 0xf)) : .shared(EvdevCode(.absolute, id & 0xf))
    case 0x36, 0x37: return .exclusive(EvdevCode(isRelative ? .relative : .absolute, id & 0xf))
    case 0x38:
      return isRelative ? .exclusive(.fineWheel).with(.wheel) : .exclusive(.steering)
    case 0x39:
      var rule = Self.exclusive(.hat0X)
      // The kernel stores the ends in 16 bits, so 0 to 65,535 is no range.
      rule.isHat =
        Int16(truncatingIfNeeded: field.logicalMinimum)
        < Int16(truncatingIfNeeded: field.logicalMaximum)
      return rule
    case 0x3d: return .shared(.start)
    case 0x3e: return .shared(.select)
    case 0xc6 where field.around.application == EvdevUsage.wirelessRadioControls:
      return .shared(.rfKill)
    default: return unknown(at: index, field)
    }
  }

  // MARK: Digitizers

  static func digitizer(_ id: UInt16, at index: Int, _ field: EvdevField) -> Self {
    // The kernel compares only the low byte of the application, so a consumer control gets the
    // property of a digitizer.
    let property: Effects =
      switch field.around.application & 0xff {
      case 0x01: .pointer
      case 0x02: .direct
      default: []
      }
    var rule: Self =
      switch id & 0xff {
      case 0x00: .ignored
      case 0x30: .shared(.pressure).with(.touchKey)  // tip pressure
      case 0x32: inRange(field)
      case 0x3b: .battery
      case 0x3c: .shared(.toolRubber)  // invert
      case 0x3d: .shared(.tiltX)
      case 0x3e: .shared(.tiltY)
      case 0x33, 0x42, 0x43: .shared(.touch)  // touch and tip switches
      case 0x44: .shared(.stylus)  // barrel switch
      case 0x45: .shared(.touch).with(.rubberKey)  // eraser
      case 0x46, 0x5a: .shared(.stylus2)  // tablet pick, secondary barrel switch
      case 0x5b, 0x6e: .exclusive(.serial)  // numbers of the tool
      default: unknown(at: index, field)
      }
    rule.effects.formUnion(property)
    return rule
  }

  /// Returns the rule for In Range: the tool of the physical collection if that has a usage, else
  /// the tool of the application.
  private static func inRange(_ field: EvdevField) -> Self {
    switch field.around.physical {
    case EvdevUsage.puck: return .exclusive(.toolMouse)
    case EvdevUsage.finger: return .exclusive(.toolFinger)
    case 0:
      let isTouch = [EvdevUsage.touchscreen, EvdevUsage.touchpad].contains(
        field.around.application)
      return .shared(isTouch ? .toolFinger : .toolPen)
    default: return .exclusive(.toolPen)
    }
  }
}

extension EvdevField {
  /// True if Z is a distance from a surface.
  fileprivate var isOfPen: Bool {
    around.application == EvdevUsage.pen || around.physical == EvdevUsage.pen
      || around.logical == EvdevUsage.stylus || around.physical == EvdevUsage.stylus
      || around.application == EvdevUsage.digitizer
  }
}
