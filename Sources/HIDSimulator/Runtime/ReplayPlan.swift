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
  private let answers: [HIDTraceAnswers]
  /// What the host must do, where that is asserted.
  package let assertion: HIDTraceAssertion?
  /// How the trace is played.
  package let pace: HIDTracePace
  /// How many reports are sent in one round.
  package private(set) var total = 0
  /// How many reports no bus would carry, which are not sent.
  package private(set) var unsendableCount = 0
  /// The first of those: what is wrong with each.
  package private(set) var unsendable: [HIDTextProblem] = []
  /// How often devices come or go in one round.
  package let changeCount: Int
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
    targets = Self.targets(definitions)
    var reader = try makeReader()
    guard reader.devices.count == targets.count else {
      throw HIDTraceError(
        HIDTextProblem(
          file: file, location: .start,
          message: """
            the trace has \(reader.devices.count.counting("device")); the devices that play it have \
            \(targets.count.counting("interface"))
            """))
    }
    var check = ReplayCheck(
      Self.lengths(definitions, targets), file: file, isStrict: isStrict, pace: pace,
      asserting: assertion)
    while try reader.visit(&check), check.wantsMore {}
    answers = check.answers
    changeCount = check.changeCount
    self.assertion = check.assertion
    if let line = check.crowdedLine {
      throw HIDTraceError(
        HIDTextProblem(
          file: file, location: HIDTextLocation(line: max(1, line), column: 1),
          message: """
            the trace has more events of hosts than --assert can compare; \
            the limit is \(HIDTraceAssertion.capacity)
            """))
    }
    if let problem = check.strayProblem { throw HIDTraceError(problem) }
    warnings = reader.warnings
    if isStrict, !check.problems.isEmpty { throw HIDTraceError(problems: check.problems) }
    for device in check.longDevices {
      let target = targets[device]
      self.definitions[target.device].interfaces[target.interface].descriptor.allowsLongInput = true
    }
    (total, unsendableCount, unsendable) = (check.total, check.unsendableCount, check.problems)
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

  /// Has plugged devices answer as the trace does from its beginning on, before it is played: for hosts that come meanwhile.
  package func begin(on devices: [SimulatedDevice]) {
    for device in devices { device.beginAnswers() }
  }

  /// Plays the trace to plugged devices.
  ///
  /// - Parameters:
  ///   - devices: The devices, in the order of ``definitions``.
  ///   - spin: How long before a report is due its thread looks at the clock instead of sleeping; nil for as long as usual.
  ///   - isRealtime: Whether that thread comes before all others meanwhile.
  package func play(
    on devices: [SimulatedDevice], spin: Duration? = nil, isRealtime: Bool = false
  ) async -> ReplayResult {
    var player = player()
    if let spin { player.spin = spin }
    if !answers.allSatisfy(\.isEmpty) {
      player.whenRoundBegins = { for device in devices { device.startAnswers() } }
    }
    let sink = SimulatedTraceSink(targets.map { (devices[$0.device], $0.interface) })
    return result(await sink.play(player, isRealtime: isRealtime))
  }

  /// Plays the trace to anything that takes reports.
  package func play(to sink: some HIDTraceSink) async -> ReplayResult {
    result(await player().play(to: sink))
  }

  private func player() -> HIDTracePlayer {
    HIDTracePlayer(pace: pace, lengths: Self.lengths(definitions, targets), makeReader: makeReader)
  }

  private func result(_ playback: HIDTracePlayback) -> ReplayResult {
    ReplayResult(
      playback, total: pace.loops.map { $0.multipliedReportingOverflow(by: total).0 })
  }
}

/// Counts what can be sent of a trace, and how.
private struct ReplayCheck: TraceVisitor {
  /// How many problems are kept.
  private static let problemCapacity = 20

