// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDReportDescriptor
import HIDSimulator
import HIDText
import IOLoop
import Synchronization

// The actions of the commands.
extension StreamConnection {
  /// Carries out a command.
  func perform(_ request: StreamRequest) async {
    await attempt(request) { () throws(StreamFailure) in
      switch request.command {
      case .plug(let source, let delegation, let waits):
        return try await plug(source, delegation, waits: waits)
      case .unplug:
        await hub.remove(try hub.target(request.device).device)
        return nil
      case .report(let reports):
        try await send(reports, request.device)
        return nil
      case .script(let text, let isBeside):
        try await play(text, request.device, isBeside: isBeside)
        return nil
      case .delay(let duration):
        // The sleep ends early if the command is stopped or the stream ends.
        _ = try? await Timeline.real.sleep(for: duration)
        if progress.isStopped(request.number) { throw StreamFailure(message: "stopped") }
        return nil
      case .consume(let number):
        try consume(number)
        return nil
      case .sync: return nil
      case .list:
        return JSONLine { $0.add("devices", .array(hub.devices.map { .object(Self.facts($0)) })) }
      case .state: return try interfaces(of: request.device, Self.memory)
      case .elements:
        return try interfaces(of: request.device) { interface in
          JSONLine { line in
            line.add("device", .string(interface.label))
            line.add("elements", .object(DeviceJSON.elements(interface)))
          }
        }
      case .delegate(let delegation):
        try delegate(request.device, delegation)
        return nil
      case .events(let events):
        if events.showsInput { hub.log.keepInput() }
        output.tell(events)
        return nil
      case .answer, .cancel, .end: return nil  // carried out when it was read
      }
    }
  }

  /// Answers the delegated request of a host that the command names, and reports the outcome.
  ///
  /// The outcome is a failure if the request does not wait, is delegated to another program, or
  /// cannot have this answer.
  func answer(_ request: StreamRequest) {
    guard case .answer(let number, let answer) = request.command else { return }
    var outcome = SimulatedInterface.Outcome.notWaiting
    for device in hub.devices where outcome == .notWaiting {
      outcome = device.outcome(of: answer, to: number, by: self.number)
    }
    switch outcome {
    case .answered: tell(request, .success(nil))
    case .notWaiting:
      let failure = StreamFailure(
        message: "no request \(number) waits for an answer",
        help: "it was answered, its deadline is over, its device was unplugged, or the number is "
          + "wrong")
      tell(request, .failure(failure))
    case .notOwned:
      let failure = StreamFailure(
        message: "request \(number) is delegated to another program",
        help: "the request waits for that program; send the command delegate to get later requests")
      tell(request, .failure(failure))
    case .unfit:
      let failure = StreamFailure(
        message: "request \(number) cannot have this answer, and still waits",
        help: "a get request takes \"bytes\", at most 4,096; a set request takes no \"bytes\"; "
          + "both take \"error\", \"none\" and \"usual\"")
      tell(request, .failure(failure))
    }
  }

  // MARK: Devices

  private func plug(
    _ source: StreamRequest.PlugSource, _ delegation: HIDDelegation?, waits: Bool
  ) async throws(StreamFailure) -> JSONLine {
    let definitions: [HIDDeviceDefinition]
    switch source {
    case .device(let definition): definitions = [definition]
    case .file(let name):
      do { definitions = try readFile(name) } catch {
        throw StreamFailure(message: "\(error)")
      }
    }
    var devices: [SimulatedDevice] = []
    for definition in definitions {
      do throws(HIDBusError) {
        devices.append(
          waits
            ? try await hub.plug(definition, delegation: delegation, owner: number)
            : try await begin(definition, delegation))
      } catch {
        for device in devices { await hub.remove(device) }
        throw StreamFailure(message: error.message)
      }
    }
    return JSONLine { line in
      if devices.count == 1 { line.add("device", .string(devices[0].label)) }
      line.add("devices", .array(devices.map { .object(Self.facts($0)) }))
    }
  }

