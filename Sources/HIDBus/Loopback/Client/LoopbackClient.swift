// SPDX-License-Identifier: Apache-2.0

import DequeModule
import HIDReportDescriptor
import IOLoop
import Synchronization
import SystemPackage

/// A client's connection to a device: it puts the device's reports into the rings of the client's
/// streams, and sends the client's messages in order.
///
/// The socket is read on the loop. Messages are sent from any thread, while the state is locked.
final class LoopbackClient: Sendable {
  /// The loop of all loopback clients of this process.
  static let loop = IOLoop(name: "hidsim-client")

  /// The result of a request or a write.
  enum Outcome: Sendable {
    case answered([UInt8])
    case refused
    case timedOut
    case gone
  }

  /// Called with the result of a request or a write.
  private typealias Reply = @Sendable (Outcome) -> Void

  private struct Outgoing: Sendable {
    let datagram: [UInt8]
    /// The token of the request or write; `nil` for other messages.
    ///
    /// If the request or write times out before its message is sent, the message is removed.
    let token: UInt32?
  }

  private struct State: Sendable {
    var socket: Handle?
    var watch: IOLoop.WatchID?
    var subscribers = Subscribers()
    /// The device's counts of the reports sent to this client, and of those dropped; `nil` until
    /// the device has sent them.
    var counts: ReportCounts.Reader?
    /// The number of dropped reports that the streams have counted: those that the device has
    /// announced in messages, and ``countedEarly``.
    var announced: UInt64 = 0
    /// The number of dropped reports that the streams have counted, and the device has not yet
    /// announced.
    var countedEarly: UInt64 = 0
    /// The error that ends the connection, or has ended it; `nil` if there is none.
    var failure: HIDBusError?
    /// True if the device counts the reports that this client has not taken.
    var isCounted = false
    var outgoing: Deque<Outgoing> = []
    var isPaused = false
    /// True while progress is sent to the device, because a stream has no room.
    var tellsProgress = false
    var watchedFor: IOLoop.Readiness = .read
    var lastToken: UInt32 = 0
    var requests: [UInt32: Reply] = [:]
    var writes: [UInt32: Reply] = [:]

    /// True if reading continues while a stream has no room: a request waits for its answer, and
    /// less than 1 MiB of reports waits for room.
    ///
    /// The reader of the full stream may be the caller that waits for the answer, and the answer
    /// comes after reports.
    var readsAhead: Bool { !requests.isEmpty && subscribers.pendingByteCount < 1 << 20 }
  }

  /// An open socket, which is closed with the last reference.
  private final class Handle: Sendable {
    let socket: SocketDescriptor
    init(_ socket: consuming SocketDescriptor) { self.socket = socket }
  }

  private let state: Mutex<State>
  // Used only in `read` and its `receive`, while the state is locked.
  nonisolated(unsafe) private let buffer: UnsafeMutableRawBufferPointer

