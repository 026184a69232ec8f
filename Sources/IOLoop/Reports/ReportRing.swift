// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Reports on their way from a loop to one reader, without a lock while both keep moving.
///
/// One producer writes slots and publishes them with ``commit()``; one consumer takes them in order.
/// When the ring is full the newest report is refused, never an older one overwritten: a slot
/// that was published stays as it is until its reader has left it, so that nothing can be read torn.
/// The lock is taken only to sleep, and to wake a sleeper.
public final class ReportRing: Sendable {
  /// What one slot holds: a report of up to 64 bytes, or the length of one that lies in the slab.
  private struct Slot: BitwiseCopyable {
    var time: UInt64
    var count: UInt32
    var inline: InlineArray<64, UInt8>
  }

  private struct Sleepers: Sendable {
    var reader: UnsafeContinuation<Void, Never>?
    var whenRoom: (@Sendable () -> Void)?
  }

  /// The longest report there is: the kernel's HID_MAX_BUFFER_SIZE, in bytes.
  public static let longestReport = 16_384

  /// How many reports the ring holds.
  public let capacity: Int

  private let mask: UInt64
  // Slots are written by the producer before `head` passes them, and read by the consumer after;
  // the consumer hands them back by moving `tail`. Nobody else touches them.
  nonisolated(unsafe) private let slots: UnsafeMutablePointer<Slot>
  // Allocated by the producer when the first report over 64 bytes comes, published by `head`.
  // Memory that no report reaches is never touched, and so never there.
  nonisolated(unsafe) private let slab = Atomic<UnsafeMutableRawPointer?>(nil)
  private let head = Atomic<UInt64>(0)
  private let tail = Atomic<UInt64>(0)
  private let finished = Atomic<Bool>(false)
  private let abandoned = Atomic<Bool>(false)
  private let readerSleeps = Atomic<Bool>(false)
  private let producerWaits = Atomic<Bool>(false)
  private let lostCount = Atomic<Int>(0)
  private let sleepers = Mutex(Sleepers())
  // Only the producer's; `Atomic` because there is no other way to say so of a class.
  private let writePosition = Atomic<UInt64>(0)

  /// Makes an empty ring.
  ///
  /// - Parameter capacity: How many reports it holds at least; rounded up to a power of two.
  public init(capacity: Int) {
    var size = 1
    while size < capacity, size < 1 << 20 { size *= 2 }
    self.capacity = size
    mask = UInt64(size - 1)
    slots = .allocate(capacity: size)
  }

  deinit {
    slots.deallocate()
    slab.load(ordering: .acquiring)?.deallocate()
  }

  // MARK: The producer's side

  /// Whether there is room for another report.
  public var hasRoom: Bool {
    writePosition.load(ordering: .relaxed) &- tail.load(ordering: .acquiring) <= mask
  }

  /// Puts a report into the next slot, to be published by ``commit()``.
  ///
  /// - Parameters:
  ///   - bytes: The report: at most 16,384 bytes.
  ///   - time: When it was taken from the bus.
  /// - Returns: Whether there was room.
  public func put(_ bytes: UnsafeRawBufferPointer, at time: MonotonicTime) -> Bool {
    let position = writePosition.load(ordering: .relaxed)
    guard position &- tail.load(ordering: .acquiring) <= mask else { return false }
    let index = Int(position & mask)
    let count = min(bytes.count, Self.longestReport)
    slots[index].time = time.nanoseconds
    slots[index].count = UInt32(count)
    if let source = bytes.baseAddress {
      if count <= 64 {
        withUnsafeMutableBytes(of: &slots[index].inline) {
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
      return sleepers.whenRoom != nil
    }
    producerWaits.store(false, ordering: .relaxed)
    return !taken
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
  var readPosition: UInt64 { tail.load(ordering: .relaxed) }

  /// How far the producer is, and whether that is beyond the reader.
  var published: (limit: UInt64, isBeyondReader: Bool) {
    let limit = head.load(ordering: .acquiring)
    return (limit, limit != tail.load(ordering: .relaxed))
  }

  /// Takes the next report out, if there is one before `limit`.
  ///
  /// - Parameter limit: How far the reader has seen the producer to be: what ``published`` was.
  @inline(__always)
  func take(before limit: UInt64) -> HIDReport? {
    let position = tail.load(ordering: .relaxed)
    // Beyond it, too: another iterator of the stream may have read on meanwhile.
    if position >= limit { return nil }
    let index = Int(position & mask)
    let count = Int(slots[index].count)
    let time = MonotonicTime(nanoseconds: slots[index].time)
    let bytes =
      count <= 64
      ? HIDReportBytes(inline: slots[index].inline, count: count)
      : takeLong(index, count)
    let next = position &+ 1
    if next == limit {
      tail.store(next, ordering: .sequentiallyConsistent)
      if producerWaits.load(ordering: .sequentiallyConsistent) { wakeProducer() }
    } else {
      tail.store(next, ordering: .releasing)
    }
    return HIDReport(time: time, bytes: bytes)
  }

  private func takeLong(_ index: Int, _ count: Int) -> HIDReportBytes {
    guard let room = slab.load(ordering: .acquiring) else { return HIDReportBytes() }
    let bytes = UnsafeRawBufferPointer(start: room + index * Self.longestReport, count: count)
    return HIDReportBytes(Array(bytes))
  }

  /// Whether nothing more will be published.
  var isFinished: Bool { finished.load(ordering: .acquiring) }

  /// Sleeps until there is something to take, the stream has ended, or the task was cancelled.
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

  private func wakeProducer() {
    producerWaits.store(false, ordering: .relaxed)
    let resume = sleepers.withLock { sleepers in
      defer { sleepers.whenRoom = nil }
      return sleepers.whenRoom
    }
    resume?()
  }
}
