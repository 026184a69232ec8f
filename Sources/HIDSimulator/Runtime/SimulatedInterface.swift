// SPDX-License-Identifier: Apache-2.0

import DequeModule
import FoundationEssentials
import HIDReportDescriptor
import HIDTraces
import HIDBus
import IOLoop
import Synchronization

/// One interface of a simulated device, which receives the events of its port and answers requests.
final class SimulatedInterface: HIDDeviceHandler {
  struct State: Sendable {
    var model: HIDInterfaceModel
    var port: (any HIDDevicePort)?
    /// The port of the previous plugging.
    ///
    /// Before the next port is known, events of this port are stale.
    weak var lastPort: (any HIDDevicePort)?
    var record: HIDDeviceRecord?
    /// The time when the next report may be sent without the risk that a reader loses a report.
    var nextSend = MonotonicTime(nanoseconds: 0)
    /// True while the interface is plugged or being plugged.
    var isPlugged = false
    /// True if the bus has drivers, which may send requests and reports while they take the device.
    var hasDrivers = false
    /// The ability of the device to take input.
    var usability = Usability.usable
    /// The number of times that a driver took or released the device; `hasDriver` is true if the
    /// last driver event was that a driver took it.
    var driverChanges = 0
    var hasDriver = false
    /// True while a task waits until the driver that took the device is ready.
    var isFollowing = false
    /// The replies that are due, in the order in which they are sent.
    ///
    /// Replies are reports that the device sends because of plugging, host events, timers and
    /// repeats of switches.
    var replies: Deque<Reply> = []
    var isReplying = false
    /// The number of replies that wait for their time, or to be sent.
    var replyCount = 0
    /// The delegated requests that wait for an answer, by number.
    var delegated: [UInt64: Delegated] = [:]
    /// The device to which the interface belongs.
    weak var device: SimulatedDevice?
    /// The counters of reports and requests in transit, one for each host in this process, if the
    /// time is virtual.
    var flights: [InputFlight] = []

    /// True on the kernel's bus until the device is ready, and while it changes its driver.
    ///
    /// Programs then have no node of the device. The property is false once the device counts as
    /// unusable.
    var isBeingTaken: Bool {
      guard hasDrivers else { return false }
      if case .changing = usability { return true }
      return record == nil
    }

    /// Returns whether a port belongs to the current plugging.
    ///
    /// Before the current port is known, every port except the previous port does.
    func isCurrent(_ port: any HIDDevicePort) -> Bool {
      self.port.map { $0 === port } ?? (lastPort !== port)
    }
  }

  /// The ability of a device to take input after a change of the kernel's driver.
  enum Usability: Sendable {
    case usable
    /// One driver has released the device, and the next is not ready.
    case changing
    /// No other driver came, or the device did not become ready with the next driver: for example,
    /// its nodes could not be isolated from a desktop.
    case unusable(HIDBusError)
  }

  struct Delegated: Sendable {
    let record: HIDHostEventRecord
    let port: any HIDDevicePort
    /// The owner of the delegation when the request came.
    let owner: Int
  }

  struct Reply: Sendable {
    /// The content of a reply.
    enum Content: Sendable {
      case report([UInt8])
      /// The input report with this ID, with the values that it has when it is sent.
      case present(HIDReportID?)
      /// The input report that sets some controls, unless the press of a switch is over by then.
      ///
      /// It is made from the current report when it is sent.
      case setting([(HIDReportElement, Int64)], of: HIDInterfaceModel.PressNumber, isLast: Bool)
    }

    let content: Content
    let purpose: Purpose
    let port: any HIDDevicePort
  }

  /// The name in messages: the device's label, and the interface's name or number if there are
  /// several.
  let label: String
  let definition: HIDInterfaceDefinition
  /// The number of the device's copy, from 1.
  private let instance: Int
  let log: HIDEventLog
  private let clocks: BehaviourClocks
  /// The lock that admits one task at a time to note and send reports.
  ///
  /// A report that sets or releases some controls, or that is a touch frame, is also made under the
  /// lock, from the report before it. Without the lock an older report could follow a newer one.
  let sending = AsyncLock()
  let state: Mutex<State>
  /// The number of changes for which tasks wait that need the kernel's next driver.
  ///
  /// It is not a part of `state`, under which events are logged: the cancellation of a task that
  /// waits must not need a lock under which other tasks are resumed.
  let changeCount = ConditionMutex(0)

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

  /// Sets the device to which the interface belongs, which a behaviour can unplug and plug again.
  func setDevice(_ device: SimulatedDevice) { state.withLock { $0.device = device } }

