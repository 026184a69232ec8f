// SPDX-License-Identifier: Apache-2.0

package import HIDReportDescriptor
import HIDText
package import IOLoop

// The behaviours that the device file declares for an interface.
extension HIDInterfaceModel {
  /// The timers of the interface: the indices of their behaviours, and their periods.
  var timers: [(behaviour: Int, period: Duration)] {
    definition.behaviours.enumerated().compactMap { index, behaviour in
      if case .timer(let period) = behaviour.trigger { (index, period) } else { nil }
    }
  }

  /// Sets the identity of the copy, and performs the first behaviour that plugging triggers and
  /// whose conditions hold.
  ///
  /// The method also removes all contacts, and forgets the first refused request.
  ///
  /// - Parameters:
  ///   - instance: The number of this copy of the device, from 1.
  ///   - device: A number that no other device has.
  /// - Returns: The effects to perform once the device is ready.
  mutating func plug(instance: Int, device: UInt64, at now: MonotonicTime) -> [Effect] {
    contacts = []
    copy = Copy(instance: instance, device: device, plugged: now)
    firstRefusal = nil
    return react(at: now) { $0 == .plug }
  }

  /// Performs the behaviour of a timer if its conditions hold, and returns the effects.
  mutating func tick(_ behaviour: Int, at now: MonotonicTime) -> [Effect] {
    guard definition.behaviours.indices.contains(behaviour) else { return [] }
    let behaviour = definition.behaviours[behaviour]
    return areMet(behaviour.conditions) ? carryOut(behaviour, [], at: now) : []
  }

  /// Performs the first behaviour that an event triggers and whose conditions hold.
  ///
  /// - Returns: The effects; none if there is no such behaviour.
  mutating func react(
    to request: [UInt8] = [], at now: MonotonicTime,
    _ isTriggered: (HIDBehaviour.Trigger) -> Bool
  ) -> [Effect] {
    guard let behaviour = behaviour(isTriggered) else { return [] }
    return carryOut(definition.behaviours[behaviour], request, at: now)
  }

  /// Returns the index of the first behaviour that an event triggers and whose conditions hold.
  func behaviour(_ isTriggered: (HIDBehaviour.Trigger) -> Bool) -> Int? {
    definition.behaviours.firstIndex { isTriggered($0.trigger) && areMet($0.conditions) }
  }

  func areMet(_ conditions: [HIDBehaviour.Condition]) -> Bool {
    conditions.allSatisfy { condition in
      let value = self.value(of: condition.name)
      return condition.values.contains { $0.contains(value) }
    }
  }

  /// Applies a behaviour's changes of state, and returns the effects.
  ///
  /// The caller sends the answer.
  mutating func carryOut(
    _ behaviour: HIDBehaviour, _ request: [UInt8], at now: MonotonicTime
  ) -> [Effect] {
    for change in behaviour.changes { apply(change, request, at: now) }
    var effects: [Effect] = behaviour.sendings.map { sending in
      let delay = behaviour.delay + sending.delay
      guard let bytes = sending.bytes else {
        return .sendPresentInput(sending.id, after: delay)
      }
      return .sendInput(report(bytes, .input, sending.id, request, at: now), after: delay)
    }
    if let detachment = behaviour.detachment {
      effects.append(.detach(pause: detachment.pause, after: behaviour.delay))
    }
    return effects
  }

  // MARK: State

  /// The names and values of all states, in the order of the device file.
  package var stateValues: [(name: String, value: HIDStateValue)] {
    definition.states.map { ($0.name, states[$0.name] ?? $0.initial) }
  }

  /// The current report of each declared type and ID, sorted by type and ID.
  package var reportValues: [(type: HIDReportType, id: HIDReportID?, bytes: [UInt8])] {
    definition.descriptor.reports.compactMap { layout in
      report(layout.type, layout.id).map { (layout.type, layout.id, $0) }
    }
  }

  /// Returns the value of a numeric state or a control; 0 if there is none.
  package func value(of name: HIDValueName) -> Int64 {
    switch name {
    case .state(let name):
      if case .integer(let number) = states[name] { number } else { 0 }
    case .control(_, let control): value(of: control) ?? 0
    }
  }

  /// Sets a numeric state to the value that a script gives it.
  ///
  /// The caller has checked that the value is in the range of the state. An unknown name does
  /// nothing.
  package mutating func setState(_ name: String, to number: Int64) {
    guard let kind = definition.states.first(where: { $0.name == name })?.kind else { return }
    states[name] = .integer(kind.wrapped(number))
  }

  private mutating func apply(
    _ change: HIDBehaviour.Change, _ request: [UInt8], at now: MonotonicTime
  ) {
    guard let kind = definition.states.first(where: { $0.name == change.name })?.kind else {
      return
    }
    let number: Int64
    switch change.value {
    case .integer(let integer): number = integer
    case .step(let step): number = value(of: .state(change.name)) &+ step
    case .term(let term): number = self.number(term, request, before: [], at: now)
    case .bytes(let template):
      guard case .bytes(let count) = kind else { return }
      var bytes: [UInt8] = []
      fill(template, into: &bytes, request, at: now)
      bytes = Array(bytes.prefix(count))
      states[change.name] = .bytes(bytes + Array(repeating: 0, count: count - bytes.count))
      return
    }
    states[change.name] = .integer(kind.wrapped(number))
  }

