// SPDX-License-Identifier: Apache-2.0

import DequeModule
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

  private struct Outgoing: Sendable {
    let datagram: [UInt8]
    /// Whose message it is: what is over before it was sent need not be sent.
    let token: UInt32?
  }

  private struct State: Sendable {
    var socket: Handle?
    var watch: IOLoop.WatchID?
    var rings: [(ring: ReportRing, policy: HIDReportStream.Policy)] = []
    /// What came before anybody listened; nil once somebody does.
    var early: EarlyReports? = EarlyReports()
    var outgoing: Deque<Outgoing> = []
    var isPaused = false
    var watchedFor: IOLoop.Readiness = .read
    var pending: [UInt8] = []  // reports that found no room yet, each with its length
    var lastToken: UInt32 = 0
    var requests: [UInt32: CheckedContinuation<Outcome, Never>] = [:]
    var writes: [UInt32: CheckedContinuation<Outcome, Never>] = [:]

    /// Whether to read on while a stream has no room: its reader may be who waits for the answer, which
    /// lies behind reports.
    var readsAhead: Bool { !requests.isEmpty && pending.count < 1 << 20 }
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

  /// The name of the first request: the device's word that it has opened.
  static let openToken: UInt32 = 0
  /// How long a device has to say so; one that is stopped can be opened all the same, as on the kernel bus.
  private static let openBound = Duration.seconds(1)

  /// Tells the device that a client is here, and waits until it knows: what it sends from then on comes here.
  ///
  /// - Returns: `false` if the device is gone.
  func open() async -> Bool {
    let outcome = await request(
      Self.openToken, until: .now.advanced(by: Self.openBound), .open)
    if case .gone = outcome { return false }
    return true
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

  func close() {
    let old = state.withLock { state in
      let old = state
      state = State(early: old.early)
      if let handle = old.socket, let watch = old.watch {
        Self.loop.stopWatching(watch, handle.socket.descriptor)
      }
      return old
    }
    for (ring, _) in old.rings { ring.finish() }
    for write in old.writes.values { write.resume(returning: .gone) }
    for request in old.requests.values { request.resume(returning: .gone) }
  }

  // MARK: Reports

  func subscribe(capacity: Int, policy: HIDReportStream.Policy) -> HIDReportStream {
    let ring = ReportRing(capacity: capacity)
    let isOpen = state.withLock { state in
      state.early?.hand(to: ring)
      state.early = nil
      if state.socket != nil { state.rings.append((ring, policy)) }
      return state.socket != nil
    }
    if !isOpen { ring.finish() }
    return HIDReportStream(ring)
  }

  private func readable(isHungUp: Bool = false) {
    var answers: [(CheckedContinuation<Outcome, Never>, Outcome)] = []
    let isOver = state.withLock { state -> Bool in
      // What a stream without room left over goes first.
      if !state.isPaused, !deliverPending(&state) { return true }
      for _ in 0..<64 {
        guard let handle = state.socket else { return false }
        guard !state.isPaused || state.readsAhead else {
          // The end would be reported again and again; it is found when there is room for what is before it.
          if isHungUp { stopWatching(&state) }
          break
        }
        do throws(Errno) {
          let count = try handle.socket.receive(into: buffer)
          guard count > 0 else { return end(&state, &answers) }
          let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
          if bytes[0] != LoopbackMessage.inputCode {
            guard let message = LoopbackMessage(decoding: Array(bytes)[...]),
              take(message, &state, &answers)
            else { return true }
          } else if state.isPaused {
            state.pending += bytes.dropFirst()
          } else {
            guard deliver(bytes, &state) else { return true }
          }
        } catch {
          if error == .wouldBlock { break }
          return end(&state, &answers)
        }
      }
      updateWatch(&state)
      return false
    }
    for (continuation, outcome) in answers { continuation.resume(returning: outcome) }
    if isOver { close() }
  }

  /// The device is gone, and says no more.
  ///
  /// - Returns: Whether its reports are out, too: if not, they wait for their reader, and nobody else does.
  private func end(
    _ state: inout State, _ answers: inout [(CheckedContinuation<Outcome, Never>, Outcome)]
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
    _ answers: inout [(CheckedContinuation<Outcome, Never>, Outcome)]
  ) -> Bool {
    switch message {
    case .answer(let token, let report):
      // An answer that nobody waits for any more is late, not wrong.
      if let continuation = state.requests.removeValue(forKey: token) {
        answers.append((continuation, report.map(Outcome.answered) ?? .refused))
      }
      return true
    case .lost(let count):
      for (ring, _) in state.rings { ring.countLost(Int(count)) }
      return true
    case .open, .write, .get, .set, .cancel: return false
    }
  }

  /// Ends the watch of a socket that will bring nothing but its end.
  private func stopWatching(_ state: inout State) {
    guard let handle = state.socket, let watch = state.watch else { return }
    Self.loop.stopWatching(watch, handle.socket.descriptor)
    state.watch = nil
  }

  /// Puts the reports of a datagram into the rings, as far as they have room, and says whether it made sense.
  private func deliver(_ datagram: UnsafeRawBufferPointer, _ state: inout State) -> Bool {
    let now = MonotonicTime.now
    var offset = 1
    state.rings.removeAll { $0.ring.isAbandoned }
    while offset < datagram.count {
      guard offset + 2 <= datagram.count else { return false }
      let count = Int(datagram[offset]) | Int(datagram[offset + 1]) << 8
      let end = offset + 2 + count
      guard count > 0, count <= ReportRing.longestReport, end <= datagram.count else {
        return false
      }
      let report = UnsafeRawBufferPointer(rebasing: datagram[offset + 2..<end])
      state.early?.put(report, at: now)
      guard put(report, now, state.rings) else {
        state.pending = Array(datagram[offset...])
        pause(&state)
        return true
      }
      offset = end
    }
    for (ring, _) in state.rings { ring.commit() }
    return true
  }

  /// Puts one report into every ring, unless one of them must not lose it and has no room.
  private func put(
    _ report: UnsafeRawBufferPointer, _ now: MonotonicTime,
    _ rings: [(ring: ReportRing, policy: HIDReportStream.Policy)]
  ) -> Bool {
    for (ring, policy) in rings where policy == .lossless && !ring.hasRoom && !ring.isAbandoned {
      return false
    }
    for (ring, _) in rings where !ring.put(report, at: now) { ring.countLost(1) }
    return true
  }

  private func deliverPending(_ state: inout State) -> Bool {
    guard !state.pending.isEmpty else { return true }
    let pending = [LoopbackMessage.inputCode] + state.pending
    state.pending = []
    return pending.withUnsafeBytes { deliver($0, &state) }
  }

  /// Stops reading until every stream that must not lose anything has room.
  private func pause(_ state: inout State) {
    state.isPaused = true
    for (ring, _) in state.rings { ring.commit() }
    let resume: @Sendable () -> Void = { [weak self] in
      Self.loop.schedule(at: .now) { [weak self] in self?.resumeReading() }
    }
    for (ring, policy) in state.rings where policy == .lossless && !ring.hasRoom {
      if ring.whenRoom(resume) { return updateWatch(&state) }
    }
    // The reader was quicker than we: go on in the loop's next round.
    resume()
  }

  private func resumeReading() {
    let isOpen = state.withLock { state in
      state.isPaused = false
      if state.socket != nil, state.watch == nil {
        // Without memory for a watch there is no going on: that counts as the end.
        do throws(Errno) { try watch(&state) } catch { return false }
      }
      return true
    }
    isOpen ? readable() : close()
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
  func send(_ message: LoopbackMessage) async -> Outcome {
    await exchange(
      nextToken(), until: .now.advanced(by: Self.writeBound), message, as: \.writes)
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
      if state.lastToken == Self.openToken { state.lastToken &+= 1 }
      return state.lastToken
    }
  }

  private func request(
    _ token: UInt32, until deadline: MonotonicTime, _ message: LoopbackMessage
  ) async -> Outcome {
    await exchange(token, until: deadline, message, as: \.requests)
  }

  private typealias Waiting = [UInt32: CheckedContinuation<Outcome, Never>]

  private func exchange(
    _ token: UInt32, until deadline: MonotonicTime, _ message: LoopbackMessage,
    as waiting: any WritableKeyPath<State, Waiting> & Sendable
  ) async -> Outcome {
    var timer: DeadlineID?
    let outcome = await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        // Without a watch the device has hung up, and only reports are left.
        guard state.socket != nil, state.watch != nil else { return false }
        state[keyPath: waiting][token] = continuation
        state.outgoing.append(Outgoing(datagram: message.encoded, token: token))
        return true
      }
      guard isOpen else { return continuation.resume(returning: .gone) }
      // After it is known whom to wake: the deadline may have passed already.
      timer = Self.loop.schedule(at: deadline) { [weak self] in self?.expire(token) }
      writable()
    }
    if let timer { Self.loop.cancel(timer) }
    return outcome
  }

  private func expire(_ token: UInt32) {
    let waiting = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
      let isUnsent = state.outgoing.contains { $0.token == token }
      state.outgoing.removeAll { $0.token == token }
      if let write = state.writes.removeValue(forKey: token) { return write }
      guard let request = state.requests.removeValue(forKey: token) else { return nil }
      if !isUnsent {
        state.outgoing.append(
          Outgoing(datagram: LoopbackMessage.cancel(token: token).encoded, token: nil))
      }
      return request
    }
    guard let waiting else { return }
    writable()
    waiting.resume(returning: .timedOut)
  }

  /// Sends what waits, as far as the socket takes it.
  private func writable() {
    var sent: [CheckedContinuation<Outcome, Never>] = []
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
    for continuation in sent { continuation.resume(returning: .answered([])) }
  }
}