  /// The record of the interface on its bus; nil unless the interface is plugged and has become
  /// ready.
  ///
  /// The record stays while the kernel's driver changes, and if no other driver comes.
  var record: HIDDeviceRecord? { state.withLock { $0.record } }

  /// True if a client, or a driver of the kernel, has the device open.
  var isOpen: Bool { state.withLock { $0.model.isOpen } }

  /// True while the interface is plugged or being plugged.
  var isPlugged: Bool { state.withLock { $0.isPlugged } }

  /// The timeline of the device.
  var timeline: Timeline { log.timeline }

  /// Calls a closure with exclusive access to the model.
  func withModel<Value: Sendable>(_ body: (inout HIDInterfaceModel) -> Value) -> Value {
    state.withLock { body(&$0.model) }
  }

  // MARK: Virtual time

  /// Adds a host's counter of reports and requests in transit.
  func add(_ flight: InputFlight) { state.withLock { $0.flights.append(flight) } }

  /// Removes a host's counter of reports and requests in transit.
  func remove(_ flight: InputFlight) {
    state.withLock { state in state.flights.removeAll { $0 === flight } }
  }

  /// Waits until the device has received everything that hosts have sent by now.
  func catchUp() async { await state.withLock({ $0.port })?.catchUp() }

  // MARK: Plugging

  /// The state of an interface that has begun to be plugged.
  struct Plugging: Sendable {
    /// The description with which the bus plugs the interface.
    let description: HIDDeviceDescription
    fileprivate let begun: MonotonicTime
    fileprivate let effects: [HIDInterfaceModel.Effect]
  }

  /// Begins to plug the interface: its model starts, and events of its next port are handled.
  ///
  /// The caller plugs it into the bus, and then calls ``take(_:)`` and ``finish(_:_:within:)``. If
  /// the bus throws an error, the caller calls ``cancelPlugging()`` instead.
  func beginPlugging(
    _ identity: HIDDeviceIdentity, _ usb: USBSettings, _ path: HIDPhysicalPath,
    into bus: HIDBusKind
  ) -> Plugging {
    let begun = timeline.now
    let effects = state.withLock { state in
      state.isPlugged = true
      state.hasDrivers = bus.usesKernel
      let number = path.deviceID.rawValue >> 8
      return state.model.plug(instance: instance, device: number, at: begun)
    }
    var description = HIDDeviceDescription(
      identity: identity, physicalPath: path, descriptor: definition.descriptor)
    description.nodes = definition.nodes
    description.usb = usb
    description.usbInterface = definition.usb
    return Plugging(description: description, begun: begun, effects: effects)
  }

  /// Notes that the bus has not plugged the interface.
  func cancelPlugging() { state.withLock { $0.isPlugged = false } }

  /// Takes the port that the bus has made.
  ///
  /// - Throws: `gone` if the interface was unplugged meanwhile. The port is destroyed then.
  func take(_ port: any HIDDevicePort) async throws(HIDBusError) {
    let isWanted = state.withLock { state in
      if state.isPlugged { state.port = port }
      return state.isPlugged
    }
    guard isWanted else {
      await port.destroy()
      throw unpluggedMeanwhile
    }
  }

  /// Waits until the interface can be used, and starts its timers.
  ///
  /// - Parameters:
  ///   - plugging: The result of ``beginPlugging(_:_:_:into:)``.
  ///   - port: The port, given to ``take(_:)`` before.
  ///   - bound: The longest wait.
  func finish(
    _ plugging: Plugging, _ port: any HIDDevicePort, within bound: Duration
  ) async throws(HIDBusError) {
    let (begun, effects) = (plugging.begun, plugging.effects)
    let record: HIDDeviceRecord
    do throws(HIDBusError) {
      record = try await port.ready(within: bound)
    } catch {
      let explained = explained(error)
      await unplug()
      throw explained
    }
    if let node = record.hidrawNode { NodeOpenings.shared.watch(node) }
    let isolation = await port.isolation
    let isReady = state.withLock { state in
      guard state.port === port else { return false }
      state.record = record
      let now = timeline.now
      log.append(
        HIDDeviceEvent(
          time: now, device: label,
          kind: .plugged(record, isolation, after: now.duration(since: begun)), client: nil))
      return true
    }
    guard isReady else {
      throw unpluggedMeanwhile
    }
    followDriver(port, isNew: false)
    for effect in effects { perform(effect, port, for: .own) }
    state.withLock { state in
      // Another task may have unplugged the interface meanwhile. `unplug` stops the timers under
      // the lock, too: they do not start after that.
      guard state.port === port else { return }
      clocks.start(state.model.timers) { [weak self] in self?.tick($0, port) }
    }
  }

