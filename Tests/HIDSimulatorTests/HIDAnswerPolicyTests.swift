// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDReportDescriptor
import HIDTraces
import IOLoop
import Testing

@testable import HIDSimulator

@Suite("The order of the sources that answer requests")
struct HIDAnswerPolicyTests {
  private static let three = HIDReportID(rawValue: 3)
  private static let get = HIDReportRequest(.get, .feature, three)
  private static let set = HIDReportRequest(.set, .feature, three)

  /// The sources that may have an answer, in their order.
  ///
  /// The raw value is the byte after the report ID in the answer of the source.
  private enum Source: UInt8, CaseIterable {
    case program = 6
    case trace = 1
    case ruleForOne = 2
    case rule = 3
    case behaviour = 4
    case memory = 5
    case zeros = 0
  }

  private func reply(_ source: Source) -> HIDAnswerPolicy.Reply {
    .init(answer: .report(HIDReportBytes([3, source.rawValue])))
  }

  /// Makes a policy in which some sources have an answer.
  private func policy(_ sources: Set<Source>) -> HIDAnswerPolicy {
    var policy = HIDAnswerPolicy()
    if sources.contains(.program) { policy.delegation = HIDDelegation() }
    if sources.contains(.trace) {
      let get = HIDTraceGet(type: .feature, id: Self.three, answer: reply(.trace).answer)
      policy.trace.add(HIDTraceEvent(microseconds: 0, kind: .getReport(get)))
    }
    if sources.contains(.rule) {
      policy.script.answer(Self.get, with: reply(.rule), isOnce: false)
    }
    if sources.contains(.ruleForOne) {
      policy.script.answer(Self.get, with: reply(.ruleForOne), isOnce: true)
    }
    return policy
  }

  /// Makes a model in which some sources have an answer.
  private func model(_ sources: Set<Source>) throws -> HIDInterfaceModel {
    let answer = HIDReportTemplate([Source.behaviour.rawValue])
    let behaviour = HIDBehaviour(trigger: .get(.feature, Self.three), answer: .reply(answer))
    var model = HIDInterfaceModel(
      try interface(RuntimeDescriptor.numbered, sources.contains(.behaviour) ? [behaviour] : []))
    model.policy = policy(sources)
    if sources.contains(.memory) {
      model.remember(
        [3, Source.memory.rawValue], HIDInterfaceModel.Key(type: .feature, id: Self.three))
    }
    return model
  }

  @Test("the first source that has an answer gives it, whichever of the others have one")
  func table() throws {
    let record = HIDHostEventRecord(
      time: .now, event: .getReport(HIDRequestID(rawValue: 1), .feature, Self.three))
    for bits in 0..<1 << (Source.allCases.count - 1) {
      let sources = Source.allCases.enumerated()
        .filter { bits & 1 << $0.offset != 0 || $0.element == .zeros }.map(\.element)
      var model = try model(Set(sources))
      let source = model.answerSource(for: record.event, isDelegable: true)
      if case .program? = source {
        #expect(sources.first == .program)
        continue
      }
      let answers = model.answer(record, from: source).effects.compactMap { effect in
        if case .answerGet(_, let report?, _) = effect { report[1] } else { nil }
      }
      #expect(answers == [sources[0].rawValue], "\(sources)")
    }
  }

  @Test("a request that the program leaves to the others is answered by the next source")
  func withoutProgram() {
    var policy = policy([.program, .rule])
    #expect(
      policy.source(for: Self.get, isDelegable: false) == .reply(reply(.rule)))
  }

  @Test("a source that has no answer for the kind of request or for the report is left out")
  func others() {
    var policy = policy([.program, .trace, .ruleForOne])
    policy.delegation = HIDDelegation(getsReports: false)
    #expect(policy.source(for: Self.get) == .reply(reply(.trace)))
    #expect(
      policy.source(for: Self.set)
        == .program(HIDDelegation(getsReports: false), owner: 0))
    policy.delegation = nil
    #expect(policy.source(for: Self.set) == .device)
    #expect(
      policy.source(for: HIDReportRequest(.get, .feature, HIDReportID(rawValue: 4))) == .device)
  }

  @Test("a rule for one request is used up, and an answer unknown to the trace is none of it")
  func usedUp() {
    var policy = policy([.ruleForOne])
    let get = HIDTraceGet(type: .feature, id: Self.three, answer: .unanswered)
    policy.trace.add(HIDTraceEvent(microseconds: 0, kind: .getReport(get)))
    #expect(policy.source(for: Self.get) == .reply(reply(.ruleForOne)))
    #expect(policy.source(for: Self.get) == .device)
  }

  @Test("a report that another source accepts is remembered")
  func remembered() throws {
    let descriptor = try HIDReportDescriptor(parsing: RuntimeDescriptor.plain)
    var model = HIDInterfaceModel(HIDInterfaceDefinition(descriptor: descriptor))
    let id = HIDRequestID(rawValue: 1)
    let layout = try #require(descriptor.reports(of: .feature).first)
    var report = layout.zeroReport
    report[report.count - 1] = 7
    for (answer, isKept) in [(HIDRequestAnswer.error, false), (.accepted, true)] {
      let record = HIDHostEventRecord(
        time: .now, event: .setReport(id, .feature, layout.id, HIDReportBytes(report)))
      _ = model.receive(record, answeredBy: .init(answer: answer), at: .now)
      #expect((model.report(.feature, layout.id) == report) == isKept)
    }
  }
}
