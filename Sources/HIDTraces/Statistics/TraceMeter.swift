// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// The counters of one device.
struct TraceMeter: Sendable {
  private struct ReportKey: Hashable {
    var type: HIDReportType
    var id: HIDReportID?
  }

  private struct Tally {
    var count = 0
    var shortest = Int.max
    var longest = 0
    var layout: HIDReportLayout?
    var decoder: HIDReportDecoder?
    /// The bytes with which the next input report is compared; empty before the first one and for
    /// other types.
    var previous: [UInt8] = []
  }

  private struct Move {
    var control: HIDReportElement
    var minimum: Int64
    var maximum: Int64
    var changes = 0
  }

  /// The position of a control: its report, its field, and its index in the field.
  private struct Place: Hashable {
    var id: HIDReportID?
    var field: Int
    var index: Int
  }

  private let device: HIDTraceDevice
  private let label: String
  private var descriptor: HIDReportDescriptor?
  private var problem: HIDReportDescriptorError?
  private var counts: [HIDEventName: Int] = [:]
  private var first: Int64?
  private var last: Int64?
  private var lastInput: Int64?
  private var tallies: [ReportKey: Tally] = [:]
  private var intervals = HIDTraceIntervals()
  private var moves: [Place: Move] = [:]
  private var furtherChanges = 0
  private var gets = HIDTraceRequests()
  private var sets = HIDTraceRequests()
  private var short = 0
  private var long = 0
  private var undeclared = 0
  private var lost = 0

  init(_ device: HIDTraceDevice, label: String) {
    self.device = device
    self.label = label
    do throws(HIDReportDescriptorError) {
      descriptor = try HIDReportDescriptor(parsing: device.descriptor)
    } catch {
      problem = error
    }
  }

  /// Counts an event.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - time: Its time in microseconds, not before that of the device's previous event.
  ///   - room: The number of further controls that may be tracked.
  mutating func add(_ event: HIDTraceEvent, at time: Int64, room: inout Int) {
    counts[event.kind.name, default: 0] += 1
    first = first ?? time
    last = time
    switch event.kind {
    case .input(let report):
      if let lastInput { intervals.add(time - lastInput) }
      lastInput = time
      add(report, event.kind, room: &room)
    case .output(let report): add(report, event.kind, room: &room)
    case .getReport(let request):
      let isAnswered = request.answer != .none
      gets.add(
        latency: request.latency, isRefused: request.answer == .error, isAnswered: isAnswered)
      if case .report(let report) = request.answer { add(report, event.kind, room: &room) }
    case .setReport(let request):
      sets.add(
        latency: request.latency, isRefused: request.answer == .error,
        isAnswered: request.answer != .none)
      add(request.report, event.kind, room: &room)
    case .lost(let count): lost = Int(clamping: Int64(lost).added(Int64(count)))
    case .original, .opened, .closed, .plugged, .unplugged, .packet: break
    }
  }

  private mutating func add(
    _ report: HIDReportBytes, _ kind: HIDTraceEvent.Kind, room: inout Int
  ) {
    guard let type = kind.reportType else { return }
    let key = ReportKey(type: type, id: kind.reportID(on: descriptor))
    // The entry is taken out of the table, so that nothing is copied.
    var tally = tallies.removeValue(forKey: key) ?? newTally(key)
    defer { tallies[key] = tally }
    tally.count += 1
    tally.shortest = min(tally.shortest, report.count)
    tally.longest = max(tally.longest, report.count)
    guard let layout = tally.layout else {
      if descriptor != nil { undeclared += 1 }
      return
    }
    if report.count < layout.byteCount { short += 1 }
    if report.count > layout.byteCount { long += 1 }
    guard case .input = kind, let decoder = tally.decoder else { return }
    let bytes = [UInt8](report)
    // The first report is compared with itself, so that no absolute control counts as changed.
    let previous = tally.previous.isEmpty ? bytes : tally.previous
    decoder.forEachChange(from: previous.span, to: bytes.span) { control, before, after in
      // A relative control has no value before its change.
      let before = layout.fields[control.fieldIndex].isRelative ? after : before
      let place = Place(id: control.reportID, field: control.fieldIndex, index: control.index)
      if var move = moves[place] {
        move.minimum = min(move.minimum, before, after)
        move.maximum = max(move.maximum, before, after)
        move.changes += 1
        moves[place] = move
      } else if room > 0 {
        room -= 1
        moves[place] = Move(
          control: control, minimum: min(before, after), maximum: max(before, after), changes: 1)
      } else {
        furtherChanges += 1
      }
    }
    // A report with ErrorRollOver does not contain the pressed keys, and a short report has no
    // values for its missing bytes.
    decoder.remember(bytes.span, in: &tally.previous)
  }

  private func newTally(_ key: ReportKey) -> Tally {
    var tally = Tally()
    tally.layout = descriptor?.report(key.type, id: key.id)
    if key.type == .input { tally.decoder = tally.layout.map(HIDReportDecoder.init) }
    return tally
  }

  // MARK: The end

  /// The statistics so far.
  var result: HIDTraceStatistics.Device {
    HIDTraceStatistics.Device(
      device: device, label: label, problem: problem, counts: counts, first: first, last: last,
      reports: reports, intervals: intervals, moved: moved,
      stillCount: max(0, controlCount - moves.count), furtherChanges: furtherChanges, gets: gets,
      sets: sets, short: short, long: long, undeclared: undeclared, lost: lost)
  }

  private var reports: [HIDTraceStatistics.Report] {
    tallies.map { key, tally in
      HIDTraceStatistics.Report(
        type: key.type, id: key.id, count: tally.count, shortest: tally.shortest,
        longest: tally.longest, declared: tally.layout?.byteCount)
    }.sorted {
      ($0.type.order, $0.id?.rawValue ?? 0) < ($1.type.order, $1.id?.rawValue ?? 0)
    }
  }

  /// The number of controls of input reports.
  private var controlCount: Int {
    descriptor?.reports(of: .input).reduce(0) { sum, report in
      report.fields.reduce(sum) { $0 + $1.controlCount }
    } ?? 0
  }

  private var moved: [HIDTraceStatistics.Control] {
    guard let descriptor else { return [] }
    return descriptor.reports(of: .input).flatMap { report in
      let own = moves.values.filter { $0.control.reportID == report.id }
      guard !own.isEmpty else { return [HIDTraceStatistics.Control]() }
      let names = HIDReportElementNames(of: report, in: descriptor)
      return own.sorted {
        ($0.control.fieldIndex, $0.control.index) < ($1.control.fieldIndex, $1.control.index)
      }.map {
        HIDTraceStatistics.Control(
          name: names.name(of: $0.control), minimum: $0.minimum, maximum: $0.maximum,
          changes: $0.changes)
      }
    }
  }
}
