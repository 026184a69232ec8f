// SPDX-License-Identifier: Apache-2.0

internal import HIDReportDescriptor
internal import HIDText
import HIDUsageNaming
internal import HIDWire

extension DeviceFileReader {
  /// Reads what an interface consists of; unknown keys have been found by the caller.
  mutating func interface(
    _ node: JSONNode, _ load: Load, named name: String?
  ) -> HIDInterfaceDefinition? {
    guard let source = problems.required("reportDescriptor", of: node, "the interface"),
      let descriptor = reportDescriptor(source, load)
    else { return nil }
    return HIDInterfaceDefinition(
      name: name,
      descriptor: descriptor,
      initialReports: node["reports"].map { reports($0, descriptor) } ?? [],
      controls: node["controls"].map { controls($0, descriptor) } ?? [:],
      behaviours: node["behaviours"].map { behaviours($0, descriptor) } ?? [],
      location: node.location)
  }

  private mutating func reports(
    _ node: JSONNode, _ descriptor: HIDReportDescriptor
  ) -> [HIDInitialReport] {
    var reports: [HIDInitialReport] = []
    for element in problems.elements(node, "the reports") ?? [] {
      guard problems.object(element, "a report", keys: ["type", "id", "initial"]) != nil,
        let typeNode = problems.required("type", of: element, "the report"),
        let type = reportType(typeNode),
        let initialNode = problems.required("initial", of: element, "the report"),
        let (id, layout) = layout(type, element, at: typeNode, descriptor),
        let payload = problems.bytes(initialNode, "the initial report"),
        let bytes = report(payload, layout, "the initial report", at: initialNode)
      else { continue }
      guard !reports.contains(where: { $0.type == type && $0.id == id }) else {
        problems.add(
          "\(describe(type, id)) is there twice", at: element.location,
          help: "remove one of them")
        continue
      }
      reports.append(HIDInitialReport(type: type, id: id, bytes: bytes))
    }
    return reports
  }

  private mutating func controls(
    _ node: JSONNode, _ descriptor: HIDReportDescriptor
  ) -> [String: String] {
    guard case .object(let members) = node.value else {
      problems.unexpected(
        "the controls as an object", node, help: "such as {\"south\": \"button 1\"}")
      return [:]
    }
    var controls: [String: String] = [:]
    for member in members {
      guard isControlName(member.key) else {
        problems.add(
          "\(quoted(member.key)) cannot name a control", at: member.location,
          help: "use letters, digits, \"-\", \"_\" and \".\", with a letter first")
        continue
      }
      guard case .string(let text) = member.value.value else {
        problems.unexpected(
          "the name of a usage as a string", member.value, help: "such as \"button 1\"")
        continue
      }
      guard descriptor.controls(named: text).isEmpty else {
        controls[member.key] = text
        continue
      }
      if let usage = HIDUsage(name: text), usage.usage != nil {
        problems.add(
          "the report descriptor has no control for \(quoted(text))", at: member.value.location)
      } else {
        let near = NameSuggestion.nearest(to: text, in: descriptor.controlNames())
        problems.add(
          "unknown usage \(quoted(text))", at: member.value.location,
          help: near.map { "did you mean \"\($0)\"?" }
            ?? "such as \"button 1\" or \"genericDesktop.x\"")
      }
    }
    return controls
  }

  private func isControlName(_ name: String) -> Bool {
    guard let first = name.utf8.first, name.utf8.count <= 64 else { return false }
    func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    return isLetter(first)
      && name.utf8.allSatisfy {
        isLetter($0) || (0x30...0x39).contains($0) || [0x2D, 0x2E, 0x5F].contains($0)
      }
  }
}

// MARK: - Behaviours

