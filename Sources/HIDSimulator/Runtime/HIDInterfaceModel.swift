// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDUsageNaming
import HIDWire
import IOLoop

/// What one interface of a simulated device knows, and what it does when the host does something.
///
/// Events in, effects out, no I/O. A request is answered by the first of these that has an answer: a
/// script's rule, a behaviour of the device file, what the interface remembers, zeros of the declared
/// length; a report that is not declared gets an error.
struct HIDInterfaceModel: Sendable {
  /// What is to be done about an event.
  enum Effect: Sendable {
    case answerGet(HIDRequestID, [UInt8]?, after: Duration)
    case answerSet(HIDRequestID, accepted: Bool, after: Duration)
    case sendInput([UInt8], after: Duration)
    /// An input report goes out as it is by then.
    case sendPresentInput(HIDReportID?, after: Duration)
    /// The device is pulled out, and plugged in again after a pause, if there is one.
    case detach(pause: Duration?, after: Duration)
  }

  /// What happened, without the device's name.
  struct Happening: Sendable {
    let time: MonotonicTime
    let kind: HIDDeviceEvent.Kind
    let client: HIDClientName?
  }

  /// Which of several copies of a device it is.
  struct Copy: Sendable {
    var instance = 1
    var device: UInt64 = 0
    var plugged = MonotonicTime(nanoseconds: 0)
  }

  /// A request that was put to the device, until its answer has gone out.
  private struct Request: Sendable {
    let record: HIDHostEventRecord
    let report: HIDReceivedReport?
    let isDeclared: Bool
  }

  private struct Key: Hashable, Sendable {
    let type: HIDReportType
    let id: HIDReportID?
  }

  let definition: HIDInterfaceDefinition
  let lengths: HIDReportLengths
  /// The file's names of what it has added to the descriptor, by the names that the descriptor has for it.
  private let ownNames: [String: String]
  private var reports: [Key: [UInt8]] = [:]
  var states: [String: HIDStateValue] = [:]
  var copy = Copy()
  /// How many reports of each ID were stamped.
  var stampCounts: [HIDReportID?: Int64] = [:]
  private var heldKeys = HeldKeys()
  private var requests: [HIDRequestID: Request] = [:]
  private(set) var isOpen = false
  /// What a script says, which comes first.
  var script = ScriptedAnswers()

  init(_ definition: HIDInterfaceDefinition) {
    self.definition = definition
    lengths = HIDReportLengths(definition.descriptor)
    ownNames = Dictionary(
      definition.addedControls.compactMap { own in definition.controls[own].map { ($0, own) } },
      uniquingKeysWith: { first, _ in first })
    for layout in definition.descriptor.reports {
      reports[Key(type: layout.type, id: layout.id)] =
        layout.type == .input ? layout.neutralReport : layout.zeroReport
    }
    for report in definition.initialReports {
      reports[Key(type: report.type, id: report.id)] = report.bytes
    }
    for state in definition.states { states[state.name] = state.initial }
  }

  /// What a report says that the one before it did not; what the device file has added, by the file's names.
  private func namedChanges(
    _ type: HIDReportType, from previous: [UInt8]?, to report: [UInt8]
  ) -> [HIDNamedValue] {
    let changes = definition.descriptor.namedChanges(type, from: previous, to: report)
    guard !ownNames.isEmpty else { return changes }
    return changes.map { change in
      guard let name = ownNames[change.name] else { return change }
      return HIDNamedValue(name: name, value: change.value, isSwitch: change.isSwitch)
    }
  }

  /// The last report of a type and ID, its ID first if it is numbered; `nil` if it is not declared.
  func report(_ type: HIDReportType, _ id: HIDReportID?) -> [UInt8]? {
    reports[Key(type: type, id: id)]
  }

  /// The value of a control in the last report that has it.
  func value(of control: HIDControl) -> Int64? {
    guard let layout = definition.descriptor.report(control.type, id: control.reportID),
      let report = report(control.type, control.reportID)
    else { return nil }
    return layout.value(of: control, in: report.span)
  }

  // MARK: Input

  /// Notes an input report that is about to be sent.
  mutating func noteInput(_ report: [UInt8]) -> HIDSentReport {
    let id = lengths.isNumbered(.input) ? report.first.flatMap(HIDReportID.init(rawValue:)) : nil
    let key = Key(type: .input, id: id)
    let changes = namedChanges(.input, from: reports[key], to: report)
    if let layout = definition.descriptor.report(.input, id: id) { heldKeys.note(report, layout) }
    if let declared = reports[key]?.count {
      // What is longer than declared is no part of what the device remembers.
      reports[key] = report.count > declared ? Array(report.prefix(declared)) : report
    }
    return HIDSentReport(id: id, bytes: report, changes: changes)
  }

