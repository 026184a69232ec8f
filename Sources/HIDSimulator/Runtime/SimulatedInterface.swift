// SPDX-License-Identifier: Apache-2.0

import DequeModule
import HIDReportDescriptor
import HIDWire
import IOLoop
import Synchronization

/// One plugged interface of a simulated device: takes what its port brings, and answers.
final class SimulatedInterface: HIDPeripheralHandler {
  private struct State: Sendable {
    var model: HIDInterfaceModel
    var port: (any HIDPeripheralPort)?
    /// The port before: while the next is being plugged, which is not known yet, that one is not it.
    weak var lastPort: (any HIDPeripheralPort)?
    var record: HIDDeviceRecord?
    /// When the next report may be sent without a reader being in danger of losing one.
    var nextSend = MonotonicTime(nanoseconds: 0)
    /// Whether the interface is plugged, or being plugged.
    var isPlugged = false
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
    var delegated: [UInt64: Delegated] = [:]
    /// The device that the interface is of.
    weak var device: SimulatedDevice?
    /// What is on its way to hosts of this process, where the time is virtual.
    var flights: [InputFlight] = []

    /// Whether what a port brings, or owes, is the plugged interface's.
    func isCurrent(_ port: any HIDPeripheralPort) -> Bool {
      self.port.map { $0 === port } ?? (lastPort !== port)
    }
  }

  /// How far apart reports are kept where the bus does not wait for clients.
  ///
  /// hidraw keeps 63 reports for a reader and drops the rest in silence: at 8,000 a second none was lost
  /// on any machine measured.
  private static let interval = Duration.microseconds(125)
  /// How many reports go out together: fewer than hidraw keeps.
  private static let burst = 16

  /// How long a device is without a driver before those who wait for the next one are told that there is none.
  private static let driverBound = Duration.seconds(5)

  /// What a change of the kernel's driver does to a device that was ready.
  private enum Usability: Sendable {
    case usable
    /// One driver has gone, and the next is not done with the device.
    case changing
    /// No other came, or what it made could not be kept from a desktop.
    case unusable(HIDWireError)
  }

  private struct Delegated: Sendable {
    let record: HIDHostEventRecord
    let port: any HIDPeripheralPort
  }

  private struct Reply: Sendable {
    /// What is sent.
    enum Content: Sendable {
      case report([UInt8])
      /// The input report of this ID, as it is when it goes out.
      case present(HIDReportID?)
    }

    let content: Content
    let purpose: Purpose
    let port: any HIDPeripheralPort
  }

  /// How many replies wait at most; what the host asks for beyond that is lost, and counted.
  private static let replyCapacity = 4096

