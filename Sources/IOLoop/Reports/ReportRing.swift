// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// Reports on their way from a loop to one reader, without a lock while both keep moving.
///
/// One producer writes slots and publishes them with ``commit()``; one consumer takes them in order.
/// When the ring is full the newest report is refused, never an older one overwritten: a slot
/// that was published stays as it is until its reader has left it, so that nothing can be read torn.
/// The lock is taken only to sleep, and to wake a sleeper.
public final class ReportRing: Sendable {
  private struct Sleepers: Sendable {
    var reader: UnsafeContinuation<Void, Never>?
    var whenRoom: (@Sendable () -> Void)?
    var whenTaken: (@Sendable () -> Void)?
  }

  /// Reports that are missing in front of one.
  package struct Loss: Sendable {
    /// The number of the report behind them, from 0: of those that the reader gets.
    package let position: UInt64
    /// How many are missing.
    package internal(set) var count: Int
  }

  /// The most places of losses that are told apart.
  private static let maximumLossCount = 256

  /// The longest report there is: the kernel's HID_MAX_BUFFER_SIZE, in bytes.
  public static let longestReport = 16_384

  /// How many reports the ring holds.
  public let capacity: Int

  @usableFromInline let mask: UInt64
  // A slot is a report as its reader gets it, so that taking it is one copy; of one over 64 bytes it has the
  // length, and the bytes lie in the slab. Slots are written by the producer before `head` passes them, and
  // read by the consumer after; the consumer hands them back by moving `tail`. Nobody else touches them.
  @usableFromInline nonisolated(unsafe) let slots: UnsafeMutablePointer<HIDReport>
  // Allocated by the producer when the first report over 64 bytes comes, published by `head`.
  // Memory that no report reaches is never touched, and so never there.
  nonisolated(unsafe) private let slab = Atomic<UnsafeMutableRawPointer?>(nil)
  private let head = Atomic<UInt64>(0)
  @usableFromInline let tail = Atomic<UInt64>(0)
  private let finished = Atomic<Bool>(false)
  private let abandoned = Atomic<Bool>(false)
  // How many reports the reader takes before it looks whether somebody waits to hear of it.
  private let stretch = Atomic<UInt64>(64)
  private let readerSleeps = Atomic<Bool>(false)
  // Whether the reader shall look at something else once.
  private let nudged = Atomic<Bool>(false)
  @usableFromInline let producerWaits = Atomic<Bool>(false)
  private let lostCount = Atomic<Int>(0)
  // Where reports were lost, as far as the reader has not asked for it.
  private let losses = Mutex<[Loss]>([])
  // Whether `lostCount` has every lost report.
  private let isLossComplete = Atomic<Bool>(true)
  // Returns the losses of the producer's source that are not in `lostCount` yet.
  private let uncountedLosses = Mutex<(@Sendable () -> HIDLossCount)?>(nil)
  // The error that ended the stream; `nil` for an ordinary end.
  private let failure = Mutex<(any Error)?>(nil)
  // Whether what is put is left out.
  private let muted = Atomic<Bool>(false)
  private let sleepers = Mutex(Sleepers())
  // Who is called with reports, instead of asking for them.
  private let handler = Mutex<ReportHandler?>(nil)
  private let isHandled = Atomic<Bool>(false)
  // Whether the handler has been called, and is not back; the loop's alone.
  private let isDelivering = Atomic<Bool>(false)
  // Only the producer's; `Atomic` because there is no other way to say so of a class.
  private let writePosition = Atomic<UInt64>(0)
  // What the reader calls before it sleeps: it may put and commit, in place of the producer.
  private let refill: (@Sendable () -> Void)?

  /// Makes an empty ring.
  ///
  /// - Parameters:
  ///   - capacity: How many reports it holds at least; rounded up to a power of two.
  ///   - refill: Called on the reader's thread when it finds the ring empty, before it sleeps. It may act
  ///     as the producer if it keeps the producer out meanwhile; it must not wait.
  public init(capacity: Int, refill: (@Sendable () -> Void)? = nil) {
    self.refill = refill
    var size = 1
    while size < capacity, size < 1 << 20 { size *= 2 }
    self.capacity = size
    mask = UInt64(size - 1)
    slots = .allocate(capacity: size)
    let empty = HIDReport(time: MonotonicTime(nanoseconds: 0), bytes: HIDReportBytes())
    slots.initialize(repeating: empty, count: size)
  }