  /// Plugs a device, and returns as soon as the bus has its first interface.
  ///
  /// The commands that follow can answer the requests of its driver. An event reports when the
  /// device can be used, or that it cannot. Neither event comes if the device is unplugged before.
  ///
  /// - Throws: The reason why the bus does not have the first interface.
  private func begin(
    _ definition: HIDDeviceDefinition, _ delegation: HIDDelegation?
  ) async throws(HIDBusError) -> SimulatedDevice {
    // The wait goes on until the bus has the device, even if the task is cancelled. Otherwise the
    // device could be plugged after the connection has ended.
    let outcome = Promise<Result<SimulatedDevice, HIDBusError>>()
    Task { [hub, number] in
      var device: SimulatedDevice?
      do throws(HIDBusError) {
        let plugged = try await hub.plug(
          definition, delegation: delegation, owner: number, willPlug: { device = $0 },
          wasCreated: { if let device { outcome.fulfill(.success(device)) } },
          willForget: { device, error in
            if outcome.value != nil { device.tell(.unusable(error.message)) }
          })
        outcome.fulfill(.success(plugged))
      } catch {
        outcome.fulfill(.failure(error))
      }
    }
    return try await outcome.get().get()
  }

  private func delegate(
    _ label: String?, _ delegation: HIDDelegation?
  ) throws(StreamFailure) {
    let target = try hub.target(label)
    for (index, interface) in target.device.interfaces.enumerated()
    where target.interface == nil || target.interface == index {
      interface.setDelegation(delegation, owner: number)
    }
  }

  /// Returns the keys of a device: its label, whether an interface is ready, its command link, and
  /// the records of its interfaces.
  private static func facts(_ device: SimulatedDevice) -> JSONLine {
    JSONLine { line in
      line.add("device", .string(device.label))
      line.add("plugged", .bool(!device.records.isEmpty))
      if let link = device.link {
        line.add("link", .string(link.place))
        line.add("linkName", .string(link.name))
      }
      let interfaces = device.interfaces.map { interface in
        JSONText.object { object in
          object.add("device", .string(interface.label))
          guard let record = interface.record else { return }
          EventJSON.addRecord(record, to: &object)
        }
      }
      line.add("interfaces", .array(interfaces))
    }
  }

  /// Returns the label of a device, and an object for each of its interfaces, or for the interface
  /// alone if the label names one.
  private func interfaces(
    of label: String?, _ object: (SimulatedInterface) -> JSONLine
  ) throws(StreamFailure) -> JSONLine {
    let target = try hub.target(label)
    let interfaces = target.device.interfaces.enumerated().filter {
      target.interface == nil || target.interface == $0.offset
    }
    return JSONLine { line in
      line.add("device", .string(target.device.label))
      line.add("interfaces", .array(interfaces.map { _, interface in .object(object(interface)) }))
    }
  }

  /// Returns whether an interface is open, and its state, reports, named controls and switches.
  private static func memory(of interface: SimulatedInterface) -> JSONLine {
    let (isOpen, states, reports, switches) = interface.withModel { model in
      (model.isOpen, model.stateValues, model.reportValues, model.switchValues)
    }
    return JSONLine { line in
      line.add("device", .string(interface.label))
      line.add("open", .bool(isOpen))
      line.add(
        "state",
        .object { object in
          for (name, value) in states {
            switch value {
            case .integer(let number): object.add(name, .integer(number))
            case .bytes(let bytes): object.add(name, .bytes(bytes))
            }
          }
        })
      let list = reports.map { type, id, bytes in
        JSONText.object { object in
          object.add("type", .string("\(type)"))
          object.add("report", .optional(id) { .integer($0.rawValue) })
          object.add("bytes", .bytes(bytes))
        }
      }
      line.add("reports", .array(list))
      line.add(
        "controls",
        .object { object in
          for named in interface.definition.namedControls {
            object.add(named.name, Self.place(of: named.control, named.field, named.usageName))
          }
        })
      guard !switches.isEmpty else { return }
      line.add(
        "switches",
        .object { object in
          for (name, isDown, controlNames) in switches {
            object.add(
              name,
              .object { values in
                values.add("down", .bool(isDown))
                values.add("presses", .array(controlNames.map { .string($0) }))
              })
          }
        })
    }
  }

  /// Returns the usage of a control, and its location in its report.
  private static func place(
    of control: HIDReportElement, _ field: HIDReportField, _ usageName: String?
  ) -> JSONText {
    .object { object in
      object.add("usage", .optional(usageName) { .string($0) })
      object.add("type", .string("\(control.type)"))
      object.add("report", .optional(control.reportID) { .integer($0.rawValue) })
      object.add(
        "bit", .integer(field.bitOffset + (field.isArray ? 0 : control.index * field.bitSize)))
      object.add("size", .integer(field.bitSize))
    }
  }

