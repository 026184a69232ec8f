// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDReportDescriptor
import HIDTraces

/// The order in which the sources of answers are asked for the answer to a host's request.
///
/// The first source that has an answer gives it:
///
/// 1. the program that drives the device, if requests of this kind are delegated to it;
/// 2. the trace that is replayed, if it has an answer for this report;
/// 3. a rule of a script, first those for one request, in the order in which they were set;
/// 4. the first behaviour of the device file that matches;
/// 5. the memory of the device: its present report, which is the initial one of the device file, or
///    zeros, before a report is set. A report that is set is accepted if it is declared;
/// 6. nothing: the request fails, since the report is not declared.
///
/// The policy chooses among the first three. ``HIDInterfaceModel`` has the behaviours and the
/// memory, which change with each event.
///
/// The program is not asked again if it leaves the answer to the others, or gives none in time.
struct HIDAnswerPolicy: Sendable {
  /// An answer that is known at once, and its delay.
  struct Reply: Hashable, Sendable {
    let answer: HIDRequestAnswer
    var delay = Duration.zero
  }

  /// The source of the answer to a request.
  enum Source: Hashable, Sendable {
    /// The program that drives the device, with the owner of the delegation.
    case program(HIDDelegation, owner: Int)
    /// The answer of a trace or of a rule.
    case reply(Reply)
    case device
  }

  /// The kinds of requests that are delegated; nil for none.
  var delegation: HIDDelegation?
  /// The owner of the delegation.
  var delegationOwner = 0
  /// The answers of the trace that is replayed.
  var trace = HIDTraceAnswers()
  /// The rules of scripts.
  var script = ScriptedAnswers()

  /// Returns the source of the answer to a request.
  ///
  /// A trace moves on to its next answer for the report, and a rule for one request is removed.
  ///
  /// - Parameter isDelegable: False to leave out the program that drives the device.
  mutating func source(for request: HIDReportRequest, isDelegable: Bool = true) -> Source {
    if isDelegable, let delegation, delegation.includes(request.kind) {
      return .program(delegation, owner: delegationOwner)
    }
    if let answer = trace.answer(to: request) { return .reply(Reply(answer: answer)) }
    return script.reply(to: request).map(Source.reply) ?? .device
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
    return answer == .unanswered ? nil : answer
  }
}
