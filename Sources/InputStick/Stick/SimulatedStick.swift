// SPDX-License-Identifier: Apache-2.0

package import HIDSimulator
package import HIDBus
import IOLoop

/// A running stick (a simulated InputStick): a device on a bus, which a client drives by packets.
///
/// The packets arrive on a link, such as a socket. A stick has at most one client at a time.
/// Packets and changes of the link are recorded as events in the device's log.
package actor SimulatedStick {
  /// The time between two polls of a host that follows the stick's USB descriptor.
  package static let defaultPollInterval = Duration.milliseconds(4)
  private static let rawPollInterval = Duration.milliseconds(64)

  /// The length of a piece on a BLE link.
  private static let pieceByteCount = 20
  private static let pieceInterval = Duration.milliseconds(2)

  /// The time for which `reattach` disconnects the device.
  private static let reattachPause = Duration.seconds(3)
  /// The time for which a restarting device is disconnected from the host.
  private static let startDuration = Duration.seconds(1)

  /// The executor of the actor: the loop that reads the bytes of clients.
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    StickChannel.loop.asUnownedSerialExecutor()
  }

  private let device: SimulatedDevice
  private let log: HIDEventLog
  private let bus: HIDBus
  private var timeline: Timeline { log.timeline }
  /// The index of each interface in the device.
  private let positions: [StickReport.Interface: Int]
  /// The time between two polls of the host; raw reports have their own interval.
  private let pollInterval: Duration
  /// The start of the host's polls: each poll is a multiple of an interval after it.
  private let origin: MonotonicTime
  private var model: StickModel
  private var client: Client?
  /// The number of the latest client's session; each client gets a new number.
  private var session = 0
  /// True if bytes are sent in pieces of 20 bytes, as on a BLE link.
  private let sendsPieces: Bool
  /// The time by which the stick delays its bytes on purpose.
  private var delay = Duration.zero
  /// The bytes that are sent to the client later, in their order, with the time of each.
  private var outbox: [(due: MonotonicTime, bytes: [UInt8])] = []
  /// The time at which the last bytes for the client are sent, or were sent.
  private var lastDeparture = MonotonicTime(nanoseconds: 0)
  /// True if the host has suspended the device.
  private var isSuspended = false
  /// True if ``detach()`` has disconnected the device, and no later ``plug()`` has connected it.
  private var isDetached = false
  /// The number of calls of ``detach()`` and ``stop()``; each call cancels a pending reconnection.
  private var detachmentCount = 0
  private var polled: Set<StickReport.Interface> = []
  private var statusInterval: Duration?
  /// The number of the current status timer; an older timer ends when it fires.
  private var statusRun = 0
  /// The number of the current timer of a restoration; an older timer does nothing.
  private var restoreRun = 0
  private var watching: Task<Void, Never>?
  /// The index in the log of the next event to follow; kept while the stick follows none.
  private var nextEvent = 0
  private let interfaceNames: Set<String>
  private var pluggedInterfaces: Set<String> = []

  /// The client of the link.
  package struct Client: Sendable {
    /// Called with the bytes for the client, in their order.
    let send: @Sendable ([UInt8]) -> Void
    /// Called to disconnect the client.
    let close: @Sendable () -> Void

    /// Makes a client.
    package init(
      send: @escaping @Sendable ([UInt8]) -> Void, close: @escaping @Sendable () -> Void = {}
    ) {
      self.send = send
      self.close = close
    }
  }

  /// Makes a stick that is not plugged.
  ///
  /// - Parameters:
  ///   - model: The model that answers the client's packets.
  ///   - device: The device, whose interfaces have the names `keyboard`, `mouse`, `consumer` and
  ///     `raw`.
  ///   - log: The device's log; the stick uses its timeline.
  ///   - bus: The bus of the host.
  ///   - pollInterval: The time between two polls of the host; less than 1 ms counts as 1 ms. Raw
  ///     reports have their own interval.
  ///   - sendsPieces: True to send bytes in pieces of 20 bytes, 2 ms apart, as notifications of a
  ///     BLE link.
  /// - Throws: `invalidArgument` if the device lacks an interface.
  package init(
    _ model: StickModel, device: SimulatedDevice, log: HIDEventLog, bus: HIDBus,
    pollInterval: Duration = SimulatedStick.defaultPollInterval, sendsPieces: Bool = false
  ) throws(HIDBusError) {
    self.model = model
    self.device = device
    self.log = log
    self.bus = bus
    self.pollInterval = max(pollInterval, .milliseconds(1))
    self.sendsPieces = sendsPieces
    origin = log.timeline.now
    var positions: [StickReport.Interface: Int] = [:]
    for interface in StickReport.Interface.allCases {
      let position = device.definition.interfaces.firstIndex { $0.name == "\(interface)" }
      guard let position else {
        throw HIDBusError(
          .invalidArgument,
          "\"\(device.label)\" has no interface \"\(interface)\", which a stick needs")
      }
      positions[interface] = position
    }
    self.positions = positions
    interfaceNames = Set(positions.values.map { device.label(ofInterface: $0) })
  }

  /// Plugs the device into the host, and returns when the host can use it.
  ///
  /// The call also does what ``start()`` does. Reports that already wait are sent at the next
  /// polls.
  ///
  /// - Throws: The error of `SimulatedDevice.plug(into:)`.
  package func plug() async throws(HIDBusError) {
    start()
    try await device.plug(into: bus)
    isDetached = false
    pluggedInterfaces = interfaceNames
    updateUSBState()
  }

  /// Starts to follow the events of the device, unless the stick follows them already.
  ///
  /// The owner of the device may plug it after this call.
  package func start() {
    guard watching == nil else { return }
    let timeline = timeline
    timeline.beginWork()
    watching = Task {
      await self.watch()
      timeline.endWork()
    }
  }

  /// Ends the session of the client, and stops following the device.
  ///
  /// A device that is detached for a reattachment or a reset stays detached.
  package func stop() {
    disconnect(because: "the stick ended")
    detachmentCount += 1
    watching?.cancel()
    watching = nil
  }

  /// Unplugs the device, ends the session of the client, and stops following the device.
  package func unplug() async {
    await detach()
    stop()
  }

  // MARK: The link

  /// Starts the session of a client.
  ///
  /// - Returns: The number of the session; nil if another client is connected, since a stick has
  ///   one client at a time.
  package func connect(_ client: Client) -> Int? {
    guard self.client == nil else {
      device.tell(.link(.refused("another client is connected")))
      return nil
    }
    model.clientConnected()
    self.client = client
    session += 1
    outbox = []
    device.tell(.link(.connected))
    return session
  }

  /// Ends the session of the client, and disconnects it.
  ///
  /// - Parameters:
  ///   - session: The session to end; nil for the current one. Nothing happens if it is not the
  ///     current one, or if no client is connected.
  ///   - reason: The reason for the log, as a clause.
  package func disconnect(_ session: Int? = nil, because reason: String) {
    guard let client, session == nil || session == self.session else { return }
    self.client = nil
    statusRun += 1
    model.clientConnected()
    client.close()
    device.tell(.link(.disconnected(reason)))
  }

  /// Processes bytes from the client, and returns when all their commands are carried out.
  ///
  /// Answers that a fault of a test delays, or that are sent in pieces, can leave later. Queued
  /// reports are sent at the next polls. A reattached device is plugged 3 s later, and a restart of
  /// the link disconnects the client 1 s later.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - session: The client's session; bytes of a session that has ended are dropped.
  package func receive(_ bytes: [UInt8], in session: Int) async {
    await carryOut(take(bytes, in: session))
    schedulePolls()
  }

  /// Processes bytes from the client; the caller runs on the loop.
  ///
  /// The effect is that of ``receive(_:in:)``, without a task for most packets.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - session: The client's session; bytes of a session that has ended are dropped.
  ///   - answered: Called on the loop when all commands of the bytes are carried out; for most
  ///     packets before the return.
  package nonisolated func receive(
    _ bytes: [UInt8], in session: Int, answered: @escaping @Sendable () -> Void
  ) {
    assumeIsolated { stick in
      let outputs = stick.take(bytes, in: session)
      guard outputs.isEmpty else {
        Task {
          await stick.carryOut(outputs)
          stick.schedulePolls()
          answered()
        }
        return
      }
      stick.schedulePolls()
      answered()
    }
  }

  /// Processes bytes from the client, and sends the answers.
  ///
  /// - Returns: The outputs that remain for ``carryOut(_:)``.
  private func take(_ bytes: [UInt8], in session: Int) -> [StickModel.Output] {
    guard client != nil, session == self.session else { return [] }
    model.uptime = UInt32(
      truncatingIfNeeded: timeline.now.microseconds(since: origin) / 1000)
    let name = model.name
    let outputs = sendPackets(of: model.receive(bytes))
    if model.name != name, let link = device.link {
      device.link = link.named(model.name)
    }
    return outputs
  }

  /// The state of the link, with the numbers of reports that wait for the host.
  package var linkState: HIDDeviceLink.State {
    HIDDeviceLink.State(
      isConnected: client != nil,
      buffers: StickReport.Interface.allCases.map { interface in
        HIDDeviceLink.Buffer(
          name: "\(interface)", count: model.queues.count(interface),
          capacity: model.queues.capacity(interface))
      })
  }

  /// Carries out an action of a test on the link or on USB.
  package func perform(_ action: HIDLinkAction) async {
    switch action {
    case .drop(let count): model.faults.dropped = StickFaults.Count(count)
    case .corrupt(let count): model.faults.corrupted = StickFaults.Count(count)
    case .truncate(let count): model.faults.truncated = StickFaults.Count(count)
    case .overflow(let count): model.faults.overflowing = StickFaults.Count(count)
    case .delay(let delay): self.delay = delay
    case .disconnect: disconnect(because: "the test cut the link")
    case .reset: await restart()
    case .watchdog:
      // A stick sends this run of bytes before its watchdog restarts it.
      send([UInt8](repeating: 0xAF, count: 300))
      await restart()
    case .suspend:
      isSuspended = true
      updateUSBState()
    case .resume:
      isSuspended = false
      updateUSBState()
    }
  }

  private func restart() async {
    statusRun += 1
    model.restart()
    guard isDetached || !pluggedInterfaces.isEmpty else { return }
    // The host releases the pressed keys when the device is unplugged.
    attach(after: Self.startDuration, of: await detach())
  }

  /// Sends bytes to the client.
  private func send(_ bytes: [UInt8]) {
    guard client != nil else { return }
    guard sendsPieces else { return send(bytes, after: .zero) }
    for start in stride(from: 0, to: bytes.count, by: Self.pieceByteCount) {
      let piece = Array(bytes[start..<min(start + Self.pieceByteCount, bytes.count)])
      send(piece, after: Self.pieceInterval)
    }
  }

  /// Sends bytes after the delay of a test, at least `interval` after the bytes before them.
  private func send(_ bytes: [UInt8], after interval: Duration) {
    let now = timeline.now
    let due = max(now.advanced(by: delay), lastDeparture.advanced(by: interval))
    lastDeparture = due
    if due <= now, outbox.isEmpty {
      client?.send(bytes)
    } else {
      outbox.append((due, bytes))
      if outbox.count == 1 { scheduleDeparture() }
    }
  }

  private func scheduleDeparture() {
    guard let due = outbox.first?.due else { return }
    let session = session
    later(at: due) { $0.depart(session) }
  }

  private func depart(_ session: Int) {
    guard session == self.session else { return }
    let now = timeline.now
    while let next = outbox.first, next.due <= now {
      client?.send(next.bytes)
      outbox.removeFirst()
    }
    scheduleDeparture()
  }

  /// Sends the packets for the client in the order of their encryption.
  ///
  /// No suspension separates the encryption of a packet from its sending.
  ///
  /// - Returns: The outputs that are not packets.
  private func sendPackets(of outputs: [StickModel.Output]) -> [StickModel.Output] {
    device.tell(model.takePackets().map { .packet($0) })
    return outputs.filter { output in
      guard case .send(let bytes) = output else { return true }
      send(bytes)
      return false
    }
  }

  /// Carries out the outputs that ``sendPackets(of:)`` has returned.
  private func carryOut(_ outputs: [StickModel.Output]) async {
    for output in outputs {
      switch output {
      case .send: break
      case .write(let report): await send(report)
      case .attach(let isAttached):
        // A device that cannot be plugged stays unconnected, and the status reports that.
        if isAttached { try? await plug() } else { await detach() }
      case .reattach:
        attach(after: Self.reattachPause, of: await detach())
      case .resume: await perform(.resume)
      case .statusInterval(let interval): startStatus(every: interval)
      case .restoreSecond:
        restoreRun += 1
        let run = restoreRun
        later(at: timeline.now.advanced(by: .seconds(1))) { await $0.restoreSecond(in: run) }
      case .restartLink:
        let session = session
        later(at: timeline.now.advanced(by: .seconds(1))) {
          $0.disconnect(session, because: "the Bluetooth module restarted")
        }
      }
    }
  }

  private func restoreSecond(in run: Int) async {
    guard run == restoreRun else { return }
    await carryOut(sendPackets(of: model.restoreSecond()))
  }

  // MARK: The host

  /// Disconnects the device from the host, and returns the number of this detachment.
  @discardableResult private func detach() async -> Int {
    isDetached = true
    detachmentCount += 1
    let number = detachmentCount
    await device.unplug()
    pluggedInterfaces = []
    updateUSBState()
    return number
  }

  /// Plugs the device after a pause, unless it was plugged or detached again by then, or the stick
  /// was stopped.
  private func attach(after pause: Duration, of detachment: Int) {
    later(at: timeline.now.advanced(by: pause)) { stick in
      guard stick.isDetached, stick.detachmentCount == detachment else { return }
      // A device that cannot be plugged stays unconnected, and the status reports that.
      try? await stick.plug()
    }
  }

  private func updateUSBState() {
    if pluggedInterfaces.isEmpty { isSuspended = false }
    model.usbState =
      switch pluggedInterfaces.count {
      case 0: .unconnected
      case interfaceNames.count: isSuspended ? .suspended : .configured
      default: .attached
      }
    schedulePolls()
  }

  /// Sends a report to the host; it is lost if that fails, as when the device is not plugged.
  private func send(_ report: StickReport) async {
    guard let position = positions[report.interface] else { return }
    try? await device.send([report.bytes], interface: position)
  }

  private func schedulePolls() {
    // While the host does not poll, the reports wait.
    guard model.usbState == .configured else { return }
    for interface in StickReport.Interface.allCases
    where model.queues.count(interface) > 0 && !polled.contains(interface) {
      polled.insert(interface)
      let interval = interface == .raw ? Self.rawPollInterval : pollInterval
      let passed = timeline.now.duration(since: origin)
      let due = origin.advanced(by: interval * (Int(passed / interval) + 1))
      later(at: due) { await $0.poll(interface) }
    }
  }

  private func poll(_ interface: StickReport.Interface) async {
    if let report = model.poll(interface) { await send(report) }
    // Schedule the next poll only after the report is sent: the next report must not overtake it.
    polled.remove(interface)
    schedulePolls()
  }

  /// Follows the events of the device: plugged, unplugged or unusable, the LEDs that the host sets,
  /// raw reports.
  private func watch() async {
    let keyboard = positions[.keyboard].map { device.label(ofInterface: $0) }
    let raw = positions[.raw].map { device.label(ofInterface: $0) }
    while !Task.isCancelled, await log.workWaits(for: nextEvent, where: Self.concernsStick) {
      let events = log.read(from: &nextEvent, where: Self.concernsStick)
      for event in events where interfaceNames.contains(event.device) {
        switch event.kind {
        case .plugged:
          pluggedInterfaces.insert(event.device)
          updateUSBState()
        case .unplugged, .unusable:
          pluggedInterfaces.remove(event.device)
          updateUSBState()
        case .output(let report) where event.device == keyboard:
          if let leds = report.bytes.first { await carryOut(sendPackets(of: model.setLEDs(leds))) }
        case .output(let report) where event.device == raw:
          await carryOut(sendPackets(of: model.takeRaw(report.bytes)))
        default: break
        }
      }
    }
  }

  /// Returns whether ``watch()`` handles this kind of event.
  ///
  /// Packets, which are most of the events, do not wake it.
  private static func concernsStick(_ event: HIDDeviceEvent.Kind) -> Bool {
    switch event {
    case .plugged, .unplugged, .unusable, .output: true
    default: false
    }
  }

  // MARK: Time

  private func startStatus(every interval: Duration) {
    statusInterval = interval
    statusRun += 1
    nextStatus(in: statusRun, since: timeline.now)
  }

  private func nextStatus(in run: Int, since last: MonotonicTime) {
    guard let statusInterval, run == statusRun else { return }
    let due = last.advanced(by: statusInterval)
    later(at: due) { await $0.status(in: run, at: due) }
  }

  private func status(in run: Int, at due: MonotonicTime) async {
    guard run == statusRun else { return }
    await carryOut(sendPackets(of: model.status()))
    nextStatus(in: run, since: due)
  }

  /// Calls a body at a given time, on the stick's loop.
  ///
  /// A virtual timeline does not advance before the body has ended.
  private func later(
    at due: MonotonicTime, _ body: @escaping @Sendable (isolated SimulatedStick) async -> Void
  ) {
    let timeline = timeline
    timeline.schedule(at: due) { [weak self] in
      guard let self else { return }
      timeline.beginWork()
      let begin: @Sendable () -> Void = { self.assumeIsolated { $0.begin(body) } }
      // If the timeline already calls on the loop, no other thread has to wake.
      if StickChannel.loop.isCurrent { begin() } else { StickChannel.loop.perform(begin) }
    }
  }

  /// Runs the body of ``later(at:_:)``, and then ends its work on the timeline.
  private func begin(_ body: @escaping @Sendable (isolated SimulatedStick) async -> Void) {
    Task {
      await body(self)
      timeline.endWork()
    }
  }
}
