// SPDX-License-Identifier: Apache-2.0

internal import HIDBus
internal import HIDReportDescriptor
internal import HIDText

extension DeviceFileWriter {
  /// Returns the elements of `reports`, one a line: initial bytes, stamps and `anyLength`.
  ///
  /// A device file cannot have initial bytes of a report that the descriptor does not declare. They
  /// are left out.
  func reports(of interface: HIDInterfaceDefinition) -> [String] {
    var left = interface.stamps
    func stamp(_ id: HIDReportID?) -> [String] {
      let stamps = left.filter { $0.id == id }
      guard !stamps.isEmpty else { return [] }
      left.removeAll { $0.id == id }
      let before = id == nil ? 0 : 1
      let members = stamps.map { member("\($0.offset - before)", quoted("\($0.bytes)")) }
      return [member("stamp", line(members))]
    }
    var anyLength = interface.anyLengthReports
    func length(_ type: HIDReportType, _ id: HIDReportID?) -> [String] {
      let name = HIDReportName(type, id)
      guard anyLength.contains(name) else { return [] }
      anyLength.removeAll { $0 == name }
      return [member("anyLength", "true")]
    }
    func report(_ type: HIDReportType, _ number: HIDReportID?, _ rest: [String]) -> String {
      line([member("type", quoted("\(type)"))] + id(number) + rest)
    }
    let declared = interface.initialReports.filter {
      interface.descriptor.report($0.type, id: $0.id) != nil
    }
    var lines = declared.map { initial in
      report(
        initial.type, initial.id,
        [member("initial", payload(initial.bytes, initial.id))]
          + (initial.type == .input ? stamp(initial.id) : [])
          + length(initial.type, initial.id))
    }
    while let next = left.first { lines.append(report(.input, next.id, stamp(next.id))) }
    while let next = anyLength.first {
      lines.append(report(next.type, next.id, length(next.type, next.id)))
    }
    return lines
  }

  func state(_ state: HIDStateVariable) -> String {
    var members = [member("type", quoted(state.kind.name))]
    if case .bytes(let count) = state.kind { members.append(member("count", "\(count)")) }
    if state.initial != state.kind.zero {
      let initial =
        switch state.initial {
        case .integer(let number): "\(number)"
        case .bytes(let bytes): quoted(bytes.hexText)
        }
      members.append(member("initial", initial))
    }
    return member(state.name, line(members))
  }

  func behaviour(_ behaviour: HIDBehaviour, _ descriptor: HIDReportDescriptor) -> String {
    let event = [member("on", trigger(behaviour.trigger, descriptor))] + when(behaviour.conditions)
    var members = event
    if !behaviour.changes.isEmpty {
      members.append(
        member("set", line(behaviour.changes.map { member($0.name, value($0.value)) })))
    }
    switch behaviour.answer {
    case .usual: break
    case .error: members.append(member("error", "true"))
    case .none: members.append(member("none", "true"))
    case .reply(let bytes): members.append(member("reply", quoted("\(bytes)")))
    case .exactReply(let bytes):
      members += [member("reply", quoted("\(bytes)")), member("exact", "true")]
    }
    if !behaviour.sendings.isEmpty {
      let sendings = behaviour.sendings.map { sending($0) }
      members.append(
        member("send", sendings.count == 1 ? sendings[0] : "[\(sendings.joined(separator: ", "))]"))
    }
    // A behaviour in a device file needs an action. A behaviour without any other action is written
    // with its delay, even if the delay is zero.
    if behaviour.delay != .zero || members.count == event.count && behaviour.detachment == nil {
      members.append(member("delay", quoted(behaviour.delay.text)))
    }
    if let detachment = behaviour.detachment {
      members.append(member("detach", detachment.pause.map { quoted($0.text) } ?? "true"))
    }
    return line(members)
  }

