// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
public import HIDSystem
import HIDText
import HIDUsageNaming
import HIDWire
public import IOLoop

/// Runs a script: what it says for the devices, and what it says for their host.
public struct HIDScriptRunner: Sendable {
  private let script: HIDScript
  private let devices: [SimulatedDevice]
  private let bus: HIDBus
  private let log: HIDEventLog
  private let base: MonotonicTime

  /// Makes a runner.
  ///
  /// - Parameters:
  ///   - script: The script, resolved for the definitions of the devices.
  ///   - devices: The devices, plugged, in the order the script was resolved for.
  ///   - bus: The bus they are plugged into.
  ///   - log: Where it is written down what happens to them.
  ///   - base: The time that times in messages count from.
  public init(
    _ script: HIDScript, devices: [SimulatedDevice], bus: HIDBus, log: HIDEventLog,
    base: MonotonicTime
  ) {
    self.script = script
    self.devices = devices
    self.bus = bus
    self.log = log
    self.base = base
  }

  /// Runs the script to its end, and then lets go of what is still pressed, unless it says `hold`.
  ///
  /// - Throws: `HIDScriptFailure` at the first line that fails; `HIDScriptStop` when the task is cancelled before
  ///   the last line is done with.
  public func run() async throws {
    var run = Run(script: script, devices: devices, bus: bus, log: log, base: base)
    do {
      for statement in script.statements {
        do {
          try Task.checkCancellation()
          try await run.perform(statement)
        } catch is CancellationError {
          throw HIDScriptStop(file: script.name, location: statement.location)
        }
      }
    } catch {
      // In a task of its own: this one may be cancelled, and keys are let go of all the same.
      let last = run
      await Task { await last.end(holding: false) }.value
      throw error
    }
    await run.end(holding: script.holdsAtEnd)
  }
}

/// One run of a script.
private struct Run: Sendable {
  typealias Statement = HIDScript.Statement

  let script: HIDScript
  let devices: [SimulatedDevice]
  let bus: HIDBus
  let log: HIDEventLog
  let base: MonotonicTime
  /// The index of the next event that `expect event` has not consumed.
  var consumed = 0
  /// The clients that `host` commands opened.
  var hosts: [HIDScript.InterfaceReference: HostView] = [:]

  func interface(_ statement: Statement) throws -> SimulatedInterface {
    guard let reference = statement.interface else {
      throw failure(statement, "this command needs to know which interface: device NAME before it")
    }
    return devices[reference.device].interfaces[reference.interface]
  }

  /// The interfaces that a command is about: one, or all.
  func interfaces(_ statement: Statement) -> [SimulatedInterface] {
    guard let reference = statement.interface else { return devices.flatMap(\.interfaces) }
    return [devices[reference.device].interfaces[reference.interface]]
  }

  func element(_ control: HIDScript.Control, _ statement: Statement) throws -> HIDControl {
    guard let element = control.element else {
      throw failure(statement, "\"\(control.name)\" was not looked up")
    }
    return element
  }

  mutating func perform(_ statement: Statement) async throws {
    do {
      try await act(statement)
    } catch let error as HIDWireError {
      throw failure(statement, error.message)
    } catch let error as HIDReportValueError {
      throw failure(statement, "\(error)")
    }
  }