  // MARK: Stamps

  /// Returns the current input report with its stamps.
  ///
  /// Relative controls are zero: their movements have been reported already. The result is empty if
  /// the report is not declared.
  mutating func presentReport(_ id: HIDReportID?, at now: MonotonicTime) -> [UInt8] {
    guard let layout = definition.descriptor.report(.input, id: id),
      var bytes = report(.input, id)
    else { return [] }
    layout.resetRelativeControls(in: &bytes)
    stamp(&bytes, id, at: now)
    return bytes
  }

  /// Writes the device file's stamps, such as counters, times and checksums, into an input report
  /// that is about to be sent.
  package mutating func stamp(_ report: inout [UInt8], _ id: HIDReportID?, at now: MonotonicTime) {
    var isStamped = false
    for stamp in definition.stamps where stamp.id == id {
      guard report.indices.contains(stamp.offset) else { continue }
      var bytes = Array(report.prefix(stamp.offset))
      fill(stamp.bytes, into: &bytes, [], at: now, count: stampCounts[id] ?? 0)
      for index in stamp.offset..<min(bytes.count, report.count) { report[index] = bytes[index] }
      isStamped = true
    }
    if isStamped { stampCounts[id, default: 0] &+= 1 }
  }

  // MARK: Templates

  /// Makes a report of a type and ID from a template.
  ///
  /// The ID, if there is one, comes before the bytes of the template. A declared report is filled
  /// up with zeros to its declared length, or cut to it.
  func report(
    _ template: HIDReportTemplate, _ type: HIDReportType, _ id: HIDReportID?, _ request: [UInt8],
    at now: MonotonicTime
  ) -> [UInt8] {
    var bytes = id.map { [$0.rawValue] } ?? []
    fill(template, into: &bytes, request, at: now)
    let declared = lengths.byteCount(type, id) ?? bytes.count
    if bytes.count > declared { bytes.removeLast(bytes.count - declared) }
    bytes.append(contentsOf: repeatElement(0, count: declared - bytes.count))
    return bytes
  }

  /// Appends the bytes of a template to an array.
  ///
  /// A checksum in the template covers all bytes before it in the array.
  func fill(
    _ template: HIDReportTemplate, into bytes: inout [UInt8], _ request: [UInt8],
    at now: MonotonicTime, count: Int64 = 0
  ) {
    for part in template.parts {
      switch part {
      case .bytes(let known): bytes += known
      case .integer(let integer):
        integer.format.append(
          number(integer, request, before: bytes, at: now, count: count), to: &bytes)
      case .halves(let high, let low):
        let values = [high, low].map { half in
          switch half {
          case .digit(let digit): digit
          case .integer(let integer):
            UInt8(
              truncatingIfNeeded: number(integer, request, before: bytes, at: now, count: count))
              & 0xF
          }
        }
        bytes.append(values[0] << 4 | values[1])
      case .state(let name, let count): bytes += stateBytes(name).prefix(count)
      case .stateBytes(let name, let range): bytes += Self.bytes(range, of: stateBytes(name))
      case .request(nil): bytes += request
      case .request(let range?): bytes += Self.bytes(range, of: request)
      case .report(let type, let id, let range):
        bytes += Self.bytes(range, of: report(type, id) ?? [])
      }
    }
  }

  /// Returns the bytes at some offsets; 0 for an offset beyond the end.
  private static func bytes(_ range: ClosedRange<Int>, of bytes: [UInt8]) -> [UInt8] {
    range.map { bytes.indices.contains($0) ? bytes[$0] : 0 }
  }

  /// Returns the bytes of a state; none if the state is a number.
  private func stateBytes(_ name: String) -> [UInt8] {
    if case .bytes(let bytes) = states[name] { bytes } else { [] }
  }

  /// Returns the number of a term, shifted and masked.
  private func number(
    _ integer: HIDReportTemplate.Integer, _ request: [UInt8], before bytes: [UInt8],
    at now: MonotonicTime, count: Int64 = 0
  ) -> Int64 {
    integer.bits(of: source(of: integer, request, before: bytes, at: now, count: count))
  }

  private func source(
    of integer: HIDReportTemplate.Integer, _ request: [UInt8], before bytes: [UInt8],
    at now: MonotonicTime, count: Int64
  ) -> Int64 {
    switch integer.source {
    case .value(let name): return value(of: name)
    case .request(let offset): return integer.format.read(request, at: offset)
    case .stateBytes(let name, let offset):
      return integer.format.read(stateBytes(name), at: offset)
    case .report(let type, let id, let offset):
      return integer.format.read(report(type, id) ?? [], at: offset)
    case .counter: return count
    case .time(let unit):
      return unit > .zero ? Int64(now.duration(since: copy.plugged) / unit) : 0
    case .instance: return Int64(copy.instance)
    case .device: return Int64(truncatingIfNeeded: copy.device)
    case .crc32(let seed):
      var checksum = CRC32()
      checksum.add(seed.span)
      checksum.add(bytes.span)
      return Int64(checksum.value)
    }
  }
}