extension DeviceFileReader {
  private mutating func behaviours(
    _ node: JSONNode, _ descriptor: HIDReportDescriptor
  ) -> [HIDBehaviour] {
    var behaviours: [HIDBehaviour] = []
    for element in problems.elements(node, "the behaviours") ?? [] {
      guard
        problems.object(
          element, "a behaviour", keys: ["on", "reply", "error", "delay", "comment"]) != nil,
        let onNode = problems.required("on", of: element, "the behaviour"),
        let (trigger, layout) = trigger(onNode, descriptor)
      else { continue }
      guard let answer = answer(element, trigger, layout, descriptor) else { continue }
      let delay = element["delay"].flatMap { self.delay($0) } ?? .zero
      if answer == .usual, element["delay"] == nil {
        problems.add(
          "the behaviour does nothing", at: element.location,
          help: "add \"reply\": \"…\", \"error\": true or \"delay\": \"50ms\"")
      }
      guard !behaviours.contains(where: { $0.trigger == trigger }) else {
        problems.add(
          "a behaviour before this one is for the same request", at: onNode.location,
          help: "remove one of them")
        continue
      }
      behaviours.append(HIDBehaviour(trigger: trigger, answer: answer, delay: delay))
    }
    return behaviours
  }

  private mutating func trigger(
    _ node: JSONNode, _ descriptor: HIDReportDescriptor
  ) -> (HIDBehaviour.Trigger, HIDReportLayout?)? {
    guard let members = problems.object(node, "\"on\"", keys: ["get", "set", "output", "id"]) else {
      return nil
    }
    let kinds = members.filter { ["get", "set", "output"].contains($0.key) }
    guard let kind = kinds.first, kinds.count == 1 else {
      problems.add(
        "expected one of \"get\", \"set\" and \"output\", found \(kinds.isEmpty ? "none" : "several")",
        at: node.location, help: "such as {\"get\": \"feature\", \"id\": 3}")
      return nil
    }
    if kind.key == "output" { return outputTrigger(node, kind.value, descriptor) }
    guard let type = reportType(kind.value),
      let (id, layout) = layout(type, node, at: kind.value, descriptor)
    else { return nil }
    return (kind.key == "get" ? .get(type, id) : .set(type, id), layout)
  }

  /// Reads `{"output": "any"}`, `{"output": "01 10"}` or `{"output": "10", "id": 1}`.
  private mutating func outputTrigger(
    _ node: JSONNode, _ value: JSONNode, _ descriptor: HIDReportDescriptor
  ) -> (HIDBehaviour.Trigger, HIDReportLayout?)? {
    guard !descriptor.reports(of: .output).isEmpty else {
      problems.add("the report descriptor declares no output report", at: value.location)
      return nil
    }
    if value.value == .string("any") {
      if let id = node["id"] {
        problems.add(
          "\"any\" output report has no ID", at: id.location, help: "remove \"id\"")
        return nil
      }
      return (.output(nil), nil)
    }
    guard let payload = problems.bytes(value, "the output report") else { return nil }
    guard node["id"] != nil || !descriptor.numbersReports(.output) else {
      problems.add(
        "the device numbers its output reports, and no \"id\" says which is meant",
        at: value.location, help: "add \"id\": …")
      return nil
    }
    guard let (_, layout) = layout(.output, node, at: value, descriptor),
      let bytes = report(payload, layout, "the output report", at: value, isExact: true)
    else { return nil }
    return (.output(bytes), layout)
  }

  private mutating func answer(
    _ node: JSONNode, _ trigger: HIDBehaviour.Trigger, _ layout: HIDReportLayout?,
    _ descriptor: HIDReportDescriptor
  ) -> HIDBehaviour.Answer? {
    if let error = node["error"] {
      guard case .bool(true) = error.value else {
        problems.unexpected("true", error, help: "leave \"error\" out where there is none")
        return nil
      }
      if let reply = node["reply"] {
        problems.add(
          "\"reply\" stands beside \"error\"", at: reply.location, help: "remove one of them")
        return nil
      }
      if case .output = trigger {
        problems.add(
          "an output report is not answered, so not with an error either", at: error.location,
          help: "did you mean \"on\": {\"set\": \"output\"}?")
        return nil
      }
      return .error
    }
    guard let reply = node["reply"] else { return .usual }
    guard let bytes = problems.bytes(reply, "the reply") else { return nil }
    switch trigger {
    case .set:
      problems.add(
        "a set request is answered without bytes", at: reply.location,
        help: "remove \"reply\"; \"error\": true refuses the request")
      return nil
    case .get:
      guard let layout, let whole = report(bytes, layout, "the reply", at: reply) else {
        return nil
      }
      return .reply(whole)
    case .output: return inputReply(bytes, at: reply, descriptor).map { .reply($0) }
    }
  }

