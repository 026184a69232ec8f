// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDSimulator
import IOLoop

/// The expectations about controls and states.
extension HIDScriptRun {
  mutating func expect(
    _ control: HIDScript.Control, _ value: HIDScript.Value, _ bound: Duration?,
    _ statement: Statement
  ) async throws {
    let level = Level(
      interface: try interface(statement), control: try element(control, statement), value: value)
    var next = log.endIndex
    let deadline = deadline(bound)
    // Input reports that the log only counts end no wait.
    let isPolled = level.control.type == .input && !log.keepsInput
    while true {
      let now = level.value
      if level.accepts(now) { return await consume(level) }
      let end = isPolled ? min(deadline, timeline.now.advanced(by: Self.beat)) : deadline
      let hasEvent = await log.workWaits(for: next, until: end)
      guard hasEvent || (end < deadline && !Task.isCancelled) else {
        try Task.checkCancellation()
        let shown = level.descriptor.shown(level.control, now)
        throw failure(
          statement,
          "expected \(control.name) \(value.text)\(bound.map { " within \($0.text)" } ?? ""), and it is \(shown)",
          instead: eventsInstead(of: level))
      }
      // A value that was right for a moment counts: two reports may arrive together when an LED
      // blinks.
      for event in log.read(from: &next).events where level.value(after: event) != nil {
        if level.value(after: event).map(level.accepts) == true { return await consume(level) }
      }
    }
  }

  /// Consumes the event that gave a control its expected value: the first such event that is not
  /// consumed.
  ///
  /// If the control had the value before the unconsumed events, the earlier event that gave it the
  /// value is consumed. So the result does not depend on the time at which the script checks the
  /// value.
  private mutating func consume(_ level: Level) async {
    let labels: Set = [level.interface.label]
    let start = ledger.next(of: labels)
    let (valueBefore, causeBefore) = lastChange(of: level, before: start)
    if level.accepts(valueBefore) {
      guard let causeBefore else { return }
      return ledger.consume([causeBefore], upTo: causeBefore.index + 1, of: labels, in: log)
    }
    for isLast in [false, true] {
      let cause = log.hostEvents(from: start) { event in
        level.value(after: event.event).map(level.accepts) == true
      }.events.first
      if let cause {
        return ledger.consume([cause], upTo: cause.index + 1, of: labels, in: log)
      }
      // The device may have a report of the host before the log has it. If not, no host caused the
      // value.
      if !isLast { await level.interface.catchUp() }
    }
  }

  /// Returns the value of a control before an event, and the earlier event of a host that gave it
  /// that value; nil if there is no such event.
  private func lastChange(
    of level: Level, before index: Int
  ) -> (value: Int64, cause: HIDEventLog.HostEvent?) {
    var value: Int64?
    var cause: HIDEventLog.HostEvent?
    let other = log.lastHostEvent(before: index) { event in
      guard let earlier = level.value(after: event.event) else { return false }
      if let value, earlier != value { return true }
      value = earlier
      cause = event
      return false
    }
    guard let value else { return (level.initialValue, nil) }
    return (value, other != nil || value != level.initialValue ? cause : nil)
  }

  /// Returns the events that a failure shows: the event that gave the control its value, and the
  /// last events of the current test after the last consumed event.
  private func eventsInstead(of level: Level) -> [HIDDeviceEvent] {
    let start = max(testStart, ledger.next(of: level.interface.label))
    let events = log.hostEvents(from: start) { _ in true }.events.suffix(Self.shownCount)
    let (value, cause) = lastChange(of: level, before: .max)
    guard let cause, value == level.value, !events.contains(where: { $0.index == cause.index })
    else { return events.map(\.event) }
    return [cause.event] + events.map(\.event)
  }

  /// The interval at which a value is polled that can change without an event.
  private static let beat = Duration.milliseconds(5)

  /// Waits until a state of the device file has a value; fails if that does not happen in time.
  ///
  /// The behaviours of the device file change a state, also without an event of a host. So no event
  /// is consumed.
  func expectState(
    _ name: HIDScript.Name, _ value: HIDScript.Value, _ bound: Duration?, _ statement: Statement
  ) async throws {
    let interface = try interface(statement)
    var next = log.endIndex
    let deadline = deadline(bound)
    while true {
      let number = interface.withModel { $0.value(of: .state(name.text)) }
      if value == .on ? number != 0 : number == value.stateNumber { return }
      guard timeline.now < deadline else {
        throw failure(
          statement,
          "expected \(name) \(value.text)\(bound.map { " within \($0.text)" } ?? ""), and it is \(number)",
          since: max(testStart, ledger.next(of: interface.label)))
      }
      _ = await log.workWaits(
        for: next, until: min(deadline, timeline.now.advanced(by: Self.beat)))
      try Task.checkCancellation()
      _ = log.read(from: &next)
    }
  }
}

/// A control and its expected value.
private struct Level {
  let interface: SimulatedInterface
  let control: HIDReportElement
  let expected: HIDScript.Value
  private let layout: HIDReportLayout?

  init(interface: SimulatedInterface, control: HIDReportElement, value: HIDScript.Value) {
    self.interface = interface
    self.control = control
    expected = value
    layout = interface.definition.descriptor.report(control.type, id: control.reportID)
  }

  var descriptor: HIDReportDescriptor { interface.definition.descriptor }

  /// The current value.
  var value: Int64 { interface.withModel { $0.value(of: control) } ?? 0 }

  /// The value in the initial report with the control; 0 if there is no such report.
  var initialValue: Int64 {
    HIDInterfaceModel(interface.definition).value(of: control) ?? 0
  }

  func accepts(_ value: Int64) -> Bool { expected.accepts(value, for: control, in: descriptor) }

  /// Returns the value after an event with the control's report; nil for other events, and if the
  /// report ends before the control.
  func value(after event: HIDDeviceEvent) -> Int64? {
    guard event.device == interface.label, let report = event.kind.knownReport,
      report.type == control.type, report.id == control.reportID
    else { return nil }
    return layout?.value(of: control, in: report.bytes)
  }
}
