// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDReportDescriptor
import IOLoop
import SystemPackage

/// The device's end of the loopback bus: one interface, published in the bus directory.
actor LoopbackDevice: HIDDevicePort {
  static let loop = IOLoop.devices
  /// The device whose reports the loop sends after the running job.
  // Only code on `loop` uses the variable, which is one thread.
  nonisolated(unsafe) private static var postponing: LoopbackDevice?

  nonisolated var unownedExecutor: UnownedSerialExecutor { Self.loop.asUnownedSerialExecutor() }
  nonisolated let bus = HIDBusKind.loopback
  nonisolated var loop: IOLoop { Self.loop }
  nonisolated let plugged: HIDDeviceDescription
  nonisolated let lengths: HIDReportLengths
  nonisolated var waitsForClients: Bool { fidelity == .lossless }
  private nonisolated let fidelity: LoopbackBus.Fidelity

  /// One connected client.
  private struct Client: Sendable {
    let key: Int
    let connection: Connection
    var watch: IOLoop.WatchID
    var name: HIDClientName?
    var isOpen = false
    var watchedFor: IOLoop.Readiness = .read
    var outbox: ClientOutbox
    /// The counts that the client reads.
    ///
    /// `nil` before the client opens the device, and if they could not be made or sent.
    var counts: ReportCounts.Writer?

    @inline(__always)
    func storeCounts() {
      counts?.store(sent: UInt64(outbox.offered), dropped: UInt64(outbox.lostInAll))
    }
  }

  /// A client's socket, which is closed with the last reference.
  private final class Connection: Sendable {
    let socket: SocketDescriptor
    init(_ socket: consuming SocketDescriptor) { self.socket = socket }
  }

  /// The isolation: not needed, because no desktop looks for devices on this bus.
  let isolation = HIDIsolation.notNeeded

  private let directory: BusDirectory
  private weak var handler: (any HIDDeviceHandler)?
  private var entry: DeviceEntry.Owned?
  private var acceptWatch: IOLoop.WatchID?
  /// The clients, in the order in which they connected.
  // This is not a dictionary, because changing a value of a dictionary in place allocates memory.
  private var clients: [Client] = []
  private var openCount = 0
  /// The number of reports lost by clients that have disconnected, including those that were not
  /// sent before the device was destroyed.
  private var lostBefore = 0
  private var lastClient = 0
  private var requests = RequestQueue()
  private var requestTimer: DeadlineID?
  private var patienceTimer: DeadlineID?
  private var roomWaiters = WaiterList<Void>()
  /// The round of the loop in which ``sendInputSoon(_:in:)`` last sent reports at once.
  private var sendingRound = UInt.max
  private var events: [HIDHostEventRecord] = []
  /// The memory for received messages.
  ///
  /// It is not set to zero, which would put all its pages into memory. Only bytes that were
  /// received into it are read.
  private var buffer = [UInt8](unsafeUninitializedCapacity: LoopbackMessage.longest) {
    $1 = LoopbackMessage.longest
  }

  init(
    _ description: HIDDeviceDescription, in directory: BusDirectory,
    fidelity: LoopbackBus.Fidelity, handler: any HIDDeviceHandler
  ) {
    self.fidelity = fidelity
    plugged = description
    lengths = HIDReportLengths(description.descriptor)
    self.directory = directory
    self.handler = handler
  }

  deinit {
    if let entry, let acceptWatch {
      Self.loop.stopWatching(acceptWatch, entry.listener.descriptor)
    }
    for client in clients {
      Self.loop.stopWatching(client.watch, client.connection.socket.descriptor)
    }
    if let requestTimer { Self.loop.cancel(requestTimer) }
    if let patienceTimer { Self.loop.cancel(patienceTimer) }
  }

  /// Publishes the device, and accepts clients from then on.
  func create() throws(HIDBusError) {
    let entry = try DeviceEntry.publish(plugged, on: .loopback, in: directory)
    do throws(Errno) {
      acceptWatch = try Self.loop.watch(entry.listener.descriptor, for: .read) { [weak self] _ in
        self?.assumeIsolated { $0.accept() }
      }
    } catch {
      throw BusDirectory.error(.limitReached, "accept clients in", directory.path, error)
    }
    self.entry = entry
    note(.start(lengths.numberedReports))
    // The event is delivered in the loop's next round and not within this call, as on the kernel
    // bus.
    Task { self.deliver() }
  }

  nonisolated func ready(within bound: Duration) async throws(HIDBusError) -> HIDDeviceRecord {
    guard await entry != nil else { throw Self.unplugged }
    let identity = DeviceIdentityFile.encode(plugged)
    guard let record = DeviceIdentityFile.decode(identity) else {
      throw HIDBusError(.invalidArgument, DeviceIdentityFile.tooLong(identity))
    }
    return record
  }

  // MARK: Clients

  private func accept() {
    guard let entry else { return }
    let canGoOn = entry.listener.acceptClients { socket, processID throws(Errno) in
      let connection = Connection(socket)
      lastClient += 1
      let key = lastClient
      let watch = try Self.loop.watch(connection.socket.descriptor, for: .read) {
        [weak self] readiness in self?.assumeIsolated { _ = $0.serve(key, readiness) }
      }
      clients.append(
        Client(
          key: key, connection: connection, watch: watch, name: HIDClientName(processID: processID),
          outbox: ClientOutbox(fidelity)))
    }
    if !canGoOn { stopAccepting() }
  }

  private func index(of key: Int) -> Int? { clients.firstIndex { $0.key == key } }

  private func client(_ key: Int) -> Client? { clients.first { $0.key == key } }

  /// Changes a client, if it is connected.
  private func change(_ key: Int, _ body: (inout Client) -> Void) {
    if let index = index(of: key) { body(&clients[index]) }
  }

  /// Stops accepting clients on the loop for 100 ms.
  private func stopAccepting() {
    guard let entry, let acceptWatch else { return }
    Self.loop.changeWatch(acceptWatch, entry.listener.descriptor, for: [])
    Self.loop.schedule(at: .now.advanced(by: .milliseconds(100))) { [weak self] in
      self?.assumeIsolated { device in
        guard let entry = device.entry, let watch = device.acceptWatch else { return }
        Self.loop.changeWatch(watch, entry.listener.descriptor, for: .read)
      }
    }
  }

  /// The maximum number of messages of one client in one turn, so that other clients get their
  /// turn.
  private static let messagesPerTurn = 64

  /// Receives up to 64 messages of a client and acts upon them; if `readiness` contains `.write`,
  /// first sends the messages that wait for the client.
  ///
  /// The events of all these messages are delivered together, after the last message.
  ///
  /// - Returns: True if there may be more messages. The loop reports the socket again then.
  private func serve(_ key: Int, _ readiness: IOLoop.Readiness) -> Bool {
    if readiness.contains(.write) { flush(key) }
    var isGone = false
    var taken = 0
    while taken < Self.messagesPerTurn {
      guard let client = client(key) else { break }
      // A client that does not receive its answers must not send more requests. From a client that
      // has hung up, all messages are received.
      guard client.outbox.takesRequests || !readiness.isDisjoint(with: .hangUp) else { break }
      let message: LoopbackMessage?
      do throws(Errno) {
        let count = try buffer.withUnsafeMutableBytesTyped { bytes throws(Errno) in
          try client.connection.socket.receive(into: bytes)
        }
        message = count > 0 ? LoopbackMessage(decoding: buffer[..<count]) : nil
      } catch {
        if error == .wouldBlock { break }
        message = nil
      }
      guard let message, take(message, from: key) else {
        isGone = true
        break
      }
      taken += 1
    }
    if isGone { drop(key) }
    startRequest()
    deliver()
    return taken == Self.messagesPerTurn
  }

  /// Acts upon a message of a client.
  ///
  /// - Returns: False if the client must be disconnected: the message is not valid, or too many of
  ///   the client's requests wait.
  private func take(_ message: LoopbackMessage, from key: Int) -> Bool {
    guard let client = client(key) else { return false }
    // After the call of `destroy`, messages are ignored, while clients still receive what was sent.
    guard entry != nil else { return true }
    if message == .open {
      guard !client.isOpen else { return false }
      change(key) { $0.isOpen = true }
      answerOpening(key)
      openCount += 1
      if openCount == 1 { note(.open, client.name) }
      return true
    }
    guard client.isOpen else { return false }
    switch message {
    case .write(let report):
      guard report.count >= 2, report.count <= ReportRing.longestReport else { return false }
      note(.output(HIDReportBytes(report)), client.name)
    case .get(let token, let type, let number):
      return requests.add(.init(client: key, token: token, action: .get(type, number: number)))
    case .set(let token, let type, let report):
      guard report.count >= 2, report.count <= ReportRing.longestReport else { return false }
      return requests.add(.init(client: key, token: token, action: .set(type, report)))
    case .cancel(let token): requests.cancel(client: key, token: token)
    case .taken(let count):
      guard let index = index(of: key) else { return false }
      return clients[index].outbox.noteTaken(count)
    case .open, .answer, .lost: return false
    }
    return true
  }

  /// Answers an open, and sends the client the memory with the counts of its reports.
  private func answerOpening(_ key: Int) {
    let message = LoopbackMessage.opened(isCounted: fidelity == .kernel)
    do throws(Errno) {
      guard let connection = client(key)?.connection else { return }
      let counts = try ReportCounts.Writer()
      // This is the first message to the client, so the socket has room for it.
      try counts.send(with: message.encoded.span, through: connection.socket)
      change(key) { $0.counts = counts }
    } catch {
      // Without the counts, the client cannot compute its losses, and marks them as incomplete.
      change(key) { $0.outbox.append(message) }
      flush(key)
    }
  }

  private func drop(_ key: Int) {
    guard let index = index(of: key) else { return }
    // Postponed reports are sent, or at least counted.
    flush(at: index)
    let client = clients.remove(at: index)
    Self.loop.stopWatching(client.watch, client.connection.socket.descriptor)
    requests.removeAll(of: key)
    lostBefore += client.outbox.lostInAll
    if client.isOpen {
      openCount -= 1
      if openCount == 0 { note(.close, client.name) }
    }
    roomWaiters.takeAll().fulfill()
  }

  private func note(_ event: HIDHostEvent, _ client: HIDClientName? = nil) {
    events.append(HIDHostEventRecord(time: .now, event: event, client: client))
  }

  private func deliver() {
    while !events.isEmpty {
      var batch: [HIDHostEventRecord] = []
      swap(&batch, &events)
      guard entry != nil else { return }
      handler?.receive(batch, from: self)
    }
  }

  // MARK: Requests

  private func startRequest() {
    guard let (request, id) = requests.start() else { return }
    let name = client(request.client)?.name
    switch request.action {
    case .get(let type, let number):
      note(.getReport(id, type, HIDReportID(rawValue: number)), name)
    case .set(let type, let report):
      note(.setReport(id, type, HIDReportID(rawValue: report[0]), HIDReportBytes(report)), name)
    }
    if let requestTimer { Self.loop.cancel(requestTimer) }
    requestTimer = Self.loop.schedule(at: .now.advanced(by: RequestQueue.bound)) { [weak self] in
      self?.assumeIsolated { $0.finish(id, nil) }
    }
  }

  nonisolated func answerGet(_ request: HIDRequestID, _ report: [UInt8]?) {
    onLoop { device in
      guard case .get(let type, let number) = device.requests.current?.request.action else {
        return
      }
      let capacity = device.lengths.requestCapacity(type, HIDReportID(rawValue: number))
      device.finish(request, report.map { Array($0.prefix(capacity)) })
    }
  }

  nonisolated func answerSet(_ request: HIDRequestID, accepted: Bool) {
    onLoop { device in
      guard case .set = device.requests.current?.request.action else { return }
      device.finish(request, accepted ? [] : nil)
    }
  }

  /// Calls `body` at once if the caller is on the loop; else schedules it on the loop, in the order
  /// of the calls.
  private nonisolated func onLoop(
    _ body: @escaping @Sendable (isolated LoopbackDevice) -> Void
  ) {
    guard !Self.loop.isCurrent else { return assumeIsolated { body($0) } }
    Self.loop.perform { self.assumeIsolated { body($0) } }
  }

  private func finish(_ id: HIDRequestID, _ answer: [UInt8]?) {
    guard let request = requests.finish(id) else { return }
    if let requestTimer { Self.loop.cancel(requestTimer) }
    requestTimer = nil
    change(request.client) { $0.outbox.append(.answer(token: request.token, answer)) }
    flush(request.client)
    startRequest()
    if !events.isEmpty { Task { self.deliver() } }
  }

  // MARK: Input

  func sendInput(_ report: Span<UInt8>) throws(HIDBusError) -> Bool {
    try check(report)
    guard hasRoom() else { return false }
    append(report)
    flushInOrder()
    return true
  }

  func sendInput(_ batch: HIDReportBatch, in range: Range<Int>) throws(HIDBusError) -> Int {
    let next = try append(batch, in: range)
    flushInOrder()
    return next
  }

  /// Sends reports at once in the first call of a round of the loop, and otherwise postpones them.
  ///
  /// The postponed reports of one device share datagrams: sending a datagram costs more than adding
  /// a report to one.
  func sendInputSoon(_ batch: HIDReportBatch, in range: Range<Int>) throws(HIDBusError) -> Int {
    let next = try append(batch, in: range)
    let round = Self.loop.round
    if sendingRound == round {
      postpone()
    } else {
      sendingRound = round
      flushInOrder()
    }
    return next
  }

  /// Adds reports to the outboxes, as many as there is room for.
  private func append(_ batch: HIDReportBatch, in range: Range<Int>) throws(HIDBusError) -> Int {
    guard entry != nil else { throw Self.unplugged }
    try lengths.checkInput(batch, in: range)
    return batch.withBytes { bytes in
      var next = range.lowerBound
      while next < range.upperBound, hasRoom() {
        append(bytes.extracting(batch.byteRange(ofReport: next)))
        next += 1
      }
      return next
    }
  }

  private func append(_ report: Span<UInt8>) {
    for index in clients.indices where clients[index].isOpen {
      clients[index].outbox.append(report: report)
    }
  }

  private func check(_ report: Span<UInt8>) throws(HIDBusError) {
    guard entry != nil else { throw Self.unplugged }
    do throws(HIDReportLengths.Mismatch) {
      try lengths.checkInput(report)
    } catch {
      throw HIDBusError(error)
    }
  }

  private static var unplugged: HIDBusError {
    HIDBusError(.gone, "the device was unplugged")
  }

  private func hasRoom() -> Bool {
    clients.allSatisfy { !$0.isOpen || $0.outbox.takesMore }
  }

  nonisolated func roomForInput() async { await waitForRoom() }

  private func waitForRoom() async {
    // The timeout of a client restarts each time it takes something. So a client that takes a
    // little and then stops is given up too.
    while entry != nil, !hasRoom() {
      await someProgress { $0.isOpen && !$0.outbox.takesMore }
    }
  }

  /// Waits until the device may have sent to a client, a client was given up or has disconnected,
  /// the device was destroyed, or ``destructionTimeout`` is over.
  ///
  /// - Parameter isAwaited: Selects the clients whose timeout starts now, unless it runs already.
  ///   If there are none, the call returns at once.
  private func someProgress(of isAwaited: (Client) -> Bool) async {
    let now = MonotonicTime.now
    for index in clients.indices where isAwaited(clients[index]) {
      losePatience(at: clients[index].outbox.beginWaiting(at: now))
    }
    guard clients.contains(where: isAwaited) else { return }
    await roomWaiters.append().get()
  }

  private func losePatience(at deadline: MonotonicTime) {
    guard patienceTimer == nil else { return }
    patienceTimer = Self.loop.schedule(at: deadline) { [weak self] in
      self?.assumeIsolated { device in
        device.patienceTimer = nil
        let now = MonotonicTime.now
        for index in device.clients.indices { _ = device.clients[index].outbox.giveUp(at: now) }
        let since = device.clients.compactMap {
          $0.outbox.isLossy ? nil : $0.outbox.waitingSince
        }
        if let first = since.min() {
          device.losePatience(at: first.advanced(by: ClientOutbox.patience))
        }
        device.roomWaiters.takeAll().fulfill()
      }
    }
  }

  /// Sends the messages that wait for clients, after the postponed reports of another device.
  private func flushInOrder() {
    if let other = Self.postponing.take(), other !== self {
      other.assumeIsolated { $0.flushAll() }
    }
    flushAll()
  }

  /// Leaves the reports in the outboxes until the running job has ended, and the items that the
  /// loop has already.
  private func postpone() {
    let other = Self.postponing
    guard other !== self else { return }
    Self.postponing = self
    other?.assumeIsolated { $0.flushAll() }
    guard other == nil else { return }
    Self.loop.perform {
      Self.postponing.take()?.assumeIsolated { $0.flushAll() }
    }
  }

  private func flushAll() {
    for index in clients.indices {
      if clients[index].outbox.isEmpty { clients[index].storeCounts() } else { flush(at: index) }
    }
  }

  /// Sends the messages that wait for a client, until its socket is full.
  private func flush(_ key: Int) {
    if let index = index(of: key) { flush(at: index) }
  }

  private func flush(at index: Int) {
    let connection = clients[index].connection
    // The client must not receive more reports than the counts say.
    clients[index].storeCounts()
    var readiness: IOLoop.Readiness = []
    while !clients[index].outbox.isEmpty {
      do throws(Errno) {
        try clients[index].outbox.sendFirst { bytes throws(Errno) in
          try connection.socket.send(bytes)
        }
      } catch {
        // After any other error, reading the socket fails too, and then the client is dropped.
        if error == .wouldBlock { readiness.insert(.write) }
        break
      }
    }
    if clients[index].outbox.takesRequests { readiness.insert(.read) }
    if clients[index].watchedFor != readiness {
      clients[index].watchedFor = readiness
      Self.loop.changeWatch(clients[index].watch, connection.socket.descriptor, for: readiness)
    }
    roomWaiters.takeAll().fulfill()
  }

  // MARK: The end

  /// The maximum number of turns, of 64 messages each, of a client in ``catchUp()``: more than the
  /// buffer of its socket holds.
  private static let lastTurns = 64

  func catchUp() {
    flushAll()
    accept()
    for key in clients.map(\.key) {
      // With `.hangUp`, all messages are received, also from a client that has not received its
      // answers.
      var turns = 1
      while serve(key, .hangUp), turns < Self.lastTurns { turns += 1 }
    }
  }

  /// The time that all clients together have to receive the reports sent before the destruction.
  private static let destructionTimeout = Duration.seconds(5)

  func destroy() async {
    guard let entry else { return }
    flushAll()
    self.entry = nil
    entry.withdraw()
    if let acceptWatch { Self.loop.stopWatching(acceptWatch, entry.listener.descriptor) }
    roomWaiters.takeAll().fulfill()
    await clientsCaughtUp()
    for client in clients {
      lostBefore += client.outbox.unsentReports
      drop(client.key)
    }
    if let requestTimer { Self.loop.cancel(requestTimer) }
    events = []
    roomWaiters.takeAll().fulfill()
  }

  /// Waits until the socket of every client has all messages or the client was given up, for 5 s at
  /// most.
  private func clientsCaughtUp() async {
    let deadline = MonotonicTime.now.advanced(by: Self.destructionTimeout)
    let timer = Self.loop.schedule(at: deadline) { [weak self] in
      self?.assumeIsolated { $0.roomWaiters.takeAll().fulfill() }
    }
    defer { Self.loop.cancel(timer) }
    while MonotonicTime.now < deadline,
      clients.contains(where: { !$0.outbox.isEmpty && !$0.outbox.isLossy })
    {
      await someProgress { !$0.outbox.isEmpty }
    }
  }

  /// The number of reports that clients have lost because they read too slowly, or that were not
  /// sent before the device was destroyed.
  var lostReports: Int { clients.reduce(lostBefore) { $0 + $1.outbox.lostInAll } }
}

extension [UInt8] {
  /// Calls `withUnsafeMutableBytes`, and throws a typed error.
  mutating func withUnsafeMutableBytesTyped<Value>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Errno) -> Value
  ) throws(Errno) -> Value {
    let result = withUnsafeMutableBytes { bytes in
      Result { () throws(Errno) in try body(bytes) }
    }
    return try result.get()
  }
}
