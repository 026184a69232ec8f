// SPDX-License-Identifier: Apache-2.0

internal import HIDReportDescriptor
import HIDSimulator
internal import HIDText

/// The meanings of the names of controls.
extension HIDScriptNames {
  /// The use of a control in a command, which decides the meaning of its name.
  enum Role {
    case press, click, axis, state, hostSet, hostExpect
    /// Setting a control: `setSwitch` to `on`, `off`, 0 or 1, and `setAmount` to another value.
    ///
    /// The two uses differ because some letters name both a key and an axis.
    case setSwitch, setAmount

    /// The types of reports that can have the control, the preferred type first.
    var types: [HIDReportType] {
      switch self {
      case .press, .click, .axis: [.input]
      case .state: [.output, .feature, .input]
      case .hostSet: [.output, .feature]
      case .hostExpect: [.input, .feature]
      case .setSwitch, .setAmount: [.input, .output, .feature]
      }
    }

    var noun: String {
      switch self {
      case .press: "key or button"
      case .click: "button"
      case .axis: "axis"
      case .state, .hostSet, .hostExpect, .setSwitch, .setAmount: "control"
      }
    }
  }

  typealias Found = (reference: Reference, controls: [HIDScript.Control])

  /// Finds the first interface that has all of the controls, and their elements in its reports.
  ///
  /// For `click`, an interface with relative axes is preferred. For `press`, the short names of
  /// mouse buttons count only if no interface has all of the controls without them.
  ///
  /// - Throws: A problem if no interface has them all, or interfaces of several devices do.
  func find(
    _ controls: [HIDScript.Control], _ candidates: [Reference], _ role: Role,
    at location: HIDTextLocation
  ) throws(HIDTextProblem) -> Found {
    // `tap left` means the arrow key if any interface has it, and a mouse button only otherwise.
    for takesMouseButtons in role == .press ? [false, true] : [role == .click] {
      var able: [(Reference, [HIDScript.Control])] = []
      for reference in candidates {
        var found: [HIDScript.Control] = []
        for control in controls {
          if role == .press, self[reference].hasSwitch(control.name.text) {
            found.append(HIDScript.Control(name: control.name, isSwitch: true))
            continue
          }
          let element = element(
            control.name.text, self[reference], role, takesMouseButtons: takesMouseButtons)
          guard let element else { break }
          found.append(HIDScript.Control(name: control.name, element: element))
        }
        if found.count == controls.count { able.append((reference, found)) }
      }
      if role == .click {  // a gamepad has buttons too
        let mice = able.filter { hasRelativeAxes(self[$0.0].descriptor) }
        if !mice.isEmpty { able = mice }
      }
      if let chosen = try choose(able.map(\.0), at: location),
        let found = able.first(where: { $0.0 == chosen })
      {
        return found
      }
    }
    throw unknown(controls, candidates, role, at: location)
  }

  func element(
    _ name: String, _ interface: HIDInterfaceDefinition, _ role: Role, takesMouseButtons: Bool
  ) -> HIDReportElement? {
    var usages: [HIDUsage] = []
    switch role {
    case .press:
      if !takesMouseButtons, let key = HIDUsage.key(named: name) { usages.append(key) }
      if takesMouseButtons, let button = HIDUsage.mouseButton(named: name) { usages.append(button) }
    case .click:
      if let button = HIDUsage.mouseButton(named: name) { usages.append(button) }
      if let number = UInt16(name) { usages.append(.button(number)) }
    case .axis:
      if let axis = HIDUsage.axis(named: name) { usages.append(axis) }
    case .hostSet: break
    case .setSwitch, .setAmount:
      let takesKeys = role == .setSwitch && !takesMouseButtons
      let short = takesKeys ? HIDUsage.key(named: name) : HIDUsage.axis(named: name)
      if let short { usages.append(short) }
      if takesMouseButtons, let button = HIDUsage.mouseButton(named: name) { usages.append(button) }
    case .state, .hostExpect:
      if let key = HIDUsage.key(named: name) { usages.append(key) }
      if let axis = HIDUsage.axis(named: name) { usages.append(axis) }
    }
    for type in role.types {
      let found = interface.descriptor.control(
        named: name, interface.controls, usages: usages, type: type)
      if let found { return found }
    }
    return nil
  }

