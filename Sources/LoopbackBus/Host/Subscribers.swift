// SPDX-License-Identifier: Apache-2.0

import IOLoop

/// The streams of one client, and the reports on their way to them.
///
/// No I/O.
struct Subscribers: Sendable {
  /// How a datagram went.
  enum Delivery: Hashable, Sendable {
    case delivered
    /// A stream that must lose nothing is full: the rest waits (``hasPending``).
    case noRoom
    /// It made no sense.
    case nonsense
  }

  private(set) var rings: [(ring: ReportRing, policy: HIDReportStream.Policy)] = []
  /// What came before anybody listened; nil once somebody does.
  private var early: EarlyReports?
  /// Reports that found no room yet, each with its length.
  private var pending: [UInt8] = []
  /// How many reports were put into the rings.
  private var delivered: UInt64 = 0
  /// Of them, how many were said to be taken.
  private var told: UInt64 = 0

  /// Whether there has been no stream yet.
  var isBeforeFirst: Bool { early != nil }

  init() { early = EarlyReports() }

  /// The subscribers of a connection that is closed: what came early can still be read.
  init(afterClosing old: Subscribers) { early = old.early }

  /// Adds a stream's ring; the first one gets what came early.
  mutating func add(_ ring: ReportRing, _ policy: HIDReportStream.Policy) {
    handEarly(to: ring)
    rings.append((ring, policy))
  }

  /// Gives a ring what came early, if nobody has had it.
  mutating func handEarly(to ring: ReportRing) {
    early?.hand(to: ring)
    early = nil
  }

  // MARK: Delivery

  /// Whether reports wait for room.
  var hasPending: Bool { !pending.isEmpty }

  /// How many bytes of reports wait for room.
  var pendingByteCount: Int { pending.count }

  /// Keeps a datagram of reports behind those that wait for room.
  mutating func hold(_ datagram: UnsafeRawBufferPointer) { pending += datagram.dropFirst() }

  /// Delivers what waited for room.
  mutating func deliverPending() -> Delivery {
    guard hasPending else { return .delivered }
    let datagram = [LoopbackMessage.inputCode] + pending
    pending = []
    return datagram.withUnsafeBytes { deliver($0) }
  }

  /// Puts the reports of a datagram into the rings, as far as they have room, and publishes them; readers are yet to be told.
  mutating func deliver(_ datagram: UnsafeRawBufferPointer) -> Delivery {
    let now = MonotonicTime.now
    var offset = 1
    rings.removeAll { $0.ring.isAbandoned }
    defer { for (ring, _) in rings { ring.publish() } }
    while offset < datagram.count {
      guard offset + 2 <= datagram.count else { return .nonsense }
      let count = Int(datagram[offset]) | Int(datagram[offset + 1]) << 8
      let end = offset + 2 + count
      guard count > 0, count <= ReportRing.longestReport, end <= datagram.count else {
        return .nonsense
      }
      let report = UnsafeRawBufferPointer(rebasing: datagram[offset + 2..<end])
      guard put(report, now) else {
        pending = Array(datagram[offset...])
        return .noRoom
      }
      delivered += 1
      offset = end
    }
    return .delivered
  }

  /// Puts one report into every ring, unless one of them must not lose it and has no room.
  private mutating func put(_ report: UnsafeRawBufferPointer, _ now: MonotonicTime) -> Bool {
    for (ring, policy) in rings where policy == .lossless && !ring.hasRoom && !ring.isAbandoned {
      return false
    }
    early?.put(report, at: now)
    for (ring, _) in rings where !ring.put(report, at: now) { ring.countLost(1) }
    return true
  }

  /// Counts reports that the device could not send; the first stream is told what was lost before it.
  mutating func countLost(_ count: Int) {
    early?.countLost(count)
    let waiting = pendingCount
    for (ring, _) in rings { ring.countLost(count, behind: waiting) }
  }

  /// Notes that reports may be lost without being counted.
  mutating func noteUncountableLosses() {
    early?.noteUncountableLosses()
    for (ring, _) in rings { ring.noteUncountableLosses() }
  }

  /// How many reports have come, including those that wait for room.
  var received: UInt64 { delivered + UInt64(pendingCount) }

  /// How many reports wait for room.
  private var pendingCount: Int {
    var count = 0
    var offset = 0
    while offset + 2 <= pending.count {
      offset += 2 + Int(pending[offset]) + Int(pending[offset + 1]) << 8
      count += 1
    }
    return count
  }

  // MARK: What was taken

  /// How many more reports than it said before every stream has taken, lost or left alone; `nil` for none.
  mutating func newlyTaken() -> UInt32? {
    let waiting = rings.reduce(early?.count ?? 0) { count, entry in
      entry.ring.isAbandoned ? count : max(count, entry.ring.unread)
    }
    // Whatever waits was delivered before: the difference is never negative.
    let taken = delivered - UInt64(waiting)
    guard taken > told else { return nil }
    defer { told = taken }
    return UInt32(clamping: taken - told)
  }
}
