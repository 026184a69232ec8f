// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
package import HIDText
package import HIDTraces
import HIDWire
import IOLoop

/// A trace that was gone over once, and can be played to devices that can send it.
///
/// It is read anew when it is played, and never kept in memory.
package struct ReplayPlan: Sendable {
  /// How many problems are kept.
  private static let problemCapacity = 20

  /// One interface of a device.
  private struct Target: Sendable {
    let device: Int
    let interface: Int
  }

  /// The devices, which may send what was recorded of them.
  package private(set) var definitions: [HIDDeviceDefinition]
  /// For each device of the trace what sends and answers in its place.
  private let targets: [Target]
  /// What the devices of the trace answered.
  private var answers: [HIDTraceAnswers]
  /// What the host must do, where that is asserted.
  package private(set) var assertion: HIDTraceAssertion?
  /// How the trace is played.
  package let pace: HIDTracePace
  /// How many reports are sent in one round.
  package private(set) var total = 0
  /// How many of them were shorter than declared, and are filled up with zeros.
  package private(set) var padded = 0
  /// How many were longer than declared, and are sent as they are.
  package private(set) var long = 0
  /// How many reports no bus would carry, which are not sent.
  package private(set) var unsendableCount = 0
  /// The first of those: what is wrong with each.
  package private(set) var unsendable: [HIDTextProblem] = []
  /// What is odd in the trace.
  package private(set) var warnings: [HIDTextProblem] = []
  private let makeReader: @Sendable () throws(HIDTraceError) -> HIDTraceReader

  /// Goes over a trace.
  ///
  /// - Parameters:
  ///   - definitions: Its devices, with as many interfaces in all as the trace has devices.
  ///   - file: What messages call it.
  ///   - isStrict: Whether reports that cannot be sent as they are make it fail.
  ///   - pace: How it is played: what is outside of the part is not looked at.
  ///   - assertion: What is to be asserted of what the host did; nil for nothing.
  ///   - makeReader: Begins to read it.
  /// - Throws: What is wrong with the trace; where it is strict, with its reports.
  package init(
    _ definitions: [HIDDeviceDefinition], file: String, isStrict: Bool,
    pace: HIDTracePace = HIDTracePace(), asserting assertion: HIDTraceAssertion? = nil,
    makeReader: @escaping @Sendable () throws(HIDTraceError) -> HIDTraceReader
  ) throws(HIDTraceError) {
    self.definitions = definitions
    self.pace = pace
    self.makeReader = makeReader
    var problems: [HIDTextProblem] = []
    var number = 0
    var reader = try makeReader()
    var schedule = HIDTraceSchedule(pace)
    let targets = Self.targets(definitions)
    self.targets = targets
    guard reader.devices.count == targets.count else {
      throw HIDTraceError(
        HIDTextProblem(
          file: file, location: .start,
          message: """
            the trace has \(reader.devices.count.counting("device")), and those that are to play it have \
            \(targets.count.counting("interface"))
            """))
    }
    var answers = Array(repeating: HIDTraceAnswers(), count: targets.count)
    var expected = assertion
    let lengths = Self.lengths(definitions, targets)
    while let event = try reader.next() {
      let due = schedule.dueTime(of: event)
      answers[event.device].add(event)
      let isSkipped = due == nil
      if let due, expected?.expect(event.at(nanoseconds: due)) == false {
        throw HIDTraceError(
          HIDTextProblem(
            file: file, location: HIDTextLocation(line: max(1, event.line), column: 1),
            message: "the host did too much to be asserted: \(HIDTraceAssertion.capacity) reports"))
      }
      guard case .input(let report) = event.kind else { continue }
      number += 1
      guard !isSkipped else { continue }
      let fitting = report.withSpan { Fitting($0, lengths[event.device]) }
      switch fitting {
      case .exact: break
      case .long:
        long += 1
        let target = targets[event.device]
        if !self.definitions[target.device].interfaces[target.interface].descriptor.allowsLongInput
        {
          self.definitions[target.device].interfaces[target.interface].descriptor.allowsLongInput =
            true
        }
      case .short: padded += 1
      case .tooLong, .undeclared: unsendableCount += 1
      }
      if fitting.isSendable { total += 1 }
      if !fitting.isSendable || isStrict, problems.count < Self.problemCapacity,
        let message = fitting.message(report, lengths[event.device], number)
      {
        let location = event.line > 0 ? HIDTextLocation(line: event.line, column: 1) : .start
        problems.append(HIDTextProblem(file: file, location: location, message: message))
      }
    }
    self.answers = answers
    self.assertion = expected
    warnings = reader.warnings
    if isStrict, !problems.isEmpty { throw HIDTraceError(problems: problems) }
    unsendable = problems
  }

  /// Goes over a trace that is in memory.
  package init(
    _ trace: HIDTrace, _ definitions: [HIDDeviceDefinition], file: String, isStrict: Bool
  ) throws(HIDTraceError) {
    try self.init(definitions, file: file, isStrict: isStrict) { HIDTraceReader(trace) }
  }

  private static func targets(_ definitions: [HIDDeviceDefinition]) -> [Target] {
    definitions.enumerated().flatMap { device, definition in
      definition.interfaces.indices.map { Target(device: device, interface: $0) }
    }
  }

  private static func lengths(
    _ definitions: [HIDDeviceDefinition], _ targets: [Target]
  ) -> [HIDReportLengths] {
    targets.map {
      HIDReportLengths(definitions[$0.device].interfaces[$0.interface].descriptor)
    }
  }

  /// Has devices answer as the trace does: before they are plugged, since their drivers ask.
  package func prepare(_ devices: [SimulatedDevice]) {
    for (target, answers) in zip(targets, answers) {
      devices[target.device].answer(as: answers, interface: target.interface)
    }
  }

  /// Plays the trace to anything that takes reports.
  package func play(to sink: some HIDTraceSink) async -> ReplayResult {
    result(await player().play(to: sink))
  }

  private func player() -> HIDTracePlayer {
    let lengths = Self.lengths(definitions, targets)
    return HIDTracePlayer(
      pace: pace, fit: { Fitting($1, lengths[$0]).byteCount }, makeReader: makeReader)
  }

  private func result(_ playback: HIDTracePlayback) -> ReplayResult {
    ReplayResult(
      playback, total: pace.loops.map { $0.multipliedReportingOverflow(by: total).0 })
  }

  /// Plays the trace to plugged devices.
  ///
  /// - Parameters:
  ///   - devices: The devices, in the order of ``definitions``.
  ///   - spin: How long before a report is due its thread looks at the clock instead of sleeping.
  ///   - isRealtime: Whether that thread comes before all others meanwhile.
  package func play(
    on devices: [SimulatedDevice], spin: Duration = .zero, isRealtime: Bool = false
  ) async -> ReplayResult {
    var player = player()
    player.spin = spin
    for device in devices { device.startAnswers() }
    let sink = SimulatedTraceSink(targets.map { (devices[$0.device], $0.interface) })
    return result(await sink.play(player, isRealtime: isRealtime))
  }
}

