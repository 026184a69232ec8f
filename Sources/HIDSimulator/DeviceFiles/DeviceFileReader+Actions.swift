// SPDX-License-Identifier: Apache-2.0

internal import HIDBus
internal import HIDReportDescriptor
internal import HIDText
import HIDTraces

// The actions of a behaviour: answers, input reports, delays.
extension DeviceFileReader {
  /// The maximum number of input reports that one behaviour sends.
  static let maximumSendingCount = 64

  mutating func answer(
    _ node: JSONNode, _ trigger: HIDBehaviour.Trigger, _ layout: HIDReportLayout?,
    _ templates: TemplateReader
  ) -> HIDBehaviour.Answer? {
    // "noAnswer" is the name of "none" in version 0.1.
    let given = ["reply", "error", "none", "noAnswer"]
      .compactMap { key in node[key].map { (key, $0) } }
      .sorted { $0.1.location < $1.1.location }
    guard let (key, value) = given.first else {
      if let exact = node["exact"] {
        problems.add(
          "\"exact\" is allowed only beside a reply", at: exact.location,
          help: "add \"reply\": \"…\"")
      }
      return .usual
    }
    if given.count > 1 {
      problems.add(
        "\(quoted(given[1].0)) cannot be combined with \(quoted(key))", at: given[1].1.location,
        help: "remove one of them")
      return nil
    }
    guard trigger.isRequest else {
      var help = "only \"get\" and \"set\" are answered"
      if key == "reply" { help = "did you mean \"send\", which sends an input report?" }
      var reason = "the host waits for no answer"
      if case .output(_, let route) = trigger, key != "reply" {
        if route != .output { reason = "a trigger \"output\" does not choose the answer" }
        help = "did you mean \"on\": {\"set\": \"output\"}?"
      }
      problems.add(
        "\(quoted(key)) is not allowed here: \(reason)", at: value.location, help: help)
      return nil
    }
    guard key == "reply" else {
      if let exact = node["exact"] {
        problems.add(
          "\"exact\" is allowed only beside a reply", at: exact.location, help: "remove it")
      }
      guard isTrue(value, key) else { return nil }
      return key == "error" ? .error : HIDBehaviour.Answer.none
    }
    if case .set = trigger {
      problems.add(
        "\"reply\" is not allowed here: the answer to a set request has no bytes",
        at: value.location,
        help: "remove \"reply\"; \"error\": true refuses the request")
      return nil
    }
    if let exact = node["exact"] {
      guard isTrue(exact, "exact") else { return nil }
      return template(
        value, "the reply", templates, within: HIDReportDescriptor.uhidMaximumReportByteCount
      ).map { .exactReply($0) }
    }
    guard let layout else { return nil }
    return payload(value, layout, "the reply", templates).map { .reply($0) }
  }

  mutating func isTrue(_ node: JSONNode, _ key: String) -> Bool {
    if case .bool(true) = node.value { return true }
    problems.unexpected("true", node, help: "leave \(quoted(key)) out instead")
    return false
  }

  // MARK: Input reports

  mutating func sendings(
    _ node: JSONNode, _ descriptor: HIDReportDescriptor, _ templates: TemplateReader
  ) -> [HIDBehaviour.Sending] {
    guard case .array(let elements) = node.value, !elements.allSatisfy(\.isNumber) else {
      return sending(node, descriptor, templates).map { [$0] } ?? []
    }
    guard elements.count <= Self.maximumSendingCount else {
      problems.add(
        "the behaviour sends \(elements.count) reports, and the limit is \(Self.maximumSendingCount)",
        at: node.location)
      return []
    }
    return elements.compactMap { sending($0, descriptor, templates) }
  }