  /// Checks the input report that answers an output report; no ID stands beside it, so it is first in it.
  private mutating func inputReply(
    _ bytes: [UInt8], at node: JSONNode, _ descriptor: HIDReportDescriptor
  ) -> [UInt8]? {
    var id: HIDReportID?
    if descriptor.numbersReports(.input) {
      guard let first = bytes.first, let number = HIDReportID(rawValue: first) else {
        problems.add(
          "the reply to an output report is an input report, and begins with its ID",
          at: node.location)
        return nil
      }
      id = number
    }
    guard let layout = descriptor.report(.input, id: id) else {
      problems.add(
        "the report descriptor declares no \(describe(.input, id))", at: node.location)
      return nil
    }
    return report(Array(bytes.dropFirst(layout.payloadOffset)), layout, "the reply", at: node)
  }

  private mutating func delay(_ node: JSONNode) -> Duration? {
    guard case .string(let text) = node.value, let duration = HIDScriptWords.duration(text),
      duration <= .seconds(60)
    else {
      problems.unexpected(
        "a delay of at most 60s as a string", node, help: "such as \"50ms\"")
      return nil
    }
    return duration
  }
}

// MARK: - Reports

extension DeviceFileReader {
  private mutating func reportType(_ node: JSONNode) -> HIDReportType? {
    problems.word(node, "report type", HIDReportType.allCases.map { ("\($0)", $0) })
  }

  /// Finds the declared report that a type and the key `id` of a node name.
  private mutating func layout(
    _ type: HIDReportType, _ node: JSONNode, at place: JSONNode, _ descriptor: HIDReportDescriptor
  ) -> (HIDReportID?, HIDReportLayout)? {
    var id: HIDReportID?
    if let idNode = node["id"] {
      guard let number = problems.integer(idNode, "the report ID", in: 1...255) else { return nil }
      id = HIDReportID(rawValue: UInt8(truncatingIfNeeded: number))
    }
    if let layout = descriptor.report(type, id: id) { return (id, layout) }
    let declared = descriptor.reports(of: type).map { describe(type, $0.id) }
    let list = declared.isEmpty ? "no \(type) report at all" : declared.joined(separator: ", ")
    problems.add(
      "the report descriptor declares no \(describe(type, id))",
      at: (node["id"] ?? place).location, help: "it declares \(list)")
    return nil
  }

  /// A report on the wire from the bytes that stand beside its ID.
  ///
  /// - Parameter isExact: Whether too few bytes are an error; otherwise zeros follow.
  private mutating func report(
    _ payload: [UInt8], _ layout: HIDReportLayout, _ what: String, at node: JSONNode,
    isExact: Bool = false
  ) -> [UInt8]? {
    let declared = layout.payloadByteCount
    guard payload.count <= declared, !isExact || payload.count == declared else {
      var help = "shorten it, or declare a longer report"
      if payload.count < declared { help = "all bytes are compared: write all of them" }
      if let id = layout.id, payload.count == declared + 1, payload.first == id.rawValue {
        help = "leave the ID out of the bytes: \"id\" says it"
      }
      problems.add(
        "\(what) is \(payload.count.counting("byte")) long, and \(layout.id == nil ? "the " : "")"
          + "\(describe(layout.type, layout.id)) is declared "
          + "with \(declared.counting("byte"))\(layout.id == nil ? "" : " after its ID")",
        at: node.location,
        help: help)
      return nil
    }
    let zeros = [UInt8](repeating: 0, count: declared - payload.count)
    return (layout.id.map { [$0.rawValue] } ?? []) + payload + zeros
  }

  private func describe(_ type: HIDReportType, _ id: HIDReportID?) -> String {
    id.map { "\(type) report \($0)" } ?? "un-numbered \(type) report"
  }
}

extension HIDReportDescriptor {
  /// The names of the controls, for suggestions: at most a thousand.
  func controlNames(_ types: [HIDReportType] = HIDReportType.allCases) -> [String] {
    var names: [String] = []
    for report in reports where types.contains(report.type) {
      for control in report.controls {
        guard names.count < 1000 else { return names }
        names.append(control.usage.name)
      }
    }
    return names
  }
}