  private func trigger(
    _ trigger: HIDBehaviour.Trigger, _ descriptor: HIDReportDescriptor
  ) -> String {
    switch trigger {
    case .plug, .open, .close: return quoted(trigger.word)
    case .timer(let period): return line([member(trigger.word, quoted(period.text))])
    case .usb(let pattern): return line([member(trigger.word, quoted(pattern.text))])
    case .get(let type, let number):
      return line([member(trigger.word, quoted("\(type)"))] + id(number))
    case .set(let type, let number, let pattern):
      let bytes = pattern.map { [member("bytes", self.pattern($0, isNumbered: number != nil))] }
      return line([member(trigger.word, quoted("\(type)"))] + id(number) + (bytes ?? []))
    case .output(nil, let route):
      return line([member(trigger.word, quoted("any"))] + by(route))
    case .output(let pattern?, let route):
      let isNumbered = descriptor.numbersReports(.output)
      let number =
        isNumbered ? pattern.bytes.first.flatMap { HIDReportID(rawValue: $0.value) } : nil
      return line(
        [member(trigger.word, self.pattern(pattern, isNumbered: isNumbered))] + id(number)
          + by(route))
    }
  }

  private func by(_ route: HIDOutputRoute?) -> [String] {
    route.map { [member("by", quoted($0.rawValue))] } ?? []
  }

  /// Returns the pattern of the bytes after the ID.
  func pattern(_ pattern: HIDBytePattern, isNumbered: Bool) -> String {
    var pattern = pattern
    if isNumbered { pattern.bytes.removeFirst() }
    return quoted("\(pattern)")
  }

  // MARK: Switches

  func switchRow(_ row: HIDSwitchRow) -> String {
    let entries = row.entries.map {
      member($0.name, quoted($0.controlNames.joined(separator: "+")))
    }
    return line(when(row.conditions) + [member("press", line(entries))])
  }

  func switchRepeat(_ rule: HIDSwitchRepeat) -> String {
    let action =
      switch rule.action {
      case .once: [member("once", "true")]
      case .repeated(let delay, let interval):
        [member("delay", time(delay)), member("interval", time(interval))]
      }
    return line(when(rule.conditions) + action)
  }

  private func time(_ time: HIDSwitchRepeat.Time) -> String {
    switch time {
    case .fixed(let duration): quoted(duration.text)
    case .multiple(let state, let unit):
      line([member("state", quoted(state)), member("unit", quoted(TimeUnit.text(unit)))])
    case .part(let state, let whole):
      line([member("state", quoted(state)), member("per", quoted(TimeUnit.text(whole)))])
    }
  }

  func when(_ conditions: [HIDBehaviour.Condition]) -> [String] {
    guard !conditions.isEmpty else { return [] }
    return [
      member("when", line(conditions.map { member($0.name.text, condition($0.values)) }))
    ]
  }

  private func condition(_ values: [ClosedRange<Int64>]) -> String {
    let texts = values.map { range in
      range.count == 1
        ? "\(range.lowerBound)"
        : line([member("minimum", "\(range.lowerBound)"), member("maximum", "\(range.upperBound)")])
    }
    return texts.count == 1 ? texts[0] : "[\(texts.joined(separator: ", "))]"
  }

  private func value(_ value: HIDBehaviour.Change.Value) -> String {
    switch value {
    case .integer(let number): "\(number)"
    case .step(let step): quoted(step < 0 ? "\(step)" : "+\(step)")
    case .term(let term): quoted("${\(term)}")
    case .bytes(let bytes): quoted("\(bytes)")
    }
  }

  private func sending(_ sending: HIDBehaviour.Sending) -> String {
    let bytes = sending.bytes.map { quoted("\($0)") }
    if let bytes, sending.id == nil, sending.delay == .zero { return bytes }
    var members = id(sending.id) + (bytes.map { [member("bytes", $0)] } ?? [])
    if sending.delay != .zero { members.append(member("after", quoted(sending.delay.text))) }
    return line(members)
  }
}
