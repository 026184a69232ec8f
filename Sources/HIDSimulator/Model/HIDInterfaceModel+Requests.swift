// SPDX-License-Identifier: Apache-2.0

import HIDBus
package import HIDReportDescriptor
import IOLoop

/// The answers of an interface to requests.
extension HIDInterfaceModel {
  /// Sets a script's rule for the answers to a request.
  ///
  /// - Parameters:
  ///   - delay: The time from the request to the answer.
  ///   - isOnce: True for a rule that answers the next such request; false for all of them.
  package mutating func setRule(
    for request: HIDReportRequest, _ answer: HIDRequestAnswer, after delay: Duration, isOnce: Bool
  ) {
    policy.script.answer(request, with: .init(answer: answer, delay: delay), isOnce: isOnce)
  }

  /// Removes the scripts' rules for the answers to a request.
  package mutating func removeRules(for request: HIDReportRequest) {
    policy.script.forget(request)
  }

  /// Returns the source of the answer to an event; nil if the event is no request.
  ///
  /// - Parameter isDelegable: False to leave out the program that drives the device.
  mutating func answerSource(
    for event: HIDHostEvent, isDelegable: Bool
  ) -> HIDAnswerPolicy.Source? {
    switch event {
    case .getReport(_, let type, let id):
      policy.source(for: HIDReportRequest(.get, type, id), isDelegable: isDelegable)
    case .setReport(_, let type, _, let raw):
      policy.source(
        for: HIDReportRequest(.set, type, lengths.normalized(raw, type: type).id),
        isDelegable: isDelegable)
    case .start, .stop, .open, .close, .output, .usb: nil
    }
  }

  /// Returns the reaction to a request: the answer of a trace or rule, or else the device's own; or
  /// the event that there is none.
  mutating func answer(
    _ record: HIDHostEventRecord, from source: HIDAnswerPolicy.Source?
  ) -> Reaction {
    if case .reply(let reply)? = source {
      return receive(record, answeredBy: reply, at: record.time)
    }
    switch record.event {
    case .getReport(let request, let type, let id):
      let isDeclared = lengths.byteCount(type, id) != nil
      requests[request] = Request(record: record, report: nil, isDeclared: isDeclared)
      return answer(get: request, type, id, at: record.time)
    case .setReport(let request, let type, _, let raw):
      return answer(set: request, type, raw, record)
    default: return ([], [])
    }
  }

  private mutating func answer(
    get request: HIDRequestID, _ type: HIDReportType, _ id: HIDReportID?, at now: MonotonicTime
  ) -> Reaction {
    guard let behaviour = behaviour({ $0 == .get(type, id) }) else {
      return ([.answerGet(request, report(type, id), after: .zero)], [])
    }
    let effects = carryOut(behaviour, [], at: now)
    let answer: [UInt8]?
    switch behaviour.answer {
    case .unanswered: return (effects, ignore(request, at: now))
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

  /// A refused report is not remembered.
  private mutating func answer(
    set request: HIDRequestID, _ type: HIDReportType, _ raw: HIDReportBytes,
    _ record: HIDHostEventRecord
  ) -> Reaction {
    let (report, key) = understand(raw, type)
    requests[request] = Request(record: record, report: report, isDeclared: report.isDeclared)
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
    if found.answer == .unanswered { return (effects, ignore(request, at: record.time)) }
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

  /// Answers a request with an answer from another source than the device.
  ///
  /// A report that is accepted is remembered.
  mutating func receive(
    _ record: HIDHostEventRecord, answeredBy reply: HIDAnswerPolicy.Reply, at now: MonotonicTime
  ) -> Reaction {
    switch record.event {
    case .getReport(let request, let type, let id):
      let isDeclared = lengths.byteCount(type, id) != nil
      requests[request] = Request(record: record, report: nil, isDeclared: isDeclared)
      if reply.answer == .unanswered { return ([], ignore(request, at: now)) }
      let report = reply.answer.report.map([UInt8].init)
      return ([.answerGet(request, report, after: reply.delay)], [])
    case .setReport(let request, let type, _, let raw):
      let (report, key) = understand(raw, type)
      requests[request] = Request(record: record, report: report, isDeclared: report.isDeclared)
      if reply.answer == .unanswered { return ([], ignore(request, at: now)) }
      let isAccepted = reply.answer == .accepted
      if isAccepted, report.isDeclared { remember(report.bytes, key) }
      return ([.answerSet(request, accepted: isAccepted, after: reply.delay)], [])
    default: return ([], [])
    }
  }

  /// Removes a request that gets no answer, and returns the events to log.
  mutating func ignore(_ request: HIDRequestID, at now: MonotonicTime) -> [Happening] {
    answered(request, .unanswered, at: now)
  }

  /// Removes a request that is answered or gets no answer, and returns the events to log.
  mutating func answered(
    _ request: HIDRequestID, _ value: HIDRequestAnswer, at now: MonotonicTime
  ) -> [Happening] {
    guard let asked = requests.removeValue(forKey: request) else { return [] }
    let answer = HIDAnswer(
      value: value, latency: now.duration(since: asked.record.time), isDeclared: asked.isDeclared)
    var kinds: [HIDDeviceEvent.Kind] = []
    switch (asked.record.event, asked.report) {
    case (.getReport(_, let type, let id), _):
      kinds = [.getReport(type, id, answer)]
      if value.report == nil { firstRefusal = firstRefusal ?? Key(type: type, id: id) }
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
