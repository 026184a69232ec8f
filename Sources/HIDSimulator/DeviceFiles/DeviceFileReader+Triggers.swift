// SPDX-License-Identifier: Apache-2.0

internal import HIDBus
internal import HIDReportDescriptor
internal import HIDText
import HIDTraces

extension DeviceFileReader {
  private static let events: [(String, HIDBehaviour.Trigger)] =
    [.plug, .open, .close].map { ($0.word, $0) }

  /// Reads the trigger of a behaviour, and finds the layout of the report that a request names.
  ///
  /// The layout is `nil` if the trigger is not a request.
  mutating func trigger(
    _ node: JSONNode, _ descriptor: HIDReportDescriptor
  ) -> (HIDBehaviour.Trigger, HIDReportLayout?)? {
    if case .string = node.value {
      return problems.word(node, "event", Self.events).map { ($0, nil) }
    }
    guard
      let members = problems.object(
        node, "\"on\"", keys: ["get", "set", "output", "timer", "usb", "id", "bytes", "by"])
    else { return nil }
    let kinds = members.filter { ["get", "set", "output", "timer", "usb"].contains($0.key) }
    guard let kind = kinds.first, kinds.count == 1 else {
      problems.add(
        "expected one of \"get\", \"set\", \"output\", \"timer\" and \"usb\", found "
          + (kinds.isEmpty ? "none" : "several"), at: node.location,
        help: "such as {\"get\": \"feature\", \"id\": 3}, or \"open\", \"close\", \"plug\"")
      return nil
    }
    if kind.key != "set", let bytes = node["bytes"] {
      problems.add(
        "\"bytes\" cannot be combined with \(quoted(kind.key))", at: bytes.location,
        help: kind.key == "output" ? "write the bytes as the value of \"output\"" : "remove it")
      return nil
    }
    if kind.key != "output", let route = node["by"] {
      problems.add(
        "\"by\" cannot be combined with \(quoted(kind.key))", at: route.location,
        help: "remove it")
      return nil
    }
    switch kind.key {
    case "output": return outputTrigger(node, kind.value, descriptor).map { ($0, nil) }
    case "timer", "usb":
      if let id = node["id"] {
        let problem = kind.key == "timer" ? "a timer has no ID" : "\"usb\" takes no \"id\""
        problems.add(problem, at: id.location, help: "remove \"id\"")
        return nil
      }
      guard kind.key == "timer" else { return usbTrigger(kind.value).map { (.usb($0), nil) } }
      return delay(kind.value, "a period", within: .milliseconds(1) ... .seconds(3600)).map {
        (.timer($0), nil)
      }
    default: return requestTrigger(node, kind, descriptor)
    }
  }

  /// Reads the event of a USB host, as a script writes it: `"protocol boot"`.
  private mutating func usbTrigger(_ node: JSONNode) -> USBEventPattern? {
    let names = USBHostEvent.Name.allCases
    guard case .string(let text) = node.value else {
      problems.add(
        "expected an event of a USB host, found \(node.found)", at: node.location,
        help: "such as \"protocol boot\"")
      return nil
    }
    let words = text.split(separator: " ", maxSplits: 1).map(String.init)
    guard let name = words.first.flatMap(USBHostEvent.Name.init(rawValue:)) else {
      problems.add(
        "expected an event of a USB host, found \(quoted(text))", at: node.location,
        help: "begin it with \(names.map(\.rawValue).joined(separator: ", "))")
      return nil
    }
    guard words.count > 1 else { return USBEventPattern(name) }
    guard words.count == 2, let value = name.value(words[1]) else {
      problems.add(
        "expected \(name.valueForm ?? "nothing") after \"\(name)\", found \(quoted(text))",
        at: node.location)
      return nil
    }
    return USBEventPattern(name, value)
  }

  private mutating func requestTrigger(
    _ node: JSONNode, _ kind: JSONMember, _ descriptor: HIDReportDescriptor
  ) -> (HIDBehaviour.Trigger, HIDReportLayout?)? {
    guard let type = reportType(kind.value),
      let (id, layout) = layout(type, node, at: kind.value, descriptor)
    else { return nil }
    guard kind.key == "set" else { return (.get(type, id), layout) }
    guard let bytes = node["bytes"] else { return (.set(type, id, nil), layout) }
    return pattern(bytes, layout, "the report that is set").map { (.set(type, id, $0), layout) }
  }

  /// Reads `{"output": "any"}`, `{"output": "01 10", "by": "set"}` or
  /// `{"output": "10 ??  ...", "id": 1}`.
  private mutating func outputTrigger(
    _ node: JSONNode, _ value: JSONNode, _ descriptor: HIDReportDescriptor
  ) -> HIDBehaviour.Trigger? {
    guard !descriptor.reports(of: .output).isEmpty else {
      problems.add("the report descriptor declares no output report", at: value.location)
      return nil
    }
    var route: HIDOutputRoute?
    if let by = node["by"] {
      let routes = HIDOutputRoute.allCases.map { ($0.rawValue, $0) }
      guard let found = problems.word(by, "route of output reports", routes) else { return nil }
      route = found
    }
    if value.value == .string("any") {
      guard let id = node["id"] else { return .output(nil, by: route) }
      problems.add(
        "\"id\" cannot be combined with \"output\": \"any\"", at: id.location,
        help: "remove \"id\"; for any report of one ID write \"...\" instead of \"any\"")
      return nil
    }
    guard node["id"] != nil || !descriptor.numbersReports(.output) else {
      problems.add(
        "the device numbers its output reports: expected an \"id\"",
        at: value.location, help: "add \"id\": …")
      return nil
    }
    guard let (_, layout) = layout(.output, node, at: value, descriptor) else { return nil }
    return pattern(value, layout, "the output report").map { .output($0, by: route) }
  }

  /// Reads the pattern of the bytes after a report's ID, and puts the ID in front of it.
  mutating func pattern(
    _ node: JSONNode, _ layout: HIDReportLayout, _ what: String
  ) -> HIDBytePattern? {
    var pattern: HIDBytePattern
    if case .string(let text) = node.value {
      do throws(TemplateReader.Problem) {
        pattern = try TemplateReader.pattern(text, what)
      } catch {
        problems.add(error.message, at: node.location, help: error.help)
        return nil
      }
    } else {
      guard let bytes = problems.bytes(node, what) else { return nil }
      pattern = HIDBytePattern(bytes.map { $0 })
    }
    let declared = layout.payloadByteCount
    let count = pattern.bytes.count
    guard count <= declared, pattern.isPrefix || count == declared else {
      let isShort = count < declared
      addTooLong(
        count, layout, what, at: node,
        first: pattern.bytes.first.flatMap { $0.mask == 0xFF ? $0.value : nil },
        help: isShort ? "all bytes are compared: write all of them, or \"...\" at the end" : nil)
      return nil
    }
    if let id = layout.id { pattern.bytes.insert(.init(id.rawValue), at: 0) }
    return pattern
  }
}
