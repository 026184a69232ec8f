// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import HIDBusDirectory
import HIDReportDescriptor
import HIDWire
import IOLoop
import Synchronization
import SystemPackage

/// Reads input reports from one hidraw node, and hands each to every subscriber.
///
/// hidraw has no vectored read of its own: the kernel reads a report into each vector, until one
/// comes that is shorter than its vector (6.12). So when all reports have one length, as many as the
/// kernel keeps come in one call; a vector with room for more would end it after the first, and one
/// without cuts a report that is longer than declared. So batches are for devices that promise not to
/// send any: ours, unless they say otherwise. A driver may make other reports of theirs, so that
/// these too are read one by one, with room for any, until a run of them had the declared length.
///
/// Its rings keep it and it keeps them, until ``finish()``, which whoever has made it calls: a weak reference would make
/// every other one slower.
final class HIDRawReader: Sendable {
  /// How many reports the kernel keeps for a reader (`HIDRAW_BUFFER_SIZE` less one).
  private static let kernelQueue = 63
  /// How many reports of the declared length in a row show that the driver leaves them as they are.
  private static let provenRun = 4

  /// How many system calls one turn on the loop makes at most.
  private static let callsPerTurn = 64

  private struct State: Sendable {
    var rings: [Subscriber] = []
    var lastNumber: UInt64 = 0
    /// What came before anybody listened; nil once somebody does.
    var early: EarlyReports? = EarlyReports()
    var run = 0
    var isOver = false
    var whenOver: (@Sendable () -> Void)?
    var tally = ReportTally()
    /// The device's counts; `nil` if it gives none.
    var counts: ReportCounts.Reader?
    /// What the device has asked, until everything that was sent is read and there is room for more.
    var question: Question?
    /// Whether a slow reader is looked after in a while.
    var looksAgain = false
  }

  private struct Subscriber: Sendable {
    let ring: ReportRing
    let number: UInt64
    let isLossless: Bool
  }

  /// A device's question how far we are.
  private struct Question: Sendable {
    let asked: ControlClient.Question
    let answer: @Sendable (_ room: Int, _ lost: UInt64) -> Void
  }

  private let descriptor: FileDescriptor
  private let uniform: Int?
  private let loop: IOLoop
  private let state = Mutex(State())
  // Used in `readSome` and `readOne` alone, where the state is locked.
  nonisolated(unsafe) private let buffer: UnsafeMutableRawBufferPointer
  nonisolated(unsafe) private let vectors: UnsafeMutableBufferPointer<iovec>

  init(descriptor: FileDescriptor, lengths: HIDReportLengths, loop: IOLoop) {
    self.descriptor = descriptor
    self.loop = loop
    uniform = lengths.uniform(.input)
    let stride = max(uniform ?? 0, 1)
    buffer = .allocate(
      byteCount: max(ReportRing.longestReport, Self.kernelQueue * stride), alignment: 16)
    vectors = .allocate(capacity: Self.kernelQueue)
    for index in 0..<Self.kernelQueue {
      vectors.initializeElement(
        at: index,
        to: iovec(
          iov_base: uniform == nil ? nil : buffer.baseAddress.map { $0 + index * stride },
          iov_len: stride))
    }
  }

  deinit {
    buffer.deallocate()
    vectors.deallocate()
  }

  func subscribe(capacity: Int, policy: HIDReportStream.Policy) -> HIDReportStream {
    let number = state.withLock { state in
      state.rings.removeAll { $0.ring.isAbandoned }
      state.lastNumber += 1
      return state.lastNumber
    }
    let ring = ReportRing(capacity: capacity) { self.help(number) }
    let isOver = state.withLock { state in
      state.early?.hand(to: ring)
      state.early = nil
      ring.addLosses { self.lossesByNow() }
      if !state.isOver {
        state.rings.append(Subscriber(ring: ring, number: number, isLossless: policy == .lossless))
      }
      return state.isOver
    }
    if isOver { ring.finish() }
    return HIDReportStream(ring)
  }

