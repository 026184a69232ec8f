// SPDX-License-Identifier: Apache-2.0

internal import HIDReportDescriptor
internal import HIDText
import HIDTraces

extension DeviceFileReader {
  /// The maximum number of rows of switches of an interface, and of its rules for repeats.
  static let maximumSwitchRowCount = 256
  /// The maximum number of switches in all rows of an interface.
  static let maximumSwitchCount = 4096
  /// The maximum number of controls of a switch.
  static let maximumSwitchControlCount = 16

  /// Reads the rows of switches.
  ///
  /// An example is `[{"when": {"mode": 2}, "press": {"switch4": "leftShift+r"}}]`.
  mutating func switches(_ node: JSONNode, _ names: BehaviourNames) -> [HIDSwitchRow] {
    var result: [HIDSwitchRow] = []
    var count = 0
    for element in rows(node, "the switches") {
      guard
        problems.object(element, "a row of switches", keys: ["when", "press", "comment"]) != nil,
        let press = problems.required("press", of: element, "the row")
      else { continue }
      if let comment = element["comment"] { checkComment(comment) }
      let conditions = element["when"].map { self.conditions($0, names.templates()) } ?? []
      guard case .object(let members) = press.value, !members.isEmpty else {
        problems.unexpected(
          "\"press\" as an object", press, help: "such as {\"leftPedal\": \"up\"}")
        continue
      }
      count += members.count
      guard count <= Self.maximumSwitchCount else {
        problems.add(
          "the rows have more than \(Self.maximumSwitchCount) switches together",
          at: press.location, help: "remove some")
        return []
      }
      let entries = members.compactMap { entry($0, names) }
      result.append(HIDSwitchRow(conditions: conditions, entries: entries))
    }
    return result
  }

  private mutating func rows(_ node: JSONNode, _ what: String) -> [JSONNode] {
    let elements = problems.elements(node, what) ?? []
    guard elements.count <= Self.maximumSwitchRowCount else {
      problems.add(
        "\(what) have \(elements.count) rows, and the limit is \(Self.maximumSwitchRowCount)",
        at: node.location, help: "merge rows with the same conditions")
      return []
    }
    return elements
  }

  private mutating func entry(
    _ member: JSONMember, _ names: BehaviourNames
  ) -> HIDSwitchRow.Entry? {
    guard checkName(of: member, "switch") else { return nil }
    if names.controls[member.key] != nil || names.states[member.key] != nil {
      let kind = names.controls[member.key] != nil ? "control" : "state"
      problems.add(
        "\(quoted(member.key)) is already the name of a \(kind)", at: member.location,
        help: "choose another name for the switch")
      return nil
    }
    guard case .string(let text) = member.value.value else {
      problems.unexpected(
        "the controls as a string", member.value, help: "such as \"up\" or \"leftShift+r\"")
      return nil
    }
    let controlNames = text.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
    guard controlNames.count <= Self.maximumSwitchControlCount else {
      problems.add(
        "the switch presses \(controlNames.count) controls, and the limit is "
          + "\(Self.maximumSwitchControlCount)", at: member.value.location)
      return nil
    }
    var controls: [HIDReportElement] = []
    for name in controlNames {
      guard let control = names.pressed(name) else {
        var known = names.controls.keys.sorted()
        known += HIDUsage.keyAliases.map(\.name)
        known += names.descriptor.controlNames([.input])
        let near = NameSuggestion.nearest(to: name, in: known)
        problems.add(
          "the device has no key or button \(quoted(name))", at: member.value.location,
          help: near.map { "did you mean \"\($0)\"?" }
            ?? "use the name of a control, key, button or usage, with \"+\" between several")
        return nil
      }
      controls.append(control)
    }
    return HIDSwitchRow.Entry(name: member.key, controlNames: controlNames, controls: controls)
  }

  // MARK: Repeats

