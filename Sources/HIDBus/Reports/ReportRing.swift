// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor
public import IOLoop
public import Synchronization

/// A queue of reports from a loop to one reader, without a lock while neither side waits.
///
/// One producer writes slots and publishes them with ``commit()`` or ``publish()``; one consumer
/// takes them in order. When the ring is full the newest report is refused, and no older one is
/// overwritten. A published slot stays unchanged until its reader has left it, so the reader never
/// gets a report of which one half is new. Putting and taking reports needs no lock. Locks are
/// taken to sleep, to wake a sleeper, to count losses and to call a handler.
public final class ReportRing: Sendable {
  private struct Sleepers: Sendable {
    var reader: UnsafeContinuation<Void, Never>?
    var whenRoom: (@Sendable () -> Void)?
    var whenTaken: (@Sendable () -> Void)?
  }

  /// A run of missing reports.
  ///
  /// If 256 runs wait for the reader, the last of them also counts all reports that are lost after
  /// it.
  package struct Loss: Sendable {
    /// The number of the first report after the missing ones, counted from 0 among the reports that
    /// the reader gets.
    package let position: UInt64
    /// The number of missing reports.
    package internal(set) var count: Int
  }

  /// The maximum number of entries for losses; further lost reports are added to the last entry.
  private static let maximumLossCount = 256

  /// The maximum length of a report, in bytes: the kernel's HID_MAX_BUFFER_SIZE.
  public static let longestReport = 16_384

  /// The greatest number of reports that the ring holds.
  public let capacity: Int

  @usableFromInline let mask: UInt64
  // A slot is a report as its reader gets it, so that taking it is one copy. For a report over
  // 64 bytes it has only the time and the length, and the bytes are in the slab. The producer
  // writes slots before `head` passes them, and the consumer reads them after that. The consumer
  // hands them back by moving `tail`. No other code uses them.
  @usableFromInline nonisolated(unsafe) let slots: UnsafeMutablePointer<HIDReport>
  // Allocated by the producer for the first report over 64 bytes, and published by `head`. Pages
  // that no report reaches are never touched, and so use no memory.
  nonisolated(unsafe) private let slab = Atomic<UnsafeMutableRawPointer?>(nil)
  private let head = Atomic<UInt64>(0)
  @usableFromInline let tail = Atomic<UInt64>(0)
  private let finished = Atomic<Bool>(false)
  private let abandoned = Atomic<Bool>(false)
  // The number of reports that the reader takes before it checks whether the producer waits.
  private let stretch = Atomic<UInt64>(64)
  private let readerSleeps = Atomic<Bool>(false)
  // True if the reader must return from its wait once without a report.
  private let isWoken = Atomic<Bool>(false)
  @usableFromInline let producerWaits = Atomic<Bool>(false)
  private let lostCount = Atomic<Int>(0)
  // The losses that the reader has not asked for.
  private let losses = Mutex<[Loss]>([])
  // True if `lostCount` includes every lost report.
  private let isLossComplete = Atomic<Bool>(true)
  // Returns the losses of the producer's source that are not in `lostCount` yet.
  private let uncountedLosses = Mutex<(@Sendable () -> HIDLossCount)?>(nil)
  // The error that ended the stream; `nil` for an ordinary end.
  private let failure = Mutex<(any Error)?>(nil)
  // True while the ring leaves out the reports that are put.
  private let muted = Atomic<Bool>(false)
  private let sleepers = Mutex(Sleepers())
  // The handler that is called with reports, instead of a reader that asks for them.
  private let handler = Mutex<ReportHandler?>(nil)
  private let isHandled = Atomic<Bool>(false)
  // True while the handler runs; only used on the loop.
  private let isDelivering = Atomic<Bool>(false)
  // Only used by the producer; `Atomic` because a class has no other way to express that.
  private let writePosition = Atomic<UInt64>(0)
  // Called by the reader before it sleeps; it may put and commit, in place of the producer.
  private let refill: (@Sendable () -> Void)?

