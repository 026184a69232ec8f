// SPDX-License-Identifier: Apache-2.0

internal import HIDBus
internal import HIDReportDescriptor
import HIDSimulator
internal import HIDText

/// The commands `host`, `link` and `answer`, and the patterns of host events.
extension HIDScriptCommandParser {
  @Sendable static func host(
    _ words: inout HIDScriptWords
  ) throws(HIDTextProblem) -> HIDScript.Command {
    enum Verb { case set, get, expect, send }
    switch try words.keyword(
      "\"set\", \"get\", \"send\" or \"expect\"",
      [("set", Verb.set), ("get", .get), ("send", .send), ("expect", .expect)])
    {
    case .send:
      let type = try words.keyword("\"output\"", [("output", HIDReportType.output)])
      let (report, bytes) = try wholeReport(type, &words)
      return .hostSend(report, bytes)
    case .set:
      // A control can have the name of a report type. The words after the name decide between the
      // two.
      if words.beginsReport(reportTypes.map(\.0)) {
        let type = try words.keyword("the type of a report", reportTypes)
        let (report, bytes) = try wholeReport(type, &words)
        if type == .output, words.peek?.text == "error" {
          throw words.unexpected("the end of the command", help: "output reports have no answer")
        }
        return .hostSetReport(report, bytes, expectsError: words.take("error"))
      }
      return .hostSet(
        try words.control("a control, such as led.capsLock"), try words.value())
    case .get:
      let type = try words.keyword("the type of a report", reportTypes)
      let id = try words.reportID()
      let report = HIDScript.Report(type: type, id: id)
      if words.take("error") { return .hostGet(report, expecting: .error) }
      guard words.take("bytes") else { return .hostGet(report, expecting: nil) }
      return .hostGet(report, expecting: .bytes(try words.pattern(after: id)))
    case .expect:
      let control = try words.control("a control")
      let value = try words.value()
      return .hostExpect(control, value, within: words.peek == nil ? nil : try words.bound())
    }
  }

  private static func wholeReport(
    _ type: HIDReportType, _ words: inout HIDScriptWords
  ) throws(HIDTextProblem) -> (HIDScript.Report, [UInt8]) {
    let id = try words.reportID()
    guard words.take("bytes") else {
      throw words.unexpected("\"bytes\"", help: "such as host send output 2 bytes 00 01")
    }
    return (HIDScript.Report(type: type, id: id), prefix(id) + (try words.bytes()))
  }

  /// Reads an action on the command link, over which clients drive a device such as an InputStick:
  /// `link drop 2`.
  @Sendable static func link(
    _ words: inout HIDScriptWords
  ) throws(HIDTextProblem) -> HIDScript.Command {
    enum Word {
      case counted((Int) -> HIDLinkAction)
      case delay
      case plain(HIDLinkAction)
    }
    let word = try words.keyword(
      "what happens to the link",
      [
        ("drop", Word.counted { .drop($0) }), ("corrupt", .counted { .corrupt($0) }),
        ("truncate", .counted { .truncate($0) }),
        ("overflow", .counted { .overflow($0) }), ("delay", .delay), ("cut", .plain(.disconnect)),
        ("reset", .plain(.reset)), ("watchdog", .plain(.watchdog)), ("suspend", .plain(.suspend)),
        ("resume", .plain(.resume)),
      ])
    switch word {
    case .plain(let action): return .link(action)
    case .delay: return .link(.delay(try words.duration(upTo: .seconds(60))))
    case .counted(let action):
      let location = words.peek?.location ?? .start
      let count = try words.integer("a number of packets", help: "such as link drop 2")
      guard count >= 0 else {
        throw words.problem("expected a number of packets from 0, found \(count)", at: location)
      }
      return .link(action(count))
    }
  }

  @Sendable static func answer(
    _ words: inout HIDScriptWords
  ) throws(HIDTextProblem) -> HIDScript.Command {
    enum Use { case once, always, usually }
    let use: Use
    do throws(HIDTextProblem) {
      use = try words.keyword(
        "\"once\", \"always\" or \"usually\"",
        [("once", .once), ("always", .always), ("usually", .usually)])
    } catch {
      throw words.problem(
        error.message, at: error.location, help: "such as answer once get feature 3 with error")
    }
    let kind = try words.keyword(
      "\"get\" or \"set\"", HIDReportRequest.Kind.allCases.map { ($0.rawValue, $0) })
    let type = try words.keyword("the type of a report", reportTypes)
    let id = try words.reportID()
    let request = HIDReportRequest(kind, type, id)
    if use == .usually { return .answerUsually(request) }
    guard words.take("with") else {
      throw words.unexpected("\"with\" and the answer", help: "such as with error, or with 00 01")
    }
    let answer = try answer(to: request, &words)
    var delay = Duration.zero
    if answer != .none, words.take("after") { delay = try words.duration(upTo: .seconds(60)) }
    return use == .once
      ? .answerOnce(request, with: answer, after: delay)
      : .answerAlways(request, with: answer, after: delay)
  }