/// How a report of a trace goes with what its device declares.
private enum Fitting {
  case exact(Int)
  case long(Int)
  /// To be filled up to what is declared.
  case short(declared: Int)
  case tooLong(declared: Int)
  case undeclared

  @inline(__always)
  init(_ report: Span<UInt8>, _ lengths: HIDReportLengths) {
    if lengths.isAsDeclared(report) {
      self = .exact(report.count)
    } else {
      self.init(odd: report, lengths)
    }
  }

  private init(odd report: Span<UInt8>, _ lengths: HIDReportLengths) {
    let isNumbered = lengths.isNumbered(.input)
    let id = isNumbered && !report.isEmpty ? HIDReportID(rawValue: report[0]) : nil
    guard let declared = lengths.byteCount(.input, id) else {
      self = .undeclared
      return
    }
    switch report.count {
    case declared: self = .exact(declared)
    case ..<declared: self = .short(declared: declared)
    case ...HIDReportDescriptor.uhidMaximumReportByteCount: self = .long(report.count)
    default: self = .tooLong(declared: declared)
    }
  }

  /// How many bytes are sent; nil for none.
  var byteCount: Int? {
    switch self {
    case .exact(let count), .long(let count): count
    case .short(let declared): declared
    case .tooLong, .undeclared: nil
    }
  }

  var isSendable: Bool { byteCount != nil }

  /// What is wrong with a report, by its place among the reports of its trace, from 1.
  func message(_ report: HIDReportBytes, _ lengths: HIDReportLengths, _ number: Int) -> String? {
    let id = lengths.isNumbered(.input) ? report.first.flatMap(HIDReportID.init(rawValue:)) : nil
    // Not "report 5": that would be its ID.
    let name = "report number \(number) of the recording" + (id.map { " (ID \($0))" } ?? "")
    let found = report.count.counting("byte")
    switch self {
    case .exact, .long: return nil
    case .short(let declared):
      return """
        \(name) has \(found), and \(declared) are declared: \
        the kernel would drop it; without --strict it is filled up
        """
    case .tooLong(let declared):
      return """
        \(name) has \(found), and \(declared) are \
        declared: of more than declared at most \(HIDReportDescriptor.uhidMaximumReportByteCount) can be sent
        """
    case .undeclared:
      return "\(name) is not in the report descriptor: \(report)"
    }
  }
}

extension HIDTraceEvent {
  /// The event at a time of its replay.
  fileprivate func at(nanoseconds: Int64) -> HIDTraceEvent {
    var event = self
    event.microseconds = nanoseconds / 1000
    return event
  }
}