  deinit {
    slots.deinitialize(count: capacity)
    slots.deallocate()
    slab.load(ordering: .acquiring)?.deallocate()
  }

  // MARK: The producer's side

  /// Whether there is room for another report.
  public var hasRoom: Bool {
    writePosition.load(ordering: .relaxed) &- tail.load(ordering: .acquiring) <= mask
  }

  /// For how many more reports there is room.
  public var room: Int { capacity - unread }

  /// How many reports were put that the reader has not taken.
  public var unread: Int {
    Int(writePosition.load(ordering: .relaxed) &- tail.load(ordering: .acquiring))
  }

  /// Puts a report into the next slot, to be published by ``commit()``.
  ///
  /// - Parameters:
  ///   - bytes: The report: at most 16,384 bytes.
  ///   - time: When it was taken from the bus.
  /// - Returns: Whether there was room.
  @inline(__always)
  public func put(_ bytes: UnsafeRawBufferPointer, at time: MonotonicTime) -> Bool {
    if muted.load(ordering: .relaxed) { return true }
    let position = writePosition.load(ordering: .relaxed)
    guard position &- tail.load(ordering: .acquiring) <= mask else { return false }
    guard let start = bytes.baseAddress else { return true }
    fill(Int(position & mask), with: start, bytes.count, at: time)
    writePosition.store(position &+ 1, ordering: .relaxed)
    return true
  }

  /// Puts reports that lie one after the other into the next slots, to be published by ``commit()``.
  ///
  /// - Parameters:
  ///   - bytes: The reports.
  ///   - byteCount: How long each is but the last, which may be shorter.
  ///   - time: When they were taken from the bus.
  /// - Returns: How many had no room.
  public func put(
    _ bytes: UnsafeRawBufferPointer, each byteCount: Int, at time: MonotonicTime
  ) -> Int {
    if muted.load(ordering: .relaxed) { return 0 }
    let position = writePosition.load(ordering: .relaxed)
    let room = capacity - Int(position &- tail.load(ordering: .acquiring))
    guard byteCount > 0, let start = bytes.baseAddress else { return 0 }
    let count = (bytes.count + byteCount - 1) / byteCount
    let accepted = min(count, room)
    var next = start
    var left = bytes.count
    for number in 0..<UInt64(accepted) {
      fill(
        Int(truncatingIfNeeded: (position &+ number) & mask), with: next, min(byteCount, left),
        at: time)
      next += byteCount
      left &-= byteCount
    }
    writePosition.store(position &+ UInt64(accepted), ordering: .relaxed)
    return count - accepted
  }

  /// Writes a slot that the reader has left.
  @inline(__always)
  private func fill(
    _ index: Int, with source: UnsafeRawPointer, _ byteCount: Int, at time: MonotonicTime
  ) {
    let count = min(byteCount, Self.longestReport)
    let slot = slots + index
    slot.pointee.time = time
    slot.pointee.bytes.length = count
    guard count <= 64 else {
      let room = slab.load(ordering: .relaxed) ?? makeSlab()
      return (room + index * Self.longestReport).copyMemory(from: source, byteCount: count)
    }
    withUnsafeMutableBytes(of: &slot.pointee.bytes.inline) {
      // The slot is 64 bytes, and `count` is no more: there is a base address.
      let target = $0.baseAddress.unsafelyUnwrapped
      target.copy(from: source, byteCount: count)
    }
  }

