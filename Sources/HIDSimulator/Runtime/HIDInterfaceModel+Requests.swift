// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDBus
import IOLoop

/// The answers of an interface to requests.
extension HIDInterfaceModel {
  /// Returns the reaction to a get request: the answer, or the event that there is no answer.
  mutating func answer(
    get request: HIDRequestID, _ type: HIDReportType, _ id: HIDReportID?, at now: MonotonicTime
  ) -> Reaction {
    switch script.reply(to: .get, type, id) {
    case let reply? where reply.answer == .nothing: return ([], ignore(request, at: now))
    case let reply?: return ([.answerGet(request, reply.answer.report, after: reply.delay)], [])
    case nil: break
    }
    guard let behaviour = behaviour({ $0 == .get(type, id) }) else {
      return ([.answerGet(request, report(type, id), after: .zero)], [])
    }
    let effects = carryOut(behaviour, [], at: now)
    let answer: [UInt8]?
    switch behaviour.answer {
    case .never: return (effects, ignore(request, at: now))
    case .error: answer = nil
    case .usual: answer = report(type, id)
    case .reply(let template): answer = report(template, type, id, [], at: now)
    case .exactReply(let template):
      var bytes: [UInt8] = []
      fill(template, into: &bytes, [], at: now)
      answer = Array(bytes.prefix(HIDReportDescriptor.uhidMaximumReportByteCount))
    }
    return ([.answerGet(request, answer, after: behaviour.delay)] + effects, [])
  }

  /// Returns the reaction to a set request: the answer, or the event that there is no answer.
  ///
  /// A refused report is not remembered.
  mutating func answer(
    set request: HIDRequestID, _ type: HIDReportType, _ raw: HIDReportBytes,
    _ record: HIDHostEventRecord
  ) -> Reaction {
    let (report, key) = understand(raw, type)
    requests[request] = Request(record: record, report: report, isDeclared: report.isDeclared)
    if let reply = script.reply(to: .set, type, report.id) {
      if reply.answer == .nothing { return ([], ignore(request, at: record.time)) }
      let isAccepted = reply.answer.report != nil
      if isAccepted, report.isDeclared { remember(report.bytes, key) }
      return ([.answerSet(request, accepted: isAccepted, after: reply.delay)], [])
    }
    // The conditions and terms of behaviours use the new report. If the request is refused, the
    // previous report is restored.
    let before = reports[key]
    if report.isDeclared { remember(report.bytes, key) }
    let found = behaviour { trigger in
      switch trigger {
      case .set(type, report.id, let pattern): return pattern?.matches(report.bytes) ?? true
      case .output(let pattern, let route) where type == .output && route != .output:
        return pattern?.matches(report.bytes) ?? true
      default: return false
      }
    }
    guard let found else {
      let isUnhandled = reacts(to: type)
      requests[request]?.report?.isUnhandled = isUnhandled
      return ([.answerSet(request, accepted: report.isDeclared, after: .zero)], [])
    }
    let effects = carryOut(found, report.bytes, at: record.time)
    if found.answer == .error, let before { store(before, key) }
    if found.answer == .never { return (effects, ignore(request, at: record.time)) }
    let isAccepted = found.answer == .usual ? report.isDeclared : found.answer != .error
    return ([.answerSet(request, accepted: isAccepted, after: found.delay)] + effects, [])
  }

  /// Describes a request for the program that may answer it; returns `nil` for another event.
  func request(_ event: HIDHostEvent, number: UInt64) -> HIDDelegatedRequest? {
    switch event {
    case .getReport(_, let type, let id):
      return HIDDelegatedRequest(
        number: number, type: type, id: id, bytes: nil, raw: nil,
        isDeclared: lengths.byteCount(type, id) != nil)
    case .setReport(_, let type, let id, let raw):
      let (report, _) = understand(raw, type)
      return HIDDelegatedRequest(
        number: number, type: type, id: report.id ?? id, bytes: report.bytes, raw: report.raw,
        isDeclared: report.isDeclared)
    case .start, .stop, .open, .close, .output, .usb: return nil
    }
  }

  /// Answers a request with the answer of the program that drives the device, or of a trace.
  mutating func receive(
    _ record: HIDHostEventRecord, answeredBy answer: HIDDelegatedAnswer, at now: MonotonicTime
  ) -> Reaction {
    switch (record.event, answer) {
    case (_, .usual): return receive(record)
    case (.getReport(let request, let type, let id), _):
      let isDeclared = lengths.byteCount(type, id) != nil
      requests[request] = Request(record: record, report: nil, isDeclared: isDeclared)
      switch answer {
      case .report(let bytes): return ([.answerGet(request, bytes, after: .zero)], [])
      case .nothing: return ([], ignore(request, at: now))
      case .error, .accepted, .usual: return ([.answerGet(request, nil, after: .zero)], [])
      }
    case (.setReport(let request, let type, _, let raw), _):
      let (report, key) = understand(raw, type)
      requests[request] = Request(record: record, report: report, isDeclared: report.isDeclared)
      if answer == .nothing { return ([], ignore(request, at: now)) }
      let isAccepted = answer == .accepted
      if isAccepted, report.isDeclared { remember(report.bytes, key) }
      return ([.answerSet(request, accepted: isAccepted, after: .zero)], [])
    default: return ([], [])
    }
  }

  /// Removes a request that gets no answer, and returns the events to log.
  mutating func ignore(_ request: HIDRequestID, at now: MonotonicTime) -> [Happening] {
    answered(request, nil, at: now, isSilent: true)
  }

  /// Removes a request that is answered or gets no answer, and returns the events to log.
  mutating func answered(
    _ request: HIDRequestID, _ report: [UInt8]?, at now: MonotonicTime, isSilent: Bool = false
  ) -> [Happening] {
    guard let asked = requests.removeValue(forKey: request) else { return [] }
    let answer = HIDAnswer(
      report: report, latency: now.duration(since: asked.record.time),
      isDeclared: asked.isDeclared, isSilent: isSilent)
    var kinds: [HIDDeviceEvent.Kind] = []
    switch (asked.record.event, asked.report) {
    case (.getReport(_, let type, let id), _):
      kinds = [.getReport(type, id, answer)]
      if report == nil { firstRefusal = firstRefusal ?? Key(type: type, id: id) }
    case (.setReport, let report?):
      kinds = [.setReport(report, answer)]
      if let warning = lengthWarning(report) { kinds.append(.fidelity(warning)) }
    default: break
    }
    return kinds.map {
      Happening(time: now, kind: $0, client: asked.record.client, route: asked.record.route)
    }
  }
}