  private(set) var total = 0
  private(set) var longDevices: Set<Int> = []
  private(set) var unsendableCount = 0
  private(set) var problems: [HIDTextProblem] = []
  /// How often devices come or go.
  private(set) var changeCount = 0
  /// What each device answered.
  private(set) var answers: [HIDTraceAnswers]
  private(set) var assertion: HIDTraceAssertion?
  /// The line where hosts have done more than can be asserted.
  private(set) var crowdedLine: Int?
  /// What is wrong with the first report of a device that the trace has unplugged.
  private(set) var strayProblem: HIDTextProblem?
  /// The lines in which devices were unplugged, of those that are.
  private var unpluggedLines: [Int: Int] = [:]
  private let lengths: [HIDReportLengths]
  private let file: String
  private let isStrict: Bool
  private var schedule: HIDTraceSchedule
  private var number = 0

  init(
    _ lengths: [HIDReportLengths], file: String, isStrict: Bool, pace: HIDTracePace,
    asserting assertion: HIDTraceAssertion?
  ) {
    self.lengths = lengths
    self.assertion = assertion
    answers = Array(repeating: HIDTraceAnswers(), count: lengths.count)
    self.file = file
    self.isStrict = isStrict
    schedule = HIDTraceSchedule(pace)
  }

  /// Until nothing more is played.
  var wantsMore: Bool { !schedule.isOver(deviceCount: lengths.count) }

  mutating func event(_ event: HIDTraceEvent) {
    guard case .due(let due) = schedule.place(event) else {
      if !schedule.isBeyond(device: event.device) { answers[event.device].addEarlier(event) }
      return
    }
    if event.kind == .plugged || event.kind == .unplugged {
      unpluggedLines[event.device] = event.kind == .unplugged ? event.line : nil
      changeCount += 1
    }
    answers[event.device].add(event)
    guard assertion != nil else { return }
    var expected = event
    expected.microseconds = due.wholeMicroseconds
    if assertion?.expect(expected) == false, crowdedLine == nil { crowdedLine = event.line }
  }

  mutating func input(_ report: Span<UInt8>, device: Int, at microseconds: Int64, line: Int) {
    number += 1
    guard schedule.dueTime(ofInput: microseconds, device: device) != nil else { return }
    if !unpluggedLines.isEmpty, let unplugged = unpluggedLines[device], strayProblem == nil {
      strayProblem = HIDTextProblem(
        file: file, location: location(line),
        message: "a report of a device that was unplugged"
          + (unplugged > 0 ? " in line \(unplugged)" : ""),
        help: "add a line \"#! plug\" before it, with the time when the device was plugged again")
    }
    let fitting = TraceFitting(report, lengths[device])
    switch fitting {
    case .exact, .short: break
    case .long: longDevices.insert(device)
    case .tooLong, .undeclared: unsendableCount += 1
    }
    if fitting.isSendable { total += 1 }
    guard fitting != .exact, isStrict || !fitting.isSendable,
      problems.count < Self.problemCapacity,
      let message = message(fitting, HIDReportBytes(copying: report), lengths[device])
    else { return }
    problems.append(HIDTextProblem(file: file, location: location(line), message: message))
  }

  private func location(_ line: Int) -> HIDTextLocation {
    HIDTextLocation(line: max(1, line), column: 1)
  }

  /// What is wrong with a report.
  private func message(
    _ fitting: TraceFitting, _ report: HIDReportBytes, _ lengths: HIDReportLengths
  ) -> String? {
    let id = lengths.isNumbered(.input) ? report.first.flatMap(HIDReportID.init(rawValue:)) : nil
    // Not "report 5": that would be its ID.
    let name = "report number \(number) of the recording" + (id.map { " (ID \($0))" } ?? "")
    let found = report.count.counting("byte")
    switch fitting {
    case .exact, .long: return nil
    case .short(let declared):
      return """
        \(name) has \(found), and the descriptor declares \(declared): the kernel would drop the report; \
        leave --strict out, and hidsim fills it up with zeros
        """
    case .tooLong(let declared):
      return """
        \(name) has \(found), and the descriptor declares \(declared): \
        a report longer than declared can have at most \
        \(HIDReportDescriptor.uhidMaximumReportByteCount)
        """
    case .undeclared:
      return "\(name) is not in the report descriptor: \(report)"
    }
  }
}