  /// Makes an empty ring.
  ///
  /// - Parameters:
  ///   - capacity: The number of reports that it holds, rounded up to a power of two; 1,048,576 at
  ///     most.
  ///   - refill: Called on the reader's thread when it finds the ring empty, before it sleeps. It
  ///     may act as the producer if it keeps the producer out meanwhile; it must not wait.
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

  /// True if there is room for another report.
  public var hasRoom: Bool {
    writePosition.load(ordering: .relaxed) &- tail.load(ordering: .acquiring) <= mask
  }

  /// The number of further reports for which there is room.
  public var room: Int { capacity - unread }

  /// The number of reports that were put, published or not, and that the reader has not taken.
  public var unread: Int {
    Int(writePosition.load(ordering: .relaxed) &- tail.load(ordering: .acquiring))
  }

  /// Puts a report into the next slot, to be published by ``commit()`` or ``publish()``.
  ///
  /// - Parameters:
  ///   - bytes: The report; bytes beyond 16,384 are cut.
  ///   - time: The time at which it was taken from the bus.
  /// - Returns: False if there was no room. True also for a report that was left out, because
  ///   `bytes` has no base address or the ring is muted (`setMuted`).
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

  /// Puts consecutive reports into the next slots, to be published by ``commit()`` or
  /// ``publish()``.
  ///
  /// - Parameters:
  ///   - bytes: The reports.
  ///   - byteCount: The length of each report in bytes; the last one may be shorter.
  ///   - time: The time at which they were taken from the bus.
  /// - Returns: The number of reports without room; 0 if the ring is muted (`setMuted`).
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
      // The inline bytes are 64, never none: there is a base address.
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

  /// Publishes the reports that were put, and wakes the reader if it sleeps; calls no handler.
  public func commit() {
    publish()
    wakeSleeper()
  }

  /// Publishes the reports that were put; ``tell(on:)`` must then wake the reader or call the
  /// handler.
  public func publish() {
    head.store(writePosition.load(ordering: .relaxed), ordering: .sequentiallyConsistent)
  }

  private func wakeSleeper() {
    if readerSleeps.load(ordering: .sequentiallyConsistent) { wakeReader() }
  }

  /// Wakes the reader if it sleeps, or calls the handler with the published reports.
  ///
  /// The producer must hold no lock: the woken reader may act as the producer, and a handler may
  /// call the producer.
  ///
  /// - Parameter loop: The producer's loop. A handler runs on this loop: at once if the caller is
  ///   on the loop, else soon.
  public func tell(on loop: IOLoop) {
    wakeSleeper()
    guard isHandled.load(ordering: .acquiring) else { return }
    guard loop.isCurrent else { return loop.perform { self.deliver() } }
    deliver()
  }

  private func deliver() {
    // The handler itself has called this: the new reports are handed on when it returns.
    if isDelivering.load(ordering: .relaxed) { return }
    isDelivering.store(true, ordering: .relaxed)
    defer { isDelivering.store(false, ordering: .relaxed) }
    guard let handler = handler.withLock({ $0 }) else { return }
    while isHandled.load(ordering: .acquiring), lend(before: published.limit, handler.body) != nil {
    }
  }

  /// Counts reports that the reader will not get.
  ///
  /// - Parameters:
  ///   - count: The number of reports.
  ///   - behind: The number of reports before the lost ones that were not put yet.
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

