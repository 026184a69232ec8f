// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
package import HIDSimulator
package import HIDText
package import HIDTraces

/// A trace that was examined once, and can be played to devices that can send its reports.
///
/// The plan keeps the devices, the answers and the expected events of the trace, but not its
/// reports: whenever the trace is played, its events are read again.
package struct ReplayPlan: Sendable {
  /// One interface of a device.
  private struct Target: Sendable {
    let device: Int
    let interface: Int
  }

  /// The definitions of the devices, changed where necessary so that they can send the recorded
  /// reports.
  package private(set) var definitions: [HIDDeviceDefinition]
  /// The interface that sends and answers for each device of the trace.
  private let targets: [Target]
  /// The answers of the trace's devices.
  private let answers: [HIDTraceAnswers]
  /// The assertion with the expected events of the host; nil if none was given.
  package let assertion: HIDTraceAssertion?
  /// The pace at which the trace is played.
  package let pace: HIDTracePace
  /// The number of reports that are sent in one round.
  package private(set) var total = 0
  /// The number of reports that are not sent: undeclared reports, and reports that are longer than
  /// a bus can carry.
  package private(set) var unsendableCount = 0
  /// The problems of the first reports that cannot be sent, at most 20.
  package private(set) var unsendable: [HIDTextProblem] = []
  /// The number of times that devices are plugged or unplugged in one round.
  package let changeCount: Int
  /// The warnings about the trace.
  package private(set) var warnings: [HIDTextProblem] = []
  /// A reader that has read no event.
  private let reader: HIDTraceReader

  /// Examines a trace.
  ///
  /// - Parameters:
  ///   - reader: A reader of the trace that has read no event.
  ///   - definitions: The devices, with as many interfaces in all as the trace has devices.
  ///   - targets: The device and the interface for each device of the trace; nil if they have the
  ///     same order as the interfaces of the definitions.
  ///   - file: The name of the trace in messages.
  ///   - isStrict: True to fail if reports cannot be sent exactly as recorded.
  ///   - pace: The pace at which the trace is played. Reports outside of the played part are not
  ///     examined.
  ///   - assertion: The assertion about the host's events; nil for none.
  /// - Throws: The problems of the trace, such as a report of an unplugged device; a wrong number
  ///   of interfaces; too many host events for the assertion; if strict, also the problems of its
  ///   reports.
  package init(
    _ reader: HIDTraceReader, _ definitions: [HIDDeviceDefinition],
    targets: [(device: Int, interface: Int)]? = nil, file: String, isStrict: Bool,
    pace: HIDTracePace = HIDTracePace(), asserting assertion: HIDTraceAssertion? = nil
  ) throws(HIDTraceError) {
    self.definitions = definitions
    self.pace = pace
    self.reader = reader
    self.targets =
      targets?.map { Target(device: $0.device, interface: $0.interface) }
      ?? Self.targets(definitions)
    let targets = self.targets
    var reader = reader
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

  /// Returns the labels in the log of the interfaces for the devices of the trace.
  package func labels(of devices: [SimulatedDevice]) -> [String] {
    targets.map { devices[$0.device].interfaces[$0.interface].label }
  }

  /// Makes devices answer as the trace does.
  ///
  /// Call this method before the devices are plugged, since their drivers send requests.
  package func prepare(_ devices: [SimulatedDevice]) {
    for (target, answers) in zip(targets, answers) {
      devices[target.device].answer(as: answers, interface: target.interface)
    }
  }

  /// Makes plugged devices answer from the beginning of the trace, for hosts that send requests
  /// before it is played.
  package func begin(on devices: [SimulatedDevice]) {
    for device in devices { device.beginAnswers() }
  }

  /// Plays the trace to plugged devices.
  ///
  /// - Parameters:
  ///   - devices: The devices, in the order of ``definitions``.
  ///   - spin: The time before a report is due in which the sending thread polls the clock instead
  ///     of sleeping, at most 0.1 ms; nil for the default.
  ///   - isRealtime: True to run the sending thread with real-time priority.
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

  /// Plays the trace to a sink.
  package func play(to sink: some HIDTraceSink) async -> ReplayResult {
    result(await player().play(to: sink))
  }

  private func player() -> HIDTracePlayer {
    HIDTracePlayer(pace: pace, lengths: Self.lengths(definitions, targets)) { [reader] in reader }
  }

  private func result(_ playback: HIDTracePlayback) -> ReplayResult {
    let all = pace.loops.map { loops in
      let (count, overflow) = loops.multipliedReportingOverflow(by: total)
      return overflow ? Int.max : count
    }
    return ReplayResult(playback, total: all)
  }
}

/// A visitor that counts the reports of a trace that can be sent, and finds problems.
private struct ReplayCheck: TraceVisitor {
  /// The maximum number of problems that are kept.
  private static let problemCapacity = 20

  private(set) var total = 0
  private(set) var longDevices: Set<Int> = []
  private(set) var unsendableCount = 0
  private(set) var problems: [HIDTextProblem] = []
  /// The number of times that devices are plugged or unplugged.
  private(set) var changeCount = 0
  /// The answers of each device.
  private(set) var answers: [HIDTraceAnswers]
  private(set) var assertion: HIDTraceAssertion?
  /// The line of the first host event that exceeds the capacity of the assertion.
  private(set) var crowdedLine: Int?
  /// The problem of the first report that a device sends while it is unplugged.
  private(set) var strayProblem: HIDTextProblem?
  /// The lines in which the currently unplugged devices were unplugged, by device.
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

  /// True while events of the played part may still come in the trace.
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

  /// Returns the problem of a report; nil if there is none.
  private func message(
    _ fitting: TraceFitting, _ report: HIDReportBytes, _ lengths: HIDReportLengths
  ) -> String? {
    let id = lengths.isNumbered(.input) ? report.first.flatMap(HIDReportID.init(rawValue:)) : nil
    // "report 5" would name the report with the ID 5.
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