  private mutating func act(_ statement: Statement) async throws {
    switch statement.command {
    case .tap(let controls), .press(let controls), .release(let controls):
      try await stroke(controls, statement)
    case .type(_, let strokes): try await type(strokes, statement)
    case .report(let bytes): try await report(bytes, statement)
    case .move(let x, let y):
      try await move([(.genericDesktop(.x), x), (.genericDesktop(.y), y)], statement)
    case .scroll(let amount, let isHorizontal):
      try await move(
        [(isHorizontal ? .consumer(.acPan) : .genericDesktop(.wheel), amount)], statement)
    case .click(let button):
      let element = try element(button, statement)
      try await set([(element, 1)], statement)
      try await set([(element, 0)], statement)
    case .axis(let control, let value):
      let element = try element(control, statement)
      let descriptor = try interface(statement).definition.descriptor
      try await set([(element, value.logical(for: element, in: descriptor))], statement)
    case .wait(let duration): try await Timeline.real.sleep(for: duration)
    case .waitForReader(let reader, let bound): try await wait(for: reader, bound, statement)
    case .waitForOpen(let bound): try await waitForOpen(bound, statement)
    case .expect(let control, let value, let bound):
      try await expect(control, value, bound, statement)
    case .expectEvent(let pattern, let bound): try await expectEvent(pattern, bound, statement)
    case .hostSet(let control, let value):
      let element = try element(control, statement)
      let descriptor = try interface(statement).definition.descriptor
      try await host(statement).set(element, to: value.logical(for: element, in: descriptor))
    case .hostGet(let report, let answer): try await hostGet(report, answer, statement)
    case .hostExpect(let control, let value, let bound):
      try await hostExpect(control, value, bound, statement)
    case .unplug:
      for device in targets(statement) { await device.unplug() }
      await closeHosts(of: statement)
    case .plug:
      for device in targets(statement) where device.records.isEmpty {
        try await device.plug(into: bus)
      }
    case .answerOnce(let pattern, let answer):
      try interface(statement).withModel { model in
        model.answerOnce(
          .init(kind: pattern.kind, type: pattern.type, id: pattern.id, answer: answer))
      }
    }
  }

  /// Closes the clients of devices that are gone: `host` commands open what is plugged next.
  private mutating func closeHosts(of statement: Statement) async {
    let gone = hosts.filter {
      statement.interface == nil || $0.key.device == statement.interface?.device
    }
    for (reference, host) in gone {
      await host.close()
      hosts[reference] = nil
    }
  }

  private func targets(_ statement: Statement) -> [SimulatedDevice] {
    statement.interface.map { [devices[$0.device]] } ?? devices
  }

  // MARK: The device's side

  /// Sends the report that sets some controls.
  private mutating func set(
    _ values: [(HIDControl, Int64)], _ statement: Statement
  ) async throws {
    let interface = try interface(statement)
    let report = try interface.withModel { model in
      Result { () throws(HIDReportValueError) in try model.inputReport(setting: values) }
    }.get()
    guard let report else { throw failure(statement, "the descriptor declares no such report") }
    try await send([report], interface)
  }

  private mutating func send(
    _ reports: [[UInt8]], _ interface: SimulatedInterface,
    for purpose: SimulatedInterface.Purpose = .input
  ) async throws {
    for report in reports {
      try Task.checkCancellation()
      var batch = HIDReportBatch()
      batch.append(report)
      try await interface.send(batch, for: purpose)
    }
  }

  private mutating func stroke(_ controls: [HIDScript.Control], _ statement: Statement) async throws
  {
    let elements = try controls.map { try element($0, statement) }
    var presses = true
    var releases = true
    if case .press = statement.command { releases = false }
    if case .release = statement.command { presses = false }
    if presses { for element in elements { try await set([(element, 1)], statement) } }
    guard releases else { return }
    if elements.isEmpty {
      for interface in interfaces(statement) { try await letGo(interface) }
    }
    for element in elements.reversed() { try await set([(element, 0)], statement) }
  }

  private mutating func letGo(
    _ interface: SimulatedInterface, for purpose: SimulatedInterface.Purpose = .input
  ) async throws {
    try await send(
      interface.withModel { $0.inputReportsAtRest() }, interface, for: purpose)
  }

  private mutating func type(_ strokes: [USLayout.Stroke], _ statement: Statement) async throws {
    let descriptor = try interface(statement).definition.descriptor
    let shift = descriptor.controls(.keyboardOrKeypad(.keyboardLeftShift), type: .input).first
    for stroke in strokes {
      guard let key = descriptor.controls(stroke.key, type: .input).first else {
        throw failure(statement, "the keyboard has no key \(stroke.key)")
      }
      let modifier = stroke.isShifted ? shift : nil
      if let modifier { try await set([(modifier, 1)], statement) }
      try await set([(key, 1)], statement)
      try await set([(key, 0)], statement)
      if let modifier { try await set([(modifier, 0)], statement) }
    }
  }