  /// Calls `resume` once, on the reader's thread, when the reader has made room or is gone.
  ///
  /// A later call replaces the earlier `resume`.
  ///
  /// - Returns: False if there is room, or no reader, already; `resume` is then not called.
  public func whenRoom(_ resume: @escaping @Sendable () -> Void) -> Bool {
    sleepers.withLock { $0.whenRoom = resume }
    producerWaits.store(true, ordering: .sequentiallyConsistent)
    let used =
      writePosition.load(ordering: .relaxed) &- tail.load(ordering: .sequentiallyConsistent)
    guard used <= mask || isAbandoned else { return true }
    // The reader may be calling `resume` just now: then the call cannot be prevented.
    let taken = sleepers.withLock { sleepers in
      defer { sleepers.whenRoom = nil }
      producerWaits.store(sleepers.whenTaken != nil, ordering: .relaxed)
      return sleepers.whenRoom != nil
    }
    return !taken
  }

  /// Calls `body` on the reader's thread whenever the reader has taken a report, and when the
  /// reader is gone.
  ///
  /// The reader then takes reports one by one, which costs it more.
  public func whenTaken(_ body: @escaping @Sendable () -> Void) {
    sleepers.withLock { $0.whenTaken = body }
    stretch.store(1, ordering: .relaxed)
    producerWaits.store(true, ordering: .sequentiallyConsistent)
  }

  /// Makes ``lost`` include the losses of a source.
  ///
  /// A ring has one source: a later call replaces the earlier source.
  ///
  /// - Parameter body: Returns the losses that the ring has not counted yet. Called whenever
  ///   ``lost`` is read, on the thread that reads it; it must not wait.
  package func addLosses(from body: @escaping @Sendable () -> HIDLossCount) {
    uncountedLosses.withLock { $0 = body }
  }

  /// Notes that reports may be lost without being counted.
  package func noteUncountableLosses() { isLossComplete.store(false, ordering: .releasing) }

  /// Ends the stream: the reader gets the published reports, and then the end.
  ///
  /// - Parameter error: The error that ends it; `nil` for an ordinary end.
  public func finish(failing error: (any Error)? = nil) {
    if let error { failure.withLock { $0 = $0 ?? error } }
    finished.store(true, ordering: .sequentiallyConsistent)
    wakeReader()
  }

  /// True if the reader is gone, so that the ring can be released.
  public var isAbandoned: Bool { abandoned.load(ordering: .acquiring) }

  // MARK: The reader's side

  /// The maximum number of attempts to read the losses while more of them are counted.
  private static let lossReadings = 100

  /// The number of reports that the reader did not get.
  public var lost: HIDLossCount {
    // The lock is released first: the source takes a lock of its own.
    let source = uncountedLosses.withLock { $0 }
    // Read again if reports are counted meanwhile: the source may or may not have included them.
    for _ in 0..<Self.lossReadings {
      let before = lostCount.load(ordering: .sequentiallyConsistent)
      let uncounted = source?() ?? 0
      guard lostCount.load(ordering: .sequentiallyConsistent) == before else { continue }
      return uncounted
        + HIDLossCount(before, isComplete: isLossComplete.load(ordering: .acquiring))
    }
    return HIDLossCount(lostCount.load(ordering: .relaxed), isComplete: false)
  }

  /// The error given to ``finish(failing:)``; `nil` before that call, and for an ordinary end.
  var endingFailure: (any Error)? { failure.withLock { $0 } }

  /// Returns the losses since the previous call, with their positions.
  func takeLosses() -> [Loss] {
    losses.withLock { losses in
      defer { losses = [] }
      return losses
    }
  }

  /// Notes that the reader is gone, and wakes the producer.
  func abandon() {
    abandoned.store(true, ordering: .sequentiallyConsistent)
    wakeProducer()
  }

  /// The position of the next report to read, which a new iterator uses as its limit.
  @usableFromInline var readPosition: UInt64 { tail.load(ordering: .relaxed) }

  /// The position up to which the reader may read before it looks again, and whether there is a
  /// report.
  @usableFromInline
  var published: (limit: UInt64, isBeyondReader: Bool) {
    let end = head.load(ordering: .acquiring)
    let position = tail.load(ordering: .relaxed)
    return (min(end, position &+ stretch.load(ordering: .relaxed)), end != position)
  }

