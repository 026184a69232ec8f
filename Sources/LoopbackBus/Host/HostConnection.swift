// SPDX-License-Identifier: Apache-2.0

import DequeModule
import HIDReportDescriptor
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
    let sent: CheckedContinuation<Bool, Never>?
  }

  /// Reports that arrive between the opening and the first stream.
  ///
  /// hidraw keeps 63 for a reader that has opened a node and not read yet (hidraw.c, 6.12); a device of
  /// this bus may be a good deal faster.
  private struct Early: Sendable {
    static let capacity = 4096
    static let byteCapacity = 1 << 20
    var reports: [(bytes: [UInt8], time: MonotonicTime)] = []
    var byteCount = 0
    var lost = 0

    mutating func put(_ report: UnsafeRawBufferPointer, _ time: MonotonicTime) {
      if reports.count < Self.capacity, byteCount + report.count <= Self.byteCapacity {
        byteCount += report.count
        reports.append((Array(report), time))
      } else {
        lost += 1
      }
    }
  }

  private struct State: Sendable {
    var socket: Handle?
    var watch: IOLoop.WatchID?
    var rings: [(ring: ReportRing, policy: HIDReportStream.Policy)] = []
    /// What came before anybody listened; nil once somebody does.
    var early: Early? = Early()
    var outgoing: Deque<Outgoing> = []
    var isPaused = false
    var pending: ArraySlice<UInt8> = []  // reports of the last datagram that found no room yet
    var lastToken: UInt32 = 0
    var requests: [UInt32: CheckedContinuation<Outcome, Never>] = [:]
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
      Result { () throws(Errno) in
        guard let handle = state.socket else { throw .socketNotConnected }
        state.watch = try Self.loop.watch(handle.socket.descriptor, for: .read) {
          [weak self] readiness in
          if readiness.contains(.write) { self?.writable() }
          if !readiness.isDisjoint(with: [.read, .hangUp]) { self?.readable() }
        }
      }
    }
    try result.get()
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
    for message in old.outgoing { message.sent?.resume(returning: false) }
    for request in old.requests.values { request.resume(returning: .gone) }
  }

  // MARK: Reports

  func subscribe(capacity: Int, policy: HIDReportStream.Policy) -> HIDReportStream {
    let ring = ReportRing(capacity: capacity)
    let isOpen = state.withLock { state in
      if let early = state.early {
        var lost = early.lost
        for (bytes, time) in early.reports
        where !bytes.withUnsafeBytes({ ring.put($0, at: time) }) { lost += 1 }
        if lost > 0 { ring.countLost(lost) }
        ring.commit()
        state.early = nil
      }
      if state.socket != nil { state.rings.append((ring, policy)) }
      return state.socket != nil
    }
    if !isOpen { ring.finish() }
    return HIDReportStream(ring)
  }

  private func readable() {
    var answers: [(CheckedContinuation<Outcome, Never>, Outcome)] = []
    let isOver = state.withLock { state -> Bool in
      // What a stream without room left over goes first; more is not read before that.
      if !deliverPending(&state) { return false }
      for _ in 0..<64 {
        guard let handle = state.socket else { return false }
        do throws(Errno) {
          let count = try handle.socket.receive(into: buffer)
          guard count > 0 else { return true }
          let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
          if bytes[0] == LoopbackMessage.inputCode {
            guard deliver(bytes, &state) else { return false }
          } else {
            guard let message = LoopbackMessage(decoding: Array(bytes)[...]),
              take(message, &state, &answers)
            else { return true }
          }
        } catch {
          return error != .wouldBlock
        }
      }
      return false
    }
    for (continuation, outcome) in answers { continuation.resume(returning: outcome) }
    if isOver { close() }
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

  /// Puts the reports of a datagram into the rings, and says whether all had room.
  private func deliver(_ datagram: UnsafeRawBufferPointer, _ state: inout State) -> Bool {
    let now = MonotonicTime.now
    var offset = 1
    state.rings.removeAll { $0.ring.isAbandoned }
    while offset + 2 <= datagram.count {
      let count = Int(datagram[offset]) | Int(datagram[offset + 1]) << 8
      let end = offset + 2 + count
      guard end <= datagram.count else { break }
      let report = UnsafeRawBufferPointer(rebasing: datagram[offset + 2..<end])
      state.early?.put(report, now)
      guard put(report, now, state.rings) else {
        state.pending = Array(datagram[offset...])[...]
        pause(&state)
        return false
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
    for (ring, _) in state.rings { ring.commit() }
    guard let handle = state.socket, let watch = state.watch else { return }
    for (ring, policy) in state.rings where policy == .lossless && !ring.hasRoom {
      let resume: @Sendable () -> Void = { [weak self] in
        Self.loop.schedule(at: .now) { [weak self] in self?.resumeReading() }
      }
      if ring.whenRoom(resume) {
        state.isPaused = true
        Self.loop.changeWatch(
          watch, handle.socket.descriptor, for: state.outgoing.isEmpty ? [] : .write)
        return
      }
    }
    // The reader was quicker than we: go on in the loop's next round.
    Self.loop.schedule(at: .now) { [weak self] in self?.resumeReading() }
  }

  private func resumeReading() {
    state.withLock { state in
      state.isPaused = false
      guard let handle = state.socket, let watch = state.watch else { return }
      Self.loop.changeWatch(
        watch, handle.socket.descriptor, for: state.outgoing.isEmpty ? .read : [.read, .write])
    }
    readable()
  }

  // MARK: Messages

  /// Sends a message, and returns when the socket has taken it.
  ///
  /// - Returns: `false` if the device is gone.
  func send(_ message: LoopbackMessage) async -> Bool {
    await withCheckedContinuation { continuation in
      enqueue(Outgoing(datagram: message.encoded, sent: continuation))
    }
  }

  /// Sends a request, and waits for its answer.
  func request(
    until deadline: MonotonicTime?, _ message: (UInt32) -> LoopbackMessage
  ) async -> Outcome {
    let token = state.withLock { state in
      state.lastToken &+= 1
      if state.lastToken == Self.openToken { state.lastToken &+= 1 }
      return state.lastToken
    }
    return await request(token, until: deadline, message(token))
  }

  private func request(
    _ token: UInt32, until deadline: MonotonicTime?, _ message: LoopbackMessage
  ) async -> Outcome {
    let timer = deadline.map { deadline in
      Self.loop.schedule(at: deadline) { [weak self] in self?.expire(token) }
    }
    defer { if let timer { Self.loop.cancel(timer) } }
    return await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if state.socket != nil { state.requests[token] = continuation }
        return state.socket != nil
      }
      guard isOpen else { return continuation.resume(returning: .gone) }
      enqueue(Outgoing(datagram: message.encoded, sent: nil))
    }
  }

  private func expire(_ token: UInt32) {
    let request = state.withLock { $0.requests.removeValue(forKey: token) }
    guard let request else { return }
    enqueue(Outgoing(datagram: LoopbackMessage.cancel(token: token).encoded, sent: nil))
    request.resume(returning: .timedOut)
  }

  private func enqueue(_ message: Outgoing) {
    let isOpen = state.withLock { state in
      if state.socket != nil { state.outgoing.append(message) }
      return state.socket != nil
    }
    guard isOpen else {
      message.sent?.resume(returning: false)
      return
    }
    writable()
  }

  /// Sends what waits, as far as the socket takes it.
  private func writable() {
    var sent: [CheckedContinuation<Bool, Never>] = []
    state.withLock { state in
      guard let handle = state.socket else { return }
      while let message = state.outgoing.first {
        do throws(Errno) {
          try handle.socket.send(message.datagram.span)
          state.outgoing.removeFirst()
          if let continuation = message.sent { sent.append(continuation) }
        } catch {
          // Whatever else is wrong with the socket, reading from it says so, and closes it.
          break
        }
      }
      if let watch = state.watch {
        var readiness: IOLoop.Readiness = state.isPaused ? [] : .read
        if !state.outgoing.isEmpty { readiness.insert(.write) }
        Self.loop.changeWatch(watch, handle.socket.descriptor, for: readiness)
      }
    }
    for continuation in sent { continuation.resume(returning: true) }
  }
}
