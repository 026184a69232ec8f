// SPDX-License-Identifier: Apache-2.0

import DequeModule
import Dispatch
import HIDReportDescriptor
import HIDBusDirectory
import HIDWire
import IOLoop
import Synchronization
import SystemPackage

/// A client's socket to a device: reports come out of it into rings, messages go into it in order.
///
/// Everything that touches the socket runs on the loop.
final class HostConnection: Sendable {
  /// The loop of every client of this process.
  static let loop = IOLoop(name: "hidsim-client")

  /// How a request ended.
  enum Outcome: Sendable {
    case answered([UInt8])
    case refused
    case timedOut
    case gone
  }

  /// Is told how a request ended.
  private typealias Reply = @Sendable (Outcome) -> Void

  private struct Outgoing: Sendable {
    let datagram: [UInt8]
    /// Whose message it is: what is over before it was sent need not be sent.
    let token: UInt32?
  }

  private struct State: Sendable {
    var socket: Handle?
    var watch: IOLoop.WatchID?
    var subscribers = Subscribers()
    /// The device's counts of reports sent to this client, and of those dropped.
    var counts: ReportCounts.Reader?
    /// How many dropped reports the streams have counted: those that the device has announced in
    /// messages, and ``countedEarly``.
    var announced: UInt64 = 0
    /// How many of them were counted before the device has announced them.
    var countedEarly: UInt64 = 0
    /// The error that ends the connection, or has ended it; `nil` if there is none.
    var failure: HIDWireError?
    /// Whether the device counts what was not taken.
    var isCounted = false
    var outgoing: Deque<Outgoing> = []
    var isPaused = false
    /// Whether the device is told of progress while this waits for room.
    var tellsProgress = false
    var watchedFor: IOLoop.Readiness = .read
    var lastToken: UInt32 = 0
    var requests: [UInt32: Reply] = [:]
    var writes: [UInt32: Reply] = [:]

    /// Whether to read on while a stream has no room: its reader may be who waits for the answer, which
    /// lies behind reports.
    var readsAhead: Bool { !requests.isEmpty && subscribers.pendingByteCount < 1 << 20 }
  }

  /// An open socket, closed with its last user.
  private final class Handle: Sendable {
    let socket: SocketDescriptor
    init(_ socket: consuming SocketDescriptor) { self.socket = socket }
  }

  private let state: Mutex<State>
  // Used on the loop alone, in `readable`.
  nonisolated(unsafe) private let buffer: UnsafeMutableRawBufferPointer

  init(_ socket: consuming SocketDescriptor) {
    state = Mutex(State(socket: Handle(socket)))
    buffer = .allocate(byteCount: LoopbackMessage.longest, alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// How long a device has to say so; one that is stopped can be opened all the same, as on the kernel bus.
  private static let openBound = Duration.seconds(1)

  /// Tells the device that a client is here, and waits until it knows: what it sends from then on comes here.
  ///
  /// - Returns: `false` if the device is gone.
  func open() async -> Bool {
    let outcome = await request(
      LoopbackMessage.openToken, until: .now.advanced(by: Self.openBound), .open)
    if case .gone = outcome { return false }
    return true
  }

  /// The same, on a thread that may wait.
  func openNow() -> Bool {
    let outcome = Mutex<Outcome>(.gone)
    let done = DispatchSemaphore(value: 0)
    exchange(
      LoopbackMessage.openToken, until: .now.advanced(by: Self.openBound), .open, as: \.requests
    ) { result in
      outcome.withLock { $0 = result }
      done.signal()
    }
    done.wait()
    return outcome.withLock { if case .gone = $0 { false } else { true } }
  }

  /// Begins to listen.
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

  /// How many reports the device has dropped and not announced.
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

  /// How many of the device's reports are missing, once all that the socket had is read.
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

  /// Counts losses that were not announced, before the streams end.
  private func settleLosses(isDevicesEnd: Bool, _ state: inout State) {
    let losses = isDevicesEnd ? Self.missingReports(state) : Self.unannouncedLosses(state)
    if losses.count > 0 { state.subscribers.countLost(losses.count) }
    if !losses.isComplete { state.subscribers.noteUncountableLosses() }
  }

  /// Counts the reports lost by now in the streams of this client, before another stream is added.
  ///
  /// The new stream has not lost them. The client's first stream has, since it gets the earlier
  /// reports.
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
    tellTaken()  // what found no room in the stream
    return HIDReportStream(ring)
  }

  /// Has the device told of what a stream takes.
  private func count(_ ring: ReportRing) {
    ring.whenTaken { [weak self] in self?.tellTaken() }
  }

  /// Tells the device how many reports were taken, if it wants to know and there are more than it knows of.
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

  /// Takes what the device has sent by now, and as much as a socket holds while it sends on.
  func catchUp() {
    for _ in 0..<64 where !readable() { return }
  }

  /// - Returns: Whether there may be more.
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

  /// How a turn of reading ended.
  private enum Turn {
    case more
    /// Nothing is there, or nothing can be taken now.
    case empty
    case over
  }

  /// Takes what the device has sent, up to 64 messages.
  private func read(
    _ state: inout State, _ answers: inout [(Reply, Outcome)], isHungUp: Bool
  ) -> Turn {
    // What a stream without room left over goes first.
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
        // The end would be reported again and again; it is found when there is room for what is before it.
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
    noteTaken(&state)  // where nobody listens any more
    updateWatch(&state)
    return turn
  }

  /// Receives a datagram, and the device's counts if it has not sent them before.
  private func receive(
    _ socket: borrowing SocketDescriptor, _ state: inout State
  ) throws(Errno) -> Int {
    guard state.counts == nil else { return try socket.receive(into: buffer) }
    let (count, counts) = try socket.receiveCounts(into: buffer)
    state.counts = counts
    return count
  }

  private static func violation(_ found: String) -> HIDWireError {
    HIDWireError(
      .protocolViolation,
      """
      the device sent an invalid message of the loopback bus (\(found)); the connection was closed
      """)
  }

  /// Ends the connection because of an invalid datagram; reports that wait for room are read first.
  private func violation(
    _ bytes: UnsafeRawBufferPointer, _ state: inout State,
    _ answers: inout [(Reply, Outcome)]
  ) -> Turn {
    let start = Array(bytes.prefix(8)).hexText
    state.failure = Self.violation(
      "\(bytes.count) bytes, \(start)\(bytes.count > 8 ? " …" : "")")
    return end(&state, &answers) ? .over : .empty
  }

  /// The device is gone, and says no more.
  ///
  /// - Returns: Whether its reports are out, too: if not, they wait for their reader, and nobody else does.
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
      // An answer that nobody waits for any more is late, not wrong.
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

  /// Ends the watch of a socket that will bring nothing but its end.
  private func stopWatching(_ state: inout State) {
    guard let handle = state.socket, let watch = state.watch else { return }
    Self.loop.stopWatching(watch, handle.socket.descriptor)
    state.watch = nil
  }

  /// Acts upon how a delivery went, and says whether the datagram made sense.
  private func settle(_ delivery: Subscribers.Delivery, _ state: inout State) -> Bool {
    if delivery == .noRoom { pause(&state) }
    return delivery != .nonsense
  }

  /// How often the device is told that readers without room make progress: it gives up those that make none
  /// for a second, and sees nothing of them while a datagram waits here.
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

  /// Stops reading until every stream that must not lose anything has room.
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
    // The reader was quicker than we: go on in the loop's next round.
    resume()
  }

