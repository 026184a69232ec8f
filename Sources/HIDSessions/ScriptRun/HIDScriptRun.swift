// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDReportDescriptor
import HIDSimulator
import HIDText
import IOLoop

/// One run of a script.
struct HIDScriptRun: Sendable {
  typealias Statement = HIDScript.Statement

  let script: HIDScript
  let devices: [SimulatedDevice]
  let bus: HIDBus
  let log: HIDEventLog
  let base: MonotonicTime
  /// True if commands that wait for a reader count readers in this process on the kernel's bus.
  ///
  /// On the loopback bus such readers always count.
  let countsOwnReaders: Bool
  /// The events of hosts that have been consumed.
  var ledger: HostLedger
  /// True if every report and request of a host must meet an expectation.
  var expectsAll = false
  /// The index of the first event of the current test.
  var testStart: Int
  /// The number of commands that have begun.
  private var performed = 0
  /// The results of the tests so far.
  var tests: ScriptTestClock
  /// The texts for the turns of the `repeat` blocks around the current command: `turn 2 of 10`.
  ///
  /// The text of the outermost block is first.
  var turns: [String] = []
  /// The clients that `host` commands opened.
  var clients: [HIDScript.InterfaceReference: ScriptClient] = [:]

  init(
    script: HIDScript, devices: [SimulatedDevice], bus: HIDBus, log: HIDEventLog,
    base: MonotonicTime, ledger: HostLedger, countsOwnReaders: Bool = false
  ) {
    self.script = script
    self.devices = devices
    self.bus = bus
    self.log = log
    self.base = base
    self.ledger = ledger
    testStart = ledger.begin
    self.countsOwnReaders = countsOwnReaders
    tests = ScriptTestClock(HIDScriptReport(of: script))
  }

  var timeline: Timeline { log.timeline }

  /// Returns the one interface that a command is about.
  func reference(_ statement: Statement) throws -> HIDScript.InterfaceReference {
    guard let reference = statement.interface else {
      throw failure(
        statement,
        "the command is about one interface, and the script has several: write a line such as "
          + "device \"NAME\" before it, with the name of the interface")
    }
    return reference
  }

  func interface(_ statement: Statement) throws -> SimulatedInterface {
    let reference = try reference(statement)
    return devices[reference.device].interfaces[reference.interface]
  }

  /// Returns the interfaces that a command is about: its own interface, those of its scope, or all.
  func interfaces(_ statement: Statement) -> [SimulatedInterface] {
    let references = statement.interface.map { [$0] } ?? statement.scope
    guard !references.isEmpty else { return devices.flatMap(\.interfaces) }
    return references.map { devices[$0.device].interfaces[$0.interface] }
  }

  /// Returns the labels of a command's interfaces in the log.
  func labels(_ statement: Statement) -> Set<String> {
    Set(interfaces(statement).map(\.label))
  }

  /// Returns the labels in the log for the events of a pattern.
  ///
  /// The packets that clients exchange with a device on its command link are events of the whole
  /// device, so they have its label. The events `configuration`, `wakeup` and `request` of USB
  /// hosts have it, too.
  func labels(
    _ statement: Statement, for pattern: HIDScript.HostEventPattern?
  ) -> Set<String> {
    guard pattern?.isOfDevice == true else { return labels(statement) }
    let interfaces = labels(statement)
    return Set(
      devices.filter { $0.interfaces.contains { interfaces.contains($0.label) } }.map(\.label))
  }

  func element(_ control: HIDScript.Control, _ statement: Statement) throws -> HIDReportElement {
    guard let element = control.element else {
      throw failure(
        statement,
        "the script does not know the report of \"\(control.name)\"; code that plays a script must call "
          + "its resolved(for:) first")
    }
    return element
  }

  /// Performs all commands of the script.
  ///
  /// - Throws: The same errors as `HIDScriptRunner.run`.
  mutating func performAll() async throws {
    var beginsByItself = true
    if case .test = script.statements.first?.command { beginsByItself = false }
    if beginsByItself { tests.beginTest(at: timeline.now) }
    do {
      try await perform(script.statements)
      if expectsAll { try await expectNothingElse() }
      tests.end(.passed, at: timeline.now)
    } catch {
      tests.end(.init(error), at: timeline.now)
      throw error
    }
  }

  /// Performs some commands in order.
  ///
  /// - Throws: The same errors as `HIDScriptRunner.run`.
  mutating func perform(_ statements: [Statement]) async throws {
    for statement in statements {
      // Commands that never wait yield from time to time, so that other tasks can use the thread.
      performed &+= 1
      if performed.isMultiple(of: 64) { await Task.yield() }
      do {
        try Task.checkCancellation()
        try await perform(statement)
        await timeline.settle()
      } catch is CancellationError {
        throw HIDScriptStop(file: statement.file, location: statement.location)
      }
    }
  }

