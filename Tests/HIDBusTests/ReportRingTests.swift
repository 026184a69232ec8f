// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDBus
import HIDReportDescriptor
import Synchronization
import Testing

@testable import IOLoop

/// Puts a report into a ring, as a bus does.
///
/// - Returns: False if the ring has no room.
private func put(_ report: [UInt8], into ring: ReportRing, at time: UInt64 = 0) -> Bool {
  report.withUnsafeBytes { ring.put($0, at: MonotonicTime(nanoseconds: time)) }
}

private func take(_ count: Int, from stream: HIDReportStream) async -> [[UInt8]] {
  var reports: [[UInt8]] = []
  if count == 0 { return reports }
  for await report in stream {
    reports.append(Array(report.bytes))
    if reports.count == count { break }
  }
  return reports
}

@Suite(.timeLimit(.minutes(1))) struct ReportRingTests {
  @Test("reports of any length are read in order, with their bytes and times")
  func order() async {
    let ring = ReportRing(capacity: 8)
    let stream = HIDReportStream(ring)
    let reports: [[UInt8]] = [
      [], [1], Array(repeating: 2, count: 64), Array(repeating: 3, count: 65),
      Array(repeating: 4, count: 4096), Array(repeating: 5, count: 16_384), [6],
    ]
    for (index, report) in reports.enumerated() {
      #expect(put(report, into: ring, at: UInt64(index)))
    }
    ring.commit()
    var iterator = stream.makeAsyncIterator()
    for (index, report) in reports.enumerated() {
      let next = await iterator.next()
      #expect(next?.time.nanoseconds == UInt64(index))
      #expect(next.map { Array($0.bytes) } == report)
    }
  }

  @Test("a report is not visible before it is committed")
  func commit() async {
    let ring = ReportRing(capacity: 8)
    let stream = HIDReportStream(ring)
    #expect(put([1], into: ring))
    ring.commit()
    #expect(put([2], into: ring))
    ring.finish()
    #expect(await take(2, from: stream) == [[1]])
  }

  @Test("a full ring refuses new reports, and keeps the unread ones")
  func full() async {
    let ring = ReportRing(capacity: 4)
    let stream = HIDReportStream(ring)
    #expect(ring.capacity == 4)
    let taken = (0..<6 as Range<UInt8>).map { put([$0], into: ring) }
    #expect(taken == [true, true, true, true, false, false])
    #expect(!ring.hasRoom)
    ring.countLost(2)
    ring.commit()
    #expect(stream.lost == 2)
    #expect(await take(4, from: stream) == [[0], [1], [2], [3]])
    #expect(ring.hasRoom)
  }

  @Test(
    "a capacity is rounded up to a power of two",
    arguments: [(0, 1), (1, 1), (3, 4), (64, 64), (65, 128)])
  func capacity(_ sample: (asked: Int, got: Int)) {
    #expect(ReportRing(capacity: sample.asked).capacity == sample.got)
  }

  @Test("losses that a device announces while the losses are added up count once")
  func lossesMeanwhile() {
    let ring = ReportRing(capacity: 8)
    let uncounted = Mutex(5)
    ring.addLosses {
      uncounted.withLock { count in
        defer { count = 0 }
        // The device announces the losses at this moment.
        if count > 0 { ring.countLost(count) }
        return HIDLossCount(count)
      }
    }
    #expect(ring.lost == 5)
    #expect(ring.lost == 5)
  }

  @Test("an iterator has a next report only while a committed one is unread")
  func readiness() async {
    let ring = ReportRing(capacity: 8)
    var iterator = HIDReportStream(ring).makeAsyncIterator()
    #expect(!iterator.hasNext)
    #expect(put([1], into: ring))
    #expect(!iterator.hasNext)
    #expect(put([2], into: ring))
    ring.commit()
    for number in [1, 2] as [UInt8] {
      #expect(iterator.hasNext)
      let next = await iterator.next()
      #expect(next.map { Array($0.bytes) } == [number])
    }
    #expect(!iterator.hasNext)
    ring.finish()
    #expect(!iterator.hasNext)
  }

  @Test("the stream ends after the last report")
  func finish() async {
    let ring = ReportRing(capacity: 8)
    let stream = HIDReportStream(ring)
    for number in 0..<3 as Range<UInt8> { #expect(put([number], into: ring)) }
    ring.commit()
    ring.finish()
    #expect(await take(9, from: stream) == [[0], [1], [2]])
    #expect(await take(1, from: stream) == [])
  }

  @Test("a reader in another task gets a report, and ends with the stream")
  func wakes() async {
    let ring = ReportRing(capacity: 8)
    let stream = HIDReportStream(ring)
    let reader = Task { await take(2, from: stream) }
    #expect(put([1], into: ring))
    ring.commit()
    ring.finish()
    #expect(await reader.value == [[1]])
  }

  @Test("a waiting reader that is cancelled ends, and another reader gets the next report")
  func cancel() async {
    let ring = ReportRing(capacity: 8)
    let stream = HIDReportStream(ring)
    let reader = Task { await take(1, from: stream) }
    await Task.yield()
    reader.cancel()
    #expect(await reader.value == [])
    #expect(put([1], into: ring))
    ring.commit()
    #expect(await take(1, from: stream) == [[1]])
  }

  @Test("a cancelled reader ends also while reports arrive without a pause")
  func cancelBusy() async {
    let ring = ReportRing(capacity: 8)
    let stream = HIDReportStream(ring)
    let reader = Task {
      var count = 0
      // Only cancellation ends the loop.
      for await _ in stream { count += 1 }
      return count
    }
    let producer = Task {
      while !Task.isCancelled {
        _ = put([1], into: ring)
        ring.commit()
        await Task.yield()
      }
    }
    await Task.yield()
    reader.cancel()
    _ = await reader.value
    producer.cancel()
    await producer.value
  }

  @Test("an iterator that another one has overtaken reads no unwritten report")
  func iterators() async {
    let ring = ReportRing(capacity: 8)
    let stream = HIDReportStream(ring)
    var early = stream.makeAsyncIterator()
    for number in 0..<4 as Range<UInt8> { #expect(put([number], into: ring)) }
    ring.commit()
    #expect(await early.next().map { Array($0.bytes) } == [0])
    var late = stream.makeAsyncIterator()
    for number in 1..<4 as Range<UInt8> {
      #expect(await late.next().map { Array($0.bytes) } == [number])
    }
    #expect(put([4], into: ring))
    ring.commit()
    #expect(await late.next().map { Array($0.bytes) } == [4])
    ring.finish()
    #expect(await early.next() == nil)
  }

  @Test("a producer that waits for room is called once, when there is room")
  func whenRoom() async {
    let ring = ReportRing(capacity: 2)
    let stream = HIDReportStream(ring)
    let calls = Atomic<Int>(0)
    #expect(!ring.whenRoom { calls.add(1, ordering: .relaxed) })  // there is room: not called
    #expect(put([1], into: ring))
    #expect(put([2], into: ring))
    ring.commit()
    #expect(ring.whenRoom { calls.add(1, ordering: .relaxed) })
    #expect(await take(2, from: stream) == [[1], [2]])
    #expect(calls.load(ordering: .relaxed) == 1)
    #expect(ring.hasRoom)
  }

  @Test("a whenTaken callback runs after each report taken, and when the stream is released")
  func whenTaken() async {
    let ring = ReportRing(capacity: 8)
    let left = Mutex<[Int]>([])
    do {
      let stream = HIDReportStream(ring)
      ring.whenTaken { left.withLock { $0.append(ring.unread) } }
      for number in 0..<5 as Range<UInt8> { #expect(put([number], into: ring)) }
      #expect(ring.unread == 5)
      ring.commit()
      #expect(await take(3, from: stream) == [[0], [1], [2]])
      #expect(left.withLock { $0 } == [4, 3, 2])
      // A callback for room does not end the callback for reports that are taken.
      #expect(!ring.whenRoom {})
      #expect(await take(1, from: stream) == [[3]])
      #expect(left.withLock { $0 } == [4, 3, 2, 1])
    }
    #expect(left.withLock { $0 } == [4, 3, 2, 1, 1])
  }

  @Test("a producer that waits for room is called when the last reader is released")
  func abandoned() {
    let ring = ReportRing(capacity: 1)
    let calls = Atomic<Int>(0)
    do {
      let stream = HIDReportStream(ring)
      #expect(put([1], into: ring))
      ring.commit()
      #expect(ring.whenRoom { calls.add(1, ordering: .relaxed) })
      #expect(!ring.isAbandoned)
      _ = stream.lost
    }
    #expect(ring.isAbandoned)
    #expect(calls.load(ordering: .relaxed) == 1)
  }

  @Test("a handler gets published reports on the loop in order, also a report that it sends")
  func handler() async {
    let loop = IOLoop(name: "test-handler")
    let ring = ReportRing(capacity: 4)
    let heard = Mutex<[UInt8]>([])
    var handling: HIDReportHandling? = HIDReportHandling(HIDReportStream(ring), on: loop) {
      reports in
      #expect(loop.isCurrent)
      for index in reports.indices {
        let byte = reports[index].bytes[0]
        heard.withLock { $0.append(byte) }
        // If a handler makes its device send a report, the bus makes these calls within the
        // handler.
        if byte == 1 {
          _ = put([9], into: ring)
          ring.publish()
          ring.tell(on: loop)
        }
      }
    }
    for number in 0..<3 as Range<UInt8> { #expect(put([number], into: ring)) }
    ring.publish()
    ring.tell(on: loop)
    await turn(of: loop)
    #expect(heard.withLock { $0 } == [0, 1, 2, 9])
    #expect(ring.unread == 0)
    #expect(handling?.lost == 0)
    handling = nil
    #expect(ring.isAbandoned)
    #expect(put([5], into: ring))
    ring.publish()
    ring.tell(on: loop)
    await turn(of: loop)
    #expect(heard.withLock { $0.count } == 4)
  }

  /// Waits until a loop has run the jobs that wait, and those that they enqueue.
  private func turn(of loop: IOLoop) async {
    await withCheckedContinuation { continuation in
      loop.perform { loop.perform { continuation.resume() } }
    }
  }

  @Test("100,000 reports pass between two threads, none lost and none torn")
  func stress() async {
    let ring = ReportRing(capacity: 16)
    let stream = HIDReportStream(ring)
    let count = 100_000
    Thread.run(name: "test-producer") {
      for number in 0..<count {
        // Every byte of a report is the same, derived from its number.
        let report = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: number % 97)
        while !put(report, into: ring) {
          ring.commit()
          sched_yield()
        }
        if number % 3 == 0 { ring.commit() }
      }
      ring.commit()
      ring.finish()
    }
    var number = 0
    var wrong = 0
    for await report in stream {
      if report.bytes.count != number % 97
        || Array(report.bytes).contains(where: { $0 != UInt8(truncatingIfNeeded: number) })
      {
        wrong += 1
      }
      number += 1
    }
    #expect(number == count)
    #expect(wrong == 0)
  }
}

@Suite struct HIDReportBytesTests {
  @Test("a report of any length keeps its bytes", arguments: [0, 1, 63, 64, 65, 300])
  func lengths(_ count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    let report = HIDReportBytes(bytes)
    #expect(report.count == count)
    #expect(Array(report) == bytes)
    #expect(report.first == bytes.first)
    for index in bytes.indices { #expect(report[index] == bytes[index]) }
    #expect(Array(report.droppingFirst(1)) == Array(bytes.dropFirst()))
    #expect(Array(report.droppingFirst(0)) == bytes)
  }

  @Test("two reports are equal exactly when their bytes are equal")
  func equality() {
    var stale = InlineArray<64, UInt8>(repeating: 9)
    stale[0] = 1
    let cut = HIDReportBytes(inline: stale, count: 1)
    #expect(cut == HIDReportBytes([1]))
    #expect(cut.hashValue == HIDReportBytes([1]).hashValue)
    #expect(HIDReportBytes([1]) != HIDReportBytes([1, 0]))
    #expect(HIDReportBytes() == HIDReportBytes([]))
  }

  @Test("bytes are written as hex")
  func text() {
    #expect(HIDReportBytes([0, 0x0f, 0xff]).description == "00 0f ff")
    #expect(HIDReportBytes().description == "")
  }
}
