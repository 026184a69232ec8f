// SPDX-License-Identifier: Apache-2.0

import DequeModule
import HIDReportDescriptor
import HIDTraces
import HIDWire
import IOLoop
import Synchronization

/// One plugged interface of a simulated device: takes what its port brings, and answers.
final class SimulatedInterface: HIDPeripheralHandler {
  struct State: Sendable {
    var model: HIDInterfaceModel
    var port: (any HIDPeripheralPort)?
    /// The port before: while the next is being plugged, which is not known yet, that one is not it.
    weak var lastPort: (any HIDPeripheralPort)?
    var record: HIDDeviceRecord?
    /// When the next report may be sent without a reader being in danger of losing one.
    var nextSend = MonotonicTime(nanoseconds: 0)
    /// Whether the interface is plugged, or being plugged.
    var isPlugged = false
    /// Whether its bus has drivers, which may send requests and reports while they take the device.
    var hasDrivers = false
    /// Whether the device can take input, or what became of it.
    var usability = Usability.usable
    /// How often a driver has let go of the device, or taken it; and whether one has it now.
    var driverChanges = 0
    var hasDriver = false
    /// Whether somebody waits until the driver that took it is done.
    var isFollowing = false
    /// Those who wait for the kernel's next driver.
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var lastWaiter = 0
    /// Replies to output reports whose time has come, in the order in which they are sent.
    var replies: Deque<Reply> = []
    var isReplying = false
    /// How many replies wait for their time, or to be sent.
    var replyCount = 0
    /// Which requests are left to others, and those that wait for their answer, by their numbers.
    var delegation: HIDDelegation?
    /// Whose delegation it is.
    var delegationOwner = 0
    var delegated: [UInt64: Delegated] = [:]
    /// What a trace of the device has it answer.
    var answers = HIDTraceAnswers()
    /// The device that the interface is of.
    weak var device: SimulatedDevice?
    /// What is on its way to hosts of this process, where the time is virtual.
    var flights: [InputFlight] = []

    /// Whether a driver of the kernel is about to take the device, so that programs have no node of
    /// it.
    var isBeingTaken: Bool {
      guard hasDrivers else { return false }
      if case .changing = usability { return true }
      return record == nil
    }

    /// Whether what a port brings, or owes, is the plugged interface's.
    func isCurrent(_ port: any HIDPeripheralPort) -> Bool {
      self.port.map { $0 === port } ?? (lastPort !== port)
    }
  }

  /// What a change of the kernel's driver does to a device that was ready.
  enum Usability: Sendable {
    case usable
    /// One driver has gone, and the next is not done with the device.
    case changing
    /// No other came, or what it made could not be kept from a desktop.
    case unusable(HIDWireError)
  }

  struct Delegated: Sendable {
    let record: HIDHostEventRecord
    let port: any HIDPeripheralPort
  }

  struct Reply: Sendable {
    /// What is sent.
    enum Content: Sendable {
      case report([UInt8])
      /// The input report of this ID, as it is when it goes out.
      case present(HIDReportID?)
      /// The input report that sets some controls, made from the last one when it goes out, unless
      /// the press of a switch is over by then.
      case setting([(HIDControl, Int64)], of: HIDInterfaceModel.PressNumber, isLast: Bool)
    }

    let content: Content
    let purpose: Purpose
    let port: any HIDPeripheralPort
  }

  /// What people call it: the device's name, and the interface's where there are several.
  let label: String
  let definition: HIDInterfaceDefinition
  /// Which of several copies of one device it belongs to, from 1.
  private let instance: Int
  let log: HIDEventLog
  private let clocks: BehaviourClocks
  /// For who makes a report of what was sent before, notes and sends it: else an older one could follow.
  let sending = Turnstile()
  let state: Mutex<State>

  init(
    _ definition: HIDInterfaceDefinition, label: String, instance: Int = 1, log: HIDEventLog
  ) {
    self.definition = definition
    self.label = label
    self.instance = instance
    self.log = log
    clocks = BehaviourClocks(on: log.timeline)
    state = Mutex(State(model: HIDInterfaceModel(definition)))
  }

  /// Says whose interface it is: that device is unplugged and plugged where a behaviour says so.
  func belongs(to device: SimulatedDevice) { state.withLock { $0.device = device } }

  /// The device as clients see it, while it is plugged and ready.
  var record: HIDDeviceRecord? { state.withLock { $0.record } }

  /// Whether a client, or a driver of the kernel's, has the device open.
  var isOpen: Bool { state.withLock { $0.model.isOpen } }

  /// Whether it is plugged, or being plugged.
  var isPlugged: Bool { state.withLock { $0.isPlugged } }

  /// The time that the device goes by.
  var timeline: Timeline { log.timeline }

  /// Looks at what the interface knows, or changes it.
  func withModel<Value: Sendable>(_ body: (inout HIDInterfaceModel) -> Value) -> Value {
    state.withLock { body(&$0.model) }
  }

  // MARK: Virtual time

  /// Counts what is on its way to a host from here on.
  func add(_ flight: InputFlight) { state.withLock { $0.flights.append(flight) } }

  /// Counts no more.
  func remove(_ flight: InputFlight) {
    state.withLock { state in state.flights.removeAll { $0 === flight } }
  }

  /// Takes what the hosts have done by now.
  func catchUp() async { await state.withLock({ $0.port })?.catchUp() }

  // MARK: Plugging