  private static func answer(
    to request: HIDReportRequest, _ words: inout HIDScriptWords
  ) throws(HIDTextProblem) -> HIDRequestAnswer {
    if words.take("error") { return .error }
    // "nothing" is the name of "none" in version 0.1.
    if words.take("none") || words.take("nothing") { return .none }
    guard request.kind == .set else {
      return .report(HIDReportBytes(prefix(request.id) + (try words.bytes())))
    }
    if words.take("success") { return .acknowledged }
    throw words.unexpected(
      "\"error\", \"success\" or \"none\"", help: "the answer to a set request has no bytes")
  }

  static func hostEvent(
    _ words: inout HIDScriptWords
  ) throws(HIDTextProblem) -> HIDScript.HostEventPattern {
    let name = try words.keyword("an event", HIDScript.hostEvents.map { ($0.word, $0) })
    if name == .opened || name == .closed {
      return HIDScript.HostEventPattern(name: name, type: nil, id: nil, bytes: nil)
    }
    if name == .packet { return try packet(&words) }
    if name == .usb { return try usb(&words) }
    var type: HIDReportType? = name == .output ? .output : nil
    if name != .output, let token = words.peek,
      let named = reportTypes.first(where: { $0.0 == token.text })
    {
      _ = try words.next("a type")
      type = named.1
    }
    let id = try words.reportID()
    var route: HIDOutputRoute?
    if name == .output, words.take("by") {
      route = try words.keyword(
        "\"output\" or \"set\"", HIDOutputRoute.allCases.map { ($0.rawValue, $0) })
    }
    var bytes: HIDBytePattern?
    if words.take("bytes") {
      if name == .get {
        throw words.problem(
          "a get request carries no bytes", at: words.peek?.location ?? .start,
          help: "remove \"bytes\"")
      }
      bytes = try words.pattern(after: id)
    }
    var pattern = HIDScript.HostEventPattern(name: name, type: type, id: id, bytes: bytes)
    pattern.route = route
    return pattern
  }

  /// Reads the pattern of a packet on the command link: `packet received bytes 2c 01 …`.
  private static func packet(
    _ words: inout HIDScriptWords
  ) throws(HIDTextProblem) -> HIDScript.HostEventPattern {
    var pattern = HIDScript.HostEventPattern(name: .packet, type: nil, id: nil, bytes: nil)
    pattern.direction = HIDLinkPacket.Direction.allCases.first { words.take($0.rawValue) }
    if words.take("bytes") { pattern.bytes = try words.pattern(after: nil) }
    return pattern
  }

  /// Reads the pattern of an event of a USB host: `usb protocol boot`.
  private static func usb(
    _ words: inout HIDScriptWords
  ) throws(HIDTextProblem) -> HIDScript.HostEventPattern {
    let name = try words.keyword(
      "an event of a USB host", USBHostEvent.Name.allCases.map { ($0.rawValue, $0) })
    var pattern = HIDScript.HostEventPattern(name: .usb, type: nil, id: nil, bytes: nil)
    pattern.usb = USBEventPattern(name)
    guard let form = name.valueForm, let token = words.peek,
      !["within", "for"].contains(token.text)
    else { return pattern }
    if name == .request {
      pattern.usb?.value = .bytes(try words.pattern(after: nil))
      return pattern
    }
    guard token.kind == .word, let value = name.value(token.text) else {
      throw words.unexpected(form)
    }
    _ = try words.next(form)
    pattern.usb?.value = value
    return pattern
  }

  /// Returns the ID as the first byte of a report; nothing for an unnumbered report.
  static func prefix(_ id: HIDReportID?) -> [UInt8] { id.map { [$0.rawValue] } ?? [] }

  static let reportTypes: [(String, HIDReportType)] = [
    ("input", .input), ("output", .output), ("feature", .feature),
  ]
}