  /// Calls `body` when the device is gone; at once if it is already.
  func whenOver(_ body: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state in
      if !state.isOver { state.whenOver = body }
      return state.isOver
    }
    if isOver { body() }
  }

  /// Ends all streams.
  func finish() {
    let (rings, whenOver) = state.withLock { state in
      if !state.isOver { settle(&state) }
      defer { state = State(early: state.early, isOver: true, tally: state.tally) }
      return (state.rings, state.whenOver)
    }
    for subscriber in rings { subscriber.ring.finish() }
    whenOver?()
  }

  /// Reads what there is.
  ///
  /// On the loop, which calls again while there is more.
  ///
  /// - Parameter toTheEnd: Whether to look for another report even where there is most likely none.
  func drain(toTheEnd: Bool = false) {
    let isAlone = loop.hasRested && !toTheEnd
    // A device that sends without pause is come back to, after the others on the loop.
    for call in 0..<Self.callsPerTurn {
      let step = state.withLock { state -> Step in
        // Once it is over, the descriptor is another file's, perhaps.
        if state.isOver { return Step(outcome: .empty) }
        // The call that would find no other report is saved: if there is one, the loop says so.
        if call == 0, isAlone, state.question == nil {
          return makeStep(readOne(&state), isLast: true, &state)
        }
        return makeStep(readSome(&state), isLast: false, &state)
      }
      follow(step)
      if step.isLast { return }
    }
  }

  /// What one call has brought, to be acted upon without the lock: readers that it wakes read on themselves.
  private struct Step {
    var outcome: Outcome
    var isLast = true
    var reply: Reply?
    var rings: [Subscriber] = []
  }

  private func makeStep(_ outcome: Outcome, isLast: Bool, _ state: inout State) -> Step {
    Step(
      outcome: outcome, isLast: isLast || outcome != .more,
      reply: outcome != .more ? takeReply(&state) : nil, rings: state.rings)
  }

  private func follow(_ step: Step) {
    step.reply?()
    var isAbandoned = false
    for subscriber in step.rings {
      subscriber.ring.tell(on: loop)
      isAbandoned = isAbandoned || subscriber.ring.isAbandoned
    }
    if isAbandoned { state.withLock { $0.rings.removeAll { $0.ring.isAbandoned } } }
    if step.outcome == .over { finish() }
  }

  // MARK: The device's questions

  private typealias Reply = () -> Void

  /// Answers the device when everything it has sent is read, and there is room for more.
  ///
  /// - Parameters:
  ///   - question: What the device has asked.
  ///   - counts: The device's counts, if it gives any.
  ///   - answer: Is called once, on any thread: with how many more there is room for, and how many were missed.
  func ask(
    _ question: ControlClient.Question, _ counts: ReportCounts.Reader? = nil,
    answer: @escaping @Sendable (_ room: Int, _ lost: UInt64) -> Void
  ) {
    state.withLock { state in
      state.question = Question(asked: question, answer: answer)
      state.counts = counts
    }
    drain()
  }

  /// What to answer, once the node has been read until it was empty.
  private func takeReply(_ state: inout State) -> Reply? {
    guard let question = state.question else { return nil }
    var room = Int(ReportCredits.window)
    for subscriber in state.rings where subscriber.isLossless && !subscriber.ring.isAbandoned {
      while subscriber.ring.room == 0, !subscriber.ring.isAbandoned {
        // The reader's own thread comes back when it has taken a good many.
        if subscriber.ring.whenRoom({ self.answerLater() }) {
          answerSoon(&state)
          return nil
        }
      }
      if !subscriber.ring.isAbandoned { room = min(room, subscriber.ring.room) }
    }
    state.question = nil
    countMissed(state.tally.settle(question.asked, sent: state.counts?.sent), &state)
    let lost = state.tally.lost
    return { question.answer(room, lost) }
  }

  /// How often a slow reader is looked after: the device gives up a client that says nothing for a second.
  private static let progressInterval = Duration.milliseconds(250)

  /// Looks after a while whether the reader has taken anything.
  private func answerSoon(_ state: inout State) {
    guard !state.looksAgain else { return }
    state.looksAgain = true
    loop.schedule(at: .now.advanced(by: Self.progressInterval)) {
      self.state.withLock { $0.looksAgain = false }
      self.answerLater()
    }
  }

  /// Reads all that the kernel has queued, and counts the missing reports of those sent before.
  private func settle(_ state: inout State) {
    guard let counts = state.counts else { return }
    let sent = counts.sent
    // Enough turns for all that the kernel had queued at first. A device that goes on sending
    // cannot keep the loop from ending.
    for _ in 0...Self.kernelQueue {
      if readSome(&state) != .more { break }
    }
    countMissed(state.tally.settle(sent: sent), &state)
  }

  private func countMissed(_ missed: Int, _ state: inout State) {
    guard missed > 0 else { return }
    state.early?.countLost(missed)
    for subscriber in state.rings { subscriber.ring.countLost(missed) }
  }

  /// Counts the losses until now in the rings, and returns 0, incomplete if the tally is not exact.
  private func lossesByNow() -> HIDLossCount {
    let (isComplete, rings) = state.withLock { state in
      if !state.isOver { settle(&state) }
      return (state.tally.isBaseExact, state.rings)
    }
    for subscriber in rings { subscriber.ring.tell(on: loop) }
    return HIDLossCount(0, isComplete: isComplete)
  }

  private func answerLater() {
    let reply = state.withLock { state in state.isOver ? nil : takeReply(&state) }
    reply?()
  }

  // MARK: Reading

  /// Reads once more for a reader who is about to sleep, unless the loop is reading just now.
  ///
  /// A reader who is awake need not wait until the loop's thread is, and then wakes it in turn: most of
  /// the way of a report that comes while others are being read. Of several readers the first one does: if all did,
  /// all but one would find nothing. One on the loop's own thread does not: it would keep the loop from everything else.
  private func help(_ number: UInt64) {
    if loop.isCurrent { return }
    let step = state.withLockIfAvailable { state -> Step? in
      let first = state.rings.first { !$0.ring.isAbandoned }
      guard !state.isOver, first?.number == number else { return nil }
      return makeStep(readSome(&state), isLast: true, &state)
    }
    if let step = step ?? nil { follow(step) }
  }

  private enum Outcome {
    case more
    case empty
    case over
  }

  private func readSome(_ state: inout State) -> Outcome {
    if let uniform, state.run >= Self.provenRun {
      let count = readv(descriptor.rawValue, vectors.baseAddress, Int32(Self.kernelQueue))
      guard count > 0 else { return outcome(count) }
      publish(buffer[..<count], each: uniform, &state)
      if count % uniform != 0 {
        // A short one has ended the call, and may not be the last that is there.
        state.run = 0
        return .more
      }
      return count < uniform * Self.kernelQueue ? .empty : .more
    }
    return readOne(&state)
  }

  private func readOne(_ state: inout State) -> Outcome {
    let count = Glibc.read(descriptor.rawValue, buffer.baseAddress, ReportRing.longestReport)
    guard count > 0 else { return outcome(count) }
    publish(buffer[..<count], each: count, &state)
    state.run = count == uniform ? state.run + 1 : 0
    return .more
  }

  private func publish(
    _ reports: Slice<UnsafeMutableRawBufferPointer>, each byteCount: Int, _ state: inout State
  ) {
    let bytes = UnsafeRawBufferPointer(rebasing: reports)
    let now = MonotonicTime.now
    if state.early != nil {
      for start in stride(from: 0, to: bytes.count, by: byteCount) {
        let end = min(start + byteCount, bytes.count)
        state.early?.put(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), at: now)
      }
    }
    state.tally.note((bytes.count + byteCount - 1) / byteCount)
    for subscriber in state.rings {
      let refused = subscriber.ring.put(bytes, each: byteCount, at: now)
      if refused > 0 { subscriber.ring.countLost(refused) }
      subscriber.ring.publish()
    }
  }

  private func outcome(_ count: Int) -> Outcome {
    if count == 0 { return .over }
    switch Errno(rawValue: errno) {
    case .wouldBlock: return .empty
    case .interrupted: return .more
    default: return .over  // EIO, ENODEV: the device is gone
    }
  }
}