  private mutating func sending(
    _ node: JSONNode, _ descriptor: HIDReportDescriptor, _ templates: TemplateReader
  ) -> HIDBehaviour.Sending? {
    guard case .object = node.value else {
      guard !descriptor.numbersReports(.input) else {
        problems.add(
          "the device numbers its input reports: expected an \"id\"",
          at: node.location, help: "such as \"send\": {\"id\": 1, \"bytes\": \"00\"}")
        return nil
      }
      guard let (_, layout) = layout(.input, node, at: node, descriptor) else { return nil }
      return payload(node, layout, "the report", templates).map {
        HIDBehaviour.Sending(id: nil, bytes: $0)
      }
    }
    guard problems.object(node, "a report to send", keys: ["id", "bytes", "after"]) != nil,
      let (id, layout) = layout(.input, node, at: node, descriptor)
    else { return nil }
    var template: HIDReportTemplate?
    if let bytes = node["bytes"] {
      template = payload(bytes, layout, "the report", templates)
      guard template != nil else { return nil }
    }
    let pause = node["after"].flatMap { delay($0, "a delay", within: .zero ... .seconds(60)) }
    return HIDBehaviour.Sending(id: id, bytes: template, after: pause ?? .zero)
  }

  /// Reads the bytes of a report after its ID.
  ///
  /// A payload that is longer than declared is a problem.
  private mutating func payload(
    _ node: JSONNode, _ layout: HIDReportLayout, _ what: String, _ templates: TemplateReader
  ) -> HIDReportTemplate? {
    guard let template = template(node, what, templates, within: nil) else { return nil }
    let count = template.minimumByteCount
    guard count <= layout.payloadByteCount else {
      addTooLong(count, layout, what, at: node, first: template.firstByte)
      return nil
    }
    return template
  }

  /// Reads a template, or an array of bytes.
  mutating func template(
    _ node: JSONNode, _ what: String, _ templates: TemplateReader, within limit: Int?
  ) -> HIDReportTemplate? {
    let template: HIDReportTemplate
    if case .string(let text) = node.value {
      do throws(TemplateReader.Problem) {
        template = try templates.template(text, what)
      } catch {
        problems.add(error.message, at: node.location, help: error.help)
        return nil
      }
    } else {
      guard let bytes = problems.bytes(node, what) else { return nil }
      template = HIDReportTemplate(bytes)
    }
    if let limit, template.minimumByteCount > limit {
      problems.add(
        "\(what) is \(template.minimumByteCount.counting("byte")) long, and the limit is \(limit)",
        at: node.location, help: "shorten it")
      return nil
    }
    return template
  }

  // MARK: Times

  mutating func detachment(_ node: JSONNode) -> HIDBehaviour.Detachment? {
    if case .bool(true) = node.value { return HIDBehaviour.Detachment() }
    guard case .string = node.value else {
      problems.unexpected(
        "true, or the time after which the device is plugged again", node,
        help: "such as \"500ms\"")
      return nil
    }
    return delay(node, "a time", within: .milliseconds(1) ... .seconds(3600)).map {
      HIDBehaviour.Detachment(pause: $0)
    }
  }

  mutating func delay(
    _ node: JSONNode, _ what: String, within range: ClosedRange<Duration>
  ) -> Duration? {
    guard case .string(let text) = node.value,
      let duration = NumberText.duration(text),
      range.contains(duration)
    else {
      let bounds =
        range.lowerBound == .zero
        ? "of at most \(range.upperBound.text)"
        : "from \(range.lowerBound.text) to \(range.upperBound.text)"
      problems.unexpected("\(what) \(bounds) as a string", node, help: "such as \"50ms\"")
      return nil
    }
    return duration
  }
}

extension JSONNode {
  fileprivate var isNumber: Bool {
    switch value {
    case .integer, .number: true
    case .null, .bool, .string, .array, .object: false
    }
  }
}

extension HIDReportTemplate {
  /// The first byte; `nil` if the template does not begin with known bytes.
  fileprivate var firstByte: UInt8? {
    if case .bytes(let bytes) = parts.first { bytes.first } else { nil }
  }
}
