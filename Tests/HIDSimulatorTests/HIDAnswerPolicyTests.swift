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

  /// The sources that have an answer, from the first in order to the last.
  private enum Source: String, CaseIterable {
    case program, trace, ruleForOne, rule, device
  }

  private func reply(_ byte: UInt8) -> HIDAnswerPolicy.Reply {
    .init(answer: .report(HIDReportBytes([3, byte])))
  }

  /// Makes a policy in which some sources have an answer, each with a byte of its own.
  private func policy(_ sources: Set<Source>) -> HIDAnswerPolicy {
    var policy = HIDAnswerPolicy()
    if sources.contains(.program) { policy.delegation = HIDDelegation() }
    if sources.contains(.trace) {
      let get = HIDTraceGet(type: .feature, id: Self.three, answer: reply(1).answer)
      policy.trace.add(HIDTraceEvent(microseconds: 0, kind: .getReport(get)))
    }
    if sources.contains(.rule) { policy.script.answer(Self.get, with: reply(3), isOnce: false) }
    if sources.contains(.ruleForOne) {
      policy.script.answer(Self.get, with: reply(2), isOnce: true)
    }
    return policy
  }

  @Test("the first source that has an answer gives it, whichever of the others have one")
  func table() {
    let answers: [(Source, HIDAnswerPolicy.Source)] = [
      (.program, .program(HIDDelegation(), owner: 0)), (.trace, .reply(reply(1))),
      (.ruleForOne, .reply(reply(2))), (.rule, .reply(reply(3))), (.device, .device),
    ]
    for bits in 0..<16 {
      let sources = Set(
        Source.allCases.enumerated().filter { bits & 1 << $0.offset != 0 }.map(\.element)
      ).union([.device])
      var policy = policy(sources)
      let expected = answers.first { sources.contains($0.0) }?.1
      #expect(policy.source(for: Self.get) == expected, "\(sources)")
    }
  }

  @Test("a request that the program leaves to the others is answered by the next source")
  func withoutProgram() {
    var policy = policy([.program, .rule])
    #expect(
      policy.source(for: Self.get, isDelegable: false) == .reply(reply(3)))
  }

  @Test("a source that has no answer for the kind of request or for the report is left out")
  func others() {
    var policy = policy([.program, .trace, .ruleForOne])
    policy.delegation = HIDDelegation(getsReports: false)
    #expect(policy.source(for: Self.get) == .reply(reply(1)))
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
    #expect(policy.source(for: Self.get) == .reply(reply(2)))
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