  init(_ socket: consuming SocketDescriptor) {
    state = Mutex(State(socket: Handle(socket)))
    buffer = .allocate(byteCount: LoopbackMessage.longest, alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// The time in which a device must answer an open message.
  ///
  /// If the process of the device is stopped, the device counts as opened after this time, as on
  /// the kernel bus.
  private static let openBound = Duration.seconds(1)

  /// Opens the device, and waits up to 1 s for its answer.
  ///
  /// The connection receives every report that the device sends after it has received the open
  /// message.
  ///
  /// - Returns: False if the device is gone; true also if the device did not answer in time.
  func open() async -> Bool {
    let outcome = await request(
      LoopbackMessage.openToken, until: .now.advanced(by: Self.openBound), .open)
    if case .gone = outcome { return false }
    return true
  }

  /// Opens the device as ``open()`` does, but blocks the calling thread.
  func openNow() -> Bool {
    let outcome = Promise<Outcome>()
    exchange(
      LoopbackMessage.openToken, until: .now.advanced(by: Self.openBound), .open, as: \.requests
    ) { outcome.fulfill($0) }
    if case .gone = outcome.getBlocking(atMost: Self.openBound) { return false }
    return true
  }

  /// Begins to watch the socket; requests and writes before that fail.
  func start() throws(Errno) {
    let result = state.withLock { state -> Result<Void, Errno> in
      Result { () throws(Errno) in try watch(&state) }
    }
    try result.get()
  }

  private func watch(_ state: inout State) throws(Errno) {
    guard let handle = state.socket else { throw .socketNotConnected }
    state.watchedFor = .read
    state.watch = try Self.loop.watch(handle.socket.descriptor, for: .read) {
      [weak self] readiness in
      if readiness.contains(.write) { self?.writable() }
      if !readiness.isDisjoint(with: [.read, .hangUp]) {
        self?.readable(isHungUp: !readiness.isDisjoint(with: .hangUp))
      }
    }
  }

  func close() { close(isDevicesEnd: false) }

  private func close(isDevicesEnd: Bool) {
    let old = state.withLock { state in
      if state.socket != nil { settleLosses(isDevicesEnd: isDevicesEnd, &state) }
      let old = state
      state = State(
        subscribers: Subscribers(afterClosing: old.subscribers), failure: old.failure)
      if let handle = old.socket, let watch = old.watch {
        Self.loop.stopWatching(watch, handle.socket.descriptor)
      }
      return old
    }
    for (ring, _) in old.subscribers.rings { ring.finish(failing: old.failure) }
    for write in old.writes.values { write(.gone) }
    for request in old.requests.values { request(.gone) }
  }

  // MARK: Losses

  /// Returns the number of reports that the device has dropped and the streams have not counted; 0
  /// for a closed connection.
  private func unannouncedLosses() -> HIDLossCount {
    state.withLock { state in
      guard state.socket != nil else { return 0 }
      return Self.unannouncedLosses(state)
    }
  }

  private static func unannouncedLosses(_ state: State) -> HIDLossCount {
    guard let counts = state.counts else { return HIDLossCount(0, isComplete: false) }
    return difference(counts.dropped, state.announced)
  }

  /// Returns how many of the device's reports are missing, once the socket is read to its end.
  private static func missingReports(_ state: State) -> HIDLossCount {
    guard let counts = state.counts else { return HIDLossCount(0, isComplete: false) }
    return difference(counts.sent, state.subscribers.received + state.announced)
  }

  /// Subtracts the known reports from a count; the result is incomplete if the count cannot be
  /// true.
  private static func difference(_ count: UInt64, _ known: UInt64) -> HIDLossCount {
    guard count >= known, count - known < 1 << 48 else { return HIDLossCount(0, isComplete: false) }
    return HIDLossCount(Int(count - known))
  }

  /// Counts the losses that the streams have not counted, before the streams end.
  private func settleLosses(isDevicesEnd: Bool, _ state: inout State) {
    let losses = isDevicesEnd ? Self.missingReports(state) : Self.unannouncedLosses(state)
    if losses.count > 0 { state.subscribers.countLost(losses.count) }
    if !losses.isComplete { state.subscribers.noteUncountableLosses() }
  }

  /// Adds the losses so far to the existing streams, before another stream is added.
  ///
  /// The new stream must not count these losses. The first stream must, since it gets the earlier
  /// reports: before it is added, the call does nothing.
  private func countLossesBeforeLateStream(_ state: inout State) {
    let losses = Self.unannouncedLosses(state)
    guard !state.subscribers.isBeforeFirst, losses.count > 0 else { return }
    state.subscribers.countLost(losses.count)
    state.announced += UInt64(losses.count)
    state.countedEarly += UInt64(losses.count)
  }

  // MARK: Reports

  func subscribe(capacity: Int, policy: HIDReportStream.Policy) -> HIDReportStream {
    let ring = ReportRing(capacity: capacity)
    let (isOpen, failure) = state.withLock { state in
      guard state.socket != nil else {
        state.subscribers.handEarly(to: ring)
        return (false, state.failure)
      }
      countLossesBeforeLateStream(&state)
      state.subscribers.add(ring, policy)
      ring.addLosses { [weak self] in self?.unannouncedLosses() ?? 0 }
      if state.isCounted { count(ring) }
      return (true, nil)
    }
    if !isOpen { ring.finish(failing: failure) }
    // Reports without room in the stream count as taken.
    tellTaken()
    return HIDReportStream(ring)
  }

  /// Makes the ring call ``tellTaken()`` whenever its reader has taken reports.
  private func count(_ ring: ReportRing) {
    ring.whenTaken { [weak self] in self?.tellTaken() }
  }

  /// Sends the device the number of reports taken since the previous message, if the device counts
  /// them.
  private func tellTaken() {
    let hasNews = state.withLock { state in
      noteTaken(&state)
      return !state.outgoing.isEmpty
    }
    if hasNews { writable() }
  }

  private func noteTaken(_ state: inout State, evenUncounted: Bool = false) {
    guard state.isCounted || evenUncounted, let count = state.subscribers.newlyTaken() else {
      return
    }
    state.outgoing.append(Outgoing(datagram: LoopbackMessage.taken(count).encoded, token: nil))
  }

  /// Receives the messages that are in the socket: at most 64 turns of 64 messages.
  func catchUp() {
    for _ in 0..<64 where !readable() { return }
  }

  /// Reads up to 64 messages, passes the answers on, and wakes the readers of the streams.
  ///
  /// If the device has closed its end, or a message is not valid, the call closes the connection,
  /// unless reports wait for room.
  ///
  /// - Returns: True if there may be more messages.
  @discardableResult
  private func readable(isHungUp: Bool = false) -> Bool {
    var answers: [(Reply, Outcome)] = []
    let (turn, rings) = state.withLock { state in
      (read(&state, &answers, isHungUp: isHungUp), state.subscribers.rings)
    }
    for (reply, outcome) in answers { reply(outcome) }
    for (ring, _) in rings { ring.tell(on: Self.loop) }
    if turn == .over { close(isDevicesEnd: true) }
    return turn == .more
  }

  /// The result of a turn of reading.
  private enum Turn {
    case more
    /// There is nothing to read, or nothing can be delivered now.
    case empty
    case over
  }

  /// Receives what the device has sent, up to 64 messages.
  private func read(
    _ state: inout State, _ answers: inout [(Reply, Outcome)], isHungUp: Bool
  ) -> Turn {
    // Reports that waited for room are delivered first.
    if !state.isPaused, !settle(state.subscribers.deliverPending(), &state) {
      state.failure = Self.violation("its input reports have wrong lengths")
      return .over
    }
    // A connection with an invalid message ends once the reports before that message are delivered.
    if state.failure != nil { return end(&state, &answers) ? .over : .empty }
    var turn = Turn.more
    for _ in 0..<64 {
      guard let handle = state.socket else { return .empty }
      guard !state.isPaused || state.readsAhead else {
        // The loop would report the hang-up again and again. It is found again once there is room
        // for the reports before it.
        if isHungUp { stopWatching(&state) }
        turn = .empty
        break
      }
      do throws(Errno) {
        let count = try receive(handle.socket, &state)
        guard count > 0 else { return end(&state, &answers) ? .over : .empty }
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        if bytes[0] != LoopbackMessage.inputCode {
          guard let message = LoopbackMessage(decoding: Array(bytes)[...]),
            take(message, &state, &answers)
          else { return violation(bytes, &state, &answers) }
        } else if state.isPaused {
          state.subscribers.hold(bytes)
        } else {
          guard settle(state.subscribers.deliver(bytes), &state) else {
            return violation(bytes, &state, &answers)
          }
        }
      } catch {
        if error == .wouldBlock {
          turn = .empty
          break
        }
        if error == .messageTooLong { state.failure = Self.violation("longer than 64 KiB") }
        return end(&state, &answers) ? .over : .empty
      }
    }
    // Reports for streams without a reader count as taken.
    noteTaken(&state)
    updateWatch(&state)
    return turn
  }

  /// Receives a datagram, and the device's counts if they have not come before.
  private func receive(
    _ socket: borrowing SocketDescriptor, _ state: inout State
  ) throws(Errno) -> Int {
    guard state.counts == nil else { return try socket.receive(into: buffer) }
    let (count, counts) = try socket.receiveCounts(into: buffer)
    state.counts = counts
    return count
  }

  private static func violation(_ found: String) -> HIDBusError {
    HIDBusError(
      .protocolViolation,
      """
      the device sent an invalid message of the loopback bus (\(found)); the connection was closed
      """)
  }

  /// Ends the connection because of an invalid datagram, once the reports that wait for room are
  /// delivered.
  private func violation(
    _ bytes: UnsafeRawBufferPointer, _ state: inout State,
    _ answers: inout [(Reply, Outcome)]
  ) -> Turn {
    let start = Array(bytes.prefix(8)).hexText
    state.failure = Self.violation(
      "\(bytes.count) bytes, \(start)\(bytes.count > 8 ? " …" : "")")
    return end(&state, &answers) ? .over : .empty
  }

  /// Prepares the end of the connection, after the last message of the device or an invalid one.
  ///
  /// - Returns: True if all reports are delivered, so that the caller can close the connection.
  ///   False if reports wait for their reader. Watching has then ended, and the failures of all
  ///   requests and writes are added to `answers`.
  private func end(
    _ state: inout State, _ answers: inout [(Reply, Outcome)]
  ) -> Bool {
    guard state.isPaused else { return true }
    answers += state.requests.values.map { ($0, .gone) }
    answers += state.writes.values.map { ($0, .gone) }
    state.requests = [:]
    state.writes = [:]
    stopWatching(&state)
    return false
  }

  private func take(
    _ message: LoopbackMessage, _ state: inout State,
    _ answers: inout [(Reply, Outcome)]
  ) -> Bool {
    switch message {
    case .answer(let token, let report):
      if message == .opened(isCounted: true) {
        state.isCounted = true
        for (ring, _) in state.subscribers.rings { count(ring) }
      }
      // An answer that no caller waits for any more is late, but valid.
      if let reply = state.requests.removeValue(forKey: token) {
        answers.append((reply, report.map(Outcome.answered) ?? .refused))
      }
      return true
    case .lost(let count):
      let counted = min(state.countedEarly, UInt64(count))
      state.countedEarly -= counted
      let more = UInt64(count) - counted
      state.announced += more
      if more > 0 { state.subscribers.countLost(Int(more)) }
      return true
    case .open, .write, .get, .set, .cancel, .taken: return false
    }
  }

  /// Ends the watch of the socket, after a hang-up or an invalid message.
  ///
  /// `resumeReading()` begins a new watch. New requests and writes fail until then.
  private func stopWatching(_ state: inout State) {
    guard let handle = state.socket, let watch = state.watch else { return }
    Self.loop.stopWatching(watch, handle.socket.descriptor)
    state.watch = nil
  }

  /// Pauses if a delivery found no room, and returns whether the datagram was valid.
  private func settle(_ delivery: Subscribers.Delivery, _ state: inout State) -> Bool {
    if delivery == .noRoom { pause(&state) }
    return delivery != .nonsense
  }

  /// The interval at which the progress of readers without room is sent to the device.
  ///
  /// The device gives up a client that makes no progress for a second. While a datagram of reports
  /// waits for room, the device sees progress only in these messages.
  private static let progressInterval = Duration.milliseconds(250)

  private func tellProgress() {
    state.withLock { state in
      state.tellsProgress = state.isPaused && state.watch != nil
      guard state.tellsProgress else { return }
      noteTaken(&state, evenUncounted: true)
      scheduleProgress()
    }
    writable()
  }

  private func scheduleProgress() {
    Self.loop.schedule(at: .now.advanced(by: Self.progressInterval)) { [weak self] in
      self?.tellProgress()
    }
  }

  /// Stops delivering reports until the first full lossless stream has room.
  ///
  /// Reading stops too, except while `readsAhead` is true. If another stream is full then, the next
  /// delivery pauses again.
  private func pause(_ state: inout State) {
    state.isPaused = true
    if !state.tellsProgress {
      state.tellsProgress = true
      scheduleProgress()
    }
    let resume: @Sendable () -> Void = { [weak self] in
      Self.loop.schedule(at: .now) { [weak self] in self?.resumeReading() }
    }
    for (ring, policy) in state.subscribers.rings where policy == .lossless && !ring.hasRoom {
      if ring.whenRoom(resume) { return updateWatch(&state) }
    }
    // The reader has made room meanwhile: continue in the loop's next round.
    resume()
  }

  private func resumeReading() {
    let isOpen = state.withLock { state in
      state.isPaused = false
      if state.socket != nil, state.watch == nil {
        // Reading cannot continue without memory for a watch.
        do throws(Errno) {
          try watch(&state)
        } catch {
          state.failure = .lacking(error, "read the device")
          return false
        }
      }
      return true
    }
    if isOpen { readable() } else { close(isDevicesEnd: true) }
  }

  /// Watches the socket for reading, unless reading has stopped, and for writing if messages wait.
  private func updateWatch(_ state: inout State) {
    guard let handle = state.socket, let watch = state.watch else { return }
    var readiness: IOLoop.Readiness = !state.isPaused || state.readsAhead ? .read : []
    if !state.outgoing.isEmpty { readiness.insert(.write) }
    guard readiness != state.watchedFor else { return }
    state.watchedFor = readiness
    Self.loop.changeWatch(watch, handle.socket.descriptor, for: readiness)
  }

  // MARK: Messages

  /// The time in which the socket must take a message that is written.
  private static let writeBound = Duration.seconds(5)
  /// The time in which a request must get its turn and its answer before the device counts as
  /// stopped.
  ///
  /// Requests of five other clients may come first, and each may take 5 s.
  private static let turnBound = RequestQueue.bound * 6

  /// Sends a message, and waits until the socket has taken it.
  ///
  /// - Parameter deadline: The time at which to give up. The call gives up after 5 s if the
  ///   deadline is later, or `nil`.
  func send(_ message: LoopbackMessage, until deadline: MonotonicTime? = nil) async -> Outcome {
    let bound = MonotonicTime.now.advanced(by: Self.writeBound)
    return await exchange(
      nextToken(), until: deadline.map { min($0, bound) } ?? bound, message, as: \.writes)
  }

  /// Sends a request, and waits for its answer.
  ///
  /// - Parameter deadline: The time at which to give up; `nil` for 30 s from now, after which the
  ///   request counts as refused.
  func request(
    until deadline: MonotonicTime?, _ message: (UInt32) -> LoopbackMessage
  ) async -> Outcome {
    let token = nextToken()
    if let deadline { return await request(token, until: deadline, message(token)) }
    // The device ends a request without an answer itself, unless its process is stopped.
    let outcome = await request(token, until: .now.advanced(by: Self.turnBound), message(token))
    if case .timedOut = outcome { return .refused }
    return outcome
  }

  private func nextToken() -> UInt32 {
    state.withLock { state in
      state.lastToken &+= 1
      if state.lastToken == LoopbackMessage.openToken { state.lastToken &+= 1 }
      return state.lastToken
    }
  }

  private func request(
    _ token: UInt32, until deadline: MonotonicTime, _ message: LoopbackMessage
  ) async -> Outcome {
    await exchange(token, until: deadline, message, as: \.requests)
  }

  private typealias Waiting = [UInt32: Reply]

  private func exchange(
    _ token: UInt32, until deadline: MonotonicTime, _ message: LoopbackMessage,
    as waiting: any WritableKeyPath<State, Waiting> & Sendable
  ) async -> Outcome {
    let outcome = Promise<Outcome>()
    exchange(token, until: deadline, message, as: waiting) { outcome.fulfill($0) }
    return await outcome.get()
  }

  private func exchange(
    _ token: UInt32, until deadline: MonotonicTime, _ message: LoopbackMessage,
    as waiting: any WritableKeyPath<State, Waiting> & Sendable, _ reply: @escaping Reply
  ) {
    let timer = Mutex<DeadlineID?>(nil)
    let isOpen = state.withLock { state in
      // Without a watch, the device has hung up or sent an invalid message, and only reports are
      // left.
      guard state.socket != nil, state.watch != nil else { return false }
      state[keyPath: waiting][token] = { outcome in
        if let timer = timer.withLock({ $0 }) { Self.loop.cancel(timer) }
        reply(outcome)
      }
      state.outgoing.append(Outgoing(datagram: message.encoded, token: token))
      return true
    }
    guard isOpen else { return reply(.gone) }
    // The timeout is scheduled after the reply is stored, because the deadline may have passed
    // already.
    let id = Self.loop.schedule(at: deadline) { [weak self] in self?.expire(token) }
    timer.withLock { $0 = id }
    writable()
  }

  private func expire(_ token: UInt32) {
    let waiting = state.withLock { state -> Reply? in
      let isUnsent = state.outgoing.contains { $0.token == token }
      state.outgoing.removeAll { $0.token == token }
      if let write = state.writes.removeValue(forKey: token) { return write }
      guard let request = state.requests.removeValue(forKey: token) else { return nil }
      // An open message cannot be cancelled.
      if !isUnsent, token != LoopbackMessage.openToken {
        state.outgoing.append(
          Outgoing(datagram: LoopbackMessage.cancel(token: token).encoded, token: nil))
      }
      return request
    }
    guard let waiting else { return }
    writable()
    waiting(.timedOut)
  }

  /// Sends the waiting messages until the socket is full, and replies to the writes that were sent.
  private func writable() {
    var sent: [Reply] = []
    state.withLock { state in
      guard let handle = state.socket else { return }
      while let message = state.outgoing.first {
        do throws(Errno) {
          try handle.socket.send(message.datagram.span)
          state.outgoing.removeFirst()
          if let token = message.token, let write = state.writes.removeValue(forKey: token) {
            sent.append(write)
          }
        } catch {
          // After any other error, reading the socket fails too, and then the connection is closed.
          break
        }
      }
      updateWatch(&state)
    }
    for reply in sent { reply(.answered([])) }
  }
}
