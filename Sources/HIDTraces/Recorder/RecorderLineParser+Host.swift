// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDText

/// The `#!` lines: the events of the host, and data for which hid-recorder has no lines.
extension RecorderLineParser {
  /// The version of the `#!` lines that is read and written.
  static let version = 1

  mutating func parseComment(_ words: inout WordScanner) -> RecorderLine? {
    guard words.text.dropFirst().first == 0x21 else { return nil }
    words.skip(2)
    guard hasVersion else { return parseVersion(&words) }
    guard let word = words.next() else { return nil }
    let text = String(decoding: word.text.prefix(20), as: UTF8.self)
    switch text {
    // A second version line occurs if recordings were concatenated.
    case "hidsim": return nil
    case "unidentified":
      expectEnd(&words)
      return .unidentified
    case "serial":
      let text = parseText(&words)
      return isUnfinished && text.isEmpty ? nil : .serialNumber(text)
    case "version": return parseVersionNumber(&words)
    case "report": return parseInitialReport(&words)
    default:
      break
    }
    switch HIDEventName(word: text) {
    case .output:
      return parseEvent(&words) { parser, words in
        parser.parseReportBytes(&words).map { .output($0) }
      }
    case .get: return parseEvent(&words) { $0.parseGet(&$1) }
    case .set: return parseEvent(&words) { $0.parseSet(&$1) }
    case .opened: return parseEvent(&words) { _, _ in .opened }
    case .closed: return parseEvent(&words) { _, _ in .closed }
    case .plugged: return parseEvent(&words) { _, _ in .plugged }
    case .unplugged: return parseEvent(&words) { _, _ in .unplugged }
    case .lost:
      return parseEvent(&words) { parser, words in
        parser.parseNumber(&words, "number of reports", to: 1 << 40).map { .lost(Int($0)) }
      }
    case .packet: return parseEvent(&words) { $0.parsePacket(&$1) }
    default:
      problems.warn(
        "unknown #! line \(word.quoted); line ignored", at: word.column)
      return nil
    }
  }

  /// Reads `#! hidsim trace 1`; nil for another line.
  ///
  /// Earlier `#!` lines can come from any program and are ignored. Another version is a problem.
  private mutating func parseVersion(_ words: inout WordScanner) -> RecorderLine? {
    guard let first = words.next(), first.is("hidsim"), let second = words.next(),
      second.is("trace")
    else { return nil }
    guard let number = parseNumber(&words, "version of #! lines", to: 1 << 16) else { return nil }
    guard number == Self.version else {
      problems.fail(
        "the #! lines are of version \(number); this hidsim reads version \(Self.version)",
        at: first.column,
        help: "use a newer hidsim, or remove this line to ignore them")
      return nil
    }
    hasVersion = true
    return .version
  }

  private mutating func parseVersionNumber(_ words: inout WordScanner) -> RecorderLine? {
    let help = "write 1.10 as 0110"
    guard let word = words.next() else {
      problems.fail(
        "expected a release number in hexadecimal, found the end of the line", at: words.column,
        help: help)
      return nil
    }
    guard let number = word.text.hexadecimal else {
      problems.fail(
        "expected a release number in hexadecimal, found \(word.quoted)", at: word.column,
        help: help)
      return nil
    }
    expectWhole(word, words)
    expectEnd(&words)
    return .versionNumber(number)
  }

  private mutating func parseInitialReport(_ words: inout WordScanner) -> RecorderLine? {
    guard let (type, id) = parseName(&words), let report = parseReportBytes(&words) else {
      return nil
    }
    return .report(HIDTraceInitialReport(type: type, id: id, bytes: report))
  }

  private mutating func parseEvent(
    _ words: inout WordScanner,
    _ kind: (inout Self, inout WordScanner) -> HIDTraceEvent.Kind?
  ) -> RecorderLine? {
    guard let time = parseStamp(&words), let kind = kind(&self, &words) else { return nil }
    expectEnd(&words)
    return .event(microseconds: time, kind)
  }

