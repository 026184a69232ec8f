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
  /// The devices, which may send what was recorded of them.
  package private(set) var definitions: [HIDDeviceDefinition]
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
  ///   - definitions: Its devices.
  ///   - file: What messages call it.
  ///   - isStrict: Whether reports that cannot be sent as they are make it fail.
  ///   - pace: How it is played: what is outside of the part is not looked at.
  ///   - makeReader: Begins to read it.
  /// - Throws: What is wrong with the trace; where it is strict, with its reports.
  package init(
    _ definitions: [HIDDeviceDefinition], file: String, isStrict: Bool,
    pace: HIDTracePace = HIDTracePace(),
    makeReader: @escaping @Sendable () throws(HIDTraceError) -> HIDTraceReader
  ) throws(HIDTraceError) {
    self.definitions = definitions
    self.pace = pace
    self.makeReader = makeReader
    let lengths = definitions.map { HIDReportLengths($0.interfaces[0].descriptor) }
    var check = ReplayCheck(lengths, file: file, isStrict: isStrict, pace: pace)
    var reader = try makeReader()
    while try reader.visit(&check) {}
    warnings = reader.warnings
    if isStrict, !check.problems.isEmpty { throw HIDTraceError(problems: check.problems) }
    for device in check.longDevices {
      self.definitions[device].interfaces[0].descriptor.allowsLongInput = true
    }
    (total, padded, long) = (check.total, check.padded, check.long)
    (unsendableCount, unsendable) = (check.unsendableCount, check.problems)
  }

  /// Goes over a trace that is in memory.
  package init(
    _ trace: HIDTrace, _ definitions: [HIDDeviceDefinition], file: String, isStrict: Bool
  ) throws(HIDTraceError) {
    try self.init(definitions, file: file, isStrict: isStrict) { HIDTraceReader(trace) }
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
    let lengths = definitions.map { HIDReportLengths($0.interfaces[0].descriptor) }
    var player = HIDTracePlayer(pace: pace, lengths: lengths, makeReader: makeReader)
    player.spin = spin
    let playback = await SimulatedTraceSink(devices).play(player, isRealtime: isRealtime)
    return ReplayResult(
      playback, total: pace.loops.map { $0.multipliedReportingOverflow(by: total).0 })
  }
}

/// Counts what can be sent of a trace, and how.
private struct ReplayCheck: TraceVisitor {
  /// How many problems are kept.
  private static let problemCapacity = 20

  private(set) var total = 0
  private(set) var padded = 0
  private(set) var long = 0
  private(set) var longDevices: Set<Int> = []
  private(set) var unsendableCount = 0
  private(set) var problems: [HIDTextProblem] = []
  private let lengths: [HIDReportLengths]
  private let file: String
  private let isStrict: Bool
  private var schedule: HIDTraceSchedule
  private var number = 0

  init(_ lengths: [HIDReportLengths], file: String, isStrict: Bool, pace: HIDTracePace) {
    self.lengths = lengths
    self.file = file
    self.isStrict = isStrict
    schedule = HIDTraceSchedule(pace)
  }

  var wantsMore: Bool { true }

  mutating func event(_ event: HIDTraceEvent) { _ = schedule.place(event) }

  mutating func input(_ report: Span<UInt8>, device: Int, at microseconds: Int64, line: Int) {
    number += 1
    guard schedule.dueTime(ofInput: microseconds, device: device) != nil else { return }
    let fitting = TraceFitting(report, lengths[device])
    switch fitting {
    case .exact: break
    case .long:
      long += 1
      longDevices.insert(device)
    case .short: padded += 1
    case .tooLong, .undeclared: unsendableCount += 1
    }
    if fitting.isSendable { total += 1 }
    guard fitting != .exact, isStrict || !fitting.isSendable,
      problems.count < Self.problemCapacity,
      let message = message(fitting, HIDReportBytes(copying: report), lengths[device])
    else { return }
    let location = line > 0 ? HIDTextLocation(line: line, column: 1) : .start
    problems.append(HIDTextProblem(file: file, location: location, message: message))
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
