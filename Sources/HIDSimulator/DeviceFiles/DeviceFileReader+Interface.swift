// SPDX-License-Identifier: Apache-2.0

internal import HIDBus
package import HIDReportDescriptor
internal import HIDText
import HIDTraces

extension DeviceFileReader {
  /// Reads the parts of an interface.
  ///
  /// The caller has checked that the object has no unknown keys.
  mutating func interface(
    _ node: JSONNode, _ load: Load, named name: String?
  ) -> HIDInterfaceDefinition? {
    guard let source = problems.required("reportDescriptor", of: node, "the interface"),
      let declared = reportDescriptor(source, load)
    else { return nil }
    let added = node["controls"].map { addedControls($0, declared) } ?? []
    let descriptor = declared.adding(added.map(\.field))
    var controls = node["controls"].map { self.controls($0, descriptor) } ?? [:]
    for (added, control) in zip(added, descriptor.addedControls) {
      controls[added.name] = descriptor.name(of: control)
    }
    let states = node["state"].map { self.states($0) } ?? []
    let names = BehaviourNames(
      descriptor: descriptor, controls: controls,
      states: Dictionary(states.map { ($0.name, $0.kind) }, uniquingKeysWith: { first, _ in first })
    )
    var interface = HIDInterfaceDefinition(
      name: name,
      descriptor: descriptor,
      initialReports: node["reports"].map { reports($0, descriptor) } ?? [],
      controls: controls,
      addedControls: added.map(\.name),
      states: states,
      stamps: node["reports"].map { stamps($0, names) } ?? [],
      anyLengthReports: node["reports"].map { anyLengthReports($0, descriptor) } ?? [],
      behaviours: node["behaviours"].map { behaviours($0, names) } ?? [],
      switches: node["switches"].map { switches($0, names) } ?? [],
      switchRepeats: node["switchRepeats"].map { switchRepeats($0, names) } ?? [],
      location: node.location)
    if let controls = node["controls"] {
      interface.alternatives = alternatives(of: added, controls, names)
    }
    if let nodes = node["nodes"] {
      let words = HIDDeviceNodes.allCases.map { ($0.rawValue, $0) }
      interface.nodes = problems.word(nodes, "value of \"nodes\"", words) ?? .any
    }
    if let usb = node["usb"] { interface.usb = usbInterfaceSettings(usb, descriptor) }
    return interface
  }

  private mutating func reports(
    _ node: JSONNode, _ descriptor: HIDReportDescriptor
  ) -> [HIDInitialReport] {
    var reports: [HIDInitialReport] = []
    for element in problems.elements(node, "the reports") ?? [] {
      guard problems.object(element, "a report", keys: Self.reportKeys) != nil,
        let typeNode = problems.required("type", of: element, "the report"),
        let type = reportType(typeNode),
        let (id, layout) = layout(type, element, at: typeNode, descriptor)
      else { continue }
      // `stamps` and `anyLengthReports` read these keys.
      let isSaid = element["stamp"] != nil || element["anyLength"] != nil
      if element["initial"] == nil, isSaid { continue }
      guard let initialNode = problems.required("initial", of: element, "the report"),
        isNoTemplate(initialNode, type),
        let payload = problems.bytes(initialNode, "the initial report"),
        let bytes = report(payload, layout, "the initial report", at: initialNode)
      else { continue }
      guard !reports.contains(where: { $0.type == type && $0.id == id }) else {
        problems.add(
          "\(describe(type, id)) is declared twice", at: element.location,
          help: "remove one of them")
        continue
      }
      reports.append(HIDInitialReport(type: type, id: id, bytes: bytes))
    }
    return reports
  }

  /// Returns whether an initial report has no template; adds a problem if it has one.
  private mutating func isNoTemplate(_ node: JSONNode, _ type: HIDReportType) -> Bool {
    guard case .string(let text) = node.value, text.contains("${") else { return true }
    problems.add(
      "\"initial\" takes bytes, and \(quoted(text)) is a template", at: node.location,
      help: type == .input
        ? "write the bytes, and in \"stamp\" the offset and the template of those that change"
        : "write the bytes, or answer {\"get\": \"\(type)\"} by a behaviour with \"reply\"")
    return false
  }

  private static let reportKeys = ["type", "id", "initial", "stamp", "anyLength"]