  private func resumeReading() {
    let isOpen = state.withLock { state in
      state.isPaused = false
      if state.socket != nil, state.watch == nil {
        // Without memory for a watch there is no going on.
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

  /// Waits for what can be done now.
  private func updateWatch(_ state: inout State) {
    guard let handle = state.socket, let watch = state.watch else { return }
    var readiness: IOLoop.Readiness = !state.isPaused || state.readsAhead ? .read : []
    if !state.outgoing.isEmpty { readiness.insert(.write) }
    guard readiness != state.watchedFor else { return }
    state.watchedFor = readiness
    Self.loop.changeWatch(watch, handle.socket.descriptor, for: readiness)
  }

  // MARK: Messages

  /// How long a device that is stopped may take nothing before a write to it fails.
  private static let writeBound = Duration.seconds(5)
  /// How long a request waits for its turn and its answer before the device counts as stopped: the requests
  /// of five others before it may each take the 5 s they have.
  private static let turnBound = RequestQueue.bound * 6

  /// Sends a message, and waits until the socket has taken it.
  ///
  /// - Parameter deadline: Until when; `nil` for as long as a device may take.
  func send(_ message: LoopbackMessage, until deadline: MonotonicTime? = nil) async -> Outcome {
    let bound = MonotonicTime.now.advanced(by: Self.writeBound)
    return await exchange(
      nextToken(), until: deadline.map { min($0, bound) } ?? bound, message, as: \.writes)
  }

  /// Sends a request, and waits for its answer.
  ///
  /// - Parameter deadline: Until when; `nil` for as long as devices have, after which it counts as refused.
  func request(
    until deadline: MonotonicTime?, _ message: (UInt32) -> LoopbackMessage
  ) async -> Outcome {
    let token = nextToken()
    if let deadline { return await request(token, until: deadline, message(token)) }
    // The device ends what it does not answer itself; one that is stopped does not even that.
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
    await withCheckedContinuation { continuation in
      exchange(token, until: deadline, message, as: waiting) { continuation.resume(returning: $0) }
    }
  }

  private func exchange(
    _ token: UInt32, until deadline: MonotonicTime, _ message: LoopbackMessage,
    as waiting: any WritableKeyPath<State, Waiting> & Sendable, _ reply: @escaping Reply
  ) {
    let timer = Mutex<DeadlineID?>(nil)
    let isOpen = state.withLock { state in
      // Without a watch the device has hung up, and only reports are left.
      guard state.socket != nil, state.watch != nil else { return false }
      state[keyPath: waiting][token] = { outcome in
        if let timer = timer.withLock({ $0 }) { Self.loop.cancel(timer) }
        reply(outcome)
      }
      state.outgoing.append(Outgoing(datagram: message.encoded, token: token))
      return true
    }
    guard isOpen else { return reply(.gone) }
    // After it is known whom to wake: the deadline may have passed already.
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
      // There is no taking back that the device was opened.
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

  /// Sends what waits, as far as the socket takes it.
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
          // Whatever else is wrong with the socket, reading from it says so, and closes it.
          break
        }
      }
      updateWatch(&state)
    }
    for reply in sent { reply(.answered([])) }
  }
}