  /// Plugs the interface, and waits until it can be used.
  ///
  /// - Parameter wasCreated: Is called when the bus has it, and a driver may begin to ask.
  func plug(
    _ identity: HIDDeviceIdentity, _ path: HIDPhysicalPath, into bus: any HIDPeripheralBus,
    within bound: Duration, wasCreated: () -> Void = {}
  ) async throws(HIDWireError) {
    let begun = timeline.now
    let effects = state.withLock { state in
      state.isPlugged = true
      state.hasDrivers = bus.kind == .kernel
      let number = path.deviceID.rawValue >> 8
      return state.model.plug(instance: instance, device: number, at: begun)
    }
    let port: any HIDPeripheralPort
    do throws(HIDWireError) {
      port = try await bus.plug(
        HIDPeripheralDescription(
          identity: identity, physicalPath: path, descriptor: definition.descriptor),
        handler: self)
    } catch {
      state.withLock { $0.isPlugged = false }
      throw error
    }
    let isWanted = state.withLock { state in
      if state.isPlugged { state.port = port }
      return state.isPlugged
    }
    guard isWanted else {
      await port.destroy()
      throw HIDWireError(.gone, "\(label) was unplugged while it was being plugged")
    }
    wasCreated()
    do throws(HIDWireError) {
      let record = try await port.ready(within: bound)
      let isolation = await port.isolation
      state.withLock { state in
        guard state.port === port else { return }  // unplugged meanwhile
        state.record = record
        let now = timeline.now
        log.append(
          HIDDeviceEvent(
            time: now, device: label,
            kind: .plugged(record, isolation, after: now.duration(since: begun)), client: nil))
      }
      followDriver(port, isNew: false)
      for effect in effects { perform(effect, port, for: .own) }
      clocks.start(withModel { $0.timers }) { [weak self] in self?.tick($0, port) }
    } catch {
      let explained = explained(error)
      await unplug()
      throw explained
    }
  }

  /// Adds to a failed start what was asked for in vain before it: drivers give up over that as a rule.
  private func explained(_ error: HIDWireError) -> HIDWireError {
    guard error.kind == .notStarted, let refused = withModel({ $0.firstRefusal }) else {
      return error
    }
    let report = "\(refused.type) report" + (refused.id.map { " \($0.rawValue)" } ?? "")
    return HIDWireError(
      .notStarted,
      "\(error.message). A driver had requested \(report), and got an error or no answer")
  }

  /// Unplugs the interface, if it is plugged, and returns when the bus has let go of it.
  func unplug() async {
    clocks.stop()
    // What the host has done before is told before.
    await state.withLock({ $0.port })?.catchUp()
    let (port, wasReady) = state.withLock { state in
      defer {
        state.lastPort = state.port ?? state.lastPort
        state.port = nil
        state.record = nil
        state.isPlugged = false
        state.replies = []
        state.replyCount = 0
        state.delegated = [:]
        state.usability = .usable
        state.isFollowing = false
        state.model.unplugged()
      }
      return (state.port, state.record != nil)
    }
    resumeWaiting()
    guard let port else { return }
    // Asked before, too: the kernel's bus forgets with the device what clients have said.
    let lostBefore = await port.lostReports
    await port.destroy()
    let lost = max(lostBefore, await port.lostReports)
    if lost > 0 {
      log.append(
        HIDDeviceEvent(time: timeline.now, device: label, kind: .lostInput(lost), client: nil))
    }
    if wasReady {
      log.append(HIDDeviceEvent(time: timeline.now, device: label, kind: .unplugged, client: nil))
    }
  }

  // MARK: What the host does

  func receive(_ events: [HIDHostEventRecord], from port: any HIDPeripheralPort) {
    timeline.beginWork()
    defer { timeline.endWork() }
    for var event in events {
      if timeline.isVirtual {
        event = HIDHostEventRecord(time: timeline.now, event: event.event, client: event.client)
      }
      let (effects, happenings) = state.withLock { state -> HIDInterfaceModel.Reaction in
        // What was on its way when the device was unplugged is nobody's any more.
        guard state.isPlugged, state.isCurrent(port) else { return ([], []) }
        if let reaction = delegate(event, port, &state) { return reaction }
        if let answer = state.answers.answer(event.event) {
          return state.model.receive(event, answeredBy: answer, at: timeline.now)
        }
        return state.model.receive(event)
      }
      driverChanges(event.event, port)
      if timeline.isVirtual, let request = event.event.requestLeft(silent: happenings) {
        putOff(nil, request, port) {}
      }
      for happening in happenings { tell(happening.kind, at: happening.time, by: happening.client) }
      for effect in effects { perform(effect, port, for: .reply) }
    }
  }

  func lost(_ count: Int, from port: any HIDPeripheralPort) { tell(.lost(count)) }

  func tell(
    _ kind: HIDDeviceEvent.Kind, at time: MonotonicTime? = nil, by client: HIDClientName? = nil
  ) {
    var event = HIDDeviceEvent(
      time: time ?? timeline.now, device: label, kind: kind, client: client)
    // Under the lock, so that nothing is told of a device after its end.
    state.withLock { state in
      event.isDrivers = state.isBeingTaken
      if state.isPlugged { log.append(event) }
    }
  }
}

extension HIDHostEvent {
  /// The request, where what is told of it says that it is never answered.
  fileprivate func requestLeft(silent happenings: [HIDInterfaceModel.Happening]) -> HIDRequestID? {
    let isSilent = happenings.contains { happening in
      switch happening.kind {
      case .getReport(_, _, let answer), .setReport(_, let answer): answer.isSilent
      default: false
      }
    }
    switch self {
    case .getReport(let request, _, _) where isSilent: return request
    case .setReport(let request, _, _, _) where isSilent: return request
    default: return nil
    }
  }
}
