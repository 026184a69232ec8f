// SPDX-License-Identifier: Apache-2.0

import HIDSimulator
import HIDText
import IOLoop

/// The expectations about the events of hosts.
extension HIDScriptRun {
  /// Waits for the next event that matches a pattern after the consumed events, and consumes it;
  /// fails if none comes in time.
  ///
  /// - Parameter isOnly: True to fail also if another report or request comes before the event, or
  ///   if the log has dropped events that may have come before it.
  mutating func expectEvent(
    _ pattern: HIDScript.HostEventPattern, isOnly: Bool = false, _ bound: Duration,
    _ statement: Statement
  ) async throws {
    let labels = labels(statement, for: pattern)
    let start = ledger.next(of: labels)
    // Each event is examined once.
    var next = start
    let deadline = deadline(bound)
    let expected = "expected \(isOnly ? "only " : "")\(pattern.text()) within \(bound.text)"
    while true {
      let (events, end, _) = log.hostEvents(from: next) { event in
        labels.contains(event.event.device) && ledger.isOpen(event)
      }
      if isOnly, !log.hasHostEvents(from: max(next, ledger.begin)) { throw tooMuch(statement) }
      next = end
      for (position, event) in events.enumerated() {
        if pattern.matches(event.event.kind) {
          return ledger.consume([event], upTo: event.index + 1, of: labels, in: log)
        }
        guard isOnly, event.event.kind.breaksSilence, ledger.counts(event) else { continue }
        throw failure(
          statement, "\(expected), and this came before it",
          instead: events[position...].prefix(Self.shownCount).map(\.event))
      }
      // Events that do not match stay unconsumed. If none matches, the failure shows them.
      guard await log.workWaits(for: next, until: deadline) else {
        try Task.checkCancellation()
        let before = log.lastHostEvent(before: start) { event in
          labels.contains(event.event.device) && pattern.matches(event.event.kind)
        }
        let time = before.map { HIDEventText.time($0.event.time, base: base) }
        throw failure(
          statement,
          expected
            + (time.map {
              "; the one at \($0) was consumed by an earlier command "
                + "that expected it or a later event"
            }
              ?? ""),
          since: start)
      }
    }
  }

  /// Fails if an unwanted event came after the last consumed event, or comes before a time is over.
  ///
  /// The command also fails if the log has dropped events of hosts in that time.
  ///
  /// - Parameter pattern: The events that must not come; nil for all reports and requests.
  mutating func expectNothing(
    _ pattern: HIDScript.HostEventPattern?, for span: Duration, _ statement: Statement
  ) async throws {
    let labels = labels(statement, for: pattern)
    let reached = log.endIndex
    let found = try await eventsUntil(span, labels) { kind in
      pattern?.matches(kind) ?? kind.breaksSilence
    }
    guard let first = found.events.first else {
      guard found.isWhole else { throw tooMuch(statement) }
      return
    }
    var message =
      "expected \(pattern?.text(article: "no") ?? "nothing") for \(span.text), and this came"
    if first.index < reached {
      message +=
        ledger.hasConsumed(of: labels)
        ? " after the last event that was expected" : " before this command, and was not expected"
    }
    // The events are passed over, so that of the later expectations only `expect nothing else`
    // reports them again.
    if let last = found.events.last {
      ledger.consume([], upTo: last.index + 1, of: labels, in: log)
    }
    throw failure(
      statement, message, instead: found.events.prefix(Self.shownCount).map(\.event))
  }

  /// Fails if a report or request to the command's interfaces met no expectation, by now or until a
  /// time is over.
  ///
  /// The command also fails if the log has dropped events of hosts in that time.
  mutating func expectNothingElse(
    for span: Duration?, _ statement: Statement, until end: String = ""
  ) async throws {
    let labels = labels(statement)
    let passed = ledger.passedOver.filter { labels.contains($0.value.device) }
    // An event that was passed over is already a failure, so there is no need to wait.
    let found = try await eventsUntil(passed.isEmpty ? span : nil, labels, \.breaksSilence)
    let events = found.events.reduce(into: passed) { $0[$1.index] = $1.event }
    guard !events.isEmpty else {
      guard found.isWhole, ledger.isWhole else { throw tooMuch(statement) }
      return
    }
    let first = events.sorted { $0.key < $1.key }.prefix(Self.listedCount).map(\.value)
    let total = "\(ledger.hasPassedOverMore ? "more than " : "")\(events.count)"
    let count = events.count > first.count ? " (the first \(first.count) of \(total))" : ""
    throw failure(
      statement,
      "expected nothing else\(span.map { " for \($0.text)" } ?? "")\(end), and this came\(count)",
      instead: first)
  }

  /// The maximum number of unexpected events that a failure of `expect nothing else` lists.
  private static let listedCount = 100

  /// Fails at the script's end if a report or request to any device met no expectation.
  mutating func expectNothingElse() async throws {
    let last = script.statements.last
    let statement = Statement(
      command: .expectNothingElse(for: nil), location: last?.location ?? .start,
      file: last?.file ?? script.name)
    do {
      try await expectNothingElse(
        for: nil, statement, until: " of the host until the end of the script (--expect-all)")
    } catch is CancellationError {
      throw HIDScriptStop(file: statement.file, location: statement.location)
    }
  }

  /// Consumes all events of hosts for the command's interfaces as expected, at once or after a
  /// time.
  ///
  /// Events that an expectation has passed over stay unexpected.
  mutating func expectAnything(for span: Duration?, _ statement: Statement) async throws {
    if let span { try await timeline.sleep(for: span) }
    let labels = labels(statement)
    for interface in interfaces(statement) { await interface.catchUp() }
    let (events, end, _) = log.hostEvents(from: ledger.next(of: labels)) { event in
      labels.contains(event.event.device) && ledger.isOpen(event)
    }
    ledger.consume(events, upTo: end, of: labels, in: log)
  }

  /// Returns the unwanted events that are not consumed, as soon as there are some or after a time.
  ///
  /// - Parameter span: The time; nil to examine only the events that hosts have caused by now.
  /// - Returns: The events, and true if the log had kept all events of that time.
  private func eventsUntil(
    _ span: Duration?, _ labels: Set<String>, _ isUnwanted: (HIDDeviceEvent.Kind) -> Bool
  ) async throws -> (events: [HIDEventLog.HostEvent], isWhole: Bool) {
    let deadline = deadline(span)
    var next = max(ledger.begin, ledger.next(of: labels))
    var isWhole = true
    var hasCaughtUp = false
    while true {
      let found = log.hostEvents(from: next) { event in
        labels.contains(event.event.device) && ledger.isOpen(event) && ledger.counts(event)
          && isUnwanted(event.event.kind)
      }
      next = found.end
      isWhole = isWhole && found.isWhole
      if hasCaughtUp || !found.events.isEmpty || !isWhole { return (found.events, isWhole) }
      if span != nil, await log.workWaits(for: next, until: deadline) { continue }
      try Task.checkCancellation()
      // Reports and requests that hosts have already sent may not have reached the devices yet.
      for interface in devices.flatMap(\.interfaces) where labels.contains(interface.label) {
        await interface.catchUp()
      }
      hasCaughtUp = true
    }
  }

  private func tooMuch(_ statement: Statement) -> HIDScriptFailure {
    failure(
      statement,
      "cannot tell whether the host sent anything unexpected: the log has dropped its oldest events"
    )
  }
}