  func unknown(
    _ controls: [HIDScript.Control], _ candidates: [Reference], _ role: Role,
    at location: HIDTextLocation
  ) -> HIDTextProblem {
    let lost = controls.first { control in
      !candidates.contains {
        role == .press && self[$0].hasSwitch(control.name.text)
          || element(control.name.text, self[$0], role, takesMouseButtons: true) != nil
          || element(control.name.text, self[$0], role, takesMouseButtons: false) != nil
      }
    }
    guard let lost else {
      return problem(
        "no interface has all of these controls", at: location,
        help: "write a command for each interface")
    }
    let text = lost.name.text
    if candidates.contains(where: { self[$0].hasSwitch(text) }) {
      return problem(
        "\(quoted(text)) is a switch, and this command takes a control", at: lost.name.location,
        help: "use press, release or tap for a switch")
    }
    let isKnown =
      HIDUsage(name: text)?.usage != nil || HIDUsage.key(named: text) != nil
      || HIDUsage.axis(named: text) != nil
    let device = devices.count == 1 ? quoted(devices[0].name) : "no device"
    let article = role == .axis ? "an" : "a"
    let has = devices.count == 1 ? "has no" : "has \(article)"
    let help = "hidsim show lists the names of a device's keys, axes and other controls"
    if isKnown {
      return problem(
        "\(device) \(has) \(role.noun) \(quoted(text))", at: lost.name.location, help: help)
    }
    var names = candidates.flatMap { self[$0].controls.keys.sorted() }
    switch role {
    case .press:
      names = candidates.flatMap { self[$0].switchNames } + names
      names += HIDUsage.keyAliases.map(\.name)
    case .click: names += HIDUsage.mouseButtonAliases.map(\.name)
    case .axis: names += HIDUsage.axisAliases.map(\.name)
    case .setSwitch, .setAmount, .state, .hostExpect:
      names += (HIDUsage.keyAliases + HIDUsage.axisAliases).map(\.name)
    case .hostSet: break
    }
    names += candidates.flatMap { self[$0].descriptor.controlNames(role.types) }
    let near = NameSuggestion.nearest(to: text, in: names)
    return problem(
      "unknown \(role.noun) \(quoted(text))", at: lost.name.location,
      help: near.map { "did you mean \"\($0)\"?" } ?? help)
  }

  /// Checks that a control can have a value.
  ///
  /// If the command sets the control, a logical value must be in the range that the control can be
  /// set to. If the command only reads the control, a logical value must be in the range of the
  /// control's bits. A physical value must be in the physical range.
  func check(
    _ value: HIDScript.Value, _ found: Found, isSet: Bool = false, at location: HIDTextLocation
  ) throws(HIDTextProblem) {
    if let element = found.controls.first?.element,
      let reason = value.physicalProblem(for: element, in: self[found.reference].descriptor)
    {
      throw problem(
        "\(found.controls[0].name.text) cannot be \(value.text); \(reason)", at: location)
    }
    guard case .logical(let number) = value, let element = found.controls.first?.element,
      let layout = self[found.reference].descriptor.report(element.type, id: element.reportID),
      layout.fields.indices.contains(element.fieldIndex)
    else { return }
    let held = element.isArrayMember ? 0...1 : layout.fields[element.fieldIndex].representableRange
    let range = isSet ? layout.settableRange(of: element) ?? held : held
    guard !range.contains(Int64(number)) else { return }
    throw problem(
      "\(found.controls[0].name.text) cannot be \(number); expected \(range.lowerBound) to "
        + "\(range.upperBound)", at: location)
  }
}