  private var unpluggedMeanwhile: HIDBusError {
    HIDBusError(.gone, "\(label) was unplugged while it was being plugged")
  }

  /// Returns an error, with the first refused get request if the device did not start.
  ///
  /// Drivers usually give up because of such a request.
  private func explained(_ error: HIDBusError) -> HIDBusError {
    guard error.kind == .notStarted, let refused = withModel({ $0.firstRefusal }) else {
      return error
    }
    let report = "\(refused.type) report" + (refused.id.map { " \($0.rawValue)" } ?? "")
    return HIDBusError(
      .notStarted,
      "\(error.message). A driver had requested \(report), and got an error or no answer")
  }

  /// Unplugs the interface, if it is plugged, and returns when the bus has released it.
  ///
  /// If the bus is still creating the interface, or another task unplugs it, the method does not
  /// wait for the bus.
  func unplug() async {
    clocks.stop()
    // Events that the host caused before must be logged before the end.
    await state.withLock({ $0.port })?.catchUp()
    let (port, wasReady) = state.withLock { state in
      // The end of `plug` may have started the timers again.
      clocks.stop()
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
    // The losses are also read before: the kernel's bus forgets reported losses with the device.
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

  func receive(_ events: [HIDHostEventRecord], from port: any HIDDevicePort) {
    timeline.beginWork()
    defer { timeline.endWork() }
    for var event in events {
      if timeline.isVirtual {
        event = HIDHostEventRecord(
          time: timeline.now, event: event.event, client: event.client, route: event.route)
      }
      let (effects, happenings) = state.withLock { state -> HIDInterfaceModel.Reaction in
        // Events in transit when the device was unplugged are dropped.
        guard state.isPlugged, state.isCurrent(port) else { return ([], []) }
        return react(to: event, port, &state)
      }
      handleDriverEvent(event.event, port)
      if timeline.isVirtual, let request = event.event.requestLeft(silent: happenings) {
        putOff(nil, request, port) {}
      }
      for happening in happenings { tell(happening) }
      for effect in effects { perform(effect, port, for: .reply) }
    }
  }

  /// Adds the event of the model to the log.
  func tell(_ happening: HIDInterfaceModel.Happening) {
    if case .usb(let event) = happening.kind, event.isOfDevice,
      let device = state.withLock({ $0.device })
    {
      // All interfaces receive such an event, and the first one adds it for the device.
      guard device.interfaces.first === self else { return }
      return tell(happening, as: device.label)
    }
    tell(happening, as: label)
  }

  /// Adds an event of the interface to the log, with the current time.
  func tell(_ kind: HIDDeviceEvent.Kind) {
    tell(HIDInterfaceModel.Happening(time: timeline.now, kind: kind, client: nil))
  }

  /// Returns whether it is known that no program has the device open, so that a report is that of a
  /// driver of the kernel.
  private func isOfDriver(at time: MonotonicTime) -> Bool {
    guard let record, record.bus == .kernel else { return false }
    guard let node = record.hidrawNode else {
      // The driver has made no node that a program could open, unless a program has replaced it.
      return record.driver != nil
        && FileManager.default.fileExists(atPath: "\(record.address)/driver")
    }
    return NodeOpenings.shared.areNone(of: node, at: time) {
      // Only root sees the open files of all users.
      ProcessInfo.processInfo.userName == "root"
        && !NodeReaders.isAnyOpen([node], countingOwn: true)
    }
  }

  private func tell(_ happening: HIDInterfaceModel.Happening, as label: String) {
    var event = HIDDeviceEvent(
      time: happening.time, device: label, kind: happening.kind, client: happening.client,
      route: happening.route)
    var isByDriver = false
    if case .fidelity = happening.kind { isByDriver = isOfDriver(at: happening.time) }
    // The lock is held, so that no event of an interface is logged after the interface was
    // unplugged.
    state.withLock { state in
      event.isDrivers = state.isBeingTaken || isByDriver
      if state.isPlugged { log.append(event) }
    }
  }
}

extension HIDHostEvent {
  /// The ID of a request; nil for another event.
  var requestID: HIDRequestID? {
    switch self {
    case .getReport(let request, _, _), .setReport(let request, _, _, _): request
    default: nil
    }
  }

  /// Returns the request if the events to log show that it gets no answer; otherwise nil.
  fileprivate func requestLeft(silent happenings: [HIDInterfaceModel.Happening]) -> HIDRequestID? {
    let isSilent = happenings.contains { happening in
      switch happening.kind {
      case .getReport(_, _, let answer), .setReport(_, let answer): answer.value == .unanswered
      default: false
      }
    }
    return isSilent ? requestID : nil
  }
}