  /// Notes input reports that are about to be sent, and nobody is told of: the last of each ID is remembered.
  mutating func noteInputs(_ batch: HIDReportBatch) {
    guard !batch.isEmpty else { return }
    batch.withBytes { bytes in
      guard lengths.isNumbered(.input) else {
        return noteInput(bytes.extracting(batch.byteRange(ofReport: batch.count - 1)), nil)
      }
      var isNoted = InlineArray<256, Bool>(repeating: false)
      for index in (0..<batch.count).reversed() {
        let report = bytes.extracting(batch.byteRange(ofReport: index))
        guard !report.isEmpty, !isNoted[Int(report[0])] else { continue }
        isNoted[Int(report[0])] = true
        noteInput(report, HIDReportID(rawValue: report[0]))
      }
    }
  }

  private mutating func noteInput(_ report: Span<UInt8>, _ id: HIDReportID?) {
    let key = Key(type: .input, id: id)
    guard let declared = reports[key]?.count else { return }
    reports[key] = report.indices.prefix(declared).map { report[$0] }
  }

  /// Makes the input report that sets some controls, from the last one sent; it is sent next.
  ///
  /// - Throws: `HIDReportValueError` if a value does not fit.
  mutating func inputReport(
    setting values: [(HIDControl, Int64)], at now: MonotonicTime = .now
  ) throws(HIDReportValueError) -> [UInt8]? {
    guard let first = values.first?.0,
      let layout = definition.descriptor.report(.input, id: first.reportID),
      var bytes = report(.input, first.reportID)
    else { return nil }
    layout.resetRelativeControls(in: &bytes)
    var keys = heldKeys
    for (control, value) in values { try keys.set(control, to: value, layout, in: &bytes) }
    heldKeys = keys
    stamp(&bytes, first.reportID, at: now)
    return bytes
  }

  /// Sets controls in what the device remembers of its output and feature reports; nothing is sent.
  ///
  /// - Throws: `HIDReportValueError` if a value does not fit.
  mutating func remember(setting values: [(HIDControl, Int64)]) throws(HIDReportValueError) {
    for (control, value) in values {
      let key = Key(type: control.type, id: control.reportID)
      guard let layout = definition.descriptor.report(control.type, id: control.reportID),
        var bytes = reports[key]
      else { continue }
      try layout.set(control, to: value, in: &bytes)
      reports[key] = bytes
    }
  }

  /// The input reports that let go of everything: one for each report that is not at rest.
  ///
  /// What was on before anything was pressed stays on.
  mutating func inputReportsAtRest(at now: MonotonicTime = .now) -> [[UInt8]] {
    definition.descriptor.reports(of: .input).compactMap { layout in
      let first =
        definition.initialReports.first { $0.type == .input && $0.id == layout.id }?.bytes
        ?? layout.neutralReport
      guard let last = report(.input, layout.id), last != first else { return nil }
      // Axes stay where they are: only what is pressed is let go of, and nobody presses Confidence.
      var bytes = last
      for control in layout.controls
      where definition.descriptor.isSwitch(control, in: layout)
        && control.usage != .digitizers(.touchValid)
      {
        layout.reset(control, in: &bytes)
        let rest = control.isArrayMember ? 0 : layout.value(of: control, in: first.span) ?? 0
        if rest != 0 { try? layout.set(control, to: rest, in: &bytes) }
      }
      layout.resetRelativeControls(in: &bytes)
      guard bytes != last else { return nil }
      stamp(&bytes, layout.id, at: now)
      return bytes
    }
  }

  // MARK: What the host does

  /// Applies an event, and says what is to be done and told.
  mutating func receive(
    _ record: HIDHostEventRecord
  ) -> (effects: [Effect], happenings: [Happening]) {
    func happened(_ kind: HIDDeviceEvent.Kind) -> Happening {
      Happening(time: record.time, kind: kind, client: record.client)
    }
    switch record.event {
    case .start: return ([], [])
    case .stop:
      isOpen = false  // the driver's, and every client's node is gone
      return ([], [])
    case .open:
      isOpen = true
      return (react(at: record.time) { $0 == .open }, [happened(.opened)])
    case .close:
      isOpen = false
      return (react(at: record.time) { $0 == .close }, [happened(.closed)])
    case .output(let raw):
      let report = take(raw, .output)
      var happenings = [happened(.output(report))]
      if let warning = lengthWarning(report) ?? numberWarning(report) {
        happenings.append(happened(.fidelity(warning)))
      }
      let effects = react(to: report.bytes, at: record.time) { trigger in
        guard case .output(let pattern) = trigger else { return false }
        return pattern?.matches(report.bytes) ?? true
      }
      return (effects, happenings)
    case .getReport(let request, let type, let id):
      let isDeclared = lengths.byteCount(type, id) != nil
      requests[request] = Request(record: record, report: nil, isDeclared: isDeclared)
      return answer(get: request, type, id, at: record.time)
    case .setReport(let request, let type, _, let raw):
      return answer(set: request, type, raw, record)
    }
  }