  // MARK: Input

  /// Sends input reports.
  ///
  /// Short reports are padded with zeros. They are counted as padded if all reports were sent.
  func send(_ reports: [[UInt8]], _ label: String?) async throws(StreamFailure) {
    let target = try hub.target(label)
    let index = try inputInterface(of: target)
    let lengths = target.device.interfaces[index].lengths
    var batch = HIDReportBatch()
    var padded = 0
    for report in reports {
      let (whole, wasShort) = lengths.filledUp(report)
      batch.append(whole)
      if wasShort { padded += 1 }
    }
    var sent = 0
    do throws(HIDBusError) {
      try await target.device.send(batch, interface: index) { sent = $0 }
    } catch {
      var failure = StreamFailure(message: error.message)
      failure.sent = sent
      if case .reportMismatch = error.kind { failure.isRefusal = true }
      throw failure
    }
    if padded > 0 { target.device.countPadded(padded) }
  }

  /// Returns the index of the interface that sends reports: the named interface, or the only
  /// interface with input reports.
  private func inputInterface(of target: StreamTarget) throws(StreamFailure) -> Int {
    if let interface = target.interface { return interface }
    let interfaces = target.device.interfaces
    let able = interfaces.indices.filter {
      !interfaces[$0].definition.descriptor.reports(of: .input).isEmpty
    }
    guard able.count == 1 else {
      throw StreamFailure(
        message: able.isEmpty
          ? "the device has no input reports" : "more than one interface has input reports",
        help: able.isEmpty
          ? nil
          : "add \"device\": one of "
            + able.map { quoted(interfaces[$0].label) }.joined(separator: ", "))
    }
    return able[0]
  }

  // MARK: Scripts

  /// Counts an event of a host as expected; does nothing if the log has dropped the event.
  private func consume(_ number: Int) throws(StreamFailure) {
    let (events, _, isWhole) = hub.log.hostEvents(from: number) { $0.index == number }
    guard let found = events.first else {
      // The log has dropped the event, so that no expectation can count it.
      guard isWhole else { return }
      throw StreamFailure(
        message: "no event of a host has the number \(number)",
        help: "give the \"number\" of an event such as output, get, set, opened or closed")
    }
    ledger.withLock {
      $0.consume([found], upTo: number + 1, of: [found.event.device], in: hub.log)
    }
  }

  private func play(
    _ source: StreamRequest.ScriptText, _ label: String?, isBeside: Bool
  ) async throws(StreamFailure) {
    let devices =
      try label.map { label throws(StreamFailure) in [try hub.target(label).device] } ?? hub.devices
    do {
      var script = try HIDScript.parse(
        Array(source.text.utf8), name: source.name, variables: source.variables
      ) { path in
        guard let text = source.files[path] else { throw NoSuchText(path: path) }
        return Array(text.utf8)
      }.withoutProgram().resolved(for: devices.map(\.definition))
      guard !isBeside || script.statements.allSatisfy(\.command.isObservation) else {
        throw StreamFailure(
          message: "\"beside\" takes only scripts that wait and expect; this one does more",
          help: "such as \"expect led.capsLock on within 5s\"")
      }
      script.holdsAtEnd = true  // pressed controls stay pressed for later commands
      let runner = HIDScriptRunner(
        script, devices: devices, bus: hub.bus, log: hub.log, base: hub.base)
      var mine = ledger.withLock { $0 }
      let error = await runner.play(by: &mine).error
      let consumed = mine
      ledger.withLock { $0.merge(consumed) }
      if let error { throw error }
    } catch let failure as StreamFailure {
      throw failure
    } catch let error as HIDScriptError {
      throw StreamFailure(
        message: error.problems.map(\.description).joined(separator: "\n"))
    } catch let failure as HIDScriptFailure {
      throw StreamFailure(
        message: failure.problem.description,
        instead: failure.instead, isUnmet: failure.hasAwaited)
    } catch let stop as HIDScriptStop {
      throw StreamFailure(message: "stopped", help: "it was at \(stop)")
    } catch {
      throw StreamFailure(message: "\(error)")
    }
  }
}

/// The error for a file that a script includes and the command does not give.
private struct NoSuchText: Error, CustomStringConvertible {
  let path: String
  var description: String { "\"files\" has no \(quoted(path))" }
}