  private mutating func parsePacket(_ words: inout WordScanner) -> HIDTraceEvent.Kind? {
    let names = HIDTracePacket.Direction.allCases.map(\.rawValue)
    guard let word = parseWord(&words, names),
      let direction = HIDTracePacket.Direction(rawValue: word)
    else { return nil }
    var rest = words
    let isUnread = rest.next()?.is("unread") == true
    if isUnread { words = rest }
    return parseReportBytes(&words).map {
      .packet(HIDTracePacket(direction, isReadable: !isUnread, bytes: $0))
    }
  }

  // MARK: Requests

  private mutating func parseGet(_ words: inout WordScanner) -> HIDTraceEvent.Kind? {
    guard let (type, id, latency) = parseRequest(&words),
      let answer = parseWord(&words, ["report", "refused", "none"])
    else { return nil }
    func get(_ answer: HIDRequestAnswer) -> HIDTraceEvent.Kind {
      .getReport(HIDTraceGet(type: type, id: id, answer: answer, latency: latency))
    }
    switch answer {
    case "report": return parseReportBytes(&words).map { get(.report($0)) }
    case "refused": return get(.error)
    default: return get(.none)
    }
  }

  private mutating func parseSet(_ words: inout WordScanner) -> HIDTraceEvent.Kind? {
    guard let (type, id, latency) = parseRequest(&words),
      let word = parseWord(&words, ["accepted", "refused", "none"]),
      let report = parseReportBytes(&words)
    else { return nil }
    let answer: HIDRequestAnswer =
      word == "accepted" ? .acknowledged : word == "refused" ? .error : .none
    return .setReport(
      HIDTraceSet(type: type, id: id, report: report, answer: answer, latency: latency))
  }

  /// Reads the type and ID of a report, and the time that the host waited; nil after a problem.
  private mutating func parseRequest(
    _ words: inout WordScanner
  ) -> (HIDReportType, HIDReportID?, Int64)? {
    guard let (type, id) = parseName(&words),
      let latency = parseNumber(&words, "latency in microseconds", to: 1 << 50)
    else { return nil }
    return (type, id, latency)
  }

  /// Reads the type and ID of a report; nil after a problem.
  private mutating func parseName(_ words: inout WordScanner) -> (HIDReportType, HIDReportID?)? {
    guard let type = parseWord(&words, ["input", "output", "feature"]) else { return nil }
    guard let word = words.next() else {
      problems.fail("expected a report ID or -, found the end of the line", at: words.column)
      return nil
    }
    let number = word.text.decimal.flatMap { UInt8(exactly: $0) }
    let id = number.flatMap { HIDReportID(rawValue: $0) }
    guard id != nil || word.is("-") else {
      problems.fail(
        "expected a report ID from 1 to 255, or - for unnumbered reports, found \(word.quoted)",
        at: word.column)
      return nil
    }
    let types: [String: HIDReportType] = ["input": .input, "output": .output, "feature": .feature]
    return types[type].map { ($0, id) }
  }

  private mutating func parseWord(_ words: inout WordScanner, _ expected: [String]) -> String? {
    let list = expected.dropLast().joined(separator: ", ") + " or " + (expected.last ?? "")
    guard let word = words.next() else {
      problems.fail("expected \(list), found the end of the line", at: words.column)
      return nil
    }
    var text = String(decoding: word.text.prefix(20), as: UTF8.self)
    // hidsim 0.1 wrote this word for `none`.
    if text == "unanswered" { text = "none" }
    guard expected.contains(text) else {
      problems.fail("expected \(list), found \(word.quoted)", at: word.column)
      return nil
    }
    return text
  }

  private mutating func parseNumber(
    _ words: inout WordScanner, _ what: String, to maximum: Int64
  ) -> Int64? {
    guard let word = words.next() else {
      problems.fail("expected the \(what), found the end of the line", at: words.column)
      return nil
    }
    guard let number = word.text.decimal, number <= maximum else {
      problems.fail(
        "expected the \(what) as a decimal number up to \(maximum), found \(word.quoted)",
        at: word.column)
      return nil
    }
    if isUnfinished, words.text.isEmpty {
      problems.doubt(
        "expected a line break after the \(what); it may be incomplete", at: word.column)
    }
    return number
  }
}
