// SPDX-License-Identifier: Apache-2.0

internal import HIDReportDescriptor
internal import HIDText
import HIDUsageNaming

extension HIDScript {
  /// Finds what the names of the script mean on given devices.
  ///
  /// Without `device NAME` or `@NAME` a command goes to the first interface that can do it; when more
  /// than one device could, that is an error. A name means, in this order: a control that the device file
  /// names; a key, mouse button or axis by its short name; a usage as `hidsim show` prints it.
  ///
  /// - Parameter devices: The devices that will be plugged, in order.
  /// - Returns: The script with an element for each control, and an interface for each command that is
  ///   about one.
  /// - Throws: Every name that means nothing, every report too long, up to twenty problems.
  public func resolved(
    for devices: [HIDDeviceDefinition]
  ) throws(HIDScriptError) -> HIDScript {
    let names = HIDScriptNames(devices: devices, file: name)
    var script = self
    var problems: [HIDTextProblem] = []
    for index in statements.indices where problems.count < 20 {
      do throws(HIDTextProblem) {
        script.statements[index] = try names.resolve(statements[index])
      } catch {
        problems.append(error)
      }
    }
    guard problems.isEmpty else { throw HIDScriptError(problems: problems) }
    return script
  }
}

/// What names in scripts mean on some devices.
struct HIDScriptNames {
  typealias Reference = HIDScript.InterfaceReference

  private let devices: [HIDDeviceDefinition]
  private let file: String

  init(devices: [HIDDeviceDefinition], file: String) {
    self.devices = devices
    self.file = file
  }

  func resolve(
    _ statement: HIDScript.Statement
  ) throws(HIDTextProblem) -> HIDScript.Statement {
    var result = statement
    let candidates = try candidates(statement.target)
    let place = statement.location
    switch statement.command {
    case .tap(let controls):
      let found = try find(controls, candidates, .press, at: place)
      result.command = .tap(found.controls)
      result.interface = found.reference
    case .press(let controls):
      let found = try find(controls, candidates, .press, at: place)
      result.command = .press(found.controls)
      result.interface = found.reference
    case .release(let controls):
      guard !controls.isEmpty else {
        result.interface = unique(candidates)
        break
      }
      let found = try find(controls, candidates, .press, at: place)
      result.command = .release(found.controls)
      result.interface = found.reference
    case .type(_, let strokes):
      result.interface = try keyboard(for: strokes, candidates, at: place)
    case .report(let bytes):
      result.interface = try interface(for: bytes, candidates, at: place)
    case .expect(let control, let value, let bound):
      let found = try find([control], candidates, .state, at: place)
      result.command = .expect(found.controls[0], value, within: bound)
      result.interface = found.reference
      try check(value, found, at: control.name.location)
    case .axis(let control, let value):
      let found = try find([control], candidates, .axis, at: place)
      result.command = .axis(found.controls[0], value)
      result.interface = found.reference
      try check(value, found, isSet: true, at: control.name.location)
    case .click(let control):
      let found = try find([control], candidates, .click, at: place)
      result.command = .click(found.controls[0])
      result.interface = found.reference
    case .hostSet(let control, let value):
      let found = try find([control], candidates, .hostSet, at: place)
      result.command = .hostSet(found.controls[0], value)
      result.interface = found.reference
      try check(value, found, isSet: true, at: control.name.location)
    case .hostExpect(let control, let value, let bound):
      let found = try find([control], candidates, .hostExpect, at: place)
      result.command = .hostExpect(found.controls[0], value, within: bound)
      result.interface = found.reference
      try check(value, found, at: control.name.location)
    case .move:
      result.interface = try interface(
        with: [.genericDesktop(.x), .genericDesktop(.y)], isRelative: true, candidates, at: place)
    case .scroll(_, let isHorizontal):
      result.interface = try interface(
        with: [isHorizontal ? .consumer(.acPan) : .genericDesktop(.wheel)], isRelative: true,
        candidates, at: place)
    case .hostGet(let report, let answer):
      result.interface = try interface(
        declaring: report.type, report.id, unlessUnique: true, candidates, at: place)
      try check(answer, report.type, report.id, result.interface, at: place)
    case .answerOnce(let pattern, let answer):
      result.interface = try interface(
        declaring: pattern.type ?? .feature, pattern.id, unlessUnique: false, candidates, at: place)
      try check(answer, pattern.type ?? .feature, pattern.id, result.interface, at: place)
    case .expectEvent(let pattern, _):
      result.interface = unique(candidates)
      try check(pattern, candidates, at: place)
    case .wait, .waitForReader, .waitForOpen, .plug, .unplug:
      result.interface = unique(candidates) ?? (statement.target == nil ? nil : candidates.first)
    }
    return result
  }
}

