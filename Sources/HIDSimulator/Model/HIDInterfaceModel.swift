// SPDX-License-Identifier: Apache-2.0

import HIDBus
package import HIDReportDescriptor
import HIDText
package import IOLoop

/// The state of one interface of a simulated device, and its reactions to the host.
///
/// The model takes events and returns effects; it does no I/O. ``HIDAnswerPolicy`` has the order of
/// the sources that answer requests.
package struct HIDInterfaceModel: Sendable {
  /// The effects to perform after an event, and the events to log at once.
  typealias Reaction = (effects: [Effect], happenings: [Happening])

  /// An effect to perform after an event.
  enum Effect: Sendable {
    case answerGet(HIDRequestID, [UInt8]?, after: Duration)
    case answerSet(HIDRequestID, accepted: Bool, after: Duration)
    case sendInput([UInt8], after: Duration)
    /// Sends an input report with the values that it has when it is sent.
    case sendPresentInput(HIDReportID?, after: Duration)
    /// Sends an input report that sets some of its controls, unless the press of a switch is over.
    ///
    /// `isLast` is true for the last report of one repeat.
    case sendSetting([(HIDReportElement, Int64)], of: PressNumber, isLast: Bool)
    /// Unplugs the device, and plugs it again after `pause` unless that is nil.
    case detach(pause: Duration?, after: Duration)
  }

  /// An event of the log, without the device's label.
  struct Happening: Sendable {
    let time: MonotonicTime
    let kind: HIDDeviceEvent.Kind
    let client: HIDClientName?
    var route: USBReportRoute?
  }

  /// The identity of one copy of a device, and the time when plugging it last began.
  struct Copy: Sendable {
    var instance = 1
    var device: UInt64 = 0
    var plugged = MonotonicTime(nanoseconds: 0)
  }

  /// A request that the device received, until it is answered.
  struct Request: Sendable {
    /// The number that the bus gave the request.
    let number: HIDRequestID
    /// The kind of the request, and the report that it concerns.
    let name: HIDReportRequest
    let record: HIDHostEventRecord
    /// The report of a set request.
    var report: HIDReceivedReport?
    let isDeclared: Bool
    /// The report that the report of a set request has replaced; nil if it has replaced none.
    var before: [UInt8]?
  }

  struct Key: Hashable, Sendable {
    let type: HIDReportType
    let id: HIDReportID?
  }

  let definition: HIDInterfaceDefinition
  let lengths: HIDReportLengths
  private let names: HIDReportNames
  /// The added controls that are at different places in different reports.
  let alternatives: [Key: [HIDControlAlternatives]]
  /// The current report of each declared type and ID, at first the initial report; and the initial
  /// reports that are not declared.
  private(set) var reports: [Key: [UInt8]] = [:]
  /// The current reports that have controls at different places, with each control where its field
  /// says; arranged when the report came, with the state of that time.
  private var arrangedReports: [Key: [UInt8]] = [:]
  var states: [String: HIDStateValue] = [:]
  var copy = Copy()
  /// The number of reports of each ID that were stamped: changed by ``stamp(_:_:at:)``.
  var stampCounts: [HIDReportID?: Int64] = [:]
  private var heldKeys = HeldKeys()
  /// The switches of the device file that are down, by name.
  var pressedSwitches: [String: PressedSwitch] = [:]
  /// The number of times that a switch went down.
  var pressCount = 0
  /// The requests that are not answered yet.
  var requests: [HIDRequestID: Request] = [:]
  /// The first report since plugging for which a get request got an error or no answer.
  var firstRefusal: Key?
  package private(set) var isOpen = false
  /// The sources of answers besides the device file.
  var policy = HIDAnswerPolicy()
  /// The contacts on the touch surface, in the order in which they began.
  ///
  /// Plugging the device removes all contacts.
  package var contacts: [HIDTouchSurface.Contact] = []

  package init(_ definition: HIDInterfaceDefinition) {
    self.definition = definition
    lengths = HIDReportLengths(definition.descriptor)
    names = HIDReportNames(definition)
    alternatives = Dictionary(grouping: definition.alternatives) {
      Key(type: $0.field.type, id: $0.field.reportID)
    }
    for layout in definition.descriptor.reports {
      reports[Key(type: layout.type, id: layout.id)] =
        layout.type == .input ? layout.neutralReport : layout.zeroReport
    }
    for report in definition.initialReports {
      reports[Key(type: report.type, id: report.id)] = report.bytes
    }
    for state in definition.states { states[state.name] = state.initial }
    for key in alternatives.keys {
      if let bytes = reports[key] { store(bytes, key) }
    }
  }

  /// Sets the current report of a declared type and ID.
  mutating func store(_ bytes: [UInt8], _ key: Key) {
    reports[key] = bytes
    if alternatives[key] != nil { arrangedReports[key] = arranged(bytes, key) }
  }

  /// Returns the current report of a type and ID with each control where its field says.
  private func arrangedReport(_ key: Key) -> [UInt8]? {
    alternatives.isEmpty ? reports[key] : arrangedReports[key] ?? reports[key]
  }

  /// Returns the current report of a type and ID, its ID first if it is numbered; `nil` if there is
  /// none.
  package func report(_ type: HIDReportType, _ id: HIDReportID?) -> [UInt8]? {
    reports[Key(type: type, id: id)]
  }

  /// Returns the value of a control in the current report; nil if the control is not declared, or
  /// has no bits or more than 64.
  package func value(of control: HIDReportElement) -> Int64? {
    guard let layout = definition.descriptor.report(control.type, id: control.reportID),
      let report = arrangedReport(Key(type: control.type, id: control.reportID))
    else { return nil }
    return layout.value(of: control, in: report.span)
  }

  // MARK: Input

  /// Remembers an input report that is about to be sent, and returns it with its changes for the
  /// log.
  mutating func noteInput(_ report: [UInt8]) -> HIDSentReport {
    let id = lengths.isNumbered(.input) ? report.first.flatMap(HIDReportID.init(rawValue:)) : nil
    let key = Key(type: .input, id: id)
    let change = HIDSentReport.Change(
      names: names, previous: arrangedReport(key), report: arranged(report, key))
    if let layout = definition.descriptor.report(.input, id: id) { heldKeys.note(report, layout) }
    if let declared = reports[key]?.count {
      // The device does not remember bytes beyond the declared length.
      store(report.count > declared ? Array(report.prefix(declared)) : report, key)
    }
    return HIDSentReport(id: id, bytes: report, change: change)
  }

  /// Remembers the last report of each ID among input reports that are sent without being logged.
  ///
  /// - Parameter range: The indices of the reports in the batch; nil for all.
  mutating func noteInputs(_ batch: HIDReportBatch, in range: Range<Int>? = nil) {
    let range = range ?? 0..<batch.count
    guard !range.isEmpty else { return }
    batch.withBytes { bytes in
      guard lengths.isNumbered(.input) else {
        return noteInput(bytes.extracting(batch.byteRange(ofReport: range.upperBound - 1)), nil)
      }
      var isNoted = InlineArray<256, Bool>(repeating: false)
      for index in range.reversed() {
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
    let kept = report.indices.prefix(declared).map { report[$0] }
    store(kept, key)
    if let layout = definition.descriptor.report(.input, id: id) { heldKeys.note(kept, layout) }
  }

  /// Makes an input report from the current report, with new values for some controls.
  ///
  /// Other relative controls are 0 in it. The caller sends the report next.
  ///
  /// - Returns: The report; nil if there are no values, or if the report descriptor declares no
  ///   such input report.
  /// - Throws: `HIDReportValueError` if a value does not fit.
  mutating func inputReport(
    setting values: [(HIDReportElement, Int64)], at now: MonotonicTime = .now
  ) throws(HIDReportValueError) -> [UInt8]? {
    guard let first = values.first?.0,
      let layout = definition.descriptor.report(.input, id: first.reportID),
      var bytes = report(.input, first.reportID)
    else { return nil }
    layout.resetRelativeControls(in: &bytes)
    var keys = heldKeys
    for (control, value) in values {
      if isMoved(control, layout, in: bytes) {
        try set(control, to: value, layout, in: &bytes)
      } else {
        try keys.set(control, to: value, layout, in: &bytes)
      }
    }
    heldKeys = keys
    stamp(&bytes, first.reportID, at: now)
    return bytes
  }

  /// Sets controls in the remembered output and feature reports; nothing is sent.
  ///
  /// - Throws: `HIDReportValueError` if a value does not fit; the controls before it are set.
  package mutating func remember(setting values: [(HIDReportElement, Int64)])
    throws(HIDReportValueError)
  {
    for (control, value) in values {
      let key = Key(type: control.type, id: control.reportID)
      guard let layout = definition.descriptor.report(control.type, id: control.reportID),
        var bytes = reports[key]
      else { continue }
      try set(control, to: value, layout, in: &bytes)
      store(bytes, key)
    }
  }

  /// Releases the switches of the device file, and returns the layouts of the input reports for
  /// which ``inputReportAtRest(_:at:)`` returns a report.
  package mutating func beginRelease() -> [HIDReportLayout] {
    pressedSwitches = [:]
    return definition.descriptor.reports(of: .input).filter { released($0) != nil }
  }

  /// Returns the input report that puts every on-off control to rest; nil if all are at rest.
  ///
  /// A control is at rest if it has its value in the device's initial report; a usage of an array
  /// field is at rest if it is off. The result is also nil if the current report is the initial
  /// report. Relative controls are 0 in the result. The other controls and Confidence keep their
  /// values.
  package mutating func inputReportAtRest(
    _ layout: HIDReportLayout, at now: MonotonicTime = .now
  ) -> [UInt8]? {
    guard var bytes = released(layout) else { return nil }
    stamp(&bytes, layout.id, at: now)
    return bytes
  }

  /// Returns the report of ``inputReportAtRest(_:at:)`` without its stamps; nil if there is none.
  private func released(_ layout: HIDReportLayout) -> [UInt8]? {
    let first =
      definition.initialReports.first { $0.type == .input && $0.id == layout.id }?.bytes
      ?? layout.neutralReport
    guard let last = report(.input, layout.id), last != first else { return nil }
    // Axes keep their values. Only pressed controls are released. Confidence does not count as a
    // pressed control.
    var bytes = last
    let start = arranged(first, Key(type: .input, id: layout.id))
    for control in layout.controls
    where definition.descriptor.isSwitch(control, in: layout)
      && control.usage != .digitizers(.touchValid)
    {
      let rest = control.isArrayMember ? 0 : layout.value(of: control, in: start.span) ?? 0
      if isMoved(control, layout, in: bytes) {
        try? set(control, to: rest, layout, in: &bytes)
        continue
      }
      layout.reset(control, in: &bytes)
      if rest != 0 { try? layout.set(control, to: rest, in: &bytes) }
    }
    // A movement has been reported already, and is not a pressed control.
    guard bytes != last else { return nil }
    layout.resetRelativeControls(in: &bytes)
    return bytes
  }

  // MARK: What the host does

  /// Applies an event of the host, and returns the effects and the events to log.
  mutating func receive(
    _ record: HIDHostEventRecord
  ) -> Reaction {
    func happened(_ kind: HIDDeviceEvent.Kind) -> Happening {
      Happening(time: record.time, kind: kind, client: record.client, route: record.route)
    }
    switch record.event {
    case .start: return ([], [])
    case .stop:
      // A stop closes the device for the driver and for every client.
      isOpen = false
      return ([], [])
    case .open:
      isOpen = true
      return (react(at: record.time) { $0 == .open }, [happened(.opened)])
    case .close:
      isOpen = false
      return (react(at: record.time) { $0 == .close }, [happened(.closed)])
    case .output(let raw):
      var report = take(raw, .output)
      let found = behaviour { trigger in
        guard case .output(let pattern, let route) = trigger, route != .set else { return false }
        return pattern?.matches(report.bytes) ?? true
      }
      report.isUnhandled = found == nil && reacts(to: .output)
      var happenings = [happened(.output(report))]
      // On the USB bus the host has taken the report number off, as before real hardware.
      let isOnUSB = record.route != nil
      if let warning = lengthWarning(report) ?? (isOnUSB ? nil : numberWarning(report)) {
        happenings.append(happened(.fidelity(warning)))
      }
      return (
        found.map { carryOut(definition.behaviours[$0], report.bytes, at: record.time) } ?? [],
        happenings
      )
    case .getReport, .setReport:
      if case .reaction(let reaction)? = answer(record, isDelegable: false) { return reaction }
      return ([], [])
    case .usb(let event):
      var happenings = [happened(.usb(event))]
      if case .withdrawal(let request) = event {
        happenings = ignore(request, at: record.time) + happenings
      }
      let effects = react(at: record.time) { trigger in
        if case .usb(let pattern) = trigger { pattern.matches(event) } else { false }
      }
      return (effects, happenings)
    }
  }

  /// Returns whether the device file has behaviours for reports of a type that the host sends.
  func reacts(to type: HIDReportType) -> Bool {
    definition.behaviours.contains { behaviour in
      switch behaviour.trigger {
      case .output: type == .output
      case .set(type, _, _): true
      default: false
      }
    }
  }

  /// Interprets a report of the host, and remembers it if it is declared.
  private mutating func take(_ raw: HIDReportBytes, _ type: HIDReportType) -> HIDReceivedReport {
    let (report, key) = understand(raw, type)
    if report.isDeclared { remember(report.bytes, key) }
    return report
  }

  /// Interprets a report of the host, and returns it with the key under which it is remembered.
  func understand(
    _ raw: HIDReportBytes, _ type: HIDReportType
  ) -> (HIDReceivedReport, Key) {
    let (id, dropped) = lengths.normalized(raw, type: type)
    let all = [UInt8](raw)
    let bytes = Array(all.dropFirst(dropped))
    let key = Key(type: type, id: id)
    let isDeclared = lengths.byteCount(type, id) != nil
    let arranged = arranged(bytes, key)
    let changes =
      isDeclared
      ? names.changes(type, from: arrangedReport(key), to: arranged) : []
    let report = HIDReceivedReport(
      type: type, id: id, bytes: bytes, raw: all,
      arranged: alternatives[key] == nil ? nil : arranged, changes: changes,
      isDeclared: isDeclared)
    return (report, key)
  }

  mutating func remember(_ bytes: [UInt8], _ key: Key) {
    guard let declared = reports[key]?.count else { return }
    // A short report leaves the remaining bytes unchanged, and a long report is cut, as in a
    // device's own buffer.
    let kept = reports[key]?.dropFirst(bytes.count) ?? []
    store(Array((bytes.prefix(declared) + kept).prefix(declared)), key)
  }

  /// Returns a warning about hardware's reaction to a report that does not have the declared
  /// length; nil if the report has that length, is not declared, or may have any length.
  func lengthWarning(_ report: HIDReceivedReport) -> String? {
    guard let declared = lengths.byteCount(report.type, report.id),
      report.bytes.count != declared,
      !definition.anyLengthReports.contains(HIDReportName(report.type, report.id))
    else { return nil }
    // `normalized` has handled a leading 00 in reports of the declared length and of one byte more.
    // In reports of another length a leading 00 is the report number that hidraw requires, because
    // the kernel's own drivers write the declared length.
    let hasNumber = report.id != nil || report.bytes.first == 0
    return lengths.warning(
      report.type, report.id, payload: Array(report.bytes.dropFirst(hasNumber ? 1 : 0)))
  }

  /// Returns a warning about USB hardware's reaction to a report whose writer omitted the report
  /// number.
  ///
  /// - Returns: A sentence; nil if the report has the number, does not begin with 00, does not have
  ///   the declared length, or may come from a driver of the kernel.
  private func numberWarning(_ report: HIDReceivedReport) -> String? {
    // The kernel's own drivers write without a report number, and their reports can start with 00.
    // An LED report or a report of one byte from such a driver looks the same.
    guard report.id == nil, report.raw.count > 1, report.raw == report.bytes,
      report.raw.first == 0, lengths.byteCount(.output, nil) == report.raw.count,
      !isLEDReport
    else { return nil }
    return """
      an output report lacks the report number that hidraw requires as the first byte: \
      USB hardware would have received \((report.raw.count - 1).counting("byte")), \
      without the leading 00
      """
  }

  private var isLEDReport: Bool {
    definition.descriptor.report(.output, id: nil)?.fields.contains {
      $0.usages.first?.page == 0x08
    } ?? false
  }

  /// Discards pending requests, pressed switches and the open state when the device is unplugged.
  mutating func unplugged() {
    requests = [:]
    isOpen = false
    pressedSwitches = [:]
  }
}