  /// Calls the refill closure, and returns whether there is a report now.
  @usableFromInline
  func refilled() -> Bool {
    guard let refill else { return false }
    refill()
    return published.isBeyondReader
  }

  /// Takes the next report out; `nil` if there is none before `limit`.
  ///
  /// - Parameter limit: The position up to which the reader has seen reports: the limit of an
  ///   earlier ``published``.
  @inlinable
  @inline(__always)
  func take(before limit: UInt64) -> HIDReport? {
    let position = tail.load(ordering: .relaxed)
    // The position may be beyond the limit: another iterator of the stream may have read on
    // meanwhile.
    if position >= limit { return nil }
    let index = Int(position & mask)
    let report =
      slots[index].bytes.length <= HIDReportBytes.inlineCapacity ? slots[index] : takeLong(index)
    leave(position, before: limit)
    return report
  }

  /// Calls `body` with the contiguous reports before `limit`, and hands their slots back.
  ///
  /// - Parameter limit: The position up to which the reader has seen reports: the limit of an
  ///   earlier ``published``.
  /// - Returns: The result of `body`; `nil`, without a call of `body`, if there is no report.
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

  /// Calls `body` with the contiguous reports before `limit`, and hands back as many slots as
  /// `body` returns.
  ///
  /// - Returns: True if there was a report.
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

  /// Returns how many reports can be read in their slots; 0 if the first is longer than a slot.
  @inlinable
  @inline(__always)
  func countInOnePiece(from index: Int, atMost limit: Int) -> Int {
    let count = min(limit, capacity - index)
    guard hasLongReports else { return count }
    return (0..<count).first { slots[index + $0].bytes.length > HIDReportBytes.inlineCapacity }
      ?? count
  }

  /// Hands a slot, and those before it, back to the producer; wakes a producer that waits if the
  /// slot is the last one before `limit`.
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

  /// True if there may be a report that is longer than a slot.
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

  /// Starts or stops leaving out the reports that are put; such reports do not count as lost.
  func setMuted(_ isMuted: Bool) { muted.store(isMuted, ordering: .relaxed) }

  /// Sets the handler that is called with reports on the producer's loop; `nil` removes it.
  ///
  /// While there is a handler, the ring must have no other reader.
  func handle(by body: ReportHandler?, on loop: IOLoop) {
    handler.withLock { $0 = body }
    isHandled.store(body != nil, ordering: .sequentiallyConsistent)
    // Reports may have been published before the handler was set.
    if body != nil { loop.perform { self.deliver() } }
  }

  /// Ends the reader's present wait, if there is one, and makes the next one end at once.
  ///
  /// The waits end even without a report. Call it if the reader has something else to check.
  func wakeOnce() {
    isWoken.store(true, ordering: .sequentiallyConsistent)
    wakeReader()
  }

  /// True if nothing more will be published.
  @usableFromInline
  var isFinished: Bool { finished.load(ordering: .acquiring) }

  /// Sleeps until there is a report, the stream has ended, ``wakeOnce()`` was called, or the task
  /// was cancelled.
  @usableFromInline
  func wait(isolation: isolated (any Actor)?) async {
    await withTaskCancellationHandler {
      await withUnsafeContinuation(isolation: isolation) {
        (continuation: UnsafeContinuation<Void, Never>) in
        let mustSleep = sleepers.withLock { sleepers in
          readerSleeps.store(true, ordering: .sequentiallyConsistent)
          // Checked after the flag was set: later changes see the flag.
          if head.load(ordering: .sequentiallyConsistent) != tail.load(ordering: .relaxed)
            || finished.load(ordering: .sequentiallyConsistent) || Task.isCancelled
            || isWoken.exchange(false, ordering: .sequentiallyConsistent)
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
  /// Copies bytes: 2 to 16 bytes as two words, which may overlap.
  ///
  /// A call of `memcpy` would cost more than these copies.
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
