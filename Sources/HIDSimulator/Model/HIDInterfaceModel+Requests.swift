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

  /// The result of choosing the source of an answer.
  enum Choice: Sendable {
    /// The program that drives the device has to answer the request.
    case delegated(Request, to: HIDAnswerPolicy.Program)
    /// Another source has an answer, which is among the effects, or gives none.
    case reaction(Reaction)
  }

  /// Answers a request from its first source; returns nil if the event is no request.
  ///
  /// - Parameter isDelegable: False to leave out the program that drives the device.
  mutating func answer(_ record: HIDHostEventRecord, isDelegable: Bool) -> Choice? {
    guard var request = request(record) else { return nil }
    switch answerSource(for: &request, isDelegable: isDelegable) {
    case .program(let program): return .delegated(request, to: program)
    case .trace(let answer):
      return .reaction(self.answer(request, with: .init(answer: answer), at: record.time))
    case .rule(let reply): return .reaction(answer(request, with: reply, at: record.time))
    case .behaviour(let index):
      return .reaction(answer(request, by: definition.behaviours[index]))
    case .memory: return .reaction(answerFromMemory(request))
    }
  }

  /// Returns an event of the host as a request; nil if it is none.
  func request(_ record: HIDHostEventRecord) -> Request? {
    switch record.event {
    case .getReport(let number, let type, let id):
      return Request(
        number: number, name: HIDReportRequest(.get, type, id), record: record, report: nil,
        isDeclared: lengths.byteCount(type, id) != nil)
    case .setReport(let number, let type, _, let raw):
      let (report, key) = understand(raw, type)
      return Request(
        number: number, name: HIDReportRequest(.set, type, key.id), record: record,
        report: report, isDeclared: report.isDeclared)
    case .start, .stop, .open, .close, .output, .usb: return nil
    }
  }

  /// Answers a request with an answer from another source than the device.
  ///
  /// A report that is accepted is remembered.
  mutating func answer(
    _ request: Request, with reply: HIDAnswerPolicy.Reply, at now: MonotonicTime
  ) -> Reaction {
    var request = request
    let isAccepted = reply.answer == .acknowledged
    if isAccepted { remember(&request) }
    requests[request.number] = request
    if reply.answer == .none { return ([], ignore(request.number, at: now)) }
    let answer: Effect =
      request.name.kind == .set
      ? .answerSet(request.number, accepted: isAccepted, after: reply.delay)
      : .answerGet(request.number, reply.answer.report.map([UInt8].init), after: reply.delay)
    return ([answer], [])
  }

  // MARK: The answers of the device

  /// Remembers the report of a set request, if it is declared, and sets `before` of the request to
  /// the report that it replaces.
  mutating func remember(_ request: inout Request) {
    guard let report = request.report, report.isDeclared else { return }
    let key = Key(type: report.type, id: report.id)
    request.before = reports[key]
    remember(report.bytes, key)
  }

  /// Returns the index of the first behaviour that a request triggers and whose conditions hold.
  func behaviour(for request: Request) -> Int? {
    let (type, id) = (request.name.type, request.name.id)
    guard let report = request.report else { return behaviour { $0 == .get(type, id) } }
    return behaviour { trigger in
      switch trigger {
      case .set(type, id, let pattern): return pattern?.matches(report.bytes) ?? true
      case .output(let pattern, let route) where type == .output && route != .output:
        return pattern?.matches(report.bytes) ?? true
      default: return false
      }
    }
  }

  private mutating func answer(_ request: Request, by behaviour: HIDBehaviour) -> Reaction {
    let (number, now) = (request.number, request.record.time)
    requests[number] = request
    let effects = carryOut(behaviour, request.report?.bytes ?? [], at: now)
    guard behaviour.answer != .none else { return (effects, ignore(number, at: now)) }
    let answer: Effect
    if let report = request.report {
      // A report that is refused is not remembered.
      if behaviour.answer == .error, let before = request.before {
        store(before, Key(type: report.type, id: report.id))
      }
      let isAccepted =
        behaviour.answer == .usual ? report.isDeclared : behaviour.answer != .error
      answer = .answerSet(number, accepted: isAccepted, after: behaviour.delay)
    } else {
      let report = self.report(behaviour.answer, to: request.name, at: now)
      answer = .answerGet(number, report, after: behaviour.delay)
    }
    return ([answer] + effects, [])
  }

  /// Returns the report with which a behaviour answers a get request; nil for an error.
  private func report(
    _ answer: HIDBehaviour.Answer, to request: HIDReportRequest, at now: MonotonicTime
  ) -> [UInt8]? {
    switch answer {
    case .none, .error: return nil
    case .usual: return report(request.type, request.id)
    case .reply(let template): return report(template, request.type, request.id, [], at: now)
    case .exactReply(let template):
      var bytes: [UInt8] = []
      fill(template, into: &bytes, [], at: now)
      return Array(bytes.prefix(HIDReportDescriptor.uhidMaximumReportByteCount))
    }
  }

  private mutating func answerFromMemory(_ request: Request) -> Reaction {
    var request = request
    let (type, id) = (request.name.type, request.name.id)
    request.report?.isUnhandled = reacts(to: type)
    requests[request.number] = request
    let answer: Effect =
      request.name.kind == .set
      ? .answerSet(request.number, accepted: request.isDeclared, after: .zero)
      : .answerGet(request.number, report(type, id), after: .zero)
    return ([answer], [])
  }

  // MARK: The end of a request

  /// Removes a request that gets no answer, and returns the events to log.
  mutating func ignore(_ request: HIDRequestID, at now: MonotonicTime) -> [Happening] {
    answered(request, .none, at: now)
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

extension HIDDelegatedRequest {
  /// Describes a request for the program that may answer it.
  init(_ request: HIDInterfaceModel.Request, as number: UInt64) {
    var id = request.name.id
    if case .setReport(_, _, let given, _) = request.record.event { id = id ?? given }
    self.init(
      number: number, type: request.name.type, id: id, bytes: request.report?.bytes,
      raw: request.report?.raw, isDeclared: request.isDeclared)
  }
}
