// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDSystem
import HIDWire
import IOLoop

/// What a script waits for, and expects.
extension HIDScriptRun {
  func deadline(_ bound: Duration?) -> MonotonicTime {
    timeline.now.advanced(by: bound ?? .zero)
  }

  func waitForOpen(_ bound: Duration, _ statement: Statement) async throws {
    let start = log.endIndex
    var next = start
    let deadline = deadline(bound)
    while !interfaces(statement).contains(where: \.isOpen) {
      guard await log.workWaits(for: next, until: deadline) else {
        try Task.checkCancellation()
        throw failure(statement, "nobody opened the device within \(bound.text)", since: start)
      }
      _ = log.read(from: &next)
    }
  }

  func wait(
    for reader: HIDScript.Reader, _ bound: Duration, _ statement: Statement
  ) async throws {
    let deadline = deadline(bound)
    let start = log.endIndex
    while true {
      for interface in interfaces(statement)
      where await interface.hasReader(reader, countingOwn: countsOwnReaders) { return }
      guard timeline.now < deadline else {
        throw failure(
          statement, "nobody had the \(reader.noun) open within \(bound.text)", since: start)
      }
      // Nothing tells who opens a node: /proc is looked at again and again.
      try await timeline.sleep(for: .milliseconds(5))
    }
  }

  func expect(
    _ control: HIDScript.Control, _ value: HIDScript.Value, _ bound: Duration?,
    _ statement: Statement
  ) async throws {
    let interface = try interface(statement)
    let element = try element(control, statement)
    let descriptor = interface.definition.descriptor
    let layout = descriptor.report(element.type, id: element.reportID)
    var next = log.endIndex
    let deadline = deadline(bound)
    while true {
      let now = interface.withModel { $0.value(of: element) } ?? 0
      if value.accepts(now, for: element, in: descriptor) { return }
      guard await log.workWaits(for: next, until: deadline) else {
        try Task.checkCancellation()
        let shown = descriptor.shown(element, now)
        throw failure(
          statement,
          "expected \(control.name) \(value.text)\(bound.map { " within \($0.text)" } ?? ""), and it is \(shown)",
          since: unmet)
      }
      // What was so for a moment was so: two reports of the host may come at once, a lamp's blink.
      for event in log.read(from: &next).events where event.device == interface.label {
        guard let report = event.kind.knownReport, report.type == element.type,
          report.id == element.reportID, let was = layout?.value(of: element, in: report.bytes)
        else { continue }
        if value.accepts(was, for: element, in: descriptor) { return }
      }
    }
  }

  /// How often a state is looked at that timers change, without an event.
  private static let beat = Duration.milliseconds(5)

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
          since: unmet)
      }
      _ = await log.workWaits(
        for: next, until: min(deadline, timeline.now.advanced(by: Self.beat)))
      try Task.checkCancellation()
      _ = log.read(from: &next)
    }
  }

  mutating func expectEvent(
    _ pattern: HIDScript.HostEventPattern, _ bound: Duration, _ statement: Statement
  ) async throws {
    let start = consumed
    var next = consumed  // each event is looked at once, however many come
    let deadline = deadline(bound)
    let labels = labels(statement)
    while true {
      let events = log.read(from: &next)
      for (offset, event) in events.events.enumerated()
      where labels?.contains(event.device) != false && pattern.matches(event.kind) {
        consumed = next - events.events.count + offset + 1
        return
      }
      // What does not match stays unconsumed: it is shown if nothing does.
      guard await log.workWaits(for: next, until: deadline) else {
        try Task.checkCancellation()
        throw failure(
          statement, "expected \(pattern.text()) within \(bound.text)", since: start)
      }
    }
  }

  func expectNothing(
    _ pattern: HIDScript.HostEventPattern?, for span: Duration, _ statement: Statement
  ) async throws {
    let start = log.endIndex
    var next = start
    let deadline = deadline(span)
    let labels = labels(statement)
    while await log.workWaits(for: next, until: deadline) {
      let (events, missed) = log.read(from: &next)
      func isUnwanted(_ kind: HIDDeviceEvent.Kind) -> Bool {
        pattern?.matches(kind) ?? kind.isHosts
      }
      let came = events.contains { labels?.contains($0.device) != false && isUnwanted($0.kind) }
      guard came || missed > 0 else { continue }
      throw failure(
        statement,
        "expected \(pattern?.text(article: "no") ?? "nothing") for \(span.text), and this came",
        since: start, listing: isUnwanted)
    }
    try Task.checkCancellation()
  }
}

extension HIDDeviceEvent.Kind {
  /// The report that the device knows from then on.
  fileprivate var knownReport: (type: HIDReportType, id: HIDReportID?, bytes: [UInt8])? {
    switch self {
    case .output(let report): (report.type, report.id, report.bytes)
    case .setReport(let report, let answer) where answer.report != nil:
      (report.type, report.id, report.bytes)
    case .input(let report): (.input, report.id, report.bytes)
    default: nil
    }
  }
}
