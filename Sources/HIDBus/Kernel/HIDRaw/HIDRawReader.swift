// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import HIDReportDescriptor
import IOLoop
import Synchronization
import SystemPackage

/// The reader of one hidraw node, which passes each input report to every subscriber.
///
/// hidraw has no vectored read of its own: the kernel reads a report into each vector, until a
/// report is shorter than its vector (6.12). So if all reports have one length, one call reads as
/// many as the kernel keeps. A vector with more room would end the call after the first report. A
/// vector without spare room cuts a report that is longer than declared.
///
/// So batches are for devices that promise not to send longer reports: hidsim's devices, unless
/// they declare otherwise. But a driver of the kernel may change the reports of these devices. So
/// their reports are read one by one too, with room for any length, until a run of reports had the
/// declared length.
///
/// The rings and the reader keep each other alive until ``finish()``, which the creator must call.
/// A weak reference would make every other reference slower.
final class HIDRawReader: Sendable {
  /// The number of reports that the kernel keeps for a reader (`HIDRAW_BUFFER_SIZE` less one).
  private static let kernelQueue = 63
  /// The number of successive reports of the declared length that show that the driver does not
  /// change them.
  private static let provenRun = 4

  /// The greatest number of system calls in one turn on the loop.
  private static let callsPerTurn = 64

  private struct State: Sendable {
    var rings: [Subscriber] = []
    var lastNumber: UInt64 = 0
    /// The reports that arrived before the first subscriber; `nil` once there is one.
    var early: EarlyReports? = EarlyReports()
    var run = 0
    var isOver = false
    var whenOver: (@Sendable () -> Void)?
    var tally = ReportTally()
    /// The device's counts; `nil` until a count request has delivered them.
    var counts: ReportCounts.Reader?
    /// The device's count request without an answer; `nil` if there is none.
    ///
    /// The answer follows once all available reports are read and there is room for more.
    var question: Question?
    /// True if a check of the slow reader is scheduled.
    var looksAgain = false
  }

  private struct Subscriber: Sendable {
    let ring: ReportRing
    let number: UInt64
    let isLossless: Bool
  }

  /// A count request of the device, which asks how many reports the client has read.
  private struct Question: Sendable {
    let asked: ControlClient.Question
    let answer: @Sendable (_ room: Int, _ lost: UInt64) -> Void
  }

  private let descriptor: FileDescriptor
  private let uniform: Int?
  private let loop: IOLoop
  private let state = Mutex(State())
  // Used in `readSome` and `readOne` only, where the state is locked.
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

  /// Calls `body` when the device is gone or ``finish()`` is called; at once if that has happened.
  ///
  /// A later call replaces the earlier `body`.
  func whenOver(_ body: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state in
      if !state.isOver { state.whenOver = body }
      return state.isOver
    }
    if isOver { body() }
  }

  /// Ends reading and all streams, and calls the closure of ``whenOver(_:)``.
  ///
  /// If the device provides counts, the call first reads the reports that the kernel has queued.
  func finish() {
    let (rings, whenOver) = state.withLock { state in
      if !state.isOver { settle(&state) }
      defer { state = State(early: state.early, isOver: true, tally: state.tally) }
      return (state.rings, state.whenOver)
    }
    for subscriber in rings { subscriber.ring.finish() }
    whenOver?()
  }

  /// Reads available reports, answers the device's count request, and wakes the readers.
  ///
  /// Call it on the loop, which calls it again while there are more reports.
  ///
  /// - Parameter toTheEnd: True to try another read even if the node is most likely empty.
  func drain(toTheEnd: Bool = false) {
    let isAlone = loop.hasRested && !toTheEnd
    // If a device sends without pause, its remaining reports are read after the other devices of
    // the loop had their turn.
    for call in 0..<Self.callsPerTurn {
      let step = state.withLock { state -> Step in
        // Once reading is over, the descriptor may belong to another file.
        if state.isOver { return Step(outcome: .empty) }
        // This saves the call that would find no other report. If there is one, the loop calls
        // again.
        if call == 0, isAlone, state.question == nil {
          return makeStep(readOne(&state), isLast: true, &state)
        }
        return makeStep(readSome(&state), isLast: false, &state)
      }
      follow(step)
      if step.isLast { return }
    }
  }

  /// The result of one read.
  ///
  /// It is applied without the lock, since the readers that are then woken read themselves.
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

  // MARK: The device's count requests

  private typealias Reply = () -> Void

  /// Answers the device when all available reports are read, and there is room for more.
  ///
  /// The request replaces an earlier one without an answer.
  ///
  /// - Parameters:
  ///   - question: The count request of the device.
  ///   - counts: The device's counts, if it provides any.
  ///   - answer: Called at most once, on any thread, with the number of reports that there is room
  ///     for and the number of lost reports.
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

  /// Returns the answer to the count request; `nil` if there is no request or no room.
  ///
  /// Without room, the call schedules another attempt. The node must have been read until it was
  /// empty since the request.
  private func takeReply(_ state: inout State) -> Reply? {
    guard let question = state.question else { return nil }
    var room = Int(ReportCredits.window)
    for subscriber in state.rings where subscriber.isLossless && !subscriber.ring.isAbandoned {
      while subscriber.ring.room == 0, !subscriber.ring.isAbandoned {
        // The reader's own thread calls back when it has taken a number of reports.
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

  /// The interval of checks of a slow reader: the device gives up a client that does not answer for
  /// a second.
  private static let progressInterval = Duration.milliseconds(250)

  /// Schedules a check of whether the reader has made room.
  private func answerSoon(_ state: inout State) {
    guard !state.looksAgain else { return }
    state.looksAgain = true
    loop.schedule(at: .now.advanced(by: Self.progressInterval)) {
      self.state.withLock { $0.looksAgain = false }
      self.answerLater()
    }
  }

  /// Reads all reports that the kernel has queued, and counts the missing ones of those sent
  /// before.
  ///
  /// It does nothing if the device provides no counts.
  private func settle(_ state: inout State) {
    guard let counts = state.counts else { return }
    let sent = counts.sent
    // Enough turns for all reports that the kernel had queued at first. A device that goes on
    // sending cannot keep this loop running.
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

  /// Adds the losses so far to the rings, and returns a count of 0, which is incomplete if the
  /// tally is not exact.
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

  /// Reads once more for a reader that is about to sleep, unless the loop is reading at this
  /// moment.
  ///
  /// A reader that is awake need not wait until the loop's thread wakes up and then wakes the
  /// reader: that is most of the delay of a report that arrives while others are being read. Of
  /// several readers only the first one reads, since all others would find nothing. A reader on the
  /// loop's own thread does not read here: it would block the loop.
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
        // A short report has ended the call, and may not be the last one.
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
    // EIO, ENODEV: the device is gone.
    default: return .over
    }
  }
}
