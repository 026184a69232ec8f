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
  /// The raw value is the byte after the report ID in the answer of the source to a get request.
  private enum Source: UInt8, CaseIterable {
    case program = 6
    case trace = 1
    case ruleForOne = 2
    case rule = 3
    case behaviour = 4
    case memory = 5
    case zeros = 0

    /// The answer of the source to a set request, which differs from those of all others.
    ///
    /// The device accepts a declared report if nothing else is set, so that zeros and memory have
    /// one answer.
    var setReply: HIDAnswerPolicy.Reply {
      switch self {
      case .trace: .init(answer: .error)
      case .memory, .zeros: .init(answer: .acknowledged)
      default: .init(answer: .acknowledged, delay: .milliseconds(Int(rawValue)))
      }
    }
  }

  private func reply(_ source: Source) -> HIDAnswerPolicy.Reply {
    .init(answer: .report(HIDReportBytes([3, source.rawValue, 0, 0])))
  }

  /// Makes a policy in which some sources have an answer to a get and to a set request.
  private func policy(_ sources: Set<Source>) -> HIDAnswerPolicy {
    var policy = HIDAnswerPolicy()
    if sources.contains(.program) {
      policy.program = .init(delegation: HIDDelegation(), owner: 0)
    }
    if sources.contains(.trace) {
      let get = HIDTraceGet(type: .feature, id: Self.three, answer: reply(.trace).answer)
      policy.trace.add(HIDTraceEvent(microseconds: 0, kind: .getReport(get)))
      let set = HIDTraceSet(
        type: .feature, id: Self.three, report: HIDReportBytes([3, 9]),
        answer: Source.trace.setReply.answer)
      policy.trace.add(HIDTraceEvent(microseconds: 0, kind: .setReport(set)))
    }
    for source in [Source.rule, .ruleForOne] where sources.contains(source) {
      let isOnce = source == .ruleForOne
      policy.script.answer(Self.get, with: reply(source), isOnce: isOnce)
      policy.script.answer(Self.set, with: source.setReply, isOnce: isOnce)
    }
    return policy
  }

  /// Makes a model in which some sources have an answer to a get and to a set request.
  private func model(_ sources: Set<Source>) throws -> HIDInterfaceModel {
    let answer = HIDReportTemplate([Source.behaviour.rawValue])
    let behaviours = [
      HIDBehaviour(trigger: .get(.feature, Self.three), answer: .reply(answer)),
      HIDBehaviour(
        trigger: .set(.feature, Self.three, nil), answer: .usual,
        delay: Source.behaviour.setReply.delay),
    ]
    var model = HIDInterfaceModel(
      try interface(RuntimeDescriptor.numbered, sources.contains(.behaviour) ? behaviours : []))
    model.policy = policy(sources)
    if sources.contains(.memory) {
      model.remember(
        [3, Source.memory.rawValue], HIDInterfaceModel.Key(type: .feature, id: Self.three))
    }
    return model
  }

  private func record(_ kind: HIDReportRequest.Kind, _ id: HIDReportID? = three)
    -> HIDHostEventRecord
  {
    let number = HIDRequestID(rawValue: 1)
    return HIDHostEventRecord(
      time: .now,
      event: kind == .get
        ? .getReport(number, .feature, id)
        : .setReport(number, .feature, id, HIDReportBytes([id?.rawValue ?? 0, 9])))
  }

  /// Returns the answer of a model, and its delay; nil if the program has to answer.
  private func answer(
    _ model: inout HIDInterfaceModel, _ record: HIDHostEventRecord, isDelegable: Bool = true
  ) throws -> HIDAnswerPolicy.Reply? {
    let outcome = model.answer(record, isDelegable: isDelegable)
    guard case .reaction(let reaction) = try #require(outcome) else { return nil }
    switch try #require(reaction.effects.first) {
    case .answerGet(_, let report, let delay):
      return .init(answer: report.map { .report($0) } ?? .error, delay: delay)
    case .answerSet(_, let isAccepted, let delay):
      return .init(answer: isAccepted ? .acknowledged : .error, delay: delay)
    case let other: throw Unexpected(effect: "\(other)")
    }
  }

  private struct Unexpected: Error { let effect: String }

  @Test(
    "the first source that has an answer gives it, for each choice of sources",
    arguments: HIDReportRequest.Kind.allCases)
  func table(_ kind: HIDReportRequest.Kind) throws {
    for bits in 0..<1 << (Source.allCases.count - 1) {
      let sources = Source.allCases.enumerated()
        .filter { bits & 1 << $0.offset != 0 || $0.element == .zeros }.map(\.element)
      var model = try model(Set(sources))
      let answer = try answer(&model, record(kind))
      let first = sources[0]
      let expected = kind == .get ? reply(first) : first.setReply
      #expect(answer == (first == .program ? nil : expected), "\(sources)")
    }
  }

  @Test(
    "a request for a report that is not declared fails", arguments: HIDReportRequest.Kind.allCases)
  func undeclared(_ kind: HIDReportRequest.Kind) throws {
    var model = try model([.trace, .rule, .behaviour, .memory])
    let answer = try answer(&model, record(kind, HIDReportID(rawValue: 99)))
    #expect(answer == .init(answer: .error))
  }

  @Test("a request that the program leaves to the others is answered by the next source")
  func withoutProgram() throws {
    var model = try model([.program, .rule])
    #expect(try answer(&model, record(.get), isDelegable: false) == reply(.rule))
  }

  @Test("a source that has no answer for the kind of request is left out")
  func others() throws {
    var model = try model([.program, .trace])
    model.policy.program = .init(delegation: HIDDelegation(getsReports: false), owner: 0)
    #expect(try answer(&model, record(.get)) == reply(.trace))
    #expect(try answer(&model, record(.set)) == nil)
  }

  @Test("a rule for one request is used up, and an answer unknown to the trace is none of it")
  func usedUp() throws {
    var model = try model([.ruleForOne, .memory])
    let get = HIDTraceGet(type: .feature, id: Self.three, answer: .none)
    model.policy.trace.add(HIDTraceEvent(microseconds: 0, kind: .getReport(get)))
    #expect(try answer(&model, record(.get)) == reply(.ruleForOne))
    #expect(try answer(&model, record(.get)) == reply(.memory))
  }

  @Test("a report that another source accepts is remembered")
  func remembered() throws {
    let descriptor = try HIDReportDescriptor(parsing: RuntimeDescriptor.plain)
    var model = HIDInterfaceModel(HIDInterfaceDefinition(descriptor: descriptor))
    let id = HIDRequestID(rawValue: 1)
    let layout = try #require(descriptor.reports(of: .feature).first)
    var report = layout.zeroReport
    report[report.count - 1] = 7
    for (answer, isKept) in [(HIDRequestAnswer.error, false), (.acknowledged, true)] {
      let record = HIDHostEventRecord(
        time: .now, event: .setReport(id, .feature, layout.id, HIDReportBytes(report)))
      let request = try #require(model.request(record))
      _ = model.answer(request, with: .init(answer: answer), at: .now)
      #expect((model.report(.feature, layout.id) == report) == isKept)
    }
  }
}
