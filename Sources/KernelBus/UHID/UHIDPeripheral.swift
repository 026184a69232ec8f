// SPDX-License-Identifier: Apache-2.0

import CLinux
import HIDBusDirectory
import HIDReportDescriptor
import HIDWire
import IOLoop
import Synchronization
import SystemPackage

/// The device's end of the kernel bus: one interface, plugged through `/dev/uhid`.
///
/// Runs on a loop of its own kind, which never opens a hidraw node nor makes a hidraw call: while one
/// get-report request is unanswered, the kernel holds a lock that stalls every such call on the system.
actor UHIDPeripheral: HIDPeripheralPort {
  /// The loop of every uhid channel in this process.
  static let loop = IOLoop(name: "hidsim-uhid")

  nonisolated var unownedExecutor: UnownedSerialExecutor { Self.loop.asUnownedSerialExecutor() }
  nonisolated let bus = HIDBusKind.kernel
  nonisolated var loop: IOLoop { Self.loop }
  nonisolated let plugged: HIDPeripheralDescription
  nonisolated let lengths: HIDReportLengths

  private let discovery: KernelDiscovery
  private var listening: KernelDiscovery.Listening?
  /// The way to hidsim's clients beside the kernel, where there is a folder for it.
  private var control: ControlServer?
  /// Whether clients of hidsim are waited for: looked at for each report, unlike ``control``.
  private var isCounted = false
  /// How many reports were sent, about, since it was last looked whether clients wait to be counted.
  private var sentUnlooked = 0
  private var roomWaiters: [CheckedContinuation<Void, Never>] = []
  private nonisolated weak let handler: (any HIDPeripheralHandler)?
  /// What keeps the device's input from a person's desktop, once it is ready.
  private(set) var isolation = HIDIsolation.live

  /// What every thread may look at: answers come from wherever they are made.
  private struct Shared: Sendable {
    var session = UHIDSession()
    /// `nil` once the device was unplugged.
    var connection: UHIDConnection?
  }

  private nonisolated let shared: Mutex<Shared>
  /// The same connection, for the loop.
  private var connection: UHIDConnection?
  private let outlet: UHIDOutlet
  private let desktopGuard: DesktopGuard
  private var grab: EventGrab?
  private var watch: IOLoop.WatchID?
  private var stateWaiters: [CheckedContinuation<Void, Never>] = []

  /// How many events are taken before they are handed on: more than the kernel's queue holds.
  private static let eventsPerTurn = 64

  init(
    _ description: HIDPeripheralDescription, channel: consuming UHIDChannel,
    handler: any HIDPeripheralHandler, discovery: KernelDiscovery,
    desktopGuard: DesktopGuard = DesktopGuard(isLive: true)
  ) {
    self.desktopGuard = desktopGuard
    plugged = description
    lengths = HIDReportLengths(description.descriptor)
    let connection = UHIDConnection(channel)
    outlet = UHIDOutlet(connection)
    self.connection = connection
    shared = Mutex(Shared(connection: connection))
    self.handler = handler
    self.discovery = discovery
  }

  deinit {
    guard let connection else { return }
    if let watch { Self.loop.stopWatching(watch, connection.channel.pollDescriptor) }
    Self.release(connection)
  }

  /// Creates the device, and begins to listen.
  func create() async throws(Errno) {
    listening = await discovery.listen()
    publish()
    guard let connection else { throw .noSuchAddressOrDevice }
    try connection.channel.write(UHIDEvent.create(plugged))
    watch = try Self.loop.watch(connection.channel.pollDescriptor, for: .read) {
      [weak self] _ in self?.drain(connection)
    }
  }

  /// Leaves word of the device in the bus directory; without, it works as any program's does.
  private func publish() {
    guard let directory = discovery.directory,
      let entry = try? DeviceEntry.publish(plugged, on: .kernel, in: directory)
    else { return }
    let server = ControlServer(entry, loop: Self.loop) { [weak self] in
      self?.assumeIsolated { $0.resumeRoomWaiters() }
    } enter: { [weak self] body in
      self?.assumeIsolated { device in
        guard let server = device.control else { return }
        body(server)
        device.lookWhetherCounted(server)
      }
    }
    do throws(Errno) {
      try server.start()
      control = server
    } catch {
      // Out of descriptors: the device works, and nobody is waited for.
    }
  }

  // MARK: From the kernel

  /// Takes what the kernel has queued before any of it is acted upon, since its queue is short: all of it, or a request
  /// that is first in it.
  ///
  /// On the loop.
  private nonisolated func drain(_ connection: UHIDConnection, evenAfterRequest: Bool = false) {
    var events = connection.takeEvents()
    var hasChanged = false
    var isOver = false
    // A host that writes without pause is come back to, after the other devices on the loop.
    while events.count < Self.eventsPerTurn {
      // Who asks for a report waits for it: after a request there is seldom more, and if there is, the loop says so.
      let mayEnd = events.isEmpty && !evenAfterRequest
      let limit = mayEnd ? 1 : UHIDChannel.eventsPerRead
      let count: Int
      do throws(Errno) {
        count = try connection.channel.receive(into: connection.received, atMost: limit)
      } catch {
        isOver = error != .wouldBlock
        break
      }
      let now = MonotonicTime.now
      for index in 0..<count {
        guard let event = UHIDEvent.decode(connection.message(index)),
          shared.withLock({ $0.session.receive(event) })
        else { continue }
        hasChanged = hasChanged || event.isOfDriver
        events.append(HIDHostEventRecord(time: now, event: event))
      }
      if count < limit || mayEnd && events.last?.event.isRequest == true { break }
    }
    if !events.isEmpty { handler?.receive(events, from: self) }
    connection.putBack(consume events)
    if hasChanged || isOver { assumeIsolated { $0.noteState(isOver: isOver) } }
  }

  /// Tells whoever waits for the device that something has changed.
  private func noteState(isOver: Bool) {
    if isOver, let lost = finish() { Self.release(lost) }
    resumeStateWaiters()
  }

  private func resumeStateWaiters() {
    let waiters = stateWaiters
    stateWaiters = []
    for waiter in waiters { waiter.resume() }
  }

  // MARK: Readiness

  nonisolated func ready(within bound: Duration) async throws(HIDWireError) -> HIDDeviceRecord {
    let deadline = MonotonicTime.now.advanced(by: bound)
    let timer = Self.loop.schedule(at: deadline) { [weak self] in
      self?.assumeIsolated { $0.resumeStateWaiters() }
    }
    defer { Self.loop.cancel(timer) }
    while true {
      let stops = try await waitForStart(until: deadline)
      let device = try await discovery.waitForNodes(
        of: plugged, isRebound: stops > 0, until: deadline
      ) { [weak self] in self?.shared.withLock { $0.session.progress } ?? .destroyed }
      let outcome = try await desktopGuard.isolate(device)
      // Another driver may have come meanwhile, with other nodes.
      if await keep(outcome, after: stops) { return device }
    }
  }

  /// Keeps what isolates the device, unless its driver has changed.
  private func keep(_ outcome: DesktopGuard.Outcome, after stops: Int) -> Bool {
    guard shared.withLock({ $0.session.stops }) == stops else { return false }
    isolation = outcome.isolation
    // Unplugged meanwhile: there is nothing to hold any more.
    if connection != nil { grab = outcome.grab }
    return true
  }

  /// Waits until a driver takes the device, and says how many have let go of it before.
  private func waitForStart(until deadline: MonotonicTime) async throws(HIDWireError) -> Int {
    while true {
      let session = shared.withLock { $0.session }
      if session.starts > 0 { return session.stops }
      if session.state == .destroyed { throw HIDWireError(.gone, "the device was unplugged") }
      guard MonotonicTime.now < deadline else {
        throw HIDWireError(
          .notStarted,
          """
          the kernel created the device, but did not start it in time; it probably refuses the \
          report descriptor: read why in its log (sudo dmesg | grep -i hid)
          """)
      }
      await withCheckedContinuation { continuation in
        // Looked at again where nothing can come in between.
        let session = shared.withLock { $0.session }
        guard session.starts == 0, session.state != .destroyed else { return continuation.resume() }
        stateWaiters.append(continuation)
      }
    }
  }

  // MARK: To the kernel

  func sendInput(_ report: Span<UInt8>) throws(HIDWireError) -> Bool {
    do throws(HIDReportLengths.Mismatch) {
      try lengths.checkInput(report)
    } catch {
      throw HIDWireError(error)
    }
    try checkConnected()
    lookForClients(before: 1)
    if isCounted, !hasRoom { return false }
    do throws(Errno) {
      try outlet.write(report)
    } catch {
      throw Self.sendFailed(error)
    }
    noteSent(1)
    return true
  }

  func sendInput(_ batch: HIDReportBatch, in range: Range<Int>) throws(HIDWireError) -> Int {
    try checkConnected()
    let length = lengths.soleByteCount(of: batch, in: range)
    if length == nil { try lengths.checkInput(batch, in: range) }
    lookForClients(before: range.count)
    return try batch.withBytes { bytes throws(HIDWireError) in
      var next = range.lowerBound
      while next < range.upperBound {
        let room = isCounted ? room : .max
        if room == 0 { break }
        let begun = next
        let count = min(room, range.upperBound - next)
        do throws(Errno) {
          next = try outlet.writeSome(bytes, of: batch, from: next, atMost: count, length: length)
        } catch {
          throw Self.sendFailed(error)
        }
        noteSent(next - begun)
      }
      return next
    }
  }

  /// Takes in clients that wait at the control socket before more reports go out than hidraw keeps for each of them: on
  /// a busy machine the loop may not have come to that, and one that nobody counts loses what it has not read.
  private func lookForClients(before count: Int) {
    sentUnlooked += count
    guard sentUnlooked > Int(ReportCredits.interval), let control else { return }
    sentUnlooked = 0
    control.accept()
    lookWhetherCounted(control)
  }

  private func lookWhetherCounted(_ server: ControlServer) { isCounted = !server.credits.isEmpty }

  /// For how many reports hidsim's clients have room.
  private var room: Int { control.map { Int($0.credits.room) } ?? .max }
  private var hasRoom: Bool { room > 0 }
  private func noteSent(_ count: Int) { control?.noteSent(count) }

  private static func sendFailed(_ error: Errno) -> HIDWireError {
    // EINVAL: uhid has given the device up, because the HID core did not want it (6.12).
    error == .invalidArgument
      ? HIDWireError(
        .gone,
        """
        the kernel has released the device, or never accepted it: read why in its log \
        (sudo dmesg | grep -i hid)
        """,
        errorNumber: error.rawValue)
      : HIDWireError.uhid(error, "send an input report")
  }

  private func checkConnected() throws(HIDWireError) {
    guard connection != nil else { throw HIDWireError(.gone, "the device was unplugged") }
  }

  /// Waits for hidsim's clients; the kernel itself always takes, and drops in silence.
  nonisolated func roomForInput() async { await waitForRoom() }

  private func waitForRoom() async {
    while connection != nil, !hasRoom {
      control?.beginWaiting()
      await withCheckedContinuation { roomWaiters.append($0) }
    }
  }

  private func resumeRoomWaiters() {
    let waiters = roomWaiters
    roomWaiters = []
    for waiter in waiters { waiter.resume() }
  }

  /// How many reports hidsim's clients have missed, as far as they have said so.
  var lostReports: Int { Int(clamping: control?.credits.lost ?? 0) }

  // MARK: Answers

  nonisolated func answerGet(_ request: HIDRequestID, _ report: [UInt8]?) {
    guard let (asked, connection) = beginAnswer(to: request, isGet: true) else { return }
    // usbhid and i2c-hid put a 0 where an un-numbered report has no number, if there is a report at all
    // (6.12); uhid hands on what it gets.
    let needsNumber = !asked.isNumbered && plugged.identity.transport.numbersAnswers
    UHIDEvent.withAnswerGet(request, report, needsNumber: needsNumber) { connection.answer($0) }
  }

  nonisolated func answerSet(_ request: HIDRequestID, accepted: Bool) {
    guard let (_, connection) = beginAnswer(to: request, isGet: false) else { return }
    UHIDEvent.answerSet(request, accepted: accepted).withUnsafeBytes { connection.answer($0) }
  }

  /// Takes a request that somebody waits for; nobody else answers it then.
  private nonisolated func beginAnswer(
    to request: HIDRequestID, isGet: Bool
  ) -> (UHIDSession.Request, UHIDConnection)? {
    shared.withLock { shared in
      guard let connection = shared.connection,
        let asked = shared.session.answer(request, isGet: isGet)
      else { return nil }
      return (asked, connection)
    }
  }

  // MARK: The end

  func catchUp() {
    if let connection { drain(connection, evenAfterRequest: true) }
  }

  func destroy() async {
    await withCheckedContinuation { continuation in
      guard let connection = finish() else { return continuation.resume() }
      Self.release(connection) { continuation.resume() }
    }
  }

  /// Stops listening, and hands out the connection, to be released by whoever asked.
  private func finish() -> UHIDConnection? {
    shared.withLock { shared in
      _ = shared.session.destroy()
      shared.connection = nil
    }
    if let watch, let connection {
      Self.loop.stopWatching(watch, connection.channel.pollDescriptor)
    }
    watch = nil
    grab = nil
    listening = nil
    control = nil
    isCounted = false
    resumeRoomWaiters()
    resumeStateWaiters()
    defer { connection = nil }
    return connection
  }

  /// Destroys a device on a thread of its own: the kernel waits for its own readers there, for up to
  /// 96 ms (6.12, Debian's configuration), in which no other device could be answered.
  private static func release(
    _ connection: UHIDConnection, _ done: @escaping @Sendable () -> Void = {}
  ) {
    let last = Mutex<UHIDConnection?>(connection)
    Thread.run(name: "hidsim-unplug") {
      do throws(Errno) {
        try last.withLock { connection throws(Errno) in
          try connection?.channel.write(UHIDEvent.destroy)
        }
      } catch {
        // The kernel has let go of the device already.
      }
      last.withLock { $0 = nil }  // closed now, unless an answer is being written
      done()
    }
  }
}
