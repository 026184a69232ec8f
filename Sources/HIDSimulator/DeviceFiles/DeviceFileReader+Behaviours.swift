// SPDX-License-Identifier: Apache-2.0

internal import HIDBus
internal import HIDReportDescriptor
internal import HIDText
import HIDTraces

/// The meanings of the names in an interface's behaviours.
struct BehaviourNames {
  let descriptor: HIDReportDescriptor
  let controls: [String: String]
  let states: [String: HIDStateVariable.Kind]

  /// Finds a control by a name from the device file, or by a name that the descriptor gives.
  func control(_ name: String) -> HIDReportElement? {
    for name in [controls[name], name].compactMap(\.self) {
      if let control = descriptor.controls(named: name).first { return control }
    }
    return nil
  }

  func templates(hasRequest: Bool = false, isStamp: Bool = false) -> TemplateReader {
    TemplateReader(
      states: states, control: control,
      byteCount: { descriptor.report($0, id: $1)?.byteCount }, hasRequest: hasRequest,
      isStamp: isStamp)
  }
}

extension HIDBehaviour.Trigger {
  /// The word for the trigger in device files: that of its event, or `timer`.
  var word: String {
    switch self {
    case .plug: HIDEventName.plugged.word
    case .open: HIDEventName.opened.word
    case .close: HIDEventName.closed.word
    case .timer: "timer"
    case .usb: HIDEventName.usb.word
    case .output: HIDEventName.output.word
    case .get: HIDEventName.get.word
    case .set: HIDEventName.set.word
    }
  }

  /// True if the event carries bytes that the host sent.
  var hasRequest: Bool {
    switch self {
    case .output, .set: true
    case .plug, .open, .close, .timer, .usb, .get: false
    }
  }

  /// True if the host waits for an answer.
  var isRequest: Bool {
    switch self {
    case .get, .set: true
    case .plug, .open, .close, .timer, .usb, .output: false
    }
  }
}

extension DeviceFileReader {
  private static let behaviourKeys = [
    "on", "when", "set", "reply", "exact", "error", "none", "noAnswer", "send", "delay",
    "detach",
    "comment",
  ]
  /// The maximum number of behaviours of an interface.
  static let maximumBehaviourCount = 4096

  mutating func behaviours(_ node: JSONNode, _ names: BehaviourNames) -> [HIDBehaviour] {
    var behaviours: [HIDBehaviour] = []
    let elements = problems.elements(node, "the behaviours") ?? []
    guard elements.count <= Self.maximumBehaviourCount else {
      problems.add(
        "the interface has \(elements.count) behaviours, and the limit is "
          + "\(Self.maximumBehaviourCount)", at: node.location)
      return []
    }
    for element in elements {
      guard let behaviour = behaviour(element, names) else { continue }
      let hiding = behaviours.contains {
        $0.conditions.isEmpty && $0.trigger.covers(behaviour.trigger)
      }
      if hiding {
        problems.add(
          "an earlier behaviour matches the same event",
          at: (element["on"] ?? element).location,
          help:
            "the first that matches is carried out: remove one, or put the one with \"when\" first")
        continue
      }
      behaviours.append(behaviour)
    }
    return behaviours
  }

  private mutating func behaviour(
    _ node: JSONNode, _ names: BehaviourNames
  ) -> HIDBehaviour? {
    guard problems.object(node, "a behaviour", keys: Self.behaviourKeys) != nil,
      let on = problems.required("on", of: node, "the behaviour"),
      let (trigger, layout) = trigger(on, names.descriptor)
    else { return nil }
    if let comment = node["comment"] { checkComment(comment) }
    let templates = names.templates(hasRequest: trigger.hasRequest)
    let before = problems.all.count
    var behaviour = HIDBehaviour(trigger: trigger)
    behaviour.conditions = node["when"].map { conditions($0, templates) } ?? []
    behaviour.changes = node["set"].map { changes($0, templates) } ?? []
    behaviour.answer = answer(node, trigger, layout, templates) ?? .usual
    behaviour.sendings = node["send"].map { sendings($0, names.descriptor, templates) } ?? []
    behaviour.delay =
      node["delay"].flatMap { delay($0, "a delay", within: .zero ... .seconds(60)) } ?? .zero
    behaviour.detachment = node["detach"].flatMap { detachment($0) }
    guard problems.all.count == before else { return nil }
    let acts = ["set", "reply", "error", "none", "noAnswer", "send", "delay", "detach"]
    guard acts.contains(where: { node[$0] != nil }) else {
      problems.add(
        "the behaviour does nothing", at: node.location,
        help: "add one of "
          + acts.filter { $0 != "noAnswer" }.map { quoted($0) }.joined(separator: ", "))
      return nil
    }
    return behaviour
  }
}

// MARK: - Conditions and changes