  /// Understands a report of the host, and remembers it if it is declared.
  private mutating func take(_ raw: HIDReportBytes, _ type: HIDReportType) -> HIDReceivedReport {
    let (report, key) = understand(raw, type)
    if report.isDeclared { remember(report.bytes, key) }
    return report
  }

  private func understand(
    _ raw: HIDReportBytes, _ type: HIDReportType
  ) -> (HIDReceivedReport, Key) {
    let (id, dropped) = lengths.normalized(raw, type: type)
    let all = [UInt8](raw)
    let bytes = Array(all.dropFirst(dropped))
    let key = Key(type: type, id: id)
    let isDeclared = lengths.byteCount(type, id) != nil
    let changes =
      isDeclared
      ? namedChanges(type, from: reports[key], to: bytes) : []
    let report = HIDReceivedReport(
      type: type, id: id, bytes: bytes, raw: all, changes: changes, isDeclared: isDeclared)
    return (report, key)
  }

  private mutating func remember(_ bytes: [UInt8], _ key: Key) {
    guard let declared = reports[key]?.count else { return }
    // A short report leaves the rest as it is, a long one is cut: as a device's own buffer would be.
    let kept = reports[key]?.dropFirst(bytes.count) ?? []
    reports[key] = Array((bytes.prefix(declared) + kept).prefix(declared))
  }

  /// What hardware would have made of a report that is not as long as declared.
  private func lengthWarning(_ report: HIDReceivedReport) -> String? {
    guard let declared = lengths.byteCount(report.type, report.id),
      report.bytes.count != declared,
      !definition.anyLengthReports.contains(HIDReportName(report.type, report.id))
    else { return nil }
    // Of the length that is declared, and one more, a first 00 was looked at already; else it can be nothing
    // but the number that hidraw wants, since the kernel's own drivers write what is declared.
    let hasNumber = report.id != nil || report.bytes.first == 0
    return lengths.warning(
      report.type, report.id, payload: Array(report.bytes.dropFirst(hasNumber ? 1 : 0)))
  }

  /// What USB hardware would have made of bytes whose writer forgot the report number.
  private func numberWarning(_ report: HIDReceivedReport) -> String? {
    // The kernel's own drivers write without a number, and start with 00 at times: LEDs, and what has
    // one byte, cannot be told from that.
    guard report.id == nil, report.raw.count > 1, report.raw == report.bytes,
      report.raw.first == 0, lengths.byteCount(.output, nil) == report.raw.count,
      !isLEDReport
    else { return nil }
    return """
      an output report without the number that hidraw wants first: USB hardware would have been \
      sent \((report.raw.count - 1).counting("byte")), without the leading 00
      """
  }

  private var isLEDReport: Bool {
    definition.descriptor.report(.output, id: nil)?.fields.contains {
      $0.usages.first?.page == 0x08
    } ?? false
  }

  // MARK: Requests

  /// What is done about an event, and told of it at once.
  typealias Reaction = (effects: [Effect], happenings: [Happening])

  private mutating func answer(
    get request: HIDRequestID, _ type: HIDReportType, _ id: HIDReportID?, at now: MonotonicTime
  ) -> Reaction {
    switch script.reply(to: .get, type, id) {
    case let reply? where reply.answer == .nothing: return ([], ignore(request, at: now))
    case let reply?: return ([.answerGet(request, reply.answer.report, after: reply.delay)], [])
    case nil: break
    }
    guard let behaviour = behaviour({ $0 == .get(type, id) }) else {
      return ([.answerGet(request, report(type, id), after: .zero)], [])
    }
    let effects = carryOut(behaviour, [], at: now)
    let answer: [UInt8]?
    switch behaviour.answer {
    case .never: return (effects, ignore(request, at: now))
    case .error: answer = nil
    case .usual: answer = report(type, id)
    case .reply(let template): answer = report(template, type, id, [], at: now)
    case .exactReply(let template):
      var bytes: [UInt8] = []
      fill(template, into: &bytes, [], at: now)
      answer = Array(bytes.prefix(HIDReportDescriptor.uhidMaximumReportByteCount))
    }
    return ([.answerGet(request, answer, after: behaviour.delay)] + effects, [])
  }