// MARK: - Devices and interfaces

extension HIDScriptNames {
  /// The interfaces that a command can be about.
  private func candidates(_ target: HIDScript.Name?) throws(HIDTextProblem) -> [Reference] {
    var all: [Reference] = []
    for (device, definition) in devices.enumerated() {
      all += definition.interfaces.indices.map { Reference(device: device, interface: $0) }
    }
    guard let target else { return all }
    let (text, number) = ordinal(target.text)
    var found: [[Reference]] = []
    for (device, definition) in devices.enumerated() where definition.name == text {
      found.append(all.filter { $0.device == device })
    }
    if found.isEmpty {
      for reference in all {
        guard let name = self[reference].name else { continue }
        if name == text || "\(devices[reference.device].name)/\(name)" == text {
          found.append([reference])
        }
      }
    }
    if let number {
      guard found.indices.contains(number - 1) else { throw unknownTarget(target, all) }
      return found[number - 1]
    }
    guard let first = found.first else { throw unknownTarget(target, all) }
    guard found.count == 1 else {
      throw problem(
        "\(found.count) devices or interfaces are called \(quoted(text))", at: target.location,
        help: "add #1, #2 … for the first, the second …")
    }
    return first
  }

  /// Splits `keyboard#2`.
  private func ordinal(_ text: String) -> (name: String, number: Int?) {
    guard let mark = text.lastIndex(of: "#"),
      let number = Int(text[text.index(after: mark)...]), number > 0
    else { return (text, nil) }
    return (String(text[..<mark]), number)
  }

  private func unknownTarget(_ target: HIDScript.Name, _ all: [Reference]) -> HIDTextProblem {
    let names = devices.map(\.name) + all.compactMap { self[$0].name }
    let near = NameSuggestion.nearest(to: target.text, in: names)
    return problem(
      "no device or interface is called \(quoted(target.text))", at: target.location,
      help: near.map { "did you mean \(quoted($0))?" }
        ?? "there are \(names.prefix(10).map { quoted($0) }.joined(separator: ", "))")
  }

  /// What `device` takes for one of the devices: its name, for twins with #1, #2 and so on.
  private func label(_ device: Int) -> String {
    let name = devices[device].name
    guard devices.count(where: { $0.name == name }) > 1 else { return name }
    return "\(name)#\(devices[...device].count { $0.name == name })"
  }

  private subscript(reference: Reference) -> HIDInterfaceDefinition {
    devices[reference.device].interfaces[reference.interface]
  }

  private func unique(_ candidates: [Reference]) -> Reference? {
    candidates.count == 1 ? candidates.first : nil
  }

  /// The first of the interfaces that can do something, unless they are of more than one device.
  private func choose(
    _ able: [Reference], at location: HIDTextLocation
  ) throws(HIDTextProblem) -> Reference? {
    guard let first = able.first else { return nil }
    guard let other = able.first(where: { $0.device != first.device }) else { return first }
    throw problem(
      "more than one device can do this: \(quoted(label(first.device))) and "
        + "\(quoted(label(other.device)))", at: location,
      help: "say which: device NAME in a line before, or @NAME in front")
  }

  private func problem(
    _ message: String, at location: HIDTextLocation, help: String? = nil
  ) -> HIDTextProblem {
    HIDTextProblem(file: file, location: location, message: message, help: help)
  }
}

// MARK: - Controls

extension HIDScriptNames {
  /// What is done with a control, which decides what its name can mean.
  private enum Role {
    case press, click, axis, state, hostSet, hostExpect

    /// The reports in which the control can be, the first preferred.
    var types: [HIDReportType] {
      switch self {
      case .press, .click, .axis: [.input]
      case .state: [.output, .feature, .input]
      case .hostSet: [.output, .feature]
      case .hostExpect: [.input, .feature]
      }
    }

    var noun: String {
      switch self {
      case .press: "key or button"
      case .click: "button"
      case .axis: "axis"
      case .state, .hostSet, .hostExpect: "control"
      }
    }
  }

