// SPDX-License-Identifier: Apache-2.0

import CLinux
import HIDReportDescriptor
import IOLoop
import Synchronization
import SystemPackage

/// The device's end of the kernel bus: one interface, plugged through `/dev/uhid`.
///
/// It runs on the loop of the simulated devices, which opens no hidraw node and makes no hidraw
/// call. While a request of a client has no answer, the kernel holds a lock that can stall every
/// such call on the system.
actor UHIDDevice: HIDDevicePort {
  static let loop = IOLoop.devices

  nonisolated var unownedExecutor: UnownedSerialExecutor { Self.loop.asUnownedSerialExecutor() }
  nonisolated let bus = HIDBusKind.kernel
  nonisolated var loop: IOLoop { Self.loop }
  nonisolated let plugged: HIDDeviceDescription
  nonisolated let lengths: HIDReportLengths

  private let discovery: KernelDiscovery
  private var listening: KernelDiscovery.Listening?
  /// The room of hidsim's clients, for which the device waits.
  private let clients = ClientRoom()
  private nonisolated weak let handler: (any HIDDeviceHandler)?
  /// The method that keeps the device's input away from a user's desktop, valid once the device is
  /// ready.
  private(set) var isolation = HIDIsolation.live

  /// The state that any thread may use while it is locked, since answers come from any thread.
  private struct Shared: Sendable {
    var session = UHIDSession()
    /// `nil` once the device was unplugged.
    var connection: UHIDConnection?
  }

  private nonisolated let shared: Mutex<Shared>
  /// The connection in ``shared``, for use on the loop without its lock; `nil` once unplugged.
  private var connection: UHIDConnection?
  private let outlet: UHIDOutlet
  private let desktopGuard: DesktopGuard
  private var grab: EventGrab?
  private var watch: IOLoop.WatchID?
  private var stateWaiters = WaiterList<Void>()

  /// The number of events after which no more are read in one turn: more than the kernel's queue
  /// holds.
  private static let eventsPerTurn = 64

  init(
    _ description: HIDDeviceDescription, channel: consuming UHIDChannel,
    handler: any HIDDeviceHandler, discovery: KernelDiscovery,
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

  /// Publishes the device in the bus directory, creates it, and starts to read its events.
  func create() async throws(Errno) {
    listening = await discovery.listen()
    publish()
    guard let connection else { throw .noSuchAddressOrDevice }
    try connection.channel.write(UHIDEvent.create(plugged))
    watch = try Self.loop.watch(connection.channel.pollDescriptor, for: .read) {
      [weak self] _ in self?.drain(connection)
    }
  }

  /// Publishes the device in the bus directory.
  ///
  /// Without a directory, or if this fails, the device works as a device of any other program does.
  private func publish() {
    guard let directory = discovery.directory,
      let entry = try? DeviceEntry.publish(plugged, on: .kernel, in: directory)
    else { return }
    clients.start(entry, loop: Self.loop) { [weak self] body in
      self?.assumeIsolated { body($0.clients) }
    }
  }

  // MARK: From the kernel

  /// Reads the events that the kernel has queued, then passes them to the handler.
  ///
  /// It reads all events first, since the kernel's queue is short. If the first event is a request,
  /// it reads only that event. Call it on the loop.
  ///
  /// - Parameter evenAfterRequest: True to read on if the first event is a request.
  private nonisolated func drain(_ connection: UHIDConnection, evenAfterRequest: Bool = false) {
    var events = connection.takeEvents()
    var hasChanged = false
    var isOver = false
    // If a host writes without pause, its remaining events are read after the other devices of the
    // loop had their turn.
    while events.count < Self.eventsPerTurn {
      // A client that requests a report waits for the answer: after a request there is seldom
      // another event. If there is one, the loop calls again.
      let mayEnd = events.isEmpty && !evenAfterRequest
      let limit = mayEnd ? 1 : UHIDChannel.eventsPerRead
      let count: Int
      do throws(Errno) {
        count = try connection.channel.receive(into: UHIDConnection.received, atMost: limit)
      } catch {
        isOver = error != .wouldBlock
        break
      }
      let now = MonotonicTime.now
      for index in 0..<count {
        guard let event = UHIDEvent.decode(UHIDConnection.message(index)),
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

  /// Resumes the tasks that wait for a change of the device's state.
  ///
  /// - Parameter isOver: True if the device can no longer be read; the device is then finished.
  private func noteState(isOver: Bool) {
    if isOver, let lost = finish() { Self.release(lost) }
    stateWaiters.takeAll().fulfill()
  }

  // MARK: Readiness

  nonisolated func ready(within bound: Duration) async throws(HIDBusError) -> HIDDeviceRecord {
    try await waitUntilReady(within: bound)
  }

  private func waitUntilReady(within bound: Duration) async throws(HIDBusError) -> HIDDeviceRecord {
    let deadline = MonotonicTime.now.advanced(by: bound)
    let timer = Self.loop.schedule(at: deadline) { [weak self] in
      self?.assumeIsolated { $0.stateWaiters.takeAll().fulfill() }
    }
    defer { Self.loop.cancel(timer) }
    while true {
      // A driver that makes no nodes can also refuse the device, which then is never started.
      let stops =
        plugged.nodes == .none
        ? shared.withLock { $0.session.stops } : try await waitForStart(until: deadline)
      let device = try await discovery.waitForNodes(
        at: plugged.physicalPath.description, making: plugged.nodes, isRebound: stops > 0,
        until: deadline
      ) { [weak self] in self?.shared.withLock { $0.session.progress } ?? .destroyed }
      let outcome = try await desktopGuard.isolate(device)
      // Another driver may have been bound in the meantime, with other nodes.
      if keep(outcome, after: stops) { return device }
    }
  }

  /// Keeps the isolation and the grab of the device, unless a driver was unbound meanwhile; returns
  /// whether they were kept.
  private func keep(_ outcome: DesktopGuard.Outcome, after stops: Int) -> Bool {
    guard shared.withLock({ $0.session.stops }) == stops else { return false }
    isolation = outcome.isolation
    // If the device was unplugged in the meantime, there is nothing to grab.
    if connection != nil { grab = outcome.grab }
    return true
  }

  /// Waits until a driver has been bound for the first time, and returns how many times one was
  /// unbound by then.
  private func waitForStart(until deadline: MonotonicTime) async throws(HIDBusError) -> Int {
    while true {
      let session = shared.withLock { $0.session }
      if session.starts > 0 { return session.stops }
      if session.state == .destroyed { throw HIDBusError(.gone, "the device was unplugged") }
      guard MonotonicTime.now < deadline else {
        throw HIDBusError(
          .notStarted,
          """
          the kernel created the device, but did not start it in time: it refuses the report \
          descriptor, or its driver accepts only USB devices, as "--bus usb" makes. The kernel's log \
          has the reason: sudo dmesg | grep -i hid
          """)
      }
      await stateWaiters.append().get()
    }
  }

  // MARK: To the kernel

  func sendInput(_ report: Span<UInt8>) throws(HIDBusError) -> Bool {
    do throws(HIDReportLengths.Mismatch) {
      try lengths.checkInput(report)
    } catch {
      throw HIDBusError(error)
    }
    try checkConnected()
    clients.acceptClients(before: 1)
    if clients.count == 0 { return false }
    do throws(Errno) {
      try outlet.write(report)
    } catch {
      throw Self.sendFailed(error)
    }
    clients.noteSent(1)
    return true
  }

  func sendInput(_ batch: HIDReportBatch, in range: Range<Int>) throws(HIDBusError) -> Int {
    try checkConnected()
    let length = lengths.soleByteCount(of: batch, in: range)
    if length == nil { try lengths.checkInput(batch, in: range) }
    clients.acceptClients(before: range.count)
    return try batch.withBytes { bytes throws(HIDBusError) in
      var next = range.lowerBound
      while next < range.upperBound {
        let room = clients.count
        if room == 0 { break }
        let begun = next
        let count = min(room, range.upperBound - next)
        do throws(Errno) {
          next = try outlet.writeSome(bytes, of: batch, from: next, atMost: count, length: length)
        } catch {
          throw Self.sendFailed(error)
        }
        clients.noteSent(next - begun)
      }
      return next
    }
  }

  private static func sendFailed(_ error: Errno) -> HIDBusError {
    // EINVAL: uhid has released the device, because the HID core did not accept it (6.12).
    error == .invalidArgument
      ? HIDBusError(
        .gone,
        """
        the kernel has released the device, or never accepted it: read why in its log \
        (sudo dmesg | grep -i hid)
        """,
        errorNumber: error.rawValue)
      : HIDBusError.uhid(error, "send an input report")
  }

  private func checkConnected() throws(HIDBusError) {
    guard connection != nil else { throw HIDBusError(.gone, "the device was unplugged") }
  }

  /// Waits until hidsim's clients have room for another report, or the device is gone.
  ///
  /// For other programs there is no wait: the kernel accepts every report, and drops reports for
  /// slow readers without notice.
  nonisolated func roomForInput() async { await waitForRoom() }

  private func waitForRoom() async {
    while connection != nil, clients.count == 0 {
      await clients.nextChange().get()
    }
  }

  /// The number of reports that hidsim's clients have lost, as far as they have reported it; 0 once
  /// the device is gone.
  var lostReports: Int { clients.lostReports }

  // MARK: Answers

  nonisolated func answerGet(_ request: HIDRequestID, _ report: [UInt8]?) {
    guard let (asked, connection) = beginAnswer(to: request, isGet: true) else { return }
    // usbhid and i2c-hid put a 0 before an unnumbered report, if the report is not empty (6.12).
    // uhid passes on the bytes that it receives.
    let needsNumber = !asked.isNumbered && plugged.identity.transport.numbersAnswers
    UHIDEvent.withAnswerGet(request, report, needsNumber: needsNumber) { connection.answer($0) }
  }

  nonisolated func answerSet(_ request: HIDRequestID, accepted: Bool) {
    guard let (_, connection) = beginAnswer(to: request, isGet: false) else { return }
    UHIDEvent.answerSet(request, accepted: accepted).withUnsafeBytes { connection.answer($0) }
  }

  /// Returns a request that still waits for its answer, and the connection, and marks the request
  /// as answered; `nil` if it does not wait for this answer.
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
    guard let connection = finish() else { return }
    let isReleased = Promise<Void>()
    Self.release(connection) { isReleased.fulfill() }
    await isReleased.get()
  }

  /// Stops the device, and returns the connection, which the caller must release; `nil` if the
  /// device was stopped before.
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
    clients.end()
    stateWaiters.takeAll().fulfill()
    defer { connection = nil }
    return connection
  }

  /// Destroys a device on another thread, or on the caller's if no more threads can be started.
  ///
  /// The kernel waits for its own readers in that call, for up to 96 ms (6.12, Debian's
  /// configuration). During that time the loop could answer no other device.
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
        // The kernel has released the device already.
      }
      // This closes the descriptor, unless an answer is being written.
      last.withLock { $0 = nil }
      done()
    }
  }
}