  /// Reads the reports with `"anyLength": true`, which the hardware takes in any length.
  private mutating func anyLengthReports(
    _ node: JSONNode, _ descriptor: HIDReportDescriptor
  ) -> [HIDReportName] {
    guard case .array(let elements) = node.value else { return [] }  // `reports` adds the problem
    return elements.compactMap { element in
      guard let anyLength = element["anyLength"], let typeNode = element["type"],
        let type = reportType(typeNode)
      else { return nil }
      guard type != .input else {
        problems.add(
          "\"anyLength\" is not allowed for an input report", at: anyLength.location,
          help: "only output and feature reports can arrive in any length")
        return nil
      }
      guard case .bool(true) = anyLength.value else {
        problems.unexpected("true", anyLength, help: "leave it out instead")
        return nil
      }
      return layout(type, element, at: typeNode, descriptor).map { HIDReportName(type, $0.0) }
    }
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
      guard checkName(of: member, "control") else { continue }
      if case .object = member.value.value { continue }
      guard case .string(let text) = member.value.value else {
        problems.unexpected(
          "the name of a usage as a string, or bits of a report as an object", member.value,
          help: "such as \"button 1\"")
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

  /// Returns whether the key of a member can name a control or switch; adds a problem if not.
  mutating func checkName(of member: JSONMember, _ kind: String) -> Bool {
    guard !isControlName(member.key) else { return true }
    problems.add(
      "\(quoted(member.key)) cannot name a \(kind)", at: member.location,
      help: "use letters, digits, \"-\", \"_\" and \".\", with a letter first")
    return false
  }

  func isControlName(_ name: String) -> Bool {
    guard let first = name.utf8.first, name.utf8.count <= 64 else { return false }
    func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    return isLetter(first)
      && name.utf8.allSatisfy {
        isLetter($0) || (0x30...0x39).contains($0) || [0x2D, 0x2E, 0x5F].contains($0)
      }
  }
}

// MARK: - Reports

extension DeviceFileReader {
  mutating func reportType(_ node: JSONNode) -> HIDReportType? {
    problems.word(node, "report type", HIDReportType.allCases.map { ("\($0)", $0) })
  }

  /// Finds the declared report with a type and with the ID in the key `id` of a node.
  ///
  /// A problem is added if the ID is not valid or there is no such report.
  mutating func layout(
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

  /// Returns a whole report: its ID, the given bytes, and zeros to the declared length.
  ///
  /// Bytes beyond the declared length are a problem.
  private mutating func report(
    _ payload: [UInt8], _ layout: HIDReportLayout, _ what: String, at node: JSONNode
  ) -> [UInt8]? {
    let declared = layout.payloadByteCount
    guard payload.count <= declared else {
      addTooLong(payload.count, layout, what, at: node, first: payload.first)
      return nil
    }
    let zeros = [UInt8](repeating: 0, count: declared - payload.count)
    return (layout.id.map { [$0.rawValue] } ?? []) + payload + zeros
  }

  /// Adds the problem that the number of bytes does not fit the report.
  ///
  /// - Parameter first: The first byte, which may be the ID by mistake.
  mutating func addTooLong(
    _ count: Int, _ layout: HIDReportLayout, _ what: String, at node: JSONNode, first: UInt8?,
    help: String? = nil
  ) {
    let declared = layout.payloadByteCount
    var help = help ?? "shorten it, or declare a longer report"
    if let id = layout.id, count == declared + 1, first == id.rawValue {
      help = "leave the ID out of the bytes: \"id\" gives it"
    }
    problems.add(
      "\(what) is \(count.counting("byte")) long, and \(layout.id == nil ? "the " : "")"
        + "\(describe(layout.type, layout.id)) is declared "
        + "with \(declared.counting("byte"))\(layout.id == nil ? "" : " after its ID")",
      at: node.location, help: help)
  }

  private func describe(_ type: HIDReportType, _ id: HIDReportID?) -> String {
    id.map { "\(type) report \($0)" } ?? "unnumbered \(type) report"
  }
}

extension HIDReportDescriptor {
  /// Returns the names of the controls for suggestions, at most 1,000.
  package func controlNames(_ types: [HIDReportType] = HIDReportType.allCases) -> [String] {
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