  /// What people call it: the device's name, and the interface's where there are several.
  let label: String
  let definition: HIDInterfaceDefinition
  /// Which of several copies of one device it belongs to, from 1.
  private let instance: Int
  private let log: HIDEventLog
  private let clocks: BehaviourClocks
  /// For who makes a report of what was sent before, notes and sends it: else an older one could follow.
  private let sending = Turnstile()
  private let state: Mutex<State>

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
  func plug(
    _ identity: HIDDeviceIdentity, _ path: HIDPhysicalPath, into bus: any HIDPeripheralBus,
    within bound: Duration
  ) async throws(HIDWireError) {
    let begun = timeline.now
    let effects = state.withLock { state in
      state.isPlugged = true
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
    state.withLock { $0.port = port }
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
      await unplug()
      throw error
    }
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

  // MARK: Another driver

  /// Holds input back while the kernel changes the device's driver: it would be lost, or go where the
  /// device is not isolated yet.
  private func driverChanges(_ event: HIDHostEvent, _ port: any HIDPeripheralPort) {
    let hasDriver: Bool
    switch event {
    case .start: hasDriver = true
    case .stop: hasDriver = false
    default: return
    }
    let (seen, isReady) = state.withLock { state in
      if !hasDriver, state.isPlugged { state.usability = .changing }
      state.hasDriver = hasDriver
      state.driverChanges += 1
      return (state.driverChanges, state.record != nil)
    }
    // Until the device is ready for the first time, somebody waits for that.
    guard isReady else { return }
    if hasDriver { return followDriver(port, isNew: true) }
    Task { [weak self] in
      _ = try? await Timeline.real.sleep(until: .now.advanced(by: Self.driverBound))
      self?.giveUpDriver(port, ifStillAt: seen)
    }
  }

  private func giveUpDriver(_ port: any HIDPeripheralPort, ifStillAt seen: Int) {
    let message = "the kernel's driver has let go of the device, and no other has taken it"
    let isNews = state.withLock { state in
      guard state.port === port, state.driverChanges == seen, case .changing = state.usability
      else { return false }
      state.usability = .unusable(HIDWireError(.notStarted, "\(label): \(message)"))
      return true
    }
    guard isNews else { return }
    tell(.unusable(message))
    resumeWaiting()
  }

  /// Waits for the driver that has taken the device, if nobody does already.
  ///
  /// - Parameter isNew: Whether to tell of it even if all nodes have the names they had.
  private func followDriver(_ port: any HIDPeripheralPort, isNew: Bool) {
    let begins = state.withLock { state in
      if case .usable = state.usability { return false }
      defer { state.isFollowing = true }
      return !state.isFollowing
    }
    if begins { Task { await waitForDriver(port, isNew: isNew) } }
  }

  private func waitForDriver(_ port: any HIDPeripheralPort, isNew: Bool) async {
    var isNews = isNew
    while true {
      let seen = state.withLock { $0.driverChanges }
      let next: (usability: Usability, told: HIDDeviceEvent.Kind, record: HIDDeviceRecord?)
      do throws(HIDWireError) {
        let record = try await port.ready(within: SimulatedDevice.readinessBound)
        next = (.usable, .driverChanged(record, await port.isolation), record)
      } catch {
        next = (.unusable(error), .unusable(error.message), nil)
      }
      let (isDone, kind) = state.withLock { state -> (Bool, HIDDeviceEvent.Kind?) in
        guard state.port === port else { return (true, nil) }  // unplugged
        guard state.driverChanges == seen else {
          // This one has gone, and another has come, or may come.
          isNews = true
          state.isFollowing = state.hasDriver
          return (!state.hasDriver, nil)
        }
        state.isFollowing = false
        state.usability = next.usability
        guard let record = next.record else { return (true, next.told) }
        defer { state.record = record }
        return (true, isNews || state.record != record ? next.told : nil)
      }
      guard isDone else { continue }
      if let kind { tell(kind) }
      return resumeWaiting()  // who finds the device still changing waits again
    }
  }

  private func resumeWaiting() {
    let waiting = state.withLock { state in
      defer { state.waiting = [:] }
      return state.waiting
    }
    for waiter in waiting.values { waiter.resume() }
  }

  /// Waits until the device can take input.
  private func usable() async throws(HIDWireError) {
    while true {
      switch state.withLock({ $0.usability }) {
      case .usable: return
      case .unusable(let error): throw error
      case .changing:
        if Task.isCancelled { throw HIDWireError(.other, "\(label): cancelled") }
        await waitForChange()
      }
    }
  }

  /// Waits until the device can take input or never will, or the task is cancelled.
  private func waitForChange() async {
    let key = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waits = state.withLock { state in
          guard case .changing = state.usability, !Task.isCancelled else { return false }
          state.waiting[key] = continuation
          return true
        }
        if !waits { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: key) }?.resume()
    }
  }

  // MARK: Input

  /// What input reports are sent for.
  enum Purpose: Sendable {
    /// Somebody is to hear them: it is counted when nobody has the device open.
    case input
    /// They answer an output report: a driver may wait for them while it is being bound.
    case reply
    /// The device sends them by itself, whether anybody listens or not.
    case own
    /// They release what is held, for whoever still listens.
    case release
  }

  /// Sends input reports in order, waiting for room where a client has none, and where one might have
  /// none without the bus' telling.
  func send(_ batch: HIDReportBatch, for purpose: Purpose = .input) async throws(HIDWireError) {
    guard let port = state.withLock({ $0.port }) else {
      throw HIDWireError(.gone, "\(label) is not plugged")
    }
    try await send(batch, through: port, for: purpose)
  }

  private func send(
    _ batch: HIDReportBatch, through port: any HIDPeripheralPort, for purpose: Purpose
  ) async throws(HIDWireError) {
    // Refused before any is noted: what was not sent must not be remembered.
    try port.lengths.checkInput(batch)
    guard !port.waitsForClients else { return try await sendNow(batch, port, purpose) }
    var sent = 0
    var burst = HIDReportBatch()
    while sent < batch.count {
      burst.removeAll()
      batch.withBytes { bytes in
        for index in sent..<min(sent + Self.burst, batch.count) {
          burst.append(bytes.extracting(batch.byteRange(ofReport: index)))
        }
      }
      sent += burst.count
      let due = reserve(burst.count)
      if MonotonicTime.now < due {
        // In a task of its own: one that is cancelled sends what it has begun, and at the same pace.
        await Task { _ = try? await Timeline.real.sleep(until: due) }.value
      }
      if purpose != .reply { try await usable() }
      // Who has just opened the device is somebody who hears it: the kernel tells of it at once, and we may
      // not have read that yet.
      if purpose != .release, !isOpen { await port.catchUp() }
      try await sendNow(burst, port, purpose)
    }
  }

  /// Says when so many reports may be sent, and keeps the time for them.
  private func reserve(_ count: Int) -> MonotonicTime {
    state.withLock { state in
      let due = max(.now, state.nextSend)
      state.nextSend = due.advanced(by: Self.interval * count)
      return due
    }
  }

  private func sendNow(
    _ batch: HIDReportBatch, _ port: any HIDPeripheralPort, _ purpose: Purpose
  ) async throws(HIDWireError) {
    try await sending.pass { () async throws(HIDWireError) in
      // Told before it is sent: the host's answer may be here before we are back.
      note(batch, purpose)
      try await port.send(batch)
    }
  }

  /// Sends an input report as it is when its turn comes.
  private func sendPresent(
    _ id: HIDReportID?, _ port: any HIDPeripheralPort, _ purpose: Purpose
  ) async throws(HIDWireError) {
    if !port.waitsForClients {
      let due = reserve(1)
      if MonotonicTime.now < due { _ = try? await Timeline.real.sleep(until: due) }
      if purpose != .reply { try await usable() }
    }
    try await sending.pass { () async throws(HIDWireError) in
      var batch = HIDReportBatch()
      batch.append(withModel { $0.presentReport(id, at: timeline.now) })
      note(batch, purpose)
      try await port.send(batch)
    }
  }

  private func note(_ batch: HIDReportBatch, _ purpose: Purpose) {
    state.withLock { state in
      guard state.isPlugged else { return }
      for flight in state.flights { flight.sends(batch.count) }
      if purpose == .input || purpose == .reply, !state.model.isOpen {
        log.count(unheard: batch.count)
      }
      guard log.keepsInput else {
        state.model.noteInputs(batch)
        return log.count(inputs: batch.count)
      }
      batch.withBytes { bytes in
        for index in 0..<batch.count {
          let range = batch.byteRange(ofReport: index)
          let report = state.model.noteInput(range.map { bytes[$0] })
          log.append(
            HIDDeviceEvent(time: timeline.now, device: label, kind: .input(report), client: nil))
        }
      }
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
      typealias Outcome = (
        effects: [HIDInterfaceModel.Effect], happenings: [HIDInterfaceModel.Happening]
      )
      let (effects, happenings) = state.withLock { state -> Outcome in
        // What was on its way when the device was unplugged is nobody's any more.
        guard state.isPlugged, state.isCurrent(port) else { return ([], []) }
        if let reaction = delegate(event, port, &state) { return reaction }
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

  // MARK: Requests that others answer

  private static let requestCount = Atomic<UInt64>(0)

  /// Leaves requests to whoever drives the device, from now on; `nil` for none.
  ///
  /// Those that wait already are answered by the device if nobody answers them in time.
  func setDelegation(_ delegation: HIDDelegation?) {
    state.withLock { $0.delegation = delegation }
  }

  /// Leaves a request to others, if it is to be: says what is told of it.
  private func delegate(
    _ event: HIDHostEventRecord, _ port: any HIDPeripheralPort, _ state: inout State
  ) -> HIDInterfaceModel.Reaction? {
    guard let delegation = state.delegation else { return nil }
    switch event.event {
    case .getReport where delegation.getsReports: break
    case .setReport where delegation.setsReports: break
    default: return nil
    }
    let number = Self.requestCount.add(1, ordering: .relaxed).newValue
    guard let request = state.model.request(event.event, number: number) else { return nil }
    state.delegated[number] = Delegated(record: event, port: port)
    Timeline.real.schedule(at: .now.advanced(by: delegation.deadline)) { [weak self] in
      _ = self?.answer(number, with: .usual)
    }
    let happening = HIDInterfaceModel.Happening(
      time: event.time, kind: .request(request), client: event.client)
    return ([], [happening])
  }

  /// Answers a request that was left to others.
  ///
  /// - Returns: Whether the request still waited for its answer.
  func answer(_ number: UInt64, with answer: HIDDelegatedAnswer) -> Bool {
    typealias Outcome = (port: any HIDPeripheralPort, reaction: HIDInterfaceModel.Reaction)
    let outcome = state.withLock { state -> Outcome? in
      guard let delegated = state.delegated.removeValue(forKey: number), state.isPlugged,
        state.isCurrent(delegated.port)
      else { return nil }
      let reaction = state.model.receive(delegated.record, answeredBy: answer, at: .now)
      return (delegated.port, reaction)
    }
    guard let outcome else { return false }
    for happening in outcome.reaction.happenings {
      tell(happening.kind, at: happening.time, by: happening.client)
    }
    for effect in outcome.reaction.effects { perform(effect, outcome.port, for: .reply) }
    return true
  }

  /// On the timeline's loop.
  private func tick(_ behaviour: Int, _ port: any HIDPeripheralPort) {
    let effects = state.withLock { state -> [HIDInterfaceModel.Effect] in
      guard state.port === port else { return [] }
      return state.model.tick(behaviour, at: timeline.now)
    }
    for effect in effects { perform(effect, port, for: .own) }
  }

  func lost(_ count: Int, from port: any HIDPeripheralPort) { tell(.lost(count)) }

  /// On the port's loop, or the timeline's.
  ///
  /// - Parameter purpose: What input reports are sent for.
  private func perform(
    _ effect: HIDInterfaceModel.Effect, _ port: any HIDPeripheralPort, for purpose: Purpose
  ) {
    switch effect {
    // Told before it is sent: the host may have gone on, and ended the run, before we are back.
    case .answerGet(let request, let report, .zero):
      answered(request, report, port)
      port.answerGet(request, report)
    case .answerSet(let request, let accepted, .zero):
      answered(request, accepted ? [] : nil, port)
      port.answerSet(request, accepted: accepted)
    case .answerGet(let request, let report, let delay):
      putOff(delay, request, port) { [weak self] in
        self?.answered(request, report, port)
        port.answerGet(request, report)
      }
    case .answerSet(let request, let accepted, let delay):
      putOff(delay, request, port) { [weak self] in
        self?.answered(request, accepted ? [] : nil, port)
        port.answerSet(request, accepted: accepted)
      }
    case .sendInput(let report, let delay): reply(.report(report), delay, port, purpose)
    case .sendPresentInput(let id, let delay): reply(.present(id), delay, port, purpose)
    case .detach(let pause, let delay):
      timeline.schedule(at: timeline.now.advanced(by: delay)) { [weak self] in
        self?.detach(pause, port)
      }
    }
  }

  private func detach(_ pause: Duration?, _ port: any HIDPeripheralPort) {
    state.withLock { $0.port === port ? $0.device : nil }?.detach(pause: pause)
  }

  /// How long a host waits for an answer at most: as both buses have it.
  private static let answerBound = Duration.seconds(5)

  /// Answers a request later; time goes on for a host that waits for it.
  ///
  /// - Parameter delay: How much later; `nil` for never.
  private func putOff(
    _ delay: Duration?, _ request: HIDRequestID, _ port: any HIDPeripheralPort,
    _ answer: @escaping @Sendable () -> Void
  ) {
    let flights = state.withLock { $0.flights }
    let resume = flights.reduce(nil as (@Sendable () -> Void)?) { $0 ?? $1.putOff() }
    if timeline.isVirtual, delay.map({ $0 > Self.answerBound }) ?? true {
      // The bus itself goes by the real time. What does not fit the request is not taken.
      timeline.schedule(at: timeline.now.advanced(by: Self.answerBound)) {
        resume?()
        port.answerGet(request, nil)
        port.answerSet(request, accepted: false)
      }
    }
    guard let delay else { return }
    timeline.schedule(at: timeline.now.advanced(by: delay)) {
      resume?()
      answer()
    }
  }

  /// Sends a report at its time: those that are due at once in the order they were made.
  private func reply(
    _ content: Reply.Content, _ delay: Duration, _ port: any HIDPeripheralPort, _ purpose: Purpose
  ) {
    let hasRoom = state.withLock { state in
      guard state.replyCount < Self.replyCapacity else { return false }
      state.replyCount += 1
      return true
    }
    guard hasRoom else { return tell(.lost(1)) }
    timeline.schedule(at: timeline.now.advanced(by: delay)) { [weak self] in
      self?.sendReply(Reply(content: content, purpose: purpose, port: port))
    }
  }

  private func sendReply(_ reply: Reply) {
    let begins = state.withLock { state in
      // The device may have been unplugged meanwhile, and plugged again: then nobody waits for this.
      guard state.isPlugged, state.isCurrent(reply.port) else { return false }
      state.replies.append(reply)
      defer { state.isReplying = true }
      return !state.isReplying
    }
    guard begins else { return }
    timeline.beginWork()
    Task {
      while let next = nextReply() {
        // Unplugged in between: then nobody is there to hear of it.
        switch next.content {
        case .report(let report):
          var batch = HIDReportBatch()
          batch.append(report)
          _ = try? await send(batch, through: next.port, for: next.purpose)
        case .present(let id): _ = try? await sendPresent(id, next.port, next.purpose)
        }
      }
      timeline.endWork()
    }
  }

  private func nextReply() -> Reply? {
    state.withLock { state in
      guard let reply = state.replies.popFirst() else {
        state.isReplying = false
        return nil
      }
      state.replyCount -= 1
      return reply
    }
  }

  private func answered(
    _ request: HIDRequestID, _ report: [UInt8]?, _ port: any HIDPeripheralPort
  ) {
    let now = timeline.now
    let happenings = state.withLock { state -> [HIDInterfaceModel.Happening] in
      // A request of the same number may have been put to the device since it was plugged again.
      guard state.isCurrent(port) else { return [] }
      return state.model.answered(request, report, at: now)
    }
    for happening in happenings { tell(happening.kind, at: happening.time, by: happening.client) }
  }

  private func tell(
    _ kind: HIDDeviceEvent.Kind, at time: MonotonicTime? = nil, by client: HIDClientName? = nil
  ) {
    let event = HIDDeviceEvent(
      time: time ?? timeline.now, device: label, kind: kind, client: client)
    // Under the lock, so that nothing is told of a device after its end.
    state.withLock { state in
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
