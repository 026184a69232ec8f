// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDTraces
import Testing

@Suite("Answers of a trace")
struct HIDTraceAnswersTests {
  private func get(_ answer: HIDRequestAnswer, id: UInt8 = 3) -> HIDTraceEvent {
    HIDTraceEvent(
      microseconds: 0,
      kind: .getReport(
        HIDTraceGet(type: .feature, id: HIDReportID(rawValue: id), answer: answer)))
  }

  private func report(_ bytes: [UInt8]) -> HIDRequestAnswer { .report(HIDReportBytes(bytes)) }

  private let three = HIDReportID(rawValue: 3)

  @Test("each answer is given as often as in the trace, and the last one from then on")
  func order() {
    var answers = HIDTraceAnswers()
    for answer in [report([3, 1]), report([3, 1]), .error, report([3, 2])] {
      answers.add(get(answer))
    }
    answers.add(get(.none))
    answers.start()
    let given = (0..<6).map { _ in answers.answer(get: .feature, three) }
    #expect(
      given == [
        report([3, 1]), report([3, 1]), .error, report([3, 2]), report([3, 2]), report([3, 2]),
      ])
    answers.start()
    let again = answers.answer(get: .feature, three)
    #expect(again == report([3, 1]))
  }

  @Test("a request before the replay gets the first answer, and does not use it up")
  func early() {
    var answers = HIDTraceAnswers()
    answers.add(get(report([3, 1])))
    answers.add(get(report([3, 2])))
    var given = (0..<2).map { _ in answers.answer(get: .feature, three) }
    answers.start()
    given += (0..<2).map { _ in answers.answer(get: .feature, three) }
    #expect(given == [report([3, 1]), report([3, 1]), report([3, 1]), report([3, 2])])
  }

  @Test("a request after the replay has begun uses up its answer, even before the trace is played")
  func begun() {
    var answers = HIDTraceAnswers()
    for byte in 1...3 as ClosedRange<UInt8> { answers.add(get(report([3, byte]))) }
    var given = [answers.answer(get: .feature, three)]
    answers.begin()
    given += [answers.answer(get: .feature, three)]
    answers.start()
    given += (0..<2).map { _ in answers.answer(get: .feature, three) }
    answers.start()
    given += [answers.answer(get: .feature, three)]
    #expect(given == [1, 1, 2, 3, 1].map { report([3, $0]) })
  }

  @Test(
    "answers from before the part serve earlier requests, and reports without answers in the part")
  func earlier() {
    var answers = HIDTraceAnswers()
    for byte in 1...3 as ClosedRange<UInt8> {
      answers.addEarlier(get(report([3, byte])))
      answers.addEarlier(get(report([4, byte]), id: 4))
    }
    answers.addEarlier(get(.none))
    #expect(!answers.isEmpty)
    answers.add(get(report([3, 9])))
    var given = [3, 4].map { answers.answer(get: .feature, HIDReportID(rawValue: $0)) }
    answers.start()
    given += [3, 3, 4, 4].map { answers.answer(get: .feature, HIDReportID(rawValue: $0)) }
    #expect(
      given == [[3, 1], [4, 1], [3, 9], [3, 9], [4, 3], [4, 3]].map { report($0) })
  }

  @Test("a request that the trace does not answer is left to the device")
  func others() {
    var answers = HIDTraceAnswers()
    #expect(answers.isEmpty)
    answers.add(get(report([3, 1])))
    answers.add(
      HIDTraceEvent(
        microseconds: 0,
        kind: .setReport(
          HIDTraceSet(
            type: .feature, id: nil, report: HIDReportBytes([1]), answer: .error))))
    answers.start()
    let gets = [
      answers.answer(get: .feature, HIDReportID(rawValue: 4)), answers.answer(get: .input, three),
    ]
    let sets = [answers.answer(set: .feature, three), answers.answer(set: .feature, nil)]
    #expect(gets == [nil, nil])
    #expect(sets == [nil, .error])
  }

  @Test("answers that differ are kept up to a limit, and counted beyond it")
  func capacity() {
    var answers = HIDTraceAnswers()
    for number in 0..<HIDTraceAnswers.capacity + 10 {
      answers.add(get(report([3, UInt8(number % 2)])))
    }
    #expect(answers.leftOut == 10)
  }
}

@Suite("Assertions of a trace")
struct HIDTraceAssertionTests {
  private func output(_ byte: UInt8, _ time: Int64, device: Int = 0) -> HIDTraceEvent {
    HIDTraceEvent(microseconds: time, device: device, kind: .output(HIDReportBytes([byte])))
  }

  private func set(_ byte: UInt8, _ time: Int64, _ type: HIDReportType = .feature) -> HIDTraceEvent
  {
    HIDTraceEvent(
      microseconds: time,
      kind: .setReport(
        HIDTraceSet(type: type, id: nil, report: HIDReportBytes([byte]), answer: .acknowledged)))
  }