  /// Reads the rules for repeats.
  ///
  /// An example is `[{"when": {"repeatDelay": 0}, "once": true}]`.
  mutating func switchRepeats(_ node: JSONNode, _ names: BehaviourNames) -> [HIDSwitchRepeat] {
    var rules: [HIDSwitchRepeat] = []
    for element in rows(node, "the repeats of switches") {
      guard
        problems.object(
          element, "a repeat of switches", keys: ["when", "once", "delay", "interval", "comment"])
          != nil
      else { continue }
      if let comment = element["comment"] { checkComment(comment) }
      let conditions = element["when"].map { self.conditions($0, names.templates()) } ?? []
      guard let action = repeatAction(element, names) else { continue }
      guard !rules.contains(where: \.conditions.isEmpty) else {
        problems.add(
          "the rule never applies: an earlier rule has no \"when\"", at: element.location,
          help: "remove one of them, or put the rule with \"when\" first")
        continue
      }
      rules.append(HIDSwitchRepeat(conditions: conditions, action: action))
    }
    return rules
  }

  private mutating func repeatAction(
    _ node: JSONNode, _ names: BehaviourNames
  ) -> HIDSwitchRepeat.Action? {
    if let once = node["once"] {
      guard case .bool(true) = once.value else {
        problems.unexpected("true", once, help: "leave \"once\" out instead")
        return nil
      }
      guard let other = node["delay"] ?? node["interval"] else { return .once }
      problems.add(
        "\"once\" cannot be combined with a delay or an interval", at: other.location,
        help: "remove \"once\", or remove the delay and the interval")
      return nil
    }
    guard let delayNode = problems.required("delay", of: node, "the repeat"),
      let intervalNode = problems.required("interval", of: node, "the repeat"),
      let delay = repeatTime(delayNode, "the delay", names),
      let interval = repeatTime(intervalNode, "the interval", names)
    else { return nil }
    return .repeated(delay: delay, interval: interval)
  }

  /// Reads a time of a rule for repeats.
  ///
  /// Examples are `"500ms"`, `{"state": "delay", "unit": "4/255s"}` and
  /// `{"state": "rate", "per": "4s"}`.
  private mutating func repeatTime(
    _ node: JSONNode, _ what: String, _ names: BehaviourNames
  ) -> HIDSwitchRepeat.Time? {
    guard case .object = node.value else {
      return delay(node, what, within: HIDSwitchRepeat.times)
        .map { .fixed($0) }
    }
    guard problems.object(node, what, keys: ["state", "unit", "per"]) != nil,
      let stateNode = problems.required("state", of: node, what)
    else { return nil }
    guard case .string(let state) = stateNode.value, names.states[state]?.range != nil else {
      problems.unexpected(
        "the name of a state that is a number", stateNode,
        help: "declare it: \"state\": {\"repeatDelay\": {\"type\": \"u8\"}}")
      return nil
    }
    let given = [("unit", node["unit"]), ("per", node["per"])].filter { $0.1 != nil }
    guard given.count == 1, let (key, value) = given.first, let value else {
      problems.add(
        "expected one of \"unit\" and \"per\", found \(given.isEmpty ? "none" : "both")",
        at: node.location,
        help: "such as {\"state\": \"\(state)\", \"unit\": \"1ms\"}, or \"per\": \"1s\" for a rate")
      return nil
    }
    guard case .string(let text) = value.value, let duration = TimeUnit.duration(text),
      duration > .zero, duration <= .seconds(60)
    else {
      problems.unexpected(
        "a time of at most 60s as a string", value, help: "such as \"1ms\" or \"4/255s\"")
      return nil
    }
    return key == "unit"
      ? .multiple(state: state, unit: duration) : .part(state: state, of: duration)
  }
}

extension BehaviourNames {
  /// Finds the key, button or other control of an input report that a switch presses.
  fileprivate func pressed(_ name: String) -> HIDReportElement? {
    let short = [HIDUsage.key(named: name), HIDUsage.mouseButton(named: name)]
    return descriptor.control(
      named: name, controls, usages: short.compactMap(\.self), type: .input)
  }
}