  /// Sends bytes as they are written, filled up with zeros to the declared length.
  private mutating func report(_ bytes: [UInt8], _ statement: Statement) async throws {
    let interface = try interface(statement)
    let lengths = interface.withModel { $0.lengths }
    let id = lengths.isNumbered(.input) ? bytes.first.flatMap(HIDReportID.init(rawValue:)) : nil
    let missing = (lengths.byteCount(.input, id) ?? bytes.count) - bytes.count
    try await send([bytes + Array(repeating: 0, count: max(0, missing))], interface)
    if missing > 0, let reference = statement.interface { devices[reference.device].countPadded(1) }
  }

  /// Moves relative axes, in as many reports as the distance needs.
  private mutating func move(
    _ distances: [(HIDUsage, Int)], _ statement: Statement
  ) async throws {
    let descriptor = try interface(statement).definition.descriptor
    var rest: [(control: HIDControl, left: Int64, range: ClosedRange<Int64>)] = []
    for (usage, distance) in distances {
      guard let control = descriptor.controls(usage, type: .input).first,
        let layout = descriptor.report(.input, id: control.reportID),
        layout.fields.indices.contains(control.fieldIndex)
      else { throw failure(statement, "the device has no \(usage)") }
      rest.append((control, Int64(distance), layout.fields[control.fieldIndex].valueRange))
    }
    repeat {
      var values: [(HIDControl, Int64)] = []
      for index in rest.indices {
        let step = min(
          max(rest[index].left, rest[index].range.lowerBound), rest[index].range.upperBound)
        rest[index].left &-= step  // a range without 0 steps the wrong way, once
        values.append((rest[index].control, step))
      }
      try await set(values, statement)
    } while rest.contains { $0.left != 0 && $0.range.contains($0.left.signum()) }
  }

  // MARK: Waiting

  private func deadline(_ bound: Duration?) -> MonotonicTime {
    MonotonicTime.now.advanced(by: bound ?? .zero)
  }

  private func waitForOpen(_ bound: Duration, _ statement: Statement) async throws {
    let start = log.endIndex
    var next = start
    let deadline = deadline(bound)
    while !interfaces(statement).contains(where: \.isOpen) {
      guard await log.wait(for: next, until: deadline) else {
        try Task.checkCancellation()
        throw failure(statement, "nobody opened the device within \(bound.text)", since: start)
      }
      _ = log.read(from: &next)
    }
  }

  private func wait(
    for reader: HIDScript.Reader, _ bound: Duration, _ statement: Statement
  ) async throws {
    let deadline = deadline(bound)
    let start = log.endIndex
    while true {
      let interfaces = interfaces(statement)
      if bus.kind == .loopback {
        if reader != .evdev, interfaces.contains(where: \.isOpen) { return }
      } else {
        for interface in interfaces where interface.isOpen {
          var nodes: [String] = []
          if reader != .evdev { nodes += interface.record.map { [$0.address] } ?? [] }
          if reader != .hidraw { nodes += interface.record?.eventNodes ?? [] }
          if NodeReaders.isAnyOpen(nodes) { return }
        }
      }
      guard MonotonicTime.now < deadline else {
        throw failure(
          statement, "nobody had the \(reader.noun) open within \(bound.text)", since: start)
      }
      // Nothing tells who opens a node: /proc is looked at again and again.
      try await Timeline.real.sleep(for: .milliseconds(5))
    }
  }

  private func expect(
    _ control: HIDScript.Control, _ value: HIDScript.Value, _ bound: Duration?,
    _ statement: Statement
  ) async throws {
    let interface = try interface(statement)
    let element = try element(control, statement)
    let start = log.endIndex
    var next = start
    let deadline = deadline(bound)
    while true {
      let now = interface.withModel { $0.value(of: element) } ?? 0
      if value.accepts(now, for: element, in: interface.definition.descriptor) { return }
      guard await log.wait(for: next, until: deadline) else {
        try Task.checkCancellation()
        let shown = interface.definition.descriptor.shown(element, now)
        throw failure(
          statement,
          "expected \(control.name) \(value.text)\(bound.map { " within \($0.text)" } ?? ""), and it is \(shown)",
          since: start)
      }
      _ = log.read(from: &next)
    }
  }

