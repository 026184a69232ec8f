// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDReportDescriptor
import HIDTraces

/// The sources of answers to a host's requests besides the device file.
///
/// The first source that has an answer gives it. The cases of ``Source`` are in this order:
///
/// 1. the program that drives the device, if requests of this kind are delegated to it. It is not
///    asked again if it leaves the answer to the others, or gives none in time;
/// 2. the trace that is replayed, if it has an answer for this report;
/// 3. a rule of a script, first those for one request, in the order in which they were set;
/// 4. the first behaviour of the device file that matches;
/// 5. the memory of the device: its present report, which is the initial one of the device file, or
///    zeros, before a report is set. A report that is set is accepted if it is declared. A request
///    for a report that is not declared fails.
///
/// ``HIDInterfaceModel/answerSource(for:isDelegable:)`` follows this order. The model has the
/// behaviours and the memory, which change with each event.
struct HIDAnswerPolicy: Sendable {
  /// An answer that is known at once, and its delay.
  struct Reply: Hashable, Sendable {
    let answer: HIDRequestAnswer
    var delay = Duration.zero
  }

  /// The program that drives the device, and the requests that are delegated to it.
  struct Program: Hashable, Sendable {
    let delegation: HIDDelegation
    /// The number of the program's connection, or 0 for this process.
    let owner: Int
  }

  /// The source of the answer to a request.
  enum Source: Hashable, Sendable {
    case program(Program)
    case trace(HIDRequestAnswer)
    /// A rule of a script.
    case rule(Reply)
    /// The index of a behaviour of the device file.
    case behaviour(Int)
    case memory
  }

  /// The program to which requests are delegated; nil for none.
  var program: Program?
  /// The answers of the trace that is replayed.
  var trace = HIDTraceAnswers()
  /// The rules of scripts.
  var script = ScriptedAnswers()
}

extension HIDInterfaceModel {
  /// Returns the source of the answer to a request.
  ///
  /// A trace moves on to its next answer for the report, and a rule for one request is removed. If
  /// no source before the behaviours has an answer, the report of a set request is remembered: the
  /// conditions and terms of behaviours use it. `before` of the request is the report that it has
  /// replaced.
  ///
  /// - Parameter isDelegable: False to leave out the program that drives the device.
  mutating func answerSource(
    for request: inout Request, isDelegable: Bool
  ) -> HIDAnswerPolicy.Source {
    if isDelegable, let program = policy.program,
      program.delegation.includes(request.name.kind)
    {
      return .program(program)
    }
    if let answer = policy.trace.answer(to: request.name) { return .trace(answer) }
    if let reply = policy.script.reply(to: request.name) { return .rule(reply) }
    remember(&request)
    if let behaviour = behaviour(for: request) { return .behaviour(behaviour) }
    return .memory
  }
}

extension HIDDelegation {
  /// Returns whether requests of a kind are delegated.
  fileprivate func includes(_ kind: HIDReportRequest.Kind) -> Bool {
    kind == .get ? getsReports : setsReports
  }
}

extension HIDTraceAnswers {
  /// Returns the trace's answer to a request; nil if the trace has none.
  fileprivate mutating func answer(to request: HIDReportRequest) -> HIDRequestAnswer? {
    guard !isEmpty else { return nil }
    let answer =
      request.kind == .get
      ? answer(get: request.type, request.id) : answer(set: request.type, request.id)
    return answer == HIDRequestAnswer.none ? nil : answer
  }
}