  private mutating func answer(
    set request: HIDRequestID, _ type: HIDReportType, _ raw: HIDReportBytes,
    _ record: HIDHostEventRecord
  ) -> Reaction {
    let (report, key) = understand(raw, type)
    requests[request] = Request(record: record, report: report, isDeclared: report.isDeclared)
    if let reply = script.reply(to: .set, type, report.id) {
      if reply.answer == .nothing { return ([], ignore(request, at: record.time)) }
      let isAccepted = reply.answer.report != nil
      if isAccepted, report.isDeclared { remember(report.bytes, key) }
      return ([.answerSet(request, accepted: isAccepted, after: reply.delay)], [])
    }
    // A behaviour's conditions and terms see what was set, which is forgotten again if it is refused.
    let before = reports[key]
    if report.isDeclared { remember(report.bytes, key) }
    let found = behaviour { trigger in
      guard case .set(type, report.id, let pattern) = trigger else { return false }
      return pattern?.matches(report.bytes) ?? true
    }
    guard let found else {
      return ([.answerSet(request, accepted: report.isDeclared, after: .zero)], [])
    }
    let effects = carryOut(found, report.bytes, at: record.time)
    if found.answer == .error { reports[key] = before }
    if found.answer == .never { return (effects, ignore(request, at: record.time)) }
    let isAccepted = found.answer != .error
    return ([.answerSet(request, accepted: isAccepted, after: found.delay)] + effects, [])
  }

  /// What a request is, for whoever may answer it in the device's place; `nil` for another event.
  func request(_ event: HIDHostEvent, number: UInt64) -> HIDDelegatedRequest? {
    switch event {
    case .getReport(_, let type, let id):
      return HIDDelegatedRequest(
        number: number, type: type, id: id, bytes: nil, raw: nil,
        isDeclared: lengths.byteCount(type, id) != nil)
    case .setReport(_, let type, let id, let raw):
      let (report, _) = understand(raw, type)
      return HIDDelegatedRequest(
        number: number, type: type, id: report.id ?? id, bytes: report.bytes, raw: report.raw,
        isDeclared: report.isDeclared)
    case .start, .stop, .open, .close, .output: return nil
    }
  }

  /// Answers a request as somebody else has decided.
  mutating func receive(
    _ record: HIDHostEventRecord, answeredBy answer: HIDDelegatedAnswer, at now: MonotonicTime
  ) -> Reaction {
    switch (record.event, answer) {
    case (_, .usual): return receive(record)
    case (.getReport(let request, let type, let id), _):
      let isDeclared = lengths.byteCount(type, id) != nil
      requests[request] = Request(record: record, report: nil, isDeclared: isDeclared)
      switch answer {
      case .report(let bytes): return ([.answerGet(request, bytes, after: .zero)], [])
      case .nothing: return ([], ignore(request, at: now))
      case .error, .accepted, .usual: return ([.answerGet(request, nil, after: .zero)], [])
      }
    case (.setReport(let request, let type, _, let raw), _):
      let (report, key) = understand(raw, type)
      requests[request] = Request(record: record, report: report, isDeclared: report.isDeclared)
      if answer == .nothing { return ([], ignore(request, at: now)) }
      let isAccepted = answer == .accepted
      if isAccepted, report.isDeclared { remember(report.bytes, key) }
      return ([.answerSet(request, accepted: isAccepted, after: .zero)], [])
    default: return ([], [])
    }
  }

  /// Forgets a request that is never answered, and says what to tell of it.
  private mutating func ignore(_ request: HIDRequestID, at now: MonotonicTime) -> [Happening] {
    answered(request, nil, at: now, isSilent: true)
  }

  /// Notes that an answer has gone out, and says what to tell of it.
  mutating func answered(
    _ request: HIDRequestID, _ report: [UInt8]?, at now: MonotonicTime, isSilent: Bool = false
  ) -> [Happening] {
    guard let asked = requests.removeValue(forKey: request) else { return [] }
    let answer = HIDAnswer(
      report: report, latency: now.duration(since: asked.record.time),
      isDeclared: asked.isDeclared, isSilent: isSilent)
    var kinds: [HIDDeviceEvent.Kind] = []
    switch (asked.record.event, asked.report) {
    case (.getReport(_, let type, let id), _): kinds = [.getReport(type, id, answer)]
    case (.setReport, let report?):
      kinds = [.setReport(report, answer)]
      if let warning = lengthWarning(report) { kinds.append(.fidelity(warning)) }
    default: break
    }
    return kinds.map { Happening(time: now, kind: $0, client: asked.record.client) }
  }

  /// Forgets what was not answered: the device was unplugged.
  mutating func unplugged() {
    requests = [:]
    isOpen = false
  }
}