  private mutating func expectEvent(
    _ pattern: HIDScript.HostEventPattern, _ bound: Duration, _ statement: Statement
  ) async throws {
    let start = consumed
    var next = consumed  // each event is looked at once, however many come
    let deadline = deadline(bound)
    let labels = statement.interface.map {
      devices[$0.device].interfaces[$0.interface].label
    }
    while true {
      let events = log.read(from: &next)
      for (offset, event) in events.events.enumerated()
      where (labels == nil || event.device == labels) && pattern.matches(event.kind) {
        consumed = next - events.events.count + offset + 1
        return
      }
      // What does not match stays unconsumed: it is shown if nothing does.
      guard await log.wait(for: next, until: deadline) else {
        try Task.checkCancellation()
        throw failure(
          statement, "expected \(pattern.text) within \(bound.text)", since: start)
      }
    }
  }

  // MARK: The host's side

  private mutating func host(_ statement: Statement) async throws -> HostView {
    guard let reference = statement.interface else {
      throw failure(statement, "this command needs to know which interface: device NAME before it")
    }
    if let host = hosts[reference] { return host }
    let interface = devices[reference.device].interfaces[reference.interface]
    guard let record = interface.record else {
      throw failure(statement, "\(interface.label) is not plugged")
    }
    let host = try await HostView.open(record, interface.definition.descriptor, on: bus)
    hosts[reference] = host
    return host
  }

  private mutating func hostGet(
    _ report: HIDScript.Report, _ expected: HIDScript.Answer?, _ statement: Statement
  ) async throws {
    let host = try await host(statement)
    let start = log.endIndex
    let answer: [UInt8]?
    do throws(HIDWireError) {
      answer = try await host.get(report.type, report.id)
    } catch {
      guard error.kind == .ioError, expected != nil else { throw error }
      answer = nil
    }
    switch (expected, answer) {
    case (nil, _), (.error, nil): return
    case (.report(let bytes), let answer?) where bytes == answer: return
    case (.report(let bytes), let answer):
      throw failure(
        statement,
        "expected the answer \(bytes.hexText), and got \(answer?.hexText ?? "an error")",
        since: start)
    case (.error, let answer?):
      throw failure(statement, "expected an error, and got \(answer.hexText)", since: start)
    }
  }

  private mutating func hostExpect(
    _ control: HIDScript.Control, _ value: HIDScript.Value, _ bound: Duration?,
    _ statement: Statement
  ) async throws {
    let element = try element(control, statement)
    let descriptor = try interface(statement).definition.descriptor
    let start = log.endIndex
    let seen = await (try host(statement)).wait(for: element, until: deadline(bound)) {
      value.accepts($0, for: element, in: descriptor)
    }
    if seen.willDo { return }
    try Task.checkCancellation()
    throw failure(
      statement,
      """
      the host expected \(control.name) \(value.text)\(bound.map { " within \($0.text)" } ?? ""), \
      and sees \(descriptor.shown(element, seen.value))
      """, since: start, listing: \.isInput)
  }

  // MARK: The end

  func end(holding: Bool) async {
    if !holding {
      var run = self
      for interface in devices.flatMap(\.interfaces) where interface.record != nil {
        // What cannot be sent any more need not be let go of, and who was to hear it may have left.
        _ = try? await run.letGo(interface, for: .release)
      }
    }
    for host in hosts.values { await host.close() }
  }

  /// Makes the failure of a line.
  ///
  /// - Parameters:
  ///   - index: From which event on something came instead.
  ///   - isOther: Which events can have come instead: the host's, where the host was awaited.
  func failure(
    _ statement: Statement, _ message: String, since index: Int? = nil,
    listing isOther: (HIDDeviceEvent.Kind) -> Bool = \.isHosts
  ) -> HIDScriptFailure {
    var instead: [String] = []
    if var index {
      let events = log.read(from: &index).events.filter { isOther($0.kind) }
      instead = events.suffix(20).map { "  " + HIDEventText.line($0, base: base) }
    }
    return HIDScriptFailure(
      problem: HIDTextProblem(file: script.name, location: statement.location, message: message),
      instead: instead)
  }
}
