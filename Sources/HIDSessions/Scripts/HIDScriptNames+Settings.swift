// SPDX-License-Identifier: Apache-2.0

internal import HIDReportDescriptor
import HIDSimulator
internal import HIDText

/// The controls that a command sets together.
extension HIDScriptNames {
  typealias Settings = (reference: Reference, settings: [HIDScript.Setting])

  /// Finds the first interface that has all of the controls, and checks their values.
  ///
  /// The short names of mouse buttons count only if no interface has all of the controls without
  /// them.
  ///
  /// - Throws: A problem if no interface has them all, interfaces of several devices do, or a value
  ///   does not fit.
  func find(
    _ settings: [HIDScript.Setting], _ candidates: [Reference], at location: HIDTextLocation
  ) throws(HIDTextProblem) -> Settings {
    for takesMouseButtons in [false, true] {
      var able: [Settings] = []
      for reference in candidates {
        var found: [HIDScript.Setting] = []
        for var setting in settings {
          setting.control.element = element(
            setting.control.name.text, self[reference],
            setting.value.isSwitched ? .setSwitch : .setAmount,
            takesMouseButtons: takesMouseButtons)
          guard setting.control.element != nil else { break }
          found.append(setting)
        }
        if found.count == settings.count { able.append((reference, found)) }
      }
      guard let chosen = try choose(able.map(\.reference), at: location),
        let found = able.first(where: { $0.reference == chosen })
      else { continue }
      for setting in found.settings {
        try check(
          setting.value, (chosen, [setting.control]), isSet: true,
          at: setting.control.name.location)
      }
      return found
    }
    throw unknown(settings.map(\.control), candidates, .setSwitch, at: location)
  }

  /// Finds the first interface with a touch surface, and checks the contacts and their positions.
  ///
  /// - Throws: A problem if no interface has one, interfaces of several devices do, or a contact
  ///   does not fit.
  func surface(
    for touches: [HIDScript.Touch], _ candidates: [Reference], at location: HIDTextLocation
  ) throws(HIDTextProblem) -> Reference {
    let able = candidates.compactMap { reference in
      HIDTouchSurface(self[reference].descriptor).map { (reference, $0) }
    }
    guard let chosen = try choose(able.map(\.0), at: location),
      let surface = able.first(where: { $0.0 == chosen })?.1
    else {
      throw problem(
        "no interface has a touch surface", at: location,
        help:
          "a touch surface is an input report with Finger collections of Tip Switch, X and Y")
    }
    for touch in touches {
      if let numbers = surface.numbers, !numbers.contains(Int64(touch.contact)) {
        throw problem(
          "the number of the contact is \(touch.contact); expected \(numbers.lowerBound) to "
            + "\(numbers.upperBound)",
          at: location)
      }
      guard let place = touch.place else { continue }
      for (name, value, axis) in [
        ("x", place.x, surface.axes.x), ("y", place.y, surface.axes.y),
      ] {
        let control = HIDScript.Control(
          name: HIDScript.Name(text: name, location: location), element: axis)
        try check(value, (chosen, [control]), isSet: true, at: location)
      }
    }
    return chosen
  }

  /// Finds the first interface with controls of input or feature reports for the level of a
  /// battery, and checks that all of them can have a value.
  ///
  /// Source: HID Usage Tables 1.4, page 0x06, usage 0x20, and page 0x0d, usage 0x3b; Usage Tables
  /// for HID Power Devices 1.1, page 0x85, usages 0x64 and 0x65. Linux reads the level of a battery
  /// from the first, the second and the last of these usages.
  func battery(
    _ value: HIDScript.Value, _ statement: HIDScript.Statement, _ candidates: [Reference]
  ) throws(HIDTextProblem) -> Settings {
    let usages: [HIDUsage] = [
      .genericDeviceControls(.batteryStrength), .digitizers(.batteryStrength),
      .batterySystem(.absoluteStateOfCharge), .batterySystem(.relativeStateOfCharge),
    ]
    let able = candidates.compactMap { reference -> (Reference, [HIDReportElement])? in
      let controls = [HIDReportType.input, .feature].flatMap { type in
        usages.flatMap { self[reference].descriptor.controls($0, type: type) }
      }
      return controls.isEmpty ? nil : (reference, controls)
    }
    guard let chosen = try choose(able.map(\.0), at: statement.location),
      let controls = able.first(where: { $0.0 == chosen })?.1
    else {
      let device = devices.count == 1 ? quoted(devices[0].name) : "no device"
      throw problem(
        "\(device) has \(devices.count == 1 ? "no" : "a") battery, which is a control for Battery "
          + "Strength or for a state of charge",
        at: statement.location,
        help:
          "declare one in an input or feature report, such as genericDeviceControls.batteryStrength"
      )
    }
    let name = HIDScript.Name(text: "battery", location: statement.location)
    let settings = controls.map {
      HIDScript.Setting(HIDScript.Control(name: name, element: $0), to: value)
    }
    for setting in settings {
      try check(value, (chosen, [setting.control]), isSet: true, at: statement.location)
    }
    return (chosen, settings)
  }
}