extension DeviceFileReader {
  mutating func conditions(
    _ node: JSONNode, _ templates: TemplateReader
  ) -> [HIDBehaviour.Condition] {
    guard case .object(let members) = node.value, !members.isEmpty else {
      problems.unexpected("\"when\" as an object", node, help: "such as {\"mode\": 2}")
      return []
    }
    return members.compactMap { member in
      let name: HIDValueName
      do throws(TemplateReader.Problem) {
        name = try templates.valueName(member.key, "\"when\"")
      } catch {
        problems.add(error.message, at: member.location, help: error.help)
        return nil
      }
      let values: [ClosedRange<Int64>]
      switch member.value.value {
      case .array(let elements): values = elements.compactMap { range($0, name) }
      default: values = range(member.value, name).map { [$0] } ?? []
      }
      guard !values.isEmpty else {
        if case .array = member.value.value { problems.unexpected("a value", member.value) }
        return nil
      }
      return HIDBehaviour.Condition(name, in: values)
    }
  }

  /// Reads a number, `true` or `false`, or a range such as `{"minimum": 3, "maximum": 9}`.
  private mutating func range(_ node: JSONNode, _ name: HIDValueName) -> ClosedRange<Int64>? {
    let all = -0x8000_0000...0xFFFF_FFFF
    if case .bool(let bool) = node.value { return bool ? 1...1 : 0...0 }
    guard case .object = node.value else {
      return problems.integer(node, "the value of \(quoted(name.text))", in: all).map {
        Int64($0)...Int64($0)
      }
    }
    guard problems.object(node, "a range of values", keys: ["minimum", "maximum"]) != nil else {
      return nil
    }
    guard node["minimum"] != nil || node["maximum"] != nil else {
      problems.unexpected("a minimum or a maximum", node, help: "such as {\"minimum\": 3}")
      return nil
    }
    guard let (low, high) = ends(node, in: all) else { return nil }
    guard low <= high else {
      problems.add("the minimum \(low) is greater than the maximum \(high)", at: node.location)
      return nil
    }
    return Int64(low)...Int64(high)
  }

  /// Reads the `minimum` and the `maximum` of an object, by default the ends of the allowed range;
  /// returns nil, and adds a problem, if one of them is not in it.
  mutating func ends(_ node: JSONNode, in all: ClosedRange<Int>) -> (low: Int, high: Int)? {
    var ends = (low: all.lowerBound, high: all.upperBound)
    if let minimum = node["minimum"] {
      guard let value = problems.integer(minimum, "the minimum", in: all) else { return nil }
      ends.low = value
    }
    if let maximum = node["maximum"] {
      guard let value = problems.integer(maximum, "the maximum", in: all) else { return nil }
      ends.high = value
    }
    return ends
  }

  private mutating func changes(
    _ node: JSONNode, _ templates: TemplateReader
  ) -> [HIDBehaviour.Change] {
    guard case .object(let members) = node.value, !members.isEmpty else {
      problems.unexpected("\"set\" as an object", node, help: "such as {\"mode\": 2}")
      return []
    }
    return members.compactMap { member in
      guard let kind = templates.states[member.key] else {
        addUnknownState(member, templates)
        return nil
      }
      return change(member.value, kind, templates).map { HIDBehaviour.Change(member.key, to: $0) }
    }
  }

  /// Adds the problem that a name in `set` is not that of a state.
  private mutating func addUnknownState(_ member: JSONMember, _ templates: TemplateReader) {
    let name = member.key
    if (try? templates.valueName(name, "")) != nil {
      return problems.add(
        "\(quoted(name)) is a control, and behaviours change states only", at: member.location,
        help: "declare a state, and use it in templates")
    }
    problems.add(
      "there is no state \(quoted(name))", at: member.location,
      help: isControlName(name)
        ? "declare it: \"state\": {\"\(name)\": {\"type\": \"u8\"}}"
        : "write the name of a state; all bytes of a state are set together")
  }

  private mutating func change(
    _ node: JSONNode, _ kind: HIDStateVariable.Kind, _ templates: TemplateReader
  ) -> HIDBehaviour.Change.Value? {
    if case .bytes(let count) = kind {
      return template(node, "the value", templates, within: count).map { .bytes($0) }
    }
    if case .string(let text) = node.value {
      if text.hasPrefix("+") || text.hasPrefix("-"), text.utf8.count <= 11,
        let step = Int64(text)
      {
        return .step(step)
      }
      if text.hasPrefix("${") {
        guard let template = template(node, "the value", templates, within: nil) else { return nil }
        if template.parts.count == 1, case .integer(let integer) = template.parts[0] {
          return .term(integer)
        }
        problems.add(
          "a state of type \"\(kind.name)\" holds one number, and \(quoted(text)) is not one",
          at: node.location, help: "such as \"${request[1]:u8}\"")
        return nil
      }
    }
    return integer(node, "the value", kind).map { .integer($0) }
  }
}