  private mutating func perform(_ statement: Statement) async throws {
    do {
      try await act(statement)
    } catch let error as HIDBusError {
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
      try await scroll(
        isHorizontal ? .consumer(.acPan) : .genericDesktop(.wheel), by: amount, statement)
    case .click(let button):
      let element = try element(button, statement)
      try await set([(element, 1)], statement)
      try await set([(element, 0)], statement)
    case .axis(let control, let value):
      let element = try element(control, statement)
      let descriptor = try interface(statement).definition.descriptor
      try await set([(element, value.logical(for: element, in: descriptor))], statement)
    case .touch(let touches): try await touch(touches, statement)
    case .set(let settings): try await set(settings, statement)
    case .battery:
      throw failure(
        statement,
        "the script does not know the report of the battery; code that plays a script must call its "
          + "resolved(for:) first")
    case .wait(let duration): try await timeline.sleep(for: duration)
    case .waitForReader(let reader, let bound): try await wait(for: reader, bound, statement)
    case .waitForOpen(let bound): try await waitForOpen(bound, statement)
    case .expect(let control, let value, let bound):
      try await expect(control, value, bound, statement)
    case .expectState(let name, let value, let bound):
      try await expectState(name, value, bound, statement)
    case .setState(let name, let value):
      try interface(statement).withModel { $0.setState(name.text, to: value.stateNumber ?? 0) }
    case .expectEvent(let pattern, let bound): try await expectEvent(pattern, bound, statement)
    case .expectOnlyEvent(let pattern, let bound):
      try await expectEvent(pattern, isOnly: true, bound, statement)
    case .expectNothing(let pattern, let span):
      try await expectNothing(pattern, for: span, statement)
    case .expectNothingElse(let span): try await expectNothingElse(for: span, statement)
    case .expectAnything(let span): try await expectAnything(for: span, statement)
    case .hostSet(let control, let value):
      let element = try element(control, statement)
      let descriptor = try interface(statement).definition.descriptor
      try await host(statement).set(element, to: value.logical(for: element, in: descriptor))
    case .hostSetReport(let report, let bytes, let expectsError):
      try await hostSet(report.type, bytes, expectsError, statement)
    case .hostSend(_, let bytes): try await host(statement).send(bytes)
    case .hostGet(let report, let answer): try await hostGet(report, answer, statement)
    case .hostExpect(let control, let value, let bound):
      try await hostExpect(control, value, bound, statement)
    case .test:
      tests.beginTest(at: timeline.now)
      testStart = log.endIndex
    case .repeated(let count, let body):
      for turn in 0..<count {
        turns.append("turn \(turn + 1) of \(count)")
        try await perform(body)
        turns.removeLast()
      }
    case .sync: for device in targets(statement) { await device.catchUp() }
    case .unplug:
      for device in targets(statement) { await device.unplug() }
      await closeHosts(of: statement)
    case .plug:
      for device in targets(statement) { try await device.plugIfNeeded(into: bus) }
    case .link(let action):
      let linked = targets(statement).compactMap(\.link)
      guard let link = linked.first, linked.count == 1 else {
        throw failure(
          statement,
          linked.isEmpty
            ? "the device has no command link; hidsim stick plugs a device that has one"
            : "several devices have a command link; name one by a line such as device \"NAME\"")
      }
      await link.perform(action)
    case .answerOnce(let request, let answer, let delay):
      try interface(statement).withModel {
        $0.setRule(for: request, answer, after: delay, isOnce: true)
      }
    case .answerAlways(let request, let answer, let delay):
      try interface(statement).withModel {
        $0.setRule(for: request, answer, after: delay, isOnce: false)
      }
    case .answerUsually(let request):
      try interface(statement).withModel { $0.removeRules(for: request) }
    }
  }

  /// Closes the clients of unplugged devices, so that `host` commands open the devices again.
  private mutating func closeHosts(of statement: Statement) async {
    let gone = clients.filter {
      statement.interface == nil || $0.key.device == statement.interface?.device
    }
    for (reference, host) in gone {
      await host.close()
      clients[reference] = nil
    }
  }

  private func targets(_ statement: Statement) -> [SimulatedDevice] {
    statement.interface.map { [devices[$0.device]] } ?? devices
  }

  // MARK: The end

  func end(holding: Bool) async {
    if !holding {
      var run = self
      for interface in devices.flatMap(\.interfaces) where interface.record != nil {
        // Failures are ignored: the device may be unplugged, and its last client may have closed
        // it.
        _ = try? await run.liftContacts(of: interface, for: .release)
        _ = try? await run.releaseControls(interface, for: .release)
      }
    }
    for host in clients.values { await host.close() }
    // Events that are due now come before the caller's next action.
    await timeline.settle()
  }

  /// Creates the failure of a statement with the last ``shownCount`` events from an index on.
  ///
  /// - Parameters:
  ///   - index: The index of the first event that the failure lists; nil to list none.
  ///   - isOther: The condition on listed events; by default, events of hosts are listed.
  func failure(
    _ statement: Statement, _ message: String, since index: Int? = nil,
    listing isOther: (HIDDeviceEvent.Kind) -> Bool = \.isHosts
  ) -> HIDScriptFailure {
    guard var index else { return failure(statement, message, instead: nil) }
    let events = log.read(from: &index).events.filter { isOther($0.kind) }
    return failure(statement, message, instead: events.suffix(Self.shownCount))
  }

  /// The maximum number of events that a failure shows.
  ///
  /// A failure of `expect nothing else` shows more events. A failure of `expect` can show one more:
  /// the event that gave the control its value.
  static let shownCount = 20

  /// Creates the failure of a statement.
  ///
  /// - Parameter instead: The events that came instead. If the array is empty, the failure says
  ///   that nothing came. If it is nil, the failure says nothing about events.
  func failure(
    _ statement: Statement, _ message: String, instead: [HIDDeviceEvent]?
  ) -> HIDScriptFailure {
    HIDScriptFailure(
      problem: HIDTextProblem(
        file: statement.file, location: statement.location,
        message: message + turns.map { ", in \($0)" }.joined()
          + (tests.name.map { ", in test \(quoted($0))" } ?? "")),
      instead: instead?.map { "  " + HIDEventText.line($0, base: base) } ?? [],
      hasAwaited: instead != nil)
  }
}
