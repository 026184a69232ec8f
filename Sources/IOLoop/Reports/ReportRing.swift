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
  @usableFromInline let producerWaits = Atomic<Bool>(false)
  private let lostCount = Atomic<Int>(0)
  private let sleepers = Mutex(Sleepers())
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
    let position = writePosition.load(ordering: .relaxed)
    guard position &- tail.load(ordering: .acquiring) <= mask else { return false }
    let index = Int(position & mask)
    let count = min(bytes.count, Self.longestReport)
    slots[index].time = time
    slots[index].bytes.length = count
    if let source = bytes.baseAddress {
      if count <= 64 {
        withUnsafeMutableBytes(of: &slots[index].bytes.inline) {
          // The slot is 64 bytes, and `count` is no more: there is a base address.
          $0.baseAddress.unsafelyUnwrapped.copyMemory(from: source, byteCount: count)
        }
      } else {
        let room = slab.load(ordering: .relaxed) ?? makeSlab()
        (room + index * Self.longestReport).copyMemory(from: source, byteCount: count)
      }
    }
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
    var offset = 0
    var refused = 0
    while offset < bytes.count {
      let end = min(offset + byteCount, bytes.count)
      if !put(UnsafeRawBufferPointer(rebasing: bytes[offset..<end]), at: time) { refused += 1 }
      offset = end
    }
    return refused
  }

  private func makeSlab() -> UnsafeMutableRawPointer {
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: capacity * Self.longestReport, alignment: 16)
    slab.store(memory, ordering: .releasing)
    return memory
  }

  /// Publishes what was put, and wakes the reader if it sleeps.
  public func commit() {
    head.store(writePosition.load(ordering: .relaxed), ordering: .sequentiallyConsistent)
    if readerSleeps.load(ordering: .sequentiallyConsistent) { wakeReader() }
  }

  /// Counts reports that the reader will not get.
  public func countLost(_ count: Int) {
    lostCount.wrappingAdd(count, ordering: .relaxed)
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

  /// Ends the stream: the reader gets what was published, and then the end.
  public func finish() {
    finished.store(true, ordering: .sequentiallyConsistent)
    wakeReader()
  }

  /// Whether the reader is gone, so that the ring can be dropped.
  public var isAbandoned: Bool { abandoned.load(ordering: .acquiring) }

  // MARK: The reader's side

  /// How many reports the reader did not get, because the ring was full.
  public var lost: Int { lostCount.load(ordering: .relaxed) }

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

  /// Hands a slot back to the producer.
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