  private typealias Found = (reference: Reference, controls: [HIDScript.Control])

  /// Finds an interface that has all of some controls.
  private func find(
    _ controls: [HIDScript.Control], _ candidates: [Reference], _ role: Role,
    at location: HIDTextLocation
  ) throws(HIDTextProblem) -> Found {
    // `tap left` is the arrow key if any interface has it, and only else a mouse's button.
    for takesMouseButtons in role == .press ? [false, true] : [role == .click] {
      var able: [(Reference, [HIDScript.Control])] = []
      for reference in candidates {
        var found: [HIDScript.Control] = []
        for control in controls {
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

  private func element(
    _ name: String, _ interface: HIDInterfaceDefinition, _ role: Role, takesMouseButtons: Bool
  ) -> HIDControl? {
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
    case .state, .hostSet: break
    case .hostExpect:
      if let key = HIDUsage.key(named: name) { usages.append(key) }
      if let axis = HIDUsage.axis(named: name) { usages.append(axis) }
    }
    for type in role.types {
      if let alias = interface.controls[name],
        let found = interface.descriptor.controls(named: alias, type: type).first
      {
        return found
      }
      for usage in usages {
        if let found = interface.descriptor.controls(usage, type: type).first { return found }
      }
      if let found = interface.descriptor.controls(named: name, type: type).first { return found }
    }
    return nil
  }

  private func unknown(
    _ controls: [HIDScript.Control], _ candidates: [Reference], _ role: Role,
    at location: HIDTextLocation
  ) -> HIDTextProblem {
    let lost = controls.first { control in
      !candidates.contains {
        element(control.name.text, self[$0], role, takesMouseButtons: true) != nil
          || element(control.name.text, self[$0], role, takesMouseButtons: false) != nil
      }
    }
    guard let lost else {
      return problem("no interface has all of these controls", at: location)
    }
    let text = lost.name.text
    let isKnown =
      HIDUsage(name: text)?.usage != nil || HIDUsage.key(named: text) != nil
      || HIDUsage.axis(named: text) != nil
    let device = devices.count == 1 ? quoted(devices[0].name) : "no device"
    let has = devices.count == 1 ? "has no" : "has a"
    if isKnown {
      return problem("\(device) \(has) \(role.noun) \(quoted(text))", at: lost.name.location)
    }
    var names = candidates.flatMap { self[$0].controls.keys.sorted() }
    switch role {
    case .press: names += HIDUsage.keyAliases.map(\.name)
    case .click: names += HIDUsage.mouseButtonAliases.map(\.name)
    case .axis: names += HIDUsage.axisAliases.map(\.name)
    case .state, .hostSet, .hostExpect: break
    }
    names += candidates.flatMap { self[$0].descriptor.controlNames(role.types) }
    let near = NameSuggestion.nearest(to: text, in: names)
    return problem(
      "unknown \(role.noun) \(quoted(text))", at: lost.name.location,
      help: near.map { "did you mean \"\($0)\"?" } ?? "hidsim show lists the names of a device")
  }

  /// Checks a bare integer against what the control can be set to; where it is only looked at, against what
  /// its bits hold.
  private func check(
    _ value: HIDScript.Value, _ found: Found, isSet: Bool = false, at location: HIDTextLocation
  ) throws(HIDTextProblem) {
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

// MARK: - Reports

extension HIDScriptNames {
  private func hasRelativeAxes(_ descriptor: HIDReportDescriptor) -> Bool {
    has(.genericDesktop(.x), isRelative: true, descriptor)
  }

  private func has(
    _ usage: HIDUsage, isRelative: Bool, _ descriptor: HIDReportDescriptor
  ) -> Bool {
    descriptor.controls(usage, type: .input).contains { control in
      guard let fields = descriptor.report(.input, id: control.reportID)?.fields,
        fields.indices.contains(control.fieldIndex)
      else { return false }
      return fields[control.fieldIndex].isRelative == isRelative
    }
  }

  private func interface(
    with usages: [HIDUsage], isRelative: Bool, _ candidates: [Reference],
    at location: HIDTextLocation
  ) throws(HIDTextProblem) -> Reference {
    let able = candidates.filter { reference in
      usages.allSatisfy { has($0, isRelative: isRelative, self[reference].descriptor) }
    }
    if let chosen = try choose(able, at: location) { return chosen }
    let names = usages.map(\.name).joined(separator: " and ")
    throw problem("no interface reports \(names) as relative", at: location)
  }

  private func keyboard(
    for strokes: [USLayout.Stroke], _ candidates: [Reference], at location: HIDTextLocation
  ) throws(HIDTextProblem) -> Reference {
    var keys = Set(strokes.map(\.key))
    if strokes.contains(where: \.isShifted) || keys.isEmpty {
      keys.insert(.keyboardOrKeypad(.keyboardLeftShift))
    }
    let able = candidates.filter { reference in
      keys.allSatisfy { !self[reference].descriptor.controls($0, type: .input).isEmpty }
    }
    if let chosen = try choose(able, at: location) { return chosen }
    throw problem(
      "no interface has all the keys that the text needs", at: location,
      help: "type needs a keyboard")
  }

  private func interface(
    for bytes: [UInt8], _ candidates: [Reference], at location: HIDTextLocation
  ) throws(HIDTextProblem) -> Reference {
    let able = candidates.filter { !self[$0].descriptor.reports(of: .input).isEmpty }
    guard let chosen = try choose(able, at: location) else {
      throw problem("no interface has input reports", at: location)
    }
    guard able.count == 1 else {
      let names = able.compactMap { self[$0].name }.map { quoted($0) }.joined(separator: ", ")
      throw problem(
        "more than one interface has input reports", at: location,
        help: "say which: @NAME report …; the interfaces are \(names)")
    }
    let descriptor = self[chosen].descriptor
    let id = descriptor.numbersReports(.input) ? bytes.first.flatMap(HIDReportID.init) : nil
    guard let layout = descriptor.report(.input, id: id) else {
      throw undeclared(.input, id ?? bytes.first.flatMap(HIDReportID.init), [chosen], at: location)
    }
    guard bytes.count <= layout.byteCount else {
      throw problem(
        "the report is \(bytes.count) bytes long, and it is declared with \(layout.byteCount)",
        at: location, help: id == nil ? "the device does not number its reports" : nil)
    }
    return chosen
  }

  private func interface(
    declaring type: HIDReportType, _ id: HIDReportID?, unlessUnique: Bool,
    _ candidates: [Reference], at location: HIDTextLocation
  ) throws(HIDTextProblem) -> Reference {
    let able = candidates.filter { self[$0].descriptor.report(type, id: id) != nil }
    if let chosen = try choose(able, at: location) {
      guard able.count == 1 else {
        throw problem(
          "more than one interface has this report", at: location,
          help: "say which: @NAME in front of the command")
      }
      return chosen
    }
    if unlessUnique, let only = unique(candidates) { return only }  // hosts ask for such things
    throw undeclared(type, id, candidates, at: location)
  }

  private func undeclared(
    _ type: HIDReportType, _ id: HIDReportID?, _ candidates: [Reference],
    at location: HIDTextLocation
  ) -> HIDTextProblem {
    let reports = candidates.flatMap { self[$0].descriptor.reports(of: type) }
    let list = reports.map { $0.id.map { "\($0)" } ?? "the un-numbered one" }
    return problem(
      "no interface declares \(id.map { "\(type) report \($0)" } ?? "an un-numbered \(type) report")",
      at: location,
      help: list.isEmpty
        ? "there is no \(type) report" : "the \(type) reports: \(list.joined(separator: ", "))")
  }

  private func check(
    _ answer: HIDScript.Answer?, _ type: HIDReportType, _ id: HIDReportID?,
    _ reference: Reference?, at location: HIDTextLocation
  ) throws(HIDTextProblem) {
    guard case .report(let bytes) = answer, let reference,
      let layout = self[reference].descriptor.report(type, id: id), bytes.count > layout.byteCount
    else { return }
    throw problem(
      "the answer is \(bytes.count - layout.payloadOffset) bytes long, and the report is declared "
        + "with \(layout.payloadByteCount)", at: location,
      help: id == nil ? nil : "the ID is not repeated in the bytes")
  }

  private func check(
    _ pattern: HIDScript.HostEventPattern, _ candidates: [Reference], at location: HIDTextLocation
  ) throws(HIDTextProblem) {
    guard let type = pattern.type, let id = pattern.id else { return }
    // A host may ask for what is not declared; it cannot send an output report that is not.
    guard
      pattern.kind != .output
        || candidates.contains(where: { self[$0].descriptor.report(type, id: id) != nil })
    else { throw undeclared(type, id, candidates, at: location) }
  }
}