  /// Compares events, and returns the mismatches: `-` and a missing event, `+` and an unexpected
  /// event.
  private func mismatches(
    _ expected: [HIDTraceEvent], _ seen: [HIDTraceEvent],
    _ options: HIDTraceAssertion.Options = HIDTraceAssertion.Options(tolerance: 100)
  ) -> [String] {
    var assertion = HIDTraceAssertion(options)
    for event in expected where !assertion.expect(event) { Issue.record("no room") }
    var found = seen.flatMap { assertion.saw($0) }
    found += assertion.end()
    return found.map { mismatch in
      let sign = mismatch.kind == .missing ? "-" : "+"
      switch mismatch.event.kind {
      case .output(let report): return sign + report.description
      case .setReport(let set): return "\(sign)set \(set.report)"
      case .getReport: return "\(sign)get"
      default: return "\(sign)?"
      }
    }
  }

  @Test("events in the order of the trace, each near its time, are no mismatch")
  func same() {
    #expect(mismatches([output(1, 0), set(2, 50)], [output(1, 90), set(2, 10)]) == [])
  }

  @Test("an event of a device that no trace has is not asserted")
  func unknownDevice() {
    for device in [-1, Int.max] {
      #expect(mismatches([output(1, 0, device: device)], [output(2, 0, device: device)]) == [])
    }
  }

  @Test("a missing event is one mismatch, and causes no others")
  func missing() {
    let all = (0..<10).map { output(UInt8($0), Int64($0) * 10) }
    var seen = all
    seen.remove(at: 4)
    #expect(mismatches(all, seen) == ["-04"])
    #expect(mismatches(all, []) == (0..<10).map { "-0\($0)" })
  }

  @Test("an unexpected event is a mismatch, unless more events are allowed")
  func unexpected() {
    let seen = [output(1, 0), output(9, 1), output(2, 2)]
    let expected = [output(1, 0), output(2, 2)]
    #expect(mismatches(expected, seen) == ["+09"])
    #expect(
      mismatches(expected, seen, HIDTraceAssertion.Options(tolerance: 100, allowsMore: true)) == [])
  }

  @Test("the order of events matters within a device, and not between devices")
  func order() {
    #expect(
      mismatches([output(1, 0), output(2, 1)], [output(2, 0), output(1, 1)]) == ["-01", "+01"])
    #expect(
      mismatches(
        [output(1, 0), output(2, 1, device: 1)], [output(2, 0, device: 1), output(1, 1)]) == [])
  }

  @Test("an event that is too late or too early is missing there, and unexpected where it came")
  func time() {
    #expect(mismatches([output(1, 0)], [output(1, 101)]) == ["-01", "+01"])
    #expect(mismatches([output(1, 500)], [output(1, 399)]) == ["+01", "-01"])
    let untimed = HIDTraceAssertion.Options(tolerance: nil)
    #expect(mismatches([output(1, 500)], [output(1, 99_999)], untimed) == [])
  }

  @Test("an output report is the same whether it was written or set; a feature report is not")
  func ways() {
    #expect(mismatches([set(1, 0, .output)], [output(1, 0)]) == [])
    #expect(mismatches([set(1, 0)], [output(1, 0)]) == ["+01", "-set 01"])
  }

  @Test("get requests are asserted only if the options say so")
  func gets() {
    let get = HIDTraceEvent(
      microseconds: 0,
      kind: .getReport(HIDTraceGet(type: .feature, id: nil, answer: .error)))
    #expect(mismatches([get], []) == [])
    let options = HIDTraceAssertion.Options(tolerance: 100, assertsGets: true)
    #expect(mismatches([get], [], options) == ["-get"])
    #expect(mismatches([get], [get], options) == [])
  }

  @Test("events are compared after the given closure has masked them")
  func masks() {
    var assertion = HIDTraceAssertion { _ in .output(HIDReportBytes()) }
    _ = assertion.expect(output(1, 0))
    let found = assertion.saw(output(2, 0))
    #expect(found == [])
    #expect(assertion.isComplete && assertion.matchedCount == 1)
  }

  @Test(
    "an event before the start can stand for the next one of the trace, and is never unexpected")
  func beforeTheStart() {
    var assertion = HIDTraceAssertion(
      HIDTraceAssertion.Options(tolerance: nil, assertsGets: true))
    for (time, byte) in [(10, 3), (20, 1)] as [(Int64, UInt8)] {
      _ = assertion.expect(output(byte, time))
    }
    // A driver sends on its own the report that is second in the trace.
    assertion.sawEarly(output(1, -5))
    #expect(assertion.matchedCount == 0)
    let found = assertion.saw(output(3, 10)) + assertion.saw(output(1, 20))
    #expect(found == [] && assertion.isComplete)
    _ = assertion.expect(output(7, 30))
    assertion.sawEarly(output(7, -1))
    #expect(assertion.isComplete && assertion.matchedCount == 3)
    // The program sends the report too, and this report is the one in the trace.
    let again = assertion.saw(output(7, 30))
    let more = assertion.saw(output(7, 31))
    #expect(again == [] && more.map(\.kind) == [.unexpected])
  }

  @Test("an expected event is missing after the deadline, its time plus the tolerance")
  func deadline() {
    var assertion = HIDTraceAssertion(HIDTraceAssertion.Options(tolerance: 100))
    #expect(assertion.deadline == nil)
    _ = assertion.expect(output(1, 500))
    #expect(assertion.deadline == 600)
    let inTime = assertion.passed(to: 600)
    #expect(inTime == [])
    let late = assertion.passed(to: 601)
    #expect(late.map(\.kind) == [.missing])
    #expect(assertion.deadline == nil)
  }
}