  private func makeSlab() -> UnsafeMutableRawPointer {
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: capacity * Self.longestReport, alignment: 16)
    slab.store(memory, ordering: .releasing)
    return memory
  }

  /// Publishes what was put, and wakes the reader if it sleeps.
  public func commit() {
    publish()
    wakeSleeper()
  }

  /// Publishes what was put; whoever reads is told by ``tell(on:)``.
  public func publish() {
    head.store(writePosition.load(ordering: .relaxed), ordering: .sequentiallyConsistent)
  }

  private func wakeSleeper() {
    if readerSleeps.load(ordering: .sequentiallyConsistent) { wakeReader() }
  }

  /// Wakes the reader if it sleeps, or hands what was published to the handler.
  ///
  /// The producer holds no lock: the reader may want to act in its place, and a handler to ask it something.
  ///
  /// - Parameter loop: The producer's, where a handler runs: at once, or soon if the caller is not there.
  public func tell(on loop: IOLoop) {
    wakeSleeper()
    guard isHandled.load(ordering: .acquiring) else { return }
    guard loop.isCurrent else { return loop.perform { self.deliver() } }
    deliver()
  }

  private func deliver() {
    // From within the handler, by what it calls: what is new is handed on when it is back.
    if isDelivering.load(ordering: .relaxed) { return }
    isDelivering.store(true, ordering: .relaxed)
    defer { isDelivering.store(false, ordering: .relaxed) }
    guard let handler = handler.withLock({ $0 }) else { return }
    while isHandled.load(ordering: .acquiring), lend(before: published.limit, handler.body) != nil {
    }
  }

  /// Counts reports that the reader will not get.
  ///
  /// - Parameter behind: How many reports come before them that were not put yet.
  public func countLost(_ count: Int, behind: Int = 0) {
    lostCount.wrappingAdd(count, ordering: .relaxed)
    let position = writePosition.load(ordering: .relaxed) &+ UInt64(behind)
    losses.withLock { losses in
      let last = losses.count - 1
      if last >= 0, losses[last].position == position || losses.count == Self.maximumLossCount {
        losses[last].count += count
      } else {
        losses.append(Loss(position: position, count: count))
      }
    }
  }

  /// Calls `resume` once, when the reader has made room or is gone.
  ///
  /// - Returns: `false` if there is room already; `resume` is then not called.
  public func whenRoom(_ resume: @escaping @Sendable () -> Void) -> Bool {
    sleepers.withLock { $0.whenRoom = resume }
    producerWaits.store(true, ordering: .sequentiallyConsistent)
    let used =
      writePosition.load(ordering: .relaxed) &- tail.load(ordering: .sequentiallyConsistent)
    guard used <= mask || isAbandoned else { return true }
    // The reader may be just calling it: then there is nothing left to take back.
    let taken = sleepers.withLock { sleepers in
      defer { sleepers.whenRoom = nil }
      producerWaits.store(sleepers.whenTaken != nil, ordering: .relaxed)
      return sleepers.whenRoom != nil
    }
    return !taken
  }

  /// Calls `body` from now on whenever the reader has taken a report, on its thread, and when it is gone.
  ///
  /// The reader then takes reports one by one, which costs it more.
  public func whenTaken(_ body: @escaping @Sendable () -> Void) {
    sleepers.withLock { $0.whenTaken = body }
    stretch.store(1, ordering: .relaxed)
    producerWaits.store(true, ordering: .sequentiallyConsistent)
  }

  /// Adds the losses of a source: `body` returns those that the ring has not counted yet.
  ///
  /// - Parameter body: Called whenever ``lost`` is read, on the reader's thread. It must not wait.
  package func addLosses(from body: @escaping @Sendable () -> HIDLossCount) {
    uncountedLosses.withLock { $0 = body }
  }

  /// Notes that reports may be lost without being counted.
  package func noteUncountableLosses() { isLossComplete.store(false, ordering: .releasing) }

  /// Ends the stream: the reader gets what was published, and then the end.
  ///
  /// - Parameter error: The error that ends it; `nil` for an ordinary end.
  public func finish(failing error: (any Error)? = nil) {
    if let error { failure.withLock { $0 = $0 ?? error } }
    finished.store(true, ordering: .sequentiallyConsistent)
    wakeReader()
  }

  /// Whether the reader is gone, so that the ring can be dropped.
  public var isAbandoned: Bool { abandoned.load(ordering: .acquiring) }

  // MARK: The reader's side

  /// How often the losses are read at most, where more of them are counted each time.
  private static let lossReadings = 100

  /// How many reports the reader did not get.
  public var lost: HIDLossCount {
    // The lock is released first: the source takes a lock of its own.
    let source = uncountedLosses.withLock { $0 }
    // Reports that are counted here meanwhile were part of what the source said, or were not.
    for _ in 0..<Self.lossReadings {
      let before = lostCount.load(ordering: .sequentiallyConsistent)
      let uncounted = source?() ?? 0
      guard lostCount.load(ordering: .sequentiallyConsistent) == before else { continue }
      return uncounted
        + HIDLossCount(before, isComplete: isLossComplete.load(ordering: .acquiring))
    }
    return HIDLossCount(lostCount.load(ordering: .relaxed), isComplete: false)
  }

  /// The error that ended the stream; `nil` for an ordinary end.
  var endingFailure: (any Error)? { failure.withLock { $0 } }

  /// Where reports were lost since the last call.
  func takeLosses() -> [Loss] {
    losses.withLock { losses in
      defer { losses = [] }
      return losses
    }
  }

  /// Tells the producer that nobody reads any more.
  func abandon() {
    abandoned.store(true, ordering: .sequentiallyConsistent)
    wakeProducer()
  }

  /// Where the reader is: what `limit` of ``take(before:)`` starts at.
  @usableFromInline var readPosition: UInt64 { tail.load(ordering: .relaxed) }

  /// How far the reader may go before it looks again, and whether there is anything to take.
  @usableFromInline
  var published: (limit: UInt64, isBeyondReader: Bool) {
    let end = head.load(ordering: .acquiring)
    let position = tail.load(ordering: .relaxed)
    return (min(end, position &+ stretch.load(ordering: .relaxed)), end != position)
  }

  /// Lets the producer's source be looked at from here, and says whether that brought something.
  @usableFromInline
  func refilled() -> Bool {
    guard let refill else { return false }
    refill()
    return published.isBeyondReader
  }

  /// Takes the next report out, if there is one before `limit`.
  ///
  /// - Parameter limit: How far the reader has seen the producer to be: what ``published`` was.
  @inlinable
  @inline(__always)
  func take(before limit: UInt64) -> HIDReport? {
    let position = tail.load(ordering: .relaxed)
    // Beyond it, too: another iterator of the stream may have read on meanwhile.
    if position >= limit { return nil }
    let index = Int(position & mask)
    let report =
      slots[index].bytes.length <= HIDReportBytes.inlineCapacity ? slots[index] : takeLong(index)
    leave(position, before: limit)
    return report
  }

  /// Lends the reports before `limit` that lie in one piece, and hands their slots back.
  ///
  /// - Parameter limit: How far the reader has seen the producer to be: what ``published`` was.
  /// - Returns: What `body` returned; `nil` if there is no report.
  @inlinable
  @inline(__always)
  func lend<Result, Failure: Error>(
    before limit: UInt64, _ body: (Span<HIDReport>) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    let position = tail.load(ordering: .relaxed)
    if position >= limit { return nil }
    let index = Int(position & mask)
    let count = countInOnePiece(from: index, atMost: Int(limit &- position))
    guard count > 0 else {
      let report = InlineArray<1, HIDReport>(repeating: takeLong(index))
      defer { leave(position, before: limit) }
      return try body(report.span)
    }
    defer { leave(position &+ UInt64(count - 1), before: limit) }
    return try body(UnsafeBufferPointer(start: slots + index, count: count).span)
  }

  /// Lends the reports before `limit` that lie in one piece, and hands back the slots of as many as `body` says.
  ///
  /// - Returns: Whether there was a report.
  func lendSome(before limit: UInt64, _ body: (Span<HIDReport>) -> Int) -> Bool {
    let position = tail.load(ordering: .relaxed)
    if position >= limit { return false }
    let index = Int(position & mask)
    let count = countInOnePiece(from: index, atMost: Int(limit &- position))
    let taken: Int
    if count > 0 {
      taken = body(UnsafeBufferPointer(start: slots + index, count: count).span)
    } else {
      let report = InlineArray<1, HIDReport>(repeating: takeLong(index))
      taken = body(report.span)
    }
    if taken > 0 { leave(position &+ UInt64(min(taken, max(count, 1)) - 1), before: limit) }
    return true
  }

  /// How many reports can be lent as they lie; 0 if the first is longer than a slot, and must be put together.
  @inlinable
  @inline(__always)
  func countInOnePiece(from index: Int, atMost limit: Int) -> Int {
    let count = min(limit, capacity - index)
    guard hasLongReports else { return count }
    return (0..<count).first { slots[index + $0].bytes.length > HIDReportBytes.inlineCapacity }
      ?? count
  }

  /// Hands a slot, and those before it, back to the producer.
  @inlinable
  @inline(__always)
  func leave(_ position: UInt64, before limit: UInt64) {
    let next = position &+ 1
    if next == limit {
      tail.store(next, ordering: .sequentiallyConsistent)
      if producerWaits.load(ordering: .sequentiallyConsistent) { wakeProducer() }
    } else {
      tail.store(next, ordering: .releasing)
    }
  }

  /// Whether there may be a report that is longer than a slot.
  @usableFromInline
  var hasLongReports: Bool { slab.load(ordering: .acquiring) != nil }

  @usableFromInline
  func takeLong(_ index: Int) -> HIDReport {
    let time = slots[index].time
    guard let room = slab.load(ordering: .acquiring) else {
      return HIDReport(time: time, bytes: HIDReportBytes())
    }
    let bytes = UnsafeRawBufferPointer(
      start: room + index * Self.longestReport, count: slots[index].bytes.length)
    return HIDReport(time: time, bytes: HIDReportBytes(Array(bytes)))
  }

  /// Leaves out what is put from now on, or no longer does: it is not lost, but not for this reader.
  func setMuted(_ isMuted: Bool) { muted.store(isMuted, ordering: .relaxed) }

  /// Calls a handler from now on, on the producer's loop: nobody else reads the ring then; `nil` for no more.
  func handle(by body: ReportHandler?, on loop: IOLoop) {
    handler.withLock { $0 = body }
    isHandled.store(body != nil, ordering: .sequentiallyConsistent)
    // What was published before.
    if body != nil { loop.perform { self.deliver() } }
  }

  /// Wakes the reader once, though there may be no report: it has something else to look at.
  func nudge() {
    nudged.store(true, ordering: .sequentiallyConsistent)
    wakeReader()
  }

  /// Whether nothing more will be published.
  @usableFromInline
  var isFinished: Bool { finished.load(ordering: .acquiring) }

  /// Sleeps until there is something to take, the stream has ended, or the task was cancelled.
  @usableFromInline
  func wait(isolation: isolated (any Actor)?) async {
    await withTaskCancellationHandler {
      await withUnsafeContinuation(isolation: isolation) {
        (continuation: UnsafeContinuation<Void, Never>) in
        let mustSleep = sleepers.withLock { sleepers in
          readerSleeps.store(true, ordering: .sequentiallyConsistent)
          // Looked at after the flag was raised: what comes later will see the flag.
          if head.load(ordering: .sequentiallyConsistent) != tail.load(ordering: .relaxed)
            || finished.load(ordering: .sequentiallyConsistent) || Task.isCancelled
            || nudged.exchange(false, ordering: .sequentiallyConsistent)
          {
            readerSleeps.store(false, ordering: .relaxed)
            return false
          }
          sleepers.reader = continuation
          return true
        }
        if !mustSleep { continuation.resume() }
      }
    } onCancel: {
      wakeReader()
    }
  }

  private func wakeReader() {
    let reader = sleepers.withLock { sleepers in
      readerSleeps.store(false, ordering: .relaxed)
      defer { sleepers.reader = nil }
      return sleepers.reader
    }
    reader?.resume()
  }

  @usableFromInline
  func wakeProducer() {
    let (resume, taken) = sleepers.withLock { sleepers in
      defer { sleepers.whenRoom = nil }
      producerWaits.store(sleepers.whenTaken != nil, ordering: .relaxed)
      return (sleepers.whenRoom, sleepers.whenTaken)
    }
    resume?()
    taken?()
  }
}

extension UnsafeMutableRawPointer {
  /// Copies bytes: of short reports in two words, which may overlap, since a call would cost more than they do.
  @inline(__always)
  fileprivate func copy(from source: UnsafeRawPointer, byteCount: Int) {
    func copyEnds<Word: FixedWidthInteger & BitwiseCopyable>(_ type: Word.Type) {
      let last = byteCount &- MemoryLayout<Word>.size
      storeBytes(of: source.loadUnaligned(as: type), as: type)
      storeBytes(
        of: source.loadUnaligned(fromByteOffset: last, as: type), toByteOffset: last, as: type)
    }
    switch byteCount {
    case 8...16: copyEnds(UInt64.self)
    case 4..<8: copyEnds(UInt32.self)
    case 2..<4: copyEnds(UInt16.self)
    case 1: storeBytes(of: source.load(as: UInt8.self), as: UInt8.self)
    default: copyMemory(from: source, byteCount: byteCount)
    }
  }
}
