// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import IOLoop
import SystemPackage

/// A USB device, and its connection to a host by USB/IP.
///
/// It runs on the loop of the simulated devices. Its engine holds the transfers of the host; the
/// ports of its interfaces get the host's events.
actor USBDevice: LoopActor {
  static let loop = IOLoop.devices

  nonisolated var unownedExecutor: UnownedSerialExecutor { Self.loop.asUnownedSerialExecutor() }
  nonisolated var loop: IOLoop { Self.loop }
  nonisolated let description: USBDeviceDescription
  nonisolated let host: any USBHost

  private let interfaces: [USBInterface]
  private var transfers: Transfers
  /// True from the first connection, or the export to hosts, until the device is unplugged.
  private(set) var isPlugged = false
  /// The device's end of the connection; nil while no host has the device.
  private var connection: Connection?
  private var watched: IOLoop.Readiness = .read
  private var timer: (id: DeadlineID, due: MonotonicTime)?
  /// The tasks that wait for room, or for the host to take reports.
  private var changeWaiters = WaiterList<AwaitedRoom?>()
  /// True once the device is being unplugged: it takes no reports, and its ports get no events.
  private var isEnding = false
  /// The difference between the IDs of requests and the numbers of their transfers.
  ///
  /// Each host numbers its transfers from 1. A late answer to a request of an earlier host must not
  /// answer that of the next one.
  private var requestOffset: UInt32 = 0
  /// True while events are passed on: further events follow them.
  private var isPassing = false
  /// Empty arrays, whose memory the next events use.
  private var spareEvents: [USBTransferEngine.Event] = []
  private var spareBatch: [HIDHostEventRecord] = []
  /// True while messages are handled: replies are sent when that is done.
  private var isHandling = false

  /// The interface for whose ample room a task waits, and the time from which it waits for any
  /// room.
  private struct AwaitedRoom: Sendable {
    let interface: Int
    let until: MonotonicTime
  }

  /// The number of reads after which the other devices of the loop have their turn.
  private static let readsPerTurn = 16
  /// The number of bytes of waiting replies from which no more messages are read.
  private static let highWater = 256 * 1024
  /// The longest wait for the host to take the reports that were sent, when the device is
  /// unplugged.
  private static let drainBound = Duration.seconds(5)
  /// The time between the end of the transfers and the end of the connection.
  ///
  /// Linux 6.12 can lose a transfer that one of its programs withdraws while the connection ends.
  /// The program and the USB driver then wait for ever. In this time the host handles the ends of
  /// its transfers, and has none when the connection ends.
  private static let lingerTime = Duration.milliseconds(20)

  /// Makes a device, which no host has yet.
  ///
  /// - Parameters:
  ///   - description: The device.
  ///   - host: The host of the device, or the server that exports it.
  init(_ description: USBDeviceDescription, host: any USBHost) {
    self.description = description
    self.host = host
    transfers = Transfers(USBTransferEngine(description))
    interfaces = description.interfaces.map { _ in USBInterface() }
  }

  /// Calls a closure with the device on the loop: at once if the caller is there, else soon.
  nonisolated func onLoop(_ body: @escaping @Sendable (isolated USBDevice) -> Void) {
    if Self.loop.isCurrent { return assumeOnLoop(body) }
    Self.loop.perform { self.assumeOnLoop(body) }
  }

  // MARK: Plugging

  /// Sets the ports of the interfaces, in order; they are held weakly.
  func setPorts(_ ports: [USBPort]) {
    for (index, port) in ports.enumerated() { interfaces[index].port = port }
  }

  /// Ends an interface whose port is being released, soon; unplugs the device once it has no port.
  ///
  /// The loop, the server and the files of the interfaces hold the device until it is unplugged.
  nonisolated func releasePort(ofInterface index: Int) {
    // Not at once: a port can be released by a handler, while messages of the host are handled.
    Self.loop.perform {
      self.assumeOnLoop { device in
        device.interfaces[index].end()
        if device.interfaces.allSatisfy({ $0.port == nil }) { device.finish() }
      }
    }
  }

  /// Publishes an interface in the bus directory, with its files.
  func publish(_ entry: DeviceEntry.Owned, interface index: Int) {
    interfaces[index].publish(entry, loop: Self.loop) { body in
      self.assumeOnLoop { body($0.interfaces[index].clients) }
    }
  }

  /// Publishes an interface in the bus directory for programs that drive the device.
  func publishServed(_ entry: DeviceEntry.Owned?, interface index: Int) {
    interfaces[index].publish(entry)
  }

  /// Records the transfers of the device from now on.
  func record(with tap: USBTransferTap) { transfers.tap = tap }

  /// Marks the device as plugged: hosts can import it.
  func export() { isPlugged = true }

  /// Returns whether the host has read the report descriptor of an interface.
  func isStarted(interface: Int) -> Bool { interfaces[interface].isStarted }

  /// True while a host has the device.
  var isConnected: Bool { connection != nil }

  /// Returns the state of the device, and of its connection; nil if the device is not plugged, or
  /// is being unplugged.
  ///
  /// The files of the host are read by the caller's executor: they do not keep the loop from the
  /// devices.
  nonisolated func state() async -> USBDeviceState? {
    guard var state = await stateOnLoop() else { return nil }
    state.place = host.place
    state.isServed = host.outlivesConnections
    state.isSuspended = host.hasSuspended
    return state
  }

  private func stateOnLoop() -> USBDeviceState? {
    guard isPlugged, !isEnding else { return nil }
    var state = transfers.engine.state(of: description)
    state.isConnected = isConnected
    for index in state.interfaces.indices {
      state.interfaces[index].lostCount = hostLostCount(interface: index)
    }
    return state
  }

  /// Connects the device to a host that has imported it; closes the socket if that fails.
  func take(_ socket: consuming SocketDescriptor) {
    do throws(Errno) {
      try connect(socket)
    } catch {
      // The process lacks watches of epoll or memory: the host sees the device disappear.
    }
  }

  /// Connects the device to a host, which then sends messages about transfers.
  ///
  /// - Parameter socket: The device's end of the connection, not blocking. The device must not have
  ///   another one.
  /// - Throws: The `Errno` if the loop cannot watch the socket.
  func connect(_ socket: consuming SocketDescriptor) throws(Errno) {
    watched = .read
    // The closures hold the device, until the connection ends.
    let watch = try Self.loop.watch(
      socket.descriptor, for: .read, loopHandler { device, readiness in device.handle(readiness) })
    connection = Connection(socket, watch, whenDue: loopHandler { device in device.advance() })
    isPlugged = true
  }

  static let unplugged = HIDBusError(.gone, "the device was unplugged")

  // MARK: The host's messages

  private func handle(_ readiness: IOLoop.Readiness) {
    if readiness.contains(.write) { flush() }
    if !readiness.isDisjoint(with: [.read, .hangUp]) { receiveAll() }
  }

  /// Reads the messages that the host has sent, passes their events on, and replies.
  func receiveAll() {
    guard let connection, !isHandling else { return }
    isHandling = true
    var isOver = false
    for _ in 0..<Self.readsPerTurn where transfers.outgoing.count < Self.highWater {
      let received = transfers.receive(from: connection)
      // The messages before a faulty one count.
      passEvents(at: received.time)
      if let fault = received.fault { host.noteFault(fault) }
      if received.count == 0 { isOver = true }
      guard received.count == Transfers.chunkByteCount else { break }
      // The replies count towards the bound of the next read.
      transfers.writeReplies()
    }
    isHandling = false
    if isOver { endConnection() } else { flush() }
  }

  /// Passes the engine's events to the ports of their interfaces, in order.
  ///
  /// An answer of a port can begin the next transfer, whose events follow.
  private func passEvents(at now: MonotonicTime) {
    guard !isPassing else { return }
    if transfers.engine.hasEvents {
      isPassing = true
      var events: [USBTransferEngine.Event] = []
      swap(&events, &spareEvents)
      repeat {
        transfers.engine.exchangeEvents(&events)
        pass(events, at: now)
        events.removeAll(keepingCapacity: true)
      } while transfers.engine.hasEvents
      swap(&events, &spareEvents)
      isPassing = false
    }
    if transfers.engine.takeHasReceived() { noteReceived() }
    resumeWaiters(at: now)
  }

  /// Notes how many reports of the interfaces the host's drivers have received.
  private func noteReceived() {
    for (index, interface) in interfaces.enumerated() {
      let count = transfers.engine.takeReceivedCount(interface: index)
      if count > 0 { interface.clients.noteSent(count) }
    }
  }

  private func pass(_ events: [USBTransferEngine.Event], at now: MonotonicTime) {
    var batch: [HIDHostEventRecord] = []
    swap(&batch, &spareBatch)
    var index = 0
    func add(_ record: HIDHostEventRecord, _ interface: Int) {
      if interface != index, !batch.isEmpty {
        pass(batch, to: index)
        batch.removeAll(keepingCapacity: true)
      }
      index = interface
      batch.append(record)
    }
    for event in events {
      guard let (interface, event, route) = hostEvent(event) else { continue }
      let record = HIDHostEventRecord(time: now, event: event, route: route)
      if let interface {
        add(record, interface)
      } else {
        for interface in interfaces.indices { add(record, interface) }
      }
    }
    if !batch.isEmpty { pass(batch, to: index) }
    batch.removeAll(keepingCapacity: true)
    swap(&batch, &spareBatch)
  }

  private func pass(_ events: [HIDHostEventRecord], to index: Int) {
    guard !isEnding, let port = interfaces[index].port else { return }
    port.handler?.receive(events, from: port)
  }

  /// Returns the interface, the host event and the route of an event of the engine; nil if there is
  /// none.
  ///
  /// The interface is nil if the event concerns the whole device.
  private func hostEvent(
    _ event: USBTransferEngine.Event
  ) -> (Int?, HIDHostEvent, USBReportRoute?)? {
    switch event {
    case .changed(let change): return hostEvent(change)
    case .polled(let index, let isPolled):
      interfaces[index].isOpen = isPolled
      // The reports that the host has not taken are dropped: clients have room for others.
      if !isPolled { interfaces[index].clients.resumeWaiters() }
      return (index, isPolled ? .open : .close, nil)
    case .output(let index, let bytes):
      return (index, .output(bytes), .endpoint)
    case .getReport(let token, let index, let type, let id):
      return (index, .getReport(requestID(token), type, id), .control)
    case .setReport(let token, let index, let type, let id, let bytes):
      return (index, .setReport(requestID(token), type, id, bytes), .control)
    case .withdrawn(let token, let index):
      return (index, .usb(.withdrawal(requestID(token))), nil)
    }
  }

  private func hostEvent(
    _ change: USBControlModel.Change
  ) -> (Int?, HIDHostEvent, USBReportRoute?)? {
    switch change {
    case .described(let index):
      guard !interfaces[index].isStarted, let port = interfaces[index].port else { return nil }
      interfaces[index].isStarted = true
      return (index, .start(port.lengths.numberedReports), nil)
    case .configured(let isConfigured):
      for index in interfaces.indices { setBootProtocol(false, interface: index) }
      let number = isConfigured ? description.chosenConfiguration : 0
      return (nil, .usb(.configuration(number)), nil)
    case .wakeUp(let isAllowed): return (nil, .usb(.remoteWakeup(isAllowed: isAllowed)), nil)
    case .halted(let address, let isHalted):
      guard let index = description.interface(ofEndpoint: address) else { return nil }
      return (
        index, .usb(isHalted ? .halt(endpoint: address) : .clearHalt(endpoint: address)), nil
      )
    case .idle(let index, let id, let rate): return (index, .usb(.idle(id, rate: rate)), nil)
    case .request(let setup, let data, let isAccepted):
      return (nil, .usb(.request(setup.bytes + data, isAccepted: isAccepted)), nil)
    case .bootProtocol(let index, let isBoot):
      setBootProtocol(isBoot, interface: index)
      return (index, .usb(.bootProtocol(isBoot)), nil)
    }
  }

  private func setBootProtocol(_ isBoot: Bool, interface index: Int) {
    guard let port = interfaces[index].port else { return }
    let boot = description.interfaces[index].boot
    interfaces[index].bootReports =
      isBoot ? USBBootReports(port.plugged.descriptor, boot) : nil
    // The reports of the other protocol were dropped.
    interfaces[index].clients.resumeWaiters()
  }

  /// Returns the ID of the request whose transfer has a number.
  private func requestID(_ token: UInt32) -> HIDRequestID {
    HIDRequestID(rawValue: token &+ requestOffset)
  }

  // MARK: Replies

  /// Sends the replies of the engine, as far as the host has room, and schedules the next.
  private func flush() {
    guard let connection, !isHandling else { return }
    let (waiting, due) = transfers.flush(to: connection)
    var readiness: IOLoop.Readiness = waiting < Self.highWater ? .read : []
    if waiting > 0 { readiness.insert(.write) }
    if readiness != watched {
      watched = readiness
      Self.loop.changeWatch(connection.watch, connection.descriptor, for: readiness)
    }
    if due != timer?.due { schedule(at: due, connection) }
  }

  /// Schedules the next call of ``advance()``; nil for none.
  private func schedule(at due: MonotonicTime?, _ connection: Connection) {
    if let timer { Self.loop.cancel(timer.id) }
    timer = due.map { (Self.loop.schedule(at: $0, connection.whenDue), $0) }
  }

  /// Completes the transfers that are due.
  private func advance() {
    timer = nil
    let now = MonotonicTime.now
    transfers.engine.advance(to: now)
    flush()
    resumeWaiters(at: now)
  }

  // MARK: The device's reports and answers

  /// Sends an input report of an interface, or its boot report while the host uses the boot
  /// protocol.
  ///
  /// - Returns: False if there is no room; nil if the device is unplugged.
  func send(_ report: Span<UInt8>, interface index: Int) -> Bool? {
    guard isPlugged, !isEnding else { return nil }
    let interface = interfaces[index]
    guard var bootReports = interface.bootReports else {
      return sendAsIs(report, interface: index)
    }
    var bytes: [UInt8] = []
    bytes.append(copying: report)
    let boot = bootReports.report(after: bytes)
    let isSent = boot.map { sendAsIs($0.span, interface: index) } ?? true
    // A report for which there is no room comes again.
    if isSent { interface.bootReports = bootReports }
    return isSent
  }

  /// Sends a report, if hidsim's clients and the host have room for it.
  private func sendAsIs(_ report: Span<UInt8>, interface index: Int) -> Bool {
    interfaces[index].clients.acceptClients(before: 1)
    return roomOfClients(interface: index) > 0 && sendToHost(report, interface: index)
  }

  private func sendToHost(_ report: Span<UInt8>, interface: Int) -> Bool {
    let isSent = transfers.engine.send(report, interface: interface, at: .now)
    flush()
    return isSent
  }

  /// Sends input reports of an interface, as many as there is room for.
  ///
  /// - Returns: The index of the first report that was not sent; nil if the device is unplugged.
  func send(_ batch: HIDReportBatch, in range: Range<Int>, interface index: Int) -> Int? {
    guard isPlugged, !isEnding else { return nil }
    var next = range.lowerBound
    let interface = interfaces[index]
    if interface.bootReports != nil {
      batch.withBytes { bytes in
        while next < range.upperBound,
          send(bytes.extracting(batch.byteRange(ofReport: next)), interface: index) == true
        { next += 1 }
      }
      return next
    }
    interface.clients.acceptClients(before: range.count)
    // While a report is sent, clients can make room for others.
    while next < range.upperBound {
      let room = min(roomOfClients(interface: index), range.upperBound - next)
      guard room > 0 else { break }
      let end = next + room
      let now = MonotonicTime.now
      batch.withBytes { bytes in
        while next < end {
          let report = bytes.extracting(batch.byteRange(ofReport: next))
          guard transfers.engine.send(report, interface: index, at: now) else { break }
          next += 1
        }
      }
      flush()
      if next < end { break }
    }
    return next
  }

  /// The number of reports of an interface that the host's drivers may not have received yet.
  func pendingCount(interface: Int) -> Int { transfers.engine.pendingCount(interface: interface) }

  /// The number of further reports of an interface for which hidsim's clients have room.
  private func roomOfClients(interface index: Int) -> Int {
    let clients = interfaces[index].clients
    guard clients.isCounted else { return .max }
    return max(0, clients.count - pendingCount(interface: index))
  }

  /// Returns whether a host has no room for another report of an interface; nil if the device is
  /// unplugged.
  ///
  /// A host that has taken no reports for a second counts as one with room: it loses further
  /// reports.
  private func lacksRoom(interface: Int) -> Bool? {
    guard isPlugged, !isEnding else { return nil }
    if transfers.engine.hasRoom(interface: interface) { return false }
    return transfers.engine.lossTime(interface: interface).map { MonotonicTime.now < $0 } ?? true
  }

  /// The number of reports of an interface that were lost: by hidsim's clients, as far as they had
  /// reported it when the device was unplugged; and by hosts that took none for a second.
  func lostCount(interface: Int) -> Int {
    interfaces[interface].lostByClients + hostLostCount(interface: interface)
  }

  /// The number of reports of an interface that hosts have lost because they took none for a
  /// second.
  private func hostLostCount(interface: Int) -> Int {
    interfaces[interface].lostBefore + transfers.engine.lostCount(interface: interface)
  }

  /// Waits until there is room for another report of an interface, or the device is unplugged.
  func waitForRoom(interface index: Int) async {
    while let hostLacksRoom = lacksRoom(interface: index) {
      if hostLacksRoom {
        await waitForHost(interface: index)
      } else if roomOfClients(interface: index) == 0 {
        await interfaces[index].clients.nextChange().get()
      } else {
        return
      }
    }
  }

  /// Waits for a change after which a host may have room for another report, or after which the
  /// wait has another end.
  private func waitForHost(interface: Int) async {
    let end = transfers.engine.lossTime(interface: interface)
    let time = transfers.engine.ampleRoomTime(interface: interface)
    let until = MonotonicTime.now.advanced(by: time)
    // A host that takes a few reports and then no more makes room, but not ample room.
    let resume = loopHandler { device in device.resumeWaiters() }
    let timer = Self.loop.schedule(at: until, resume)
    await wait(until: end, room: AwaitedRoom(interface: interface, until: until)) {
      // A transfer that takes a part of a report can give the wait an end that it had not.
      $0.lacksRoom(interface: interface) == true
        && $0.transfers.engine.lossTime(interface: interface) == end
    }
    Self.loop.cancel(timer)
  }

  /// Waits while a condition holds, up to a time; the condition is evaluated after each change.
  ///
  /// - Parameters:
  ///   - end: The time; nil for no limit.
  ///   - room: The interface for whose ample room the task waits, and the time from which it waits
  ///     for any room; nil to wait for any change.
  ///   - condition: The condition.
  private func wait(
    until end: MonotonicTime?, room: AwaitedRoom? = nil,
    while condition: (isolated USBDevice) -> Bool
  ) async {
    let resume = loopHandler { device in device.resumeWaiters() }
    let timer = end.map { end in Self.loop.schedule(at: end, resume) }
    while condition(self), end.map({ MonotonicTime.now < $0 }) ?? true {
      await changeWaiters.append(room).get()
    }
    if let timer { Self.loop.cancel(timer) }
  }

  /// Resumes the tasks that wait.
  private func resumeWaiters() { changeWaiters.takeAll().fulfill() }

  /// Resumes the tasks that wait, except those that still wait for ample room.
  private func resumeWaiters(at now: MonotonicTime) {
    guard !changeWaiters.isEmpty else { return }
    changeWaiters.takeAll { room in
      guard let room, now < room.until else { return true }
      return !transfers.engine.hasRoom(interface: room.interface)
        || transfers.engine.hasAmpleRoom(interface: room.interface)
    }.fulfill()
  }

  func answerGet(_ request: HIDRequestID, _ report: [UInt8]?) {
    transfers.engine.answerGet(request.rawValue &- requestOffset, report)
    passEvents(at: .now)
    flush()
  }

  func answerSet(_ request: HIDRequestID, accepted: Bool) {
    transfers.engine.answerSet(request.rawValue &- requestOffset, accepted: accepted)
    passEvents(at: .now)
    flush()
  }

  // MARK: The end

  /// Ends a connection that the host has closed, or that has failed.
  ///
  /// A device that another host can import is then as it was when it was plugged. Any other device
  /// is unplugged.
  private func endConnection() {
    guard !isEnding else { return finish() }
    transfers.engine.withdrawRequest()
    passEvents(at: .now)
    closeConnection()
    for (index, interface) in interfaces.enumerated() {
      interface.addLosses(transfers.engine.lostCount(interface: index))
    }
    transfers.engine = USBTransferEngine(description)
    // Any large odd number: no connection repeats the IDs of one shortly before it.
    requestOffset &+= 0x9E37_79B9
    let now = MonotonicTime.now
    for index in interfaces.indices {
      var events: [HIDHostEvent] = interfaces[index].isOpen ? [.close] : []
      if interfaces[index].isStarted { events.append(.stop) }
      interfaces[index].isOpen = false
      interfaces[index].isStarted = false
      setBootProtocol(false, interface: index)
      if !events.isEmpty {
        pass(events.map { HIDHostEventRecord(time: now, event: $0) }, to: index)
      }
    }
    if host.outlivesConnections { resumeWaiters() } else { finish() }
  }

  private func closeConnection() {
    if let connection { Self.loop.stopWatching(connection.watch, connection.descriptor) }
    if let timer { Self.loop.cancel(timer.id) }
    timer = nil
    connection = nil
    transfers.endConnection()
  }

  /// Unplugs the device with all its interfaces, and returns when the host has removed it.
  ///
  /// The device first waits until the host has taken the reports that were sent, for 5 s at most.
  func detach() async {
    guard isPlugged, !isEnding else { return }
    isEnding = true
    resumeWaiters()
    let end = MonotonicTime.now.advanced(by: Self.drainBound)
    await wait(until: end) { device in
      device.connection != nil && device.transfers.engine.hasWaitingReports
    }
    if connection != nil {
      transfers.engine.end()
      flush()
      await wait(until: .now.advanced(by: Self.lingerTime)) { $0.connection != nil }
    }
    finish()
    await host.waitForRemoval()
  }

  /// Unplugs the device: ends the transfers that wait, and closes the connection.
  private func finish() {
    guard isPlugged else { return }
    isPlugged = false
    transfers.engine.end()
    flush()
    host.unplug()
    closeConnection()
    endInterfaces()
    resumeWaiters()
  }

  /// Ends the grabs, and disconnects hidsim's clients, when the device is unplugged or could not be
  /// plugged.
  func endInterfaces() {
    for interface in interfaces {
      interface.end()
      if let port = interface.port { port.assumeOnLoop { $0.endGrab() } }
    }
  }
}
